"""A kernel in FlyDSL as a case: compiled for gfx950 or gfx1250, which needs no GPU.

FlyDSL reads its environment when it is imported, so a kernel's file calls `prepare` first."""
import contextlib
import os
import pathlib
import re
import shutil
import tempfile

from harness import needs

dump = tempfile.TemporaryDirectory()


def prepare(arch, what):
    needs("flydsl", what)
    os.environ.update(COMPILE_ONLY="1", ARCH=arch, FLYDSL_GPU_ARCH=arch, FLYDSL_RUNTIME_ENABLE_CACHE="0",
                      FLYDSL_DUMP_IR="1", FLYDSL_DUMP_DIR=dump.name, ROCM_PATH=dump.name)


def unescape(text):
    """The bytes of a string of MLIR, in which \\\\ is a backslash, and \\XX a byte."""
    return re.sub(rb"\\(\\|[0-9A-Fa-f]{2})", lambda m: b"\\" if m[1] == b"\\" else bytes([int(m[1], 16)]), text)


def write(folder, llvm, name, launch, case):
    """Compiles what `launch` launches, and writes FOLDER/NAME.co and FOLDER/NAME.yaml. LLVM is the
    folder of ld.lld. In `case` KERNEL stands for the kernel's name."""
    linker = pathlib.Path(dump.name, "llvm", "bin", "ld.lld")  # FlyDSL looks for it in ROCm
    if not linker.exists():
        linker.parent.mkdir(parents=True)
        linker.symlink_to(pathlib.Path(llvm, "ld.lld"))
    with contextlib.redirect_stdout(None):  # the names of what it dumps
        launch()
    [text] = pathlib.Path(dump.name).glob("*/*gpu_module_to_binary.mlir")
    [binary] = re.findall(rb'bin = "((?:[^"\\]|\\.)*)"', text.read_bytes())
    pathlib.Path(folder, name + ".co").write_bytes(unescape(binary))
    pathlib.Path(folder, name + ".yaml").write_text(case.replace("KERNEL", text.parent.name))
    shutil.rmtree(text.parent)
