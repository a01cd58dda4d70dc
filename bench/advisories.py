#!/usr/bin/env python3
"""Rewrites crates/tusker/tests/advisories.toml: what the RustSec advisory
database says about the crates in our lock files.

    bench/advisories.py DATABASE

DATABASE is a clone of https://github.com/RustSec/advisory-db, bare or not. Only
facts are taken: which versions of which crate are affected, and the kind of each
advisory. All crates that were looked up are listed, with or without an advisory.
"""

import json
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOCKS = [
    "Cargo.lock",
    "crates/tusker-core/bare/Cargo.lock",
    "crates/tusker-page/texts/Cargo.lock",
]
OUT = ROOT / "crates/tusker/tests/advisories.toml"

HEAD = """\
# What the RustSec advisory database says of the crates in our lock files: facts
# only, none of its texts, which are in the public domain (CC0-1.0) or, where they
# come from GitHub's database, under CC-BY-4.0. A version is concerned if it is
# neither patched nor unaffected. Made by `make advisories`; the test that reads
# it is advisories.rs.
"""


def git(database, *args):
    return subprocess.run(["git", "-C", database, *args], check=True, capture_output=True, text=True).stdout


def crates():
    """Names in the lock files that come from a registry."""
    names = set()
    for lock in LOCKS:
        packages = tomllib.loads((ROOT / lock).read_text())["package"]
        names |= {package["name"] for package in packages if "source" in package}
    return sorted(names)


def advisory(text, path):
    """The facts of one file of the database; None if it was withdrawn."""
    begin, end = "```toml\n", "\n```"
    if not text.startswith(begin):
        sys.exit(f"{path} does not start with a TOML block: has the format of the database changed?")
    data = tomllib.loads(text[len(begin) : text.index(end)])
    head, versions = data["advisory"], data["versions"]
    if "withdrawn" in head:
        return None
    return {
        "id": head["id"],
        "crate": head["package"],
        "kind": head.get("informational", "vulnerability"),
        "patched": versions["patched"],
        "unaffected": versions.get("unaffected", []),
    }


def advisories(database, names):
    found = []
    for path in git(database, "ls-tree", "-r", "--name-only", "HEAD", "crates/").splitlines():
        if Path(path).parent.name in names and path.endswith(".md"):
            found.append(advisory(git(database, "show", f"HEAD:{path}"), path))
    if not found:
        sys.exit(f"{database} has none of our crates: is it the right database?")
    return sorted((one for one in found if one), key=lambda one: (one["crate"], one["id"]))


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    database = sys.argv[1]
    names = crates()
    commit, date = git(database, "log", "-1", "--format=%H %cs").split()
    lines = [HEAD]
    lines.append('source = "https://github.com/RustSec/advisory-db"')
    lines.append(f'commit = "{commit}"')
    lines.append(f'date = "{date}"')
    lines.append("looked_up = [")
    lines += [f"    {json.dumps(name)}," for name in names]
    lines.append("]")
    for one in advisories(database, names):
        lines += ["", "[[advisory]]"]
        # strings and lists of strings look the same in JSON and TOML
        lines += [f"{key} = {json.dumps(value)}" for key, value in one.items()]
    OUT.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
