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
    folder without one counts as missing. So do the files beside the rows, which are made
    again: their manifest goes before they change. Each file is written once, unless it
    changes."""

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
            if _hidden(name) or _manifest(name) not in names:
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
        for manifest in {_manifest(self._name(path)) for path in files if self._has_changed(path)}:
            if self.there.pop(manifest, None) is not None:
                self.fs.rm_file(f"{self.root}/{manifest}")
        here = set()
        for path in [*sorted(files), *sorted(last)]:
            name = self._name(path)
            if _hidden(name):
                continue
            here.add(name)
            content = last[path] if path in last else path.read_bytes()
            if self.there.get(name) != _digest(content):
                self._whole(f"{self.root}/{name}", content)
                self.there[name] = _digest(content)
        within = self._name(Path(under))
        for name in [name for name in self.there if within == "." or name.startswith(f"{within}/")]:
            if name not in here:
                # results that were run anew
                self.fs.rm_file(f"{self.root}/{name}")
                del self.there[name]

    def _name(self, path: Path) -> str:
        return path.relative_to(self.folder).as_posix()

    def _has_changed(self, path: Path) -> bool:
        """Whether a file is there with another content."""
        there = self.there.get(self._name(path))
        return there is not None and there != _digest(path.read_bytes())


def _hidden(name: str) -> bool:
    """A lock, or something that is not whole."""
    return any(part.startswith(".") for part in name.split("/"))


def _manifest(name: str) -> str:
    """The manifest that lists a file: of the row that it is in (`rows/case-1-at-2-..`), or of
    the folder that has the rows."""
    parts = name.split("/")
    for at, part in enumerate(parts):
        if part in ("rows", "figures"):
            end = at + 2 if len(parts) > at + 2 else at
            return "/".join([*parts[:end], MANIFEST])
    return "/".join([*parts[:-1], MANIFEST])


def _digest(content: bytes) -> bytes:
    return hashlib.sha256(content).digest()
