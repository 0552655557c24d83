"""Generated data with the sizes of the sets that people of many labels report, and a law that anyone can repeat.

1. Label j (by frequency) has the weight (j + 10)^-1.1. Labels are dealt at random to topics of about 64.
2. A row draws its first label by weight, and a Poisson number of others: each from the first one's topic (half the
   time) or from all labels, by weight. Labels drawn twice count once.
3. Word k has the weight 1 / (k + 3). A label owns 16 words, a topic 128, drawn by weight.
4. A row draws a Poisson number of words: each from one of its labels (two in five), the first label's topic (one in
   five) or all words (two in five). A word drawn c times has the value (1 + log c)·idf; rows have length 1.

The same name gives the same data. Labels and words that are drawn twice leave rows shorter than the shape says: 1.3
times as many words are drawn, which makes up for it where features are many, and what came out is printed.
"""

from __future__ import annotations

import pathlib
from dataclasses import dataclass

import numpy as np

REPEATED_WORDS = 1.3
BLOCK = 50_000  # rows made at a time


@dataclass(frozen=True)
class Shape:
    train: int
    test: int
    features: int
    labels: int
    nonzeros: int
    labels_per_row: float


SHAPES = {
    "eurlex-4k": Shape(15_539, 3_809, 5_000, 3_993, 237, 5.3),
    "wiki10-31k": Shape(14_146, 6_616, 101_938, 30_938, 200, 18.6),
    "amazoncat-13k": Shape(1_186_239, 306_782, 203_882, 13_330, 71, 5.0),
    "labels-4000": Shape(14_000, 4_000, 5_000, 4_000, 100, 5.0),
}


class Weighted:
    """Draws 0 … n − 1 with the given weights."""

    def __init__(self, weights: np.ndarray) -> None:
        self.upto = np.cumsum(weights)

    def draw(self, random: np.random.Generator, shape: int | tuple[int, int]) -> np.ndarray:
        return np.searchsorted(self.upto, random.random(shape) * self.upto[-1], side="right").clip(
            0, len(self.upto) - 1
        )


class Law:
    def __init__(self, shape: Shape, random: np.random.Generator) -> None:
        weights = (np.arange(shape.labels) + 10.0) ** -1.1
        topics = max(1, shape.labels // 64)
        self.labels = Weighted(weights)
        self.words = Weighted(1.0 / (np.arange(shape.features) + 3.0))
        self.topic = random.permutation(shape.labels) % topics
        self.by_topic = np.argsort(self.topic, kind="stable")  # labels of a topic stand together, by frequency
        self.first = np.searchsorted(self.topic[self.by_topic], np.arange(topics + 1))
        self.upto = np.concatenate([[0.0], np.cumsum(weights[self.by_topic])])
        self.label_words = self.words.draw(random, (shape.labels, 16))
        self.topic_words = self.words.draw(random, (topics, 128))

    def label_of_topic(self, topic: np.ndarray, random: np.random.Generator) -> np.ndarray:
        low, high = self.upto[self.first[topic]], self.upto[self.first[topic + 1]]
        at = np.searchsorted(self.upto, low + random.random(len(topic)) * (high - low), side="right") - 1
        return self.by_topic[at.clip(self.first[topic], self.first[topic + 1] - 1)]


def distinct(rows: np.ndarray, columns: np.ndarray, width: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Ascending pairs, each once, and how often it was there."""
    keys, counts = np.unique(rows * width + columns, return_counts=True)
    return keys // width, keys % width, counts


def draw_labels(law: Law, shape: Shape, rows: int, random: np.random.Generator):
    first = law.labels.draw(random, rows)
    row = np.repeat(np.arange(rows), random.poisson(shape.labels_per_row - 1, rows))
    near = law.label_of_topic(law.topic[first[row]], random)
    other = np.where(random.random(len(row)) < 0.5, near, law.labels.draw(random, len(row)))
    pairs = distinct(np.concatenate([np.arange(rows), row]), np.concatenate([first, other]), shape.labels)
    return first, pairs[0], pairs[1]


def draw_words(law: Law, shape: Shape, first: np.ndarray, label_rows, labels, random: np.random.Generator):
    rows = len(first)
    row = np.repeat(np.arange(rows), random.poisson(REPEATED_WORDS * shape.nonzeros, rows))
    begin = np.searchsorted(label_rows, np.arange(rows + 1))
    own = labels[begin[row] + (random.random(len(row)) * np.diff(begin)[row]).astype(np.int64)]
    of_label = law.label_words[own, random.integers(0, law.label_words.shape[1], len(row))]
    of_topic = law.topic_words[law.topic[first[row]], random.integers(0, law.topic_words.shape[1], len(row))]
    kind = random.random(len(row))
    word = np.where(kind < 0.4, of_label, np.where(kind < 0.6, of_topic, law.words.draw(random, len(row))))
    return distinct(row, word, shape.features)


def offsets(rows: np.ndarray, count: int) -> np.ndarray:
    return np.searchsorted(rows, np.arange(count + 1))


def part(law: Law, shape: Shape, count: int, random: np.random.Generator) -> dict[str, np.ndarray]:
    """X with counts instead of values, and Y, in scipy's arrays."""
    pieces: dict[str, list[np.ndarray]] = {"x": [], "xo": [np.zeros(1, np.int64)], "xc": [], "y": [], "yo": []}
    pieces["yo"].append(np.zeros(1, np.int64))
    for at in range(0, count, BLOCK):
        rows = min(BLOCK, count - at)
        first, label_rows, labels = draw_labels(law, shape, rows, random)
        word_rows, words, counts = draw_words(law, shape, first, label_rows, labels, random)
        pieces["x"].append(words.astype(np.int32))
        pieces["xc"].append(counts.astype(np.float32))
        pieces["y"].append(labels.astype(np.int32))
        pieces["xo"].append(offsets(word_rows, rows)[1:] + pieces["xo"][-1][-1])
        pieces["yo"].append(offsets(label_rows, rows)[1:] + pieces["yo"][-1][-1])
    return {name: np.concatenate(blocks) for name, blocks in pieces.items()}


def to_tf_idf(data: dict[str, np.ndarray], idf: np.ndarray) -> np.ndarray:
    values = (1 + np.log(data["xc"])) * idf[data["x"]]
    squares = np.concatenate([[0.0], np.cumsum(values.astype(np.float64) ** 2)])
    lengths = np.sqrt(np.diff(squares[data["xo"]]))
    return (values / np.repeat(lengths, np.diff(data["xo"]))).astype(np.float32)


def write_shape(name: str, folder: pathlib.Path) -> None:
    """train.npz and test.npz, as `mmo` reads them."""
    shape = SHAPES[name]
    folder.mkdir(parents=True, exist_ok=True)
    random = np.random.default_rng(0)
    law = Law(shape, random)
    idf = None
    for part_name, rows in (("train", shape.train), ("test", shape.test)):
        data = part(law, shape, rows, random)
        if idf is None:
            df = np.bincount(data["x"], minlength=shape.features)
            idf = (np.log((1 + rows) / (1 + df)) + 1).astype(np.float32)
        np.savez(
            folder / f"{part_name}.npz",
            X_data=to_tf_idf(data, idf),
            X_indices=data["x"],
            X_indptr=data["xo"],
            X_shape=np.array([rows, shape.features]),
            Y_data=np.ones(len(data["y"]), np.int8),
            Y_indices=data["y"],
            Y_indptr=data["yo"],
            Y_shape=np.array([rows, shape.labels]),
        )
        print(
            f"{folder / part_name}.npz: {rows} rows, {len(data['x']) / rows:.1f} non-zeros"
            f" and {len(data['y']) / rows:.2f} labels per row"
        )
