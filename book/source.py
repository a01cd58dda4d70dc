"""Collects the input of the book: the documents, and everything that they link to.

Files keep their places, so a link that works on GitHub also works in the book.
The list in docs/README.md is the navigation; its sections are the book's parts.
"""

import re
import shutil
from pathlib import Path

FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(!?\[[^\]]*\]\()([^)\s]+)(\))")
TITLE = re.compile(r"^# +(.+?) *$", re.MULTILINE)
IMAGE = re.compile(r"""(<img src=")([^"]+)(")""")
ORPHAN = "---\norphan: true\n---\n\n"


def outside_code(text: str, change) -> str:
    """Applies `change` to everything that is not in a code block."""
    parts, at = [], 0
    for fence in FENCE.finditer(text):
        parts += [change(text[at : fence.start()]), fence.group()]
        at = fence.end()
    return "".join([*parts, change(text[at:])])


class Source:
    """A folder for Sphinx, filled from the repository at `root`."""

    def __init__(self, root: Path, folder: Path) -> None:
        self.root, self.folder = root.resolve(), folder
        self.seen: set[Path] = set()
        shutil.rmtree(folder, ignore_errors=True)

    def write(self, place: str, text: str) -> None:
        path = self.folder / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def take(self, place: Path, listed: set[Path]) -> None:
        """Adds a file and what it links to; `listed` are pages of the navigation."""
        if place in self.seen:
            return
        self.seen.add(place)
        if place.suffix != ".md":
            (self.folder / place).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(self.root / place, self.folder / place)
            return
        text = outside_code((self.root / place).read_text(encoding="utf-8"), lambda t: self._follow(t, place, listed))
        self.write(str(place), text if place in listed else ORPHAN + text)

    def _follow(self, text: str, page: Path, listed: set[Path]) -> str:
        def link(match: re.Match[str]) -> str:
            before, target, after = match.groups()
            path, mark, anchor = target.partition("#")
            if "://" in target or target.startswith("mailto:") or not path:
                return match.group()
            there = (self.root / page.parent / path).resolve()
            if not there.is_relative_to(self.root) or not there.exists():
                return match.group()  # Sphinx reports where it is, and fails
            place = there.relative_to(self.root)
            if there.is_dir():
                path = f"{path.rstrip('/')}/{self._folder(place, listed)}"
            else:
                self.take(place, listed)
            return f"{self._titled(before, place)}{path}{mark}{anchor}{after}"

        return IMAGE.sub(link, LINK.sub(link, text))

    def page(self, text: str, listed: set[Path]) -> str:
        """A page of the book's own at the root, with what it links to."""
        return ORPHAN + outside_code(text, lambda part: self._follow(part, Path("index.md"), listed))

    def _titled(self, before: str, place: Path) -> str:
        """The text of a link: the title of a page in the place of its file name or path."""
        if place.suffix == ".md" and re.fullmatch(rf"\[([\w.-]+/)*{re.escape(place.name)}\]\(", before):
            return f"[{title(self.root / place)}]("
        return before

    def _folder(self, place: Path, listed: set[Path]) -> str:
        """The target of a link to a folder: its own text, or a list of its files."""
        if (self.root / place / "README.md").exists():
            self.take(place / "README.md", listed)
            return "README.md"
        if place not in self.seen:
            self.seen.add(place)
            files = sorted(p for p in (self.root / place).iterdir() if p.is_file() and not p.name.startswith("."))
            for path in files:
                self.take(place / path.name, listed)
            texts = [title(path) if path.suffix == ".md" else path.name for path in files]
            names = "\n".join(f"- [{text}]({path.name})" for text, path in zip(texts, files, strict=True))
            self.write(str(place / "files.md"), f"{ORPHAN}# {place}\n\n{names}\n")
        return "files.md"


def title(page: Path) -> str:
    """The first heading of a page; its file name without one."""
    found = TITLE.search(FENCE.sub("", page.read_text(encoding="utf-8")))
    return found[1] if found else page.name


def landing(readme: str, index: str) -> str:
    """The book's first page: the beginning of README.md, and where to go from there."""
    begin = readme.partition("\n## ")[0]
    sections = re.split(r"^## ", index, flags=re.MULTILINE)[1:]
    wanted = [own for own in sections if own.partition("\n")[0].strip() in ("Start", "Guide", "How-to")]
    # README.md is the page itself
    lines = [
        line.replace("](", "](docs/", 1)
        for own in wanted
        for line in own.splitlines()
        if line.startswith("- [") and "](../README.md)" not in line
    ]
    pages = "\n".join(lines)
    more = "[All documents](docs/README.md): concepts, reference and evidence; [the tour](README.md)."
    return f"{begin.rstrip()}\n\n## Where to begin\n\n{pages}\n\n{more}\n"


def parts(index: str) -> dict[str, list[str]]:
    """The pages of each section of docs/README.md, in its order."""
    found: dict[str, list[str]] = {}
    for section in re.split(r"^## ", index, flags=re.MULTILINE)[1:]:
        head, _, body = section.partition("\n")
        found[head.strip()] = re.findall(r"^- \[[^\]]*\]\(([^)#]+)\)", body, flags=re.MULTILINE)
    return found


def navigation(chapters: dict[str, list[str]]) -> str:
    """The book's table of contents, which Sphinx shows beside every page."""
    lines = []
    for part, pages in chapters.items():
        lines += ["", "```{toctree}", ":hidden:", f":caption: {part}", "", *pages, "```"]
    return "\n".join(lines) + "\n"
