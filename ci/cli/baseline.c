/* The accuracy of runs against a baseline file: worse fails, better asks for an update. */
#include "baseline.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../cases/files.h"
#include "../../cases/schema.h"
#include "accuracy.h"
#include "output.h"

/* ---- the file ---- */

/* A run's accuracy, as text. A run whose output has no finite error has no snr and no worst_row. */
struct entry {
	char *run;
	char *snr_deq, *snr_unq; /* dB */
	char *worst_row;         /* relative error */
	char *equal;             /* share of outputs that have the reference's bits */
	char *ulp;               /* the largest distance */
	char *ulps;              /* the histogram; absent: not compared */
	char *noise;             /* dB by which the run may differ; absent: 0 */
};

struct mx_baseline {
	const char *path;
	uint64_t seed;
	struct entry *runs;
	unsigned n;
};

#define STRING(field, flags)                                                                       \
	CYAML_FIELD_STRING_PTR(#field, flags, struct entry, field, 0, CYAML_UNLIMITED)

static const cyaml_schema_field_t entry_fields[] = {
	STRING(run, 0),
	STRING(snr_deq, CYAML_FLAG_OPTIONAL),
	STRING(snr_unq, CYAML_FLAG_OPTIONAL),
	STRING(worst_row, CYAML_FLAG_OPTIONAL),
	STRING(equal, CYAML_FLAG_OPTIONAL),
	STRING(ulp, CYAML_FLAG_OPTIONAL),
	STRING(ulps, CYAML_FLAG_OPTIONAL),
	STRING(noise, CYAML_FLAG_OPTIONAL),
	CYAML_FIELD_END,
};

static const cyaml_schema_value_t entry = {
	CYAML_VALUE_MAPPING(0, struct entry, entry_fields),
};

static const cyaml_schema_field_t file_fields[] = {
	CYAML_FIELD_UINT("seed", 0, struct mx_baseline, seed),
	CYAML_FIELD_SEQUENCE_COUNT("runs", CYAML_FLAG_POINTER, struct mx_baseline, runs, n, &entry,
	                           0, CYAML_UNLIMITED),
	CYAML_FIELD_END,
};

static const cyaml_schema_value_t schema = {
	CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct mx_baseline, file_fields),
};

static bool number(const char *text, double *v) {
	char *end;
	*v = text ? strtod(text, &end) : NAN;
	return !text || (*text && !*end && isfinite(*v));
}

static const struct entry *find(const struct mx_baseline *b, const char *run) {
	for (unsigned i = 0; i < b->n; i++)
		if (!strcmp(b->runs[i].run, run))
			return &b->runs[i];
	return NULL;
}

static int check_entry(struct source *s, const struct mx_baseline *b, unsigned i,
                       struct mx_error *err) {
	const yaml_node_t *runs = source_key(s, yaml_document_get_root_node(&s->document), "runs");
	unsigned line = source_line(source_entry(s, runs, i));
	const struct entry *e = &b->runs[i];
	const char *const texts[] = { e->snr_deq, e->snr_unq, e->worst_row,
		                      e->equal,   e->ulp,     e->noise };
	double v;
	for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
		if (!number(texts[k], &v))
			return source_fail(err, s, line, "runs[%u]: not a number: %s", i, texts[k]);
	if (v < 0)
		return source_fail(err, s, line, "runs[%u]: noise is negative: %s", i, e->noise);
	struct mx_metrics m;
	if (e->ulps && !mx_histogram_read(e->ulps, &m))
		return source_fail(err, s, line, "runs[%u]: not a histogram: %s", i, e->ulps);
	if (find(b, e->run) != e)
		return source_fail(err, s, line, "runs[%u]: %s is already in the file", i, e->run);
	return 0;
}

static int check(struct source *s, const struct mx_baseline *b, struct mx_error *err) {
	int status = 0;
	for (unsigned i = 0; !status && i < b->n; i++)
		status = check_entry(s, b, i, err);
	return status;
}

static int read_source(struct source *s, struct mx_baseline **b, struct mx_error *err) {
	void *data;
	if (source_check_keys(s, &schema, err) || source_read(s, &schema, &data, err))
		return -1;
	*b = data;
	if (!check(s, *b, err))
		return 0;
	mx_baseline_free(*b);
	*b = NULL;
	return -1;
}

static int make_new(uint64_t seed, struct mx_baseline **b, struct mx_error *err) {
	*b = calloc(1, sizeof **b);
	if (!*b)
		return mx_fail(err, "out of memory");
	(*b)->seed = seed;
	return 0;
}

int mx_baseline_open(const char *path, uint64_t seed, bool update, struct mx_baseline **b,
                     struct mx_error *err) {
	struct source s;
	if (update && mx_file_check(path, err))
		return -1;
	if (update && access(path, F_OK) && errno == ENOENT) {
		if (make_new(seed, b, err))
			return -1;
	} else {
		if (source_open(&s, path, err))
			return -1;
		int rc = read_source(&s, b, err);
		source_close(&s);
		if (rc)
			return -1;
	}
	(*b)->path = path;
	if ((*b)->seed == seed)
		return 0;
	mx_fail(err, "%s: it is of --seed %" PRIu64 ", not %" PRIu64, path, (*b)->seed, seed);
	mx_baseline_free(*b);
	*b = NULL;
	return -1;
}

void mx_baseline_free(struct mx_baseline *b) {
	source_free(&schema, b);
}

/* ---- the accuracy of a run ---- */

static struct mx_accuracy accuracy_of_entry(const struct entry *e) {
	struct mx_accuracy a;
	const char *const texts[MX_MEASURES] = { e->snr_deq, e->snr_unq, e->worst_row, e->equal,
		                                 e->ulp };
	for (unsigned i = 0; i < MX_MEASURES; i++)
		number(texts[i], &a.at[i]);
	return a;
}

/* The noise is in dB; it covers relative errors as well. */
static bool is_worse(unsigned measure, double was, double is, double noise) {
	double g = mx_gain(measure, was, is);
	if (!(noise > 0) || isnan(was) || isnan(is))
		return g < 0;
	switch (measure) {
	case MX_SNR_DEQ:
	case MX_SNR_UNQ: return g < -noise;
	case MX_WORST_ROW: return is > was * pow(10, noise / 20);
	default: return false; /* bits may differ */
	}
}

/* The least class from which on `is` has more outputs than `was`; 0: none. */
static unsigned longer_tail(const struct mx_metrics *was, const struct mx_metrics *is) {
	for (unsigned i = 1; i < MX_ULP_CLASSES; i++)
		if (mx_histogram_tail(is, i) > mx_histogram_tail(was, i))
			return i;
	return 0;
}

static void compare_histograms(const struct entry *e, const struct mx_metrics *is, char *text,
                               size_t room) {
	struct mx_metrics was;
	if (!e->ulps || !mx_histogram_read(e->ulps, &was))
		return;
	unsigned class = longer_tail(&was, is);
	size_t n = strlen(text);
	if (class)
		snprintf(text + n, room - n, "%s%zu outputs at %u ULP or more, were %zu",
		         n ? "; " : "", mx_histogram_tail(is, class), 1u << (class - 1),
		         mx_histogram_tail(&was, class));
}

void mx_baseline_compare(struct mx_baseline *b, const struct mx_selected *run,
                         struct mx_verdict *v) {
	const struct entry *e = find(b, run->name);
	char text[512] = "";
	size_t n = 0;
	double noise = 0;
	if (!e || !mx_has_accuracy(v))
		return;
	struct mx_accuracy was = accuracy_of_entry(e), is = mx_accuracy_of(v);
	number(e->noise, &noise);
	for (unsigned i = 0; i < MX_MEASURES; i++) {
		char before[64], now[64];
		if (!is_worse(i, was.at[i], is.at[i], noise))
			continue;
		snprintf(before, sizeof before, mx_measures[i].format, was.at[i]);
		snprintf(now, sizeof now, mx_measures[i].format, is.at[i]);
		n += (size_t)snprintf(text + n, sizeof text - n, "%s%s is %s, was %s",
		                      n ? "; " : "", mx_measures[i].name, now,
		                      isnan(was.at[i]) ? "exact" : before);
	}
	if (!(noise > 0))
		compare_histograms(e, &v->metrics, text, sizeof text);
	if (text[0])
		mx_verdict_add(v, MX_WRONG_NUMBERS, "accuracy", "worse than in %s: %s", b->path,
		               text);
}

/* ---- the end of a run ---- */

static bool is_better(const struct entry *e, const struct mx_verdict *v) {
	struct mx_accuracy was = accuracy_of_entry(e), is = mx_accuracy_of(v);
	struct mx_metrics ulps;
	double noise = 0;
	number(e->noise, &noise);
	if (e->ulps && mx_histogram_read(e->ulps, &ulps) && longer_tail(&v->metrics, &ulps))
		return true;
	for (unsigned i = 0; i < MX_MEASURES; i++)
		if (mx_gain(i, was.at[i], is.at[i]) > (i <= MX_SNR_UNQ && noise > 0 ? noise : 0))
			return true;
	return false;
}

void mx_baseline_report(struct mx_baseline *b, const struct mx_options *o,
                        const struct mx_result *results, size_t n) {
	size_t same = 0, better = 0, absent = 0;
	for (size_t i = 0; i < n; i++) {
		const struct mx_verdict *v = &results[i].verdict;
		if (results[i].bad_input || mx_verdict_status(v) || !mx_has_accuracy(v))
			continue;
		const struct entry *e = find(b, results[i].run->name);
		absent += !e;
		better += e && is_better(e, v);
		same += e && !is_better(e, v);
	}
	printf("%saccuracy: %zu as in ", o->tap ? "# " : "", same);
	mx_print_on_line(b->path);
	if (better)
		printf(", %zu better", better);
	if (absent)
		printf(", %zu not in it", absent);
	puts(better || absent
	             ? (o->update_baseline ? "; updated" : "; --update-baseline takes them")
	             : "");
}

static void print_entry(FILE *f, const char *run, const struct mx_accuracy *a, const char *ulps,
                        const char *noise) {
	fprintf(f, "  - {run: \"%s\"", run);
	for (unsigned i = 0; i < MX_MEASURES; i++) {
		if (isnan(a->at[i]))
			continue;
		fprintf(f, ", %s: ", mx_measures[i].name);
		fprintf(f, mx_measures[i].format, a->at[i]);
	}
	if (ulps && ulps[0])
		fprintf(f, ", ulps: \"%s\"", ulps);
	if (noise)
		fprintf(f, ", noise: %s", noise);
	fputs("}\n", f);
}

static int by_run(const void *a, const void *b) {
	const char *const *x = a, *const *y = b;
	return strcmp(*x, *y);
}

static const struct mx_result *result_of(const struct mx_result *results, size_t n,
                                         const char *run) {
	for (size_t i = 0; i < n; i++)
		if (!results[i].bad_input && !mx_verdict_status(&results[i].verdict) &&
		    mx_has_accuracy(&results[i].verdict) && !strcmp(results[i].run->name, run))
			return &results[i];
	return NULL;
}

static void print_all(FILE *f, const struct mx_baseline *b, const struct mx_result *results,
                      size_t n, const char **names_of_runs, size_t n_names) {
	fprintf(f,
	        "# Accuracy of runs; mxcheck --update-baseline writes this file. A run that is "
	        "worse fails.\nseed: %" PRIu64 "\nruns:%s\n",
	        b->seed, n_names ? "" : " []");
	for (size_t i = 0; i < n_names; i++) {
		const struct entry *e = find(b, names_of_runs[i]);
		const struct mx_result *r = result_of(results, n, names_of_runs[i]);
		struct mx_accuracy a = r ? mx_accuracy_of(&r->verdict) : accuracy_of_entry(e);
		char ulps[256];
		if (r)
			mx_histogram_text(&r->verdict.metrics, ulps, sizeof ulps);
		if (!i || strcmp(names_of_runs[i], names_of_runs[i - 1]))
			print_entry(f, names_of_runs[i], &a, r ? ulps : e->ulps,
			            e ? e->noise : NULL);
	}
}

int mx_baseline_update(struct mx_baseline *b, const struct mx_result *results, size_t n,
                       struct mx_error *err) {
	const char **run = calloc(n + b->n + 1, sizeof *run);
	size_t n_runs = 0, bytes = 0;
	char *text = NULL;
	FILE *f = run ? open_memstream(&text, &bytes) : NULL;
	if (!f) {
		free(run);
		return mx_fail(err, "out of memory");
	}
	for (unsigned i = 0; i < b->n; i++)
		run[n_runs++] = b->runs[i].run;
	for (size_t i = 0; i < n; i++)
		if (result_of(results, n, results[i].run->name))
			run[n_runs++] = results[i].run->name;
	qsort(run, n_runs, sizeof *run, by_run);
	print_all(f, b, results, n, run, n_runs);
	int status = fclose(f) ? mx_fail(err, "out of memory") : 0;
	if (!status)
		status = mx_files_write(&(struct mx_file){ b->path, { { text, bytes } } }, 1, err);
	free(text);
	free(run);
	return status;
}
