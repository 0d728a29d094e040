/* From the results of an instruction to its profile: rounds of inference and verification. */
#include "probe_read.h"

#include <stdlib.h>

enum { ROUNDS = 8 };

/* Questions and answers, to which dots are added. */
struct learnt {
	struct mx_probe_dot *dot;
	uint64_t *d;
	size_t n, questions;
};

/* As mx_probe_results; the device computes block 0, the questions, and random ones. */
static int get_results(const struct mx_reading *r, const struct mx_probe_entry *e, unsigned block,
                       const struct learnt *l, uint64_t **d, uint64_t *first, size_t *n,
                       struct mx_error *err) {
	if (!r->device)
		return mx_probe_results(r->set, e, block, l->questions, d, first, n, err);
	*n = mx_probe_block_dots(block, l->questions, e->dots, first);
	if (!(*d = malloc((*n + 1) * sizeof **d)))
		return mx_fail(err, "out of memory");
	return mx_probe_run(r->device, r->co, &e->insn, block ? NULL : l->dot, r->set->seed, *first,
	                    *n, *d, err);
}

/* ---- verification ---- */

static void record(struct mx_verified *v, const struct mx_probe_dot *dot, uint64_t is,
                   uint64_t would_be) {
	if (v->wrong < MX_WRONG) {
		v->dot[v->wrong] = *dot;
		v->is[v->wrong] = is;
	}
	if (!v->wrong++)
		v->would_be = would_be;
}

/* Predicts one block of random dots, up to `most` wrong ones. */
static void verify_block(const struct mx_reading *r, const mx_profile *p,
                         const struct mx_probe_insn *insn, const uint64_t *d, uint64_t first,
                         size_t n, uint64_t most, struct mx_verified *v) {
	struct mx_probe_product product[MX_PROBE_K];
	struct mx_probe_terms terms = { product };
	struct mx_probe_steps steps;
	struct mx_probe_dot dot;
	mx_probe_steps(p, insn->k, &steps);
	for (size_t i = 0; i < n && v->wrong < most; i++) {
		mx_probe_random(insn, r->set->seed, first + i, &dot);
		mx_probe_terms(insn, &dot, &terms);
		uint64_t would_be = mx_probe_result(insn, p, &steps, &terms);
		v->dots++;
		if (would_be != d[i])
			record(v, &dot, d[i], would_be);
	}
}

static int verify(const struct mx_reading *r, const struct mx_probe_entry *e, const mx_profile *p,
                  uint64_t most, struct mx_verified *v, struct mx_error *err) {
	const struct learnt none = { 0 };
	v->dots = v->wrong = 0;
	for (unsigned block = 1; block <= mx_probe_blocks(e->dots) && v->wrong < most; block++) {
		uint64_t *d, first;
		size_t n;
		int status = get_results(r, e, block, &none, &d, &first, &n, err);
		if (!status)
			verify_block(r, p, &e->insn, d, first, n, most, v);
		free(d);
		if (status < 0)
			return status;
	}
	return 0;
}

/* ---- rounds ---- */

static bool learn(struct learnt *l, const struct mx_verified *v) {
	size_t more = v->wrong < MX_WRONG ? v->wrong : MX_WRONG;
	struct mx_probe_dot *dot = realloc(l->dot, (l->n + more) * sizeof *dot);
	l->dot = dot ? dot : l->dot;
	uint64_t *d = realloc(l->d, (l->n + more) * sizeof *d);
	l->d = d ? d : l->d;
	for (size_t i = 0; dot && d && i < more; i++, l->n++) {
		l->dot[l->n] = v->dot[i];
		l->d[l->n] = v->is[i];
	}
	return dot && d;
}

static void report(struct mx_reading *r, const struct mx_answers *a, const struct mx_inference *x,
                   const struct mx_verified *v) {
	mx_probe_print(a, x, v);
	r->done++;
	r->failed += !x->fits || v->wrong;
	if (r->yaml && x->fits && !v->wrong)
		mx_probe_yaml(r->yaml, a, x, v);
}

/* One round; *again if dots were learnt, else the result is printed. */
static int infer_once(struct mx_reading *r, const struct mx_probe_entry *e, struct learnt *l,
                      bool last, struct mx_inference *x, struct mx_verified *v, bool *again,
                      struct mx_error *err) {
	struct mx_answers a = { 0 };
	if (!mx_answers_make(&a, &e->insn, l->dot, l->d, l->n))
		return mx_fail(err, "out of memory");
	mx_infer(&a, x);
	int status = x->fits ? verify(r, e, &x->profile, last ? UINT64_MAX : MX_WRONG, v, err) : 0;
	*again = !status && x->fits && v->wrong && !last;
	v->learnt = l->n - l->questions;
	if (!status && !*again)
		report(r, &a, x, v);
	mx_answers_free(&a);
	return *again && !learn(l, v) ? mx_fail(err, "out of memory") : status;
}

static int infer(struct mx_reading *r, const struct mx_probe_entry *e, struct learnt *l,
                 struct mx_error *err) {
	struct mx_inference *x = malloc(sizeof *x);
	struct mx_verified *v = calloc(1, sizeof *v);
	bool again = true;
	int status = x && v ? 0 : mx_fail(err, "out of memory");
	for (unsigned round = 1; !status && again; round++)
		status = infer_once(r, e, l, round == ROUNDS, x, v, &again, err);
	free(x);
	free(v);
	return status;
}

/* The questions and their answers. A folder's questions may be those of another version. */
static int ask(const struct mx_reading *r, const struct mx_probe_entry *e, struct learnt *l,
               struct mx_error *err) {
	uint64_t first;
	if (!r->device && mx_probe_read_questions(r->set, e, &l->dot, &l->questions, err))
		return -1;
	if (r->device && !(l->dot = mx_probe_questions(&e->insn, &l->questions)))
		return mx_fail(err, "out of memory");
	return get_results(r, e, 0, l, &l->d, &first, &l->n, err);
}

int mx_probe_read_entry(struct mx_reading *r, const struct mx_probe_entry *e,
                        struct mx_error *err) {
	struct learnt l = { 0 };
	int status = ask(r, e, &l, err);
	if (!status)
		status = infer(r, e, &l, err);
	free(l.d);
	free(l.dot);
	return status < 0 ? status : 0;
}
