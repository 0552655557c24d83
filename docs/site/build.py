#!/usr/bin/env python3
"""Builds the documentation as a static site: `make docs`.

    docs/site/build.py --mmo PROGRAM --out FOLDER

The pages of docs/ and everything they link to, with the reference written by the program and the docstrings
themselves. The site makes no request when it is read: that is checked, page by page.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from pathlib import Path

import offline
import pages
import reference

ROOT = Path(__file__).resolve().parents[2]
CODE = {".py": "python", ".cpp": "cpp", ".h": "cpp", ".sh": "sh", ".toml": "toml", ".json": "json"}


def code_page(path: Path) -> str:
    """Source files, to be read in the browser."""
    files = sorted(file for file in path.iterdir() if file.suffix in CODE) if path.is_dir() else [path]
    parts = [f"---\norphan: true\n---\n\n# {path.relative_to(ROOT)}\n"]
    for file in files:
        heading = f"\n## {file.name}\n" if path.is_dir() else ""
        parts.append(f"{heading}\n``````{CODE.get(file.suffix, 'text')}\n{file.read_text()}``````\n")
    return "".join(parts)


def stage(source: Path) -> None:
    """Copies docs/ and whatever it links to, with links as the site needs them."""
    shutil.copytree(ROOT / "docs/images", source / "images")
    in_menu = {page for _, part in pages.menu(ROOT) for page in part}
    waiting = [*sorted((ROOT / "docs").glob("*.md")), *(ROOT / f"{page[1:]}.md" for page in in_menu if page[0] == "/")]
    done = set()
    while waiting:
        path = waiting.pop()
        if path in done:
            continue
        done.add(path)
        target = source / pages.place(path, ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.suffix != ".md":
            shutil.copyfile(path, target)
        elif path.suffix == ".md" or (path / "README.md").exists():
            page = path if path.is_file() else path / "README.md"
            text = pages.moved(page.read_text(), page, ROOT, waiting.append)
            name = str(target.relative_to(source).with_suffix(""))
            hidden = name != "index" and name not in in_menu and f"/{name}" not in in_menu
            target.write_text("---\norphan: true\n---\n\n" + text if hidden else text)
        else:
            target.write_text(code_page(path))


def add_menu(index: Path) -> None:
    with index.open("a") as file:
        for title, names in pages.menu(ROOT):
            listed = "\n".join(name if name[0] == "/" else f"/{name}" for name in names)
            file.write(f"\n```{{toctree}}\n:hidden:\n:caption: {title}\n{listed}\n```\n")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mmo", type=Path, required=True, help="the program, which writes its own reference")
    parser.add_argument("--out", type=Path, required=True, help="folder for the site; what is in it is replaced")
    arguments = parser.parse_args()
    source = arguments.out / "source"
    site = arguments.out / "site"
    for folder in (source, site):
        shutil.rmtree(folder, ignore_errors=True)
    stage(source)
    reference.write(arguments.mmo, ROOT / "python/mmo", source / "reference")
    add_menu(source / "index.md")
    conf = str(Path(__file__).parent)
    strictly = ["-q", "-W", "--keep-going"]
    sphinx = [sys.executable, "-m", "sphinx", *strictly, "-c", conf, "-d", arguments.out / "cache", source, site]
    code = subprocess.run(sphinx, check=False).returncode
    if code:
        return code
    if found := offline.requests_of(site):
        print("the site would fetch from elsewhere:", *found, sep="\n  ", file=sys.stderr)
        return 1
    print(f"site: {site / 'index.html'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
