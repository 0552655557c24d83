"""Tens of thousands of labels that every Debian machine has: words of packages' names and descriptions, and the
packages they depend on.

    apt-cache dumpavail | python3 benchmarks/package_dependencies.py FOLDER
    mmo train FOLDER/train.txt --metric micro-f1 --model dependencies.mmo
    mmo evaluate dependencies.mmo FOLDER/test.txt

Writes train.txt and test.txt in the XMC format (rows, features and labels in the first line), and words.txt and
packages.txt with the names of features and labels. Features are tf-idf of the words that at least two packages of the
training part have, as `mmo train` makes them of raw text: (1 + log tf)·idf on rows of length 1, with the training
part's idf = log((1 + n) / (1 + df)) + 1. Of alternatives ("a | b") the first counts. One package in five is held out,
by the md5 of its name.
"""

from __future__ import annotations

import hashlib
import math
import pathlib
import re
import sys
from collections import Counter

from package_tags import packages

FEWEST_PACKAGES = 2
HELD_OUT_SHARE = 5


def words_of(fields: dict[str, str]) -> Counter[str]:
    return Counter(re.findall(r"\w\w+", f"{fields['Package']} {fields.get('Description', '')}".lower()))


def dependencies_of(fields: dict[str, str]) -> list[str]:
    return sorted({re.split(r"[ (:|]", part.strip())[0] for part in fields["Depends"].split(",")})


def held_out(name: str) -> bool:
    return int(hashlib.md5(name.encode()).hexdigest(), 16) % HELD_OUT_SHARE == 0


def tf_idf(words: Counter[str], idf: dict[str, float]) -> dict[str, float]:
    values = {word: (1 + math.log(count)) * idf[word] for word, count in words.items() if word in idf}
    length = math.sqrt(sum(value * value for value in values.values()))
    return {word: value / length for word, value in values.items()}


def write_part(path: pathlib.Path, rows: list[tuple[list[int], dict[int, float]]], features: int, labels: int) -> None:
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"{len(rows)} {features} {labels}\n")
        for own, values in rows:
            pairs = " ".join(f"{index}:{value:.6g}" for index, value in sorted(values.items()))
            file.write(",".join(map(str, own)) + f" {pairs}\n")
    print(f"{path}: {len(rows)} packages")


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    sys.stdin.reconfigure(encoding="utf-8")
    found = {fields["Package"]: fields for fields in packages(iter(sys.stdin)) if fields.get("Depends")}
    words = {name: words_of(fields) for name, fields in found.items()}
    depends = {name: dependencies_of(fields) for name, fields in found.items()}
    training = [name for name in found if not held_out(name)]
    df = Counter(word for name in training for word in words[name])
    vocabulary = sorted(word for word, count in df.items() if count >= FEWEST_PACKAGES)
    idf = {word: math.log((1 + len(training)) / (1 + df[word])) + 1 for word in vocabulary}
    targets = sorted({target for own in depends.values() for target in own})
    feature = {word: k for k, word in enumerate(vocabulary)}
    label = {target: j for j, target in enumerate(targets)}
    parts: dict[str, list[tuple[list[int], dict[int, float]]]] = {"train": [], "test": []}
    for name in sorted(found):
        values = {feature[word]: value for word, value in tf_idf(words[name], idf).items()}
        parts["test" if held_out(name) else "train"].append(([label[t] for t in depends[name]], values))
    for part, rows in parts.items():
        write_part(folder / f"{part}.txt", rows, len(vocabulary), len(targets))
    for file_name, names in (("words", vocabulary), ("packages", targets)):
        (folder / f"{file_name}.txt").write_text("\n".join(names) + "\n", encoding="utf-8")
    print(f"{len(vocabulary)} words, {len(targets)} dependencies")


if __name__ == "__main__":
    main()
