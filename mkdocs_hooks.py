"""What mkdocs does for this project's site: README and other pages of the root, links to files, the
reference.

In the repository pages link to each other and to sources by relative paths. On the site README is the first
page, other Markdown of the root has a page of its own, and other files that pages link to are there to be
downloaded. The reference is made of ``tvm_directconv``'s public names, so that none is missing.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parent
PAGES = {"README.md": "index.md", "CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md"}
"""Pages of the root, and where the site has them."""
REFERENCE = "reference.md"
LINK = re.compile(r"(\]\()(?!\w+:|#)([^)#\s]+)(#[^)\s]*)?(\))")
GROUPS = {
    "Compile and run a model": ("compile", "CompiledModel", "load", "inspect", "split"),
    "A single layer": (
        "Conv2dWorkload",
        "Epilogue",
        "QuantizedTypes",
        "build_conv2d",
        "Conv2dLayer",
        "DeviceConv2dLayer",
    ),
    "Targets": ("resolve_target", "CompileTarget"),
    "Measure": ("pareto", "ParetoReport", "breakdown", "Breakdown"),
    "Tune": (
        *("tune", "apply_history_best", "extract_tasks", "create_task", "register_template"),
        *("XGBTuner", "GATuner", "RandomTuner", "GridSearchTuner"),
        *("measure_option", "LocalBuilder", "LocalRunner", "RPCRunner", "progress_bar", "log_to_file"),
    ),
    "Strategies": (
        *("conv2d_strategy", "conv2d_strategy_generic", "OpStrategy", "operator_strategy"),
        *("dense_strategy", "conv1d_strategy", "depthwise_conv2d_strategy", "group_conv2d_strategy"),
        *("batch_matmul_strategy", "conv2d_transpose_strategy", "conv3d_strategy", "softmax_strategy"),
        *("max_pool2d_strategy", "avg_pool2d_strategy"),
        *("operator_strategy_generic", "operator_definition", "OperatorStrategy", "OperatorWorkload"),
    ),
    "Models for other pipelines": ("from_onnx", "from_relay"),
}
"""Public names in the order of use; what is not here is an error class."""
BENCHMARKS = (
    *(f"harness.{name}" for name in ("bench_layers", "bench_network", "bench_networks")),
    *("drawn_sizes.bench_sizes", "tuning.bench_tuning", "lift_layers.bench_lift"),
    *("results.LayerResult", "results.NetworkResult"),
)
"""They are ``tvm_directconv.bench``'s."""
HEAD = "# Python reference\n\n`import tvm_directconv as directconv`; its public names, in the order of use.\n"


def on_files(files: Files, config: Any) -> Files:
    """Add what lies outside of the folder of pages."""
    for source, name in PAGES.items():
        files.append(File.generated(config, name, content=_moved((ROOT / source).read_text(), source, name)))
    files.append(File.generated(config, REFERENCE, content=_reference()))
    for path in sorted(_linked_files()):
        files.append(File.generated(config, f"files/{path}", abs_src_path=str(ROOT / path)))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    name = page.file.src_uri
    return markdown if name in PAGES.values() else _moved(markdown, f"docs/{name}", name)


def _moved(markdown: str, source: str, name: str) -> str:
    """A page of the repository as the site's page of that name: its links point to the site's files."""

    def link(match: re.Match[str]) -> str:
        target = _target(source, match[2])
        if target.startswith("docs/"):
            found = target.removeprefix("docs/")
        else:
            found = PAGES.get(target, f"files/{target}")
        relative = posixpath.relpath(found, posixpath.dirname(name) or ".")
        return f"{match[1]}{relative}{match[3] or ''}{match[4]}"

    return LINK.sub(link, markdown)


def _target(source: str, link: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(source), link))


def _linked_files() -> set[str]:
    pages = [*PAGES, *(path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").rglob("*.md"))]
    targets = {
        _target(page, match[2]) for page in pages for match in LINK.finditer((ROOT / page).read_text())
    }
    return {
        target
        for target in targets
        if not target.startswith("docs/") and target not in PAGES and (ROOT / target).is_file()
    }


def _reference() -> str:
    """A directive for each public name, without importing TVM."""
    text = (ROOT / "tvm_directconv" / "__init__.py").read_text()
    homes = dict(re.findall(r'^    "(\w+)": "([\w.]+)",$', text, re.MULTILINE))
    rest = tuple(name for name in homes if not any(name in names for names in GROUPS.values()))
    parts = [HEAD]
    for title, names in {**GROUPS, "Errors": rest}.items():
        parts += [f"\n## {title}\n", *(f"\n::: {homes[name]}.{name}\n" for name in names)]
    parts += ["\n## Benchmarks\n\nBy `from tvm_directconv.bench import ...`.\n"]
    parts += [f"\n::: tvm_directconv.bench.{name}\n" for name in BENCHMARKS]
    return "".join(parts)
