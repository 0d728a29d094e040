/* Judge repack: a buffer holds the elements of another one in its own layout, bit for bit, and the
 * padding of that layout has the fill of the case. An operand that a kernel quantises holds the
 * codes, or the scales, that the reference quantised. A copy of C holds what the launch left in C,
 * which has a judge of its own. */
#include "bench_inside.h"
#include "../cases/dtype.h"
#include "../cases/layout.h"
#include "map.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The elements of `from` in the lines of `to`, which may be of rows where those are of columns. */
static void copy_lines(const struct mx_buffer *from, const uint8_t *source,
                       const struct mx_buffer *to, uint8_t *lines) {
	if (from->order == to->order) {
		for (size_t line = 0; line < to->lines; line++)
			memcpy(lines + line * to->line_bytes, source + mx_buffer_data(from, line),
			       to->line_bytes);
		return;
	}
	size_t bytes = dtype_bytes(to->type, 1);
	for (size_t line = 0; line < to->lines; line++)
		for (size_t i = 0; i * bytes < to->line_bytes; i++)
			memcpy(lines + line * to->line_bytes + i * bytes,
			       source + mx_buffer_data(from, i) + line * bytes, bytes);
}

/* Row i is the row of `from` that the low 24 bits of index i name, or padding. */
static void copy_by_index(const struct mx_buffer *from, const uint8_t *source, const uint8_t *index,
                          const struct mx_buffer *to, uint8_t *lines) {
	bool fills = to->packing.layout && to->packing.fill != MX_FILL_POISON;
	for (size_t line = 0; line < to->lines; line++) {
		uint32_t id;
		memcpy(&id, index + line * sizeof id, sizeof id);
		uint8_t *row = lines + line * to->line_bytes;
		if ((id & 0xffffff) < from->rows)
			memcpy(row, source + mx_buffer_data(from, id & 0xffffff), to->line_bytes);
		else
			memset(row, fills ? (int)to->packing.fill : 0, to->line_bytes);
	}
}

/* The bytes of the device's layout, and which of them the launch must write. */
struct image {
	uint8_t *bytes, *is_data;
};

/* A fill that is poison must stay: nothing is written there. */
static void place(const struct mx_buffer *to, const uint8_t *lines, struct image *x) {
	size_t from, end = 0;
	memset(x->bytes, MX_POISON, to->bytes);
	memset(x->is_data, to->packing.layout != NULL, to->bytes);
	if (to->packing.layout)
		mx_buffer_pack(to, lines, x->bytes);
	while (to->packing.layout && to->packing.fill == MX_FILL_POISON &&
	       mx_buffer_unpacked(to, end, &from, &end))
		memset(x->is_data + from, 0, end - from);
	for (size_t line = 0; !to->packing.layout && line < to->lines; line++) {
		memcpy(x->bytes + mx_buffer_data(to, line), lines + line * to->line_bytes,
		       to->line_bytes);
		memset(x->is_data + mx_buffer_data(to, line), 1, to->line_bytes);
	}
}

struct wrong_bytes {
	size_t wrong, unwritten, checked, first;
};

static struct wrong_bytes compare(const struct mx_bench *b, unsigned i, const struct image *x) {
	const struct mx_buffer *s = &b->plan.buffers[i];
	const uint8_t *got = b->buffer[i].after + s->guard,
		      *unwritten = b->buffer[i].unwritten + s->guard;
	struct wrong_bytes w = { 0 };
	for (size_t at = 0; at < s->bytes; at++) {
		bool wrong = x->is_data[at] ? unwritten[at] || got[at] != x->bytes[at]
		                            : s->packing.layout && !unwritten[at];
		w.checked += x->is_data[at];
		w.unwritten += x->is_data[at] && unwritten[at];
		if (wrong && w.wrong++ == 0)
			w.first = at;
	}
	return w;
}

/* "row 3, byte 5 of it", or the padding. */
static void name_byte(const struct mx_buffer *s, size_t at, char *text, size_t room) {
	size_t line, i;
	if (!mx_buffer_find(s, at, &line, &i))
		snprintf(text, room, "padding of the layout");
	else
		snprintf(text, room, "%s %zu, byte %zu of it",
		         s->order == MX_ORDER_COL ? "column" : "row", line, i);
}

static void note(const struct mx_bench *b, unsigned i, const struct image *x,
                 const struct wrong_bytes *w, struct mx_verdict *v) {
	const struct mx_buffer *s = &b->plan.buffers[i];
	bool unwritten = b->buffer[i].unwritten[s->guard + w->first];
	char where[64], lacking[48] = "", must[16] = "kept";
	name_byte(s, w->first, where, sizeof where);
	if (x->is_data[w->first])
		snprintf(must, sizeof must, "0x%02x", x->bytes[w->first]);
	if (w->unwritten)
		snprintf(lacking, sizeof lacking, ", %zu of them not written", w->unwritten);
	mx_verdict_locate(v, b, s, (long long)w->first);
	mx_verdict_add(v, MX_WRONG_NUMBERS,
	               unwritten && x->is_data[w->first] ? "not-written" : "wrong-bytes",
	               "%s: byte %zu (%s) is 0x%02x, must be %s; %zu of %zu bytes are wrong%s",
	               s->name, w->first, where, b->buffer[i].after[s->guard + w->first], must,
	               w->wrong, w->checked, lacking);
}

static unsigned find(const struct mx_bench *b, const char *name) {
	unsigned i = 0;
	while (strcmp(b->plan.buffers[i].name, name))
		i++;
	return i;
}

/* The elements of buffer i in the order of its data, as the last launch left them. */
static uint8_t *left_in(const struct mx_bench *b, unsigned i) {
	const struct mx_buffer *s = &b->plan.buffers[i];
	const uint8_t *after = b->buffer[i].after + s->guard;
	uint8_t *data = malloc(s->data_bytes + 1);
	for (size_t line = 0; data && line < s->lines; line++)
		for (size_t k = 0; k < s->line_bytes; k++)
			data[mx_buffer_data(s, line) + k] = after[mx_buffer_byte(s, line, k)];
	return data;
}

static int judge_copy(struct mx_bench *b, unsigned i, struct mx_verdict *v, struct mx_error *err) {
	bool quantised = mx_buffer_is_quantised(&b->plan, &b->plan.buffers[i]);
	unsigned of = quantised ? i : find(b, b->plan.c->buffers[i].of);
	const struct mx_buffer *to = &b->plan.buffers[i], *from = &b->plan.buffers[of];
	uint8_t *left = from->role == MX_ROLE_C ? left_in(b, of) : NULL;
	const uint8_t *source = from->role == MX_ROLE_C ? left : b->data.bytes[of];
	uint8_t *lines = malloc(to->lines * to->line_bytes + 1);
	struct image x = { malloc(to->bytes + 1), malloc(to->bytes + 1) };
	int status = source && lines && x.bytes && x.is_data
	                     ? 0
	                     : mx_fail(err, "%s: out of memory", b->plan.name);
	if (!status) {
		const char *by = b->plan.c->buffers[i].by;
		if (by)
			copy_by_index(from, source, b->data.bytes[find(b, by)], to, lines);
		else
			copy_lines(from, source, to, lines);
		place(to, lines, &x);
		struct wrong_bytes w = compare(b, i, &x);
		if (w.wrong) {
			note(b, i, &x, &w, v);
			mx_map_add_bytes(b, to, true, x.bytes);
		}
		v->checked += w.checked;
		v->wrong += w.wrong;
	}
	free(left);
	free(lines);
	free(x.bytes);
	free(x.is_data);
	return status;
}

static int judge_all(struct mx_bench *b, struct mx_verdict *v, struct mx_error *err) {
	for (unsigned i = 0; i < b->plan.n_buffers; i++)
		if ((b->plan.c->buffers[i].of ||
		     mx_buffer_is_quantised(&b->plan, &b->plan.buffers[i])) &&
		    judge_copy(b, i, v, err))
			return -1;
	return 0;
}

int mx_judge_repack(struct mx_bench *b, struct mx_verdict *v, struct mx_error *err) {
	snprintf(v->basis, sizeof v->basis, "bytes of the input in the layout of the output");
	return judge_all(b, v, err);
}

/* The numbers of the verdict are those of its judge. */
int mx_judge_made(struct mx_bench *b, struct mx_verdict *v, struct mx_error *err) {
	size_t checked = v->checked, wrong = v->wrong;
	int status = judge_all(b, v, err);
	v->checked = checked;
	v->wrong = wrong;
	return status;
}
