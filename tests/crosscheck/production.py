#!/usr/bin/env python3
"""Published kernels: runs the cases of AITER's on the code objects of a folder, and further case
files, each under the default schedule and with `--schedule typical`; writes a table.

    make crosscheck      (production.py MXCHECK CODE OUT [CASE.yaml ...]; prints TAP)

CODE are folders of code objects, separated by colons; absent ones are skipped. OUT.code gets links to
them, for --code; of those with the same name to the first. OUT.csv and OUT.md get a row for each run:
kernel, shape, regime, schedule, verdict, wrong numbers, findings by class, how many are waived, seconds
of the launch with its checks. A case is right here if its numbers are, and if its findings are those
that are known to be true, listed below with their reasons."""
import collections
import csv
import json
import os
import pathlib
import shutil
import subprocess
import sys

SCHEDULES = {"default": [], "typical": ["--schedule", "typical"]}

# Case, or case and variant: kinds of findings in some of its runs, and the schedules under which these make
# numbers wrong.
KNOWN = {
    # Overwrites scales in LDS by DMA while reads of the tile before are in flight.
    "aiter/f4gemm/160x256": ({"race-lds-latency"}, {"default"}),
    "aiter/f4gemm/192x256": ({"race-lds-latency"}, {"default"}),
    "aiter/f4gemm/224x256": ({"race-lds-latency"}, {"default"}),
    # Registers of a buffer_store_dwordx4 are overwritten by the next instruction; s_nop 0 is missing.
    "aiter/f4gemm_rows": ({"wait-states"}, set()),
    # MFMAs read what transposing LDS reads load, without a wait; LDS is refilled without a barrier.
    "aiter/fmha_v3_fwd_fp8": ({"race-register", "race-lds-latency", "race-lds"}, {"default"}),
    # Tiles are stored to LDS that other waves have read, with no barrier after these reads.
    "aiter/fmoe_mxfp4": ({"race-lds"}, set()),
    "aiter/fmoe_stage1_int8": ({"race-lds"}, {"default"}),
    # LDS writes are not waited for before the barrier that other waves' reads rely on.
    "aiter/mla": ({"race-lds"}, {"default"}),
    # A kernel of AITER 0.1.7, which has no argument mtp; the case is of newer ones.
    "aiter/pa/bf16_gqa16": ({"race-register"}, set(SCHEDULES)),
    # The block table of the next round is read while later loads are in flight; no wait covers it.
    "aiter/pa": ({"race-register"}, set()),
    # Padded codes are 4 bits each, which lanes write one by one: two of them read and write the same byte. The padding
    # keeps bits that were there before; its scales are 0.
    "iree/mxfp4_tiled_ragged": ({"race-global"}, set()),
    # Inline assembly does not wait for its LDS reads, and the prologue lacks a barrier.
    "primus/fwdbal": ({"race-lds", "race-register"}, {"default"}),
}

# Findings that the column of wrong numbers has.
WRONG = {"wrong-bits", "wrong-bytes", "outside-set", "out-of-bound", "out-of-tolerance", "not-written"}

CLASSES = ("numbers", "order", "device", "notes")  # of findings, by their exit status
COLUMNS = ("case", "kernel", "shape", "regime", "schedule", "verdict", "wrong", "checked", *CLASSES,
           "waived", "seconds")


def count(findings):
    """Findings of each class, as "2 race-lds, 1 race-register"."""
    classes = collections.defaultdict(collections.Counter)
    for f in findings:
        name = {1: "numbers", 3: "order", 4: "device"}.get(f["status"], "notes")
        if f["severity"] == "report":
            name = "order"
        classes[name][f["kind"]] += 1 + f.get("more", 0)
    return {c: ", ".join(f"{n} {k}" for k, n in sorted(classes[c].items())) for c in CLASSES}


def row_of(run, schedule):
    case, shape, regime = run["name"].rsplit("/", 2)
    findings, numbers = run.get("findings", []), run.get("numbers", {})
    return {"case": case, "kernel": run.get("kernel", ""), "shape": shape, "regime": regime,
            "schedule": schedule, "verdict": run["outcome"], "wrong": numbers.get("wrong", ""),
            "checked": numbers.get("checked", ""), **count(findings),
            "waived": sum(1 + f.get("more", 0) for f in findings if f["kind"] == "waived"),
            "seconds": f"{run['seconds']:.3f}",
            "kinds": {f["kind"] for f in findings if f["severity"] != "note"} - WRONG}


def rows_of(arguments, schedule):
    """The runs of one command. A command that cannot run has a row of its own."""
    done = subprocess.run([*arguments, *SCHEDULES[schedule], "--json", "-"], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    if not any(line["type"] == "end" for line in lines):
        sys.exit(f"production.py: {' '.join(arguments)}: {done.stderr}")
    return [row_of(line, schedule) for line in lines if line["type"] == "run"]


def write(out, rows):
    with open(out + ".csv", "w", newline="") as f:
        table = csv.DictWriter(f, COLUMNS, extrasaction="ignore")
        table.writeheader()
        table.writerows(rows)
    with open(out + ".md", "w") as f:
        shown = [c for c in COLUMNS if c != "kernel"]
        print("| " + " | ".join(shown) + " |\n" + "|---" * len(shown) + "|", file=f)
        for r in rows:
            print("| " + " | ".join(str(r[c]) for c in shown) + " |", file=f)


def judge(case, rows):
    """What is not as it must be."""
    kinds, wrong = next((KNOWN[k] for k in KNOWN if (case + "/").startswith(k + "/")), (set(), set()))
    found = set().union(*(r["kinds"] for r in rows))
    if found != kinds:
        yield f"findings {sorted(found)}, known are {sorted(kinds)}"
    for r in rows:
        if (r["wrong"] or r["verdict"] in ("stopped", "bad-input")) and r["schedule"] not in wrong:
            yield f"{r['shape']} {r['regime']}, schedule {r['schedule']}: {r['verdict']}, " \
                  f"{r['wrong'] or 'no'} wrong numbers"


def link(folders, into):
    """Links to the code objects of folders, of those with the same name to the first. Whether there are any."""
    shutil.rmtree(into, ignore_errors=True)
    os.mkdir(into)
    for path in (p for f in folders if f for p in sorted(pathlib.Path(f).rglob("*.co"))):
        if not os.path.lexists(f"{into}/{path.name}"):
            os.symlink(path.resolve(), f"{into}/{path.name}")
    return bool(os.listdir(into))


def main():
    program, code, out, *files = sys.argv[1:]
    commands = [[program, "run", "--case", f] for f in files]
    published = link(code.split(":"), out + ".code")
    if published:
        commands.insert(0, [program, "--code", out + ".code", "aiter/*"])
    rows = [r for c in commands for s in SCHEDULES for r in rows_of(c, s)]
    cases = list(dict.fromkeys(r["case"] for r in rows))
    write(out, rows)
    for i, case in enumerate(cases, 1):
        bad = list(judge(case, [r for r in rows if r["case"] == case]))
        of = [r for r in rows if r["case"] == case]
        print(f"{'not ok' if bad else 'ok'} {i} - {case}: {len(of)} runs, "
              f"{sum(r['verdict'] == 'pass' for r in of)} pass")
        for text in bad:
            print("# " + text)
    if not published:
        print(f"ok {len(cases) + 1} - kernels of AITER # SKIP no {code}")
    print(f"1..{len(cases) + (not published)}")
    print(f"# {len(rows)} runs: {out}.csv, {out}.md", file=sys.stderr)
    return 1 if any(list(judge(c, [r for r in rows if r["case"] == c])) for c in cases) else 0


if __name__ == "__main__":
    sys.exit(main())
