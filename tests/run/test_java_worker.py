"""The worker with bundles that misbehave: each gets the right verdict and the next one a sound worker."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from uom.run.java.worker import JavaRun, JavaWorker, RunStatus
from uom.run.toolchain import Toolchain


def main_of(body: str) -> dict[str, str]:
    return {
        "src/main/java/a/Main.java": f"""\
package a;
import java.util.*;
public class Main {{
    public static void main(String[] args) throws Exception {{
        System.out.println("before");
        {body}
    }}
}}
"""
    }


def run(worker: JavaWorker, body: str, limit: float = 1.0) -> JavaRun:
    return worker.run(main_of(body), "a.Main", ["argument"], limit_seconds=limit)


def test_output_and_arguments(worker: JavaWorker) -> None:
    result = run(worker, 'System.out.println(args[0] + " ž"); System.err.print("warning");')
    assert (result.status, result.stdout, result.stderr) == (RunStatus.OK, "before\nargument ž\n", "warning")
    assert not result.tainted


@pytest.mark.parametrize(
    ("body", "status", "in_trace", "tainted"),
    [
        pytest.param("System.exit(3);", RunStatus.EXIT, "exit 3", False, id="exit"),
        pytest.param("Runtime.getRuntime().halt(4);", RunStatus.EXIT, "exit 4", False, id="halt"),
        pytest.param(
            'Runtime.class.getMethod("halt", int.class).invoke(Runtime.getRuntime(), 5);',
            RunStatus.EXIT,
            "exit code 5",
            True,
            id="halt by reflection",
        ),
        pytest.param("while (true);", RunStatus.TIMEOUT, "", False, id="endless loop"),
        pytest.param(
            "for (;;) try { while (true); } catch (Throwable t) { }", RunStatus.TIMEOUT, "", False, id="catches all"
        ),
        pytest.param(
            "for (;;) try { Thread.sleep(9999); } catch (InterruptedException e) { }",
            RunStatus.TIMEOUT,
            "",
            False,
            id="swallows interrupts",
        ),
        pytest.param(
            "java.util.stream.LongStream.range(0, 1L << 60).sum();", RunStatus.TIMEOUT, "", True, id="loop in the JDK"
        ),
        pytest.param("new Thread(() -> { while (true); }).start();", RunStatus.OK, "", False, id="thread that loops"),
        pytest.param(
            # The pause lets it enter the loop; before that, the end of the job would end it.
            "new Thread(() -> java.util.stream.LongStream.range(0, 1L << 60).sum()).start(); Thread.sleep(300);",
            RunStatus.OK,
            "",
            True,
            id="thread that never ends",
        ),
        pytest.param("main(args);", RunStatus.EXCEPTION, "StackOverflowError", False, id="recursion"),
        pytest.param(
            "List<byte[]> kept = new ArrayList<>(); while (true) kept.add(new byte[1 << 22]);",
            RunStatus.EXCEPTION,
            "OutOfMemoryError",
            True,
            id="memory",
        ),
        pytest.param('throw new IllegalStateException("why");', RunStatus.EXCEPTION, "why", False, id="exception"),
        pytest.param('Class.forName("b.Missing");', RunStatus.EXCEPTION, "ClassNotFound", False, id="missing class"),
    ],
)
def test_misbehaviour(worker: JavaWorker, body: str, status: RunStatus, in_trace: str, tainted: bool) -> None:
    result = run(worker, body, 30.0 if "kept.add" in body else 1.0)
    assert (result.status, result.tainted) == (status, tainted)
    assert in_trace in result.trace
    assert run(worker, "").status == RunStatus.OK


def test_runaway_output_is_cut(worker: JavaWorker) -> None:
    result = run(worker, 'while (true) System.out.println("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa");')
    assert result.status == RunStatus.TIMEOUT
    assert len(result.stdout) < 1_100_000
    assert result.stdout.rstrip().endswith("more bytes]")


def test_child_processes_end_with_the_job(worker: JavaWorker) -> None:
    result = run(worker, 'System.out.println(new ProcessBuilder("sleep", "600").start().pid());')
    child = int(result.stdout.split()[-1])
    deadline = time.monotonic() + 5
    while Path(f"/proc/{child}").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not Path(f"/proc/{child}").exists()


def test_surroundings_are_put_back(worker: JavaWorker) -> None:
    run(
        worker,
        'TimeZone.setDefault(TimeZone.getTimeZone("Asia/Tokyo")); Locale.setDefault(Locale.JAPAN);'
        'System.setProperty("mine", "1"); System.setOut(null);',
    )
    seen = run(
        worker,
        'System.out.println(TimeZone.getDefault().getID() + Locale.getDefault() + System.getProperty("mine"));'
        "System.out.println(System.getenv().keySet());",
    )
    lines = seen.stdout.splitlines()
    assert lines[1] == "UTCnull"
    assert set(lines[2].strip("[]").split(", ")) <= {"PATH", "TZ", "LANG"}


def test_compile_errors_name_file_line_and_column(worker: JavaWorker) -> None:
    files = main_of("int x = args;\n        missing();")
    files["src/main/java/a/Other.java"] = "package a;\nclass Other { String s() { return 1; } }\n"
    result = worker.run(files, "a.Main")
    assert result.status == RunStatus.COMPILE_ERROR
    places = [(problem.file, problem.line, problem.column) for problem in result.diagnostics]
    assert places == [
        ("src/main/java/a/Main.java", 6, 17),
        ("src/main/java/a/Main.java", 7, 9),
        ("src/main/java/a/Other.java", 2, 35),
    ]
    assert "missing()" in result.diagnostics[1].message


def test_a_syntax_error_does_not_hide_other_files(worker: JavaWorker) -> None:
    files = main_of("int x = 1")
    files["src/main/java/a/Other.java"] = "package a;\nclass Other { String s() { return 1; } }\n"
    problems = worker.run(files, "a.Main").diagnostics
    assert {problem.file.rpartition("/")[2] for problem in problems} == {"Main.java", "Other.java"}


def test_release_sets_the_language(worker: JavaWorker) -> None:
    files = {
        "a/Main.java": "package a; record P(int x) {} public class Main { int f(Object o) { return switch (o) "
        "{ case P(int x) -> x; default -> 0; }; } public static void main(String[] a) {} }"
    }
    assert worker.run(files, "a.Main", release=25).status == RunStatus.OK
    assert worker.run(files, "a.Main", release=17).status == RunStatus.COMPILE_ERROR


def test_bundles_leave_memory(worker: JavaWorker) -> None:
    for _ in range(5):
        run(worker, "System.gc();")
    assert run(worker, "").loaders <= 4


def test_callers_may_share_a_worker(worker: JavaWorker) -> None:
    with ThreadPoolExecutor(4) as pool:
        outputs = list(pool.map(lambda i: run(worker, f"System.out.print({i});").stdout, range(12)))
    assert outputs == [f"before\n{i}" for i in range(12)]


@pytest.mark.usefixtures("toolchain")
def test_the_jvm_ends_with_its_parent(tmp_path: Path) -> None:
    """Even when Python is killed in the middle of a job."""
    script = textwrap.dedent(
        f"""
        import sys
        from uom.run.java.worker import JavaWorker
        from uom.run.toolchain import locate
        worker = JavaWorker(locate())
        body = 'System.out.flush(); new java.io.File("{tmp_path}/pid-" + ProcessHandle.current().pid()).createNewFile();'
        source = 'package a; public class Main {{ public static void main(String[] a) throws Exception {{ '
        worker.run({{"a/Main.java": source + body + ' while (true); }} }}'}}, "a.Main", limit_seconds=600)
        """
    )
    parent = subprocess.Popen([sys.executable, "-c", script])
    deadline = time.monotonic() + 20
    while not (found := list(tmp_path.glob("pid-*"))) and time.monotonic() < deadline:
        time.sleep(0.05)
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    child = int(found[0].name.removeprefix("pid-"))
    while time.monotonic() < deadline:
        try:
            os.kill(child, 0)
        except ProcessLookupError:
            return
        time.sleep(0.05)
    pytest.fail(f"the JVM {child} is still there")


def test_stop_from_another_thread_ends_the_job(toolchain: Toolchain) -> None:
    worker = JavaWorker(toolchain)
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(run, worker, "while (true);", 300.0)
        time.sleep(1.5)
        worker.stop()
        assert future.result(10).status == RunStatus.CRASHED
