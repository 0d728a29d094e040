/* Race hunts of mxcheck: progress, and the report. */
#include "hunt_report.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "../inspect/witness.h"
#include "progress.h"

/* ---- progress, on a terminal ---- */

struct progress {
	double start, last;
	double seconds;        /* limit of the hunt; 0: no limit */
	unsigned long resumed; /* runs done when progress began */
	bool has_resumed;
};

static void show(void *context, unsigned long done, unsigned long of) {
	struct progress *p = context;
	double t = mx_seconds(), passed = t - p->start;
	if (!p->has_resumed) {
		p->has_resumed = true;
		p->resumed = done;
	}
	if (t - p->last < 0.5 && done < of)
		return;
	p->last = t;
	double rate = passed > 0 ? (double)(done - p->resumed) / passed : 0;
	fprintf(stderr, "\r\033[K");
	if (done >= of)
		return;
	fprintf(stderr, "%lu runs, %.0f a second", done, rate);
	if (p->seconds > 0)
		mx_print_left(p->seconds - passed);
	else if (rate > 0)
		mx_print_left((double)(of - done) / rate);
}

/* ---- the hunt ---- */

/* With judge `set`, bytes that differ from run 0 are judged by themselves. */
static bool is_in_set(void *context, struct mx_bench *b, const struct mx_run_result *r) {
	struct mx_verdict v = { 0 };
	struct mx_error err;
	(void)context;
	return !mx_bench_judge(b, r, &v, &err) && !mx_verdict_status(&v);
}

/* Corunners run only beside the compared runs; the search for a witness does without them. */
static int hunt(const struct mx_options *o, const char *kernel_dir,
                const struct mx_race_options *race, struct mx_bench *b, struct mx_result *r) {
	r->vary = o->vary;
	int status = o->varies ? mx_bench_vary(b, &r->vary, kernel_dir, &r->err) : 0;
	if (!status)
		status = mx_race(b, race, &r->race, &r->verdict, &r->err);
	mx_bench_vary(b, NULL, kernel_dir, NULL);
	return status;
}

/* The end of a shard's runs. The runs of a shard are consecutive. */
static unsigned long end_of_shard(const struct mx_options *o, unsigned shard) {
	return (unsigned long)((unsigned long long)o->race * shard / o->shards);
}

int mx_hunt(const struct mx_options *o, const char *kernel_dir, struct mx_bench *b,
            struct mx_result *r) {
	struct progress p = { .start = mx_seconds(), .seconds = o->time };
	const struct mx_race_options race = {
		.jobs = o->jobs < o->race ? o->jobs : (unsigned)o->race,
		.first_schedule = o->seed,
		.data_seed = o->seed,
		.first = o->shards ? end_of_shard(o, o->shard - 1) : 0,
		.n = o->shards ? end_of_shard(o, o->shard) : o->race,
		.seconds = o->time,
		.time_out = o->time_out,
		.journal = o->resume,
		.progress = isatty(2) ? show : NULL,
		.legal = r->run->c->verdict.judge == MX_JUDGE_SET ? is_in_set : NULL,
		.context = &p
	};
	int status = hunt(o, kernel_dir, &race, b, r);
	if (race.progress)
		fprintf(stderr, "\r\033[K");
	unsigned long ended = r->race.runs - r->race.crashes - r->race.timeouts;
	r->seconds = ended ? r->race.seconds / (double)ended : 0;
	bool wrong = r->race.divergent || r->race.broken;
	bool shrinks = !o->no_shrink && !r->race.interrupted && mx_bench_device(b)->emu;
	if (!status && wrong && shrinks)
		status = mx_witness_find(o, b, r);
	return status;
}

/* ---- the report ---- */

static const char *outcome_text(const struct mx_output *x) {
	switch (x->outcome) {
	case MX_RUN_SAME: return " as run 0";
	case MX_RUN_LEGAL: return " legal";
	case MX_RUN_FAULT: return " ended by the device";
	case MX_RUN_CRASH: return " died";
	case MX_RUN_TIMEOUT: return " too long";
	default: return "";
	}
}

static void print_outputs(const struct mx_race *race, const char *lead) {
	printf("%soutputs: %u distinct;", lead, race->distinct);
	for (unsigned i = 0; i < MX_TOP_OUTPUTS && race->outputs[i].runs; i++) {
		const struct mx_output *x = &race->outputs[i];
		printf("%s %" PRIu64 " times", i ? "," : "", x->runs);
		if (x->outcome <= MX_RUN_DIFFERS)
			printf(" %016" PRIx64, x->hash);
		printf("%s", outcome_text(x));
		if (x->outcome != MX_RUN_SAME)
			printf(" (first in run %" PRIu64 ")", x->first);
	}
	putchar('\n');
}

/* The bound of probabilistic concurrency testing, for bugs that need no late landing. */
static void print_chance(const struct mx_result *r, const char *lead) {
	unsigned depth, waves = r->race.waves;
	uint64_t first = (uint64_t)r->race.instructions;
	if (!first)
		return;
	double chance = mx_schedule_chance(waves, &first, &depth);
	if (chance > 0)
		printf("%srace: a bug that takes %u orderings among the first %" PRIu64
		       " instructions of the %u waves of a workgroup, if each acts when it is "
		       "issued, shows in a run with a chance of at least %.1e; no such bound is "
		       "known for bugs that depend on when memory operations land, as with a "
		       "missing wait\n",
		       lead, depth, first, waves, chance);
}

static void print_varied(bool emulated, const struct mx_result *r, const char *lead) {
	char text[128];
	mx_vary_text(&r->vary, true, text, sizeof text);
	if (text[0])
		printf("%srace: varied: %s%s\n", lead, text,
		       emulated ? "; the emulator runs one launch after the other" : "");
}

/* The rate among the runs that left bytes to compare. */
static void print_rate(bool emulated, const struct mx_result *r, const char *lead) {
	const struct mx_race *race = &r->race;
	const char *what =
		emulated ? "seeded schedules of the emulator, not of silicon" : "launches";
	bool set = r->run->c->verdict.judge == MX_JUDGE_SET;
	unsigned long compared = race->runs - race->unfinished;
	printf("%srace: %lu of %lu runs %s (%s)", lead, race->divergent, compared,
	       set ? "are outside the set" : "differ", what);
	if (set)
		printf(", %u distinct result%s", race->distinct, race->distinct == 1 ? "" : "s");
	if (!race->divergent)
		printf(": rate below %.1e (95 %%)", mx_race_rate_bound(compared));
	printf(", %.2f ms a run\n", 1e3 * r->seconds);
}

static void print_unfinished(const struct mx_race *race, const char *lead) {
	const struct {
		unsigned long n;
		const char *what;
	} kinds[] = { { race->timeouts, "took too long" },
		      { race->crashes, "died" },
		      { race->unfinished - race->timeouts - race->crashes,
		        "ended by the device, as run 0 did" } };
	const char *between = "";
	if (!race->unfinished)
		return;
	printf("%srace: %lu of %lu runs did not finish, and the rate does not count them: ", lead,
	       race->unfinished, race->runs);
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (kinds[i].n) {
			printf("%s%lu %s", between, kinds[i].n, kinds[i].what);
			between = ", ";
		}
	putchar('\n');
}

void mx_hunt_print(bool emulated, const struct mx_result *r, const char *lead) {
	const struct mx_race *race = &r->race;
	print_rate(emulated, r, lead);
	print_unfinished(race, lead);
	if (!race->divergent)
		print_chance(r, lead);
	print_varied(emulated, r, lead);
	if (race->resumed)
		printf("%srace: %lu of the runs are from the journal\n", lead, race->resumed);
	if (race->cut)
		printf("%srace: the last record of the journal was cut short; its runs were done "
		       "again\n",
		       lead);
	if (race->journal_error.text[0])
		printf("%srace: the journal could not be written; these counts are of the runs "
		       "done\n",
		       lead);
	if (r->lost)
		printf("%srace: the device did not come back; these counts are of the runs done\n",
		       lead);
	if (race->interrupted)
		printf("%srace: interrupted; these counts are of the runs done\n", lead);
	if (race->distinct > 1 || race->crashes || race->timeouts)
		print_outputs(race, lead);
}
