/* mxcheck quant: numbers to codes and scales. */
#define _GNU_SOURCE
#include "../cli/args.h"
#include "../cli/command.h"
#include "quant.h"
#include "schemes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "../../cases/draw.h"

static const char help[] =
	"usage: mxcheck quant --format F [OPTIONS] X ...\n"
	"       mxcheck quant --format F [OPTIONS] FILE.npy|- [-o CODES.npy --scales SCALES.npy]\n"
	"       mxcheck quant --scheme S [OPTIONS] X ... | FILE.npy|-\n"
	"\n"
	"Quantises numbers to codes of an element format with a scale for each block of 32. The\n"
	"numbers are typed (one row), or a .npy of float32, float16 or float64, in C or Fortran\n"
	"order, with rows along the last axis; or - for standard input: a .npy, or numbers\n"
	"separated by spaces, lines or commas. float64 is rounded to float32 first.\n"
	"\n"
	"Prints a summary for each recipe: the signal-to-noise ratio, how many numbers are "
	"clipped\n"
	"to the largest element, become zero or become infinite or NaN, the largest error, and "
	"how\n"
	"many values differ from those of the first recipe. Lists up to 64 numbers (all with -v):\n"
	"the input, its bits, scale, code, value, error. Or writes .npy files of uint8.\n"
	"\n"
	"X is decimal, hexadecimal with p, inf, nan, or eight hexadecimal digits after 0x: bits.\n"
	"\n"
	"  --format F         E2M1, E4M3, E5M2, E2M3 or E3M2\n"
	"  --recipe R,...     rule for the scale from the block's amax, see below; default floor.\n"
	"                     Several are shown side by side; all: every recipe of the format\n"
	"  --rounding R       of elements: rne (to nearest even), rna (ties away), rtz (toward\n"
	"                     zero) or sr (stochastic); default: the recipe's own\n"
	"  --seed S           of sr; default 1\n"
	"  --axis row|col     blocks along rows (default), or down columns: codes and scales are\n"
	"                     then those of the transpose, as kernels take B\n"
	"  --block 1x32|32x32 one scale for 32 in a line (default), or for a square\n"
	"  --bf16             the .npy holds bfloat16 as uint16\n"
	"  -v                 list every number\n"
	"  -o FILE.npy        codes, one to a byte, a row for each row of the input\n"
	"  --scales FILE.npy  scales, E8M0, one for each 32 of a row\n"
	"  --packed           codes packed: FP4 low nibble first, FP6 in 6-bit fields\n"
	"\n"
	"Scales other than those of an MX recipe:\n"
	"  --scheme S         instead of --recipe: the rules of one implementation, see below\n"
	"  --format F         default: the scheme's first\n"
	"  --per P            the elements that share a scale; default: the scheme's first\n"
	"  --tensor-scale X   the scale of the tensor; default: from the tensor's own amax\n"
	"  --tensor FILE.npy  the scale of the tensor, float32, written with -o\n"
	"  --scales FILE.npy  float32; or uint8, for MX6 and MX9 two bytes: exponent, bits of "
	"pairs\n"
	"  --axis, --bf16, --packed, -v and -o as above\n"
	"\n"
	"  -h, --help         this text\n"
	"\n"
	"Recipes:\n";

enum { LISTED = 64 }; /* numbers that are listed without -v */

struct request {
	const char *format, *recipe, *rounding, *seed, *axis, *block, *output, *scales;
	bool packed, bf16, verbose;
	struct mx_scheme_options by;
};

struct work {
	struct mx_quant_job job;
	struct mx_npy input;
	struct mx_quant results[MX_QUANTS]; /* by recipe */
	int n;
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

static bool add_recipe(struct work *w, const char *name, bool all) {
	struct mx_quant *q = &w->results[w->n];
	const char *source;
	unsigned formats;
	if (w->n == MX_QUANTS)
		return mx_complain("quant", "--recipe: more than %d", MX_QUANTS), false;
	if (!mx_quant_find(name, q))
		return mx_complain("quant", "--recipe %s: no such recipe; see mxcheck quant --help",
		                   name),
		       false;
	q->method->describe(q->id, &q->name, &source, &formats);
	if (formats >> w->job.format & 1)
		return w->n++, true;
	return all || (mx_complain("quant", "recipe %s is not defined for %s", q->name,
	                           mx_format_info(w->job.format)->name),
	               false);
}

static bool add_all_recipes(struct work *w) {
	const char *name, *source;
	unsigned formats;
	for (int m = 0; m < MX_METHODS; m++)
		for (int id = 0; mx_methods[m].describe(id, &name, &source, &formats); id++)
			if (!add_recipe(w, name, true))
				return false;
	return true;
}

static bool choose_recipes(struct work *w, const char *list) {
	char *copy = strdup(list ? list : "floor"), *rest = copy, *name;
	bool good = copy != NULL;
	while (good && (name = strsep(&rest, ",")))
		good = strcasecmp(name, "all") ? add_recipe(w, name, false) : add_all_recipes(w);
	free(copy);
	return good;
}

static bool check_outputs(const struct request *q) {
	if (!q->output != !q->scales)
		return mx_complain("quant", "-o and --scales go together"), false;
	if (q->output && !strcmp(q->output, q->scales))
		return mx_complain("quant", "-o and --scales name the same file"), false;
	return true;
}

static bool choose_files(const struct request *q, const struct work *w) {
	if (q->output && w->n > 1)
		return mx_complain("quant", "-o and --scales take one recipe"), false;
	return check_outputs(q);
}

static bool choose(const struct request *q, struct work *w) {
	static const char *const roundings[] = {
		[MX_RNE] = "rne", [MX_RNA] = "rna", [MX_RTZ] = "rtz", [MX_SR] = "sr"
	};
	static const char *const axes[] = { "row", "col" }, *const blocks[] = { "1x32", "32x32" };
	int rounding = MX_RNE, axis = 0, block = MX_BLOCK_1X32;
	if (!mx_parse_format("quant", "--format", q->format, &w->job.format) ||
	    !choose_recipes(w, q->recipe) ||
	    !one_of("--rounding", q->rounding, roundings, 4, &rounding) ||
	    !one_of("--axis", q->axis, axes, 2, &axis) ||
	    !one_of("--block", q->block, blocks, 2, &block) || !choose_files(q, w))
		return false;
	if (q->by.per || q->by.tensor_scale || q->by.tensor)
		return mx_complain("quant", "--per, --tensor-scale and --tensor need --scheme"),
		       false;
	w->job.override = q->rounding != NULL;
	w->job.rounding = (mx_rounding)rounding;
	w->job.block = (mx_block)block;
	w->job.transposed = axis;
	return true;
}

/* ---- input ---- */

static int append(struct mx_npy *a, size_t *room, const char *text, struct mx_error *err) {
	if (a->count == *room) {
		*room = *room ? 2 * *room : 64;
		void *grown = realloc(a->data, *room * 4);
		if (!grown)
			return mx_fail(err, "out of memory");
		a->data = grown;
	}
	if (!mx_parse_f32(text, (mx_f32 *)a->data + a->count))
		return mx_fail(err, "'%s' is not a number (bits: 0x and 8 digits)", text);
	a->shape[0] = ++a->count;
	return 0;
}

static int typed(struct mx_npy *a, char **text, int n, struct mx_error *err) {
	size_t room = 0;
	int status = 0;
	*a = (struct mx_npy){ 'f', 4, 1 };
	for (int i = 0; !status && i < n; i++)
		status = append(a, &room, text[i], err);
	return status;
}

/* Numbers separated by spaces, lines or commas. */
static int read_numbers(FILE *f, struct mx_npy *a, struct mx_error *err) {
	size_t room = 0;
	char text[64];
	int status = 0;
	*a = (struct mx_npy){ 'f', 4, 1 };
	while (!status && fscanf(f, " %63[^, \t\r\n]", text) == 1) {
		status = append(a, &room, text, err);
		fscanf(f, " ");
		int next = getc(f);
		if (next != ',')
			ungetc(next, f);
	}
	if (!status && ferror(f))
		status = mx_fail(err, "standard input: cannot be read");
	if (!status && !feof(f))
		status = mx_fail(err, "standard input: a number is missing between commas");
	return status ? status : a->count ? 0 : mx_fail(err, "standard input: has no numbers");
}

/* Input that begins like a .npy file is read as one. */
static int read_input(struct work *w, char **text, int n, struct mx_error *err) {
	bool standard = n == 1 && !strcmp(text[0], "-");
	if (standard) {
		int first = getc(stdin);
		ungetc(first, stdin);
		if (first != 0x93)
			return read_numbers(stdin, &w->input, err);
	}
	return n == 1 && mx_is_npy(text[0]) ? mx_npy_read(text[0], &w->input, err)
	                                    : typed(&w->input, text, n, err);
}

/* In place, front to back: float32 takes half the space. */
static void narrow(struct work *w) {
	struct mx_npy *a = &w->input;
	for (size_t i = 0; i < a->count; i++) {
		double x;
		memcpy(&x, (uint8_t *)a->data + 8 * i, sizeof x);
		float y = (float)x;
		w->job.inexact += (double)y != x && !isnan(x);
		memcpy((uint8_t *)a->data + 4 * i, &y, sizeof y);
	}
	a->bytes = 4;
}

static int load(struct work *w, bool bf16, char **text, int n, struct mx_error *err) {
	struct mx_quant_job *job = &w->job;
	struct mx_tensor *x = &job->x;
	const struct mx_npy *a = &w->input;
	if (read_input(w, text, n, err) || mx_npy_matrix(text[0], a, &x->rows, &x->cols, err))
		return -1;
	if (bf16 ? a->kind != 'u' || a->bytes != 2 : a->kind != 'f')
		return mx_fail(err, "%s: is %s; f16, f32, f64 or (with --bf16) u16 are quantised",
		               text[0], mx_npy_type(a));
	if (a->bytes == 8)
		narrow(w);
	x->data = a->data;
	x->dtype = bf16 ? MX_DTYPE_BF16 : a->bytes == 2 ? MX_DTYPE_F16 : MX_DTYPE_F32;
	x->col_bytes = (ptrdiff_t)a->bytes;
	x->row_bytes = (ptrdiff_t)x->cols * x->col_bytes;
	job->lines = job->transposed ? x->cols : x->rows;
	job->items = job->transposed ? x->rows : x->cols;
	return 0;
}

/* Stochastic rounding uses a random number for each element. */
static int draw(struct work *w, const char *text, struct mx_error *err) {
	unsigned long seed = 1;
	size_t n = w->input.count;
	if (text && !mx_parse_unsigned(text, UINT64_MAX, &seed))
		return mx_fail(err, "--seed %s: not a number from 0 to 2^64 - 1", text);
	if (!w->job.override || w->job.rounding != MX_SR)
		return 0;
	if (!(w->job.random = w->random = calloc(n, sizeof *w->random)))
		return mx_fail(err, "out of memory");
	struct stream s = draw_stream(seed, "mxcheck quant", "random");
	for (size_t i = 0; i < n; i++)
		w->random[i] = draw_at(s, DRAW_ELEMENT, i / w->job.x.cols, i % w->job.x.cols).w[0];
	return 0;
}

static int quantize(struct work *w, struct mx_error *err) {
	for (int i = 0; i < w->n; i++)
		if (w->results[i].method->quantize(&w->job, &w->results[i], err))
			return -1;
	return 0;
}

/* ---- output ---- */

static int report(const struct work *w, bool verbose, struct mx_error *err) {
	bool listed = verbose || w->input.count <= LISTED;
	if (listed)
		mx_quant_list(&w->job, w->results, w->n);
	if (listed && !verbose && w->n == 1)
		return 0;
	if (listed)
		putchar('\n');
	return mx_quant_summary(&w->job, w->results, w->n, err);
}

static int write_files(const struct request *q, struct work *w, struct mx_error *err) {
	struct mx_quant *result = w->results;
	if (!q->packed && mx_codes_unpack(w->job.format, w->job.items, &result->codes, err))
		return -1;
	struct mx_npy codes = mx_bytes_npy(&result->codes), scales = mx_bytes_npy(&result->scales);
	struct mx_npy_file files[2] = { { q->output, &codes }, { q->scales, &scales } };
	return mx_npy_write(files, 2, err);
}

static void print_recipes(void) {
	const char *name, *source;
	unsigned formats;
	for (int m = 0; m < MX_METHODS; m++)
		for (int id = 0; mx_methods[m].describe(id, &name, &source, &formats); id++) {
			printf("  %-19s %s;", name, source);
			for (int f = 0; f < MX_FORMATS; f++)
				if (formats >> f & 1)
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
		return mx_complain("quant", "--scheme excludes --recipe, --rounding, --seed and "
		                            "--block");
	if (!mx_choose_scheme("quant", &q->by, q->format, &a, &given) ||
	    !one_of("--axis", q->axis, axes, 2, &axis) || !choose_files(q, w))
		return MX_BAD_INPUT;
	if (!n)
		return mx_complain("quant", "no numbers and no file; see mxcheck quant --help");
	struct mx_scheme_files files = { q->output, q->scales, q->packed, axis, q->verbose };
	if (load(w, q->bf16, text, n, &err) || mx_quant_scheme(&a, &q->by, &w->job.x, &files, &err))
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
	if (!status && (!q->output || q->verbose))
		status = report(w, q->verbose, &err);
	if (!status && q->output)
		status = write_files(q, w, &err);
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
		{ "-v", NULL, &q.verbose },
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
	for (int i = 0; i < w.n; i++) {
		free(w.results[i].codes.v);
		free(w.results[i].scales.v);
	}
	return status;
}
