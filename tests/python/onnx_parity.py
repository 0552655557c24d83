"""Runs exported models in onnxruntime and compares with our own scores and decisions.

onnx_parity.py PROGRAM: PROGRAM FOLDER writes the cases (tests/model/onnx_cases.cpp). Exit code 77 = skipped.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

try:
    import numpy
    import onnx
    import onnxruntime
except ImportError as missing:
    print(f"skipped: {missing}; pip install numpy onnx onnxruntime")
    sys.exit(77)

# Float32 sums of up to 300 terms, taken in another order.
SCORE_TOLERANCE = 1e-4


def check(folder: pathlib.Path, case: dict) -> str:
    """Empty, or what differs."""
    stem = str(folder / case["name"])
    shape = (case["rows"], case["labels"])
    features = numpy.fromfile(stem + ".features", numpy.float32).reshape(case["rows"], case["columns"])
    scores = numpy.fromfile(stem + ".scores", numpy.float32).reshape(shape)
    labels = numpy.fromfile(stem + ".labels", numpy.uint8).reshape(shape)
    model = onnx.load(stem + ".onnx")
    onnx.checker.check_model(model, full_check=True)
    if len(json.loads(model.metadata_props[0].value)["labels"]) != case["labels"]:
        return "label names are missing"
    session = onnxruntime.InferenceSession(stem + ".onnx", providers=["CPUExecutionProvider"])
    for rows in (slice(None), slice(0, 1)):
        got_scores, got_labels = session.run(["scores", "labels"], {"features": features[rows]})
        error = numpy.abs(got_scores - scores[rows]) / numpy.maximum(1, numpy.abs(scores[rows]))
        if not error.max() <= SCORE_TOLERANCE:
            return f"scores differ by {error.max():.2g}"
        if not numpy.array_equal(got_labels, labels[rows]):
            return f"{numpy.sum(got_labels != labels[rows])} of {labels[rows].size} decisions differ"
    return ""


def main() -> int:
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        subprocess.run([sys.argv[1], name], check=True)
        cases = json.loads((folder / "cases.json").read_text())
        faults = {case["name"]: check(folder, case) for case in cases}
    for case, fault in faults.items():
        if fault:
            print(f"{case}: {fault}")
    print(f"{sum(not fault for fault in faults.values())} of {len(faults)} models agree with onnxruntime")
    return int(not faults or any(faults.values()))


if __name__ == "__main__":
    sys.exit(main())
