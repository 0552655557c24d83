"""Data for the tests: public sets where they lie beside the repository, generated ones otherwise."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from mmo import datasets

# Some virtual machines show tile instructions (AMX) that programs may not use: torch's bfloat16 products then fail.
os.environ.setdefault("ONEDNN_MAX_CPU_ISA", "AVX512_CORE_FP16")

SOURCE = Path(__file__).resolve().parents[2]
SHARED = Path(os.environ.get("MMO_TEST_SHARED_DATA", SOURCE.parent / "shared" / "data"))


def mulan(name: str, part: str) -> Any:
    """A public set, or a skip that says why."""
    path = SHARED / "mulan" / name / f"{name}-{part}.arff"
    if not path.exists():
        pytest.skip(f"needs {path.name}, a public data set")
    return datasets.load(path)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks the tests that use a public set, for `make test-data`."""
    for item in items:
        if {"emotions", "yeast", "shared_data"} & set(getattr(item, "fixturenames", [])):
            item.add_marker(pytest.mark.real_data)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of the public sets."""
    if not SHARED.exists():
        pytest.skip("needs the public data sets")
    return SHARED


@pytest.fixture(scope="session")
def emotions() -> tuple[Any, Any]:
    return mulan("emotions", "train"), mulan("emotions", "test")


@pytest.fixture(scope="session")
def yeast() -> tuple[Any, Any]:
    return mulan("yeast", "train"), mulan("yeast", "test")


@pytest.fixture(scope="session")
def made() -> Any:
    """300 rows, 12 features, 5 labels."""
    return datasets.make_multilabel(rows=300, features=12, labels=5, seed=4)
