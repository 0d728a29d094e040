#!/usr/bin/env python3
"""Programs that IREE compiles: MXFP4 products with and without data tiling, and attention.

usage: iree_kernels.py FOLDER [ARCH]

Compiles them for gfx950, or ARCH, which needs no GPU, and writes FOLDER/iree_NAME.co and
FOLDER/iree_NAME.yaml, a case with a step for each dispatch. The order of the dispatches, their
workgroups and their arguments are those of IREE's own program for its virtual machine."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from harness import needs

COMPILER = pathlib.Path(sys.executable).with_name("iree-compile")
ARCH = (sys.argv[2:] or ["gfx950"])[0]
TARGET = ["--iree-hal-target-device=hip", f"--iree-rocm-target={ARCH}"]
TILED = ["--iree-opt-data-tiling", "--iree-rocm-encoding-layout-resolver=data-tiling",
         "--iree-rocm-enable-tensor-ukernels"]

PRODUCT = """
#a = affine_map<(m, n, k, b) -> (m, k, b)>
#b = affine_map<(m, n, k, b) -> (n, k, b)>
#sa = affine_map<(m, n, k, b) -> (m, k)>
#sb = affine_map<(m, n, k, b) -> (n, k)>
#c = affine_map<(m, n, k, b) -> (m, n)>
func.func @product(%a8: tensor<{M}x{KB}x16xi8>, %sa8: tensor<{M}x{KB}xi8>, %b8: tensor<{N}x{KB}x16xi8>, %sb8: tensor<{N}x{KB}xi8>) -> tensor<{M}x{N}xf32> {{
  %a = iree_tensor_ext.bitcast %a8 : tensor<{M}x{KB}x16xi8> -> tensor<{M}x{KB}x32xf4E2M1FN>
  %b = iree_tensor_ext.bitcast %b8 : tensor<{N}x{KB}x16xi8> -> tensor<{N}x{KB}x32xf4E2M1FN>
  %sa = iree_tensor_ext.bitcast %sa8 : tensor<{M}x{KB}xi8> -> tensor<{M}x{KB}xf8E8M0FNU>
  %sb = iree_tensor_ext.bitcast %sb8 : tensor<{N}x{KB}xi8> -> tensor<{N}x{KB}xf8E8M0FNU>
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<{M}x{N}xf32>
  %c = linalg.fill ins(%zero : f32) outs(%empty : tensor<{M}x{N}xf32>) -> tensor<{M}x{N}xf32>
  %d = linalg.generic {{ indexing_maps = [#a, #b, #sa, #sb, #c], iterator_types = ["parallel", "parallel", "reduction", "reduction"] }}
    ins(%a, %b, %sa, %sb : tensor<{M}x{KB}x32xf4E2M1FN>, tensor<{N}x{KB}x32xf4E2M1FN>, tensor<{M}x{KB}xf8E8M0FNU>, tensor<{N}x{KB}xf8E8M0FNU>)
    outs(%c : tensor<{M}x{N}xf32>) {{
    ^bb0(%x: f4E2M1FN, %y: f4E2M1FN, %s: f8E8M0FNU, %t: f8E8M0FNU, %o: f32):
      %u = arith.scaling_extf %x, %s : f4E2M1FN, f8E8M0FNU to f32
      %v = arith.scaling_extf %y, %t : f4E2M1FN, f8E8M0FNU to f32
      %p = arith.mulf %u, %v : f32
      %q = arith.addf %o, %p : f32
      linalg.yield %q : f32
  }} -> tensor<{M}x{N}xf32>
  return %d : tensor<{M}x{N}xf32>
}}
"""
ATTENTION = """
#q = affine_map<(b, m, n, d, t) -> (b, m, d)>
#k = affine_map<(b, m, n, d, t) -> (b, t, d)>
#v = affine_map<(b, m, n, d, t) -> (b, t, n)>
#s = affine_map<(b, m, n, d, t) -> ()>
#o = affine_map<(b, m, n, d, t) -> (b, m, n)>
func.func @attention(%q: tensor<{B}x{S}x64xf16>, %k: tensor<{B}x{T}x64xf16>, %v: tensor<{B}x{T}x64xf16>) -> tensor<{B}x{S}x64xf16> {{
  %scale = arith.constant 0.125 : f16
  %empty = tensor.empty() : tensor<{B}x{S}x64xf16>
  %o = iree_linalg_ext.attention <indexing_maps = [#q, #k, #v, #s, #o]>
    ins(%q, %k, %v, %scale : tensor<{B}x{S}x64xf16>, tensor<{B}x{T}x64xf16>, tensor<{B}x{T}x64xf16>, f16)
    outs(%empty : tensor<{B}x{S}x64xf16>) {{
    ^bb0(%x: f32):
      iree_linalg_ext.yield %x : f32
  }} -> tensor<{B}x{S}x64xf16>
  return %o : tensor<{B}x{S}x64xf16>
}}
"""

OPERANDS = """  - {name: A,  role: a,       type: e2m1, rows: M, cols: K}
  - {name: B,  role: b,       type: e2m1, rows: N, cols: K}
  - {name: SA, role: a_scale, type: e8m0, rows: M, cols: K / 32}
  - {name: SB, role: b_scale, type: e8m0, rows: N, cols: K / 32}
  - {name: C,  role: c,       type: f32,  rows: M, cols: N}
"""
# The tiles in the order of the program, from the start of its memory, TEMPORARY, each from a multiple of 64 bytes.
TILES = """  - {name: A_TILES,  role: none, type: e2m1, rows: M, cols: K, layout: iree_m128_k256, fill: 0, of: A, in: TEMPORARY}
  - {name: B_TILES,  role: none, type: e2m1, rows: N, cols: K, layout: iree_n256_k256, fill: 0, of: B, in: TEMPORARY, at: AT_B}
  - {name: SA_TILES, role: none, type: e8m0, rows: M, cols: K / 32, layout: iree_scale_m128_k256, fill: 0, of: SA, in: TEMPORARY, at: AT_SA}
  - {name: SB_TILES, role: none, type: e8m0, rows: N, cols: K / 32, layout: iree_scale_n256_k256, fill: 0, of: SB, in: TEMPORARY, at: AT_SB}
"""
LETS = """let:
  - {name: PM, value: "roundup(M, 128)"}
  - {name: PN, value: "roundup(N, 256)"}
  - {name: PK, value: "roundup(K, 256)"}
  - {name: AT_B, value: PM * PK / 2}
  - {name: AT_SA, value: AT_B + PN * PK / 2}
  - {name: AT_SB, value: AT_SA + PM * PK / 32}
"""
BITS = "verdict: {judge: bits, profile: block32, mma_k: 128, k_tile: 256}\n"


def runs(sizes, *regimes):
    return "runs:\n" + "".join(f"  - {{{sizes}, regime: {r}}}\n" for r in regimes)


def product(m, n, k):
    return PRODUCT.format(M=m, N=n, KB=k // 32), runs(f"M: {m}, N: {n}, K: {k}", "exact", "general", "special")


def tiled(m, n, k):
    text, shapes = product(m, n, k)
    return text, TILED, ["A", "B", "SA", "SB", "C", "TEMPORARY"], LETS, OPERANDS, TILES, BITS + shapes


def plain(m, n, k):
    text, shapes = product(m, n, k)
    return text, [], ["A", "B", "SA", "SB", "C"], "", OPERANDS, "", BITS + shapes


def in_f32(m, n, k):
    """IREE has no matrix instructions for it: elements times scales in f32, in an order of its own."""
    text, *rest = plain(m, n, k)
    return text, *rest[:-1], "verdict: {judge: bound}\n" + runs(f"M: {m}, N: {n}, K: {k}", "exact", "general")


def attention(b, s, t):
    buffers = "".join(f"  - {{name: {name}, role: none, type: f16, rows: B * {rows}, cols: 64}}\n"
                      for name, rows in (("Q", "S"), ("KT", "T"), ("V", "T"), ("O", "S")))
    return (ATTENTION.format(B=b, S=s, T=t), [], ["Q", "KT", "V", "O"], "", buffers, "",
            "reference: {op: attention, q: Q, k: KT, v: V, o: O, batch: B, p: f16}\nverdict: {judge: bound}\n"
            + runs(f"sizes: {{B: {b}, S: {s}, T: {t}}}", "general"))


# Name: program, options, the buffers by the number of their binding, `let`, buffers, places in TEMPORARY, and the rest
# of the case.
PROGRAMS = {
    "gfx950": {
        "mxfp4": plain(256, 512, 512),
        "mxfp4_tiled": tiled(256, 512, 512),
        "mxfp4_tiled_ragged": tiled(200, 300, 608),
        "attention": attention(2, 128, 256),
    },
    "gfx1250": {
        "mxfp4": in_f32(64, 64, 256),
        "attention": attention(1, 32, 64),
    },
}


class Program:
    """IREE's program for its virtual machine, as text."""

    def __init__(self, text):
        self.text = text
        self.constants = {name: int(value) for name, value in
                          re.findall(r"(%\S+) = vm\.const\.i(?:32|64) (-?\d+)", text)}
        self.constants |= {name: 0 for name in re.findall(r"(%\S+) = vm\.const\.i(?:32|64)\.zero", text)}
        self.strings = dict(re.findall(r'vm\.rodata private @(\S+) .*"(.*)"', text))

    def kernel(self, id):
        """The kernel that a dispatch names by the result of a look-up."""
        symbol = re.search(rf"{id} = vm\.call @hal\.executable\.lookup\.function\(%\S+, %(\w+)\)", self.text)
        return self.strings[symbol[1]]

    def dispatches(self):
        """Kernel, workgroups, and (binding, offset, bytes) of each dispatch."""
        for line in re.findall(r"@hal\.command_buffer\.dispatch\(%ref.*", self.text):
            id, *grid = re.search(r"(%\S+), (%\S+), (%\S+), (%\S+), %\S+, \[\],", line).groups()
            bindings = re.findall(r"\(%\w+, (%\w+), %null, (%\w+), (%\w+)\)", line)
            yield (self.kernel(id), [self.constants[g] for g in grid],
                   [[self.constants[x] for x in b] for b in bindings])


def compile(folder, text, options):
    """The code object, the program, and the work-items of each kernel."""
    source = folder / "program.mlir"
    source.write_text(text)
    done = subprocess.run([COMPILER, source, *TARGET, *options, f"--iree-hal-dump-executable-files-to={folder}",
                           "--compile-to=vm", "-o", "-"], text=True, capture_output=True, check=False)
    if done.returncode:
        sys.exit(f"iree_kernels.py: {done.stderr}")
    [assembly], [code] = folder.glob("*.rocmasm"), folder.glob("*.hsaco")
    sizes = re.findall(r"\.max_flat_workgroup_size: (\d+)\n *\.name: +(\S+)", assembly.read_text())
    return code, Program(done.stdout), {kernel: int(size) for size, kernel in sizes}


def step(kernel, grid, block, bindings, names):
    """Arguments are the bindings' addresses; no program here has constants."""
    text = f"  - kernel: {kernel}\n    grid: {grid}\n    block: [{block}]\n    kernarg:\n"
    for i, (number, offset, _) in enumerate(bindings):
        text += f"      - {{offset: {8 * i}, type: ptr, value: {names[number]} + {offset}}}\n"
    return text


def main():
    needs("iree.compiler", "programs of IREE")
    folder = pathlib.Path(sys.argv[1])
    for name, (text, options, names, lets, buffers, places, rest) in PROGRAMS[ARCH].items():
        with tempfile.TemporaryDirectory() as temporary:
            code, program, sizes = compile(pathlib.Path(temporary), text, options)
            shutil.copy(code, folder / f"iree_{name}.co")
        steps, bytes = "", 0
        for kernel, grid, bindings in program.dispatches():
            steps += step(kernel, grid, sizes[kernel], bindings, names)
            bytes = max([bytes, *(b for number, _, b in bindings if names[number] == "TEMPORARY")])
        memory = f"  - {{name: TEMPORARY, role: none, type: u8, rows: 1, cols: {bytes}, data: poison}}\n" if bytes else ""
        (folder / f"iree_{name}.yaml").write_text(
            f"name: iree/{name}\ncode: iree_{name}.co\n{lets}steps:\n{steps}buffers:\n{buffers}{memory}{places}{rest}")


main()
