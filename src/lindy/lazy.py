"""Public names that are imported when they are first used, so that a command pays only for what it runs."""

from __future__ import annotations

import builtins
import sys
from _thread import RLock

TYPE_CHECKING = (
    False  # typing's own takes long to import, and the command cannot answer Ctrl-C before that is done
)
if TYPE_CHECKING:
    from typing import Any

_ONE_AT_A_TIME = RLock()  # reentrant: what a signal or the garbage collector runs meanwhile may import, too
_Deferred: Any = type(sys.implementation)  # SimpleNamespace, whose module takes long to import


class lazy_imports:  # noqa: N801 - a context manager, as those of contextlib
    """Defers the ``from … import`` statements of a package's ``__init__`` until a name is used.

    ::

        with lazy_imports(globals()):
            from lindy.linear.svm import SVM as SVM

    Type checkers, editors and import contracts see ordinary imports; ``as`` says that the name is public. The package
    gets ``__all__`` with these names, and a ``__getattr__`` and ``__dir__`` that know them.
    """

    def __init__(self, namespace: dict[str, Any]) -> None:
        self.namespace = namespace

    def __enter__(self) -> None:
        _ONE_AT_A_TIME.acquire()
        namespace, importer = self.namespace, builtins.__import__
        self.importer = importer

        def deferred(
            module: str, into: Any = None, local: Any = None, names: Any = (), level: int = 0
        ) -> Any:
            if into is not namespace:  # another thread's
                return importer(module, into, local, names, level)
            return _Deferred(**{name: _Deferred(module=module, name=name) for name in names})

        builtins.__import__ = deferred  # type: ignore[assignment]

    def __exit__(self, *error: object) -> None:
        builtins.__import__ = self.importer
        _ONE_AT_A_TIME.release()
        namespace, package = self.namespace, self.namespace["__name__"]
        homes = {name: value for name, value in namespace.items() if type(value) is _Deferred}
        for name in homes:
            del namespace[name]

        def get(name: str) -> object:
            if name not in homes:
                raise AttributeError(f"module {package!r} has no attribute {name!r}")
            home = homes[name]
            if home.module == package:  # a submodule, which its import sets
                __import__(f"{package}.{home.name}")
                return sys.modules[f"{package}.{home.name}"]
            __import__(home.module)
            value = namespace[name] = getattr(sys.modules[home.module], home.name)
            return value

        namespace["__all__"] = [name for name, home in homes.items() if home.module != "lindy"]
        namespace["__getattr__"] = get
        namespace["__dir__"] = lambda: sorted({*namespace, *homes})


def former_module(package: str, module: str) -> Any:
    """Return a ``__getattr__`` for a package that was a module: its names are in ``module`` now, which it says."""

    def get(name: str) -> object:
        if name[:1] == "_":
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        import warnings
        from importlib import import_module

        try:
            value = getattr(import_module(module), name)
        except AttributeError:
            raise AttributeError(f"module {package!r} has no attribute {name!r}") from None
        warnings.warn(f"{package}.{name} is {module}.{name} now", DeprecationWarning, stacklevel=2)
        return value

    return get
