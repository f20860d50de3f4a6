"""How Neo4j Community is started: its own main class, options for a short life, a configuration file of ours."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from uom.run.java.build import java_environment

_MAIN_CLASS = "org.neo4j.server.CommunityEntryPoint"
_LOG = "logs/neo4j.log"
_STARTED = " Started."

OPTIONS = (
    "-Xmx1g",
    "-XX:+UseSerialGC",
    # most queries run a few times only: the first compiler is the quicker one here
    "-XX:TieredStopAtLevel=1",
    "-XX:-CreateCoredumpOnCrash",
    "--enable-native-access=ALL-UNNAMED",
    "--sun-misc-unsafe-memory-access=allow",
    "-Dfile.encoding=UTF-8",
    "-Duser.timezone=UTC",
)

_SETTINGS = """\
server.bolt.listen_address=127.0.0.1:{port}
server.http.enabled=false
server.https.enabled=false
dbms.security.auth_enabled=false
dbms.security.allow_csv_import_from_file_urls=false
dbms.usage_report.enabled=false
server.memory.pagecache.size=64m
db.logs.query.enabled=OFF
db.temporal.timezone=Z
internal.dbms.bolt.local_enabled=false
internal.dbms.cypher_ip_blocklist=0.0.0.0/0,::/0
internal.server.bolt.thread_pool_shutdown_wait_time=0s
"""
"""It keeps to this machine, phones nobody, and no statement reads a file or an address through it."""


def write_settings(home: Path, port: int) -> None:
    """The configuration in `home`/conf."""
    (home / "conf").mkdir(parents=True, exist_ok=True)
    (home / "conf" / "neo4j.conf").write_text(_SETTINGS.format(port=port), encoding="utf-8")


def command(java: Path, classpath: Sequence[Path], home: Path, extra: Sequence[str] = ()) -> list[str]:
    """The command line; `extra` are options of the JVM, such as the archive to use. Temporary files stay in `home`."""
    line = [str(java), *extra, *OPTIONS, f"-Djava.io.tmpdir={home}", f"-Djna.tmpdir={home}"]
    line += ["-cp", os.pathsep.join(map(str, classpath)), _MAIN_CLASS]
    return [*line, f"--home-dir={home}", f"--config-dir={home / 'conf'}"]


def environment() -> Mapping[str, str]:
    """Nothing of the user's, whose NEO4J_ and JAVA variables mean other servers."""
    return java_environment()


def has_started(home: Path) -> bool:
    """Whether the server in `home` said so: it logs this after Bolt is open, and only the one that got the port does."""
    try:
        return _STARTED in (home / _LOG).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False


def recipe() -> tuple[str, ...]:
    """What an archive depends on besides the jars."""
    return (*OPTIONS, _MAIN_CLASS, _SETTINGS)
