"""The Python of the documentation runs as printed: all ```python blocks of a page, one after the other.

A block that is only part of a program stands below a comment: <!-- not run: part of a program -->.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from conftest import SOURCE
from test_examples import numbers

BLOCK = re.compile(r"^(<!-- not run: .+? -->\n)?```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
NEEDS = {"tutorial_torch": ["torch"], "tutorial_boosting": ["xgboost"], "tutorial_python": ["matplotlib"]}


def code_of(page: Path) -> str:
    return "\n".join(code for skipped, code in BLOCK.findall(page.read_text()) if not skipped)


PAGES = [page for page in [SOURCE / "README.md", *sorted((SOURCE / "docs").glob("*.md"))] if code_of(page)]


def test_there_are_pages() -> None:
    assert {"README", "tutorial_python", "tutorial_torch", "missing_and_rare"} <= {page.stem for page in PAGES}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_runs_as_printed(page: Path, tmp_path: Path) -> None:
    for module in NEEDS.get(page.stem, []):
        pytest.importorskip(module)
    numbers(code_of(page), tmp_path)
