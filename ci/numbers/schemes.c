/* Quantisation and dequantisation by schemes, for the commands. */
#include "schemes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../cli/args.h"

/* ---- options ---- */

static int first_of(unsigned set) {
	return __builtin_ctz(set);
}

static bool choose_format(const char *command, const char *name, const struct mx_scheme_info *s,
                          mx_format *f) {
	*f = first_of(s->formats);
	if (!name || (mx_format_by_name(name, f) && s->formats >> *f & 1))
		return true;
	fprintf(stderr, "mxcheck %s: scheme %s is not defined for format %s, only for", command,
	        s->name, name);
	for (int i = 0; i < MX_ELEMENTS; i++)
		if (s->formats >> i & 1)
			fprintf(stderr, " %s", mx_format_info(i)->name);
	fputc('\n', stderr);
	return false;
}

static bool choose_per(const char *command, const char *name, const struct mx_scheme_info *s,
                       mx_per *p) {
	*p = first_of(s->per);
	if (!name || (mx_per_by_name(name, p) && s->per >> *p & 1))
		return true;
	fprintf(stderr, "mxcheck %s: scheme %s has no scale per %s, only per", command, s->name,
	        name);
	for (int i = 0; i < MX_PERS; i++)
		if (s->per >> i & 1)
			fprintf(stderr, " %s", mx_per_name(i));
	fputc('\n', stderr);
	return false;
}

/* One float32. */
static int read_tensor_scale(const char *path, mx_f32 *scale, struct mx_error *err) {
	struct mx_npy n;
	int status = mx_npy_read(path, &n, err);
	if (!status && (n.kind != 'f' || n.bytes != 4 || n.count != 1))
		status = mx_fail(err, "%s: is not one f32", path);
	else if (!status)
		memcpy(scale, n.data, sizeof *scale);
	if (n.data)
		mx_npy_free(&n);
	return status;
}

static bool choose_tensor_scale(const char *command, const struct mx_scheme_options *o,
                                struct mx_scheme_args *a, mx_f32 *given) {
	bool has = mx_scheme_info(a->scheme)->tensor_scale, dequant = !strcmp(command, "dequant");
	struct mx_error err;
	if (!has && (o->tensor_scale || o->tensor))
		return mx_complain(command, "scheme %s has no scale of the tensor",
		                   mx_scheme_info(a->scheme)->name),
		       false;
	if (o->tensor_scale && !mx_parse_f32(o->tensor_scale, given))
		return mx_complain(command, "--tensor-scale %s: not a number", o->tensor_scale),
		       false;
	if (dequant && has && !o->tensor_scale == !o->tensor)
		return mx_complain(command, "this scheme needs --tensor-scale or --tensor"), false;
	if (dequant && o->tensor && read_tensor_scale(o->tensor, given, &err))
		return mx_complain(command, "%s", err.text), false;
	a->tensor_scale = o->tensor_scale || (dequant && o->tensor) ? given : NULL;
	return true;
}

bool mx_choose_scheme(const char *command, const struct mx_scheme_options *o, const char *format,
                      struct mx_scheme_args *a, mx_f32 *given) {
	if (!mx_scheme_by_name(o->scheme, &a->scheme))
		return mx_complain(command, "--scheme %s: no such scheme; see mxcheck quant --help",
		                   o->scheme),
		       false;
	const struct mx_scheme_info *s = mx_scheme_info(a->scheme);
	return choose_format(command, format, s, &a->format) &&
	       choose_per(command, o->per, s, &a->per) && choose_tensor_scale(command, o, a, given);
}

void mx_print_schemes(void) {
	const struct mx_scheme_info *s;
	for (int i = 0; (s = mx_scheme_info(i)); i++) {
		printf("  %-25s %s;", s->name, s->source);
		for (int f = 0; f < MX_ELEMENTS; f++)
			if (s->formats >> f & 1)
				printf(" %s", mx_format_info(f)->name);
		printf("; per");
		for (int p = 0; p < MX_PERS; p++)
			if (s->per >> p & 1)
				printf(" %s", mx_per_name(p));
		putchar('\n');
	}
}

/* ---- a quantised matrix: codes packed, and scales as bytes ---- */

struct quantised {
	const struct mx_scheme_args *a;
	size_t rows, cols;
	struct mx_scales_shape shape;
	struct mx_bytes codes, scales;
	mx_f32 tensor;
};

static int allocate(struct quantised *q, struct mx_error *err) {
	size_t row_bytes = mx_packed_bytes(q->a->format, q->cols);
	mx_scheme_scales(q->a, q->rows, q->cols, &q->shape);
	size_t scale_bytes = q->shape.cols * q->shape.bytes;
	q->codes = (struct mx_bytes){ q->rows, row_bytes, calloc(q->rows, row_bytes) };
	q->scales =
		(struct mx_bytes){ q->shape.rows, scale_bytes, calloc(q->shape.rows, scale_bytes) };
	return q->codes.v && q->scales.v ? 0 : mx_fail(err, "out of memory");
}

static struct mx_quantised arrays(const struct quantised *q) {
	return (struct mx_quantised){ q->codes.v, q->codes.cols, q->scales.v, q->scales.cols };
}

static void release(struct quantised *q) {
	free(q->codes.v);
	free(q->scales.v);
}

static int values(const struct quantised *q, mx_f32 *y, struct mx_error *err) {
	struct mx_scheme_args a = *q->a;
	struct mx_quantised in = arrays(q);
	a.tensor_scale = &q->tensor;
	mx_status s =
		mx_scheme_dequantize(&a, &in, q->rows, q->cols, y, sizeof *y * q->cols, sizeof *y);
	return s ? mx_fail(err, "%s", mx_strerror(s)) : 0;
}

/* ---- tables ---- */

static mx_f32 element(const struct mx_tensor *x, size_t r, size_t c) {
	const uint8_t *at = (const uint8_t *)x->data + (ptrdiff_t)r * x->row_bytes +
	                    (ptrdiff_t)c * x->col_bytes;
	uint32_t word = 0;
	memcpy(&word, at, x->dtype == MX_DTYPE_F32 ? 4 : 2);
	switch (x->dtype) {
	case MX_DTYPE_BF16: return mx_bf16_to_f32((mx_bf16){ word });
	case MX_DTYPE_F16: return mx_f16_to_f32((mx_f16){ word });
	default: return (mx_f32){ word };
	}
}

/* An f32 scale is printed as a number, others as bytes, the highest first. */
static const char *scale_text(const struct quantised *q, size_t r, size_t c, char text[32]) {
	size_t row = r / q->shape.block_rows, block = c / q->shape.block_cols;
	uint32_t v = 0;
	memcpy(&v, q->scales.v + row * q->scales.cols + block * q->shape.bytes, q->shape.bytes);
	if (q->shape.bytes == 4)
		return mx_f32_text((mx_f32){ v }, text);
	snprintf(text, 32, "0x%0*X", (int)q->shape.bytes * 2, v);
	return text;
}

static void print_tensor_scale(const struct quantised *q) {
	char text[32];
	if (mx_scheme_info(q->a->scheme)->tensor_scale)
		printf("tensor scale 0x%08X %s\n", q->tensor.v, mx_f32_text(q->tensor, text));
}

/* x: NULL when dequantising. */
static void print_element(const struct quantised *q, const struct mx_tensor *x, size_t r, size_t c,
                          mx_f32 y) {
	char text[32];
	const uint8_t *row = q->codes.v + r * q->codes.cols;
	mx_f32 in = { 0 };
	printf("[%zu][%zu]%*s ", r, c, r * c < 10 ? 2 : 0, "");
	if (x) {
		in = element(x, r, c);
		printf("0x%08X %-16s ", in.v, mx_f32_text(in, text));
	}
	printf("%-16s ", scale_text(q, r, c, text));
	printf("0x%02X  0x%08X %-16s", mx_elem_get(q->a->format, row, c).v, y.v,
	       mx_f32_text(y, text));
	if (x) {
		float from, to;
		memcpy(&from, &in, sizeof from);
		memcpy(&to, &y, sizeof to);
		printf(" %.3g", (double)to - (double)from);
	}
	putchar('\n');
}

enum { LISTED = 64 }; /* numbers that are listed without -v */

static int print_table(const struct quantised *q, const struct mx_tensor *x, bool verbose,
                       struct mx_error *err) {
	size_t all = q->rows * q->cols, n = verbose || all < LISTED ? all : LISTED;
	mx_f32 *y = calloc(all, sizeof *y);
	if (!y)
		return mx_fail(err, "out of memory");
	int status = values(q, y, err);
	if (!status) {
		print_tensor_scale(q);
		if (x)
			printf("%-8s %-10s %-16s %-16s %-5s %-10s %-16s %s\n", "", "input", "",
			       "scale", "code", "value", "", "error");
		else
			printf("%-8s %-16s %-5s %s\n", "", "scale", "code", "value");
	}
	for (size_t i = 0; !status && i < n; i++)
		print_element(q, x, i / q->cols, i % q->cols, y[i]);
	if (!status && n < all)
		printf("and %zu more; -v lists them\n", all - n);
	free(y);
	return status;
}

/* ---- quant ---- */

static int write_files(struct quantised *q, const struct mx_scheme_options *o,
                       const struct mx_scheme_files *files, struct mx_error *err) {
	if (!files->packed && mx_codes_unpack(q->a->format, q->cols, &q->codes, err))
		return -1;
	struct mx_npy codes = mx_bytes_npy(&q->codes), scales = mx_bytes_npy(&q->scales);
	struct mx_npy tensor = { 'f', 4, 1, { 1 }, 1, &q->tensor };
	if (q->shape.bytes == 4)
		scales = (struct mx_npy){ 'f',
			                  4,
			                  2,
			                  { q->shape.rows, q->shape.cols },
			                  q->shape.rows * q->shape.cols,
			                  q->scales.v };
	struct mx_npy_file all[3] = { { files->codes, &codes },
		                      { files->scales, &scales },
		                      { o->tensor, &tensor } };
	return mx_npy_write(all, o->tensor ? 3 : 2, err);
}

static int check_files(const struct mx_scheme_args *a, const struct mx_scheme_options *o,
                       const struct mx_scheme_files *files, struct mx_error *err) {
	bool has = mx_scheme_info(a->scheme)->tensor_scale;
	if (files->codes && has && !o->tensor && !o->tensor_scale)
		return mx_fail(err, "with this scheme -o needs --tensor, for the tensor's scale");
	if (!files->codes && o->tensor)
		return mx_fail(err, "--tensor needs -o");
	if (files->codes && o->tensor &&
	    (!strcmp(o->tensor, files->codes) || !strcmp(o->tensor, files->scales)))
		return mx_fail(err, "--tensor names a file that another option names");
	return 0;
}

int mx_quant_scheme(const struct mx_scheme_args *a, const struct mx_scheme_options *o,
                    const struct mx_tensor *x, const struct mx_scheme_files *files,
                    struct mx_error *err) {
	struct mx_tensor t = *x;
	if (files->transposed)
		t = (struct mx_tensor){ x->data, x->dtype,     x->cols,
			                x->rows, x->col_bytes, x->row_bytes };
	struct quantised q = { .a = a, .rows = t.rows, .cols = t.cols };
	int status = check_files(a, o, files, err) || allocate(&q, err) ? -1 : 0;
	struct mx_quantised out = arrays(&q);
	mx_status s = status ? MX_OK : mx_scheme_quantize(a, &t, &out, &q.tensor);
	if (s)
		status = mx_fail(err, "%s", mx_strerror(s));
	if (!status)
		status = files->codes ? write_files(&q, o, files, err)
		                      : print_table(&q, &t, files->verbose, err);
	release(&q);
	return status;
}

/* ---- dequant ---- */

static int read_scales(struct quantised *q, const char *path, struct mx_error *err) {
	struct mx_npy n;
	size_t rows, cols, wide = q->shape.bytes == 4 ? q->shape.cols : q->scales.cols;
	if (mx_npy_read(path, &n, err))
		return -1;
	int status = mx_npy_matrix(path, &n, &rows, &cols, err);
	if (!status && (n.bytes != (q->shape.bytes == 4 ? 4 : 1) ||
	                n.kind != (q->shape.bytes == 4 ? 'f' : 'u')))
		status = mx_fail(err, "%s: is %s; this scheme's scales are %s", path,
		                 mx_npy_type(&n), q->shape.bytes == 4 ? "f32" : "u8");
	else if (!status && (rows != q->shape.rows || cols != wide))
		status = mx_fail(err, "%s is %zu x %zu; the codes need %zu x %zu", path, rows, cols,
		                 q->shape.rows, wide);
	else if (!status)
		memcpy(q->scales.v, n.data, q->shape.rows * q->scales.cols);
	mx_npy_free(&n);
	return status;
}

static int write_values(const struct quantised *q, const struct mx_scheme_files *files,
                        const char *output, struct mx_error *err) {
	mx_f32 *y = calloc(q->rows * q->cols, sizeof *y);
	struct mx_npy n = { 'f', 4, 2, { q->rows, q->cols }, q->rows * q->cols, y };
	struct mx_scheme_args a = *q->a;
	struct mx_quantised in = arrays(q);
	size_t row = files->transposed ? 1 : q->cols, col = files->transposed ? q->rows : 1;
	if (!y)
		return mx_fail(err, "out of memory");
	if (files->transposed) {
		n.shape[0] = q->cols;
		n.shape[1] = q->rows;
	}
	a.tensor_scale = &q->tensor;
	mx_status s = mx_scheme_dequantize(&a, &in, q->rows, q->cols, y, sizeof *y * row,
	                                   sizeof *y * col);
	int status = s ? mx_fail(err, "%s", mx_strerror(s))
	               : mx_npy_write(&(struct mx_npy_file){ output, &n }, 1, err);
	free(y);
	return status;
}

int mx_dequant_scheme(const struct mx_scheme_args *a, const struct mx_bytes *codes,
                      const struct mx_scheme_files *files, const char *output,
                      struct mx_error *err) {
	struct quantised q = { .a = a, .rows = codes->rows, .cols = codes->cols };
	int status = allocate(&q, err);
	if (a->tensor_scale)
		q.tensor = *a->tensor_scale;
	for (size_t i = 0; !status && i < codes->rows * codes->cols; i++)
		mx_elem_set(a->format, q.codes.v + i / q.cols * q.codes.cols, i % q.cols,
		            (mx_elem){ codes->v[i] });
	if (!status && files->scales)
		status = read_scales(&q, files->scales, err);
	else if (!status)
		status = mx_fail(err, "--scheme needs --scales FILE.npy");
	if (!status)
		status = output ? write_values(&q, files, output, err)
		                : print_table(&q, NULL, files->verbose, err);
	release(&q);
	return status;
}
