"""What is wrong with a Relay model: one clear error, with line and column, and never a crash or a hang."""

from __future__ import annotations

import base64
import json
import re
import struct
import time
from pathlib import Path

import numpy as np
import pytest
from graph_support import draw
from relay_printer import write_metadata
from relay_support import LOOP, SAMPLES, program, sample_params, sample_text

import tvm_directconv as directconv
from relay_strategies.frontends.parameters import read_params
from tvm_directconv import from_relay
from tvm_directconv.errors import ModelError, UnsupportedOperatorError

X = {"x": draw(1, 8, 6, 6)}
PLACE = re.compile(r"line \d+, column \d+")


def error_of(text: str, params: dict[str, np.ndarray] | None = None) -> str:
    """The message of the error that a text must raise; it is one line."""
    with pytest.raises(ModelError) as caught:
        from_relay(text, params)
    assert "\n" not in str(caught.value)
    return str(caught.value)


# ---- text that is not Relay's


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("\n", "line 1, column 1: the text is empty"),
        ('#[version = "0.0.9"]\ndef @main() { 1 }', "line 1, column 1: version '0.0.9' .* is not known"),
        ("def @main() {\n  nn.relu(%x\n", "line 2, column 13: the text ends too early"),
        ("def @main() {\n  %0 = nn.relu(%x)\n}", "line 3, column 1: '}' is not expected here"),
        ("def @main() {\n  nn.relu(%x))\n}", r"line 2, column 14: '\)' is not expected here"),
        ("def @main() { $ }", r"line 1, column 15: '\$' is not expected here"),
        ("def @main() { /* comment }", "line 1, column 15: this comment does not end"),
        ('def @main() { f(1, a="text) }', "line 1, column 22: '\"text"),
        ("type List[A] {\n}", "line 1, column 6: algebraic data types are not supported"),
        ("def @main(%x: int64) { match (%x) { } }", "line 1, column .* is"),
        ("def @main(%x: int64) { ref(%x) }", "not supported: ref"),
        ("def @f() { 1 }\ndef @f() { 2 }", "line 2, column 1: @f is defined twice"),
        ("def @f() { 1 }", "line 1, column 1: the module lacks a function @main; it has @f"),
        ("def @main() { f(a=1, a=2) }", "line 1, column 22: attribute 'a' is given twice"),
        ("def @main(%x: int64) { free_var %y: int64; %y }", "line 1, column 33: free_var"),
    ],
)
def test_broken_text(text: str, message: str) -> None:
    assert re.search(message, error_of(text))


@pytest.mark.parametrize("name", ["mlp", "squeezenet"])
@pytest.mark.parametrize("part", [0.2, 0.5, 0.9, 0.999])
def test_truncated_samples(name: str, part: float) -> None:
    text = sample_text(name)
    message = error_of(text[: int(len(text) * part)])
    assert PLACE.search(message)


def test_errors_name_the_file(tmp_path: Path) -> None:
    path = tmp_path / "broken.relay"
    path.write_text("def @main() { ")
    with pytest.raises(ModelError, match=r"broken\.relay': line 1, column 14: the text ends too early"):
        from_relay(path)
    with pytest.raises(ModelError, match=r"nowhere\.relay': no such file"):
        directconv.compile(tmp_path / "nowhere.relay")
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ModelError, match=r"broken\.relay' is not a text"):
        from_relay(path)
    with pytest.raises(ModelError, match=r"'x' cannot have shape \(2\)"):
        directconv.compile("def @main(%x: int64) { %x }", shapes={"x": (2,)})


# ---- programs that make no sense


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("nn.relu(%y)", "line 3, column 11: %y is not defined"),
        ("%0 = nn.relu(%x); %1", "line 3, column 21: %1 is not defined"),
        ("%x.0", "line 3, column 3: .0 of a value that is not a tuple"),
        ("(%x, %x).2", "line 3, column 3: .2 of a tuple of 2"),
        ("nn.relu()", "line 3, column 3: nn.relu: operand 1 is missing"),
        ("nn.relu((%x,))", "line 3, column 3: nn.relu: operand 1 is a tuple, not a tensor"),
        ("concatenate(%x)", "line 3, column 3: concatenate: operand 1 is not a tuple"),
        ("@f(%x)", "line 3, column 3: @f is not defined"),
        ("%x(%x)", "line 3, column 3: what is called is a tensor"),
        ("@main(%x)", "line 3, column 3: recursion"),
        ("%0 = fn (%a) { %a }; %0(%x, %x)", "line 3, column 24: 2 arguments for a function of 1"),
        ("fn (%a) { %a }", "@main returns a function"),
        ("nn.relu", "line 3, column 3: OperatorName is not supported as a value"),
        ("meta[relay.Constant][0]", "line 3, column 3: .* the text lacks a #\\[metadata\\] section"),
        ("nn.relu(%x, axis=1)", "line 3, column 15: nn.relu lacks an attribute 'axis'"),
        ("nn.softmax(%x, axes=1)", "line 3, column 18: nn.softmax lacks an attribute 'axes'.*mean 'axis'"),
        ('nn.softmax(%x, axis="1")', "line 3, column 18: nn.softmax: axis='1' should be an integer"),
        ("nn.softmax(%x, axis=4)", "line 3, column 3: nn.softmax: axis 4 is none of a tensor of 4"),
        ("nn.max_pool2d(%x)", "line 3, column 3: nn.max_pool2d: attribute 'pool_size' is missing"),
        ("nn.max_pool2d(%x, pool_size=[1, 2, 3])", "column 21: .* should be two positive integers"),
        ("nn.max_pool2d(%x, pool_size=[2, 2], padding=[1, 2, 3])", "one, two or four integers"),
        ('nn.max_pool2d(%x, pool_size=[2, 2], layout="CHWN")', "layout 'CHWN' is not supported"),
        ("reshape(%x, newshape=[5, -1])", r"newshape=\[5, -1\] does not fit \(1, 8, 6, 6\)"),
        ("transpose(%x, axes=[0, 0, 1, 2])", "is not an order of 4 dimensions"),
        ("squeeze(%x, axis=[1])", r"axes \[1\] of \(1, 8, 6, 6\) are not 1"),
        ('cast(%x, dtype="bfloat17")', "dtype 'bfloat17' is not supported"),
        ("add(%x, 1)", "line 3, column 3: add: operands are float32 and int32"),
        ("add(%x, reshape(%x, newshape=[8, 36]))", "line 3, column 3: add: "),
        ("nn.pad(%x, 0f, pad_width=[[0, 0]])", "pad_width should be 4 pairs of integers"),
        ("strided_slice(%x, begin=[7], end=[9], axes=[1])", "line 3"),
        ("strided_slice(%x, begin=[9], end=[9], axes=[1])", "nothing is left of axis 1, which is 8"),
        ("split(%x, indices_or_sections=3, axis=1)", "8 cannot be split into 3 equal parts"),
        ('layout_transform(%x, src_layout="NCHW", dst_layout="NCHW3c")', "8 channels are not a multiple"),
    ],
)
def test_programs_that_make_no_sense(body: str, message: str) -> None:
    if body.startswith("strided_slice") and message == "line 3":
        from_relay(program(body, X))  # a slice past the end is cut
        return
    assert re.search(message, error_of(program(body, X)))


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ("channels=5", "channels=5, but the weight has 4"),
        ("kernel_size=[5, 5]", r"kernel_size=\[5, 5\], but the weight has \[3, 3\]"),
        ("groups=3", "8 input channels are not a multiple of 3 groups"),
        ("groups=2", "is for 16 input channels, the data has 8"),
        ('data_layout="CHWN"', "data_layout 'CHWN' is not supported"),
        ('data_layout="NHWC"', "the weight .*, the data has 6"),
        ('kernel_layout="OIHX"', "kernel_layout 'OIHX' is not supported"),
        ('data_layout="NCHW3c"', "a tensor of 4 dimensions is not NCHW3c"),
        ('out_layout="HWCN"', "line 3"),
        ("strides=[0, 1]", "should be two positive integers"),
        ("dilation=[9, 9]", "line 3, column 3: nn.conv2d: "),
    ],
)
def test_convolutions_that_do_not_fit(attributes: str, message: str) -> None:
    weight = draw(4, 8, 3, 3)
    text = program(f"nn.conv2d(%x, %w, {attributes})", {**X, "w": weight})
    if attributes.startswith("out_layout"):
        from_relay(text, {"w": weight})
        return
    assert re.search(message, error_of(text, {"w": weight}))


@pytest.mark.parametrize(
    ("declared", "message"),
    [
        ("%x", "line 1, column 11: parameter %x does not have a tensor type"),
        ("%x: (int64, int64)", "line 1, column 11: parameter %x does not have a tensor type"),
        ("%x: Tensor[(1, ?), float32]", "dimension that is not known before run time"),
        ("%x: Tensor[(1, 0), float32]", r"parameter %x has shape \(1, 0\)"),
        ("%x: Tensor[(99999999999), float32]", r"parameter %x has shape \(99999999999,\)"),
        ("%x: Tensor[(2), float33]", "parameter %x: dtype 'float33' is not known"),
        ("%x: int64, %x: int64", "line 1, column 22: two parameters are called %x"),
    ],
)
def test_parameters_without_a_shape(declared: str, message: str) -> None:
    assert re.search(message, error_of(f"def @main({declared}) {{ %x }}"))


@pytest.mark.parametrize(
    ("result", "message"),
    [
        (
            "Tensor[(1, 8, 6, 7), float32]",
            r"declared to return float32\[1, 8, 6, 7\], and computes float32\[",
        ),
        ("Tensor[(1, 8, 6, 6), int8]", "declared to return int8"),
        ("(Tensor[(1, 8, 6, 6), float32],)", "declared to return a tuple of 1"),
    ],
)
def test_results_are_what_is_declared(result: str, message: str) -> None:
    assert re.search(rf"line 2, column 1: .*{message}", error_of(program("nn.relu(%x)", X, result)))


def test_everything_unsupported_is_said_at_once() -> None:
    binary = "nn.bitserial_dense"
    text = program(f"%0 = {binary}(%x, %x); %1 = nms(%0); %2 = {binary}(%1); nn.relu(%2)", X)
    with pytest.raises(UnsupportedOperatorError) as caught:
        from_relay(text)
    assert re.search(
        r"nn\.bitserial_dense.* \(line 3, column 8 and 1 more\); nms.*\(line 3, column 41\)",
        str(caught.value),
    )
    assert "relu" not in str(caught.value)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (LOOP.format('cast(sum(%v), dtype="int32")'), "recursion whose end is known at run time only"),
        (LOOP.format(10**6), "more than 80 levels deep"),
        ("if (less(sum(%x), 1f)) { %x } else { sum(%x) }", "the branches make tensors of other types"),
    ],
)
def test_control_flow_that_depends_on_data(body: str, message: str) -> None:
    assert message in error_of(program(body, X))


def test_inlining_has_an_end() -> None:
    functions = "\n".join(f"def @f{i}(%x: int64) {{ add(@f{i + 1}(%x), @f{i + 1}(%x)) }}" for i in range(40))
    text = f"{functions}\ndef @f40(%x: int64) {{ %x }}\ndef @main(%x: int64) {{ @f0(%x) }}"
    assert "which is the limit; fewer turns or calls" in error_of(text)


@pytest.mark.parametrize(
    "body",
    [
        "".join(f"let %t{i + 1} = (%t{i}, %t{i});" for i in range(60)).join(("let %t0 = %x; ", " %t60")),
        "".join(f"let %t{i + 1} = (%t{i},);" for i in range(5000)).join(("let %t0 = %x; ", " %t5000")),
        "9" * 5000,
        "%x." + "9" * 5000,
        f"meta[relay.Constant][{'9' * 5000}]",
        f"nn.softmax(%x, axis={'9' * 5000})",
        "nn.conv2d_transpose(%x, %w, strides=[99999, 99999])",
        "nn.conv2d_transpose(%x, %w, dilation=[99999, 99999])",
        "nn.adaptive_max_pool2d(%x, output_size=[999999999])",
        "%0 = tile(%x, reps=[9999999, 9999999, 9999999]); nn.relu(%0, a=1)",
        "split(broadcast_to(%w, shape=[8, 4, 3, 2000000000]), indices_or_sections=1000000000, axis=3)",
        "nn.upsampling(%x, scale_h=inff)",
    ],
)
def test_a_few_digits_do_not_take_the_machine(body: str) -> None:
    start = time.process_time()
    error_of(program(body, {**X, "w": draw(8, 4, 3, 3)}), {"w": draw(8, 4, 3, 3)})
    assert time.process_time() - start < 30


# ---- parameters


def test_parameters_that_do_not_fit() -> None:
    text, params = sample_text("mlp"), sample_params("mlp")
    message = error_of(text, {k: v for k, v in params.items() if k != "fc2_weight"})
    assert "weights without a value: %fc2_weight (line 2, column 238); give them in params" in message
    message = error_of(text, params | {"fc9_weight": params["fc2_weight"]})
    assert "params has 'fc9_weight', no parameter of @main (did you mean 'fc" in message
    message = error_of(text, params | {"fc1_bias": params["fc2_bias"]})
    assert "line 2, column 171: params['fc1_bias'] is float32[64], the text says float32[128]" in message
    message = error_of(text, params | {"fc1_bias": params["fc1_bias"].astype(np.float64)})
    assert "params['fc1_bias'] is float64[128], the text says float32[128]" in message
    with pytest.raises(ModelError, match="not an array of numbers"):
        from_relay(text, {"fc1_bias": "text"})
    with pytest.raises(ModelError, match=r"nowhere\.params': no such file"):
        from_relay(text, SAMPLES / "nowhere.params")


def test_broken_params_files() -> None:
    data = (SAMPLES / "mlp.params").read_bytes()
    for broken, message in (
        (b"", "not a file written by relay.save_param_dict"),
        (b"text" * 20, "not a file written by relay.save_param_dict"),
        (data[:100], "truncated|is missing"),
        (data[:-1], "bytes, of which"),
        (data[:16] + struct.pack("<Q", 1 << 60) + data[24:], "says it has|is missing"),
        (data[:24] + struct.pack("<Q", 1 << 60) + data[32:], "says it has"),
    ):
        with pytest.raises(ModelError, match=message):
            read_params(broken, "the file")


# ---- the metadata section

CONSTANT = "def @main() { meta[relay.Constant][0] }\n"


def section(**changes: object) -> str:
    text = write_metadata([np.arange(6, dtype=np.float32)])
    return "#[metadata]\n" + json.dumps(json.loads(text.split("\n", 1)[1]) | changes)


def tensor(shape: int, size: int, data: bytes = b"", dtype: int = 2, bits: int = 32) -> str:
    head = struct.pack("<QQiiiBBH", 0xDD5E40F096B4A13F, 0, 1, 0, 1, dtype, bits, 1)
    return base64.b64encode(head + struct.pack("<qq", shape, size) + data).decode()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("#[metadata]\n{,}", "line 3, column 2: metadata section: "),
        ("#[metadata]\n", "line 2, column 12: metadata section|line 3, column 1: metadata section"),
        ("#[metadata]\n[]", "is not a JSON object"),
        ("#[metadata]\n{}", "lacks a list 'nodes'"),
        ("#[metadata]\n" + "[" * 100_000, "metadata section"),
        (section(nodes=3), "lacks a list 'nodes'"),
        (section(root=77), "lacks node 77"),
        (section(root="two"), "lacks node -1"),
        (section(root=2), "its root is not a map of kinds"),
        (section(nodes=[]), "lacks node 1"),
        (section(b64ndarrays=[]), "line 1, column 15: .* lacks tensor 0"),
        (section(b64ndarrays=[7]), "line 1, column 15: .* ends too early"),
        (section(b64ndarrays=["*"]), "line 1, column 15: .* is not base64"),
        (section(b64ndarrays=["QUJD"]), "line 1, column 15: .* ends too early"),
        (section(b64ndarrays=["Q" * 80]), "does not begin as a tensor does"),
        (section(b64ndarrays=[tensor(6, 24)]), "has 24 bytes, of which 0 are there"),
        (
            section(b64ndarrays=[tensor(1 << 60, 24)]),
            r"says it is float32\[1152921504606846976\] in 24 bytes",
        ),
        (section(b64ndarrays=[tensor(1 << 60, 1 << 62)]), "of which 0 are there"),
        (section(b64ndarrays=[tensor(-1, -4)]), r"says it is float32\[-1\]"),
        (section(b64ndarrays=[tensor(1, 4, b"1234", bits=13)]), "type that is not supported"),
        (section(b64ndarrays=[tensor(1, 4, b"1234", dtype=9)]), "type that is not supported"),
        (section(b64ndarrays=[tensor(1, 4, b"12345678")]), "followed by 4 more bytes"),
    ],
)
def test_broken_metadata(text: str, message: str) -> None:
    assert re.search(message, error_of(CONSTANT + text))


def test_only_constants_are_taken_from_the_metadata_section() -> None:
    text = section().replace("relay.Constant", "relay.attrs.Conv2DAttrs")
    assert "only constants" in error_of(CONSTANT.replace("relay.Constant", "relay.attrs.Conv2DAttrs") + text)
    assert "the metadata section has 1 of that kind" in error_of(CONSTANT.replace("[0]", "[3]") + section())
