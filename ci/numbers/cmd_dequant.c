/* mxcheck dequant: codes and scales to numbers. */
#include "../cli/args.h"
#include "codes.h"
#include "../cli/command.h"
#include "schemes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
	"usage: mxcheck dequant --format F [--scale S] CODE ...\n"
	"       mxcheck dequant --format F --scales SCALES.npy CODES.npy [-o FILE.npy] [OPTIONS]\n"
	"       mxcheck dequant --scheme S --scales SCALES.npy [OPTIONS] CODES.npy | CODE ...\n"
	"\n"
	"Computes the values of codes: element times scale, rounded once to float32. Codes are\n"
	"typed (one row) or a .npy of uint8, with a scale for each 32 of a row. Lists up to 64\n"
	"values (all with -v), else prints a summary; or writes a .npy of float32. The file - is\n"
	"standard input. A row is the last axis of an array with more dimensions.\n"
	"\n"
	"  --format F         E2M1, E4M3, E5M2, E2M3 or E3M2\n"
	"  --scale S          one E8M0 byte for all blocks; default 0x7F, which is 1\n"
	"  --scales FILE.npy  scales, uint8, one for each 32 of a row\n"
	"  --axis row|col     col: the codes are those of the transpose, as written by\n"
	"                     mxcheck quant --axis col; default row\n"
	"  --packed           the .npy codes are packed: FP4 low nibble first, FP6 in 6-bit "
	"fields\n"
	"  -v                 list every value\n"
	"  -o FILE.npy        the values, float32\n"
	"  --scheme S, --per P, --tensor-scale X, --tensor FILE.npy, and --format with a default:\n"
	"                     codes and scales are those of mxcheck quant --scheme\n"
	"  -h, --help         this text\n";

enum { LISTED = 64 }; /* values that are listed without -v */

struct request {
	const char *format, *scale, *scales, *axis, *output;
	bool packed, transposed, verbose;
	mx_format f;
	struct mx_scheme_options by;
	struct mx_scheme_args how; /* of --scheme */
	mx_f32 given;
};

/* ---- input ---- */

/* Each argument is a code or a list. */
static int typed(char **text, int n, mx_format f, struct mx_bytes *codes, struct mx_error *err) {
	for (int i = 0; i < n; i++) {
		struct mx_bytes more;
		int status = mx_codes_load(text[i], f, false, &more, err);
		if (!status && codes->cols && more.rows * codes->rows != 1)
			status = mx_fail(err, "%s: give one file, or codes", text[i]);
		uint8_t *grown = status ? NULL : realloc(codes->v, codes->cols + more.cols);
		if (grown) {
			memcpy(grown + codes->cols, more.v, more.cols);
			*codes = (struct mx_bytes){ 1, codes->cols + more.cols, grown };
		}
		free(more.v);
		if (!grown)
			return status ? -1 : mx_fail(err, "out of memory");
	}
	return 0;
}

static int load_scales(const struct request *q, const struct mx_bytes *codes, struct mx_bytes *s,
                       struct mx_error *err) {
	size_t blocks = (codes->cols + MX_BLOCK - 1) / MX_BLOCK;
	unsigned long one = 0x7F;
	if (q->scales) {
		if (mx_bytes_read(q->scales, s, err))
			return -1;
		if (s->rows != codes->rows || s->cols != blocks)
			return mx_fail(err, "%s is %zu x %zu; the codes need %zu x %zu", q->scales,
			               s->rows, s->cols, codes->rows, blocks);
		return 0;
	}
	if (q->scale && !mx_parse_unsigned(q->scale, 0xFF, &one))
		return mx_fail(err, "--scale %s: not a number from 0 to 0xFF", q->scale);
	*s = (struct mx_bytes){ codes->rows, blocks, malloc(codes->rows * blocks) };
	if (!s->v)
		return mx_fail(err, "out of memory");
	memset(s->v, (int)one, codes->rows * blocks);
	return 0;
}

/* ---- output ---- */

static void print_table(const struct request *q, const struct mx_bytes *codes,
                        const struct mx_bytes *scales, const mx_f32 *x) {
	char text[32];
	printf("%-8s %-5s %-5s %s\n", "", "code", "scale", "value");
	for (size_t r = 0; r < codes->rows; r++)
		for (size_t c = 0; c < codes->cols; c++) {
			mx_f32 v = q->transposed ? x[c * codes->rows + r] : x[r * codes->cols + c];
			printf("[%zu][%zu]%*s 0x%02X  0x%02X  0x%08X %s\n", r, c,
			       r * c < 10 ? 2 : 0, "", codes->v[r * codes->cols + c],
			       scales->v[r * scales->cols + c / MX_BLOCK], v.v,
			       mx_f32_text(v, text));
		}
}

static void print_summary(const struct request *q, const struct mx_bytes *codes, const mx_f32 *x) {
	float least = INFINITY, most = -INFINITY, value;
	size_t n = codes->rows * codes->cols, special = 0;
	for (size_t i = 0; i < n; i++) {
		memcpy(&value, &x[i], sizeof value);
		special += !isfinite(value);
		least = isfinite(value) && value < least ? value : least;
		most = isfinite(value) && value > most ? value : most;
	}
	printf("%zu x %zu codes of %s: ", codes->rows, codes->cols, mx_format_info(q->f)->name);
	if (special < n)
		printf("values from %.9g to %.9g, ", (double)least, (double)most);
	printf("%zu not finite\n", special);
}

static int write_file(const struct request *q, const struct mx_bytes *codes, mx_f32 *x,
                      struct mx_error *err) {
	struct mx_npy a = { 'f', 4, 2, { codes->rows, codes->cols }, codes->rows * codes->cols, x };
	if (q->transposed) {
		a.shape[0] = codes->cols;
		a.shape[1] = codes->rows;
	}
	return mx_npy_write(&(struct mx_npy_file){ q->output, &a }, 1, err);
}

static int convert(const struct request *q, const struct mx_bytes *codes,
                   const struct mx_bytes *scales, mx_f32 *x, struct mx_error *err) {
	size_t row_bytes = mx_packed_bytes(q->f, codes->cols);
	struct mx_bytes packed = { codes->rows, codes->cols, malloc(codes->rows * codes->cols) };
	if (!packed.v)
		return mx_fail(err, "out of memory");
	memcpy(packed.v, codes->v, codes->rows * codes->cols);
	int status = mx_codes_pack(q->f, &packed, err);
	if (!status) {
		struct mx_quantised in = { packed.v, row_bytes, scales->v, scales->cols };
		mx_status s = mx_dequantize(q->f, &in, codes->rows, codes->cols, x,
		                            4 * (q->transposed ? 1 : codes->cols),
		                            4 * (q->transposed ? codes->rows : 1));
		status = s ? mx_fail(err, "%s", mx_strerror(s)) : 0;
	}
	free(packed.v);
	return status;
}

static int dequant(const struct request *q, const struct mx_bytes *codes,
                   const struct mx_bytes *scales, struct mx_error *err) {
	mx_f32 *x = calloc(codes->rows * codes->cols, sizeof *x);
	int status = x ? convert(q, codes, scales, x, err) : mx_fail(err, "out of memory");
	if (!status && q->output)
		status = write_file(q, codes, x, err);
	else if (!status && (q->verbose || codes->rows * codes->cols <= LISTED))
		print_table(q, codes, scales, x);
	else if (!status)
		print_summary(q, codes, x);
	free(x);
	return status;
}

/* ---- the command ---- */

static bool check_format(struct request *q) {
	if (!q->by.scheme && (q->by.per || q->by.tensor_scale || q->by.tensor))
		return mx_complain("dequant", "--per, --tensor-scale and --tensor need --scheme"),
		       false;
	if (!q->by.scheme)
		return mx_parse_format("dequant", "--format", q->format, &q->f);
	if (q->scale)
		return mx_complain("dequant", "--scheme takes --scales, not --scale"), false;
	if (!mx_choose_scheme("dequant", &q->by, q->format, &q->how, &q->given))
		return false;
	q->f = q->how.format;
	return true;
}

static int check(struct request *q, int n) {
	if (!check_format(q))
		return MX_BAD_INPUT;
	if (q->scale && q->scales)
		return mx_complain("dequant", "--scale or --scales, not both");
	if (q->axis && strcmp(q->axis, "row") && strcmp(q->axis, "col"))
		return mx_complain("dequant", "--axis %s: not row or col", q->axis);
	if (!n)
		return mx_complain("dequant", "no codes; see mxcheck dequant --help");
	q->transposed = q->axis && !strcmp(q->axis, "col");
	return 0;
}

int mx_cmd_dequant(int argc, char **argv) {
	struct request q = { 0 };
	struct mx_bytes codes = { .rows = 1 }, scales = { 0 };
	struct mx_error err;
	const struct mx_arg table[] = {
		{ "--format", &q.format, NULL },    { "--scale", &q.scale, NULL },
		{ "--scales", &q.scales, NULL },    { "--axis", &q.axis, NULL },
		{ "-o", &q.output, NULL },          { "--scheme", &q.by.scheme, NULL },
		{ "--per", &q.by.per, NULL },       { "--tensor-scale", &q.by.tensor_scale, NULL },
		{ "--tensor", &q.by.tensor, NULL }, { "--packed", NULL, &q.packed },
		{ "-v", NULL, &q.verbose },         { 0 },
	};
	int n, status;
	if (!mx_args(table, help, argc, argv, &n, &status))
		return status;
	if ((status = check(&q, n)))
		return status;
	if (n == 1 && mx_is_npy(argv[1]))
		status = mx_codes_load(argv[1], q.f, q.packed, &codes, &err);
	else
		status = typed(argv + 1, n, q.f, &codes, &err);
	struct mx_scheme_files files = { NULL, q.scales, q.packed, q.transposed, q.verbose };
	if (!status && q.by.scheme)
		status = mx_dequant_scheme(&q.how, &codes, &files, q.output, &err);
	else if (!status)
		status = load_scales(&q, &codes, &scales, &err) ||
		         dequant(&q, &codes, &scales, &err);
	free(codes.v);
	free(scales.v);
	return status ? mx_complain("dequant", "%s", err.text) : 0;
}
