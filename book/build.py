"""Makes the book: a website from docs/ and from pages that the program writes about itself.

    python3 book/build.py TUSKER            everything, into target/book
    python3 book/build.py TUSKER --check    without the pictures, to check links and anchors

A broken link or anchor is an error.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import conf
import pages
from contrast import faint
from source import Source, landing, navigation, parts

ROOT = Path(__file__).resolve().parent.parent


# a link to a page of the book whose text is the name of a file
FILE_LINK = re.compile(r'<a class="reference internal"[^>]*>(?:<[^>]*>)*([\w./-]+\.md)(?:</[^>]*>)*</a>')


def links_named_after_files(book: Path) -> list[str]:
    """Links by the name of a file, which tells a reader of the book nothing."""
    return [
        f"{page.relative_to(book)}: the text of a link is {name}, and should be the page's title"
        for page in sorted(book.glob("**/*.html"))
        for name in FILE_LINK.findall(page.read_text(encoding="utf-8"))
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tusker", type=Path, help="the program")
    parser.add_argument("--check", action="store_true", help="leave out the pictures")
    args = parser.parse_args()
    too_faint = [*faint(conf.pygments_style), *faint(conf.pygments_dark_style)]
    if too_faint:
        print("\n".join([*too_faint, "choose another style in book/conf.py"]), file=sys.stderr)
        return 1
    tusker = args.tusker.resolve()
    target = ROOT / "target"
    source = Source(ROOT, target / "book-source")
    index = (ROOT / "docs/README.md").read_text(encoding="utf-8")
    chapters = parts(index)
    listed = {Path(os.path.normpath(Path("docs") / page)) for pages in chapters.values() for page in pages}
    source.take(Path("docs/README.md"), listed | {Path("docs/README.md")})
    for page in sorted(ROOT.glob("docs/**/*.md")):
        source.take(page.relative_to(ROOT), listed)
    runs = None if args.check else target / "book-runs"
    made = [pages.sheets_of(tusker, kind, source, runs) for kind in pages.ABOUT]
    made.append(pages.commands(tusker, source))
    chapters.setdefault("Reference", []).extend(f"/{page}" for page in made)
    source.write("index.md", source.page(landing((ROOT / "README.md").read_text(encoding="utf-8"), index), listed))
    with (source.folder / "docs/README.md").open("a", encoding="utf-8") as out:
        out.write(navigation(chapters))
    book = target / ("book-check" if args.check else "book")
    if not args.check:
        # beside the documents, from target/page
        with (source.folder / "docs/live.md").open("a", encoding="utf-8") as out:
            out.write('\n<p><a href="../live/index.html">Open the live page</a></p>\n')
        shutil.copytree(target / "page", book / "live", dirs_exist_ok=True)
    # -W: a warning is an error; -E, -a: nothing is reused from the last build
    sphinx = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-j", "auto", "-E", "-a"]
    command = [*sphinx, "-b", "html", "-c", str(ROOT / "book"), "-d", str(target / "book-doctrees")]
    done = subprocess.run([*command, str(source.folder), str(book)], check=False)
    if done.returncode == 0:
        files = links_named_after_files(book)
        if files:
            print("\n".join(files), file=sys.stderr)
            return 1
        print(f"the book: {(book / 'index.html').relative_to(ROOT)}", file=sys.stderr)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
