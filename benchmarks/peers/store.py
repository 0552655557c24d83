"""The results file, as the report reads it."""

import json
import statistics


class Store:
    def __init__(self, path):
        self.records = {}
        for line in path.read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            self.records.setdefault(tuple(record["key"]), []).append(record)
        for key, own in self.records.items():  # mmo: only the newest build that was measured
            if key[1] == "mmo":
                self.records[key] = [r for r in own if r["build"] == own[-1]["build"]]

    def of(self, kind, peer, variant, name, threads=1):
        """Successful records, in the order measured."""
        return [r for r in self.records.get((kind, peer, variant, name, threads), []) if "error" not in r]

    def errors(self):
        """{(kind, peer, variant, set): reason}"""
        return {key[:4]: own[-1]["error"] for key, own in self.records.items() if "error" in own[-1]}

    def seconds(self, kind, peer, variant, name, *phases, threads=1):
        """One number per repeat: the sum of the phases (all of them if none is named)."""
        return [
            sum(r["seconds"][p] for p in (phases or r["seconds"])) for r in self.of(kind, peer, variant, name, threads)
        ]


def ratios(above, below):
    """Repeat by repeat, so that what slowed both down cancels."""
    return [a / b for a, b in zip(above, below, strict=False)]  # one side may lack the last repeats


def spread(values, form="{:.3g}"):
    """median (lowest … highest, repeats)"""
    if not values:
        return "–"
    middle = form.format(statistics.median(values))
    if len(values) == 1:
        return f"{middle} (1 run)"
    return f"{middle} ({form.format(min(values))} … {form.format(max(values))}, {len(values)})"


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "| " + " | ".join("---" for _ in head) + " |"]
    return "\n".join(lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]) + "\n"
