"""What a finished site would fetch from elsewhere when it is read: nothing, or it isn't finished."""

from __future__ import annotations

import re
from pathlib import Path

ELSEWHERE = r"""["']?(?:https?:)?//"""
# What a browser fetches by itself; where an <a> leads is the reader's choice.
FETCHED = re.compile(
    r"<(?:script|img|iframe|source|link(?![^>]*rel=[\"']?canonical))\b[^>]*?\s(?:src|href)\s*=\s*"
    + ELSEWHERE
    + r"|@import\s+(?:url\()?"
    + ELSEWHERE
    + r"|url\(\s*"
    + ELSEWHERE
)


def requests_of(site: Path) -> list[str]:
    """The page and the beginning of each such place."""
    found = []
    for file in sorted([*site.rglob("*.html"), *site.rglob("*.css")]):
        found += [f"{file.relative_to(site)}: {hit[0]}" for hit in FETCHED.finditer(file.read_text())]
    return found
