/* A case's epilogue: its numbers and buffers, and checks. */
#include "choice.h"
#include "epilogue.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- numbers ---- */

/* Decimal or hexadecimal, rounded once to f32; false if it is not finite. */
static bool number(const char *text, float *v) {
	char *end;
	*v = strtof(text, &end);
	return end != text && !*end && isfinite(*v);
}

static float number_or(const char *text, float other) {
	float v;
	return text && number(text, &v) ? v : other;
}

bool epilogue_argument(const struct mx_plan *p, const char *text, float *narrow, double *wide) {
	const struct mx_epilogue_spec *e = p->c->epilogue;
	bool alpha = e && e->alpha && !strcmp(text, "alpha");
	bool beta = e && e->beta && !strcmp(text, "beta");
	char *end, *other;
	if (alpha || beta) {
		*narrow = alpha ? p->epilogue.alpha : p->epilogue.beta;
		*wide = (double)*narrow;
		return true;
	}
	*wide = strtod(text, &end);
	*narrow = strtof(text, &other);
	return end != text && !*end;
}

/* ---- buffers ---- */

static int find(const struct mx_case *c, mx_role role) {
	for (unsigned i = 0; i < c->n_buffers; i++)
		if (c->buffers[i].role == role)
			return (int)i;
	return -1;
}

static bool has_data(const struct mx_case *c, int i, const char *what) {
	const char *data = i < 0 ? NULL : c->buffers[i].data;
	return data && (!what || !strcmp(data, what));
}

/* Without a buffer of role c_in, the epilogue reads the output and overwrites it. */
static int find_c(const struct mx_case *c) {
	int in = find(c, MX_ROLE_C_IN), out = find(c, MX_ROLE_C);
	if (!c->epilogue->beta)
		return -1;
	return in >= 0 ? in : has_data(c, out, NULL) ? out : -1;
}

static int find_bias(const struct mx_case *c) {
	int rows = find(c, MX_ROLE_BIAS_ROWS);
	return rows >= 0 ? rows : find(c, MX_ROLE_BIAS_COLS);
}

static struct mx_epilogue resolve(const struct mx_case *c, const struct mx_sizes *sizes) {
	const struct mx_epilogue_spec *spec = c->epilogue;
	struct mx_epilogue e = {
		.alpha = number_or(choice_text(c, sizes, NULL, "alpha", spec->alpha), 1),
		.beta = number_or(choice_text(c, sizes, NULL, "beta", spec->beta), 0),
		.c = find_c(c),
		.bias = find_bias(c),
	};
	e.reads_c = e.c >= 0 && (e.beta != 0 || spec->c_of_zero);
	return e;
}

struct mx_epilogue epilogue_make(const struct mx_plan *p) {
	return p->c->epilogue ? resolve(p->c, &p->sizes)
	                      : (struct mx_epilogue){ .c = -1, .bias = -1 };
}

/* ---- checks ---- */

static bool blame(struct epilogue_fault *f, const char *list, int i, const char *key,
                  const char *why) {
	f->list = list;
	f->i = i;
	f->key = key;
	snprintf(f->why, sizeof f->why, "%s", why);
	return true;
}

static bool is_no_number(const char *text, const char *key, struct epilogue_fault *f) {
	char why[sizeof f->why];
	float v;
	if (!text || number(text, &v))
		return false;
	snprintf(why, sizeof why, "'%.100s' is not a finite f32", text);
	return blame(f, "epilogue", -1, key, why);
}

static bool has_other_corunners(const struct mx_case *c, struct epilogue_fault *f) {
	if (c->groups)
		return blame(f, "epilogue", -1, NULL, "a case with groups has no epilogue");
	if (c->verdict.judge == MX_JUDGE_SET)
		return blame(f, "epilogue", -1, NULL,
		             "judge set has no epilogue: atomics add to the output");
	return false;
}

static bool has_wrong_terms(const struct mx_case *c, struct epilogue_fault *f) {
	int in = find(c, MX_ROLE_C_IN), cols = find(c, MX_ROLE_BIAS_COLS);
	const struct mx_epilogue_spec *e = c->epilogue;
	if (in >= 0 && !e->beta)
		return blame(f, "buffers", in, "role", "the epilogue has no beta");
	if (e->c_of_zero && !e->beta)
		return blame(f, "epilogue", -1, "c_of_zero", "there is no beta");
	if (e->beta && find_c(c) < 0)
		return blame(f, "epilogue", -1, "beta",
		             "no buffer has role c_in, and the output has no data to add");
	if (cols >= 0 && find(c, MX_ROLE_BIAS_ROWS) >= 0)
		return blame(f, "buffers", cols, "role", "an epilogue adds one bias");
	return false;
}

static bool is_poisoned(const struct mx_case *c, struct epilogue_fault *f) {
	struct mx_epilogue e = resolve(c, &(struct mx_sizes){ 0 });
	int read[] = { e.reads_c ? e.c : -1, e.bias };
	for (unsigned i = 0; i < 2; i++)
		if (has_data(c, read[i], "poison"))
			return blame(f, "buffers", read[i], "data",
			             "poison, which the epilogue reads");
	return false;
}

static bool has_wrong_regime(const struct mx_case *c, struct epilogue_fault *f) {
	int out = c->epilogue && c->epilogue->beta && find(c, MX_ROLE_C_IN) < 0 ? find(c, MX_ROLE_C)
	                                                                        : -1;
	for (unsigned i = 0; i < c->n_buffers; i++)
		if (has_data(c, (int)i, "regime") && (int)i != out &&
		    c->buffers[i].role != MX_ROLE_NONE)
			return blame(f, "buffers", (int)i, "data",
			             "regime is for role none, and for an output that an epilogue "
			             "reads");
	return false;
}

static bool is_orphan(const struct mx_case *c, struct epilogue_fault *f) {
	for (mx_role r = MX_ROLE_C_IN; r <= MX_ROLE_BIAS_COLS; r++)
		if (find(c, r) >= 0)
			return blame(f, "buffers", find(c, r), "role", "the case has no epilogue");
	return false;
}

bool epilogue_is_wrong(const struct mx_case *c, struct epilogue_fault *f) {
	const struct mx_epilogue_spec *e = c->epilogue;
	if (!e)
		return is_orphan(c, f) || has_wrong_regime(c, f);
	return is_no_number(e->alpha, "alpha", f) || is_no_number(e->beta, "beta", f) ||
	       has_other_corunners(c, f) || has_wrong_terms(c, f) || is_poisoned(c, f) ||
	       has_wrong_regime(c, f);
}
