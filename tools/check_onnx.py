"""Compares ONNX files written by relimit with the networks that they come from, run by onnxruntime.

usage: python tools/check_onnx.py [path of the relimit program]

Every network of examples/networks is collapsed and saved as ONNX and as .npz; onnxruntime runs the first, numpy the
second and the original. Needs numpy, onnxruntime and, for checking the file itself, onnx. Exits with 1 on a difference.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import onnx
import onnxruntime

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = sys.argv[1] if len(sys.argv) > 1 else str(ROOT / "target/release/relimit")
POINTS = 10_000


def forward(file, x):
    """The function of an .npz file in numpy."""
    net = np.load(file)
    c = np.atleast_2d(net["c"])
    return np.maximum(x @ net["w"].T + net["b"], 0) @ c.T + net["offset"].ravel()


def main():
    rng = np.random.default_rng(0)
    failed = False
    names = ["trees_torch.safetensors", "trees_torch.onnx", "stackloss_sklearn.npz", "linear_sklearn.npz",
             "no_output_bias.safetensors", "two_neurons_two_outputs.safetensors"]
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            onnx_file, npz_file = Path(folder) / "narrow.onnx", Path(folder) / "narrow.npz"
            for out in (onnx_file, npz_file):
                call = [PROGRAM, "collapse", str(ROOT / "examples/networks" / name), "--save", str(out), "--json"]
                subprocess.run(call, check=True, stdout=subprocess.DEVNULL)
            onnx.checker.check_model(str(onnx_file), full_check=True)
            x = rng.normal(size=(POINTS, np.load(npz_file)["w"].shape[1]))
            session = onnxruntime.InferenceSession(str(onnx_file), providers=["CPUExecutionProvider"])
            got = session.run(None, {"x": x})[0]
            want = forward(npz_file, x)
            far = np.abs(got - want).max()
            ok = far <= 1e-12 * (1 + np.abs(want).max())
            failed |= not ok
            print(f"{name}: {POINTS} points, largest difference {far:.2e}, {'equal' if ok else 'DIFFERENT'}")
    sys.exit(int(failed))


main()
