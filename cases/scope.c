/* The names of a case's expressions at a shape, and the location of an expression. */
#include "choice.h"
#include "groups.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int field_fail(struct mx_error *err, const struct mx_case *c, struct field at, const char *format,
               ...) {
	char message[sizeof err->text], index[16] = "";
	va_list ap;
	va_start(ap, format);
	vsnprintf(message, sizeof message, format, ap);
	va_end(ap);
	if (at.i >= 0)
		snprintf(index, sizeof index, "[%d]", at.i);
	return mx_fail(err, "%s: %s%s%s: %s", c->path, at.list, index, at.member, message);
}

void scope_add(struct scope *scope, const char *name, int64_t value) {
	scope->names[scope->n++] = (struct mx_name){ name, value };
}

/* The expression and its value; a number is its own. */
static int outside(const struct scope *scope, struct field at, const char *text, struct range range,
                   int64_t v, struct mx_error *err) {
	bool less = v < range.least;
	char is[32];
	snprintf(is, sizeof is, "%" PRId64, v);
	return field_fail(err, scope->c, at, "%s is %s%s%s than %" PRId64, text,
	                  strcmp(is, text) ? is : "", strcmp(is, text) ? ", " : "",
	                  less ? "less" : "more", less ? range.least : range.most);
}

int scope_eval(const struct scope *scope, struct field at, const char *text, struct range range,
               int64_t *value, struct mx_error *err) {
	struct mx_error why;
	int64_t v;
	if (mx_expr_eval(text, scope->names, scope->n, &v, &why))
		return field_fail(err, scope->c, at, "%s", why.text);
	*value = v;
	return v >= range.least && v <= range.most ? 0 : outside(scope, at, text, range, v, err);
}

int scope_make(struct scope *scope, const struct mx_plan *p, struct mx_error *err) {
	const struct mx_case *c = p->c;
	const struct mx_sizes *sizes = &p->sizes;
	const struct mx_variant *variant = p->variant;
	struct mx_sizes all = *sizes;
	*scope = (struct scope){ .c = c, .sizes = sizes };
	mx_sizes_add_choices(c, &all);
	for (unsigned i = 0; i < all.n; i++)
		scope_add(scope, all.at[i].name, all.at[i].value);
	for (unsigned i = 0; variant && i < variant->sizes.n; i++)
		scope_add(scope, variant->sizes.at[i].name, variant->sizes.at[i].value);
	if (c->groups) {
		if (groups_make(scope, &p->run_groups, mx_size(sizes, "M"), &scope->groups, err))
			return -1;
		scope_add(scope, "G", scope->groups.n);
		scope_add(scope, "R", scope->groups.begin[scope->groups.n]);
		scope_add(scope, "LONGEST", (int64_t)groups_most(&scope->groups));
	}
	for (unsigned i = 0; i < c->n_let; i++) {
		struct range any = { INT64_MIN, INT64_MAX };
		int64_t v = 0;
		const char *text = choice_text(c, sizes, NULL, c->let[i].name, c->let[i].value);
		if (scope_eval(scope, (struct field){ "let", i, ".value" }, text, any, &v, err))
			return -1;
		scope_add(scope, c->let[i].name, v);
	}
	return 0;
}
