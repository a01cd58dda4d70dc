"""`tusker evaluate FILE.py:CLASS`: what the program `tusker` has Python do for it."""

from __future__ import annotations

import importlib.util
import json
import os
import sys
from typing import Any

import tusker


def load(file: str, name: str) -> Any:
    """A class of a file, which may import others of its folder."""
    path = os.path.abspath(file)
    spec = importlib.util.spec_from_file_location(os.path.splitext(os.path.basename(path))[0], path)
    if spec is None or spec.loader is None or not os.path.isfile(path):
        raise tusker.InputError(f"{file}: there is no such file of Python")
    sys.path.append(os.path.dirname(path))
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    made = getattr(module, name, None)
    if not callable(made):
        raise tusker.InputError(f"{file}: there is no class `{name}`")
    return made


def main(kind: str, file: str, name: str, options: str) -> int:
    """Evaluates it; results go into the folder `out` of the options."""
    try:
        tusker.evaluate(**{kind: load(file, name)}, **json.loads(options))
    except tusker.InputError as error:
        print(error, file=sys.stderr)
        return 2
    except tusker.Error as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
