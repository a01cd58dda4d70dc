"""What distinguishes code from other code: a digest of everything that it can reach."""

from __future__ import annotations

import builtins
import copyreg
import dis
import functools
import hashlib
import importlib
import importlib.metadata
import struct
import sys
import sysconfig
import types
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, cast

from ._tusker import Verdict

OUTSIDE = frozenset(
    "_io _socket _thread _time asyncio concurrent contextvars ctypes datetime fcntl fileinput gc glob http importlib "
    "inspect io locale mmap multiprocessing nt ntpath os pathlib pickle platform posix posixpath pty resource runpy "
    "secrets select shelve shutil signal socket sqlite3 ssl subprocess sys tempfile threading time traceback "
    "tracemalloc urllib uuid weakref zipfile".split()
)
"""Modules of Python whose answers do not depend on the code alone."""

HIDES = frozenset("__import__ breakpoint compile eval exec globals id input locals open".split())
"""Functions of Python that hide what is read."""

# names in the dictionary of a class or a module that say nothing about what it does
UNSAID = frozenset(
    "__annotate__ __annotate_func__ __annotations__ __annotations_cache__ __dict__ __doc__ __firstlineno__ __module__ "
    "__static_attributes__ __weakref__ _abc_impl __abstractmethods__".split()
)
OF_MODULES = frozenset("__builtins__ __cached__ __doc__ __file__ __loader__ __spec__ __path__".split())

PLAIN = (types.NoneType, bool, int, float, complex, str, bytes, types.EllipsisType, types.NotImplementedType, range)
PAYLOADS = (list, tuple, dict, set, frozenset, bytearray, int, float, complex, str, bytes)
DESCRIPTORS = (types.WrapperDescriptorType, types.MethodDescriptorType, types.ClassMethodDescriptorType)
POINTER = struct.calcsize("P")

NAMES = frozenset("LOAD_GLOBAL LOAD_NAME LOAD_FROM_DICT_OR_GLOBALS".split())
CELLS = frozenset("LOAD_DEREF LOAD_CLASSDEREF LOAD_FROM_DICT_OR_DEREF".split())
ATTRIBUTES = frozenset("LOAD_ATTR LOAD_METHOD".split())

STDLIB = tuple(Path(sysconfig.get_path(name)).resolve() for name in ("stdlib", "platstdlib"))

Chains = dict[str, "set[tuple[str, ...]]"]


class Unknown(Exception):
    """Something has no identity. The text says what."""


def digest(*whole: object) -> str:
    """The same for the same code and the same values, in every process of the same
    version of Python. Raises `Unknown`."""
    walker = _Walker()
    try:
        for one in whole:
            walker.see(one)
    except RecursionError:
        raise Unknown("it is nested too deeply") from None
    return walker.said.hexdigest()


class _Walker:
    def __init__(self) -> None:
        self.said = hashlib.sha256(f"{sys.version_info[:2]}".encode())
        # what has been seen stays alive, so that no other object has its place
        self.seen: dict[int, tuple[int, object]] = {}

    def say(self, *words: object) -> None:
        for word in words:
            text = str(word).encode("utf-8", "surrogatepass")
            self.said.update(b"%d:%b" % (len(text), text))

    def see(self, one: Any) -> None:
        kind = type(one)
        if kind in PLAIN:
            self.say(kind.__name__, repr(one))
        elif kind is tuple:
            self.listed("tuple", one)
        elif kind is frozenset or kind is set:
            self.say(kind.__name__, *sorted(digest(item) for item in one))
        elif isinstance(one, types.CodeType):
            self.code(one)
        elif id(one) in self.seen:
            self.say("again", self.seen[id(one)][0])
        else:
            self.seen[id(one)] = len(self.seen), one
            self.first(one)

    def listed(self, name: str, items: Any) -> None:
        self.say(name, len(items))
        for item in items:
            self.see(item)

    def mapped(self, items: Mapping[Any, Any]) -> None:
        self.say("dict", len(items))
        for key, value in items.items():
            self.see(key)
            self.see(value)

    def named(self, items: Mapping[str, Any], without: frozenset[str]) -> None:
        for name in sorted(items.keys() - without):
            self.say("name", name)
            self.see(items[name])

    def first(self, one: Any) -> None:
        if isinstance(one, type):
            self.of_class(one)
        elif isinstance(one, types.FunctionType):
            self.of_function(one)
        elif isinstance(one, types.ModuleType):
            self.of_module(one)
        elif isinstance(one, types.BuiltinFunctionType):
            self.of_builtin(one)
        elif isinstance(one, types.MethodType):
            self.listed("method", (one.__func__, one.__self__))
        elif isinstance(one, (staticmethod, classmethod)):
            self.listed(type(one).__name__, (one.__func__,))
        elif isinstance(one, property):
            self.listed("property", (one.fget, one.fset, one.fdel))
        elif isinstance(one, functools.cached_property):
            self.listed("cached_property", (one.func, one.attrname))
        elif isinstance(one, functools._lru_cache_wrapper):
            self.listed("cache", (one.__wrapped__,))
        elif isinstance(one, functools.partial):
            self.listed("partial", (one.func, one.args, one.keywords, vars(one)))
        elif isinstance(one, (types.MemberDescriptorType, types.GetSetDescriptorType)):
            self.say("slot", one.__name__)
        elif isinstance(one, DESCRIPTORS):
            self.say("built in", one.__objclass__.__qualname__, one.__name__)
            self.compiled(one.__objclass__.__module__)
        elif isinstance(one, types.MethodWrapperType):
            self.listed("built in", (one.__name__, one.__self__))
        elif type(one) in (dict, types.MappingProxyType):
            self.mapped(one)
        elif type(one) in (list, bytearray):
            self.listed(type(one).__name__, one)
        else:
            self.of_object(one)

    def of_class(self, one: type) -> None:
        self.say("class", one.__qualname__)
        if self.given(one, one.__module__):
            return
        if type(one) is not type:
            self.see(type(one))
        self.listed("bases", one.__bases__)
        self.named(dict(vars(one)), UNSAID)

    def of_function(self, one: types.FunctionType) -> None:
        self.say("function", one.__qualname__)
        if self.given(one, one.__module__):
            return
        self.code(one.__code__)
        self.see(one.__defaults__)
        self.see(one.__kwdefaults__)
        self.named(vars(one), frozenset())
        names, cells, modules = _reads(one.__code__)
        for name, cell in zip(one.__code__.co_freevars, one.__closure__ or (), strict=True):
            self.say("cell", name)
            try:
                self.read(cell.cell_contents, cells.get(name, {()}))
            except ValueError:
                self.say("empty")
        if self.version(str(one.__globals__.get("__name__", "")), one.__qualname__):
            # of a decorator, say: what it reads comes with it
            return
        for name in sorted(names):
            self.say("global", name)
            if name in one.__globals__:
                self.read(one.__globals__[name], names[name])
            elif name in HIDES:
                raise Unknown(f"{one.__qualname__} calls {name}()")
            elif name in vars(builtins):
                self.read(vars(builtins)[name], names[name])
        for module in sorted(modules):
            self.say("import", module)
            try:
                self.see(importlib.import_module(module, one.__globals__.get("__package__")))
            except ImportError:
                self.say("missing")

    def read(self, value: object, chains: set[tuple[str, ...]]) -> None:
        """A value of which attributes are read: of a module, nothing else counts."""
        if not isinstance(value, types.ModuleType) or () in chains:
            self.see(value)
            return
        self.say("module")
        for name in sorted({chain[0] for chain in chains}):
            self.say("attribute", name)
            if hasattr(value, name):
                self.read(getattr(value, name), {chain[1:] for chain in chains if chain[0] == name})

    def of_module(self, one: types.ModuleType) -> None:
        self.say("module")
        if one.__name__ == "random":
            raise Unknown("it reads the state of the module random")
        if not self.given(one, one.__name__):
            self.named(vars(one), UNSAID | OF_MODULES)

    def of_builtin(self, one: Any) -> None:
        self.say("built in", one.__qualname__)
        own = one.__self__
        if own is not None and not isinstance(own, types.ModuleType):
            self.see(own)
        elif one.__module__ == "builtins" and one.__name__ in HIDES:
            raise Unknown(f"it calls {one.__name__}()")
        else:
            self.compiled(one.__module__ or "", one.__name__)

    def compiled(self, name: str, what: str = "") -> None:
        """Code that was compiled: where it comes from, or its file."""
        if self.version(name, what):
            return
        path = getattr(sys.modules.get(name), "__file__", None)
        if path is None:
            raise Unknown(f"{what or name} is compiled code without a file")
        self.said.update(hashlib.sha256(Path(path).read_bytes()).digest())

    def of_object(self, one: object) -> None:
        kind = type(one)
        self.say("object")
        if isinstance(getattr(one, "__qualname__", None), str) and self.given(one, getattr(one, "__module__", None)):
            # a function of compiled code
            return
        self.see(kind)
        if isinstance(one, Verdict):
            self.say(one)
            return
        base = _compiled(kind)
        if base not in (object, *PAYLOADS) or _version(_top(kind.__module__)) is not None:
            self.reduced(one)
        elif base is dict:
            self.mapped(dict(cast("dict[Any, Any]", one)))
        elif base is not object:
            self.see(cast(Any, base)(one))
        if _version(_top(kind.__module__)) is None:
            self.state(one)

    def state(self, one: object) -> None:
        self.named(getattr(one, "__dict__", {}), frozenset())
        for base in type(one).__mro__:
            for name, slot in sorted(vars(base).items()):
                if isinstance(slot, types.MemberDescriptorType):
                    self.say("slot", name)
                    try:
                        self.see(slot.__get__(one))
                    except AttributeError:
                        self.say("empty")

    def reduced(self, one: object) -> None:
        """An object of compiled or given code, as it would be pickled."""
        kind = type(one)
        try:
            reduce: Callable[[object], Any] = copyreg.dispatch_table.get(kind, _reduce)
            told = reduce(one)
        except Exception as error:
            raise Unknown(f"it holds a {kind.__module__}.{kind.__qualname__}") from error
        if isinstance(told, str):
            self.say(told)
            self.compiled(getattr(one, "__module__", None) or kind.__module__, told)
            return
        # the items of a list and of a dictionary are given by iterators
        self.listed("reduced", [list(part) if part and at in (3, 4) else part for at, part in enumerate(told)])

    def code(self, one: types.CodeType) -> None:
        self.say("code", one.co_argcount, one.co_posonlyargcount, one.co_kwonlyargcount, one.co_flags)
        self.see(one.co_code)
        self.see(getattr(one, "co_exceptiontable", b""))
        for names in (one.co_names, one.co_varnames, one.co_freevars, one.co_cellvars, one.co_consts):
            self.see(names)

    def given(self, one: Any, module: str | None) -> bool:
        """Whether it comes with Python or an installed package: then the version says it
        all, unless it was replaced."""
        name = getattr(one, "__qualname__", "")
        if not isinstance(one, types.ModuleType):
            found: object = sys.modules.get(module or "")
            for part in name.split("."):
                found = getattr(found, part, None)
            if found is not one:
                return False
        return self.version(module or "", name)

    def version(self, module: str, what: str) -> bool:
        """Says which version of Python or of an installed package a module is from; `False` if
        it is the user's own."""
        top = _top(module)
        version = _version(top)
        if version is None or module == "tusker._written":
            return False
        if top in OUTSIDE:
            raise Unknown(f"it reads {top}{'.' if what else ''}{what}")
        self.say("version", module, version)
        return True


def _reduce(one: object) -> Any:
    return one.__reduce_ex__(4)


def _top(module: str | None) -> str:
    return (module or "").split(".")[0]


def _compiled(kind: type) -> type:
    """The first base class that keeps something outside of dictionaries and slots."""
    for own in kind.__mro__:
        base = own.__base__
        if base is None:
            break
        names = vars(own)
        slots = sum(isinstance(slot, types.MemberDescriptorType) for slot in names.values())
        pointers = (slots if "__slots__" in names else 0) + ("__dict__" in names) + ("__weakref__" in names)
        if own.__itemsize__ != base.__itemsize__ or own.__basicsize__ - base.__basicsize__ > pointers * POINTER:
            return own
    return object


@functools.cache
def _version(top: str) -> str | None:
    """The version of Python or of the installed package that has a module."""
    if top == "tusker":
        # the simulator in it has an identity of its own
        return ""
    module = sys.modules.get(top)
    path = getattr(module, "__file__", None) or next(iter(getattr(module, "__path__", ())), None)
    installed = path is not None and {"site-packages", "dist-packages"} & set(Path(path).parts)
    if installed:
        found = []
        for name in sorted(set(importlib.metadata.packages_distributions().get(top, ()))):
            distribution = importlib.metadata.distribution(name)
            # the digests of its files
            record = distribution.read_text("RECORD") or ""
            found.append(f"{name} {distribution.version} {hashlib.sha256(record.encode()).hexdigest()}")
        return ", ".join(found) or None
    if top not in sys.stdlib_module_names:
        return None
    ours = path is None or any(folder in Path(path).resolve().parents for folder in STDLIB)
    return sys.version if ours else None


def _reads(code: types.CodeType) -> tuple[Chains, Chains, set[str]]:
    """Which globals and which names of enclosing functions a function reads, and which
    attributes of each: `a.b.c` is `a` with `("b", "c")`. And which modules it imports."""
    names: Chains = {}
    cells: Chains = {}
    modules: set[str] = set()
    instructions = [own for own in dis.get_instructions(code) if own.opname not in ("EXTENDED_ARG", "CACHE")]
    for at, own in enumerate(instructions):
        if own.opname == "IMPORT_NAME":
            modules.add("." * int(instructions[at - 2].argval or 0) + str(own.argval))
        elif own.opname in NAMES or own.opname in CELLS:
            chain = []
            for after in instructions[at + 1 :]:
                if after.opname not in ATTRIBUTES:
                    break
                chain.append(str(after.argval))
            chains = names if own.opname in NAMES else cells
            chains.setdefault(str(own.argval), set()).add(tuple(chain))
    for const in code.co_consts:
        if isinstance(const, types.CodeType):
            for chains, inner in zip((names, cells), _reads(const)[:2], strict=True):
                for name, attributes in inner.items():
                    chains.setdefault(name, set()).update(attributes)
            modules |= _reads(const)[2]
    return names, cells, modules
