/* The command line of mxcheck. */
#include "options.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../cases/files.h"

enum { MOST_RUNS = 1000000000 /* of a hunt */, MOST_SHARDS = 10000 };

static const char help[] =
	"usage: mxcheck [OPTIONS] [CASE-GLOB ...]\n"
	"       mxcheck run --case FILE.yaml [--co FILE.co] [OPTIONS] [CASE-GLOB ...]\n"
	"       mxcheck fuzz [--case FILE.yaml] [--co FILE.co] [OPTIONS] [CASE-GLOB ...]\n"
	"       mxcheck mutate [--case FILE.yaml] [--co FILE.co] [OPTIONS] [CASE-GLOB ...]\n"
	"       mxcheck ci --base REV [--cases DIR] [OPTIONS] [CASE-GLOB ...]\n"
	"       mxcheck disasm | isa | lint FILE.co ...          code objects\n"
	"       mxcheck init FILE.co [KERNEL]                    a case file to start from\n"
	"       mxcheck merge REPORT.jsonl ...                   one report of those of shards\n"
	"       mxcheck quant | dequant | mfma | compare ...     numbers; each has --help\n"
	"       mxcheck report FILE [RUN-GLOB ...]               trends of a history\n"
	"       mxcheck --version                                commit, CPU path, runtimes\n"
	"\n"
	"Runs cases on a gfx950, real or emulated, and compares the results bit for bit with a\n"
	"reference. Without a CASE-GLOB it runs the cases tagged quick. `mxcheck run` takes the\n"
	"cases of one file, for instance of your own kernel.\n"
	"\n"
	"`mxcheck fuzz` draws sizes at the borders of each case's contract, on the emulator. It\n"
	"makes a failing shape small and saves it as a case (exit 1, 3 or 4, as a run).\n"
	"\n"
	"`mxcheck mutate` weakens each s_waitcnt, s_barrier and s_nop of a kernel in turn, and\n"
	"reports the changes that no check detects (exit 1). --race N sets the number of\n"
	"schedules for each; default 20. -v lists the detected changes too.\n"
	"\n"
	"`mxcheck ci` runs the cases of a git repository that a change touches: those whose case\n"
	"file, code object or data differ from REV, or are not tracked by git.\n"
	"\n"
	"Select cases and runs:\n"
	"  --base REV         (ci) the change is the difference from the commit that REV and HEAD\n"
	"                     have in common\n"
	"  --cases DIR        (ci) the folder of case files; default: cases. Runs tagged long\n"
	"                     take part only if a CASE-GLOB selects them\n"
	"  --list             list the cases and their tags, run nothing\n"
	"  --case FILE.yaml   (run, fuzz, mutate) the case file\n"
	"  --co FILE.co       (run, fuzz, mutate) the code object, instead of that of the case;\n"
	"                     of several steps, of those whose kernels it has\n"
	"  --code DIR         the folder of code objects; it selects the cases of kernels that\n"
	"                     are not built here, such as aiter/*, if their code object is there\n"
	"  --regime R         exact, general or special: only the runs of this regime\n"
	"  --shape M,N,K      run the selected cases at this shape instead of their own;\n"
	"                     S=256,D=64 replaces sizes that have these names\n"
	"  --tiles N          run and judge only N tiles of the output, at most 32: matrices\n"
	"                     above 4 GiB take some MiB (emulator)\n"
	"  --seed S           seed of data and schedules; default 1\n"
	"  --device D         emu, hip or hip:N; default: hip if there is a gfx950, else emu\n"
	"  --shard I/N        part I of N, for work on several machines: each Nth of the selected\n"
	"                     runs; with --race consecutive runs of each hunt. {shard} in the "
	"name\n"
	"                     of a report or journal is I; `mxcheck merge` joins the reports. "
	"With\n"
	"                     `auto` I/N is the rank and the number of tasks of srun or mpirun\n"
	"  --cache DIR        (emulator) keep verdicts of runs that pass in a folder. A run is\n"
	"                     not repeated while this build, its case file, code object, data and\n"
	"                     the options are the same. So an interrupted gate can be continued\n"
	"  --jobs J           threads; default: one for each processor; a hunt on a real device\n"
	"                     has one\n"
	"\n"
	"Decide what fails:\n"
	"  --require-proof    (emulator) a case that passes fails if its order is not proved:\n"
	"                     finding not-proved, exit 3\n"
	"  --races CLASS=A,...  (emulator) what races of a class do: A is fail, report or\n"
	"                     ignore. Classes: unordered (default: fail), and latency, races in a\n"
	"                     fixed order of issue that only latency orders (default: report)\n"
	"  --strict           the same as --races unordered=fail,latency=fail\n"
	"  --waive FILE       findings that are accepted, each with a reason: `waivers` as in a\n"
	"                     case file. The end of the run lists waivers that were not used\n"
	"  --expect FILE      runs that are expected to fail, each with a reason and a last day.\n"
	"                     A run that passes all the same is a failure; so is a row of the\n"
	"                     file that has expired or was not used\n"
	"  --baseline FILE    compare the accuracy of each run with that in FILE: SNR, worst row,\n"
	"                     share of equal bits, largest ULP; a run that is worse fails\n"
	"  --update-baseline  write the accuracy of the runs that pass to the file of --baseline\n"
	"\n"
	"Report:\n"
	"  -v, --verbose      every case in full; instruction mix, share of MFMA, operations in\n"
	"                     flight\n"
	"  --notes            print each note: assumptions, and wait states that LLVM alone or\n"
	"                     the manual alone requires; without it they are counted\n"
	"  --save DIR         write every buffer after the launch as DIR/CASE/BUFFER.npy\n"
	"  --tap              report in the Test Anything Protocol\n"
	"  --json FILE        write a line of JSON for each run, as it ends; with - for the file,\n"
	"                     a report is on standard output and this text on standard error\n"
	"  --junit FILE       write a JUnit XML report\n"
	"  --sarif FILE       write a SARIF 2.1.0 report, for code scanning\n"
	"  --html FILE        write a page: cases, trends of --history, and for each failure\n"
	"                     where the output is wrong and when the racing waves ran\n"
	"  --github           print findings as annotations of GitHub Actions, too\n"
	"  --history FILE     add each run to a history, an SQLite file; mxcheck report reads it\n"
	"\n"
	"Model of the machine:\n"
	"  --scratch-apart    (emulator) assume that scratch returns in order only with other\n"
	"                     scratch, not with the other operations of vmcnt\n"
	"  --threadgroup-split  (emulator) assume that the waves of a workgroup share no L1: a\n"
	"                     barrier orders their accesses to device memory only after a wait\n"
	"  --soffset-unchecked  (emulator) leave SOFFSET out of range checks of buffers, as the\n"
	"                     manual has it. Default: included, as LLVM has it\n"
	"  --no-analysis      switch off the analysis of order and the check of wait states\n"
	"\n"
	"Hunt under many schedules, or run under one:\n"
	"  --race N           hunt: run each case under N schedules and compare all memory, byte\n"
	"                     by byte\n"
	"  --time T           hunt or draw shapes for that long: 90s, 30m, 8h. It goes alone or\n"
	"                     with --race or --count\n"
	"  --time-out S       a launch that takes more than S seconds is a finding, exit 4; so is\n"
	"                     a run that takes five times as long. On a real device it ends\n"
	"                     everything. Default: 120. In a hunt on the emulator 100 times the\n"
	"                     first run, at least 30; in a hunt on a real device no limit\n"
	"  --no-shrink        end a hunt at its first difference, without the search for the\n"
	"                     shortest schedule that still differs, which takes up to 30 s\n"
	"  --vary W,...       change what surrounds each run of a hunt, as its seed decides:\n"
	"                     stream (the stream of the run), tenant (another kernel runs at the\n"
	"                     same time), flush (caches are overwritten first), place (short\n"
	"                     workgroups run just before). NAME=N sets the largest number of\n"
	"                     streams, workgroups, MiB, workgroups\n"
	"  --resume FILE      the journal of a hunt: continue it, or begin it\n"
	"  --schedule typical[,lds=C,...]  (emulator) run under one schedule of usual latencies,\n"
	"                     for kernels that rely on them. In cycles: lds, scalar, l2, memory,\n"
	"                     dma\n"
	"  --schedule X       run under this schedule instead of the seed's: the text that a hunt\n"
	"                     prints, or a file of it. The sequential schedule runs too; if the\n"
	"                     bytes differ, that is nondeterminism\n"
	"\n"
	"Shapes and mutation:\n"
	"  --count N          (fuzz) shapes of each case; default 1000, or no limit with --time\n"
	"  --coverage         (fuzz) first draw as many shapes without steering by coverage,\n"
	"                     and print what these reach\n"
	"  --regress DIR      (fuzz) the folder for failing shapes, a case file each; default:\n"
	"                     cases/regress\n"
	"  --nops             (mutate) mutants of s_nop too, where most mutants are of that class\n"
	"  --progress         (mutate) progress on standard error, also if it is no terminal\n"
	"\n"
	"Look into one run on the emulator:\n"
	"  --who LOCATION     provenance: the instruction that wrote this location last, and what\n"
	"                     its value was computed from; LOCATION is C:1234 (byte of buffer C)\n"
	"                     or 'C[3,5]' (element)\n"
	"  --depth N          (--who) number of instructions that provenance follows; default 4\n"
	"  --trace X,Y,Z:W    each instruction of wave W of workgroup X,Y,Z, what it writes, and\n"
	"                     when memory operations land\n"
	"  --watch LOCATION   each access to C:1234, C:1234+16 (bytes), 'C[3,5]' or lds:64+4\n"
	"  --break PC         the registers of each wave, or of the traced one, that reaches this\n"
	"                     offset in the kernel: 0x1a4\n"
	"  --lane L           (--trace, --break) the lane whose vector values are printed;\n"
	"                     default: the first\n"
	"\n"
	"  -h, --help         this text\n"
	"\n"
	"A CASE-GLOB matches names as --list prints them: 'gemm/mxfp4_f32/*/exact', or a case\n"
	"name alone: 'gemm/*'.\n"
	"\n"
	"A passing case is one line. The end of the run prints each assumption once, with the\n"
	"number of cases that rest on it. A failing case, a single case, -v and --tap print the\n"
	"assumptions with the case.\n"
	"\n"
	"Exit status: 0 pass; 1 wrong numbers, or a row of --expect that does not hold; 2 usage\n"
	"or bad input; 3 race, hazard, nondeterminism or no proof; 4 device fault or time-out; 77\n"
	"nothing could run; 130 interrupted, and nothing was found. If several apply, 4 goes\n"
	"before 3 and 3 before 1. Status 2 goes before all of them: a run could not be done, or\n"
	"standard output could not be written.\n";

__attribute__((format(printf, 2, 3))) static bool bad(int *status, const char *format, ...) {
	va_list ap;
	va_start(ap, format);
	fputs("mxcheck: ", stderr);
	vfprintf(stderr, format, ap);
	va_end(ap);
	fputs("; see mxcheck --help\n", stderr);
	*status = 2;
	return false;
}

/* A whole decimal number in [low, high]. */
static bool number(const char *text, unsigned long long low, unsigned long long high,
                   unsigned long long *value) {
	char *end;
	errno = 0;
	*value = strtoull(text, &end, 10);
	return isdigit((unsigned char)text[0]) && !*end && !errno && *value >= low &&
	       *value <= high;
}

/* Seconds, or a number with the suffix s, m or h. */
bool mx_parse_duration(const char *text, double *seconds) {
	char *end;
	*seconds = isdigit((unsigned char)text[0]) ? strtod(text, &end) : 0;
	if (*seconds <= 0 || *seconds > 1e9)
		return false;
	switch (*end) {
	case 'h': *seconds *= 60; /* fall through */
	case 'm': *seconds *= 60; /* fall through */
	case 's': end++; break;
	default: break;
	}
	return !*end;
}

enum {
	LIST = 256,
	DEVICE,
	SEED,
	RACE,
	TIME,
	TIME_OUT,
	RESUME,
	SCHEDULE,
	JOBS,
	VARY,
	SHAPE,
	TILES,
	REGIME,
	SAVE,
	TAP,
	CASE,
	CO,
	CODE,
	WHO,
	DEPTH,
	TRACE,
	WATCH,
	BREAK,
	LANE,
	NO_ANALYSIS,
	SCRATCH_APART,
	THREADGROUP_SPLIT,
	SOFFSET_UNCHECKED,
	NOPS,
	PROGRESS,
	NOTES,
	NO_SHRINK,
	REQUIRE_PROOF,
	RACES,
	STRICT,
	WAIVE,
	EXPECT,
	JSON,
	JUNIT,
	SARIF,
	HTML,
	GITHUB,
	HISTORY,
	BASELINE,
	UPDATE_BASELINE,
	COUNT,
	REGRESS,
	COVERAGE,
	SHARD,
	CACHE,
	BASE,
	CASES
};

static const struct option long_options[] = {
	{ "list", no_argument, NULL, LIST },
	{ "scratch-apart", no_argument, NULL, SCRATCH_APART },
	{ "threadgroup-split", no_argument, NULL, THREADGROUP_SPLIT },
	{ "soffset-unchecked", no_argument, NULL, SOFFSET_UNCHECKED },
	{ "nops", no_argument, NULL, NOPS },
	{ "progress", no_argument, NULL, PROGRESS },
	{ "device", required_argument, NULL, DEVICE },
	{ "seed", required_argument, NULL, SEED },
	{ "race", required_argument, NULL, RACE },
	{ "time", required_argument, NULL, TIME },
	{ "time-out", required_argument, NULL, TIME_OUT },
	{ "resume", required_argument, NULL, RESUME },
	{ "schedule", required_argument, NULL, SCHEDULE },
	{ "jobs", required_argument, NULL, JOBS },
	{ "vary", required_argument, NULL, VARY },
	{ "shape", required_argument, NULL, SHAPE },
	{ "tiles", required_argument, NULL, TILES },
	{ "regime", required_argument, NULL, REGIME },
	{ "save", required_argument, NULL, SAVE },
	{ "tap", no_argument, NULL, TAP },
	{ "case", required_argument, NULL, CASE },
	{ "co", required_argument, NULL, CO },
	{ "code", required_argument, NULL, CODE },
	{ "who", required_argument, NULL, WHO },
	{ "depth", required_argument, NULL, DEPTH },
	{ "trace", required_argument, NULL, TRACE },
	{ "watch", required_argument, NULL, WATCH },
	{ "break", required_argument, NULL, BREAK },
	{ "lane", required_argument, NULL, LANE },
	{ "no-analysis", no_argument, NULL, NO_ANALYSIS },
	{ "notes", no_argument, NULL, NOTES },
	{ "races", required_argument, NULL, RACES },
	{ "strict", no_argument, NULL, STRICT },
	{ "waive", required_argument, NULL, WAIVE },
	{ "expect", required_argument, NULL, EXPECT },
	{ "json", required_argument, NULL, JSON },
	{ "junit", required_argument, NULL, JUNIT },
	{ "sarif", required_argument, NULL, SARIF },
	{ "html", required_argument, NULL, HTML },
	{ "github", no_argument, NULL, GITHUB },
	{ "history", required_argument, NULL, HISTORY },
	{ "baseline", required_argument, NULL, BASELINE },
	{ "update-baseline", no_argument, NULL, UPDATE_BASELINE },
	{ "count", required_argument, NULL, COUNT },
	{ "shard", required_argument, NULL, SHARD },
	{ "cache", required_argument, NULL, CACHE },
	{ "base", required_argument, NULL, BASE },
	{ "cases", required_argument, NULL, CASES },
	{ "regress", required_argument, NULL, REGRESS },
	{ "coverage", no_argument, NULL, COVERAGE },
	{ "no-shrink", no_argument, NULL, NO_SHRINK },
	{ "require-proof", no_argument, NULL, REQUIRE_PROOF },
	{ "verbose", no_argument, NULL, 'v' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static bool take_vary(const char *value, struct mx_options *o, int *status) {
	struct mx_why why;
	return !mx_vary_parse(value, &o->vary, &why) || bad(status, "--vary %s", why.text);
}

/* What an option without a value sets; or NULL. */
static bool *flag_of(int option, struct mx_options *o) {
	switch (option) {
	case LIST: return &o->list;
	case TAP: return &o->tap;
	case GITHUB: return &o->github;
	case 'v': return &o->verbose;
	case NOTES: return &o->notes;
	case NOPS: return &o->nops;
	case PROGRESS: return &o->progress;
	case REQUIRE_PROOF: return &o->require_proof;
	case NO_SHRINK: return &o->no_shrink;
	case COVERAGE: return &o->coverage;
	case UPDATE_BASELINE: return &o->update_baseline;
	default: return NULL;
	}
}

/* Where an option keeps the text of its value; or NULL. */
static const char **text_of(int option, struct mx_options *o) {
	switch (option) {
	case DEVICE: return &o->device;
	case CASE: return &o->case_file;
	case CO: return &o->code_object;
	case CODE: return &o->code_dir;
	case SHAPE: return &o->shape;
	case SAVE: return &o->save;
	case BASE: return &o->base;
	case CASES: return &o->cases;
	case CACHE: return &o->cache;
	case JSON: return &o->json;
	case JUNIT: return &o->junit;
	case SARIF: return &o->sarif;
	case HTML: return &o->html;
	case HISTORY: return &o->history;
	case WAIVE: return &o->waive;
	case EXPECT: return &o->expect;
	case RACES: return &o->races;
	case BASELINE: return &o->baseline;
	case REGRESS: return &o->regress;
	case RESUME: return &o->resume;
	case SCHEDULE: return &o->schedule;
	case WHO: return &o->who;
	case TRACE: return &o->trace.wave;
	case WATCH: return &o->trace.watch;
	case BREAK: return &o->trace.stop;
	default: return NULL;
	}
}

/* The form of a text, where it can be checked here. */
static bool check_text(int option, const char *value, int *status) {
	struct mx_race_actions races;
	switch (option) {
	case SAVE: return value[0] || bad(status, "%s", "--save: the folder is missing");
	case SHAPE:
		return mx_sizes_check(value) ||
		       bad(status,
		           "--shape %s: not three positive numbers M,N,K, nor NAME=NUMBER,...",
		           value);
	case RACES:
		return mx_race_actions_parse(value, &races) ||
		       bad(status,
		           "--races %s: not unordered=A or latency=A, A being fail, "
		           "report or ignore",
		           value);
	default: return true;
	}
}

static const struct {
	int option;
	unsigned long long low, high;
	const char *wrong;
} numbers[] = {
	{ SEED, 0, UINT64_MAX, "--seed %s: not a number from 0 to 2^64 - 1" },
	{ JOBS, 1, 1024, "--jobs %s: not a number from 1 to 1024" },
	{ RACE, 1, MOST_RUNS, "--race %s: not a number from 1 to 1,000,000,000" },
	{ COUNT, 1, MOST_RUNS, "--count %s: not a number from 1 to 1,000,000,000" },
	{ TILES, 1, MX_MOST_TILES, "--tiles %s: not a number from 1 to 32" },
	{ DEPTH, 0, 1000, "--depth %s: not a number from 0 to 1000" },
	{ LANE, 0, 63, "--lane %s: not a number from 0 to 63" },
};

static void set_number(int option, unsigned long long n, struct mx_options *o) {
	switch (option) {
	case SEED: o->seed = n; break;
	case RACE: o->race = n; break;
	case COUNT: o->count = n; break;
	case LANE: o->trace.lane = (int)n; break;
	case TILES: o->tiles = (unsigned)n; break;
	case JOBS:
		o->jobs = (unsigned)n;
		o->has_jobs = true;
		break;
	default: /* DEPTH */ o->depth = (unsigned)n; o->has_depth = true;
	}
}

static bool take_number(size_t row, const char *value, struct mx_options *o, int *status) {
	unsigned long long n;
	if (!number(value, numbers[row].low, numbers[row].high, &n))
		return bad(status, numbers[row].wrong, value);
	set_number(numbers[row].option, n, o);
	return true;
}

/* The tasks of srun and mpirun: a rank from 0, and the number of ranks. */
static bool shard_of_task(struct mx_options *o) {
	static const char *const names[][2] = {
		{ "SLURM_PROCID", "SLURM_NTASKS" },
		{ "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE" },
		{ "PMI_RANK", "PMI_SIZE" },
	};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const char *rank = getenv(names[i][0]), *size = getenv(names[i][1]);
		unsigned long long shard, shards;
		if (!rank || !size || !number(size, 1, MOST_SHARDS, &shards) ||
		    !number(rank, 0, shards - 1, &shard))
			continue;
		o->shard = (unsigned)shard + 1;
		o->shards = (unsigned)shards;
		return true;
	}
	return false;
}

/* "2/8" or "auto". */
static bool take_shard(const char *value, struct mx_options *o, int *status) {
	const char *slash = strchr(value, '/');
	char first[16] = "";
	unsigned long long shard, shards;
	if (!strcmp(value, "auto"))
		return shard_of_task(o) ||
		       bad(status, "%s",
		           "--shard auto: not a task of srun or mpirun: SLURM_PROCID, "
		           "OMPI_COMM_WORLD_RANK and PMI_RANK are not set");
	if (slash && slash - value < (ptrdiff_t)sizeof first)
		memcpy(first, value, (size_t)(slash - value));
	if (!slash || !number(slash + 1, 1, MOST_SHARDS, &shards) ||
	    !number(first, 1, shards, &shard))
		return bad(status,
		           "--shard %s: not I/N, I from 1 to N and N at most 10,000, nor auto",
		           value);
	o->shard = (unsigned)shard;
	o->shards = (unsigned)shards;
	return true;
}
/* Options that are neither a flag, a text nor a number. */
static bool take_other(int option, const char *value, struct mx_options *o, int *status) {
	switch (option) {
	case STRICT: o->races = "unordered=fail,latency=fail"; return true;
	case NO_ANALYSIS: o->analysis = 0; return true;
	case SCRATCH_APART: o->assume |= MX_ASSUME_SCRATCH_APART; return true;
	case THREADGROUP_SPLIT: o->assume |= MX_ASSUME_THREADGROUP_SPLIT; return true;
	case SOFFSET_UNCHECKED: o->assume |= MX_ASSUME_SOFFSET_UNCHECKED; return true;
	case TIME:
		return mx_parse_duration(value, &o->time) ||
		       bad(status, "--time %s: not a time: 90s, 30m, 8h", value);
	case TIME_OUT:
		return mx_parse_duration(value, &o->time_out) ||
		       bad(status, "--time-out %s: not a time: 10, 90s, 30m", value);
	case VARY: o->varies = true; return take_vary(value, o, status);
	case SHARD: return take_shard(value, o, status);
	case REGIME:
		o->has_regime = true;
		return mx_regime_by_name(value, &o->regime) ||
		       bad(status, "--regime %s: not exact, general or special", value);
	case 'h': fputs(help, stdout); return false;
	default: return false;
	}
}

/* One option; false with *status if it is wrong. */
static bool take(int option, const char *value, struct mx_options *o, int *status) {
	bool *flag = flag_of(option, o);
	const char **text = text_of(option, o);
	if (flag)
		*flag = true;
	if (text)
		*text = value;
	if (flag || text)
		return flag || check_text(option, value, status);
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		if (numbers[i].option == option)
			return take_number(i, value, o, status);
	return take_other(option, value, o, status);
}

/* Whether a word is the beginning of several options. */
static bool is_ambiguous(const char *word) {
	size_t n = strcspn(word + 2, "=");
	unsigned found = 0;
	for (const struct option *o = long_options; o->name; o++)
		found += !strncmp(o->name, word + 2, n);
	return found > 1;
}

/* A word that getopt_long does not take, in our words: its own begin with the program's path. */
static bool refuse(int option, char *word, int *status) {
	char letter[] = { '-', (char)optopt, 0 };
	if (optopt && optopt < LIST)
		return bad(status, "%s: no such option", letter);
	if (option == ':')
		return bad(status, "%s: its value is missing", word);
	if (optopt) {
		word[strcspn(word, "=")] = 0;
		return bad(status, "%s: takes no value", word);
	}
	return is_ambiguous(word) ? bad(status, "%s: several options begin with this", word)
	                          : bad(status, "%s: no such option", word);
}

static bool check_run(bool is_run, const struct mx_options *o, int *status) {
	if (o->code_dir && access(o->code_dir, R_OK | X_OK))
		return bad(status, "--code %s: not a folder that can be read", o->code_dir);
	if (o->ci != (o->base != NULL))
		return bad(status, "%s",
		           o->ci ? "ci: --base REV is missing" : "--base: only with 'mxcheck ci'");
	if (o->cases && !o->ci)
		return bad(status, "--cases %s: only with 'mxcheck ci'", o->cases);
	if (o->shards && (o->mutate || o->list))
		return bad(status, "%s", "--shard is for runs and for mxcheck fuzz");
	if (o->mutate || o->fuzz)
		return true;
	if (o->nops || o->progress)
		return bad(status, "%s", "--nops and --progress: only with 'mxcheck mutate'");
	if (is_run && !o->case_file)
		return bad(status, "%s", "run: --case FILE.yaml is missing");
	if (!is_run && o->case_file)
		return bad(status, "--case %s: only with 'mxcheck run'", o->case_file);
	if (o->code_object && o->code_dir)
		return bad(status, "--co %s does not go with --code", o->code_object);
	if (!is_run && o->code_object)
		return bad(status, "--co %s: only with 'mxcheck run'", o->code_object);
	return true;
}

bool mx_options_look(const struct mx_options *o) {
	return o->who || o->trace.wave || o->trace.watch || o->trace.stop;
}

/* What a shape that fuzz draws does not take. */
static bool check_fuzz(const struct mx_options *o, int *status) {
	const struct {
		const char *name;
		bool given;
	} of_runs[] = {
		{ "--shape", o->shape != NULL },
		{ "--tiles", o->tiles != 0 },
		{ "--regime", o->has_regime },
		{ "--race", o->race != 0 },
		{ "--schedule", o->schedule != NULL },
		{ "--resume", o->resume != NULL },
		{ "--time-out", o->time_out > 0 },
		{ "--vary", o->varies },
		{ "--save", o->save != NULL },
		{ "--tap", o->tap },
		{ "--require-proof", o->require_proof },
		{ "--no-analysis", !o->analysis },
		{ "--who", o->who != NULL },
		{ "--trace", o->trace.wave != NULL },
		{ "--watch", o->trace.watch != NULL },
		{ "--break", o->trace.stop != NULL },
	};
	for (size_t i = 0; i < sizeof of_runs / sizeof *of_runs; i++)
		if (of_runs[i].given)
			return bad(status, "fuzz: %s is for runs", of_runs[i].name);
	return true;
}

/* --time without --race: a hunt of as many runs as fit in that time. */
static bool check_hunt(struct mx_options *o, int *status) {
	if (o->fuzz)
		return check_fuzz(o, status);
	if (o->count || o->regress || o->coverage)
		return bad(status, "%s", "--count, --regress and --coverage are for mxcheck fuzz");
	if (o->time > 0 && !o->race)
		o->race = MOST_RUNS;
	if (o->race && o->schedule)
		return bad(status, "%s", "--schedule does not go with a hunt (--race, --time)");
	if (o->race)
		return true;
	if (o->varies)
		return bad(status, "%s", "--vary needs a hunt: --race N or --time T");
	if (o->no_shrink)
		return bad(status, "%s", "--no-shrink needs a hunt: --race N or --time T");
	if (o->time_out > 0 && o->mutate)
		return bad(status, "%s", "mutate: --time-out needs --race N or --time T");
	return !o->resume ||
	       bad(status, "--resume %s: needs a hunt: --race N or --time T", o->resume);
}

/* The names of files that differ between shards. */
static void name_shard(struct mx_options *o) {
	static const char word[] = "{shard}";
	const char **names[] = {
		&o->json, &o->junit, &o->sarif, &o->html, &o->history, &o->resume
	};
	for (size_t i = 0; o->shards && i < sizeof names / sizeof *names; i++) {
		const char *at = *names[i] ? strstr(*names[i], word) : NULL;
		char *to = o->shard_names[i];
		if (!at)
			continue;
		snprintf(to, sizeof o->shard_names[i], "%.*s%u%s", (int)(at - *names[i]), *names[i],
		         o->shard, at + strlen(word));
		*names[i] = to;
	}
}

static bool check_baseline(const struct mx_options *o, int *status) {
	if (o->update_baseline && !o->baseline)
		return bad(status, "%s", "--update-baseline needs --baseline FILE");
	if (o->baseline && (o->mutate || o->fuzz))
		return bad(status, "--baseline %s: only for runs", o->baseline);
	if (o->baseline && o->tiles)
		return bad(status, "--baseline %s: not with --tiles, which judges a part of a run",
		           o->baseline);
	if (o->history && (o->mutate || o->fuzz))
		return bad(status, "--history %s: only for runs", o->history);
	if (o->expect && (o->mutate || o->fuzz))
		return bad(status, "--expect %s: only for runs", o->expect);
	return true;
}

size_t mx_options_reports(const struct mx_options *o, struct mx_report_path reports[MX_REPORTS]) {
	const struct mx_report_path all[MX_REPORTS] = { { "--json", o->json },
		                                        { "--junit", o->junit },
		                                        { "--sarif", o->sarif },
		                                        { "--html", o->html } };
	size_t n = 0;
	for (size_t i = 0; i < MX_REPORTS; i++)
		if (all[i].path)
			reports[n++] = all[i];
	return n;
}

static bool check_reports(const struct mx_options *o, int *status) {
	struct mx_report_path r[MX_REPORTS];
	size_t n = mx_options_reports(o, r);
	if (o->github && (o->mutate || o->fuzz))
		return bad(status, "%s", "--github: only for runs");
	for (size_t i = 0; i < n; i++) {
		if (o->mutate || o->fuzz)
			return bad(status, "%s: only for runs", r[i].option);
		for (size_t k = 0; k < i; k++)
			if (!strcmp(r[i].path, "-") && !strcmp(r[k].path, "-"))
				return bad(status, "%s and %s: both write -", r[k].option,
				           r[i].option);
	}
	return true;
}

/* What is written must not replace another file of the run, under whatever name: a history would be
 * lost, and so would a case. */
static bool check_apart(const struct mx_options *o, int *status) {
	const struct mx_report_path files[] = {
		{ "--json", o->json },         { "--junit", o->junit },
		{ "--sarif", o->sarif },       { "--html", o->html },
		{ "--history", o->history },   { "--resume", o->resume },
		{ "--baseline", o->baseline }, { "--expect", o->expect },
		{ "--waive", o->waive },       { "--case", o->case_file },
		{ "--co", o->code_object },
	};
	const size_t written = 6;
	for (size_t i = 0; i < sizeof files / sizeof *files; i++)
		for (size_t k = 0; k < i && k < written && files[i].path; k++)
			if (files[k].path && mx_file_same(files[k].path, files[i].path))
				return bad(status, "%s and %s: both are %s", files[k].option,
				           files[i].option, files[i].path);
	return true;
}

/* `-` is standard output for reports; what is read again, or is a folder, must have a name. */
static bool check_names(const struct mx_options *o, int *status) {
	const struct mx_report_path named[] = {
		{ "--save", o->save },         { "--regress", o->regress },
		{ "--baseline", o->baseline }, { "--resume", o->resume },
		{ "--history", o->history },
	};
	for (size_t i = 0; i < sizeof named / sizeof *named; i++)
		if (named[i].path && !strcmp(named[i].path, "-"))
			return bad(status,
			           "%s -: cannot be standard output; ./- is a file of this name",
			           named[i].option);
	return true;
}

/* Options whose output a stored verdict does not have, or that depend on more than the inputs. */
static bool check_cache(const struct mx_options *o, int *status) {
	const char *with = o->mutate || o->fuzz ? "mutate and fuzz"
	                   : mx_options_look(o) ? "--who, --trace, --watch and --break"
	                   : o->save            ? "--save"
	                   : o->resume          ? "--resume"
	                   : o->time > 0        ? "--time"
	                   : o->varies          ? "--vary"
	                                        : NULL;
	return !o->cache || !with || bad(status, "--cache does not go with %s", with);
}

static bool check_proof(const struct mx_options *o, int *status) {
	if (o->require_proof && o->mutate)
		return bad(status, "%s", "mutate: --require-proof needs a run");
	if (o->require_proof && !o->analysis)
		return bad(status, "%s", "--require-proof does not go with --no-analysis");
	return true;
}

static bool check_look(const struct mx_options *o, int *status) {
	struct mx_error err;
	if (!mx_trace_check(&o->trace, &err))
		return bad(status, "%s", err.text);
	if (o->has_depth && !o->who)
		return bad(status, "%s", "--depth needs --who");
	if (o->trace.lane >= 0 && !o->trace.wave && !o->trace.stop)
		return bad(status, "%s", "--lane needs --trace or --break");
	if (o->race && mx_options_look(o))
		return bad(status, "%s",
		           "--race does not go with --who, --trace, --watch or --break");
	if (o->tap && mx_options_look(o))
		return bad(status, "%s",
		           "--tap does not go with --who, --trace, --watch or --break");
	return true;
}

bool mx_options_parse(int argc, char **argv, struct mx_options *o, int *status) {
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	bool is_run = argc > 1 && !strcmp(argv[1], "run");
	bool mutate = argc > 1 && !strcmp(argv[1], "mutate");
	bool fuzz = argc > 1 && !strcmp(argv[1], "fuzz");
	bool ci = argc > 1 && !strcmp(argv[1], "ci");
	int option;
	*o = (struct mx_options){ .program = argv[0],
		                  .seed = 1,
		                  .analysis = MX_ANALYSE_ORDER | MX_ANALYSE_WAIT_STATES,
		                  .mutate = mutate,
		                  .fuzz = fuzz,
		                  .ci = ci,
		                  .depth = 4,
		                  .trace.lane = -1,
		                  .jobs = processors > 0 ? (unsigned)processors : 1 };
	*status = 0;
	optind = is_run || mutate || fuzz || ci ? 2 : 1;
	while ((option = getopt_long(argc, argv, ":vh", long_options, NULL)) != -1)
		if (option == '?' || option == ':' ? !refuse(option, argv[optind - 1], status)
		                                   : !take(option, optarg, o, status))
			return false;
	o->globs = argv + optind;
	o->n_globs = argc - optind;
	name_shard(o);
	return check_run(is_run, o, status) && check_hunt(o, status) && check_baseline(o, status) &&
	       check_cache(o, status) && check_reports(o, status) && check_names(o, status) &&
	       check_apart(o, status) && check_proof(o, status) && check_look(o, status);
}
