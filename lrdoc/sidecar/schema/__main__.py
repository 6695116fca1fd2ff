"""Write the schemas again after a change in `lrdoc.sidecar.strict`."""

from __future__ import annotations

from lrdoc.sidecar.schema import FOLDER, build
from lrdoc.sidecar.strict import SCHEMAS

for name in SCHEMAS:
    (FOLDER / f"{name}.schema.json").write_text(build(name), "utf-8")
