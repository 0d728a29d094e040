/* NumPy .npy files: the header, reading and writing. */
#define _GNU_SOURCE
#include "npy.h"
#include "files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const uint8_t magic[6] = { 0x93, 'N', 'U', 'M', 'P', 'Y' };

/* ---- the header: a Python dictionary of three entries ---- */

struct header {
	const char *name, *at, *end; /* the rest of the text */
	struct mx_npy *a;
	bool has_descr, has_order, has_shape, fortran;
	struct mx_error *err;
};

static void skip_space(struct header *h) {
	while (h->at < h->end && strchr(" \t\r\n", *h->at) && *h->at)
		h->at++;
}

static bool take(struct header *h, const char *token) {
	size_t n = strlen(token);
	skip_space(h);
	if ((size_t)(h->end - h->at) < n || memcmp(h->at, token, n))
		return false;
	h->at += n;
	return true;
}

static int malformed(struct header *h) {
	return mx_fail(h->err, "%s: not a .npy file: its header is malformed", h->name);
}

/* 'text' or "text", without escapes. */
static bool take_string(struct header *h, char text[32]) {
	skip_space(h);
	char quote = h->at < h->end ? *h->at : 0;
	if (quote != '\'' && quote != '"')
		return false;
	const char *close = memchr(h->at + 1, quote, (size_t)(h->end - h->at - 1));
	if (!close || close - h->at > 31)
		return false;
	snprintf(text, 32, "%.*s", (int)(close - h->at - 1), h->at + 1);
	h->at = close + 1;
	return true;
}

static int refuse_type(struct header *h, const char *descr, const char *hint) {
	return mx_fail(h->err, "%s: dtype '%s' is not supported: %s", h->name, descr, hint);
}

/* Byte order, kind and size: "<f4", "|u1". */
static int read_descr(struct header *h) {
	char descr[32];
	if (take(h, "["))
		return refuse_type(h, "[...]", "structured arrays are not numbers");
	if (!take_string(h, descr) || strlen(descr) < 2)
		return malformed(h);
	char order = descr[0], kind = descr[1];
	char *end;
	unsigned long bytes = strtoul(descr + 2, &end, 10);
	if (order == '>' && bytes > 1)
		return refuse_type(h, descr,
		                   "big-endian; convert with .astype(a.dtype.newbyteorder('<'))");
	if (kind == 'V')
		return refuse_type(h, descr,
		                   "raw bytes (ml_dtypes?); save a .view() of uint8 or uint16");
	bool known = kind == 'f' ? bytes == 2 || bytes == 4 || bytes == 8
	             : strchr("ui", kind) != 0
	                     ? bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8
	                     : false;
	if (!strchr("<>|=", order) || *end || !known)
		return refuse_type(h, descr, "floats of 16 to 64 and integers of 8 to 64 bits are");
	h->a->kind = kind;
	h->a->bytes = (unsigned)bytes;
	h->has_descr = true;
	return 0;
}

static int read_order(struct header *h) {
	h->fortran = take(h, "True");
	h->has_order = h->fortran || take(h, "False");
	return h->has_order ? 0 : malformed(h);
}

static int read_dimension(struct header *h) {
	size_t n = 0;
	if (h->a->rank == MX_NPY_MAX_RANK)
		return mx_fail(h->err, "%s: more than %d dimensions", h->name, MX_NPY_MAX_RANK);
	for (; h->at < h->end && *h->at >= '0' && *h->at <= '9'; h->at++)
		if (__builtin_mul_overflow(n, 10, &n) ||
		    __builtin_add_overflow(n, (size_t)(*h->at - '0'), &n))
			return mx_fail(h->err, "%s: a dimension does not fit 64 bits", h->name);
	h->a->shape[h->a->rank++] = n;
	return 0;
}

/* "()", "(3,)", "(3, 4)": numbers with a comma after each but the last. */
static int read_shape(struct header *h) {
	if (!take(h, "("))
		return malformed(h);
	h->a->rank = 0;
	while (!take(h, ")")) {
		skip_space(h);
		if (h->at == h->end || *h->at < '0' || *h->at > '9')
			return malformed(h);
		if (read_dimension(h))
			return -1;
		take(h, "L"); /* suffix of long integers in Python 2 */
		if (!take(h, ",") && (h->at == h->end || *h->at != ')'))
			return malformed(h);
	}
	h->has_shape = true;
	return 0;
}

static int read_header(struct header *h) {
	char key[32];
	if (!take(h, "{"))
		return malformed(h);
	while (!take(h, "}")) {
		if (!take_string(h, key) || !take(h, ":"))
			return malformed(h);
		int status = !strcmp(key, "descr")           ? read_descr(h)
		             : !strcmp(key, "fortran_order") ? read_order(h)
		             : !strcmp(key, "shape")         ? read_shape(h)
		                                             : malformed(h);
		if (status)
			return -1;
		take(h, ",");
	}
	return h->has_descr && h->has_order && h->has_shape ? 0 : malformed(h);
}

/* ---- reading ---- */

/* Finds the header's text: after magic, version and a length of 2 or 4 bytes. */
static int find_header(struct header *h, const uint8_t *file, size_t n) {
	if (n < 8 || memcmp(file, magic, sizeof magic))
		return mx_fail(h->err, "%s: not a .npy file", h->name);
	unsigned version = file[6], lead = version == 1 ? 10 : 12;
	if (version < 1 || version > 3)
		return mx_fail(h->err, "%s: .npy version %u.%u is not supported", h->name, version,
		               file[7]);
	if (n < lead)
		return mx_fail(h->err, "%s: truncated in its header", h->name);
	size_t length = file[8] | (size_t)file[9] << 8;
	if (version > 1)
		length |= (size_t)file[10] << 16 | (size_t)file[11] << 24;
	if (length > n - lead)
		return mx_fail(h->err, "%s: truncated in its header", h->name);
	h->at = (const char *)file + lead;
	h->end = h->at + length;
	return 0;
}

static int check_shape(const char *name, struct mx_npy *a, size_t *bytes, struct mx_error *err) {
	*bytes = a->bytes;
	a->count = 1;
	for (unsigned i = 0; i < a->rank; i++)
		if (__builtin_mul_overflow(a->count, a->shape[i], &a->count) ||
		    __builtin_mul_overflow(*bytes, a->shape[i], bytes))
			return mx_fail(err, "%s: its shape does not fit memory", name);
	return 0;
}

static int check_size(const char *name, size_t there, size_t bytes, struct mx_error *err) {
	if (bytes > there)
		return mx_fail(err, "%s: truncated: %zu bytes of data, its shape needs %zu", name,
		               there, bytes);
	if (bytes < there)
		return mx_fail(err, "%s: %zu bytes more than its shape needs", name, there - bytes);
	return 0;
}

/* ---- Fortran order ---- */

/* Element i of m and j of n, of `size` bytes: from i + j * from_step to i * to_step + j. */
static inline __attribute__((always_inline)) void transpose(const uint8_t *from, size_t from_step,
                                                            uint8_t *to, size_t to_step, size_t m,
                                                            size_t n, size_t size) {
	enum { TILE = 32 };
	for (size_t i = 0; i < m; i += TILE)
		for (size_t j = 0; j < n; j += TILE)
			for (size_t k = i; k < m && k < i + TILE; k++)
				for (size_t l = j; l < n && l < j + TILE; l++)
					memcpy(to + (k * to_step + l) * size,
					       from + (k + l * from_step) * size, size);
}

/* Transposes the first and the last axis for one index of the axes between; from_at and to_at are
 * its offsets in both orders. */
static void transpose_ends(const struct mx_npy *a, uint8_t *to, size_t from_at, size_t to_at) {
	size_t m = a->shape[0], n = a->shape[a->rank - 1], between = a->count / m / n;
	const uint8_t *from = (const uint8_t *)a->data + from_at * m * a->bytes;
	to += to_at * n * a->bytes;
	switch (a->bytes) {
	case 1: transpose(from, m * between, to, n * between, m, n, 1); break;
	case 2: transpose(from, m * between, to, n * between, m, n, 2); break;
	case 4: transpose(from, m * between, to, n * between, m, n, 4); break;
	default: transpose(from, m * between, to, n * between, m, n, 8); break;
	}
}

static int to_c_order(const char *name, struct mx_npy *a, struct mx_error *err) {
	size_t index[MX_NPY_MAX_RANK] = { 0 };
	if (a->rank < 2 || !a->count)
		return 0;
	uint8_t *to = malloc(a->count * a->bytes);
	if (!to)
		return mx_fail(err, "%s: out of memory", name);
	size_t between = a->count / a->shape[0] / a->shape[a->rank - 1];
	for (size_t at = 0; at < between; at++) {
		size_t from = 0;
		for (unsigned axis = a->rank - 2; axis > 0; axis--)
			from = from * a->shape[axis] + index[axis];
		transpose_ends(a, to, from, at);
		for (unsigned axis = a->rank - 2; axis > 0 && ++index[axis] == a->shape[axis];
		     axis--)
			index[axis] = 0;
	}
	free(a->data);
	a->data = to;
	return 0;
}

/* ---- whole files ---- */

int mx_npy_parse(const char *name, const void *file, size_t n, struct mx_npy *a,
                 struct mx_error *err) {
	struct header h = { .name = name, .a = a, .err = err };
	size_t bytes;
	*a = (struct mx_npy){ 0 };
	if (find_header(&h, file, n))
		return -1;
	const char *data = h.end;
	size_t there = n - (size_t)(data - (const char *)file);
	if (read_header(&h) || check_shape(name, a, &bytes, err) ||
	    check_size(name, there, bytes, err))
		return -1;
	if (!(a->data = malloc(there ? there : 1)))
		return mx_fail(err, "%s: out of memory", name);
	memcpy(a->data, data, there);
	int status = h.fortran ? to_c_order(name, a, err) : 0;
	if (status)
		mx_npy_free(a);
	return status;
}

/* The bytes of the header that the file has; NumPy itself reads 10,000. */
static uint8_t *header_bytes(FILE *f, size_t *n) {
	enum { LEAD = 12, MOST = 1 << 20 };
	uint8_t *bytes = malloc(MOST + LEAD);
	if (!bytes)
		return NULL;
	*n = fread(bytes, 1, 10, f);
	if (*n == 10 && bytes[6] > 1)
		*n += fread(bytes + 10, 1, 2, f);
	size_t length = *n < 10 ? 0 : bytes[8] | (size_t)bytes[9] << 8;
	if (*n == LEAD)
		length |= (size_t)bytes[10] << 16 | (size_t)bytes[11] << 24;
	*n += fread(bytes + *n, 1, length < MOST ? length : MOST, f);
	return bytes;
}

/* Memory grows with the data read: a shape alone allocates nothing. */
static int read_data(FILE *f, const char *name, size_t bytes, void **data, struct mx_error *err) {
	struct stat s;
	uint8_t rest[4096];
	size_t there = 0, more;
	bool whole = !fstat(fileno(f), &s) && S_ISREG(s.st_mode) && (size_t)s.st_size >= bytes;
	size_t room = whole || bytes < 1 << 20 ? bytes : 1 << 20;
	for (*data = NULL;; room = room < bytes / 2 ? 2 * room : bytes) {
		void *grown = realloc(*data, room ? room : 1);
		if (!grown)
			return mx_fail(err, "%s: out of memory", name);
		*data = grown;
		there += fread((uint8_t *)grown + there, 1, room - there, f);
		if (there < room || room == bytes)
			break;
	}
	while ((more = fread(rest, 1, sizeof rest, f)))
		there += more;
	if (ferror(f))
		return mx_fail(err, "%s: %s", name, strerror(errno));
	return check_size(name, there, bytes, err);
}

static int read_stream(FILE *f, const char *name, struct mx_npy *a, struct mx_error *err) {
	struct header h = { .name = name, .a = a, .err = err };
	size_t n = 0, bytes;
	uint8_t *text = header_bytes(f, &n);
	int status = !text       ? mx_fail(err, "%s: out of memory", name)
	             : ferror(f) ? mx_fail(err, "%s: %s", name, strerror(errno))
	                         : find_header(&h, text, n) || read_header(&h) ||
	                                   check_shape(name, a, &bytes, err) ||
	                                   read_data(f, name, bytes, &a->data, err) ||
	                                   (h.fortran && to_c_order(name, a, err));
	free(text);
	if (status)
		mx_npy_free(a);
	return status ? -1 : 0;
}

int mx_npy_read(const char *path, struct mx_npy *a, struct mx_error *err) {
	bool standard = !strcmp(path, "-");
	*a = (struct mx_npy){ 0 };
	FILE *f = standard ? stdin : fopen(path, "rb");
	if (!f)
		return mx_fail(err, "%s: %s", path, strerror(errno));
	int status = read_stream(f, standard ? "standard input" : path, a, err);
	if (!standard)
		fclose(f);
	return status;
}

void mx_npy_free(struct mx_npy *a) {
	free(a->data);
	a->data = NULL;
}

const char *mx_npy_type(const struct mx_npy *a) {
	static const char *const names[3][4] = { { "f8", "f16", "f32", "f64" },
		                                 { "u8", "u16", "u32", "u64" },
		                                 { "i8", "i16", "i32", "i64" } };
	return names[a->kind == 'f' ? 0 : a->kind == 'u' ? 1 : 2][__builtin_ctz(a->bytes)];
}

int mx_npy_matrix(const char *name, const struct mx_npy *a, size_t *rows, size_t *cols,
                  struct mx_error *err) {
	if (!a->count)
		return mx_fail(err, "%s: has no elements", name);
	*cols = a->rank ? a->shape[a->rank - 1] : 1;
	*rows = a->count / *cols;
	return 0;
}

/* ---- writing ---- */

/* Version 1.0; spaces make the data begin at a multiple of 64 bytes. */
static size_t make_header(const struct mx_npy *a, char *text, size_t room) {
	size_t n = 10;
	memcpy(text, magic, sizeof magic);
	n += (size_t)snprintf(text + n, room - n,
	                      "{'descr': '%c%c%u', 'fortran_order': False, 'shape': (",
	                      a->bytes > 1 ? '<' : '|', a->kind, a->bytes);
	for (unsigned i = 0; i < a->rank; i++)
		n += (size_t)snprintf(text + n, room - n, "%zu,%s", a->shape[i],
		                      i + 1 < a->rank ? " " : "");
	n += (size_t)snprintf(text + n, room - n, "), }");
	while (n % 64 != 63)
		text[n++] = ' ';
	text[n++] = '\n';
	text[6] = 1;
	text[7] = 0;
	text[8] = (char)((n - 10) & 0xFF);
	text[9] = (char)((n - 10) >> 8);
	return n;
}

int mx_npy_write(const struct mx_npy_file *files, size_t n, struct mx_error *err) {
	char header[MX_FILES_MOST][1024];
	struct mx_file file[MX_FILES_MOST];
	if (n > MX_FILES_MOST)
		return mx_fail(err, "too many files at a time");
	for (size_t i = 0; i < n; i++) {
		const struct mx_npy *a = files[i].array;
		size_t bytes = make_header(a, header[i], sizeof header[i]);
		file[i] = (struct mx_file){
			files[i].path, { { header[i], bytes }, { a->data, a->count * a->bytes } }
		};
	}
	return mx_files_write(file, n, err);
}
