/* mxcheck mfma: one output element of a scaled matrix product, under each profile. */
#include "../cli/args.h"
#include "../cli/command.h"
#include "explain.h"
#include "profile_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
	"usage: mxcheck mfma --format A[,B] --a CODES --b CODES [OPTIONS]\n"
	"       mxcheck mfma --format A[,B] --a A.npy --sa SA.npy --b B.npy --sb SB.npy\n"
	"                    --row R --col C [OPTIONS]\n"
	"\n"
	"Computes one output element of the scaled MFMA or WMMA: c + sum over k of a[k] b[k],\n"
	"with a scale for each block of k, by a sequence of as many instructions as K needs.\n"
	"\n"
	"  --format A[,B]     element formats: E2M1, E4M3, E5M2, E2M3, E3M2; B defaults to A\n"
	"  --a, --b X         codes: '0x7,2,0*30' (*N repeats), filled with 0 up to a block;\n"
	"                     or a .npy of uint8, one code to a byte: A is M x K, B is N x K\n"
	"  --sa, --sb X       scales, one for each block, or one for all; default: the code of 1;\n"
	"                     for .npy codes a .npy of M or N rows of them\n"
	"  --scale-format A[,B]\n"
	"                     scale formats: E8M0 (default), or E5M3, E4M3 of gfx1250's WMMAs\n"
	"  --block N          codes for each scale: 32 (default), or 16 of gfx1250's WMMAs\n"
	"  --row R, --col C   row of A and row of B (column of the product) of .npy files\n"
	"  --packed           .npy codes are packed: FP4 low nibble first, FP6 in 6-bit fields\n"
	"  --c X              the accumulator at the start: a number, its 8 hexadecimal digits\n"
	"                     after 0x, or a .npy of float32, M x N; default 0\n"
	"  --profile LIST     accumulation profiles, separated by commas: a name, FILE.yaml of\n"
	"                     mxcheck probe, or FILE.yaml:NAME of it; default: all that have\n"
	"                     names\n"
	"  --mma-k K          K of one instruction: 128 (16x16x128, default) or 64 (32x32x64)\n"
	"  --explain          each block: products, exact sum, scale, accumulator; and the k at\n"
	"                     which profiles diverge\n"
	"  -h, --help         this text\n"
	"\n"
	"Exit status: 0; 1 if the explanation contradicts the result; 2 usage or bad input.\n";

struct request {
	const char *format, *a, *b, *sa, *sb, *row, *col, *c, *profile, *mma_k, *scale_format,
		*block;
	bool packed, explain;
};

/* One operand's row, padded to whole blocks. */
struct operand {
	mx_format format;
	mx_scale_format scale_format;
	size_t block;
	mx_elem *codes;
	uint8_t *scales;
	size_t row, rows, K; /* K as given, before padding */
};

/* ---- reading operands ---- */

static int take_row(struct operand *o, const char *text, const char *row, const char *option,
                    size_t rows, struct mx_error *err) {
	unsigned long r = 0;
	if (!row && mx_is_npy(text) && rows > 1)
		return mx_fail(err, "%s: has %zu rows; select one with %s", text, rows, option);
	if (row && (!mx_parse_unsigned(row, rows - 1, &r)))
		return mx_fail(err, "%s %s: not a row of %s, which has %zu", option, row, text,
		               rows);
	o->row = r;
	o->rows = rows;
	return 0;
}

static int take_codes(struct operand *o, const struct mx_bytes *b, struct mx_error *err) {
	size_t padded = (b->cols + o->block - 1) / o->block * o->block;
	if (!(o->codes = calloc(padded, sizeof *o->codes)))
		return mx_fail(err, "out of memory");
	for (size_t k = 0; k < b->cols; k++)
		o->codes[k].v = b->v[o->row * b->cols + k];
	o->K = b->cols;
	return 0;
}

/* A single scale applies to all blocks; without text it is 1. */
static int take_scales(struct operand *o, const char *text, struct mx_error *err) {
	struct mx_bytes b = { 0 };
	size_t blocks = (o->K + o->block - 1) / o->block;
	char one[8];
	snprintf(one, sizeof one, "0x%02X",
	         mx_block_scale_from_f32(o->scale_format, (mx_f32){ 0x3F800000 }));
	text = text ? text : one;
	int status = mx_is_npy(text) ? mx_bytes_read(text, &b, err)
	                             : mx_bytes_parse(text, 0xFF, &b, err);
	size_t row = b.rows > 1 ? o->row : 0;
	if (!status && ((b.cols != blocks && b.cols != 1) || row >= b.rows ||
	                (b.rows > 1 && b.rows != o->rows)))
		status = mx_fail(err, "scales %s: %zu x %zu, for codes of %zu rows and %zu blocks",
		                 text, b.rows, b.cols, o->rows, blocks);
	if (!status && !(o->scales = calloc(blocks, sizeof *o->scales)))
		status = mx_fail(err, "out of memory");
	for (size_t i = 0; !status && i < blocks; i++)
		o->scales[i] = b.v[row * b.cols + (b.cols == 1 ? 0 : i)];
	free(b.v);
	return status;
}

static int load_operand(struct operand *o, const struct request *q, bool is_b,
                        struct mx_error *err) {
	const char *codes = is_b ? q->b : q->a, *scales = is_b ? q->sb : q->sa;
	struct mx_bytes b = { 0 };
	if (!codes)
		return mx_fail(err, "%s is missing", is_b ? "--b" : "--a");
	int status =
		mx_codes_load(codes, o->format, q->packed, &b, err) ||
		take_row(o, codes, is_b ? q->col : q->row, is_b ? "--col" : "--row", b.rows, err) ||
		take_codes(o, &b, err) || take_scales(o, scales, err);
	free(b.v);
	return status ? -1 : 0;
}

static int load_c(const char *text, size_t row, size_t col, mx_f32 *c, struct mx_error *err) {
	struct mx_npy a;
	size_t rows, cols;
	if (!mx_is_npy(text))
		return mx_parse_f32(text, c) ? 0 : mx_fail(err, "--c %s: not a number", text);
	if (mx_npy_read(text, &a, err))
		return -1;
	int status = mx_npy_matrix(text, &a, &rows, &cols, err);
	if (!status && (a.kind != 'f' || a.bytes != 4 || row >= rows || col >= cols))
		status = mx_fail(err, "%s: no f32 at [%zu][%zu]", text, row, col);
	if (!status)
		memcpy(c, (mx_f32 *)a.data + row * cols + col, sizeof *c);
	mx_npy_free(&a);
	return status;
}

/* ---- output ---- */

static const char *fidelity(const mx_profile *p) {
	return p->fidelity == MX_MEASURED     ? "measured"
	       : p->fidelity == MX_DOCUMENTED ? "documented"
	                                      : "assumed";
}

static int show(const struct request *q, const struct mx_element *e,
                const struct mx_profile_list *l) {
	int status = q->explain ? mx_element_explain(e, l->profile, l->n) : 0;
	char text[32];
	printf("K %u, %u instruction%s of %u\n", e->K, (e->K + e->mma_k - 1) / e->mma_k,
	       e->K > e->mma_k ? "s" : "", e->mma_k);
	for (size_t i = 0; i < l->n; i++) {
		const mx_profile *p = l->profile[i];
		mx_f32 d = mx_element_after(e, p, e->K);
		const char *on = mx_profile_list_device(l, p);
		printf("%-*s 0x%08X  %-16s (%s%s%s)\n", mx_profile_name_width(l->profile, l->n),
		       p->name, d.v, mx_f32_text(d, text), fidelity(p), *on ? " on " : "", on);
	}
	return status ? 1 : 0;
}

/* ---- the command ---- */

/* "E2M1" or "E2M1,E4M3". */
static bool parse_formats(const char *text, mx_format *a, mx_format *b) {
	char first[16];
	const char *comma = text ? strchr(text, ',') : NULL;
	if (!comma)
		return mx_parse_format("mfma", "--format", text, a) && (*b = *a, true);
	snprintf(first, sizeof first, "%.*s", (int)(comma - text), text);
	return mx_parse_format("mfma", "--format", first, a) &&
	       mx_parse_format("mfma", "--format", comma + 1, b);
}

static bool parse_scale_format(const char *text, size_t n, mx_scale_format *f) {
	static const char *const names[] = { "E8M0", "E5M3", "E4M3" };
	for (*f = MX_S_E8M0; *f < MX_SCALE_FORMATS; ++*f)
		if (strlen(names[*f]) == n && !strncmp(names[*f], text, n))
			return true;
	return false;
}

static bool parse_scales(const struct request *q, struct operand *a, struct operand *b) {
	const char *text = q->scale_format ? q->scale_format : "E8M0";
	const char *of_b = strchr(text, ',') ? strchr(text, ',') + 1 : text;
	unsigned long block = MX_BLOCK;
	if (!parse_scale_format(text, strcspn(text, ","), &a->scale_format) ||
	    !parse_scale_format(of_b, strlen(of_b), &b->scale_format))
		return mx_complain("mfma", "--scale-format %s: not E8M0, E5M3 or E4M3", text),
		       false;
	if (q->block && (!mx_parse_unsigned(q->block, 32, &block) || block % 16 || !block))
		return mx_complain("mfma", "--block %s: not 16 or 32", q->block), false;
	a->block = b->block = block;
	return true;
}

static struct mx_dot_operand dot_operand(const struct operand *o) {
	return (struct mx_dot_operand){ o->format, o->codes, o->scale_format, (unsigned)o->block,
		                        o->scales };
}

static int mfma(const struct request *q, const struct mx_profile_list *l, struct operand *a,
                struct operand *b) {
	unsigned long mma_k = 128;
	struct mx_error err;
	if (!parse_formats(q->format, &a->format, &b->format) || !parse_scales(q, a, b))
		return MX_BAD_INPUT;
	if (q->mma_k && (!mx_parse_unsigned(q->mma_k, 128, &mma_k) || mma_k % 64 || !mma_k))
		return mx_complain("mfma", "--mma-k %s: not 64 or 128", q->mma_k);
	struct mx_element e = { .mma_k = (unsigned)mma_k };
	if (load_operand(a, q, false, &err) || load_operand(b, q, true, &err) ||
	    load_c(q->c ? q->c : "0", a->row, b->row, &e.c, &err))
		return mx_complain("mfma", "%s", err.text);
	if (a->K != b->K || a->K > 1 << 24)
		return mx_complain("mfma",
		                   "A has %zu codes and B %zu, K must agree (and be below 2^24)",
		                   a->K, b->K);
	e.K = (unsigned)((a->K + a->block - 1) / a->block * a->block);
	e.a = dot_operand(a);
	e.b = dot_operand(b);
	return show(q, &e, l);
}

int mx_cmd_mfma(int argc, char **argv) {
	struct request q = { 0 };
	struct operand a = { 0 }, b = { 0 };
	struct mx_profile_list list;
	struct mx_error err;
	const struct mx_arg table[] = {
		{ "--format", &q.format, NULL },
		{ "--a", &q.a, NULL },
		{ "--b", &q.b, NULL },
		{ "--sa", &q.sa, NULL },
		{ "--sb", &q.sb, NULL },
		{ "--row", &q.row, NULL },
		{ "--col", &q.col, NULL },
		{ "--c", &q.c, NULL },
		{ "--profile", &q.profile, NULL },
		{ "--mma-k", &q.mma_k, NULL },
		{ "--scale-format", &q.scale_format, NULL },
		{ "--block", &q.block, NULL },
		{ "--packed", NULL, &q.packed },
		{ "--explain", NULL, &q.explain },
		{ 0 },
	};
	int n, status;
	if (!mx_args(table, help, argc, argv, &n, &status))
		return status;
	if (n)
		return mx_complain("mfma", "'%s': give codes with --a and --b", argv[1]);
	if (mx_profile_list_make(&list, q.profile, &err))
		return mx_complain("mfma", "%s", err.text);
	status = mfma(&q, &list, &a, &b);
	mx_profile_list_free(&list);
	free(a.codes);
	free(a.scales);
	free(b.codes);
	free(b.scales);
	return status;
}
