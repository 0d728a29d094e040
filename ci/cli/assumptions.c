/* The assumptions under which the cases of a run pass, each once. */
#include "assumptions.h"

#include <stdio.h>
#include <string.h>

static const char *plural(size_t n) {
	return n == 1 ? "" : "s";
}

/* ---- numbers ---- */

/* The text that the verdict of a brief case rests on; NULL: no numbers were judged. */
static const char *basis_of(const struct mx_options *o, const struct mx_result *r) {
	return mx_result_is_brief(o, r) && r->verdict.checked ? r->verdict.basis : NULL;
}

static void print_basis(const struct mx_options *o, const struct mx_result *results, size_t n,
                        size_t i) {
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
		printf("numbers rest on: %s (%zu case%s)\n", basis, cases, plural(cases));
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
static void print_order(const struct mx_options *o, const struct mx_result *results, size_t n) {
	size_t cases[MX_PROOF_ASSUMPTIONS];
	char text[MX_LINE_ROOM];
	for (unsigned i = 0; i < MX_PROOF_ASSUMPTIONS; i++)
		cases[i] = count_order(o, results, n, i);
	for (unsigned i = 0; i < MX_PROOF_ASSUMPTIONS; i++) {
		uint32_t line = 0;
		for (unsigned k = 0; k < MX_PROOF_ASSUMPTIONS; k++)
			line |= (uint32_t)(cases[k] == cases[i]) << k;
		if (cases[i] && !(line & ((1u << i) - 1)))
			printf("order is proved assuming: %s (%zu case%s)\n",
			       mx_assumptions_text(line, text, sizeof text), cases[i],
			       plural(cases[i]));
	}
}

void mx_assumptions_print(const struct mx_options *o, const struct mx_result *results, size_t n) {
	for (size_t i = 0; i < n; i++)
		print_basis(o, results, n, i);
	print_order(o, results, n);
}
