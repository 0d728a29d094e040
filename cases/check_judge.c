/* Checks of the keys that judges close and repack need; each message has its line. */
#include "dtype.h"
#include "schema.h"

#include <string.h>

static const yaml_node_t *verdict_of(struct source *s) {
	return source_key(s, yaml_document_get_root_node(&s->document), "verdict");
}

static bool has_expected(const struct mx_case *c) {
	for (unsigned i = 0; i < c->n_buffers; i++)
		if (c->buffers[i].expect)
			return true;
	return false;
}

/* A tolerance is typed in, so it stands in the case; there is no default. */
int case_check_close(struct source *s, const struct mx_case *c, struct mx_error *err) {
	const struct mx_verdict_spec *v = &c->verdict;
	const yaml_node_t *verdict = verdict_of(s);
	bool given = v->atol || v->rtol || v->ulp;
	struct mx_tolerance t;
	const char *key;
	if (v->judge != MX_JUDGE_CLOSE)
		return given ? source_fail(err, s, source_line(verdict),
		                           "only judge close has atol, rtol and ulp")
		             : 0;
	if (!given)
		return source_fail(err, s, source_line(verdict),
		                   "judge close: none of atol, rtol and ulp is given");
	if (!mx_tolerance_parse(v, &t, &key))
		return source_fail(err, s, source_line(source_key(s, verdict, key)),
		                   "verdict.%s: not a finite number of 0 or more", key);
	if (!has_expected(c) && !c->reference && case_find_role(c, MX_ROLE_C) < 0)
		return source_fail(err, s, source_line(verdict),
		                   "judge close: no buffer has expect, and none has the role c");
	return 0;
}

/* Why buffer i cannot be a copy of the buffer that it names; NULL: it can. */
static const char *bad_copy(const struct mx_case *c, unsigned i) {
	const struct mx_buffer_spec *b = &c->buffers[i];
	int from = case_find_buffer(c, b->of);
	if (from < 0)
		return "no buffer has this name";
	if (from == (int)i || (c->buffers[from].of && !c->buffers[from].recipe))
		return "it must be an input, quantised, or the output c";
	if (b->role != MX_ROLE_NONE || b->data)
		return "a buffer with `of` has role none and no data";
	if (b->type != c->buffers[from].type)
		return "the buffers differ in type";
	if (dtype_is_format(b->type) && dtype_bytes(b->type, 2) != 2 &&
	    b->order != c->buffers[from].order)
		return "elements of less than a byte cannot change between rows and columns";
	if (b->by && (b->order != MX_ORDER_ROW || c->buffers[from].order != MX_ORDER_ROW ||
	              b->batch || c->buffers[from].batch))
		return "rows are copied by index between matrices in rows";
	return NULL;
}

/* Why the index of a copy is none; NULL: it is one. */
static const char *bad_index(const struct mx_case *c, unsigned i) {
	const struct mx_buffer_spec *b = &c->buffers[i];
	int by = case_find_buffer(c, b->by);
	if (!b->of || b->recipe)
		return "the buffer is no copy";
	if (by < 0)
		return "no buffer has this name";
	const struct mx_buffer_spec *x = &c->buffers[by];
	bool is = x->role == MX_ROLE_NONE && !x->of && !x->layout && x->order == MX_ORDER_ROW &&
	          (x->type == MX_DT_U32 || x->type == MX_DT_I32);
	return is ? NULL : "it must be an input line of i32 or u32 with role none";
}

int case_check_repack(struct source *s, const struct mx_case *c, struct mx_error *err) {
	unsigned copies = 0;
	for (unsigned i = 0; i < c->n_buffers; i++) {
		bool copy = c->buffers[i].of && !c->buffers[i].recipe;
		const char *why = copy ? bad_copy(c, i) : NULL;
		const char *bad = c->buffers[i].by ? bad_index(c, i) : NULL;
		copies += c->buffers[i].of != NULL;
		if (bad)
			return source_fail(err, s, case_line_of(s, "buffers", i, "by"),
			                   "buffers[%u].by: %s", i, bad);
		if (why)
			return source_fail(err, s, case_line_of(s, "buffers", i, "of"),
			                   "buffers[%u].of: %s", i, why);
	}
	if (c->verdict.judge != MX_JUDGE_REPACK || copies)
		return 0;
	return source_fail(err, s, source_line(verdict_of(s)), "judge repack: no buffer has `of`");
}
