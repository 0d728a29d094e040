"""Helpers of the crosschecks: TAP, and `mxcheck quant` and `dequant` through .npy files."""
import importlib.util
import subprocess
import sys

import numpy as np

tests = failed = skipped = 0


def ok(good, sentence, detail=""):
    global tests, failed
    tests += 1
    failed += not good
    print(f"{'ok' if good else 'not ok'} {tests} - {sentence}")
    if not good and detail:
        print("# " + detail)


def skip(sentence, reason):
    global tests, skipped
    tests += 1
    skipped += 1
    print(f"ok {tests} - {sentence} # SKIP {reason}")


def needs(module, sentence):
    """Ends a script, with one test skipped, if a module is not installed."""
    if importlib.util.find_spec(module) is None:
        skip(sentence, f"{module} is not installed")
        sys.exit(done())


def done():
    print(f"1..{tests}")
    if skipped:
        print(f"# {skipped} of {tests} skipped", file=sys.stderr)
    return 1 if failed else 0


class Mxcheck:
    def __init__(self, program, folder):
        self.program, self.folder = program, folder

    def path(self, name):
        return f"{self.folder}/{name}.npy"

    def run(self, *arguments):
        subprocess.run([self.program, *arguments], check=True)

    def quant(self, format, recipe, x, *options):
        """Codes and scales of the rows of x: float32, float16, or uint16 with --bf16."""
        np.save(self.path("x"), x)
        self.run("quant", "--format", format, "--recipe", recipe, *options, self.path("x"),
                 "-o", self.path("codes"), "--scales", self.path("scales"))
        return np.load(self.path("codes")), np.load(self.path("scales"))

    def dequant(self, format, codes, scales):
        np.save(self.path("codes"), codes)
        np.save(self.path("scales"), scales)
        self.run("dequant", "--format", format, "--scales", self.path("scales"),
                 self.path("codes"), "-o", self.path("y"))
        return np.load(self.path("y"))
