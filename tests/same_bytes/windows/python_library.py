"""Prints which names the library of Python for Windows has: those of the library that runs this, for dlltool."""

from __future__ import annotations

import re
import subprocess
import sys
import sysconfig
from pathlib import Path


def main() -> None:
    """Ask nm for the names, of functions (T) and of data (B, D, R)."""
    shared = Path(sysconfig.get_config_var("LIBDIR"), sysconfig.get_config_var("INSTSONAME"))
    library = shared if shared.suffix != ".a" and shared.exists() else Path(sys.executable).resolve()
    listed = subprocess.run(
        ["nm", "-D", "--defined-only", library], check=True, capture_output=True, text=True
    ).stdout
    names = re.findall(r" ([TBDR]) (_?Py\w+)$", listed, re.MULTILINE)
    assert len(names) > 1000, f"{library} has {len(names)} names of Python"
    sys.stdout.write(f"LIBRARY python{sys.version_info.major}{sys.version_info.minor}.dll\nEXPORTS\n")
    for kind, name in names:
        sys.stdout.write(f"    {name}{'' if kind == 'T' else ' DATA'}\n")


if __name__ == "__main__":
    main()
