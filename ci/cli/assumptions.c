/* The assumptions under which the cases of a run pass, each once. */
#include "assumptions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *plural(size_t n) {
	return n == 1 ? "" : "s";
}

/* ---- numbers ---- */

/* The text that the verdict of a brief case rests on; NULL: no numbers were judged. */
static const char *basis_of(const struct mx_options *o, const struct mx_result *r) {
	return mx_result_is_brief(o, r) && r->verdict.checked ? r->verdict.basis : NULL;
}

static void put_basis(FILE *f, const struct mx_options *o, const struct mx_result *results,
                      size_t n, size_t i) {
	const char *basis = basis_of(o, &results[i]);
	size_t cases = 0;
	for (size_t k = 0; basis && k < n; k++) {
		const char *other = basis_of(o, &results[k]);
		bool same = other && !strcmp(other, basis);
		if (same && k < i)
			return;
		cases += same;
	}
	if (basis)
		fprintf(f, "numbers rest on: %s (%zu case%s)\n", basis, cases, plural(cases));
}

/* ---- order ---- */

static size_t count_order(const struct mx_options *o, const struct mx_result *results, size_t n,
                          unsigned assumption) {
	size_t cases = 0;
	for (size_t i = 0; i < n; i++) {
		const struct mx_proof *p = &mx_result_order(&results[i])->proof;
		cases += mx_result_is_brief(o, &results[i]) && p->outcome == MX_PROVED &&
		         p->assumptions >> assumption & 1;
	}
	return cases;
}

/* Assumptions with the same number of cases share a line. */
static void put_order(FILE *f, const struct mx_options *o, const struct mx_result *results,
                      size_t n) {
	size_t cases[MX_PROOF_ASSUMPTIONS];
	char text[MX_LINE_ROOM];
	for (unsigned i = 0; i < MX_PROOF_ASSUMPTIONS; i++)
		cases[i] = count_order(o, results, n, i);
	for (unsigned i = 0; i < MX_PROOF_ASSUMPTIONS; i++) {
		uint32_t line = 0;
		for (unsigned k = 0; k < MX_PROOF_ASSUMPTIONS; k++)
			line |= (uint32_t)(cases[k] == cases[i]) << k;
		if (cases[i] && !(line & ((1u << i) - 1)))
			fprintf(f, "order is proved assuming: %s (%zu case%s)\n",
			        mx_assumptions_text(line, text, sizeof text), cases[i],
			        plural(cases[i]));
	}
}

/* ---- all of them ---- */

static void put_all(FILE *f, const struct mx_options *o, const struct mx_result *results,
                    size_t n) {
	for (size_t i = 0; i < n; i++)
		put_basis(f, o, results, n, i);
	put_order(f, o, results, n);
}

/* The profile that a basis assumes, *bytes of it; NULL: none. */
static const char *assumed_profile(const char *basis, size_t *bytes) {
	static const char before[] = "profile ", after[] = " (assumed";
	const char *at = basis ? strstr(basis, before) : NULL;
	if (!at)
		return NULL;
	at += strlen(before);
	*bytes = strcspn(at, " ");
	return strncmp(at + *bytes, after, strlen(after)) ? NULL : at;
}

/* Adds a profile to a list of names. */
static void add_name(char *names, size_t room, const char *name, size_t bytes) {
	char one[64];
	snprintf(one, sizeof one, "%.*s", (int)bytes, name);
	size_t n = strlen(names);
	if (!strstr(names, one))
		snprintf(names + n, room - n, "%s%s", n ? ", " : "", one);
}

/* One line: what a profile decides, and where the rest is. */
static void print_count(const struct mx_options *o, const struct mx_result *results, size_t n,
                        size_t lines) {
	size_t assumed = 0, judged = 0, bytes;
	char names[128] = "";
	for (size_t i = 0; i < n; i++) {
		const char *basis = basis_of(o, &results[i]);
		const char *profile = assumed_profile(basis, &bytes);
		judged += basis != NULL;
		assumed += profile != NULL;
		if (profile)
			add_name(names, sizeof names, profile, bytes);
	}
	printf("assumptions: the numbers of %zu of %zu runs rest on an assumed profile%s%s%s; "
	       "--assumptions prints all %zu\n",
	       assumed, judged, names[0] ? " (" : "", names, names[0] ? ")" : "", lines);
}

void mx_assumptions_print(const struct mx_options *o, const struct mx_result *results, size_t n) {
	enum { MOST_LINES = 4 };
	char *text = NULL;
	size_t bytes, lines = 0;
	FILE *f = open_memstream(&text, &bytes);
	if (!f)
		return;
	put_all(f, o, results, n);
	fclose(f);
	for (size_t i = 0; i < bytes; i++)
		lines += text[i] == '\n';
	if (lines > MOST_LINES && !o->assumptions)
		print_count(o, results, n, lines);
	else
		fputs(text, stdout);
	free(text);
}
