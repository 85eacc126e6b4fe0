"""Dataclasses whose methods are compiled when they are first used.

``dataclasses.dataclass`` writes the source of up to six methods of a class and compiles it, which takes most of a
millisecond per class; a command that trains a model imports eighty of them and calls few of their methods. Here a
method is looked up once through ``_Later``, which lets ``dataclasses`` make it and puts it in its own place; from
then on nothing differs. What the methods do, and what ``fields`` and ``replace`` of ``dataclasses`` see, is the same.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from dataclasses import dataclass

    __all__ = ["dataclass"]
else:

    def dataclass(*, frozen: bool = False, slots: bool = False, eq: bool = True) -> Callable[[type], type]:
        """Return what makes a dataclass of a class."""

        def decorate(cls: type) -> type:
            own = set(vars(cls))
            made = dataclasses.dataclass(init=False, repr=False, eq=False, slots=slots)(cls)
            for name in ("__init__", "__repr__", *(("__eq__",) if eq else ())):
                if name not in own:
                    setattr(made, name, _Later(made, name))
            if eq and "__hash__" not in own:
                made.__hash__ = _Later(made, "__hash__") if frozen else None
            if frozen:
                _freeze(made)
                if slots and "__getstate__" not in own:
                    made.__getstate__, made.__setstate__ = _get_state, _set_state
            return made

        return decorate


class _Later:
    """A method of a dataclass that is made when it is looked up."""

    __slots__ = ("_cls", "_name")

    def __init__(self, cls: type, name: str) -> None:
        self._cls, self._name = cls, name

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        """Put the method in the place of this, and return it."""
        method = _method(self._cls, self._name)
        setattr(self._cls, self._name, method)
        return method.__get__(instance, owner)


def _method(cls: type, name: str) -> Any:
    """Return the method that ``dataclasses`` makes for the fields of a class: none of them knows its class."""
    own = {"__qualname__": cls.__qualname__, "__module__": cls.__module__, "__doc__": cls.__doc__}
    if hasattr(cls, "__post_init__"):
        own["__post_init__"] = None  # called by its name
    model = dataclasses.make_dataclass(
        cls.__name__,
        [(field.name, field.type, _copy(field)) for field in dataclasses.fields(cls)],
        namespace=own,
        init=name == "__init__",
        repr=name == "__repr__",
        eq=name == "__eq__",
        unsafe_hash=name == "__hash__",
        frozen=name == "__init__" and _is_frozen(cls),
        slots=name == "__init__" and "__slots__" in vars(cls),
    )
    method = vars(model)[name]
    method.__qualname__ = f"{cls.__qualname__}.{name}"
    return method


def _is_frozen(cls: Any) -> bool:
    return cls.__setattr__ is not object.__setattr__


def _copy(field: dataclasses.Field[Any]) -> Any:
    """Return the declaration of a field, which its class may not share."""
    names = ("default", "default_factory", "init", "repr", "hash", "compare", "metadata", "kw_only")
    return dataclasses.field(**{name: getattr(field, name) for name in names})


def _freeze(cls: Any) -> None:
    """Let the fields of a class refuse to be set and deleted."""

    def refuse(self: object, name: str, what: str) -> None:
        if type(self) is cls or name in cls.__dataclass_fields__:
            raise dataclasses.FrozenInstanceError(f"cannot {what} field {name!r}")

    def set_field(self: object, name: str, value: object) -> None:
        refuse(self, name, "assign to")
        super(cls, self).__setattr__(name, value)

    def delete_field(self: object, name: str) -> None:
        refuse(self, name, "delete")
        super(cls, self).__delattr__(name)

    for name, method in (("__setattr__", set_field), ("__delattr__", delete_field)):
        method.__name__, method.__qualname__ = name, f"{cls.__qualname__}.{name}"
        setattr(cls, name, method)


def _get_state(self: Any) -> list[Any]:
    return [getattr(self, field.name) for field in dataclasses.fields(self)]


def _set_state(self: Any, state: list[Any]) -> None:
    for field, value in zip(dataclasses.fields(self), state, strict=True):
        object.__setattr__(self, field.name, value)
