"""Acceleration of scikit-learn: its own classes, with lindy's core behind their methods, and scikit-learn for the rest.

::

    python -m lindy.accel script.py

    import lindy.accel
    lindy.accel.install()                # for all of the process, also for classes imported before
    with lindy.accel.enabled(): ...      # for a while
    %load_ext lindy.accel                # in a notebook

Nothing is subclassed or renamed: methods of scikit-learn's classes are replaced in place (``table.py`` lists them), so
that objects, pickles and clones are scikit-learn's own. A replacement that cannot do what was asked, or fails, calls
the original; ``profile()`` says which calls ran where, and why.
"""

from __future__ import annotations

from typing import Any

from lindy.lazy import lazy_imports

TYPE_CHECKING = True
with lazy_imports(globals()):
    if TYPE_CHECKING:
        from lindy.accel.bridge import from_sklearn as from_sklearn
        from lindy.accel.bridge import to_sklearn as to_sklearn
        from lindy.accel.installing import enabled as enabled
        from lindy.accel.installing import install as install
        from lindy.accel.installing import is_installed as is_installed
        from lindy.accel.installing import uninstall as uninstall
        from lindy.accel.profiling import Call as Call
        from lindy.accel.profiling import Profile as Profile
        from lindy.accel.profiling import profile as profile


def load_ipython_extension(ipython: Any) -> None:  # noqa: ARG001 - IPython's protocol
    """Accelerate scikit-learn in a notebook: ``%load_ext lindy.accel``."""
    from lindy.accel.installing import install

    install()


def unload_ipython_extension(ipython: Any) -> None:  # noqa: ARG001 - IPython's protocol
    """Put scikit-learn's own methods back: ``%unload_ext lindy.accel``."""
    from lindy.accel.installing import uninstall

    uninstall()
