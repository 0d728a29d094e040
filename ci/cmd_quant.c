/* mxcheck quant: numbers to codes and scales. */
#include "args.h"
#include "codes.h"
#include "command.h"
#include "schemes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "../cases/draw.h"

static const char help[] =
	"usage: mxcheck quant --format F [OPTIONS] X ...\n"
	"       mxcheck quant --format F [OPTIONS] FILE.npy [-o CODES.npy --scales SCALES.npy]\n"
	"       mxcheck quant --scheme S [OPTIONS] X ... | FILE.npy\n"
	"\n"
	"Quantises numbers, typed (one row) or a .npy of float32 or float16 (one row or a "
	"matrix),\n"
	"to codes of an element format with a scale for each block of 32. Prints a table: the\n"
	"input, its bits, scale, code, dequantised value and error; or writes .npy files of "
	"uint8.\n"
	"\n"
	"X is decimal, hexadecimal with p, inf, nan, or eight hexadecimal digits after 0x: bits.\n"
	"\n"
	"  --format F         E2M1, E4M3, E5M2, E2M3 or E3M2\n"
	"  --recipe R         how the scale comes from the block's amax, below; default floor\n"
	"  --rounding R       of elements: rne (to nearest even), rna (ties away), rtz (toward\n"
	"                     zero) or sr (stochastic); default: the recipe's own\n"
	"  --seed S           of sr; default 1\n"
	"  --axis row|col     blocks along rows (default), or down columns: codes and scales are\n"
	"                     then those of the transpose, as kernels take B\n"
	"  --block 1x32|32x32 a scale for 32 in a line (default), or shared by a square\n"
	"  --bf16             the .npy holds bfloat16 as uint16\n"
	"  -o FILE.npy        codes, one to a byte\n"
	"  --scales FILE.npy  scales, E8M0, one for each 32 of a row\n"
	"  --packed           codes packed: FP4 low nibble first, FP6 in 6-bit fields\n"
	"\n"
	"Scales that are no MX recipe's:\n"
	"  --scheme S         in the place of --recipe: what one implementation does, below\n"
	"  --format F         default: the scheme's first\n"
	"  --per P            what shares a scale; default: the scheme's first\n"
	"  --tensor-scale X   the scale of the tensor; default: from the tensor's own amax\n"
	"  --tensor FILE.npy  the scale of the tensor, float32, written with -o\n"
	"  --scales FILE.npy  float32; or uint8, for MX6 and MX9 two bytes: exponent, bits of pairs\n"
	"  --axis, --bf16, --packed and -o as above\n"
	"\n"
	"  -h, --help         this text\n"
	"\n"
	"Recipes:\n";

struct request {
	const char *format, *recipe, *rounding, *seed, *axis, *block, *output, *scales;
	bool packed, bf16;
	struct mx_scheme_options by;
};

/* What to quantise, and what came of it: codes one to a byte, in rows of the blocks' direction. */
struct work {
	struct mx_quantizer how;
	bool transposed;
	struct mx_npy input;
	struct mx_tensor x;
	struct mx_bytes codes, scales;
	uint32_t *random;
};

/* ---- options ---- */

static bool one_of(const char *option, const char *text, const char *const *names, int n,
                   int *chosen) {
	for (int i = 0; text && i < n; i++)
		if (!strcasecmp(text, names[i]))
			return *chosen = i, true;
	if (!text)
		return true;
	fprintf(stderr, "mxcheck quant: %s %s: not", option, text);
	for (int i = 0; i < n; i++)
		fprintf(stderr, "%s %s", i ? i + 1 < n ? "," : " or" : "", names[i]);
	fputc('\n', stderr);
	return false;
}

static bool choose_recipe(const char *name, struct mx_quantizer *how) {
	if (name && !mx_recipe_by_name(name, &how->recipe))
		return mx_complain("quant", "--recipe %s: no such recipe; see mxcheck quant --help",
		                   name),
		       false;
	if (!(mx_recipe_info(how->recipe)->formats >> how->format & 1))
		return mx_complain("quant", "recipe %s is not defined for %s",
		                   mx_recipe_info(how->recipe)->name,
		                   mx_format_info(how->format)->name),
		       false;
	return true;
}

static bool check_outputs(const struct request *q) {
	if (!q->output != !q->scales)
		return mx_complain("quant", "-o and --scales go together"), false;
	if (q->output && !strcmp(q->output, q->scales))
		return mx_complain("quant", "-o and --scales name the same file"), false;
	return true;
}

static bool choose(const struct request *q, struct work *w) {
	static const char *const roundings[] = { "rne", "rna", "rtz", "sr" };
	static const char *const axes[] = { "row", "col" }, *const blocks[] = { "1x32", "32x32" };
	int rounding = MX_RNE, axis = 0, block = MX_BLOCK_1X32;
	if (!mx_parse_format("quant", "--format", q->format, &w->how.format) ||
	    !choose_recipe(q->recipe, &w->how) ||
	    !one_of("--rounding", q->rounding, roundings, 4, &rounding) ||
	    !one_of("--axis", q->axis, axes, 2, &axis) ||
	    !one_of("--block", q->block, blocks, 2, &block))
		return false;
	if (q->by.per || q->by.tensor_scale || q->by.tensor)
		return mx_complain("quant", "--per, --tensor-scale and --tensor need --scheme"),
		       false;
	if (!check_outputs(q))
		return false;
	w->how.override = q->rounding != NULL;
	w->how.rounding = rounding;
	w->how.block = block;
	w->transposed = axis;
	return true;
}

/* ---- input ---- */

static int typed(struct work *w, char **text, size_t n, struct mx_error *err) {
	w->input = (struct mx_npy){ 'f', 4, 1, { n }, n, calloc(n, 4) };
	if (!w->input.data)
		return mx_fail(err, "out of memory");
	for (size_t i = 0; i < n; i++)
		if (!mx_parse_f32(text[i], (mx_f32 *)w->input.data + i))
			return mx_fail(err, "'%s' is not a number (bits: 0x and 8 digits)",
			               text[i]);
	return 0;
}

static int load(struct work *w, bool bf16, char **text, int n, struct mx_error *err) {
	bool file = n == 1 && mx_is_npy(text[0]);
	struct mx_tensor *x = &w->x;
	if (file ? mx_npy_read(text[0], &w->input, err) : typed(w, text, (size_t)n, err))
		return -1;
	const struct mx_npy *a = &w->input;
	if (mx_npy_matrix(text[0], a, &x->rows, &x->cols, err))
		return -1;
	if (bf16 ? a->kind != 'u' || a->bytes != 2 : a->kind != 'f' || a->bytes == 8)
		return mx_fail(err, "%s: is %s; f32, f16 or (with --bf16) u16 are quantised",
		               text[0], mx_npy_type(a));
	x->data = a->data;
	x->dtype = bf16 ? MX_DTYPE_BF16 : a->bytes == 2 ? MX_DTYPE_F16 : MX_DTYPE_F32;
	x->col_bytes = (ptrdiff_t)a->bytes;
	x->row_bytes = (ptrdiff_t)x->cols * x->col_bytes;
	return 0;
}

/* Stochastic rounding draws for each element its own number. */
static int draw(struct work *w, const char *text, struct mx_error *err) {
	unsigned long seed = 1;
	size_t n = w->x.rows * w->x.cols;
	if (text && !mx_parse_unsigned(text, UINT64_MAX, &seed))
		return mx_fail(err, "--seed %s: not a number from 0 to 2^64 - 1", text);
	if (!(w->how.random = w->random = calloc(n, sizeof *w->random)))
		return mx_fail(err, "out of memory");
	struct stream s = draw_stream(seed, "mxcheck quant", "random");
	for (size_t i = 0; i < n; i++)
		w->random[i] = draw_at(s, DRAW_ELEMENT, i / w->x.cols, i % w->x.cols).w[0];
	return 0;
}

/* ---- quantising ---- */

static int quantize(struct work *w, struct mx_error *err) {
	size_t rows = w->transposed ? w->x.cols : w->x.rows;
	size_t cols = w->transposed ? w->x.rows : w->x.cols;
	size_t row_bytes = mx_packed_bytes(w->how.format, cols);
	size_t blocks = (cols + MX_BLOCK - 1) / MX_BLOCK;
	w->codes = (struct mx_bytes){ rows, row_bytes, calloc(rows, row_bytes) };
	w->scales = (struct mx_bytes){ rows, blocks, calloc(rows, blocks) };
	if (!w->codes.v || !w->scales.v)
		return mx_fail(err, "out of memory");
	struct mx_quantised out = { w->codes.v, row_bytes, w->scales.v, blocks };
	mx_status s = mx_quantize(&w->how, &w->x, w->transposed ? NULL : &out,
	                          w->transposed ? &out : NULL);
	return s ? mx_fail(err, "%s", mx_strerror(s)) : 0;
}

/* ---- output ---- */

/* The input's element as f32: widening is exact. */
static mx_f32 input_at(const struct work *w, size_t i) {
	switch (w->x.dtype) {
	case MX_DTYPE_BF16: return mx_bf16_to_f32(((const mx_bf16 *)w->x.data)[i]);
	case MX_DTYPE_F16: return mx_f16_to_f32(((const mx_f16 *)w->x.data)[i]);
	default: return ((const mx_f32 *)w->x.data)[i];
	}
}

static double as_double(mx_f32 x) {
	float value;
	memcpy(&value, &x, sizeof value);
	return value;
}

static void print_row(const struct work *w, size_t r, size_t c) {
	char in[32], out[32];
	size_t row = w->transposed ? c : r, k = w->transposed ? r : c;
	mx_format f = w->how.format;
	mx_f32 x = input_at(w, r * w->x.cols + c), y;
	mx_elem code = mx_elem_get(f, w->codes.v + row * w->codes.cols, k);
	uint8_t *scale = w->scales.v + row * w->scales.cols + k / MX_BLOCK, one = 0;
	mx_elem_set(f, &one, 0, code);
	mx_dequantize(f, &(struct mx_quantised){ &one, 1, scale, 1 }, 1, 1, &y, 1, 1);
	printf("[%zu][%zu]%*s 0x%08X %-16s 0x%02X  0x%0*X%*s 0x%08X %-16s %.3g\n", r, c,
	       r * c < 10 ? 2 : 0, "", x.v, mx_f32_text(x, in), *scale,
	       mx_format_info(f)->bits > 4 ? 2 : 1, code.v, mx_format_info(f)->bits > 4 ? 1 : 2, "",
	       y.v, mx_f32_text(y, out), as_double(y) - as_double(x));
}

static void print_table(const struct work *w) {
	printf("%-8s %-10s %-16s %-5s %-5s %-10s %-16s %s\n", "", "input", "", "scale", "code",
	       "value", "", "error");
	for (size_t r = 0; r < w->x.rows; r++)
		for (size_t c = 0; c < w->x.cols; c++)
			print_row(w, r, c);
}

static int write_files(const struct request *q, struct work *w, struct mx_error *err) {
	size_t k = w->transposed ? w->x.rows : w->x.cols;
	if (!q->packed && mx_codes_unpack(w->how.format, k, &w->codes, err))
		return -1;
	struct mx_npy codes = mx_bytes_npy(&w->codes), scales = mx_bytes_npy(&w->scales);
	struct mx_npy_file files[2] = { { q->output, &codes }, { q->scales, &scales } };
	return mx_npy_write(files, 2, err);
}

static void print_recipes(void) {
	const struct mx_recipe_info *r;
	for (int i = 0; (r = mx_recipe_info(i)); i++) {
		printf("  %-19s %s;", r->name, r->source);
		for (int f = 0; f < MX_FORMATS; f++)
			if (r->formats >> f & 1)
				printf(" %s", mx_format_info(f)->name);
		putchar('\n');
	}
}

/* ---- schemes ---- */

static int quant_scheme(const struct request *q, struct work *w, char **text, int n) {
	static const char *const axes[] = { "row", "col" };
	struct mx_scheme_args a;
	struct mx_error err;
	mx_f32 given;
	int axis = 0;
	if (q->recipe || q->rounding || q->seed || q->block)
		return mx_complain("quant", "--scheme goes without --recipe, --rounding, --seed "
		                            "and --block");
	if (!mx_choose_scheme("quant", &q->by, q->format, &a, &given) ||
	    !one_of("--axis", q->axis, axes, 2, &axis) || !check_outputs(q))
		return MX_BAD_INPUT;
	if (!n)
		return mx_complain("quant", "no numbers and no file; see mxcheck quant --help");
	struct mx_scheme_files files = { q->output, q->scales, q->packed, axis };
	if (load(w, q->bf16, text, n, &err) || mx_quant_scheme(&a, &q->by, &w->x, &files, &err))
		return mx_complain("quant", "%s", err.text);
	return 0;
}

/* ---- the command ---- */

static int quant(const struct request *q, struct work *w, char **text, int n) {
	struct mx_error err;
	if (!choose(q, w))
		return MX_BAD_INPUT;
	if (!n)
		return mx_complain("quant", "no numbers and no file; see mxcheck quant --help");
	int status = load(w, q->bf16, text, n, &err) || draw(w, q->seed, &err) || quantize(w, &err);
	if (!status && q->output)
		status = write_files(q, w, &err);
	else if (!status)
		print_table(w);
	return status ? mx_complain("quant", "%s", err.text) : 0;
}

int mx_cmd_quant(int argc, char **argv) {
	struct request q = { 0 };
	struct work w = { 0 };
	const struct mx_arg table[] = {
		{ "--format", &q.format, NULL },
		{ "--recipe", &q.recipe, NULL },
		{ "--rounding", &q.rounding, NULL },
		{ "--seed", &q.seed, NULL },
		{ "--axis", &q.axis, NULL },
		{ "--block", &q.block, NULL },
		{ "-o", &q.output, NULL },
		{ "--scales", &q.scales, NULL },
		{ "--scheme", &q.by.scheme, NULL },
		{ "--per", &q.by.per, NULL },
		{ "--tensor-scale", &q.by.tensor_scale, NULL },
		{ "--tensor", &q.by.tensor, NULL },
		{ "--packed", NULL, &q.packed },
		{ "--bf16", NULL, &q.bf16 },
		{ 0 },
	};
	int n, status;
	if (!mx_args(table, help, argc, argv, &n, &status)) {
		if (!status) {
			print_recipes();
			puts("\nSchemes:");
			mx_print_schemes();
		}
		return status;
	}
	status = (q.by.scheme ? quant_scheme : quant)(&q, &w, argv + 1, n);
	mx_npy_free(&w.input);
	free(w.random);
	free(w.codes.v);
	free(w.scales.v);
	return status;
}
