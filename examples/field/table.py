#!/usr/bin/env python3
"""Run the scenarios of this folder, and print published figures beside ours as a table.

python3 examples/field/table.py [PROGRAM] > table.md
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent


def head(text: str) -> dict[str, str]:
    """Values of the comments at the top of a file."""
    lines = (line[2:].split(": ", 1) for line in text.splitlines() if line.startswith("# "))
    return {pair[0]: pair[1] for pair in lines if len(pair) == 2}


def ours(program: str, file: Path, measure: str) -> str:
    """What the scenario comes to, in the unit of its measure."""
    words = [program, "run", str(file), "--no-save", "--quiet", "--format", "json"]
    done = subprocess.run(words, capture_output=True, text=True, check=True)  # noqa: S603
    value = json.loads(done.stdout)["groups"][0][measure]["mean"]
    return f"{value * 1e3:.0f} ms" if measure.endswith("_s") else f"{value / 1e6:.2f} Mbit/s"


def says(program: str, options: dict[str, str]) -> str:
    """The first line of a diagnosis."""
    words = [word for key, value in options.items() for word in (f"--{key}", value)]
    done = subprocess.run([program, "diagnose", *words], capture_output=True, text=True, check=True)  # noqa: S603
    return done.stdout.splitlines()[0]


def main() -> None:
    program = sys.argv[1] if len(sys.argv) > 1 else "tusker"
    print("| scenario | published | ours |\n|---|---|---|")
    for file in sorted(HERE.glob("*.toml")):
        own = head(file.read_text())
        link = f"[{file.stem}](../examples/field/{file.name})"
        published = f"{own['published']} ([source]({own['source'].split(' ')[0]}))"
        print(f"| {link} | {published} | {ours(program, file, own['measure'])} |")
    print("\n| case | published cause | `tusker diagnose` says |\n|---|---|---|")
    for case in json.loads((HERE / "diagnose.json").read_text()):
        published = f"{case['published']} ([source]({case['source']}))"
        print(f"| {case['name']} | {published} | {says(program, case['options'])} |")


main()
