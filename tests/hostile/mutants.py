"""Small wrong changes of a source file, which some test should notice."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass

COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
    ast.Div: ast.Mult,
    ast.Mod: ast.Mult,
    ast.LShift: ast.RShift,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}


@dataclass(frozen=True)
class Mutant:
    """A changed source: what stood in which line of which function, and what stands there now."""

    line: int
    function: str
    before: str
    after: str
    source: str

    def named(self, file: str) -> str:
        """Return a name that stays when lines move."""
        return f"{file}, {self.function}: {self.before} → {self.after}"


def mutants(source: str) -> Iterator[Mutant]:
    """Yield the mutants of a file, in the order of its lines."""
    tree = ast.parse(source)
    lines = source.encode().splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    for function, node, changed in _changes(tree, "the module"):
        begin = starts[node.lineno - 1] + node.col_offset
        end = starts[node.end_lineno - 1] + node.end_col_offset
        text = source.encode()
        before = text[begin:end].decode()
        # in brackets, as a part of an expression may bind otherwise than what it replaces
        after = ast.unparse(changed) if isinstance(changed, ast.stmt) else f"({ast.unparse(changed)})"
        yield Mutant(
            node.lineno,
            function,
            " ".join(before.split())[:90],
            " ".join(after.split())[:90],
            (text[:begin] + after.encode() + text[end:]).decode(),
        )


def _changes(node: ast.AST, function: str) -> Iterator[tuple[str, ast.AST, ast.AST]]:
    """Yield where a node of a tree is changed: function, node, and what replaces it."""
    for field, child in _parts(node):
        if field in ("annotation", "returns", "decorator_list") or _is_left_out(child):
            continue
        inside = child.name if isinstance(child, ast.FunctionDef | ast.ClassDef) else function
        for changed in _changed(child):
            yield function, child, changed
        yield from _changes(child, inside)


def _parts(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    for field, value in ast.iter_fields(node):
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield field, child


def _is_left_out(node: ast.AST) -> bool:
    """Whether nothing in a node is changed: imports, texts, types."""
    if isinstance(node, ast.Import | ast.ImportFrom | ast.JoinedStr):
        return True
    if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
        return True
    if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
        return True
    return isinstance(node, ast.Call) and ast.unparse(node.func) in ("cast", "TypeVar")


def _changed(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what may stand in the place of a node."""
    if isinstance(node, ast.Compare):
        for i, op in enumerate(node.ops):
            other = copy.deepcopy(node)
            other.ops[i] = COMPARISONS[type(op)]()
            yield other
    elif isinstance(node, ast.BinOp) and type(node.op) in ARITHMETIC:
        other = copy.deepcopy(node)
        other.op = ARITHMETIC[type(node.op)]()
        yield other
    elif isinstance(node, ast.BoolOp):
        other = copy.deepcopy(node)
        other.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield other
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield node.operand
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield ast.Constant(not node.value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        yield ast.Constant(node.value + 1)
        yield ast.Constant(node.value - 1)
    elif isinstance(node, ast.Raise | ast.AugAssign | ast.Delete) or (
        isinstance(node, ast.Expr) and not isinstance(node.value, ast.Constant | ast.Yield | ast.YieldFrom)
    ):
        yield ast.Pass()
    elif isinstance(node, ast.Return) and node.value is not None and ast.unparse(node.value) != "None":
        yield ast.Return(ast.Constant(None))
    elif isinstance(node, ast.IfExp):
        yield node.body
        yield node.orelse
