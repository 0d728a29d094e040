/* A buffer at a shape: the places of its lines and bytes. */
#include "buffer.h"
#include "choice.h"
#include "dtype.h"
#include "layout.h"

#include <inttypes.h>

enum { GUARD_STEP = 256 };

static const struct range size_range = { 0, MAX_EXTENT };

static int make_ld(const struct scope *s, int i, struct mx_buffer *b, struct mx_error *err) {
	struct field at = { "buffers", i, ".ld" };
	size_t element = dtype_bytes(b->type, 1);
	int64_t ld = b->line_bytes;
	if (s->c->buffers[i].ld && scope_eval(s, at, s->c->buffers[i].ld, size_range, &ld, err))
		return -1;
	b->ld = ld;
	if (b->ld < b->line_bytes)
		return field_fail(err, s->c, at, "%zu bytes, but a line takes %zu", b->ld,
		                  b->line_bytes);
	if (b->ld % element)
		return field_fail(err, s->c, at, "%zu is not a multiple of the element's %zu bytes",
		                  b->ld, element);
	return 0;
}

/* A kernel may be allowed to load whole padded lines, the last included. */
static int widen_extent(const struct scope *s, int i, struct mx_buffer *b, struct mx_error *err) {
	struct field at = { "buffers", i, ".extent" };
	int64_t bytes;
	if (!s->c->buffers[i].extent)
		return 0;
	if (scope_eval(s, at, s->c->buffers[i].extent, size_range, &bytes, err))
		return -1;
	if ((size_t)bytes < b->bytes)
		return field_fail(err, s->c, at, "%" PRId64 " bytes, but the lines take %zu", bytes,
		                  b->bytes);
	b->bytes = bytes;
	return 0;
}

/* Matrices of a batch follow each other, unless batch_ld says how far apart they are. */
static int make_plane(const struct scope *s, int i, struct mx_buffer *b, size_t one,
                      struct mx_error *err) {
	struct field at = { "buffers", i, ".batch_ld" };
	const char *text = s->c->buffers[i].batch_ld;
	int64_t plane = (int64_t)b->plane;
	if (text && scope_eval(s, at, text, size_range, &plane, err))
		return -1;
	b->plane = (size_t)plane;
	if (b->plane < one)
		return field_fail(err, s->c, at, "%zu bytes, but a matrix takes %zu", b->plane,
		                  one);
	if (b->plane_lines && b->lines / b->plane_lines * b->plane > MAX_EXTENT)
		return field_fail(err, s->c, at, "%zu matrices of %zu bytes are over 2^40",
		                  b->lines / b->plane_lines, b->plane);
	return 0;
}

static int make_extent(const struct scope *s, int i, struct mx_buffer *b, struct mx_error *err) {
	size_t one = 0;
	if (b->rows && b->cols &&
	    (__builtin_mul_overflow(b->plane_lines - 1, b->ld, &one) ||
	     __builtin_add_overflow(one, b->line_bytes, &one) || one > MAX_EXTENT))
		return field_fail(err, s->c, (struct field){ "buffers", i, "" },
		                  "%zu lines of %zu bytes are over 2^40", b->plane_lines, b->ld);
	b->plane = b->plane_lines * b->ld;
	if (make_plane(s, i, b, one, err))
		return -1;
	if (one)
		b->bytes = (b->lines / b->plane_lines - 1) * b->plane + one;
	if (widen_extent(s, i, b, err))
		return -1;
	b->data_bytes = b->bytes;
	return 0;
}

/* ---- packed ones ---- */

static int make_pad(const struct scope *s, struct field at, const char *text, size_t *pad,
                    struct mx_error *err) {
	int64_t multiple = 0;
	if (text && scope_eval(s, at, text, (struct range){ 1, MAX_EXTENT }, &multiple, err))
		return -1;
	*pad = multiple;
	return 0;
}

/* Bytes after the last matrix, which a kernel may read with its padding. */
static int add_slack(const struct scope *s, int i, struct mx_buffer *b, struct mx_error *err) {
	struct field at = { "buffers", i, ".slack" };
	int64_t bytes = 0;
	const char *text = s->c->buffers[i].slack;
	if (text && scope_eval(s, at, text, size_range, &bytes, err))
		return -1;
	b->bytes += (size_t)bytes;
	return 0;
}

/* The data are in lines without gaps; the device's layout is packed. */
static int make_packing(const struct scope *s, int i, struct mx_buffer *b, struct mx_error *err) {
	const struct mx_buffer_spec *spec = &s->c->buffers[i];
	struct mx_packing_spec how = { .layout = choice_text(s->c, s->sizes, spec->name, "layout",
		                                             spec->layout) };
	struct field at_rows = { "buffers", i, ".pad_rows" },
		     at_cols = { "buffers", i, ".pad_cols" }, at = { "buffers", i, ".layout" };
	struct mx_error why;
	if (!spec->layout)
		return 0;
	if (make_pad(s, at_rows, spec->pad_rows, &how.pad_rows, err) ||
	    make_pad(s, at_cols, spec->pad_cols, &how.pad_cols, err))
		return -1;
	mx_layout_fill(choice_text(s->c, s->sizes, spec->name, "fill", spec->fill), &how.fill);
	if (mx_packing_make(&b->packing, &how, b->plane_lines, b->line_bytes, &why))
		return field_fail(err, s->c, at, "%s", why.text);
	if (b->packing.bytes > MAX_EXTENT)
		return field_fail(err, s->c, at, "%zu bytes are over 2^40", b->packing.bytes);
	b->plane = b->packing.bytes;
	if (make_plane(s, i, b, b->packing.bytes, err))
		return -1;
	size_t matrices = b->plane_lines ? b->lines / b->plane_lines : 0;
	b->bytes = matrices ? (matrices - 1) * b->plane + b->packing.bytes : 0;
	return add_slack(s, i, b, err);
}

/* ---- offsets ---- */

size_t mx_buffer_data(const struct mx_buffer *b, size_t line) {
	if (b->packing.layout || !b->plane_lines)
		return line * b->ld;
	return line / b->plane_lines * b->plane + line % b->plane_lines * b->ld;
}

bool mx_buffer_padding(const struct mx_buffer *b, size_t line, size_t *from, size_t *to) {
	if (b->packing.layout)
		return false;
	*from = mx_buffer_data(b, line) + b->line_bytes;
	*to = line + 1 < b->lines ? mx_buffer_data(b, line + 1) : b->bytes;
	return *from < *to;
}

bool mx_buffer_unpacked(const struct mx_buffer *b, size_t from, size_t *first, size_t *end) {
	size_t matrices = b->plane_lines ? b->lines / b->plane_lines : 0;
	for (size_t m = b->plane ? from / b->plane : 0; m < matrices; m++) {
		size_t start = m * b->plane, next = m + 1 < matrices ? start + b->plane : b->bytes;
		size_t at = from > start ? from - start : 0;
		if (mx_packing_padding(&b->packing, at, first, end)) {
			*first += start;
			*end += start;
			return true;
		}
		*first = from > start + b->packing.bytes ? from : start + b->packing.bytes;
		*end = next;
		if (*first < *end)
			return true;
	}
	return false;
}

size_t mx_buffer_at(const struct mx_buffer *b, size_t row, size_t col) {
	bool by_col = b->order == MX_ORDER_COL;
	return mx_buffer_byte(b, by_col ? col : row, dtype_bytes(b->type, by_col ? row : col));
}

size_t mx_buffer_byte(const struct mx_buffer *b, size_t line, size_t i) {
	if (!b->packing.layout)
		return mx_buffer_data(b, line) + i;
	return line / b->plane_lines * b->plane +
	       mx_packing_at(&b->packing, line % b->plane_lines, i);
}

bool mx_buffer_find(const struct mx_buffer *b, size_t offset, size_t *line, size_t *i) {
	size_t matrices = b->plane_lines ? b->lines / b->plane_lines : 0;
	if (!b->plane || !b->ld || offset >= b->bytes)
		return false;
	size_t matrix = offset / b->plane < matrices ? offset / b->plane : matrices - 1;
	size_t at = offset - matrix * b->plane;
	bool found;
	if (b->packing.layout) {
		found = at < b->packing.bytes && mx_packing_from(&b->packing, at, line, i);
	} else {
		*line = at / b->ld;
		*i = at % b->ld;
		found = *line < b->plane_lines && *i < b->line_bytes;
	}
	*line += matrix * b->plane_lines;
	return found;
}

long long mx_buffer_line(const struct mx_buffer *b, long long offset) {
	size_t line, i;
	bool whole = !b->packing.layout && b->lines == b->plane_lines;
	if (whole || offset < 0 || (size_t)offset >= b->bytes)
		return b->ld ? offset / (long long)b->ld : 0;
	return mx_buffer_find(b, (size_t)offset, &line, &i) ? (long long)line : -1;
}

/* A buffer in another one has that one's guards. */
static int make_place(const struct scope *s, int i, struct mx_buffer *b, struct mx_error *err) {
	const struct mx_buffer_spec *spec = &s->c->buffers[i];
	int64_t at = 0;
	b->in = spec->in ? case_find_buffer(s->c, spec->in) : -1;
	if (spec->at &&
	    scope_eval(s, (struct field){ "buffers", i, ".at" }, spec->at, size_range, &at, err))
		return -1;
	b->place = (size_t)at;
	return 0;
}

int buffer_check_places(const struct mx_plan *p, struct mx_error *err) {
	for (unsigned i = 0; i < p->n_buffers; i++) {
		const struct mx_buffer *b = &p->buffers[i];
		const struct mx_buffer *in = b->in >= 0 ? &p->buffers[b->in] : b;
		if (b->in >= 0 && b->place + b->bytes > in->bytes)
			return field_fail(err, p->c, (struct field){ "buffers", (int)i, ".at" },
			                  "%s ends at byte %zu of %s, which has %zu", b->name,
			                  b->place + b->bytes, in->name, in->bytes);
	}
	return 0;
}

static int make_guard(const struct scope *s, int i, struct mx_buffer *b, struct mx_error *err) {
	struct field at = { "buffers", i, ".guard" };
	int64_t lines = 1;
	if (s->c->buffers[i].guard &&
	    scope_eval(s, at, s->c->buffers[i].guard, size_range, &lines, err))
		return -1;
	if (__builtin_mul_overflow((size_t)lines, b->ld, &b->guard) || b->guard > MAX_EXTENT)
		return field_fail(err, s->c, at, "%" PRId64 " lines of %zu bytes are over 2^40",
		                  lines, b->ld);
	if (b->guard < GUARD_STEP)
		b->guard = GUARD_STEP;
	b->guard = (b->guard + GUARD_STEP - 1) / GUARD_STEP * GUARD_STEP;
	return 0;
}

int buffer_make(const struct scope *s, int i, struct mx_buffer *b, struct mx_error *err) {
	const struct mx_buffer_spec *spec = &s->c->buffers[i];
	int64_t rows, cols, batch = 1;
	struct field at_rows = { "buffers", i, ".rows" }, at_cols = { "buffers", i, ".cols" };
	if (scope_eval(s, at_rows, spec->rows, size_range, &rows, err) ||
	    scope_eval(s, at_cols, spec->cols, size_range, &cols, err))
		return -1;
	if (spec->batch && scope_eval(s, (struct field){ "buffers", i, ".batch" }, spec->batch,
	                              (struct range){ 1, 1 << 20 }, &batch, err))
		return -1;
	bool by_col = spec->order == MX_ORDER_COL;
	*b = (struct mx_buffer){
		.name = spec->name,
		.role = spec->role,
		.type = spec->type,
		.rows = by_col ? rows : batch * rows,
		.cols = by_col ? batch * cols : cols,
		.order = spec->order,
		.plane_lines = by_col ? cols : rows,
		.lines = batch * (by_col ? cols : rows),
		.line_bytes = dtype_bytes(spec->type, by_col ? rows : cols),
	};
	if (make_place(s, i, b, err) || make_ld(s, i, b, err) || make_extent(s, i, b, err) ||
	    make_packing(s, i, b, err))
		return -1;
	return b->in >= 0 ? 0 : make_guard(s, i, b, err);
}
