#!/usr/bin/env python3
"""Compiles HIP without ROCm: LLVM's clang, with the headers and device libraries in Triton's wheel.

usage: hip_clang.py BUILD LLVM PROGRAM SOURCE ... [OPTION ...]

makes a program for gfx950 of the sources, linked with the libamdhip64.so that `mxcheck exec` gives it.
LLVM is the folder of clang; OPTIONs are clang's. What of HIP's headers Triton lacks, such as
hip_fp16.h, is missing here, unless MXCHECK_HIP names a folder with those of ROCm 7: /opt/rocm, /usr, or
another one where Debian's libamdhip64-dev and rocm-device-libs are unpacked."""
import importlib.util
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

# What AMD's device libraries ask of the compiler's driver, which has them only with the files of ROCm.
OPTIONS = """
#define OPTION __attribute__((address_space(4), visibility("protected"))) const
OPTION int __oclc_ABI_version = 500, __oclc_ISA_version = 9500, __oclc_wavefrontsize_log2 = 6;
OPTION _Bool __oclc_wavefrontsize64 = 1, __oclc_correctly_rounded_sqrt32 = 1;
OPTION _Bool __oclc_finite_only_opt = 0, __oclc_unsafe_math_opt = 0;
"""
# For a code object alone, of device code that includes no headers of HIP.
ALONE = ["-nogpuinc", "--cuda-device-only", "--no-gpu-bundle-output"]


def amd():
    """The folder of Triton's wheel that has `include` and `lib`."""
    return pathlib.Path(importlib.util.find_spec("triton").origin).parent / "backends/amd"


def rocm():
    """The folders of the headers and of the device libraries that MXCHECK_HIP names, or None."""
    prefix = os.environ.get("MXCHECK_HIP")
    if not prefix:
        return None
    found = [p.parent for where in ("amdgcn/bitcode", "lib/llvm*/lib/clang/*/amdgcn/bitcode", "lib/llvm*/lib/clang/*/lib/amdgcn/bitcode")
             for p in pathlib.Path(prefix).resolve().glob(f"{where}/ocml.bc")]
    if not found:
        sys.exit(f"MXCHECK_HIP={prefix}: no device libraries")
    return pathlib.Path(prefix).resolve() / "include", found[-1]


def device(llvm, folder):
    """Options of clang for code of gfx950 with the device libraries. Writes FOLDER/options.bc for
    Triton's."""
    if rocm():
        return ["-x", "hip", "--offload-arch=gfx950", f"--hip-device-lib-path={rocm()[1]}"]
    source = pathlib.Path(folder, "options.c")
    source.write_text(OPTIONS)
    subprocess.run([f"{llvm}/clang", "--target=amdgcn-amd-amdhsa", "-emit-llvm", "-c", source,
                    "-o", source.with_suffix(".bc")], check=True)
    return ["-x", "hip", "--offload-arch=gfx950", f"--hip-device-lib-path={amd()}/lib",
            f"--hip-device-lib-path={folder}", *[f"--hip-device-lib={name}.bc" for name in ("ockl", "ocml", "options")]]


def headers():
    return ["-D__HIP_PLATFORM_AMD__", "-isystem", rocm()[0] if rocm() else amd() / "include"]


def bundled(code):
    """The bundle of a code object, which a host program of HIP contains [Clang Offload Bundler, "Bundled
    Code Object Layout"]. clang-offload-bundler is in a Debian package that the project does not need."""
    names, parts = (b"host-x86_64-unknown-linux-gnu-", b"hipv4-amdgcn-amd-amdhsa--gfx950"), (b"", code)
    head, offset = b"__CLANG_OFFLOAD_BUNDLE__" + struct.pack("<Q", len(names)), 4096
    for name, part in zip(names, parts):
        head += struct.pack("<QQQ", offset, len(part), len(name)) + name
    return head.ljust(offset, b"\0") + code


def compile_code(llvm, flags, source, target):
    """Compiles the device code of a source to the code object TARGET. Returns the process."""
    return subprocess.run([f"{llvm}/clang++", *flags, source, "--cuda-device-only", "--no-gpu-bundle-output", "-o", target],
                          capture_output=True, text=True)


def compile_program(llvm, flags, source, target):
    """Compiles a source with device and host code to the object file TARGET. Returns the last process."""
    code, bundle = target.with_suffix(".code"), target.with_suffix(".bundle")
    ran = compile_code(llvm, flags, source, code)
    if not ran.returncode:
        bundle.write_bytes(bundled(code.read_bytes()))
        ran = subprocess.run([f"{llvm}/clang++", *flags, source, "--cuda-host-only", "-Xclang", "-fcuda-include-gpubinary",
                              "-Xclang", bundle, "-c", "-o", target], capture_output=True, text=True)
    return ran


def main():
    build, llvm, program, *rest = sys.argv[1:]
    options = [r for r in rest if r.startswith("-")]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "libamdhip64.so").symlink_to(pathlib.Path(build, "libmxhip.so").resolve())
        flags, objects = [*device(llvm, folder), *headers(), *options], []
        for source in (r for r in rest if not r.startswith("-")):
            objects.append(folder / f"{len(objects)}.o")
            ran = compile_program(llvm, flags, source, objects[-1])
            sys.stderr.write(ran.stderr)
            if ran.returncode:
                return 1
        return subprocess.run(["c++", *objects, f"-L{folder}", "-lamdhip64", "-o", program]).returncode


if __name__ == "__main__":
    sys.exit(main() if len(sys.argv) > 4 else __doc__)
