/* The kernarg segment that a case describes, beside the arguments in a code object's metadata. */
#include "kernarg.h"
#include "codefile.h"

#include <stdio.h>

/* Bytes first to last of the segment. */
struct span {
	unsigned long first, last;
};

static struct span of_entry(const struct mx_arg_spec *a) {
	return (struct span){ a->offset, a->offset + mx_arg_bytes(a->type) - 1ul };
}

static struct span of_argument(const struct mx_kernel_arg *a) {
	return (struct span){ a->offset, a->offset + (a->size ? a->size : 1ul) - 1 };
}

static bool overlap(struct span a, struct span b) {
	return a.first <= b.last && b.first <= a.last;
}

static bool is_inside(struct span a, struct span b) {
	return a.first >= b.first && a.last <= b.last;
}

/* Its name in quotes, or its kind. */
static const char *name(const struct mx_kernel_arg *a, char text[80]) {
	if (a->name[0] && !a->hidden)
		snprintf(text, 80, "'%s'", a->name);
	else
		snprintf(text, 80, "an argument (%s)", a->kind);
	return text;
}

static bool may_be_address(mx_arg_type t) {
	return t == MX_ARG_PTR || t == MX_ARG_I64 || t == MX_ARG_U64;
}

static void report(struct mx_verdict *v, const char *list, const char *fault) {
	mx_verdict_add(v, MX_REPORTED, "kernarg", "%s%s", list, fault);
}

/* An entry of the case, with the first argument that has one of its bytes. */
static void check_entry(const struct mx_arg_spec *e, unsigned i, const struct mx_kernel_arg *args,
                        size_t n, const char *list, struct mx_verdict *v) {
	struct span at = of_entry(e);
	char fault[256], text[80];
	size_t k = 0;
	while (k < n && !overlap(at, of_argument(&args[k])))
		k++;
	int said = snprintf(fault, sizeof fault, "[%u], bytes %lu to %lu: ", i, at.first, at.last);
	char *rest = fault + said;
	size_t room = sizeof fault - (size_t)said;
	if (k == n) {
		snprintf(rest, room, "the code object has no argument there");
	} else if (!is_inside(at, of_argument(&args[k]))) {
		struct span has = of_argument(&args[k]);
		snprintf(rest, room, "the code object has %s in bytes %lu to %lu",
		         name(&args[k], text), has.first, has.last);
	} else if (mx_kernel_arg_is_pointer(&args[k]) && !may_be_address(e->type)) {
		snprintf(rest, room, "the code object has an address there, %s",
		         name(&args[k], text));
	} else {
		return;
	}
	report(v, list, fault);
}

/* An argument that no entry of the case gives; the runtime gives hidden ones. */
static void check_argument(const struct mx_kernel_arg *a, const struct mx_step_spec *s,
                           const char *list, struct mx_verdict *v) {
	struct span at = of_argument(a);
	char fault[256], text[80];
	for (unsigned i = 0; i < s->n_kernarg; i++)
		if (overlap(of_entry(&s->kernarg[i]), at))
			return;
	if (a->hidden || !a->size || mx_kernel_arg_is_filling(a))
		return;
	snprintf(fault, sizeof fault, " gives no value to %s, bytes %lu to %lu", name(a, text),
	         at.first, at.last);
	report(v, list, fault);
}

static void check_step(const struct mx_case *c, unsigned step, const struct mx_kernel_metadata *m,
                       struct mx_verdict *v) {
	const struct mx_step_spec *s = mx_case_step(c, step);
	char list[40] = "kernarg";
	if (c->n_steps)
		snprintf(list, sizeof list, "steps[%u].kernarg", step);
	for (unsigned i = 0; i < s->n_kernarg; i++)
		check_entry(&s->kernarg[i], i, m->args, m->n_args, list, v);
	for (size_t i = 0; i < m->n_args; i++)
		check_argument(&m->args[i], s, list, v);
}

void mx_check_kernarg(const struct mx_bench *b, struct mx_verdict *v) {
	const struct mx_plan *p = mx_bench_plan(b);
	for (unsigned i = 0; i < p->n_steps; i++) {
		struct mx_codefile f;
		struct mx_error err;
		if (mx_codefile_open(mx_bench_code(b, i), &f, &err))
			continue;
		const struct mx_codeobject_kernel *k =
			mx_codeobject_kernel(f.object, p->steps[i].kernel);
		if (k && k->metadata && k->metadata->n_args)
			check_step(p->c, i, k->metadata, v);
		mx_codefile_close(&f);
	}
}
