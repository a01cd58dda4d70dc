"""The page of results: the machine, the versions and the tables."""

import datetime
import os
import platform
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from measuring import ROOT

PAGE = ROOT / "docs" / "performance.md"
BEGIN, END = "<!-- bench: begin -->", "<!-- bench: end -->"


@dataclass
class Section:
    """One table."""

    title: str
    head: tuple[str, ...]
    rows: list[tuple[str, ...]]


def first_line(command):
    try:
        return subprocess.run(command, capture_output=True, text=True, cwd=ROOT).stdout.splitlines()[0].strip()
    except (OSError, IndexError):
        return "unknown"


def machine():
    model = "unknown CPU"
    try:
        found = re.search(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(), re.M)
        model = found.group(1) if found else platform.processor() or model
    except OSError:
        pass
    pages = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return f"{model}, {os.cpu_count()} cores, {pages / 2**30:.1f} GiB, Linux {platform.release()}, {platform.machine()}"


def versions(args):
    lines = [
        f"Tusker: {first_line([str(args.tusker), '--version'])}, "
        f"commit {first_line(['git', 'rev-parse', '--short=12', 'HEAD'])}",
        f"compiler: {first_line(['rustc', '--version'])}",
    ]
    if args.ns:
        package = first_line(["dpkg-query", "-W", "-f", "${Version}", "ns2"])
        lines.append(
            f"ns-2: Debian package {package}, scheduler {args.scheduler}, only the headers IP TCP Flags, no tracing"
        )
    if args.ns3:
        package = first_line(["dpkg-query", "-W", "-f", "${Version}", "libns3-dev"])
        lines.append(
            f"ns-3: Debian package {package}, as Debian builds it: optimised, no assertions, logging code "
            "compiled in but turned off; our program with `g++ -O2`"
        )
    return lines


def table(args, sections, failed):
    date = datetime.datetime.now(datetime.UTC).date()
    load = " at the beginning and ".join(f"{x:.1f}" for x in args.load)
    lines = [
        f"Measured on {date} with `{' '.join(['bench/bench.py', *sys.argv[1:]])}`, {args.repeat} rounds; medians, "
        "range of the rounds in brackets.",
        "",
        f"- {machine()}; load average {load} at the end (if nothing else were running: 0 and 1)",
        *(f"- {v}" for v in versions(args)),
    ]
    for section in sections:
        lines += ["", section.title, ""] if section.title else [""]
        lines += ["| " + " | ".join(section.head) + " |", "|---" * len(section.head) + "|"]
        lines += ["| " + " | ".join(row) + " |" for row in section.rows]
    lines += [f"\nNot measured: {name}." for name in failed]
    return "\n".join(lines) + "\n"


def write_page(text):
    page = PAGE.read_text() if PAGE.exists() else f"# Performance\n\n{BEGIN}\n{END}\n"
    if BEGIN not in page or END not in page:
        sys.exit(
            f"{PAGE.relative_to(ROOT)} has lost its markers: put back a line `{BEGIN}` and, below it, a line `{END}`"
        )
    head, rest = page.split(BEGIN, 1)
    _, tail = rest.split(END, 1)
    PAGE.write_text(f"{head}{BEGIN}\n\n{text}\n{END}{tail}")
