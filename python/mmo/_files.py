"""Files, with errors a Python user expects."""

from __future__ import annotations

import os


def writable(path: str | os.PathLike[str], overwrite: bool) -> str:
    """The path as text; raises FileExistsError as a Python user expects."""
    text = os.fspath(path)
    if os.path.exists(text) and not overwrite:
        raise FileExistsError(f"{text} exists; add overwrite=True to replace it")
    return text
