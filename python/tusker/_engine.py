"""Where the runs of a sweep are executed: in this process, or on a cluster."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import Literal, TypeAlias

from ._errors import InputError
from ._options import mapping

Engine: TypeAlias = Literal["ray"]


def cluster(
    engine: str | None, address: str | None, options: Mapping[str, object] | None, written: object
) -> tuple[str | None, tuple[str, str] | None]:
    """The value of `--ray`, and the connection to the cluster."""
    if engine is None:
        for name, value in (("address", address), ("storage_options", options)):
            if value is not None:
                raise InputError(f'{name} is for runs on a cluster; also set engine="ray"')
        return None, None
    if engine != "ray":
        raise InputError(f'there is no engine {engine!r}; use "ray"')
    if written:
        raise InputError("laws and queues written in Python only run in this process; leave out engine")
    try:
        said = json.dumps(dict(mapping("storage_options", options)))
    except TypeError as error:
        raise InputError(f"storage_options are sent to other machines as JSON: {error}") from None
    return address or _reached() or "auto", (sys.executable, said)


def _reached() -> str | None:
    """The cluster to which this process is already connected."""
    ray = sys.modules.get("ray")
    if ray is None or not ray.is_initialized():
        return None
    return str(ray.get_runtime_context().gcs_address)
