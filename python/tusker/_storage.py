"""Results in shared storage: a local folder, S3, or anything else that fsspec supports.

A sweep has one object per run, named by the run's key, with the lines that a sweep's
folder has for it. It is written atomically, and two writers write the same bytes, so each
run exists once, whichever process did it and however often.

A reproduction has the same files there as in its local folder (`Mirror`).
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import uuid
from pathlib import Path
from typing import Any

import fsspec

NAME = re.compile(r"[0-9a-f]{32}\.jsonl")
PARTIAL = re.compile(r"\.([0-9a-f]{32}\.jsonl)\.[0-9a-f]{32}\.partial")
MANIFEST = "manifest.json"


class Storage:
    """A folder of fsspec: `s3://bucket/folder`, `file:///shared/folder`."""

    def __init__(self, url: str, options: dict[str, Any]) -> None:
        self.fs, root = fsspec.core.url_to_fs(url, **options)
        self.root = root.rstrip("/")
        self.local = "file" in self.fs.protocol

    def rows(self) -> list[str]:
        """All existing rows."""
        self.fs.invalidate_cache()
        try:
            paths = self.fs.ls(f"{self.root}/runs", detail=False)
        except FileNotFoundError:
            return []
        paths = sorted(path for path in paths if NAME.fullmatch(path.rsplit("/", 1)[-1]))
        found = self.fs.cat(paths) if paths else {}
        return [found[path].decode() for path in paths]

    def row(self, key: str) -> str | None:
        """The row of a run, if it exists."""
        try:
            text: bytes = self.fs.cat_file(f"{self.root}/runs/{key}.jsonl")
        except FileNotFoundError:
            return None
        return text.decode()

    def keep(self, key: str, text: str) -> None:
        """Stores a row."""
        self._whole(f"{self.root}/runs/{key}.jsonl", text.encode())

    def put(self, name: str, path: str) -> None:
        """Stores a file next to the runs."""
        with open(path, "rb") as file:
            self._whole(f"{self.root}/{name}", file.read())

    def _whole(self, path: str, content: bytes) -> None:
        """Atomically: an object store shows an object only when it is complete, and in a
        folder the file is renamed at the end."""
        if not self.local:
            self.fs.pipe_file(path, content)
            return
        folder, name = os.path.split(path)
        os.makedirs(folder, exist_ok=True)
        partial = f"{folder}/.{name}.{uuid.uuid4().hex}.partial"
        with open(partial, "wb") as file:
            file.write(content)
        try:
            os.replace(partial, path)
        except FileNotFoundError:
            # deleted, because another writer has stored it
            if not os.path.exists(path):
                raise

    def clear(self) -> None:
        """Removes files of writers that were killed, if the row exists."""
        folder = f"{self.root}/runs"
        for name in os.listdir(folder) if self.local and os.path.isdir(folder) else ():
            left = PARTIAL.fullmatch(name)
            if left is not None and os.path.exists(f"{folder}/{left[1]}"):
                with contextlib.suppress(FileNotFoundError):
                    os.remove(f"{folder}/{name}")


class Mirror(Storage):
    """A copy in shared storage of a local folder that one command writes.

    A manifest lists the files of a results folder, so it is written after them, and a
    folder without one counts as missing. Each file is written once, unless it changes."""

    def __init__(self, url: str, options: dict[str, Any], folder: str) -> None:
        super().__init__(url, options)
        self.folder = Path(folder)
        self.there: dict[str, bytes] = {}

    def pull(self) -> None:
        """Copies the existing files into the folder."""
        self.fs.invalidate_cache()
        try:
            paths = self.fs.find(self.root)
        except FileNotFoundError:
            return
        names = {path.removeprefix(f"{self.root}/"): path for path in paths}
        for name, path in sorted(names.items()):
            results = _results(name)
            if _hidden(name) or results and f"{results}/{MANIFEST}" not in names:
                continue
            content = self.fs.cat_file(path)
            own = self.folder / name
            own.parent.mkdir(parents=True, exist_ok=True)
            own.write_bytes(content)
            self.there[name] = _digest(content)

    def push(self, under: str) -> None:
        """Puts what is in a folder within it, or in all of it, and is not there so."""
        # what a manifest names by now is in the folder already
        last = {path: path.read_bytes() for path in Path(under).rglob(MANIFEST)}
        files = [path for path in Path(under).rglob("*") if path.is_file() and path.name != MANIFEST]
        here = set()
        for path in [*sorted(files), *sorted(last)]:
            name = path.relative_to(self.folder).as_posix()
            if _hidden(name):
                continue
            here.add(name)
            content = last[path] if path in last else path.read_bytes()
            if self.there.get(name) != _digest(content):
                self._whole(f"{self.root}/{name}", content)
                self.there[name] = _digest(content)
        within = Path(under).relative_to(self.folder).as_posix()
        for name in [name for name in self.there if within == "." or name.startswith(f"{within}/")]:
            if name not in here:
                # results that were run anew
                self.fs.rm_file(f"{self.root}/{name}")
                del self.there[name]


def _hidden(name: str) -> bool:
    """A lock, or something that is not whole."""
    return any(part.startswith(".") for part in name.split("/"))


def _results(name: str) -> str | None:
    """The folder of results that a file is in, if it is in one: `rows/case-1-at-2-..`."""
    parts = name.split("/")
    for at, part in enumerate(parts):
        if part in ("rows", "figures") and len(parts) > at + 2:
            return "/".join(parts[: at + 2])
    return None


def _digest(content: bytes) -> bytes:
    return hashlib.sha256(content).digest()
