/* Addresses that buffers hold: what kernels with linked data follow. */
#include "pointers.h"
#include "scope.h"

#include <inttypes.h>
#include <string.h>

static struct field field(unsigned i, const char *member) {
	return (struct field){ "pointers", (int)i, member };
}

/* The buffer of an entry, whose bytes are those of its data. */
static int find(const struct mx_plan *p, unsigned i, const struct mx_buffer **b,
                struct mx_error *err) {
	int k = case_find_buffer(p->c, p->c->pointers[i].in);
	*b = k < 0 ? NULL : &p->buffers[k];
	if (!*b)
		return field_fail(err, p->c, field(i, ".in"), "no buffer %s", p->c->pointers[i].in);
	if ((*b)->packing.layout || (*b)->in >= 0 || !mx_buffer_is_filled(p, *b))
		return field_fail(err, p->c, field(i, ".in"),
		                  "%s has a layout, is in another buffer, or has no data",
		                  (*b)->name);
	return 0;
}

int mx_plan_pointers(const struct mx_plan *plan, unsigned buffer, const uint64_t *address,
                     uint8_t *bytes, struct mx_error *err) {
	struct scope scope;
	if (!plan->c->n_pointers)
		return 0;
	if (scope_make(&scope, plan, err))
		return -1;
	for (unsigned i = 0; i < plan->n_buffers; i++)
		scope_add(&scope, plan->buffers[i].name, (int64_t)address[i]);
	for (unsigned i = 0; i < plan->c->n_pointers; i++) {
		const struct mx_pointer_spec *x = &plan->c->pointers[i];
		const struct mx_buffer *b;
		int64_t at, value;
		if (find(plan, i, &b, err))
			return -1;
		struct range inside = { 0, (int64_t)b->bytes - 8 };
		if (scope_eval(&scope, field(i, ".at"), x->at, inside, &at, err) ||
		    scope_eval(&scope, field(i, ".value"), x->value,
		               (struct range){ INT64_MIN, INT64_MAX }, &value, err))
			return -1;
		if (bytes && b == &plan->buffers[buffer])
			memcpy(bytes + at, &value, sizeof value);
	}
	return 0;
}

int pointers_check(const struct mx_plan *plan, struct mx_error *err) {
	uint64_t address[MX_MAX_BUFFERS];
	for (uint64_t i = 0; i < MX_MAX_BUFFERS; i++)
		address[i] = (i + 1) << 41;
	return mx_plan_pointers(plan, 0, address, NULL, err);
}
