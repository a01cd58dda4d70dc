"""Pages that the program writes about itself: one for each congestion control, queue
policy and command. Their content comes from `tusker list --format json` and `--help`.
"""

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pictures
from pictures import Picture
from source import Source

Sheet = dict[str, Any]

ABOUT = {
    "cc": (
        "Congestion controls",
        "laws",
        "Each page says what the law does, where it comes from and where it differs from its source, and shows"
        " it at work on the same path for all: 50 Mbit/s, a round trip of 40 ms, a buffer of"
        " one bandwidth-delay product, two flows, of which one starts 20 s after the other.",
    ),
    "queue": (
        "Queue policies",
        "queues",
        "Each page says what the policy does with a packet, where it comes from and where it differs from its"
        " source, and shows its queue on the same path for all: 50 Mbit/s, a round trip of 40 ms,"
        " a limit of two bandwidth-delay products, two flows of CUBIC unless the policy is designed for others.",
    ),
}

# what a reader should know before the pictures
NOTES = {
    "swift": "It is designed for data centres with round trips of microseconds, not for this path.",
}


def asked(tusker: Path, *args: str) -> str:
    done = subprocess.run([str(tusker), *args], capture_output=True, text=True, check=True, timeout=60)
    return done.stdout


def plain(text: str) -> str:
    """Escapes text for Markdown."""
    return re.sub(r"([\\`*_\[\]<>|~$&#])", r"\\\1", text)


def slug(name: str) -> str:
    return name.replace("+", "p").replace("_", "-")


def number(value: float) -> str:
    return f"{value:,.4g}" if abs(value) < 1e4 else f"{value:,.0f}"


def block(text: str, language: str = "text") -> str:
    return f"```{language}\n{text.rstrip()}\n```\n"


def parameters(sheet: Sheet) -> str:
    if not sheet["parameters"]:
        return "None.\n"
    rows = ["| name | default | range | unit | meaning |", "|---|--:|---|---|---|"]
    for p in sheet["parameters"]:
        spans = f"{p['min']:g} to {p['max']:g}"
        rows.append(f"| `{p['name']}` | {p['default']:g} | {spans} | {plain(p['unit'])} | {plain(p['about'])} |")
    return "\n".join(rows) + "\n"


def response(sheet: Sheet, picture: Picture | None) -> list[str]:
    """The rate against losses: according to its source, and as simulated."""
    form = sheet.get("response")
    if not form and not picture:
        return []
    parts = ["## Rate under packet loss", ""]
    if form:
        rtt = form["rtt_s"]
        rows = ["| share lost | mean window (segments) | rate |", "|--:|--:|--:|"]
        for point in form["points"]:
            window = point["window_segments"]
            rate = number(window * 1500 * 8 / rtt / 1e6)
            rows.append(f"| {point['loss']:g} | {number(window)} | {rate} Mbit/s |")
        parts += [
            f"The response function, for one flow with a round trip of {rtt * 1000:g} ms and packets of 1500 bytes"
            " that are lost at random, on a path that does not limit it otherwise:",
            "",
            *rows,
            "",
        ]
    else:
        parts += ["There is no closed form for it here.", ""]
    if picture:
        beside = "" if sheet["name"] in ("reno", *pictures.QUEUE_OF) else ", beside Reno"
        name = f"{slug(sheet['name'])}-lossy.svg"
        parts += [
            f"Simulated at 50 Mbit/s and 100 ms, three runs of 100 s for each point{beside}. Bands: 95 % confidence.",
            "",
            f"![Goodput of {sheet['name']} against the share of packets lost]({name})",
            "",
            "How this picture was made:",
            "",
            picture.shown().replace("at-work.toml", "lossy.toml"),
        ]
    return parts


def page(sheet: Sheet, kind: str, work: Picture | None, lossy: Picture | None) -> str:
    name = sheet["name"]
    title = sheet["title"]
    parts = [f"# {name}: {plain(title)}", "", f"Source: {plain(sheet['source'])}", ""]
    if name in NOTES:
        parts += [NOTES[name], ""]
    parts += ["## Rules", "", block(sheet["rules"])]
    parts += ["## Parameters", "", parameters(sheet)]
    parts += ["In a scenario:", "", block(sheet["example"], "toml")]
    if sheet["needs"]:
        parts += ["It needs:", "", *(f"- {plain(need)}" for need in sheet["needs"]), ""]
    parts += response(sheet, lossy)
    if work:
        what = "Goodput, window, round trip and queue" if kind == "cc" else "The queue"
        parts += [
            "## At work",
            "",
            f"{what} over time. The second flow starts after 20 s:",
            "",
            f"![{what} with {name} over time]({slug(name)}.svg)",
            "",
            "The second half in numbers:",
            "",
            block(work.printed),
            "How this picture was made:",
            "",
            work.shown(),
        ]
    if sheet["differs"]:
        lines = sheet["differs"].removeprefix("- ").replace("\n- ", "\n").splitlines()
        parts += ["## Where it differs from its source", "", *(f"- {plain(line.strip())}" for line in lines), ""]
    parts += ["## The same on the command line", "", block(f"tusker explain {name}", "sh")]
    return "\n".join(parts)


def by_family(sheets: list[Sheet]) -> dict[str, list[Sheet]]:
    """The sheets of each family, in the order of the program's list."""
    families: dict[str, list[Sheet]] = {}
    for sheet in sheets:
        families.setdefault(sheet["family"], []).append(sheet)
    return families


def index(title: str, about: str, sheets: list[Sheet]) -> str:
    families = by_family(sheets)
    parts = [f"# {title}", "", about, ""]
    for family, own in families.items():
        parts += [f"## {family}", ""]
        parts += [f"- [{sheet['name']}]({slug(sheet['name'])}.md): {plain(sheet['title'])}" for sheet in own]
        parts.append("")
    pages = [slug(sheet["name"]) for own in families.values() for sheet in own]
    return "\n".join([*parts, "```{toctree}", ":hidden:", "", *pages, "```", ""])


def sheets_of(tusker: Path, kind: str, source: Source, runs: Path | None) -> str:
    """Writes all pages of a kind; with pictures if there is a folder for their runs."""
    title, folder, about = ABOUT[kind]
    sheets = {sheet["name"]: sheet for sheet in json.loads(asked(tusker, "list", kind, "--format", "json"))}
    work = {name: pictures.at_work(kind, name) for name in sheets} if runs else {}
    lossy = {name: pictures.over_losses(name) for name in sheets} if runs and kind == "cc" else {}
    if runs:
        pictures.make_all([*lossy.values(), *work.values()], tusker, runs)
    for name, sheet in sheets.items():
        source.write(f"{folder}/{slug(name)}.md", page(sheet, kind, work.get(name), lossy.get(name)))
        for made, file in ((work.get(name), slug(name)), (lossy.get(name), f"{slug(name)}-lossy")):
            if made and runs:
                drawn = runs / made.place / made.commands[-1][-1]
                source.write(f"{folder}/{file}.svg", drawn.read_text(encoding="utf-8"))
    source.write(f"{folder}/index.md", index(title, about, list(sheets.values())))
    return f"{folder}/index"


def commands(tusker: Path, source: Source) -> str:
    """A page for each command: its --help."""
    overview = asked(tusker, "--help")
    listed = re.search(r"^Commands:\n((?:  .*\n)+)", overview, re.MULTILINE)
    if listed is None:
        raise RuntimeError("`tusker --help` lists no commands")
    found = re.findall(r"^  (\S+) +(.*)$", listed.group(1), re.MULTILINE)
    found = [(name, about) for name, about in found if name != "help"]
    lines = ["# Commands", "", "What `tusker COMMAND --help` prints.", ""]
    for name, about in found:
        lines.append(f"- [{name}]({name}.md): {plain(about)}")
        help_ = asked(tusker, "help", name)
        source.write(f"commands/{name}.md", f"# tusker {name}\n\n{block(help_)}")
    names = [name for name, _ in found]
    lines += ["", block(overview), "```{toctree}", ":hidden:", "", *names, "```", ""]
    source.write("commands/index.md", "\n".join(lines))
    return "commands/index"
