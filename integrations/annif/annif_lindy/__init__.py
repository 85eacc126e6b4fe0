"""lindy as a backend of Annif: ``backend=lindy`` in ``projects.cfg``.

Annif 1.4 looks backends up in a table of its own and has no entry point for others. Importing this module adds one
more: the command ``annif-lindy`` is ``annif`` after that, and ``ANNIF_CONFIG=annif_lindy.ProductionConfig`` makes
Annif itself import it.
"""

from __future__ import annotations

from importlib import import_module

import annif.backend
from annif.default_config import Config as Config
from annif.default_config import ProductionConfig as ProductionConfig

annif.backend._backend_fns["lindy"] = lambda: import_module("annif_lindy.backend").LindyBackend


def main() -> None:
    """Run the command ``annif``, to which the backend is known."""
    import_module("annif.cli").cli()
