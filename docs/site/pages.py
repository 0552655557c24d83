"""Links of the repository's pages: what they point to, and where that stands in the site."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

FENCE = re.compile(r"^(\s*)(```+|~~~+).*?^\1\2`*~*\s*$", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"(!?\[(?:[^\[\]]|\[[^\]]*\])*\]\()([^)\s]+)(\))")
CODE = re.compile(r"`[^`\n]*`")


def prose(text: str) -> str:
    """The text with code blanked out, every character in its place."""
    for code in (FENCE, CODE):
        text = code.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)
    return text


def links(text: str) -> Iterator[tuple[int, str]]:
    """(line, target) of every link and image."""
    plain = prose(text)
    for found in LINK.finditer(plain):
        yield plain.count("\n", 0, found.start()) + 1, found[2]


def is_local(target: str) -> bool:
    return not re.match(r"[a-z]+:", target)


def anchors(text: str) -> set[str]:
    """The headings' names in links, as GitHub and MyST make them: lower case, no punctuation, - for a space."""
    found: set[str] = set()
    fenceless = FENCE.sub("", text)
    for title in re.findall(r"^#{1,6}\s+(.+?)\s*#*$", fenceless, re.MULTILINE):
        shown = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title)
        slug = re.sub(r"[^\w\- ]", "", shown.lower()).replace(" ", "-")
        number = sum(name == slug or re.fullmatch(re.escape(slug) + r"-\d+", name) is not None for name in found)
        found.add(f"{slug}-{number}" if number else slug)
    return found


def place(file: Path, root: Path) -> Path:
    """Where a file or folder of the repository stands in the site: docs/ is its top; code is shown on a page."""
    path = file.relative_to(root)
    if path.parts[0] == "docs":
        path = path.relative_to("docs")
    if file.is_dir():
        return path / ("README.md" if (file / "README.md").exists() else "files.md")
    return path if path.suffix in (".md", ".png", ".svg") else path.with_name(path.name + ".md")


def moved(text: str, page: Path, root: Path, follow: Callable[[Path], None]) -> str:
    """The page's text with its links as the site needs them; `follow` is told what else the site must hold."""
    here = place(page, root).parent
    plain, out, end = prose(text), [], 0
    for found in LINK.finditer(plain):
        target, _, anchor = text[found.start(2) : found.end(2)].partition("#")
        if not target or not is_local(target):
            continue
        file = Path(os.path.normpath(page.parent / target))
        follow(file)
        new = os.path.relpath(place(file, root), here)
        out += [text[end : found.start(2)], new + (f"#{anchor}" if anchor else "")]
        end = found.end(2)
    return "".join([*out, text[end:]])


def menu(root: Path) -> list[tuple[str, list[str]]]:
    """The parts of the site's menu with their pages."""
    with open(root / "docs/site/nav.toml", "rb") as file:
        return [(part["title"], part["pages"]) for part in tomllib.load(file)["part"]]
