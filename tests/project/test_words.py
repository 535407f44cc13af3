"""The words of the source: how docstrings begin, what sentences do without, and names that mean one thing.

What a test can hold of plain English is its form: a docstring begins with a verb in the base form or names
its subject, so that it can be read without the code around it, and what is absent is said by a verb.
"""

from __future__ import annotations

import ast
import fnmatch
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import pytest
from source_support import ROOT, SOURCES, each_source, tree_of

FRAGMENT = re.compile(
    r"""(After|And|As|At|Be|Behind|Besides?|But|By|Else|For|From|Here|If|In|Into|It|Its|Likewise|No|None|Not|
    Nothing|Of|On|Only|Onto|Or|Over|So|Still|Such|Than|That|Their|Then|There|They|Those|To|Under|When|Where|
    Which|While|Who|With|Without|TVM's)\b""",
    re.VERBOSE,
)
"""First words of fragments: prepositions and conjunctions, pronouns of what only the code names, and the
possessive of the library that all of this is built on."""
POINTER = re.compile(r"(This|These)\b")
"""Words that point to the name just above, as the sentence behind a field or a constant may."""
THIRD_PERSON = re.compile(
    r"""(Add|Ask|Begin|Build|Change|Check|Choose|Compile|Compute|Copie|Declare|Decide|Emit|End|Evaluate|
    Find|Fold|Fuse|Give|Hold|Import|Insert|Join|Keep|Lower|Make|Measure|Merge|Move|Multiplie|Open|Pack|
    Pick|Print|Put|Raise|Read|Rebuild|Remove|Replace|Return|Rewrite|Say|Send|Set|Split|Take|
    Tell|Write|Yield)s\b""",
    re.VERBOSE,
)
"""Verbs that say what a function does; its docstring has them in the base form."""
ABSENT = re.compile(
    r"(?<!there )\b(is|are|was|were|be|been|has|have|had|having|as) no (?!(longer|more|less|fewer)\b)", re.I
)
"""What says that something is not there as if it were: "is no file" for "is not a file"."""
Docstring = tuple[ast.AST | None, str, int]
"""What a docstring belongs to (None: a field or constant), its text, and its line."""


def docstrings(tree: ast.Module) -> Iterator[Docstring]:
    """Yield the docstrings of a file, of its classes and functions, and of names that are assigned."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        text = ast.get_docstring(node)
        if text:
            yield node, text, node.body[0].lineno
        for before, statement in zip(node.body, node.body[1:], strict=False):
            if isinstance(before, ast.Assign | ast.AnnAssign) and isinstance(statement, ast.Expr):
                value = statement.value
                if isinstance(value, ast.Constant) and isinstance(value.value, str):
                    yield None, value.value.strip(), statement.lineno


def fault_of(owner: ast.AST | None, text: str) -> str:
    """Return what is wrong with how a docstring begins, "" if nothing is."""
    if FRAGMENT.match(text) or (owner is not None and POINTER.match(text)):
        return "does not name its subject"
    if isinstance(owner, ast.FunctionDef | ast.AsyncFunctionDef) and THIRD_PERSON.match(text):
        return "does not begin with the verb's base form"
    return ""


@each_source
def test_docstrings_begin_with_a_verb_or_name_their_subject(path: Path) -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line} {fault_of(owner, text)}: {text.splitlines()[0]}"
        for owner, text, line in docstrings(tree_of(path))
        if fault_of(owner, text)
    ]
    assert not found, "\n".join(found)


@each_source
def test_what_is_absent_is_said_by_a_verb(path: Path) -> None:
    """Docstrings and messages say "is not a file" and "does not have inputs", or "lacks" them."""
    found = [
        f"{path.relative_to(ROOT)}:{node.lineno}: {' '.join(node.value.split())[:90]}"
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and ABSENT.search(" ".join(node.value.split()))
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("text", "owner", "wrong"),
    [
        ("Of a block.", "def f(): ...", True),
        ("As ``load``, in halves.", "def f(): ...", True),
        ("Returns the sum.", "def f(): ...", True),
        ("Return the sum.", "def f(): ...", False),
        ("Tiles of a block.", "def f(): ...", False),
        ("Rebuilds one function.", "class C: ...", False),
        ("This many registers hold sums.", "def f(): ...", True),
        ("This many registers hold sums.", None, False),
        ("So many registers hold sums.", None, True),
    ],
)
def test_the_form_of_docstrings(text: str, owner: str | None, wrong: bool) -> None:
    node = None if owner is None else ast.parse(owner).body[0]
    assert bool(fault_of(node, text)) == wrong


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("'x' is no file", True),
        ("the model has no input", True),
        ("as no kernel does", True),
        ("there is no GPU", False),
        ("it is no longer held", False),
        ("'x' is not a file", False),
    ],
)
def test_the_form_of_sentences(text: str, wrong: bool) -> None:
    assert bool(ABSENT.search(text)) == wrong


# ---- names

KINDS = (
    "intrinsics/*",
    "tvm_directconv/algorithms/*",
    "tvm_directconv/bench/contestants*",
    "relay_strategies/compiler/*",
    "relay_strategies/frontends/* relay_strategies/functional",
    "*/operators",
)
"""Folders of one kind: architectures, algorithms, what is compared, what is compiled for, ways in and the
library that they share, and what there is of each operator. A name in several of one kind is one name: that
of what corresponds."""
MOST = 2


def kind_of(folder: str) -> str:
    """Return the kind of a folder; a folder that is not of a kind is one by itself."""
    return next(
        (kind for kind in KINDS if any(fnmatch.fnmatchcase(folder, each) for each in kind.split())), folder
    )


def folder_of(path: Path) -> str:
    return path.parent.relative_to(ROOT).as_posix()


def file_names() -> Iterator[tuple[str, str]]:
    for path in SOURCES:
        if not path.name.startswith("__"):
            yield path.name, folder_of(path)


def class_names() -> Iterator[tuple[str, str]]:
    for path in SOURCES:
        for node in tree_of(path).body:
            if isinstance(node, ast.ClassDef):
                yield node.name, folder_of(path)


def crowded(names: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """Return the names that stand more than twice, and where; folders of one kind count once."""
    folders = defaultdict(list)
    for name, folder in names:
        folders[name].append(folder)
    return {name: found for name, found in folders.items() if _places(found) > MOST}


def _places(folders: Sequence[str]) -> int:
    """Count places; several in one folder are as many places."""
    by_kind = defaultdict(list)
    for folder in folders:
        by_kind[kind_of(folder)].append(folder)
    return sum(max(Counter(found).values()) for found in by_kind.values())


@pytest.mark.parametrize("names", [file_names, class_names])
def test_no_name_stands_three_times_but_in_folders_of_one_kind(
    names: Callable[[], Iterator[tuple[str, str]]],
) -> None:
    """Names such as ``algorithms/*/cost.py`` are of things that correspond; others are confused."""
    assert not crowded(names())


def test_folders_of_one_kind_count_once() -> None:
    siblings = [("cost.py", f"tvm_directconv/algorithms/{name}") for name in ("strips", "sconv", "winograd")]
    assert not crowded([*siblings, ("cost.py", "tvm_directconv/model")])
    assert crowded([*siblings, ("cost.py", "tvm_directconv/model"), ("cost.py", "tvm_directconv/cli")])
    assert crowded([("_Chain", "relay_strategies/passes/fuse")] * 3)
