"""Writes the ONNX files of this folder and what onnxruntime computes with them.

Needs numpy, onnx and onnxruntime; written with numpy 2.x, onnx 1.23.2 and onnxruntime 1.31.1.
`read_*.onnx` are one network in the ways that exporters write it; `refuse_*.onnx` are other architectures.
"""

from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper

HERE = Path(__file__).parent
RNG = np.random.default_rng(20)
D, M, K = 3, 5, 2
W, B = RNG.normal(size=(M, D)).astype(np.float32), RNG.normal(size=M).astype(np.float32)
C, O = RNG.normal(size=(K, M)).astype(np.float32), RNG.normal(size=K).astype(np.float32)
X = RNG.normal(size=(6, D)).astype(np.float32)
SHIFT, SCALE = RNG.normal(size=D).astype(np.float32), (1 + RNG.random(D)).astype(np.float32)


def raw(name, array):
    return onnx.numpy_helper.from_array(np.ascontiguousarray(array), name)


def typed(name, array):
    kind = {"float32": TensorProto.FLOAT, "float64": TensorProto.DOUBLE}[str(array.dtype)]
    return helper.make_tensor(name, kind, array.shape, array.ravel().tolist())


def node(op, inputs, output, **attributes):
    return helper.make_node(op, inputs.split(), [output], name=f"n_{output}", **attributes)


def write(name, nodes, tensors, columns=False, kind=TensorProto.FLOAT, batch=None, check=True):
    shape = [D, batch or "batch"] if columns else [batch or "batch", D]
    x = helper.make_tensor_value_info("x", kind, shape)
    y = helper.make_tensor_value_info("y", kind, ["rows", "columns"])
    graph = helper.make_graph(nodes, "g", [x], [y], tensors)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14)], ir_version=8)
    if check:
        onnx.checker.check_model(model)
    (HERE / f"{name}.onnx").write_bytes(model.SerializeToString())
    if not name.startswith("read_"):
        return
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    feed = X.astype(np.float64 if kind == TensorProto.DOUBLE else np.float32)
    out = []
    for row in feed:  # one example a call, so that a fixed batch is served too
        y = session.run(None, {"x": row[:, None] if columns else row[None]})[0]
        out.append(np.asarray(y, dtype=np.float64).ravel())
    for row, values in zip(X, out):
        EXPECTED.append([name, *map(repr, map(float, row)), *map(repr, map(float, values))])


EXPECTED = []
both = [raw("w", W), raw("b", B), raw("c", C), raw("o", O)]
turned = [raw("wt", W.T), raw("b", B), raw("ct", C.T), raw("o", O)]
relu = node("Relu", "z", "h")

write("read_torch", [node("Gemm", "x w b", "z", transB=1), relu, node("Gemm", "h c o", "y", transB=1)], both)
write("read_fixed_batch", [node("Gemm", "x w b", "z", transB=1), relu, node("Gemm", "h c o", "y", transB=1)], both, batch=1)
write("read_alpha_beta",
      [node("Gemm", "x wt b", "z", alpha=0.5, beta=-2.0), relu, node("Gemm", "h ct o", "y", alpha=3.0)],
      [typed("wt", W.T), typed("b", B), typed("ct", C.T), typed("o", O)])
write("read_no_biases", [node("Gemm", "x w", "z", transB=1), relu, node("MatMul", "h ct", "y")],
      [raw("w", W), raw("ct", C.T)])
write("read_sklearn",
      [node("Cast", "x", "x1", to=1), node("MatMul", "x1 wt", "p"), node("Add", "p b", "z"), relu,
       node("MatMul", "h ct", "q"), node("Add", "q o", "s"), node("Reshape", "s shape", "t"), node("Identity", "t", "y")],
      [raw("wt", W.T), raw("b", B[None]), raw("ct", C.T), raw("o", O[None]), raw("shape", np.array([-1, K]))])
write("read_add_first",
      [node("MatMul", "x wt", "p"), node("Add", "b p", "z"), relu, node("MatMul", "h ct", "q"), node("Add", "o q", "y")],
      turned)
write("read_columns",
      [node("MatMul", "w x", "p"), node("Add", "p b", "z"), relu, node("MatMul", "c h", "q"), node("Add", "q o", "y")],
      [raw("w", W), raw("b", B[:, None]), raw("c", C), raw("o", O[:, None])], columns=True)
write("read_columns_gemm", [node("Gemm", "wt x b", "z", transA=1), relu, node("Gemm", "h c o", "y", transA=1, transB=1)],
      [raw("wt", W.T), raw("b", B[:, None]), raw("c", C), raw("o", O)], columns=True)
write("read_scaled",
      [node("Sub", "x shift", "x1"), node("Div", "x1 scale", "x2"), node("Gemm", "x2 w b", "z", transB=1), relu,
       node("Gemm", "h c o", "s", transB=1), node("Mul", "s two", "y")],
      both + [raw("shift", SHIFT), raw("scale", SCALE), raw("two", np.array(2, np.float32))])
write("read_double", [node("Gemm", "x w b", "z", transB=1), relu, node("Gemm", "h c o", "y", transB=1)],
      [typed("w", W.astype(float) / 3), typed("b", B.astype(float)), raw("c", C.astype(float) / 3), raw("o", O.astype(float))],
      kind=TensorProto.DOUBLE)
constant = helper.make_node("Constant", [], ["w"], value=raw("", W.T))
write("read_constants", [constant, node("Transpose", "w", "w1"), node("Gemm", "x w1 b", "z", transB=1), relu,
                         node("Flatten", "h", "h1"), node("Gemm", "h1 c o", "y", transB=1)], both[1:])

end = [relu, node("Gemm", "h c o", "y", transB=1)]
first = node("Gemm", "x w b", "z", transB=1)
write("refuse_tanh", [first, node("Tanh", "z", "h"), end[1]], both)
write("refuse_softmax", [first, relu, node("Gemm", "h c o", "s", transB=1), node("Softmax", "s", "y")], both)
write("refuse_output_relu", [first, relu, node("Gemm", "h c o", "s", transB=1), node("Relu", "s", "y")], both)
write("refuse_no_relu", [first, node("Identity", "z", "y")], both)
write("refuse_linear_hidden", [first, node("Gemm", "z c o", "y", transB=1)], both)
square = [raw("v", RNG.normal(size=(M, M)).astype(np.float32))]
write("refuse_deep", [first, relu, node("Gemm", "h v", "z2", transB=1), node("Relu", "z2", "h2"),
                      node("Gemm", "h2 c o", "y", transB=1)], both + square)
write("refuse_leaky", [first, node("LeakyRelu", "z", "h"), end[1]], both)
write("refuse_half", [first, *end], [raw("w", W.astype(np.float16)), *both[1:]], check=False)
external = raw("w", W)
external.ClearField("raw_data")
external.data_location = TensorProto.EXTERNAL
external.external_data.add(key="location", value="weights.bin")
write("refuse_external", [first, *end], [external, *both[1:]], check=False)
write("refuse_skip", [first, relu, node("Gemm", "h c o", "s", transB=1), node("Add", "s x", "y")], both, check=False)

lines = ["file,x0,x1,x2,y0,y1", *(",".join(map(str, row)) for row in EXPECTED)]
(HERE / "expected.csv").write_text("\n".join(lines) + "\n")
