"""Make build/tree/lrdoc, the package as one folder, out of links; type and import checks run there.

In the checkout the families parsers/, chunkers/, analyzers/ and routing/ stand beside lrdoc/; tools that follow files
rather than imports need them inside.
"""

import shutil
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FAMILIES = ("analyzers", "chunkers", "parsers", "routing")
HIDDEN = ("__pycache__",)


def make_tree() -> Path:
    """Return build/tree; its links are made anew when a name came or went."""
    package = ROOT / "build" / "tree" / "lrdoc"
    targets = {p.name: p for p in (ROOT / "lrdoc").iterdir() if p.name not in HIDDEN}
    targets |= {name: ROOT / name for name in FAMILIES}
    if package.is_dir() and {p.name for p in package.iterdir()} == set(targets):
        return package.parent
    if package.exists():
        shutil.rmtree(package)
    package.mkdir(parents=True)
    for name, target in sorted(targets.items()):
        (package / name).symlink_to(target, target_is_directory=target.is_dir())
    return package.parent


if __name__ == "__main__":
    print(make_tree())
