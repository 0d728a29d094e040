#!/usr/bin/env python3
"""Host programs of others on libmxhip.so: which functions of HIP they name, and a program of IREE's
runtime that runs under mxcheck exec.

usage: programs.py BUILD [FILE ...]

FILE: further libraries or source files. For each program it prints how many of the functions that it
names libmxhip.so has, and which are missing; optional ones among them do not stop it."""
import glob
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np

from harness import done, needs, ok, skip

SITE = pathlib.Path(np.__file__).parents[1]
MATMUL = """
func.func @product(%a: tensor<64x128xf32>, %b: tensor<128x64xf32>) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<64x64xf32>
  %c = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x64xf32>) -> tensor<64x64xf32>
  %d = linalg.matmul ins(%a, %b : tensor<64x128xf32>, tensor<128x64xf32>) outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %d : tensor<64x64xf32>
}
"""


def exports(library):
    """The functions that a library defines."""
    text = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True).stdout
    return {line.split()[2].split("@")[0] for line in text.splitlines() if " T " in line or " W " in line}


def amd():
    """The functions of AMD's runtime: those that HIP's headers declare for C."""
    names = set()
    headers = ["/usr/include/hip/hip_runtime_api.h",
               *glob.glob(f"{SITE}/triton/backends/amd/include/hip/hip_runtime_api.h")]
    for header in headers:
        if pathlib.Path(header).exists():
            text = re.sub(r"/\*.*?\*/|//[^\n]*", "", pathlib.Path(header).read_text(), flags=re.S)
            names |= set(re.findall(r"^(?:\w[\w ]*(?:\(\w+\))?[ *]+)?(hip[A-Z]\w+)\s*\([^;{}]*\);", text, re.M))
    return names


def named(path, known):
    """The functions of HIP in a file: those that it imports, and those whose names it has."""
    data = pathlib.Path(path).read_bytes()
    return {name.decode() for name in re.findall(rb"\b(?:__)?hip[A-Z][A-Za-z0-9_]+\b", data)} & known


def count(title, files, have, known):
    names = set()
    for path in files:
        names |= named(path, known)
    if not names:
        skip(f"{title}: functions of HIP", "not installed")
        return
    missing = sorted(names - have)
    print(f"# {title}: {len(names) - len(missing)} of {len(names)}"
          + (f", without {' '.join(missing)}" if missing else ""))


def forms(header, include, folder):
    """What forms.c prints of a header."""
    here = pathlib.Path(__file__).parent
    subprocess.run(["cc", "-w", "-std=gnu11", f"-DFORMS={header}", *include, here / "forms.c",
                    "-o", f"{folder}/forms"], check=True)
    return subprocess.run(f"{folder}/forms", capture_output=True, text=True, check=True).stdout.splitlines()


def compare_forms(folder):
    """Numbers and structures are those of HIP 7, whose header Triton has."""
    title = "structures and numbers are those of HIP 7's header"
    include = f"{SITE}/triton/backends/amd/include"
    if not pathlib.Path(include).exists():
        skip(title, "Triton is not installed")
        return
    new = forms("<hip/hip_runtime_api.h>", ["-I", include], folder)
    ours = forms('"../../ref/hip/hip7.h"', [], folder)
    ok(new == ours, f"{title}: {len(new)}", "\n".join(f"{a} != {b}" for a, b in zip(ours, new) if a != b))


def run_iree(mxcheck, folder):
    source, module = f"{folder}/product.mlir", f"{folder}/product.vmfb"
    pathlib.Path(source).write_text(MATMUL)
    tools = pathlib.Path(sys.executable).parent
    subprocess.run([tools / "iree-compile", "--iree-hal-target-device=hip", "--iree-rocm-target=gfx950",
                    source, "-o", module], check=True, capture_output=True)
    random = np.random.default_rng(1)
    a = random.integers(-8, 8, (64, 128)).astype(np.float32)
    b = random.integers(-8, 8, (128, 64)).astype(np.float32)
    np.save(f"{folder}/a.npy", a)
    np.save(f"{folder}/b.npy", b)
    ran = subprocess.run([mxcheck, "exec", "--race", "20", "--", tools / "iree-run-module", "--device=hip",
                          f"--module={module}", "--function=product", f"--input=@{folder}/a.npy",
                          f"--input=@{folder}/b.npy", f"--output=@{folder}/c.npy"],
                         capture_output=True, text=True)
    last = ran.stdout.splitlines()[-1] if ran.stdout else ""
    ok(ran.returncode == 0 and re.match(r"exec: \d+ launch.* proved, \d+ repetitions; 0 findings", last),
       "a product by iree-run-module --device=hip is proved", ran.stdout[-500:] + ran.stderr[-500:])
    c = pathlib.Path(f"{folder}/c.npy")
    ok(c.exists() and np.array_equal(np.load(c), a @ b), "and is right")


def main():
    build, *files = sys.argv[1:]
    have = exports(f"{build}/libmxhip.so")
    known = amd() | have
    count("Triton's driver", glob.glob(f"{SITE}/triton/backends/amd/driver.c"), have, known)
    count("IREE's HAL", glob.glob(f"{SITE}/iree/_runtime_libs/*.so"), have, known)
    count("bitsandbytes", glob.glob(f"{SITE}/bitsandbytes/*rocm*.so"), have, known)
    count("CuPy for ROCm", glob.glob(f"{SITE}/cupy*/**/*.so", recursive=True), have, known)
    count("XLA for ROCm", glob.glob(f"{SITE}/jax_plugins/xla_rocm*/*.so"), have, known)
    count("tinygrad's device HIP", glob.glob(f"{SITE}/tinygrad/runtime/ops_hip.py"), have, known)
    count("AITER's host code", [f for path in sys.path for f in glob.glob(f"{path}/aiter_meta/csrc/**/*.*", recursive=True)], have, known)
    missing = sorted(amd() - have)
    print(f"# of {len(amd())} functions that AMD's headers declare, {len(missing)} are missing: {' '.join(missing)}")
    for path in files:
        count(path, [path], have, known)
    with tempfile.TemporaryDirectory() as folder:
        compare_forms(folder)
    needs("iree.runtime", "a product by iree-run-module --device=hip is proved")
    needs("iree.compiler", "a product by iree-run-module --device=hip is proved")
    with tempfile.TemporaryDirectory() as folder:
        run_iree(f"{build}/mxcheck", folder)
    return done()


sys.exit(main())
