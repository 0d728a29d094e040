/* Known faults of epilogues: the code that each gives for one element. */
#include "epilogue_fault.h"
#include "epilogue.h"

enum { ONE = 0x3f800000 };

static struct exact_epilogue right(const struct mx_epilogue_element *x) {
	return mx_epilogue_from(x->whole, x->row, x->col);
}

static uint32_t evaluate(struct exact_epilogue e, uint32_t acc) {
	exact_epilogue(&e, 1, 1, &acc, &acc);
	return acc;
}

static bool reads_c(const struct exact_epilogue *e) {
	return e->c && (e->c_of_zero || e->beta << 1);
}

/* ---- the bias ---- */

/* The bias of the row instead of the column, or the reverse; 0 past its end. */
static bool other_bias(const struct mx_epilogue_element *x, unsigned parameter, uint32_t *code) {
	struct exact_epilogue e = right(x);
	bool of_rows = x->whole->bias_of_rows;
	size_t at = of_rows ? x->col : x->row, n = of_rows ? x->rows : x->cols;
	uint32_t bias = 0;
	(void)parameter;
	if (!e.bias)
		return false;
	if (at < n)
		bias = x->whole->bias[at];
	e.bias = &bias;
	*code = evaluate(e, x->acc);
	return true;
}

static bool no_bias(const struct mx_epilogue_element *x, unsigned parameter, uint32_t *code) {
	struct exact_epilogue e = right(x);
	bool applies = e.bias != NULL;
	(void)parameter;
	e.bias = NULL;
	*code = evaluate(e, x->acc);
	return applies;
}

static bool bias_twice(const struct mx_epilogue_element *x, unsigned parameter, uint32_t *code) {
	struct exact_epilogue e = right(x), again = { .alpha = ONE, .bias = e.bias };
	(void)parameter;
	again.output = e.output;
	e.output = EXACT_F32;
	*code = evaluate(again, evaluate(e, x->acc));
	return e.bias != NULL;
}

static bool bias_scaled(const struct mx_epilogue_element *x, unsigned parameter, uint32_t *code) {
	struct exact_epilogue e = right(x), first = { .alpha = ONE, .bias = e.bias };
	(void)parameter;
	e.bias = NULL;
	*code = evaluate(e, evaluate(first, x->acc));
	return first.bias && e.alpha != ONE;
}

/* ---- alpha, beta and C ---- */

static bool no_beta(const struct mx_epilogue_element *x, unsigned parameter, uint32_t *code) {
	struct exact_epilogue e = right(x);
	bool applies = reads_c(&e);
	(void)parameter;
	e.c = NULL;
	*code = evaluate(e, x->acc);
	return applies;
}

static bool beta_is_one(const struct mx_epilogue_element *x, unsigned parameter, uint32_t *code) {
	struct exact_epilogue e = right(x);
	(void)parameter;
	e.beta = ONE;
	*code = evaluate(e, x->acc);
	return e.c != NULL;
}

static bool zero_times_c(const struct mx_epilogue_element *x, unsigned parameter, uint32_t *code) {
	struct exact_epilogue e = right(x);
	bool applies = e.c && !reads_c(&e);
	(void)parameter;
	e.c_of_zero = true;
	*code = evaluate(e, x->acc);
	return applies;
}

static bool no_alpha(const struct mx_epilogue_element *x, unsigned parameter, uint32_t *code) {
	struct exact_epilogue e = right(x);
	bool applies = e.alpha != ONE;
	(void)parameter;
	e.alpha = ONE;
	*code = evaluate(e, x->acc);
	return applies;
}

static bool exchanged(const struct mx_epilogue_element *x, unsigned parameter, uint32_t *code) {
	struct exact_epilogue e = right(x);
	uint32_t alpha = e.alpha;
	(void)parameter;
	e.alpha = e.beta;
	e.beta = alpha;
	*code = evaluate(e, x->acc);
	return e.c != NULL;
}

static bool nothing(const struct mx_epilogue_element *x, unsigned parameter, uint32_t *code) {
	(void)parameter;
	*code = exact_narrow(x->acc, x->whole->output);
	return true;
}

/* ---- rounding ---- */

static const char *const narrow_names[] = { "bf16", "f16", NULL };

static uint32_t narrowed(uint32_t f32, unsigned parameter) {
	uint32_t code = exact_narrow(f32, parameter ? EXACT_F16 : EXACT_BF16), wide = 0;
	exact_decode(parameter ? "FP16" : "BF16", code, &wide);
	return wide;
}

static bool narrow_acc(const struct mx_epilogue_element *x, unsigned parameter, uint32_t *code) {
	*code = evaluate(right(x), narrowed(x->acc, parameter));
	return true;
}

static bool narrow_product(const struct mx_epilogue_element *x, unsigned parameter,
                           uint32_t *code) {
	struct exact_epilogue e = right(x), first = { .alpha = e.alpha };
	e.alpha = ONE;
	*code = evaluate(e, narrowed(evaluate(first, x->acc), parameter));
	return true;
}

static bool narrow_sum(const struct mx_epilogue_element *x, unsigned parameter, uint32_t *code) {
	struct exact_epilogue e = right(x), last = { .alpha = ONE, .bias = e.bias };
	last.output = e.output;
	e.output = EXACT_F32;
	e.bias = NULL;
	*code = evaluate(last, narrowed(evaluate(e, x->acc), parameter));
	return true;
}

static const char *const order_names[] = { "mul_add", "fma_beta", "fma_alpha", "once", NULL };

static bool other_order(const struct mx_epilogue_element *x, unsigned parameter, uint32_t *code) {
	static const enum exact_order orders[] = { EXACT_MUL_ADD, EXACT_FMA_BETA, EXACT_FMA_ALPHA,
		                                   EXACT_ONCE };
	struct exact_epilogue e = right(x);
	e.order = orders[parameter];
	*code = evaluate(e, x->acc);
	return true;
}

/* Likely faults before general ones. */
const struct mx_epilogue_fault mx_epilogue_faults[] = {
	{ "as if the bias of columns were one of rows, or the reverse", other_bias, NULL },
	{ "as if the bias were not added", no_bias, NULL },
	{ "as if the bias were added twice", bias_twice, NULL },
	{ "as if the bias were added before alpha: alpha (acc + bias)", bias_scaled, NULL },
	{ "as if beta C were not added", no_beta, NULL },
	{ "as if beta were 1", beta_is_one, NULL },
	{ "as if C were read although beta is 0", zero_times_c, NULL },
	{ "as if alpha were 1", no_alpha, NULL },
	{ "as if alpha and beta were exchanged", exchanged, NULL },
	{ "as if there were no epilogue: the product alone", nothing, NULL },
	{ "as if the accumulator became %s before the epilogue", narrow_acc, narrow_names },
	{ "as if alpha acc became %s before the sum", narrow_product, narrow_names },
	{ "as if alpha acc + beta C became %s before the bias", narrow_sum, narrow_names },
	{ "as if the epilogue's order were %s", other_order, order_names },
};
const size_t mx_n_epilogue_faults = sizeof mx_epilogue_faults / sizeof *mx_epilogue_faults;
