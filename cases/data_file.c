/* Buffers read from and written to .npy files: a line of the buffer is a row of the array. */
#include "depends.h"
#include "dtype.h"
#include "layout.h"
#include "npy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The numbers in a line: elements, or bytes of packed codes. */
static size_t line_numbers(const struct mx_buffer *b) {
	return dtype_is_format(b->type) ? b->line_bytes : b->line_bytes / dtype_bytes(b->type, 1);
}

/* Whether the array's numbers are those of the buffer's type; codes count as bytes. */
static bool has_type(const struct mx_buffer *b, const struct mx_npy *a) {
	unsigned bytes = dtype_is_format(b->type) ? 1 : (unsigned)dtype_bytes(b->type, 1);
	return a->kind == dtype_kind(b->type) && a->bytes == bytes;
}

static int check(const struct mx_plan *p, const struct mx_buffer *b, const char *path,
                 const struct mx_npy *a, struct mx_error *err) {
	size_t numbers = line_numbers(b), rows, cols;
	unsigned bytes = dtype_is_format(b->type) ? 1 : (unsigned)dtype_bytes(b->type, 1);
	char kind = dtype_kind(b->type);
	if (mx_npy_matrix(path, a, &rows, &cols, err))
		return -1;
	if (!has_type(b, a))
		return mx_fail(err, "%s: buffer %s: %s has %s, but must have %c%u", p->name,
		               b->name, path, mx_npy_type(a), kind, 8 * bytes);
	if (rows != b->lines || cols != numbers)
		return mx_fail(err, "%s: buffer %s: %s is %zu x %zu, but must be %zu x %zu",
		               p->name, b->name, path, rows, cols, b->lines, numbers);
	return 0;
}

/* Reads the file that the case names for a buffer. A name without a dot may be a mistyped word. */
static int read_array(const struct mx_plan *p, const struct mx_buffer *b, const char *file,
                      char path[4096], struct mx_npy *a, struct mx_error *err) {
	struct mx_error why = { 0 };
	mx_case_data_path(p->c, file, path, 4096);
	if (!mx_npy_read(path, a, &why))
		return 0;
	return mx_fail(err, "%s: buffer %s: %s%s", p->name, b->name, why.text,
	               strchr(file, '.') ? ""
	                                 : "; data is a .npy file, zero, poison, random, "
	                                   "index or regime");
}

int mx_data_read(const struct mx_plan *plan, unsigned i, const char *file, uint8_t *bytes,
                 struct mx_error *err) {
	const struct mx_buffer *b = &plan->buffers[i];
	char path[4096];
	struct mx_npy a;
	if (read_array(plan, b, file, path, &a, err))
		return -1;
	int status = check(plan, b, path, &a, err);
	for (size_t line = 0; !status && line < b->lines; line++)
		memcpy(bytes + mx_buffer_data(b, line), (uint8_t *)a.data + line * b->line_bytes,
		       b->line_bytes);
	mx_npy_free(&a);
	return status;
}

int mx_data_open(const struct mx_plan *plan, unsigned i, const char *file, struct mx_npy *a,
                 bool *own, struct mx_error *err) {
	const struct mx_buffer *b = &plan->buffers[i];
	size_t elements = b->order == MX_ORDER_COL ? b->rows : b->cols, rows, cols;
	char path[4096];
	if (read_array(plan, b, file, path, a, err))
		return -1;
	*own = has_type(b, a);
	int status = mx_npy_matrix(path, a, &rows, &cols, err);
	size_t numbers = *own ? line_numbers(b) : elements;
	if (!status && (rows != b->lines || cols != numbers))
		status = mx_fail(err, "%s: buffer %s: %s is %zu x %zu, but must be %zu x %zu",
		                 plan->name, b->name, path, rows, cols, b->lines, numbers);
	if (status)
		mx_npy_free(a);
	return status;
}

int mx_data_write(const struct mx_plan *plan, unsigned i, const uint8_t *bytes, const char *file,
                  struct mx_error *err) {
	const struct mx_buffer *b = &plan->buffers[i];
	struct mx_npy a = {
		.kind = dtype_kind(b->type),
		.bytes = dtype_is_format(b->type) ? 1 : (unsigned)dtype_bytes(b->type, 1),
		.rank = 2,
		.shape = { b->lines, line_numbers(b) },
		.count = b->lines * line_numbers(b),
		.data = malloc(b->lines * b->line_bytes + 1),
	};
	if (!a.data)
		return mx_fail(err, "%s: buffer %s: out of memory", plan->name, b->name);
	for (size_t line = 0; line < b->lines; line++)
		for (size_t i = 0; i < b->line_bytes; i++)
			((uint8_t *)a.data)[line * b->line_bytes + i] =
				bytes[mx_buffer_byte(b, line, i)];
	int status = mx_npy_write(&(struct mx_npy_file){ file, &a }, 1, err);
	free(a.data);
	return status;
}
