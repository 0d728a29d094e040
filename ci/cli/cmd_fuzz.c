/* mxcheck fuzz: draws shapes of cases, and reports failures and coverage. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "../../cases/files.h"
#include "../../fuzz/hunt/interrupt.h"
#include "../../fuzz/shapes/shapes.h"
#include "fuzz.h"
#include "hunt_report.h"
#include "progress.h"

enum { USUAL_COUNT = 1000, BAD_INPUT = 2 };

/* ---- one case ---- */

/* "129", or the text of a choice. */
static void print_value(const struct mx_shapes *s, const struct mx_name *size) {
	const char *choice = mx_choice_text(s->c, size->name, size->value);
	if (choice)
		printf("%s", choice);
	else
		printf("%" PRId64, size->value);
}

static void print_shape(const struct mx_shapes *s, const struct mx_sizes *sizes) {
	for (unsigned i = 0; i < sizes->n; i++) {
		printf("%s%s=", i ? "," : " --shape ", sizes->at[i].name);
		print_value(s, &sizes->at[i]);
	}
}

static void print_command(const struct mx_options *o, const struct mx_shapes *s,
                          const struct mx_shape_failure *f) {
	if (!f->saved[0] && f->trial.run.groups.n) { /* no option gives groups */
		puts("      reproduce: give the case a run with these sizes and groups");
		return;
	}
	printf("      reproduce: %s run --case '%s'", o->program,
	       f->saved[0] ? f->saved : s->c->path);
	if (o->code_object && (!f->saved[0] || s->c->n_steps))
		printf(" --co '%s'", o->code_object);
	if (o->profile)
		printf(" --profile '%s'", o->profile);
	if (!f->saved[0] && o->code_dir)
		printf(" --code '%s'", o->code_dir);
	if (!f->saved[0]) {
		print_shape(s, &f->trial.run.sizes);
		if (f->trial.run.tiles)
			printf(" --tiles %u", f->trial.run.tiles);
		printf(" --regime %s", mx_regime_name(f->trial.run.regime));
	}
	printf(" --device emu --seed %" PRIu64 "\n", f->trial.seed);
}

/* "fails from M = 33, N = 2: M = 32 passes, N = 1 passes" */
static void print_neighbours(const struct mx_shapes *s, const struct mx_shape_failure *f) {
	const struct mx_sizes *sizes = &f->trial.run.sizes;
	bool any = false;
	for (unsigned i = 0; i < sizes->n; i++)
		if (f->passes[i]) {
			printf("%s%s = %" PRId64, any ? ", " : "      fails from ",
			       sizes->at[i].name, sizes->at[i].value);
			any = true;
		}
	for (unsigned i = 0, n = 0; i < sizes->n; i++)
		if (f->passes[i])
			printf("%s%s = %" PRId64 " passes", n++ ? ", " : "; ", s->sizes.at[i].name,
			       f->passes[i]);
	if (any)
		putchar('\n');
}

static void print_failure(const struct mx_options *o, const struct mx_shapes *s,
                          const struct mx_shape_failure *f) {
	char small[MX_RUN_NAME], first[MX_RUN_NAME];
	mx_case_run_name(s->c, &f->trial.run, small);
	mx_case_run_name(s->c, &f->first.run, first);
	printf("FAIL  %s\n", small);
	for (unsigned i = 0; i < f->verdict.n_notes; i++)
		if (!strcmp(f->verdict.notes[i].kind, f->kind)) {
			printf("      %s: %s\n", f->kind, f->verdict.notes[i].text);
			break;
		}
	print_neighbours(s, f);
	if (strcmp(small, first))
		printf("      drawn as %s, and made small\n", first);
	print_command(o, s, f);
}

/* "M 12 of 14, N 12 of 14, K 9 of 10 borders". */
static void print_borders(const struct mx_shapes *s) {
	const struct mx_sizes *sizes = &s->sizes;
	for (unsigned i = 0; i < sizes->n; i++) {
		unsigned reached = 0;
		for (unsigned k = 0; k < s->borders[i].n; k++)
			reached += s->borders[i].at[k].reached != 0;
		printf("%s%s %u of %u", i ? ", " : "", sizes->at[i].name, reached, s->borders[i].n);
	}
	puts(" borders");
}

/* -v: the borders, and how often each was drawn. */
static void print_each_border(const struct mx_shapes *s) {
	for (unsigned i = 0; i < s->sizes.n; i++) {
		printf("      %s:", s->sizes.at[i].name);
		for (unsigned k = 0; k < s->borders[i].n; k++) {
			putchar(' ');
			print_value(s, &(struct mx_name){ s->sizes.at[i].name,
			                                  s->borders[i].at[k].value });
			printf(" (%lu)", s->borders[i].at[k].reached);
		}
		putchar('\n');
	}
}

/* -v: how many trials had larger buffers than 2^31 and 2^32 bytes and elements. */
static void print_beyond(const struct mx_shapes *s) {
	for (unsigned i = 0; s->of_tiles && i < s->c->n_buffers; i++) {
		const unsigned long *n = s->beyond[i];
		printf("      %s beyond: 2^31 bytes %lu, 2^32 bytes %lu, 2^31 elements %lu, 2^32 "
		       "elements %lu\n",
		       s->c->buffers[i].name, n[0], n[1], n[2], n[3]);
	}
}

/* --coverage: how soon a failure was found. */
static void print_first(const struct mx_shapes *s) {
	if (s->failing)
		printf("      the first failure is shape %lu\n", s->first_failing);
}

/* --coverage: what as many shapes reach that coverage does not steer. */
static int print_unsteered(const struct mx_shapes *shapes, unsigned long count, double seconds,
                           struct mx_error *err) {
	struct mx_shapes s = *shapes;
	s.unsteered = true;
	int status = mx_shapes_begin(&s, err);
	if (!status)
		status = mx_shapes_run(&s, count, seconds, err);
	struct mx_covered c = mx_shapes_covered(&s);
	if (!status) {
		printf("%s  %lu shapes without steering reached: %zu of %zu blocks, %zu of %zu "
		       "ways of branches; ",
		       s.c->name, s.trials, c.blocks, c.all_blocks, c.ways, c.all_ways);
		print_borders(&s);
		print_first(&s);
	}
	mx_shapes_free(&s);
	return status;
}

static void print_case(const struct mx_options *o, const struct mx_shapes *s, double seconds) {
	struct mx_covered c = mx_shapes_covered(s);
	printf("%s  %s%s%s  %lu shapes, %lu failing", s->failing ? "FAIL" : "pass", s->c->name,
	       s->variant ? "/" : "", s->variant ? s->variant->name : "", s->trials, s->failing);
	if (s->outside)
		printf(", %lu outside the contract", s->outside);
	if (s->of_tiles)
		printf(", %lu of some tiles", s->of_tiles);
	if (s->n_refused)
		printf(", %lu could not be run", s->n_refused);
	printf("  %.1f s\n      reached: %zu of %zu blocks, %zu of %zu ways of branches; ", seconds,
	       c.blocks, c.all_blocks, c.ways, c.all_ways);
	print_borders(s);
	if (o->coverage)
		print_first(s);
	if (o->verbose)
		print_each_border(s);
	if (o->verbose)
		print_beyond(s);
	if (o->verbose && s->n_refused)
		printf("      the first that could not be run: %s\n", s->refused.text);
	if (s->failing && !s->c->contract)
		puts("      the case has no contract, so any size counts as one of the kernel's: "
		     "cases/README.md#contracts");
	for (unsigned i = 0; i < s->n_failures; i++)
		print_failure(o, s, &s->failure[i]);
	fflush(stdout);
}

static const char *folder_of(const struct mx_options *o) {
	return o->regress ? o->regress : "cases/regress";
}

/* Writes a case for each failure. */
static int save(const struct mx_options *o, struct mx_shapes *s, struct mx_error *err) {
	const char *dir = folder_of(o);
	for (unsigned i = 0; i < s->n_failures; i++)
		if (mx_trial_save(s, dir, &s->failure[i], err)) {
			s->failure[i].saved[0] = 0;
			return -1;
		}
	return 0;
}

static int worst_of(const struct mx_shapes *s) {
	int worst = 0;
	for (unsigned i = 0; i < s->n_failures; i++) {
		int status = mx_verdict_status(&s->failure[i].verdict);
		worst = status > worst ? status : worst;
	}
	return worst;
}

static int fuzz_case(const struct mx_options *o, struct mx_shapes *s, double seconds) {
	struct mx_error err;
	double start = mx_seconds();
	unsigned long count = o->count ? o->count : seconds > 0 ? 0 : USUAL_COUNT;
	if (count && s->shard >= count)
		return 0;
	count = (count + s->shards - 1 - s->shard) / s->shards;
	int status = o->coverage ? print_unsteered(s, count, seconds / 2, &err) : 0;
	if (!status)
		status = mx_shapes_begin(s, &err);
	if (!status)
		status = mx_shapes_run(s, count, o->coverage ? seconds / 2 : seconds, &err);
	if (!status)
		status = save(o, s, &err);
	if (s->trials || !status)
		print_case(o, s, mx_seconds() - start);
	if (status)
		fprintf(stderr, "mxcheck: %s\n", err.text);
	status = status ? BAD_INPUT : worst_of(s);
	mx_shapes_free(s);
	return status;
}

/* ---- all ---- */

/* Whether runs[i] is the first of its case and variant. */
static bool is_first(const struct mx_selection *s, size_t i) {
	for (size_t k = 0; k < i; k++)
		if (s->runs[k].c == s->runs[i].c &&
		    s->runs[k].run.variant == s->runs[i].run.variant)
			return false;
	return true;
}

/* 2 goes before all others, as in a run; otherwise the largest. */
static int worse(int a, int b) {
	if (a == BAD_INPUT || b == BAD_INPUT)
		return BAD_INPUT;
	return a > b ? a : b;
}

int mx_cmd_fuzz(const struct mx_options *o, struct mx_device *d, const char *kernel_dir,
                const struct mx_selection *s) {
	struct mx_handlers old;
	int status = 0;
	size_t cases = 0;
	struct mx_error err;
	if (mx_folder_check(folder_of(o), &err)) {
		fprintf(stderr, "mxcheck: --regress: %s\n", err.text);
		return BAD_INPUT;
	}
	mx_interrupt_catch(&old);
	d->threads = 1;
	mx_judge_threads(1);
	for (size_t i = 0; i < s->n_runs; i++)
		cases += is_first(s, i);
	printf("device %s (%s, %s), seed %" PRIu64 "\n", d->name, d->arch, d->runtime, o->seed);
	fflush(stdout);
	for (size_t i = 0; i < s->n_runs && !mx_interrupted(); i++) {
		struct mx_shapes shapes = { .c = s->runs[i].c,
			                    .variant = s->runs[i].run.variant,
			                    .device = d,
			                    .code_object = o->code_object,
			                    .kernel_dir = kernel_dir,
			                    .seed = o->seed,
			                    .shard = o->shards ? o->shard - 1 : 0,
			                    .shards = o->shards ? o->shards : 1,
			                    .threads = o->jobs };
		if (is_first(s, i))
			status = worse(status, fuzz_case(o, &shapes, o->time / (double)cases));
	}
	if (mx_interrupted())
		puts("interrupted; these counts are of the shapes done");
	status = status || !mx_interrupted() ? status : MX_INTERRUPTED;
	mx_interrupt_restore(&old);
	return status;
}
