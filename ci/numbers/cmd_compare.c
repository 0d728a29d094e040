/* mxcheck compare: two .npy files, element by element. */
#include "../cli/args.h"
#include "../cli/command.h"
#include "../../oracle/pattern.h"
#include "diff.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
	"usage: mxcheck compare A.npy B.npy [--bf16]\n"
	"\n"
	"Compares two arrays of the same type and shape, of one or two dimensions, bit for bit.\n"
	"A is the reference. -0 and +0 differ; all NaNs are equal. Prints the first mismatch and\n"
	"a window around it, distances in ULP (for integers: differences), the SNR, the row with\n"
	"the largest relative error, and the pattern of the mismatches: rows, columns, tiles of\n"
	"16, 32 or 128, rows and columns modulo 4, 16 or 32 (lanes and registers), and for bytes\n"
	"the byte of the scale word.\n"
	"\n"
	"  --bf16             16-bit unsigned integers are the bits of bfloat16\n"
	"  -h, --help         this text\n"
	"\n"
	"Exit status: 0 equal; 1 different; 2 usage or bad input.\n";

struct pair {
	const char *name[2];
	struct mx_npy array[2];
	bool bf16;
	struct mx_diff diff;
};

/* ---- printing ---- */

static void print_value(const struct pair *p, unsigned which, size_t i) {
	char text[32];
	const struct mx_npy *a = &p->array[which];
	const char *format = a->bytes == 8 ? "%.17g" : "%.9g";
	snprintf(text, sizeof text, format, mx_npy_value(a, p->bf16, i));
	printf(" %14s", text);
}

static void print_bits(const struct mx_npy *a, size_t i) {
	uint64_t bits = 0;
	memcpy(&bits, (const uint8_t *)a->data + i * a->bytes, a->bytes);
	printf(" (0x%0*" PRIx64 ")", (int)(2 * a->bytes), bits);
}

static void print_first(const struct pair *p) {
	const struct mx_diff *d = &p->diff;
	printf("first mismatch   [%zu][%zu]:", d->first / d->cols, d->first % d->cols);
	for (unsigned i = 0; i < 2; i++) {
		print_value(p, i, d->first);
		print_bits(&p->array[i], d->first);
		fputs(i ? "\n" : "  against", stdout);
	}
}

/* Up to 5 x 5 elements around the first mismatch: a row of A, and below it the elements of B that
 * differ. */
static void print_window(const struct pair *p) {
	const struct mx_diff *d = &p->diff;
	size_t row = d->first / d->cols, col = d->first % d->cols;
	size_t top = row < 2 ? 0 : row - 2, left = col < 2 ? 0 : col - 2;
	printf("window           rows %zu.., columns %zu.. of A; below them the elements of B that "
	       "differ\n",
	       top, left);
	for (size_t r = top; r < top + 5 && r < d->rows; r++) {
		bool differs = false;
		printf("  %8zu", r);
		for (size_t c = left; c < left + 5 && c < d->cols; c++) {
			print_value(p, 0, r * d->cols + c);
			differs |= d->differs[r * d->cols + c];
		}
		printf("\n%s", differs ? "         B" : "");
		for (size_t c = left; differs && c < left + 5 && c < d->cols; c++)
			if (d->differs[r * d->cols + c])
				print_value(p, 1, r * d->cols + c);
			else
				printf(" %14s", "");
		fputs(differs ? "\n" : "", stdout);
	}
}

static void print_distances(const struct mx_diff *d) {
	printf("ulp              largest %" PRIu64 " at [%zu][%zu]:", d->ulp_max,
	       d->ulp_max_at / d->cols, d->ulp_max_at % d->cols);
	for (unsigned i = 0; i < MX_ULP_BUCKETS; i++) {
		uint64_t high = i < 2 ? i : i == 65 ? UINT64_MAX : UINT64_C(1) << (i - 1);
		if (!d->histogram[i])
			continue;
		if (i == 0)
			printf("  -0/+0");
		else if (i < 3)
			printf("  %" PRIu64, high);
		else
			printf("  %" PRIu64 "-%" PRIu64, (UINT64_C(1) << (i - 2)) + 1, high);
		printf(": %zu", d->histogram[i]);
	}
	if (d->not_finite)
		printf("  NaN or infinity on one side or both: %zu", d->not_finite);
	putchar('\n');
}

static void print_errors(const struct mx_diff *d) {
	if (isnan(d->snr))
		printf("snr              none: no signal in A\n");
	else if (isinf(d->snr))
		printf("snr              no error among finite elements\n");
	else
		printf("snr              %.2f dB\n", d->snr);
	printf("worst row        %zu: relative error %.3g\n", d->row_error_at, d->row_error);
}

static void print_pattern(const struct mx_mismatches *d, const struct mx_fit *f) {
	char text[512];
	if (!f->pattern) {
		printf("pattern          none: no pattern of rows, columns or tiles describes "
		       "these "
		       "places much shorter than a list\n");
		return;
	}
	mx_pattern_text(d, f, text, sizeof text);
	printf("pattern          %s\n", text);
	printf("  basis          the places take %.0f bits with the pattern, %.0f without; random "
	       "places fit a pattern so well less than once in 2^%.0f\n",
	       f->bits, f->anywhere, floor(f->chance));
}

static int print_report(const struct pair *p) {
	const struct mx_diff *d = &p->diff;
	struct mx_fit fit;
	printf("different: %zu of %zu elements (%zu x %zu, %s)\n", d->wrong, d->rows * d->cols,
	       d->rows, d->cols, p->bf16 ? "bf16" : mx_npy_type(&p->array[0]));
	print_first(p);
	print_window(p);
	print_distances(d);
	print_errors(d);
	struct mx_mismatches places = { d->rows, d->cols, d->wrong, d->differs };
	if (mx_pattern_fit(&places, p->array[0].bytes == 1, &fit))
		return mx_complain("compare", "out of memory");
	print_pattern(&places, &fit);
	free(fit.is_hit);
	return 1;
}

/* ---- input ---- */

static int check_same(const struct pair *p, size_t *rows, size_t *cols, struct mx_error *err) {
	const struct mx_npy *a = &p->array[0], *b = &p->array[1];
	size_t other[2];
	if (a->kind != b->kind || a->bytes != b->bytes)
		return mx_fail(err, "%s is %s, %s is %s", p->name[0], mx_npy_type(a), p->name[1],
		               mx_npy_type(b));
	if (p->bf16 && (a->kind != 'u' || a->bytes != 2))
		return mx_fail(err, "%s: is %s; bfloat16 is stored as u16", p->name[0],
		               mx_npy_type(a));
	if (mx_npy_matrix(p->name[0], a, rows, cols, err) ||
	    mx_npy_matrix(p->name[1], b, &other[0], &other[1], err))
		return -1;
	if (*rows != other[0] || *cols != other[1])
		return mx_fail(err, "%s is %zu x %zu, %s is %zu x %zu", p->name[0], *rows, *cols,
		               p->name[1], other[0], other[1]);
	return 0;
}

static int compare(struct pair *p) {
	struct mx_error err;
	size_t rows, cols;
	if (mx_npy_read(p->name[0], &p->array[0], &err) ||
	    mx_npy_read(p->name[1], &p->array[1], &err) || check_same(p, &rows, &cols, &err))
		return mx_complain("compare", "%s", err.text);
	if (mx_diff_make(&p->array[0], &p->array[1], rows, cols, p->bf16, &p->diff))
		return mx_complain("compare", "out of memory");
	int status = p->diff.wrong ? print_report(p) : 0;
	if (!status)
		printf("equal: %zu elements (%zu x %zu, %s)\n", rows * cols, rows, cols,
		       p->bf16 ? "bf16" : mx_npy_type(&p->array[0]));
	if (p->diff.nan_payloads)
		printf("nan              %zu NaNs differ in payload; not counted\n",
		       p->diff.nan_payloads);
	return status;
}

int mx_cmd_compare(int argc, char **argv) {
	struct pair p = { 0 };
	const struct mx_arg table[] = { { "--bf16", NULL, &p.bf16 }, { 0 } };
	int n, status;
	if (!mx_args(table, help, argc, argv, &n, &status))
		return status;
	if (n != 2)
		return mx_complain("compare", "takes two .npy files; see mxcheck compare --help");
	p.name[0] = argv[1];
	p.name[1] = argv[2];
	status = compare(&p);
	mx_npy_free(&p.array[0]);
	mx_npy_free(&p.array[1]);
	mx_diff_free(&p.diff);
	return status;
}
