#!/usr/bin/env python3
"""The conversions of MX formats in HIP's own header, hip_ext_ocp.h of ROCm 7, on the emulator.

usage: hip_ocp.py BUILD LLVM

Needs ROCm's headers and device libraries in the folder that MXCHECK_HIP names (hip_clang.py). Each
conversion is compiled at -O0 and -O3 and compared with the definitions of the formats (hip_ocp.hip)."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import hip_clang
from harness import done, ok, skip

# Differences of the header from its own documentation, which must occur.
KNOWN = {
    # Its two operands are the even and the odd elements for the instruction v_cvt_scalef32_2xpk16_fp6_f32,
    # the first and the second half for the header, also in its code for the host.
    "__amd_cvt_floatx16_floatx16_to_fp6x32_scale": "the halves alternate",
    "__amd_cvt_floatx32_to_fp6x32_scale": "the halves alternate",
}


def names(include):
    """The conversions of the header, but for those of HIP's own types and between two floats and a pair."""
    text = (include / "hip/amd_detail/amd_hip_ocp_fp.hpp").read_text()
    found = set(re.findall(r"\b(__amd_cvt_\w+)\(", text))
    return sorted(n for n in found if not re.search("half|hipbf16|double|float2|float_float", n))


def main():
    build, llvm = sys.argv[1:]
    title = "conversions of hip_ext_ocp.h"
    if not hip_clang.rocm():
        skip(title, "MXCHECK_HIP names no headers of ROCm 7")
        return done()
    every = names(hip_clang.rocm()[0])
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "names.inc").write_text("".join(f"CHECK({n})\n" for n in every))
        (folder / "libamdhip64.so").symlink_to(pathlib.Path(build, "libmxhip.so").resolve())
        for level in ("-O0", "-O3"):
            program = folder / f"ocp{level}"
            source = pathlib.Path(__file__).with_suffix(".hip")
            made = subprocess.run([sys.executable, hip_clang.__file__, build, llvm, program, source, level, "-std=c++17", "-w",
                                   f"-DNAMES=\"{folder}/names.inc\""])
            ran = subprocess.run([program], capture_output=True, text=True, env=os.environ | {"LD_LIBRARY_PATH": name}) \
                if made.returncode == 0 else None
            lines = dict(line.split(": ", 1) for line in ran.stdout.splitlines()) if ran else {}
            wrong = {n: lines.get(n, "did not run") for n in every if lines.get(n) != "right"}
            ok(set(wrong) == set(KNOWN), f"{title}, {level}: {len(every) - len(wrong)} right, {len(KNOWN)} known to be wrong",
               "\n# ".join(f"{n}: {w}" for n, w in wrong.items()))
    return done()


if len(sys.argv) != 3:
    sys.exit(__doc__)
sys.exit(main())
