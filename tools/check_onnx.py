"""Runs the ONNX files that relimit writes with onnxruntime and compares them with the networks that they come from.

usage: python tools/check_onnx.py [--write] [path of the relimit program]

Every network of examples/networks is collapsed and saved as ONNX; onnxruntime runs the file, numpy the original. With
--write two of them are kept in examples/networks with what onnxruntime computed, for the tests. Needs numpy, onnxruntime
and onnx (the packages, not only the runtime). Exits with 1 on a difference.
"""

import json
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import onnx
import onnxruntime

ROOT = Path(__file__).resolve().parent.parent
NETWORKS = ROOT / "examples/networks"
POINTS = 10_000
# name of the original, box of the inputs (None: everywhere), name of the pair that --write keeps
CASES = [
    ("trees_torch.safetensors", "0:1,0:1", "narrow_trees"),
    ("stackloss_sklearn.npz", None, "narrow_stackloss"),
    ("linear_sklearn.npz", None, None),
    ("linear_two.npz", None, None),
    ("no_output_bias.safetensors", None, None),
    ("two_neurons_two_outputs.safetensors", None, None),
]


def tensors(file):
    """The tensors of a .safetensors file, by the last two words of their names."""
    raw = file.read_bytes()
    (size,) = struct.unpack("<Q", raw[:8])
    header, body = json.loads(raw[8 : 8 + size]), raw[8 + size :]
    kinds = {"F32": np.float32, "F64": np.float64}
    out = {}
    for name, t in header.items():
        if name != "__metadata__":
            start, end = t["data_offsets"]
            value = np.frombuffer(body[start:end], kinds[t["dtype"]]).reshape(t["shape"]).astype(float)
            out[".".join(name.split(".")[-2:])] = value
    return out


def original(file):
    """w, b, c, offset of a file that another program wrote."""
    if file.suffix == ".npz":
        net = np.load(file)
        return net["w"], net["b"], np.atleast_2d(net["c"]), net["offset"].ravel()
    t = tensors(file)
    w, c = t["0.weight"], t["2.weight"]
    return w, t.get("0.bias", np.zeros(len(w))), c, t.get("2.bias", np.zeros(len(c)))


def write(path, names, x, outputs):
    header = names + [f"output{o}" for o in range(outputs.shape[1])]
    rows = [",".join(repr(float(v)) for v in row) for row in np.hstack([x, outputs])]
    path.write_text("\n".join([",".join(header), *rows]) + "\n")


def main():
    keep = "--write" in sys.argv
    given = [a for a in sys.argv[1:] if a != "--write"]
    program = given[0] if given else str(ROOT / "target/release/relimit")
    rng = np.random.default_rng(0)
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        for name, box, kept in CASES:
            file = NETWORKS / f"{kept}.onnx" if keep and kept else Path(folder) / "narrow.onnx"
            call = [program, "collapse", str(NETWORKS / name), "--save", str(file), "--json"]
            call += ["--box", box] if box else []
            answer = json.loads(subprocess.run(call, check=True, capture_output=True, text=True).stdout)
            onnx.checker.check_model(str(file), full_check=True)
            w, b, c, offset = original(NETWORKS / name)
            x = rng.uniform(0, 1, size=(POINTS, w.shape[1])) if box else rng.normal(size=(POINTS, w.shape[1]))
            want = np.maximum(x @ w.T + b, 0) @ c.T + offset
            session = onnxruntime.InferenceSession(str(file), providers=["CPUExecutionProvider"])
            got = session.run(None, {"x": x})[0]
            far = np.abs(got - want).max()
            ok = far <= 1e-12 * (1 + np.abs(want).max())
            failed |= not ok
            widths = f"{answer['width']} -> {answer['effective_width']} neurons"
            print(f"{name}: {widths}, {POINTS} points, largest difference {far:.2e}, {'equal' if ok else 'DIFFERENT'}")
            if keep and kept:
                own = np.load(NETWORKS / name) if name.endswith(".npz") else {}
                names = [str(v) for v in own["features"]] if "features" in own else [f"x{k}" for k in range(x.shape[1])]
                write(NETWORKS / f"{kept}.csv", names, x[:40], got[:40])
    sys.exit(int(failed))


main()
