"""A model's report page: shown in notebooks, saved as one HTML file."""

from __future__ import annotations

import html
import json
import os
from typing import Any

from mmo import _core
from mmo._files import writable


class Report:
    """What a model does on labelled rows, as the page of `mmo report`.

    A notebook shows it as the last line of a cell; `save` writes it. `data` holds its numbers.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self.data: dict[str, Any] = json.loads(text)

    def __repr__(self) -> str:
        value = self.data["headline"]["value"]
        shown = "undefined" if value is None else f"{value:.4f}"
        return f"<mmo report: {self.data['metric']['name']} {shown} on {self.data['rows']['count']} rows>"

    def to_html(self) -> str:
        """The page. Raises ValueError if the package was built without Node.js."""
        return _core.report_page([self._text])

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write the page, or its numbers if the name ends in .json (`mmo report` puts several side by side)."""
        name = writable(path, overwrite)
        text = self._text if name.endswith(".json") else self.to_html()
        with open(name, "w", encoding="utf-8") as file:
            file.write(text)

    def _repr_html_(self) -> str:
        page = html.escape(self.to_html(), quote=True)
        # A separate frame: the page's styles stay inside, and its script can't reach the notebook.
        return (
            f'<iframe srcdoc="{page}" sandbox="allow-scripts allow-downloads allow-modals" title="MMO report" '
            'style="width: 100%; height: 800px; border: 0"></iframe>'
        )
