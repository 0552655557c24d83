"""One-token mutants of C++ sources: an operator, a comparison, a number or a constant exchanged for a likely mistake."""

import random
import re
from typing import NamedTuple

EXCHANGES = {
    " < ": " <= ", " <= ": " < ", " > ": " >= ", " >= ": " > ", " == ": " != ", " != ": " == ",
    " + ": " - ", " - ": " + ", " * ": " / ", " / ": " * ", " += ": " -= ", " -= ": " += ",
    " && ": " || ", " || ": " && ", "std::min(": "std::max(", "std::max(": "std::min(", "true": "false", "false": "true",
    "(!": "(",
}  # fmt: skip
NUMBER = re.compile(r"(?<![\w.])(?<!e-)(\d+\.\d+|\d+)(?=[FU]?\b)(?![\w.]*[xX'])")
TOKEN = re.compile("|".join(re.escape(token) for token in sorted(EXCHANGES, key=len, reverse=True)))
# What no test can see, or the compiler alone would.
SKIPPED = re.compile(
    r"^\s*(#|//|static_assert|assert\(|namespace |using |template |throw |fail\()|operator|fmt::format|throw_if"
)
TEXT = re.compile(r'"(?:[^"\\]|\\.)*"|//.*')


class TokenMutant(NamedTuple):
    line: int  # from 1
    column: int
    correct: str
    wrong: str


def other_number(text):
    if "." in text:
        value = float(text)
        return "1.0" if value == 0 else repr(value * 1.25)
    return {"0": "1", "1": "2"}.get(text, str(int(text) + 1))


def mutants_of(source):
    """All of a source file, in order."""
    found = []
    for number, line in enumerate(source.splitlines(), 1):
        if SKIPPED.search(line):
            continue
        # Texts and comments are left alone; what replaces them is as long.
        code = TEXT.sub(lambda match: "\0" * len(match.group()), line)
        found += [TokenMutant(number, m.start(), m.group(), EXCHANGES[m.group()]) for m in TOKEN.finditer(code)]
        found += [TokenMutant(number, m.start(), m.group(), other_number(m.group())) for m in NUMBER.finditer(code)]
    return found


def apply(source, mutant):
    lines = source.splitlines(keepends=True)
    line = lines[mutant.line - 1]
    end = mutant.column + len(mutant.correct)
    assert line[mutant.column : end] == mutant.correct
    lines[mutant.line - 1] = line[: mutant.column] + mutant.wrong + line[end:]
    return "".join(lines)


def draw(sources, seed):
    """(path, mutant) of all files in random order; `sources`: path → content."""
    everything = [(path, mutant) for path in sorted(sources) for mutant in mutants_of(sources[path])]
    random.Random(seed).shuffle(everything)
    return everything
