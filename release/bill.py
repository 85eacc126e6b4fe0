"""What an installed lindy consists of, and under which licences: packages, and what is compiled into the wheel."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Part:
    """Something of others that is inside the wheel, whose licence is in the folder ``licences``."""

    name: str
    licence: str  # an SPDX identifier
    url: str
    what: str


PARTS = (
    Part("nanobind", "BSD-3-Clause", "https://github.com/wjakob/nanobind", "the binding, linked statically"),
    Part("robin-map", "MIT", "https://github.com/Tessil/robin-map", "a hash map within nanobind"),
    Part(
        "Unicode Character Database",
        "Unicode-3.0",
        "https://www.unicode.org",
        "tables of lower case and words",
    ),
    Part(
        "MurmurHash3", "LicenseRef-public-domain", "https://github.com/aappleby/smhasher", "a hash function"
    ),
)


def describe(python: Path, versions: dict[str, str], dist: Path) -> None:
    """Write ``sbom.json`` and ``licences.md`` of the environment of an interpreter that has lindy and nothing else."""
    asked = "import unicodedata; print(unicodedata.unidata_version)"
    unicode = subprocess.run([python, "-c", asked], check=True, capture_output=True, text=True).stdout.strip()
    inside = {"nanobind": versions["nanobind"], "Unicode Character Database": unicode}
    bill = dist / "sbom.json"
    subprocess.run([sys.executable, "-m", "cyclonedx_py", "environment", python, "-o", bill], check=True)
    kept = json.loads(bill.read_text(encoding="utf-8"))
    kept["components"] += [_component(part, inside.get(part.name)) for part in PARTS]
    bill.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    if wrong := invalid(bill.read_text(encoding="utf-8")):
        raise SystemExit(f"error: {bill} is not what CycloneDX prescribes: {wrong}")

    tool = Path(sys.executable).with_name("pip-licenses")
    done = subprocess.run(
        [tool, f"--python={python}", "--format=markdown", "--with-urls"],
        check=True,
        capture_output=True,
        text=True,
    )
    rows = [(p.name, inside.get(p.name, ""), p.licence, p.url, p.what) for p in PARTS]
    lines = ["| Name | Version | License | URL | What |", "| --- | --- | --- | --- | --- |"]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    text = (
        f"# Installed with lindy\n\n{done.stdout.strip()}\n\n# Inside lindy's wheel\n\n"
        + "\n".join(lines)
        + "\n"
    )
    (dist / "licences.md").write_text(text, encoding="utf-8")


def invalid(text: str) -> object:
    """Return what is wrong with a bill of materials by the schema of its format, or None."""
    from cyclonedx.schema import SchemaVersion
    from cyclonedx.validation.json import JsonStrictValidator

    version = SchemaVersion.from_version(json.loads(text)["specVersion"])
    return JsonStrictValidator(version).validate_str(text)


def _component(part: Part, version: str | None) -> dict[str, object]:
    named = part.licence.startswith("LicenseRef-")
    component: dict[str, object] = {
        "type": "library",
        "bom-ref": f"inside:{part.name}",
        "name": part.name,
        "description": f"inside lindy's wheel: {part.what}",
        "licenses": [{"license": {"name": "public domain"} if named else {"id": part.licence}}],
        "externalReferences": [{"type": "website", "url": part.url}],
    }
    return component if version is None else {**component, "version": version}
