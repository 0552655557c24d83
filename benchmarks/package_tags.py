"""A table of text, categories and numbers that every Debian machine has: packages and their tags.

    apt-cache dumpavail | python3 benchmarks/package_tags.py FOLDER
    mmo train FOLDER/train.csv --labels tags --metric micro-f1 --model tags.mmo
    mmo evaluate tags.mmo FOLDER/test.csv --labels tags

Writes train.csv and test.csv: name, description, section, priority, maintainer, architecture, installed size in kB,
number of dependencies, and the tags that at least 20 packages of the training part have. One package in three is held
out, by the md5 of its name.
"""

from __future__ import annotations

import csv
import hashlib
import pathlib
import sys
from collections import Counter
from collections.abc import Iterator, Sequence

FEWEST_PACKAGES = 20
HELD_OUT_SHARE = 3
COLUMNS = [
    "package",
    "description",
    "section",
    "priority",
    "maintainer",
    "architecture",
    "size",
    "dependencies",
    "tags",
]


def packages(lines: Iterator[str]) -> Iterator[dict[str, str]]:
    """The fields of each package; a line that starts with a blank goes on with the field before it."""
    fields: dict[str, str] = {}
    name = ""
    for line in lines:
        if not line.strip():
            if fields:
                yield fields
            fields = {}
        elif line[0] in " \t":
            fields[name] += " " + line.strip()
        else:
            name, _, value = line.partition(":")
            fields[name] = value.strip()
    if fields:
        yield fields


def row(fields: dict[str, str], kept: set[str]) -> Sequence[str]:
    """One line of the table, in the order of COLUMNS."""
    depends = fields.get("Depends", "")
    return [
        fields["Package"],
        fields.get("Description", ""),
        fields.get("Section", ""),
        fields.get("Priority", ""),
        fields.get("Maintainer", ""),
        fields.get("Architecture", ""),
        fields.get("Installed-Size", ""),
        str(len(depends.split(",")) if depends else 0),
        ";".join(tag for tag in tags_of(fields) if tag in kept),
    ]


def tags_of(fields: dict[str, str]) -> list[str]:
    return sorted({tag.strip() for tag in fields["Tag"].split(",")})


def held_out(name: str) -> bool:
    return int(hashlib.md5(name.encode()).hexdigest(), 16) % HELD_OUT_SHARE == 0


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    tagged = {fields["Package"]: fields for fields in packages(iter(sys.stdin)) if fields.get("Tag")}
    parts: dict[str, list[dict[str, str]]] = {"train": [], "test": []}
    for name in sorted(tagged):
        parts["test" if held_out(name) else "train"].append(tagged[name])
    counts = Counter(tag for fields in parts["train"] for tag in tags_of(fields))
    kept = {tag for tag, count in counts.items() if count >= FEWEST_PACKAGES}
    for part, rows in parts.items():
        with open(folder / f"{part}.csv", "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(COLUMNS)
            writer.writerows(row(fields, kept) for fields in rows)
        print(f"{folder / part}.csv: {len(rows)} packages")
    print(f"{len(kept)} tags")


if __name__ == "__main__":
    main()
