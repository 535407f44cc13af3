"""Templates with knobs: the space they define, the tuners that search it, and the best of it in a network."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from graph_support import draw, inputs_of, network, node
from reference import run_onnx_runtime
from tuning_support import TINY, lines_of
from tvm import te, tirx
from tvm.s_tir import Schedule

import tvm_directconv as directconv
from relay_strategies.strategies.config_entities import of_annotate, of_reorder, of_split
from relay_strategies.strategies.config_space import ConfigEntity, ConfigSpace, FallbackConfigEntity
from relay_strategies.strategies.records import Records
from relay_strategies.strategies.templates import TEMPLATES
from relay_strategies.tuning.history import make_record
from relay_strategies.tuning.tuners import Tuner
from tvm_directconv.errors import AlgorithmError, DirectConvError, ParameterError, TuningError
from tvm_directconv.problem.workload import Conv2dWorkload
from tvm_directconv.targets.target import resolve_target

NATIVE = resolve_target("llvm -mcpu=native")
QUICK = directconv.measure_option(
    builder=directconv.LocalBuilder(n_parallel=1), runner=directconv.LocalRunner(repeat=2, min_repeat_ms=1)
)


def direct(cfg: Any, workload: Conv2dWorkload, target: Any) -> Schedule:
    """A direct convolution in NHWC by the definition, with knobs."""
    w = workload
    (top, left, *_), (down, right) = w.padding, w.strides
    data = te.placeholder(w.input_shape, name="data")
    weights = te.placeholder(w.filter_shape, name="weights")
    kh, kw = (te.reduce_axis((0, extent)) for extent in w.kernel)
    ic = te.reduce_axis((0, w.in_channels))

    def term(n: Any, y: Any, x: Any, oc: Any) -> Any:
        row, column = y * down + kh - top, x * right + kw - left
        inside = tirx.all(row >= 0, row < w.height, column >= 0, column < w.width)
        value = tirx.if_then_else(inside, data[n, row, column, ic], tirx.const(0.0, "float32"))
        return te.sum(value * weights[oc, ic, kh, kw], axis=[kh, kw, ic])

    conv = te.compute(w.output_shape, term, name="conv")
    sch = Schedule(te.create_prim_func([data, weights, conv]))
    block = sch.get_sblock("conv")
    n, y, x, oc, *summed = sch.get_loops(block)
    cfg.define_split("tile_oc", conv.op.axis[3], num_outputs=2)
    cfg.define_split("tile_x", sch.get(x), num_outputs=2, max_factor=8)
    cfg.define_reorder("sums", summed, policy="interval_all", interval=(0, 2))
    cfg.define_annotate("inner", [oc], policy="try_vec")
    cfg.define_knob("unroll", [False, True])
    if cfg.is_fallback:
        cfg.fallback_split("tile_oc", [-1, 6])
    outer, inner = cfg["tile_oc"].apply(sch, block, oc)
    xo, xi = cfg["tile_x"].apply(sch, block, x)
    summed = cfg["sums"].apply(sch, block, summed)
    sch.reorder(outer, xo, *summed, xi, inner)
    cfg["inner"].apply(sch, block, [inner])
    if cfg["unroll"].val:
        sch.unroll(xi)
    sch.parallel(sch.fuse(n, y))
    sch.decompose_reduction(block, summed[0])
    return sch


@pytest.fixture(autouse=True)
def registered() -> Iterator[None]:
    """Register the template as "direct", and forget what a test registers."""
    directconv.register_template("direct", applies=lambda w, target: w.groups == 1 and not w.quantized)(
        direct
    )
    yield
    TEMPLATES.clear()


# ---- spaces


@pytest.mark.parametrize(
    ("options", "sizes"),
    [
        ({"policy": "factors"}, [[-1, 1], [-1, 2], [-1, 3], [-1, 4], [-1, 6], [-1, 12]]),
        ({"policy": "factors", "max_factor": 4}, [[-1, 1], [-1, 2], [-1, 3], [-1, 4]]),
        ({"policy": "power2"}, [[-1, 1], [-1, 2], [-1, 4], [-1, 8]]),
        ({"policy": "power2", "no_tail": True}, [[-1, 1], [-1, 2], [-1, 4]]),
        ({"policy": "verbose"}, [[-1, 1], [-1, 2], [-1, 3], [-1, 4], [-1, 6], [-1, 8], [-1, 12]]),
        ({"policy": "candidate", "candidate": [[-1, 5], [2, 6]]}, [[-1, 5], [2, 6]]),
        ({"filter": lambda entity: entity.size[-1] > 4}, [[-1, 6], [-1, 12]]),
    ],
)
def test_policies_of_splits(options: dict[str, Any], sizes: list[list[int]]) -> None:
    assert [entity.value for entity in of_split(12, 2, **options).entities] == sizes


def test_splits_in_three_cover_the_extent() -> None:
    found = [entity.value for entity in of_split(4, 3).entities]
    assert found == [[-1, 1, 1], [-1, 2, 1], [-1, 4, 1], [-1, 1, 2], [-1, 2, 2], [-1, 1, 4]]


def test_orders_and_annotations() -> None:
    assert [e.value for e in of_reorder(3, "interval_all", interval=(1, 3)).entities] == [
        [0, 1, 2],
        [0, 2, 1],
    ]
    assert len(of_reorder(4, "all")) == 24 and len(of_reorder(4, "identity")) == 1
    values = [entity.value for entity in of_annotate(2, "unroll_vec").entities]
    assert values == [["unroll", "unroll"], ["unroll", "vec"], ["vec", "unroll"]]


def test_a_space_numbers_its_points() -> None:
    space = ConfigSpace()
    space.define_split("tile", 12, num_outputs=2)
    space.define_knob("unroll", [False, True])
    assert len(space) == space.range_length == 12 and space.dims == [6, 2]
    assert str(space).splitlines()[1] == "   0 tile: Split(policy=factors, product=12, num_outputs=2) len=6"
    point = space.get(8)
    assert point["tile"].size == (-1, 3) and point["unroll"].val is True and point.index == 8
    assert [space.point(space.get(index).knobs).index for index in range(12)] == list(range(12))
    fields = json.loads(json.dumps(point.to_json_dict()))
    assert fields["entity"] == [["tile", "sp", [-1, 3]], ["unroll", "ot", True]]
    assert ConfigEntity.from_json_dict(fields) == point != space.get(7)
    space.multi_filter(lambda entity: entity["unroll"].val or entity["tile"].size[-1] == 1)
    assert len(space) == 7 and list(space.indices()) == [0, 6, 7, 8, 9, 10, 11] and space.range_length == 12


REFUSED = {
    "policy": (lambda cfg: cfg.define_split("t", 8, policy="thirds", num_outputs=2), "policy='thirds'"),
    "outputs": (lambda cfg: cfg.define_split("t", 8), "needs num_outputs"),
    "loop": (lambda cfg: cfg.define_split("t", object(), num_outputs=2), "a loop of a known extent"),
    "empty": (lambda cfg: cfg.define_knob("t", []), "leaves no values"),
    "order": (lambda cfg: cfg.define_reorder("t", [1, 2], "candidate", candidate=[[0, 0]]), "not orders of"),
    "annotation": (lambda cfg: cfg.define_annotate("t", [1], "vthread"), "none, unroll and vec"),
    "name": (lambda cfg: cfg["tile_co"], r"lacks a knob 'tile_co' \(did you mean 'tile_oc'"),
    "index": (lambda cfg: cfg.get(16), "16 is not a point of a space of 4"),
    "knobs": (lambda cfg: cfg.point({"tile_oc": [-1, 3]}), "not values of the knobs tile_oc"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_not_a_knob_is_refused(case: str) -> None:
    wrong, reason = REFUSED[case]
    space = ConfigSpace()
    space.define_split("tile_oc", 8, num_outputs=2)
    with pytest.raises(ParameterError, match=reason):
        wrong(space)


def test_a_loop_alone_does_not_tell_its_extent() -> None:
    sch = Schedule(
        te.create_prim_func([d := te.placeholder((4,)), te.compute((4,), lambda i: d[i], name="c")])
    )
    with pytest.raises(ParameterError, match=r"give sch.get\(loop\)"):
        ConfigSpace().define_split("t", sch.get_loops(sch.get_sblock("c"))[0], num_outputs=2)


# ---- without records


def test_a_fallback_is_used_by_name_or_priority_alone() -> None:
    assert directconv.build_conv2d(TINY).implementation.name != "direct"
    layer = directconv.build_conv2d(TINY, algorithm="direct")
    assert layer.implementation.tile["tile_oc"] == [-1, 4], "the largest divisor of 16 up to 6"
    directconv.register_template("direct", plevel=11, override=True)(direct)
    assert directconv.build_conv2d(TINY).implementation.name == "direct"


def test_a_fallback_takes_over_what_a_similar_layer_has() -> None:
    wide = Conv2dWorkload(1, 8, 8, 16, 24, (3, 3), padding=(1, 1, 1, 1))
    task = directconv.create_task("direct", wide)
    values = {"tile_oc": [-1, 24], "tile_x": [-1, 4], "sums": [1, 0, 2], "inner": ["vec"], "unroll": True}
    record = make_record(task.space, task.candidate(task.config_space.point(values)), 1, [1e-6])
    cfg = FallbackConfigEntity("direct", TINY, NATIVE)
    direct(cfg, TINY, NATIVE)
    cfg.fallback_with_reference_log(Records(records=[record]))
    assert cfg.knobs == values | {"tile_oc": [-1, 16]}


def test_templates_are_refused_by_name() -> None:
    with pytest.raises(AlgorithmError, match="there is a template 'direct' already"):
        directconv.register_template("direct")(direct)
    with pytest.raises(TuningError, match=r"'dirct' does not have knobs for .*did you mean 'direct'"):
        directconv.create_task("dirct", TINY)
    grouped = Conv2dWorkload(1, 8, 8, 16, 16, (3, 3), groups=2)
    with pytest.raises(TuningError, match="'direct' does not have knobs for"):
        directconv.create_task("direct", grouped)
    with pytest.raises(TuningError, match="a measure option has a LocalBuilder"):
        directconv.measure_option(runner="remote")
    with pytest.raises(TuningError, match="n_trial and early_stopping are at least 1"):
        directconv.RandomTuner(directconv.create_task("direct", TINY)).tune(0)
    directconv.register_template("direct_nhwc")(direct)
    with pytest.raises(AlgorithmError, match="has an algorithm 'direct_nhwc' already"):
        directconv.build_conv2d(TINY)


# ---- tasks and tuners


def model_of_two() -> Any:
    weights = {"w": draw(16, 16, 3, 3), "b": draw(16), "v": draw(16, 16, 3, 3)}
    nodes = [
        node("Conv", "x w b", "u", pads=[1, 1, 1, 1]),
        node("Relu", "u", "r"),
        node("Conv", "r v", "c", pads=[1, 1, 1, 1]),
        node("Add", "c x", "y"),
    ]
    return network(nodes, {"x": (1, 16, 8, 8)}, {"y": (1, 16, 8, 8)}, weights)


def test_tasks_of_a_network() -> None:
    tasks = {task.name: task for task in directconv.extract_tasks(model_of_two())}
    assert tasks["direct"].count == 2 and tasks["direct"].layer == TINY
    own = tasks["direct_nhwc"].config_space
    assert len(own) == sum(1 for c in tasks["direct_nhwc"].space.space_of if c.algorithm == "direct_nhwc")
    assert "nr: OtherOption(" in str(own)
    names = {task.name for task in directconv.extract_tasks(model_of_two(), algorithms=False)}
    assert names == {"direct"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "trials"),
    [
        (directconv.XGBTuner, 20),
        (directconv.GATuner, 20),
        (directconv.RandomTuner, 4),
        (directconv.GridSearchTuner, 4),
    ],
)
def test_the_best_that_a_tuner_finds_is_used_in_a_network(
    kind: type[Tuner], trials: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, task = tmp_path / "log.jsonl", directconv.create_task("direct", TINY)
    tuner = kind(task)
    callbacks = [directconv.progress_bar(trials, prefix="[direct]"), directconv.log_to_file(path)]
    tuner.tune(trials, early_stopping=trials, measure_option=QUICK, callbacks=callbacks)
    assert f"({trials}/{trials})\n" in capsys.readouterr().err
    records = lines_of(path)
    assert len(records) == trials == len(tuner.visited) == len({json.dumps(r["knobs"]) for r in records})
    assert all(record["error"] is None for record in records)
    best = min(records, key=lambda record: np.median(record["seconds"]))
    model = model_of_two()
    with directconv.apply_history_best(path):
        compiled = directconv.compile(model)
    layers = compiled.report().layers
    assert [layer.algorithm for layer in layers] == ["direct", "direct"]
    assert dict(layers[0].tile) == best["knobs"]
    given = inputs_of(model)
    (got,), (want,) = compiled.run(given), run_onnx_runtime(model, given)
    np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-4)
    assert directconv.compile(model).report().layers[0].algorithm != "direct"


def test_an_algorithms_knobs_are_tuned_likewise(tmp_path: Path) -> None:
    path, task = tmp_path / "log.jsonl", directconv.create_task("direct_nhwc", TINY)
    config = task.config_space.get(task.config_space.indices()[-1])
    Records(path).append([make_record(task.space, task.candidate(config), 1, [1e-6])])
    layer = directconv.build_conv2d(TINY, tuning=path)
    assert layer.implementation.name == "direct_nhwc"
    assert dict(layer.implementation.tile) == config.knobs


def test_configurations_that_fail_are_told_and_end_a_run(tmp_path: Path) -> None:
    def refuses(cfg: Any, workload: Conv2dWorkload, target: Any) -> Schedule:
        cfg.define_knob("one", list(range(40)))
        if not isinstance(cfg, ConfigSpace):
            cfg.raise_error("not today")
        cfg.define_knob("never", [1])
        return direct(cfg, workload, target)

    directconv.register_template("direct", override=True)(refuses)
    tuner = directconv.RandomTuner(directconv.create_task("direct", TINY))
    path = tmp_path / "log.jsonl"
    with pytest.raises(TuningError, match="16 configurations failed, the last with: not today"):
        tuner.tune(32, measure_option=QUICK, callbacks=[directconv.log_to_file(path)])
    assert [record["error"] for record in lines_of(path)] == ["not today"] * 16


def test_records_of_another_template_are_left_alone(tmp_path: Path) -> None:
    task = directconv.create_task("direct", TINY)
    record = make_record(task.space, task.candidate(task.config_space.get(3)), 1, [1e-6])
    path = tmp_path / "log.jsonl"
    Records(path).append([record])
    assert directconv.build_conv2d(TINY, tuning=path).implementation.name == "direct"
    TEMPLATES.clear()
    assert directconv.build_conv2d(TINY, tuning=path).implementation.name != "direct"
    with pytest.raises(DirectConvError, match="nowhere"), directconv.apply_history_best(tmp_path / "nowhere"):
        pass
