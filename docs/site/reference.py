"""Reference pages that the program and the package write about themselves: help texts and docstrings."""

from __future__ import annotations

import ast
import re
import subprocess
import textwrap
from pathlib import Path

from sphinx.ext.napoleon import Config, NumpyDocstring

MODULES = ["__init__", "metrics", "model_selection", "datasets", "report", "plot", "torch", "boost"]
FITTED = re.compile(
    r"(?<![\w`\\])([A-Za-z][\w.]*)_(?=[\s.,;:)]|$)"
)  # scikit-learn's coef_, which is a link in this markup
Definition = ast.ClassDef | ast.FunctionDef


def write(program: Path, package: Path, out: Path) -> None:
    out.mkdir(parents=True, exist_ok=True)
    (out / "program.md").write_text(program_page(program))
    (out / "methods.md").write_text("# Methods, settings and metrics\n\n" + printed(program, "methods"))
    (out / "python.rst").write_text(python_page(package))


def printed(program: Path, *arguments: str) -> str:
    run = subprocess.run([program, *arguments], capture_output=True, text=True, check=True)
    return f"```text\n{run.stdout.rstrip()}\n```\n"


def program_page(program: Path) -> str:
    top = subprocess.run([program, "--help"], capture_output=True, text=True, check=True).stdout
    listed = top.split("Every command takes")[0]
    commands = re.findall(r"^  ([a-z]+)  ", listed, re.MULTILINE)
    parts = [f"# Commands and flags\n\n{printed(program, '--help')}"]
    parts += [f"\n## mmo {command}\n\n{printed(program, command, '--help')}" for command in commands]
    return "".join(parts)


def python_page(package: Path) -> str:
    """Every public name of the package, read from its sources: nothing has to be built or imported."""
    trees = {file.stem: ast.parse(file.read_text()) for file in package.glob("*.py")}
    known = {
        node.name: node
        for tree in trees.values()
        for node in tree.body
        if isinstance(node, ast.ClassDef | ast.FunctionDef)
    }
    parts = ["The Python package\n==================\n"]
    told: set[str] = set()
    for name in (name for name in MODULES if name in trees):
        module = "mmo" if name == "__init__" else f"mmo.{name}"
        entries = [
            described(module, known[public], known)
            for public in public_names(trees[name])
            if public in known and public not in told
        ]
        told |= set(public_names(trees[name]))
        if entries:
            about = rst(ast.get_docstring(trees[name]) or "")
            parts.append(f"\n{module}\n{'-' * len(module)}\n\n{about}\n\n" + "\n".join(entries))
    return "".join(parts)


def public_names(tree: ast.Module) -> list[str]:
    for node in tree.body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__":
            return list(ast.literal_eval(node.value))
    return [node.name for node in tree.body if isinstance(node, ast.ClassDef | ast.FunctionDef) and node.name[0] != "_"]


def rst(docstring: str) -> str:
    text = str(NumpyDocstring(docstring, Config(napoleon_use_ivar=True, napoleon_use_rtype=False)))
    return "\n".join(
        line if line.lstrip().startswith(">>>") else FITTED.sub(r"\1\_", line) for line in text.split("\n")
    )


def signature(node: ast.FunctionDef) -> str:
    """Names and defaults; types are in the text."""
    arguments = ast.parse(ast.unparse(node)).body[0].args  # type: ignore[attr-defined]
    for argument in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]:
        if argument is not None:
            argument.annotation = None
    arguments.args = [argument for argument in arguments.args if argument.arg not in ("self", "cls")]
    return ast.unparse(arguments)


def described(module: str, node: Definition, known: dict[str, Definition], of_class: bool = False) -> str:
    if isinstance(node, ast.FunctionDef):
        kind, name = ("method", node.name) if of_class else ("function", f"{module}.{node.name}")
        is_property = any(ast.unparse(decorator) == "property" for decorator in node.decorator_list)
        head = f".. py:property:: {name}" if is_property else f".. py:{kind}:: {name}({signature(node)})"
        body = rst(ast.get_docstring(node) or "")
    else:
        methods = methods_of(node, known)
        head = f".. py:class:: {module}.{node.name}({signature(methods['__init__']) if '__init__' in methods else ''})"
        shown = [described(module, method, known, of_class=True) for name, method in methods.items() if name[0] != "_"]
        body = rst(ast.get_docstring(node) or "") + "\n\n" + "\n".join(shown)
    return f"{head}\n\n{textwrap.indent(body, '   ')}\n"


def methods_of(node: ast.ClassDef, known: dict[str, Definition]) -> dict[str, ast.FunctionDef]:
    """Those of the class and of the package's classes that it is made of, in the order in which they are found."""
    found = {item.name: item for item in node.body if isinstance(item, ast.FunctionDef)}
    for base in node.bases:
        parent = known.get(ast.unparse(base))
        if isinstance(parent, ast.ClassDef):
            found = {**methods_of(parent, known), **found}
    return {name: item for name, item in found.items() if name == "__init__" or ast.get_docstring(item)}
