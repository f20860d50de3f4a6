"""`python -m tests.reference.record`: asks .NET what it computes of random numbers and edges, and writes `facts.txt`.

Needs `dotnet` on PATH.
"""

from __future__ import annotations

import random
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

HERE = Path(__file__).parent
PROJECT = """<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup><OutputType>Exe</OutputType><Nullable>enable</Nullable>
<TargetFramework>net10.0</TargetFramework><ImplicitUsings>enable</ImplicitUsings></PropertyGroup></Project>"""
EDGES = {
    "decimal": ["0", "1", "3", "7", "0.5", "-2.5", "79228162514264337593543950335", "79228162514264337593543950334",
                "-79228162514264337593543950335", "0.0000000000000000000000000001", "9.999999999999999999999999999",
                "7.9228162514264337593543950335", "100.00"],
    "double": ["0", "-0.5", "0.5", "1.5", "2.5", "-2.5", "1.355", "1.005", "2.675", "-1.355", "2147483647.5", "-2147483648.9",
               "4294967296", "1E+19", "-1E+19", "1E+300", "NaN", "Infinity", "-Infinity", "4503599627370497.5",
               "9999999999999998", "1E+16", "7.9E+28", "8E+28"],
    "int": ["0", "1", "-1", "7", "-7", "2147483647", "-2147483648", "65536", "1000000007"],
    "long": ["0", "1", "-1", "7", "2147483648", "9223372036854775807", "-9223372036854775808", "4294967297", "-300"],
}  # fmt: skip


def decimal(chance: random.Random) -> str:
    mantissa = chance.randrange(2 ** chance.choice([8, 31, 33, 64, 65, 90, 95, 96]))
    sign = chance.randrange(2) if mantissa else 0
    return format(Decimal((sign, tuple(map(int, str(mantissa))), -chance.choice([0, 0, 1, 2, 4, 8, 20, 28]))), "f")


def double(chance: random.Random) -> str:
    return repr(
        chance.choice(
            [
                (chance.randrange(-(10**6), 10**6) * 10 + 5) / 10 ** chance.randrange(1, 8),
                chance.uniform(-1000, 1000),
                chance.randrange(-(10**5), 10**5) / 2 ** chance.randrange(8),
                chance.uniform(-1, 1) * 10 ** chance.randrange(20),
            ]
        )
    ).replace("e", "E")


def number(chance: random.Random, kind: str) -> str:
    """One of a kind; every third is an edge."""
    if chance.randrange(3) == 0:
        return chance.choice(EDGES[kind])
    made = {"decimal": decimal, "double": double}.get(kind)
    bits = 32 if kind == "int" else 64
    return made(chance) if made is not None else str(chance.randrange(-(2 ** (bits - 1)), 2 ** (bits - 1)))


def questions() -> Iterator[str]:
    chance = random.Random(7)
    for kind, signs in (("decimal", "+-*/%"), ("int", "+-*/%"), ("long", "+-*/%"), ("checkedint", "+-*")):
        operand = kind.removeprefix("checked")
        for sign in signs:
            for _ in range(60 if kind == "decimal" else 20):
                yield f"{kind}{sign} {number(chance, operand)} {number(chance, operand)}"
    for _ in range(200):
        yield f"round {number(chance, 'double')} {chance.choice([0, 1, 2, 2, 3, 4, 8, 15])}"
    for _ in range(60):
        yield f"rounddecimal {number(chance, 'decimal')} {chance.choice([0, 1, 2, 2, 4, 28])}"
    for function in ("floor", "ceiling", "truncate", "double>int", "double>long", "double>uint", "double>ulong",
                     "double>byte", "double>short", "checkeddouble>int", "double>decimal", "float>decimal"):  # fmt: skip
        for value in [*EDGES["double"], *(double(chance) for _ in range(16))]:
            yield f"{function} {value}"
    for function in ("long>int", "long>short", "long>byte", "long>uint", "checkedlong>int"):
        for value in [*EDGES["long"], *(number(chance, "long") for _ in range(6))]:
            yield f"{function} {value}"
    for function in ("decimal>int", "decimal>long"):
        for value in [*EDGES["decimal"], *(decimal(chance) for _ in range(12))]:
            yield f"{function} {value}"


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "Numbers.csproj").write_text(PROJECT)
        shutil.copy(HERE / "Numbers.cs", folder)
        subprocess.run(
            ["dotnet", "build", "-c", "Release", "-o", "out"], cwd=folder, check=True, stdout=subprocess.DEVNULL
        )
        asked = "\n".join(questions()) + "\n"
        run = subprocess.run(
            ["dotnet", "out/Numbers.dll"], cwd=folder, input=asked, text=True, capture_output=True, check=True
        )
    (HERE / "facts.txt").write_text(run.stdout, encoding="utf-8")


if __name__ == "__main__":
    main()
