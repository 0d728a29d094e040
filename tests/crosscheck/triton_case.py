"""A kernel in Triton as a case: compiled for gfx950 or gfx1250, which needs no GPU."""
import pathlib
import sys

import triton
from triton.backends.compiler import GPUTarget

WAVES = 4
LANES = {"gfx950": 64, "gfx1250": 32}


def folder_and_arch():
    """FOLDER [ARCH] of the command line."""
    return pathlib.Path(sys.argv[1]), (sys.argv[2:] or ["gfx950"])[0]


def arguments(types):
    """The kernarg segment: a type for each buffer or size, whose name is that of the argument in
    capitals. Two pointers of Triton's own follow, to memory that is not used here."""
    text, at = "", 0
    for name, type in types.items():
        pointer = type.startswith("*")
        at = (at + 7) // 8 * 8 if pointer else at
        value = {"k": "KT"}.get(name, name.upper())
        text += f"  - {{offset: {at}, type: {'ptr' if pointer else 'i32'}, value: {value}}}\n"
        at += 8 if pointer else 4
    return f"kernarg:\n{text}kernarg_size: {(at + 7) // 8 * 8 + 16}\n"


def write(folder, arch, file, name, function, types, constants, rest, source):
    """Compiles a function and writes FOLDER/FILE.co and FOLDER/FILE.yaml. name: of the case; rest:
    its text from the grid on; source: Triton's class of sources."""
    signature = types | {c: "constexpr" for c in constants}
    kernel = triton.compile(source(fn=function, signature=signature, constexprs=constants),
                            target=GPUTarget("hip", arch, LANES[arch]), options=dict(num_warps=WAVES))
    (folder / f"{file}.co").write_bytes(kernel.asm["hsaco"])
    (folder / f"{file}.yaml").write_text(
        f"name: {name}\ncode: {file}.co\nkernel: {kernel.metadata.name}\nblock: [{WAVES * LANES[arch]}]\n"
        f"lds: {kernel.metadata.shared}\n{arguments(types)}{rest}")
