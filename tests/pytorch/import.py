# SPDX-License-Identifier: GPL-3.0-or-later
"""Gradients in .npz and .safetensors files become traces; what is wrong with a file is one line.
Safetensors files are made here byte by byte."""
import json
import os

from support import PROGRAM, check, in_scratch, need, refuses, run, same, script, simulate

need("h5py", "numpy")
import h5py
import numpy as np

rng = np.random.default_rng(7)
A, B = rng.normal(size=(2, 3, 2, 4, 3)).astype("f4"), rng.normal(size=(2, 3, 3)).astype("f4")  # [step, worker, ...]


def safetensors(path, entries, header=None, tail=b""):
    """entries: name -> (dtype, shape, bytes)."""
    table, data = {"__metadata__": {"format": "pt"}}, b""
    for name, (dtype, shape, raw) in entries.items():
        table[name] = {"dtype": dtype, "shape": list(shape), "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = (json.dumps(table) if header is None else header).encode()
    with open(path, "wb") as file:
        file.write(len(text).to_bytes(8, "little") + text + data + tail)


def f32(array):
    return "F32", array.shape, array.astype("<f4").tobytes()


def convert(*arguments):
    return script("import_trace.py", "-o", "t.h5", *arguments)


def check_trace(steps, workers, scale=1, losses=None):
    with h5py.File("t.h5", "r") as f:
        same([n.decode() for n in f["layers/name"][:]], ["fc.weight", "fc.bias"], "layers")
        same(f["layers/shape"][:].tolist(), [[2, 4, 3, 0], [3, 0, 0, 0]], "shapes")
        wanted = np.concatenate([A.reshape(2, 3, -1), B], axis=2)[:steps, :workers]
        check(np.array_equal(f["gradients"][:], wanted * np.float32(scale)), "values")
        if losses is not None:
            same(f["loss"][:].tolist(), losses, "losses")
    info = run(PROGRAM, "trace", "info", "t.h5")
    check("fc.weight" in info, info)
    first = simulate('egc.workload.trace { file = "t.h5" }', workers, steps)
    same(simulate('egc.workload.trace { file = "t.h5" }', workers, steps), first, "two runs")


def test_one_npz_with_everything():
    arrays = {}
    for s in range(2):
        for w in range(3):
            arrays |= {f"step{10 * s}/worker{w}/fc.weight": A[s, w], f"step{10 * s}/worker{w}/fc.bias": B[s, w],
                       f"step{10 * s}/worker{w}/loss": np.float64(s + w / 4)}
    np.savez_compressed("all.npz", **arrays)
    same(convert("all.npz"), "t.h5: 2 steps of 3 workers, 2 layers, 27 parameters\n", "says")
    check_trace(2, 3, losses=[[0, 0.25, 0.5], [1, 1.25, 1.5]])


def test_files_are_steps():
    np.savez("b.npz", **{"fc.weight": A[0, 0], "fc.bias": B[0, 0]})
    np.savez("a.npz", **{"fc.weight": A[1, 0], "fc.bias": B[1, 0]})
    convert("b.npz", "a.npz", "--batch", "8", "--model", "toy")
    check_trace(2, 1)
    with h5py.File("t.h5", "r") as f:
        same((f.attrs["model"], int(f.attrs["batch"])), (b"toy", 8), "notes")
        same(f["layers/forward_flops"][:].tolist(), [384, 48], "FLOPs")
        same(f["layers/backward_flops"][:].tolist(), [768, 96], "FLOPs")


def test_names_of_files_say_step_and_worker():
    files = []
    for s in range(2):
        for w in range(3):
            files.append(f"step{s}.rank{w}.safetensors")
            safetensors(files[-1], {"fc.weight": f32(A[s, w]), "fc.bias": f32(B[s, w])})
    convert(*reversed(files))
    check_trace(2, 3)


def test_other_types_and_order():
    half, wide = np.array([1.5, -2, 65504], "<f2"), np.array([0.1, 1e300, -0.0], "<f8")
    brain = np.array([0x3F80, 0xC000, 0x7F80], "<u2")  # 1, -2, inf
    safetensors("o.safetensors", {"a": ("F16", (3,), half.tobytes()), "b": ("F64", (3,), wide.tobytes()),
                                  "c": ("BF16", (3, 1), brain.tobytes()), "s": ("F32", (), b"\0\0\0\x40")})
    with open("order", "w") as file:
        file.write("s\nc\n\nb\na\n")
    convert("o.safetensors", "--order", "order")
    with h5py.File("t.h5", "r") as f:
        same(f["layers/name"][:].tolist(), [b"s", b"c", b"b", b"a"], "order")
        same(f["gradients"][0, 0].tolist(),
             [2, 1, -2, np.inf, float(np.float32(0.1)), np.inf, 0, 1.5, -2, 65504], "values")
        same(f["layers/shape"][0].tolist(), [1, 0, 0, 0], "a scalar")
    run(PROGRAM, "trace", "info", "t.h5")
    with open("order", "w") as file:
        file.write("a\nb\nc\n")
    refuses("order: does not name s", "import_trace.py", "-o", "x.h5", "o.safetensors", "--order", "order")
    with open("order", "w") as file:
        file.write("a\nb\nc\ns\nz\n")
    refuses("order: z is no layer of the gradients", "import_trace.py", "-o", "x.h5", "o.safetensors", "--order", "order")


def bad(line, *files):
    refuses(line, "import_trace.py", "-o", "x.h5", *files)
    check(not os.path.exists("x.h5") and not os.path.exists("x.h5.partial"), "a file is left behind")


def test_bad_safetensors():
    path = "bad.safetensors"

    def header(text, line, tail=b"\0" * 8):
        safetensors(path, {}, header=text, tail=tail)
        bad(f"{path}: {line}", path)

    def entry(dtype, shape, offsets):
        return json.dumps({"w": {"dtype": dtype, "shape": shape, "data_offsets": offsets}})

    with open(path, "wb") as file:
        file.write(b"\1\2")
    bad(f"{path}: not a safetensors file: header of 513 bytes in a file of 2", path)
    with open(path, "wb") as file:
        file.write(b"\xff" * 8)
    bad(f"{path}: not a safetensors file: header of {2**64 - 1} bytes in a file of 8", path)
    header("[]", "not a safetensors file: header: not an object")
    header("[" * 100000, "not a safetensors file: header: nested too deeply")
    header('{"w": 1, "w": 2}', "not a safetensors file: header: key 'w' is there twice")
    header('{"w": 1}', "w: must have dtype, shape and two data_offsets")
    header(entry("I64", [1], [0, 8]), "w: dtype must be F64, F32, F16, BF16, got I64")
    header(entry("F32", [2], [0, 4]), "w: F32 [2] takes 8 bytes, got bytes 0 to 4 of 8")
    header(entry("F32", [2], [4, 12]), "w: F32 [2] takes 8 bytes, got bytes 4 to 12 of 8")
    header(entry("F32", [-2], [0, 8]), "w: shape and data_offsets must be integers from 0 on")
    header(entry("F32", [2.0], [0, 8]), "w: shape and data_offsets must be integers from 0 on")
    header(entry("F32", [0], [0, 0]), "w is empty")
    header("{}", "holds no arrays")


def test_bad_npz_and_sets():
    with open("bad.npz", "wb") as file:
        file.write(b"PK nothing")
    bad("bad.npz: not an .npz file: File is not a zip file", "bad.npz")
    np.savez("int.npz", w=np.arange(3))
    bad("int.npz: w: dtype must be float16, float32 or float64, got int64", "int.npz")
    np.savez("object.npz", w=np.array([{}], dtype=object))
    bad("object.npz: w: dtype must be float16, float32 or float64, got object", "object.npz")
    bad("gone.npz: cannot read: No such file or directory", "gone.npz")
    bad("notes.txt: must be a .npz or .safetensors file", "notes.txt")
    np.savez("hole.npz", **{"worker0/w": np.ones(2), "worker2/w": np.ones(2)})
    bad("step 0, worker 1: no gradient of w", "hole.npz")
    np.savez("shape.npz", **{"step0/w": np.ones(2), "step1/w": np.ones(3)})
    bad("shape.npz: step 1, worker 0: w must be [2], got [3]", "shape.npz")
    np.savez("more.npz", **{"step0/w": np.ones(2), "step1/w": np.ones(2), "step1/v": np.ones(3)})
    bad("more.npz: step 1, worker 0: v is not in the first step", "more.npz")
    np.savez("step3.npz", w=np.ones(2))
    np.savez("step03.npz", w=np.ones(2))
    bad("step03.npz: w of step 3, worker 0 is in step3.npz too", "step3.npz", "step03.npz")
    np.savez("loss.npz", w=np.ones(2), loss=np.ones(2))
    bad("loss.npz: loss must be one number, got [2]", "loss.npz")
    refuses("more.npz: is one of the inputs", "import_trace.py", "-o", "more.npz", "more.npz")
    np.savez("cut.npz", w=rng.normal(size=5000))
    data = bytearray(open("cut.npz", "rb").read())
    data[3000] ^= 255
    open("cut.npz", "wb").write(data)
    bad("cut.npz: w: Bad CRC-32 for file 'w.npy'", "cut.npz")


def main():
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            test()
            print(f"ok {name}")


in_scratch(main)
