"""Files in the words of a Python user."""

from __future__ import annotations

import os


def writable(path: str | os.PathLike[str], overwrite: bool) -> str:
    """The path as text; FileExistsError in the words of a Python user."""
    text = os.fspath(path)
    if os.path.exists(text) and not overwrite:
        raise FileExistsError(f"{text} exists; add overwrite=True to replace it")
    return text
