"""Puts native functions in the place of scikit-learn's, and the originals back."""

from __future__ import annotations

import functools
import os
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from lindy.accel.profiling import Call, keep_for_workers, record
from lindy.accel.table import REPLACEMENTS, SUPPORTED, Replacement, UnsupportedError, call_name

ENABLED = "LINDY_ACCEL"  # tells worker processes to accelerate, too
_START = os.path.join(os.path.dirname(__file__), "worker_start")  # its sitecustomize reads the variable

_MODULES = frozenset(replacement.module for replacement in REPLACEMENTS)
_originals: dict[Replacement, Any] = {}
_on_restore: list[Callable[[], None]] = []  # what has to be done before scikit-learn's methods are back
_warned = False


def is_installed() -> bool:
    """Whether scikit-learn is accelerated in this process."""
    return _FINDER in sys.meta_path


def install(*, profile_workers: bool = False) -> None:
    """Accelerate scikit-learn in this process and in the worker processes it will start.

    Classes that were imported before are accelerated, too, and so are objects made before. Modules of scikit-learn
    that are not imported yet are accelerated when they are. With ``profile_workers``, ``profile()`` has the calls of
    worker processes.
    """
    if profile_workers:
        keep_for_workers()
    if is_installed():
        return
    sys.meta_path.insert(0, _FINDER)
    os.environ[ENABLED] = "1"
    _python_path(lambda folders: [_START, *folders])
    for name in _MODULES & sys.modules.keys():
        _replace_in(sys.modules[name])


def uninstall() -> None:
    """Put scikit-learn's own methods back, in this process and in the worker processes it will start."""
    if not is_installed():
        return
    sys.meta_path.remove(_FINDER)
    os.environ.pop(ENABLED, None)
    _python_path(lambda folders: folders)
    for restore in _on_restore:
        restore()
    for replacement, original in _originals.items():
        holder, attribute = _holder(sys.modules[replacement.module], replacement)
        setattr(holder, attribute, original)
    _originals.clear()


@contextmanager
def enabled() -> Iterator[None]:
    """Accelerate scikit-learn within a ``with`` block, in all threads of the process."""
    before = is_installed()
    install()
    try:
        yield
    finally:
        if not before:
            uninstall()


def before_uninstall(function: Callable[[], None]) -> None:
    """Have a function called before scikit-learn's methods are back."""
    _on_restore.append(function)


def _python_path(changed: Callable[[list[str]], list[str]]) -> None:
    """Change the folders that new processes import from."""
    before = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    folders = changed([folder for folder in before if folder not in ("", _START)])
    os.environ["PYTHONPATH"] = os.pathsep.join(folders)
    if not folders:
        del os.environ["PYTHONPATH"]


class _Finder(MetaPathFinder):
    """Finds modules as the others do, and replaces what the table says once they are loaded."""

    def find_spec(self, name: str, path: Any, target: ModuleType | None = None) -> ModuleSpec | None:
        if name not in _MODULES:
            return None
        others = (finder for finder in sys.meta_path if finder is not self)
        found = (finder.find_spec(name, path, target) for finder in others if hasattr(finder, "find_spec"))
        spec = next((spec for spec in found if spec is not None), None)
        if spec is None or spec.loader is None:
            return spec
        execute = spec.loader.exec_module

        def exec_module(module: ModuleType) -> None:
            execute(module)
            if is_installed():
                _replace_in(module)

        spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec


_FINDER = _Finder()


def _replace_in(module: ModuleType) -> None:
    if not _is_supported():
        return
    for replacement in REPLACEMENTS:
        if replacement.module == module.__name__ and replacement not in _originals:
            holder, attribute = _holder(module, replacement)
            _originals[replacement] = original = vars(holder)[attribute]
            setattr(holder, attribute, _accelerated(original, replacement))
    if module.__name__ == "sklearn.feature_extraction.text":
        from lindy.accel.lazy_vocabulary import install_lazy_vocabulary

        install_lazy_vocabulary(module)


def _is_supported() -> bool:
    """Whether this version of scikit-learn is one of those that the table is for; warns once if not."""
    global _warned  # noqa: PLW0603 - once per process
    version = sys.modules["sklearn"].__version__
    known = ".".join
    if tuple(int(part) for part in version.split(".")[:2]) in SUPPORTED:
        return True
    if not _warned:
        _warned = True
        versions = ", ".join(known(map(str, own)) for own in SUPPORTED)
        warnings.warn(
            f"lindy.accel accelerates scikit-learn {versions}; version {version} runs as it is. Install one of these"
            " versions, or another lindy",
            RuntimeWarning,
            stacklevel=2,
        )
    return False


def _holder(module: ModuleType, replacement: Replacement) -> tuple[Any, str]:
    """Return the class or module that holds what is replaced, and its name there."""
    owner, _, attribute = replacement.name.rpartition(".")
    return (getattr(module, owner) if owner else module), attribute


def _accelerated(original: Callable[..., Any], replacement: Replacement) -> Callable[..., Any]:
    """Return a function that calls the native one, and the original where that cannot do it."""
    name = call_name(replacement)

    @functools.wraps(original)
    def call(*args: Any, **kwargs: Any) -> Any:
        if not is_installed():
            return original(*args, **kwargs)
        if replacement.one_pass:  # scikit-learn has to be able to read again what lindy has read
            args = tuple(list(value) if isinstance(value, Iterator) else value for value in args)
            kwargs = {
                key: list(value) if isinstance(value, Iterator) else value for key, value in kwargs.items()
            }
        start, reason, fault = time.perf_counter(), "", ""
        try:
            answer = replacement.load()(*args, **kwargs)
        except UnsupportedError as error:
            reason = str(error)
        except Exception as error:  # whatever it is, scikit-learn answers
            reason, fault = f"{type(error).__name__} in lindy", traceback.format_exc()
        else:
            if replacement.records:
                record(Call(name, "lindy", "", 1, time.perf_counter() - start))
            return answer
        start = time.perf_counter()
        try:
            answer = original(*args, **kwargs)
        except Exception:
            fault, reason = "", reason if not fault else "the arguments are refused"
            raise
        finally:
            record(Call(name, "scikit-learn", reason, 1, time.perf_counter() - start, fault))
        return answer

    return call
