"""Finished runs in shared storage: a local folder, S3, or what else fsspec reaches.

An object per run, named by the run's key, with the lines that a folder of a sweep has
for it. It is put in one piece, and two who put it write the same bytes: so each is
there once, whoever did the run, and however often.
"""

from __future__ import annotations

import contextlib
import os
import re
import uuid
from typing import Any

import fsspec

NAME = re.compile(r"[0-9a-f]{32}\.jsonl")
PARTIAL = re.compile(r"\.([0-9a-f]{32}\.jsonl)\.[0-9a-f]{32}\.partial")


class Storage:
    """A folder of fsspec: `s3://bucket/folder`, `file:///shared/folder`."""

    def __init__(self, url: str, options: dict[str, Any]) -> None:
        self.fs, root = fsspec.core.url_to_fs(url, **options)
        self.root = root.rstrip("/")
        self.local = "file" in self.fs.protocol
        if self.local:
            os.makedirs(f"{self.root}/runs", exist_ok=True)

    def rows(self) -> list[str]:
        """All rows that are there."""
        self.fs.invalidate_cache()
        try:
            paths = self.fs.ls(f"{self.root}/runs", detail=False)
        except FileNotFoundError:
            return []
        paths = sorted(path for path in paths if NAME.fullmatch(path.rsplit("/", 1)[-1]))
        found = self.fs.cat(paths) if paths else {}
        return [found[path].decode() for path in paths]

    def row(self, key: str) -> str | None:
        """The row of a run, if it is there."""
        try:
            text: bytes = self.fs.cat_file(f"{self.root}/runs/{key}.jsonl")
        except FileNotFoundError:
            return None
        return text.decode()

    def keep(self, key: str, text: str) -> None:
        """Keeps a row."""
        self._whole(f"{self.root}/runs/{key}.jsonl", text.encode())

    def put(self, name: str, path: str) -> None:
        """Puts a file beside the runs."""
        with open(path, "rb") as file:
            self._whole(f"{self.root}/{name}", file.read())

    def _whole(self, path: str, content: bytes) -> None:
        """In one piece: an object store shows an object when it is whole, and a folder
        does so after its name was changed."""
        if not self.local:
            self.fs.pipe_file(path, content)
            return
        folder, name = os.path.split(path)
        partial = f"{folder}/.{name}.{uuid.uuid4().hex}.partial"
        with open(partial, "wb") as file:
            file.write(content)
        try:
            os.replace(partial, path)
        except FileNotFoundError:
            # cleared away, because another one has put it
            if not os.path.exists(path):
                raise

    def clear(self) -> None:
        """Removes what was left by who was ended while writing a row that is there."""
        for name in os.listdir(f"{self.root}/runs") if self.local else ():
            left = PARTIAL.fullmatch(name)
            if left is not None and os.path.exists(f"{self.root}/runs/{left[1]}"):
                with contextlib.suppress(FileNotFoundError):
                    os.remove(f"{self.root}/runs/{name}")
