/* The kernarg segment: offsets and values of the arguments. */
#include "kernarg.h"
#include "epilogue.h"
#include "scope.h"
#include "steps.h"

#include <string.h>

/* Runtimes take a few KiB; a larger size is a typing error. */
enum { MAX_BYTES = 65536 };

static const struct {
	unsigned size;
	struct range range;
} types[] = {
	[MX_ARG_PTR] = { 8, { INT64_MIN, INT64_MAX } }, /* an address, as 64 bits */
	[MX_ARG_I8] = { 1, { INT8_MIN, INT8_MAX } },
	[MX_ARG_U8] = { 1, { 0, UINT8_MAX } },
	[MX_ARG_I16] = { 2, { INT16_MIN, INT16_MAX } },
	[MX_ARG_U16] = { 2, { 0, UINT16_MAX } },
	[MX_ARG_I32] = { 4, { INT32_MIN, INT32_MAX } },
	[MX_ARG_U32] = { 4, { 0, UINT32_MAX } },
	[MX_ARG_I64] = { 8, { INT64_MIN, INT64_MAX } },
	[MX_ARG_U64] = { 8, { 0, INT64_MAX } },
	[MX_ARG_F32] = { 4, { 0, 0 } },
	[MX_ARG_F64] = { 8, { 0, 0 } },
};

/* A floating-point argument is a number, a number of the epilogue, or an expression without
 * addresses. */
static int read_float(const struct mx_plan *p, const struct scope *s, const struct mx_arg_spec *a,
                      struct field at, uint8_t *out, struct mx_error *err) {
	double wide;
	float narrow;
	struct mx_error why;
	if (!epilogue_argument(p, a->value, &narrow, &wide)) {
		if (mx_expr_real(a->value, s->names, s->n - p->n_buffers, &wide, &why))
			return field_fail(err, p->c, at, "%s", why.text);
		narrow = (float)wide;
	}
	if (out)
		memcpy(out + a->offset, a->type == MX_ARG_F32 ? (void *)&narrow : (void *)&wide,
		       types[a->type].size);
	return 0;
}

unsigned mx_arg_bytes(mx_arg_type t) {
	return types[t].size;
}

static size_t end_of(const struct mx_arg_spec *a) {
	return (size_t)a->offset + types[a->type].size;
}

int kernarg_layout(const struct mx_case *c, unsigned step, size_t *bytes, unsigned *bad,
                   struct mx_error *err) {
	const struct mx_step_spec *s = mx_case_step(c, step);
	const struct step_list list = step_list(c, step, "kernarg");
	size_t end = 0;
	for (unsigned i = 0; i < s->n_kernarg; i++) {
		const struct mx_arg_spec *a = &s->kernarg[i];
		*bad = i;
		if (end_of(a) > MAX_BYTES)
			return mx_fail(err, "%s[%u].offset: %u is beyond %d bytes", list.text, i,
			               a->offset, MAX_BYTES);
		for (unsigned j = 0; j < i; j++)
			if (a->offset < end_of(&s->kernarg[j]) && s->kernarg[j].offset < end_of(a))
				return mx_fail(err, "%s[%u].offset: overlaps %s[%u]", list.text, i,
				               list.text, j);
		end = end_of(a) > end ? end_of(a) : end;
	}
	*bad = 0;
	if (s->kernarg_size > MAX_BYTES || (s->kernarg_size && s->kernarg_size < end))
		return mx_fail(err, "%s_size: %u, but the arguments end at %zu of at most %d",
		               list.text, s->kernarg_size, end, MAX_BYTES);
	*bytes = s->kernarg_size ? s->kernarg_size : end;
	return 0;
}

static int evaluate(const struct mx_plan *plan, unsigned step, const uint64_t *address,
                    uint8_t *out, struct mx_error *err) {
	const struct mx_case *c = plan->c;
	const struct mx_step_spec *s = mx_case_step(c, step);
	const struct step_list list = step_list(c, step, "kernarg");
	struct scope scope;
	if (scope_make(&scope, plan, err))
		return -1;
	for (unsigned i = 0; i < plan->n_buffers; i++)
		scope_add(&scope, plan->buffers[i].name, address[i]);
	for (unsigned i = 0; i < s->n_kernarg; i++) {
		const struct mx_arg_spec *a = &s->kernarg[i];
		struct field at = { list.text, i, ".value" };
		int64_t v;
		if (a->type == MX_ARG_F32 || a->type == MX_ARG_F64) {
			if (read_float(plan, &scope, a, at, out, err))
				return -1;
			continue;
		}
		if (scope_eval(&scope, at, a->value, types[a->type].range, &v, err))
			return -1;
		if (out)
			memcpy(out + a->offset, &v, types[a->type].size); /* both little-endian */
	}
	return 0;
}

/* At addresses from 2^41 a buffer's name in a 32-bit argument is out of range. */
int kernarg_check(const struct mx_plan *plan, unsigned step, struct mx_error *err) {
	uint64_t address[MX_MAX_BUFFERS];
	for (uint64_t i = 0; i < MX_MAX_BUFFERS; i++)
		address[i] = (i + 1) << 41;
	return evaluate(plan, step, address, NULL, err);
}

int mx_plan_kernarg(const struct mx_plan *plan, unsigned step, const uint64_t *address,
                    uint8_t *out, struct mx_error *err) {
	memset(out, 0, plan->steps[step].kernarg_bytes);
	return evaluate(plan, step, address, out, err);
}
