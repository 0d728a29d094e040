#!/usr/bin/env python3
"""The unit tests of hip-tests and the programs of rocm-examples on libmxhip.so, from checkouts.

usage: hip_tests.py BUILD LLVM HIP-TESTS ROCM-EXAMPLES ("" where there is none)

Each source file becomes a program, by LLVM's clang with the headers and device libraries of Triton's
wheel, or of the folder that MXCHECK_HIP names, HIP's own headers for what these lack, and Catch2 in the
folder that MXCHECK_CATCH2 names, or else in /usr, version 3 or 2. Each test case runs in a process of its own.
hip_tests.txt explains failures: `FOLDER/PATTERN of names: reason`. A failure that it does not explain,
a crash or a time-out is an error; a program that does not build is listed with the compiler's error."""
import collections
import concurrent.futures
import fnmatch
import os
import pathlib
import re
import signal
import subprocess
import sys

import hip_clang
from harness import done, needs, ok, skip

FOLDERS = ("memory stream streamperthread event module graph device errorHandling occupancy printf "
           "cooperativeGrps virtualMemoryManagement executionControl kernel launchBounds assertion compiler "
           "dynamicLoading rtc deviceLib warp atomics syncthreads threadfence synchronization multiThread").split()
KINDS = ("pass", "fail", "skip", "not built", "crash", "time-out")
SECONDS = 120
CATCH2 = pathlib.Path(os.environ.get("MXCHECK_CATCH2", "/usr"))
CATCH2_3 = (CATCH2 / "include/catch2/catch_all.hpp").exists()
Result = collections.namedtuple("Result", "folder name kind detail")


def own_options(source):
    """What the CMake file beside a source sets for this source alone, such as -mprintf-kind=buffered."""
    file = source.parent / "CMakeLists.txt"
    text = file.read_text(errors="replace") if file.exists() else ""
    found = re.search(rf'set_source_files_properties\(\s*{re.escape(source.name)}\s+PROPERTIES\s+COMPILE_OPTIONS\s+"([^"]*)"', text)
    return found[1].replace(";", " ").split() if found else []


class Builder:
    """Compiles programs into BUILD/hip-tests. A program that is newer than its source is kept."""

    def __init__(self, build, llvm):
        self.folder, self.llvm = pathlib.Path(build).resolve() / "hip-tests", llvm
        (self.folder / "lib").mkdir(parents=True, exist_ok=True)
        for name in ("libamdhip64.so", "libhiprtc.so", "libmxhip.so"):
            (self.folder / "lib" / name).unlink(missing_ok=True)
            (self.folder / "lib" / name).symlink_to(self.folder.parent / "libmxhip.so")
        self.flags = [*hip_clang.device(llvm, self.folder), *hip_clang.headers(), "-std=c++17", "-O3", "-w",
                      "-isystem", CATCH2 / ("include" if CATCH2_3 else "include/catch2"), "-include", "cassert"]

    def flags_of(self, include):
        return [*self.flags, *[f"-I{i}" for i in include]]

    def code_object(self, source, include, suffix="code"):
        """Makes the code object NAME.code of NAME.cc, which tests load, or NAME.co for examples."""
        hip_clang.compile_code(self.llvm, self.flags_of(include), source, self.folder / f"{source.stem}.{suffix}")

    def compiled(self, source, include):
        """The object file of a source, and the compiler's first error if there is none."""
        target = self.folder / ("-".join(source.parts[-3:]) + ".o")
        if target.exists() and target.stat().st_mtime > source.stat().st_mtime:
            return target, ""
        ran = hip_clang.compile_program(self.llvm, [*self.flags_of(include), *own_options(source)], source, target)
        error = re.search(r"error: .*", ran.stderr)
        return target, (error[0] if error else ran.stderr[-200:]) if ran.returncode else ""

    def program(self, sources, include):
        """The program of some sources, the first of which names it, and the error if there is none."""
        objects = [self.compiled(s, include) for s in sources]
        errors = [error for _, error in objects if error]
        if errors:
            return None, errors[0]
        target = objects[0][0].with_suffix("")
        catch = [f"-L{CATCH2}/lib", "-lCatch2"] if CATCH2_3 else []
        ran = subprocess.run(["c++", *[o for o, _ in objects], f"-L{self.folder}/lib", "-lamdhip64", "-lhiprtc", "-lpthread",
                              *catch, f"-Wl,-rpath,{self.folder}/lib", "-o", target], capture_output=True, text=True)
        return (None, ran.stderr.strip().split("\n")[0]) if ran.returncode else (target, "")


def run(*command):
    """Output and status of a command. It has a session of its own, so that a time-out, for which the
    status is None, ends its children too."""
    child = subprocess.Popen(command, cwd=pathlib.Path(command[0]).parent, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, start_new_session=True)
    try:
        output, _ = child.communicate(timeout=SECONDS)
        status = child.returncode
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)
        output, status = child.communicate()[0], None
    return output.decode(errors="replace"), status


def judged(folder, name, output, status):
    if status is None:
        return Result(folder, name, "time-out", f"{SECONDS} s")
    if status < 0:
        return Result(folder, name, "crash", signal.Signals(-status).name)
    if "HIP_SKIP_THIS_TEST" in output or "SKIPPED:" in output:
        return Result(folder, name, "skip", "")
    if status or "No test cases matched" in output:
        expression = re.search(r"FAILED:\n\s*(.*)|error.*", output)
        return Result(folder, name, "fail", expression[0].split("\n")[-1].strip() if expression else f"status {status}")
    return Result(folder, name, "pass", "")


def catch_cases(builder, folder, sources, include):
    """The results of all test cases of a program of Catch2."""
    program, error = builder.program(sources, include)
    if error:
        return [Result(folder, sources[0].stem, "not built", error)]
    names, status = run(program, *("--list-tests", "--verbosity", "quiet") if CATCH2_3 else ("--list-test-names-only",))
    if status is None or status < 0:
        return [judged(folder, sources[0].stem, names, status)]
    return [judged(folder, name, *run(program, re.sub(r"([\[\],\\*])", r"\\\1", name)))
            for name in map(str.strip, names.splitlines()) if name]


def modules(files, folder):
    """The sources of the code objects that tests load: for "NAME.code" NAME.cc or NAME.cpp, as in the
    CMake files of hip-tests."""
    names = {name for text in files.values() for name in re.findall(r'"(\w+)\.code"', text)}
    return [f for name in sorted(names) for f in (folder / f"{name}.cc", folder / f"{name}.cpp") if f.exists()]


def unit_tests(builder, checkout):
    """A call for each file of test cases. Other files of a folder are linked with all of its programs,
    except code objects and programs that tests start. The latter are left out."""
    root = pathlib.Path(checkout) / "catch"
    if not root.exists():
        root = pathlib.Path(checkout) / "tests/catch"
    include = [root / "include", root / "kernels", root / "external/Catch2", root / "external/picojson"]
    runner = [s for s in sorted((root / "hipTestMain").glob("*.cc")) if s.name != "standalone_main.cc"]
    for source in runner:
        builder.compiled(source, include)
    for folder in FOLDERS:
        files = {f: f.read_text(errors="replace") for f in sorted((root / "unit" / folder).glob("*.cc"))}
        loaded = modules(files, root / "unit" / folder)
        for source in loaded:
            builder.code_object(source, include)
        cases = [f for f, text in files.items() if re.search(r"\bTEST_CASE|_TEST_CASE", text)]
        shared = [f for f, text in files.items()
                  if f not in cases + loaded and not re.search(r"\bint\s+main\s*\(", text)]
        for source in shared:
            builder.compiled(source, include)
        for source in cases:
            yield lambda folder=folder, sources=[source, *shared, *runner]: catch_cases(builder, folder, sources, include)


def example(builder, folder, sources, include):
    name = sources[0].parent.name
    program, error = builder.program(sources, include)
    return [Result(folder, name, "not built", error) if error else judged(folder, name, *run(program))]


def examples(builder, checkout):
    root = pathlib.Path(checkout)
    for folder in ("HIP-Basic", "Applications"):
        for source in sorted((root / folder).glob("*/main.hip")):
            more = [s for s in sorted(source.parent.glob("*.hip")) if s != source and s.name != "module.hip"]
            include = [root / "Common", root / "External", source.parent]
            if (source.parent / "module.hip").exists():
                builder.code_object(source.parent / "module.hip", include, "co")
            yield lambda folder=folder, sources=[source, *more], include=include: example(builder, folder, sources, include)


def explanations():
    lines = pathlib.Path(__file__).with_suffix(".txt").read_text().splitlines()
    return [line.split(": ", 1) for line in lines if line and line[0] != "#"]


def tell(title, results):
    """The table, and a test for each kind of result that must not occur."""
    print(f"# {title + ':':18}" + "".join(f"{kind:>10}" for kind in KINDS))
    for folder in sorted({r.folder for r in results}):
        counts = collections.Counter(r.kind for r in results if r.folder == folder)
        print(f"# {folder:18}" + "".join(f"{counts[kind]:>10}" for kind in KINDS))
    explained = explanations()
    wrong = []
    for r in results:
        reason = next((why for pattern, why in explained if fnmatch.fnmatchcase(f"{r.folder}/{r.name}", pattern)), None)
        if r.kind in ("crash", "time-out") or r.kind == "fail" and not reason:
            wrong.append(f"{r.folder}/{r.name}: {r.kind}, unexplained: {r.detail}")
        elif r.kind in ("fail", "not built"):
            print(f"# {r.folder}/{r.name}: {r.kind}: {reason or r.detail}")
    ok(any(r.kind == "pass" for r in results) and not wrong, f"{title}: no crash, no time-out, each failure is explained",
       "\n# ".join(wrong))


def main():
    build, llvm, *checkouts = sys.argv[1:]
    for title, checkout, calls in zip(("hip-tests", "rocm-examples"), checkouts, (unit_tests, examples)):
        if not checkout:
            skip(title, f"MXCHECK_{title.upper().replace('-', '_')} names no checkout")
            continue
        if not hip_clang.rocm():
            needs("triton", title)
        with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            results = [r for call in pool.map(lambda call: call(), calls(Builder(build, llvm), checkout)) for r in call]
        tell(title, results)
    return done()


if len(sys.argv) != 5:
    sys.exit(__doc__)
sys.exit(main())
