/* The options of mxcheck: their names, and where each keeps its value. */
#include "options_check.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A whole decimal number in [low, high]. */
bool mx_parse_number(const char *text, unsigned long long low, unsigned long long high,
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
	PROFILE,
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
	CASES,
	ALLOW_DELETED,
	ASSUMPTIONS
};

static const struct option long_options[] = {
	{ "list", no_argument, NULL, LIST },
	{ "scratch-apart", no_argument, NULL, SCRATCH_APART },
	{ "threadgroup-split", no_argument, NULL, THREADGROUP_SPLIT },
	{ "soffset-unchecked", no_argument, NULL, SOFFSET_UNCHECKED },
	{ "profile", required_argument, NULL, PROFILE },
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
	{ "assumptions", no_argument, NULL, ASSUMPTIONS },
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
	{ "allow-deleted", no_argument, NULL, ALLOW_DELETED },
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
	return !mx_vary_parse(value, &o->vary, &why) ||
	       mx_options_bad(status, "--vary %s", why.text);
}

/* What an option without a value sets; or NULL. */
static bool *flag_of(int option, struct mx_options *o) {
	switch (option) {
	case LIST: return &o->list;
	case TAP: return &o->tap;
	case GITHUB: return &o->github;
	case 'v': return &o->verbose;
	case NOTES: return &o->notes;
	case ASSUMPTIONS: return &o->assumptions;
	case NOPS: return &o->nops;
	case PROGRESS: return &o->progress;
	case REQUIRE_PROOF: return &o->require_proof;
	case NO_SHRINK: return &o->no_shrink;
	case COVERAGE: return &o->coverage;
	case ALLOW_DELETED: return &o->allow_deleted;
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
	case PROFILE: return &o->profile;
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
	case SAVE: return value[0] || mx_options_bad(status, "%s", "--save: the folder is missing");
	case SHAPE:
		return mx_sizes_check(value) ||
		       mx_options_bad(
			       status,
			       "--shape %s: not three positive numbers M,N,K, nor NAME=NUMBER,...",
			       value);
	case RACES:
		return mx_race_actions_parse(value, &races) ||
		       mx_options_bad(status,
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
	{ RACE, 1, MX_MOST_RUNS, "--race %s: not a number from 1 to 1,000,000,000" },
	{ COUNT, 1, MX_MOST_RUNS, "--count %s: not a number from 1 to 1,000,000,000" },
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
	if (!mx_parse_number(value, numbers[row].low, numbers[row].high, &n))
		return mx_options_bad(status, numbers[row].wrong, value);
	set_number(numbers[row].option, n, o);
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
		       mx_options_bad(status, "--time %s: not a time: 90s, 30m, 8h", value);
	case TIME_OUT:
		return mx_parse_duration(value, &o->time_out) ||
		       mx_options_bad(status, "--time-out %s: not a time: 10, 90s, 30m", value);
	case VARY: o->varies = true; return take_vary(value, o, status);
	case SHARD: return mx_options_take_shard(value, o, status);
	case REGIME:
		o->has_regime = true;
		return mx_regime_by_name(value, &o->regime) ||
		       mx_options_bad(status, "--regime %s: not exact, general or special", value);
	case 'h': fputs(mx_options_help, stdout); return false;
	default: return false;
	}
}

/* Files of which a second one would hide the first without a word. */
static bool is_given_once(int option) {
	return option == CASE || option == WAIVE || option == EXPECT;
}

static const char *option_name(int option) {
	const struct option *o = long_options;
	while (o->val != option)
		o++;
	return o->name;
}

/* One option; false with *status if it is wrong. Of most options that are given twice the last
 * value counts, so that a script may replace its own. */
static bool take(int option, const char *value, struct mx_options *o, int *status) {
	bool *flag = flag_of(option, o);
	const char **text = text_of(option, o), *name;
	if (is_given_once(option) && *text) {
		name = option_name(option);
		return mx_options_bad(status, "--%s %s: --%s %s was given before", name, value,
		                      name, *text);
	}
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
		return mx_options_bad(status, "%s: no such option", letter);
	if (option == ':')
		return mx_options_bad(status, "%s: its value is missing", word);
	if (optopt) {
		word[strcspn(word, "=")] = 0;
		return mx_options_bad(status, "%s: takes no value", word);
	}
	return is_ambiguous(word)
	               ? mx_options_bad(status, "%s: several options begin with this", word)
	               : mx_options_bad(status, "%s: no such option", word);
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
	mx_options_name_shard(o);
	return mx_options_check(is_run, o, status);
}
