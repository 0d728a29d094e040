/* Grouped GEMM: right kernels pass, with ragged, empty and padded groups; each broken kernel is
 * flagged in its group. The kernels are written here, with values of which every sum is exact. */
#include "../../oracle/grouped.h"
#include "../tap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

static struct mx_error err;

static uint64_t state = 7;
static uint32_t next(void) {
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(state >> 33);
}

/* ---- problems ---- */

enum { GROUPS = 7, N = 40, K = 96, MOST = GROUPS * 256 * K };

static const uint64_t ragged[GROUPS] = { 0, 1, 127, 128, 129, 33, 0 };

static const struct {
	uint8_t code;
	double value;
} elements[] = { /* E4M3 */
	         { 0x00, 0 },    { 0x38, 1 }, { 0xB8, -1 }, { 0x40, 2 },
	         { 0xB0, -0.5 }, { 0x44, 3 }, { 0xC8, -4 }, { 0x30, 0.5 }
};

struct matrix {
	uint8_t codes[MOST], scales[MOST];
	double value[MOST]; /* without scales */
	size_t ld, ld_scales;
};

struct problem {
	struct mx_grouped g;
	uint64_t begin[GROUPS + 1];
	struct matrix left, right;
};

static struct exact_operand draw(struct matrix *x, size_t rows, size_t cols, int spread) {
	x->ld = cols;
	x->ld_scales = cols / 32 + GROUPS; /* enough for a short block of each group */
	for (size_t i = 0; i < rows * cols; i++) {
		unsigned e = next() % COUNT(elements);
		x->codes[i] = elements[e].code;
		x->value[i] = elements[e].value;
	}
	for (size_t i = 0; i < rows * x->ld_scales; i++)
		x->scales[i] = (uint8_t)(127 - spread + (int)(next() % (2 * (unsigned)spread + 1)));
	return (struct exact_operand){ "E4M3", x->codes, x->scales, x->ld, x->ld_scales };
}

/* spread: of the scales; with 1 every sum is exact, with 6 f32 rounds and double does not. */
static struct problem *problem(mx_grouped_kind kind, uint64_t pad, mx_grouped_blocks blocks,
                               const char *profile, int spread) {
	struct problem *p = calloc(1, sizeof *p);
	bool w = kind == MX_WGRAD, d = kind == MX_DGRAD;
	if (!p || mx_groups_lay(GROUPS, ragged, pad, p->begin, &err))
		exit(2);
	size_t rows = p->begin[GROUPS], k = d ? N : K, out = d ? K : N;
	p->g = (struct mx_grouped){ .kind = kind,
		                    .groups = GROUPS,
		                    .begin = p->begin,
		                    .rows = ragged,
		                    .n = N,
		                    .k = K,
		                    .blocks = blocks,
		                    .profile = profile,
		                    .mma_k = 128 };
	p->g.left = draw(&p->left, w ? N : rows, w ? rows : k, spread);
	p->g.right = draw(&p->right, w ? K : GROUPS * out, w ? rows : k, spread);
	p->g.right_stride = out * p->right.ld;
	p->g.right_scale_stride = out * p->right.ld_scales;
	return p;
}

/* ---- kernels ---- */

enum fault {
	NONE,
	NEXT_ROWS,        /* A3: the next group's rows, if a group has one tile of 128 */
	EMPTY_SKIPPED,    /* A2: the weight gradient of an empty group is not written */
	PADDING_SUMMED,   /* rows of padding count as tokens */
	PADDING_STORED,   /* and are stored */
	OTHER_SCALES,     /* scales of the next group's weights; blocks counted by the other rule */
	OTHER_WEIGHTS,    /* weights of the previous group */
	LAST_ROW_SKIPPED, /* of a ragged tile */
	SHORT_BLOCK,      /* the last, short block has the scale of the one before */
};

static size_t block_of(const struct problem *p, size_t group, size_t i, bool by_group) {
	size_t first = 0;
	if (!by_group)
		return (p->begin[group] + i) / 32;
	for (size_t h = 0; h < group; h++)
		first += (ragged[h] + 31) / 32;
	return first + i / 32;
}

/* One output element: blocks in order, each added to an f32 with one rounding. */
static float dot(const struct problem *p, enum fault f, size_t group, size_t l, size_t r,
                 size_t scale_r, size_t from, size_t n) {
	bool wgrad = p->g.kind == MX_WGRAD;
	bool by_group = (p->g.blocks == MX_BLOCKS_BY_GROUP) != (f == OTHER_SCALES);
	float acc = 0;
	for (size_t b = 0; b < n; b += 32) {
		size_t block = wgrad ? block_of(p, group, b, by_group) : b / 32;
		if (f == SHORT_BLOCK && b && n - b < 32)
			block--;
		double sum = 0;
		for (size_t i = b; i < b + 32 && i < n; i++)
			sum += p->left.value[l * p->left.ld + from + i] *
			       p->right.value[r * p->right.ld + from + i];
		acc = (float)(acc +
		              ldexp(sum,
		                    p->left.scales[l * p->left.ld_scales + block] +
		                            p->right.scales[scale_r * p->right.ld_scales + block] -
		                            254));
	}
	return acc;
}

static void by_rows(const struct problem *p, enum fault f, float *out) {
	size_t cols = p->g.kind == MX_DGRAD ? K : N, k = p->g.kind == MX_DGRAD ? N : K;
	for (size_t g = 0; g < GROUPS; g++) {
		size_t m = f == PADDING_STORED ? p->begin[g + 1] - p->begin[g] : ragged[g];
		for (size_t i = 0; i < m; i++)
			for (size_t j = 0; j < cols; j++) {
				size_t row = p->begin[g] + i, weights = g, scales = g;
				if (f == NEXT_ROWS && m == 128)
					row += 128;
				if (f == OTHER_WEIGHTS && g)
					weights = scales = g - 1;
				if (f == OTHER_SCALES && g + 1 < GROUPS)
					scales = g + 1;
				if (f == LAST_ROW_SKIPPED && m % 32 && i == m - 1)
					continue;
				out[(p->begin[g] + i) * cols + j] = dot(
					p, f, g, row, weights * cols + j, scales * cols + j, 0, k);
			}
	}
}

static void by_columns(const struct problem *p, enum fault f, float *out) {
	for (size_t g = 0; g < GROUPS; g++) {
		size_t m = ragged[g];
		if (f == PADDING_SUMMED)
			m = p->begin[g + 1] - p->begin[g];
		if (f == NEXT_ROWS && m == 128)
			m = 160;
		if (f == EMPTY_SKIPPED && !m)
			continue;
		for (size_t i = 0; i < N; i++)
			for (size_t j = 0; j < K; j++)
				out[(g * N + i) * K + j] = dot(p, f, g, i, j, j, p->begin[g], m);
	}
}

/* The output of a kernel, element by element, and the unwritten elements. */
struct left {
	size_t rows, cols;
	float *out;
	uint8_t *unwritten;
};

static struct left launch(struct problem *p, enum fault f, unsigned bytes) {
	struct left l;
	if (mx_grouped_size(&p->g, &l.rows, &l.cols, &err))
		exit(2);
	l.out = malloc(l.rows * l.cols * 4 + 4);
	l.unwritten = calloc(l.rows * l.cols + 1, 1);
	memset(l.out, 0xFF, l.rows * l.cols * 4);
	(p->g.kind == MX_WGRAD ? by_columns : by_rows)(p, f, l.out);
	uint16_t *half = (uint16_t *)l.out;
	for (size_t i = 0; i < l.rows * l.cols; i++) {
		uint32_t u;
		memcpy(&u, &l.out[i], 4);
		l.unwritten[i] = u == 0xffffffff ? (uint8_t)bytes : 0; /* results are finite */
		if (bytes == 2)
			half[i] = l.unwritten[i] ? 0xffff : (u + 0x7fff + (u >> 16 & 1)) >> 16;
	}
	return l;
}

static struct mx_grouped_verdict judge_left(struct problem *p, const struct left *l,
                                            unsigned bytes) {
	struct mx_grouped_verdict v = { 0 };
	uint32_t *expected = malloc(l->rows * l->cols * 4 + 4);
	if (mx_grouped_expect(&p->g, expected, &err) ||
	    mx_grouped_judge(&p->g, expected, l->out, l->unwritten, bytes, &v, &err)) {
		diag("%s", err.text);
		v.wrong = SIZE_MAX;
	}
	free(expected);
	return v;
}

static void discard(struct left *l) {
	free(l->out);
	free(l->unwritten);
}

static struct mx_grouped_verdict judge(struct problem *p, enum fault f, unsigned bytes) {
	struct left l = launch(p, f, bytes);
	struct mx_grouped_verdict v = judge_left(p, &l, bytes);
	discard(&l);
	return v;
}

/* ---- right ones ---- */

static const char *const kinds[] = { "forward", "dgrad", "wgrad" };

static void test_right(void) {
	static const struct {
		const char *sentence, *profile;
		int spread;
		uint64_t pad;
		mx_grouped_blocks blocks;
		unsigned bytes;
	} t[] = {
		{ "contiguous groups, exact", NULL, 1, 1, MX_BLOCKS_BY_GROUP, 4 },
		{ "groups padded to 128, exact", NULL, 1, 128, MX_BLOCKS_BY_PLACE, 4 },
		{ "padded, scales group by group", NULL, 1, 128, MX_BLOCKS_BY_GROUP, 4 },
		{ "bf16 outputs", NULL, 1, 128, MX_BLOCKS_BY_PLACE, 2 },
		{ "under block32, sums that round", "block32", 6, 128, MX_BLOCKS_BY_PLACE, 4 },
		{ "the same, contiguous groups", "block32", 6, 1, MX_BLOCKS_BY_GROUP, 4 },
	};
	for (unsigned kind = 0; kind < 3; kind++)
		for (size_t i = 0; i < COUNT(t); i++) {
			struct problem *p = problem((mx_grouped_kind)kind, t[i].pad, t[i].blocks,
			                            t[i].profile, t[i].spread);
			struct mx_grouped_verdict v = judge(p, NONE, t[i].bytes);
			size_t valid = kind == MX_WGRAD ? GROUPS * N * K
			                                : 418 * (kind == MX_DGRAD ? K : N);
			if (!ok(!v.wrong && v.checked == valid, "%s: %s", kinds[kind],
			        t[i].sentence))
				diag("%s", v.text);
			free(p);
		}
}

/* Sums are exact, so f32 has the values of f64. */
static void test_f64(void) {
	for (unsigned kind = 0; kind < 3; kind++) {
		struct problem *p =
			problem((mx_grouped_kind)kind, 128, MX_BLOCKS_BY_PLACE, NULL, 1);
		size_t rows, cols, differ = 0;
		mx_grouped_size(&p->g, &rows, &cols, &err);
		float *f32 = malloc(rows * cols * sizeof *f32 + 1);
		double *f64 = malloc(rows * cols * sizeof *f64 + 1);
		int status = mx_grouped_expect(&p->g, (uint32_t *)f32, &err) ||
		             mx_grouped_f64(&p->g, f64, &err);
		for (size_t i = 0; !status && i < rows * cols; i++)
			differ += (double)f32[i] != f64[i];
		ok(!status && !differ, "%s in f64", kinds[kind]);
		free(f32);
		free(f64);
		free(p);
	}
}

static void test_rounding_shows(void) {
	struct problem *p = problem(MX_FORWARD, 1, MX_BLOCKS_BY_GROUP, NULL, 6);
	ok(judge(p, NONE, 4).wrong, "sums that round are not the exact product");
	bool holds = true;
	char why[256] = "";
	ok(!mx_grouped_regime(&p->g, &holds, why, sizeof why, &err) && !holds &&
	           !strncmp(why, "group 1: ", 9),
	   "and their operands not in the exact regime: %s", why);
	free(p);
	p = problem(MX_WGRAD, 128, MX_BLOCKS_BY_PLACE, NULL, 1);
	ok(!mx_grouped_regime(&p->g, &holds, why, sizeof why, &err) && holds,
	   "operands of exact sums are");
	free(p);
}

/* ---- broken ones ---- */

static void test_faults(void) {
	static const struct {
		const char *id, *bug;
		enum fault fault;
		mx_grouped_kind kind;
		uint64_t pad;
		mx_grouped_blocks blocks;
		mx_grouped_padding padding;
		size_t group, wrong_groups;
	} t[] = {
		{ "A3", "next group's rows at M_g = 128", NEXT_ROWS, MX_FORWARD, 128, 0, 0, 3, 1 },
		{ "A3", "next group's rows at M_g = 128", NEXT_ROWS, MX_DGRAD, 1, 0, 0, 3, 1 },
		{ "A3", "next group's rows summed", NEXT_ROWS, MX_WGRAD, 128, 0, 0, 3, 1 },
		{ "A2", "empty groups not written", EMPTY_SKIPPED, MX_WGRAD, 128, 0, 0, 0, 2 },
		{ "A12", "padding rows summed", PADDING_SUMMED, MX_WGRAD, 128, 0, 0, 1, 4 },
		{ "A12", "padding rows stored, zero demanded", PADDING_STORED, MX_FORWARD, 128, 0,
		  MX_PADDING_ZERO, 1, 4 },
		{ "A12", "padding rows stored, to be kept", PADDING_STORED, MX_DGRAD, 128, 0,
		  MX_PADDING_KEPT, 1, 4 },
		{ "A12", "padding rows not zeroed", NONE, MX_FORWARD, 128, 0, MX_PADDING_ZERO, 1,
		  4 },
		{ "L1", "next group's scales", OTHER_SCALES, MX_FORWARD, 128, 0, 0, 1, 5 },
		{ "L1", "scales by group, not place", OTHER_SCALES, MX_WGRAD, 128,
		  MX_BLOCKS_BY_PLACE, 0, 2, 4 },
		{ "L1", "scales by place, not group", OTHER_SCALES, MX_WGRAD, 1, MX_BLOCKS_BY_GROUP,
		  0, 2, 4 },
		{ "L1", "scale of a short last block", SHORT_BLOCK, MX_WGRAD, 1, MX_BLOCKS_BY_GROUP,
		  0, 2, 3 },
		{ "", "the group before's weights", OTHER_WEIGHTS, MX_DGRAD, 1, 0, 0, 1, 5 },
		{ "A12", "a ragged group's last row", LAST_ROW_SKIPPED, MX_FORWARD, 1, 0, 0, 1, 4 },
	};
	for (size_t i = 0; i < COUNT(t); i++) {
		mx_grouped_blocks blocks =
			t[i].pad == 1 && t[i].kind == MX_WGRAD ? MX_BLOCKS_BY_GROUP : t[i].blocks;
		struct problem *p = problem(t[i].kind, t[i].pad, blocks, NULL, 1);
		p->g.padding = t[i].padding;
		struct mx_grouped_verdict v = judge(p, t[i].fault, 4);
		diag("%-3s %s, %s: %s", t[i].id, kinds[t[i].kind], t[i].bug, v.text);
		if (!ok(v.wrong && v.group == t[i].group && v.wrong_groups == t[i].wrong_groups,
		        "%s %s: %s is flagged, in its %zu groups", t[i].id, kinds[t[i].kind],
		        t[i].bug, t[i].wrong_groups))
			diag("group %zu first, %zu groups", v.group, v.wrong_groups);
		free(p);
	}
}

static void test_places(void) {
	struct problem *p = problem(MX_FORWARD, 128, 0, NULL, 1);
	struct mx_grouped_verdict v = judge(p, LAST_ROW_SKIPPED, 2);
	ok(v.group == 1 && v.row == 0 && v.col == 0 && v.unwritten && !v.padding &&
	           v.got == 0xffff && v.wrong == 4 * N &&
	           strstr(v.text,
	                  "group 1 (1 rows from 0), row 0, column 0 is 0xffff (not written)"),
	   "a verdict names group, row and column, and what was not written");
	p->g.padding = MX_PADDING_ZERO;
	v = judge(p, NONE, 4);
	ok(v.padding && v.group == 1 && v.row == 1 &&
	           strstr(v.text, "padding row 1, column 0 is 0xffffffff"),
	   "a row of padding is named as padding");
	p->g.padding = MX_PADDING_KEPT;
	v = judge(p, NONE, 4);
	ok(!v.wrong && v.checked == 768 * N, "kept padding is unchanged");
	free(p);
}

/* Moves the tokens of all groups together, in f16, as a kernel stores them that unpads. */
static void unpad(const struct problem *p, struct left *l) {
	uint16_t *half = (uint16_t *)l->out;
	size_t to = 0;
	for (size_t g = 0; g < GROUPS; g++)
		for (size_t i = 0; i < ragged[g] * N; i++, to++) {
			mx_f32 x;
			memcpy(&x, &l->out[p->begin[g] * N + i], sizeof x);
			half[to] = mx_f16_from_f32(x).v;
			l->unwritten[to] = 0;
		}
	memset(half + to, 0xFF, (l->rows * N - to) * sizeof *half);
	memset(l->unwritten + to, 2, l->rows * N - to);
}

static void test_unpadded(void) {
	struct problem *p = problem(MX_FORWARD, 128, 0, NULL, 1);
	struct left l = launch(p, NONE, 4);
	p->g.padding = MX_PADDING_NONE;
	p->g.f16 = true;
	unpad(p, &l);
	struct mx_grouped_verdict v = judge_left(p, &l, 2);
	ok(!v.wrong && v.checked == 418 * N, "an f16 output without padding passes");
	((uint16_t *)l.out)[(1 + 127 + 5) * N + 3] ^= 1;
	v = judge_left(p, &l, 2);
	ok(v.wrong == 1 && v.group == 3 && v.row == 5 && v.col == 3,
	   "a wrong bit is in its group and row");
	p->g.f16 = false;
	v = judge_left(p, &l, 2);
	ok(v.wrong > 1, "f16 codes are no bf16");
	discard(&l);
	free(p);
}

/* Kept padding is judged by written bytes, not by value: any NaN, the bits of the poison, and one
 * byte of an element are changes. */
static void test_kept(void) {
	static const struct {
		const char *what;
		uint32_t holds;
		unsigned bytes, unwritten;
	} t[] = {
		{ "a NaN", 0x7fc00000, 4, 0 },
		{ "a NaN", 0x7fc0, 2, 0 },
		{ "the bits of the poison", 0xffffffff, 4, 0 },
		{ "one byte of four", 0xffffff00, 4, 3 },
		{ "one byte of two", 0xff00, 2, 1 },
	};
	struct problem *p = problem(MX_FORWARD, 128, 0, NULL, 1);
	p->g.padding = MX_PADDING_KEPT;
	for (size_t i = 0; i < COUNT(t); i++) {
		struct left l = launch(p, NONE, t[i].bytes);
		size_t at = 127 * N + 3; /* of group 1, which has 1 row of 128 */
		memcpy((uint8_t *)l.out + at * t[i].bytes, &t[i].holds, t[i].bytes);
		l.unwritten[at] = (uint8_t)t[i].unwritten;
		struct mx_grouped_verdict v = judge_left(p, &l, t[i].bytes);
		if (!ok(v.wrong == 1 && v.padding && !v.unwritten && v.row == 127 && v.col == 3 &&
		                strstr(v.text, "must not be written"),
		        "kept padding: %s written to an element of %u bytes is wrong", t[i].what,
		        t[i].bytes))
			diag("%zu wrong: %s", v.wrong, v.text);
		discard(&l);
	}
	free(p);
}

/* A result must be written: the previous value may be right by chance. */
static void test_unwritten_results(void) {
	struct problem *p = problem(MX_WGRAD, 128, MX_BLOCKS_BY_PLACE, NULL, 1);
	struct left l = launch(p, NONE, 4);
	l.unwritten[N * K + 7] = 1; /* of group 1 */
	struct mx_grouped_verdict v = judge_left(p, &l, 4);
	ok(v.wrong == 1 && v.unwritten && v.group == 1 && v.row == 0 && v.col == 7,
	   "a right value with one unwritten byte is wrong");
	discard(&l);
	free(p);
}

/* A scale of NaN makes a row of them; the payload is free. */
static void test_nan(unsigned bytes) {
	static const uint32_t nan[2] = { 0x7fc12345, 0xff800001 };
	struct problem *p = problem(MX_FORWARD, 128, 0, NULL, 1);
	struct left l = launch(p, NONE, bytes);
	size_t row = p->begin[3];
	p->left.scales[row * p->left.ld_scales] = 0xff;
	for (size_t i = row * N; i < (row + 1) * N; i++) {
		uint32_t code = bytes == 2 ? nan[i % 2] >> 16 | 1 : nan[i % 2];
		memcpy((uint8_t *)l.out + i * bytes, &code, bytes);
	}
	struct mx_grouped_verdict v = judge_left(p, &l, bytes);
	ok(!v.wrong, "NaN of any payload in %u bytes are right where NaN is", bytes);
	memset((uint8_t *)l.out + row * N * bytes, 0, bytes);
	v = judge_left(p, &l, bytes);
	ok(v.wrong == 1 && v.row == 0 && v.col == 0 && v.group == 3, "  and 0 is wrong");
	discard(&l);
	free(p);
}

/* ---- errors ---- */

static int size_of(struct mx_grouped g) {
	size_t rows, cols;
	return mx_grouped_size(&g, &rows, &cols, &err);
}

static void is_error(int rc, const char *want, const char *sentence) {
	if (!ok(rc == -1 && !strcmp(err.text, want), "%s: one clear error", sentence))
		diag("%d: %s", rc, err.text);
}

static void test_errors(void) {
	struct problem *p = problem(MX_WGRAD, 128, MX_BLOCKS_BY_PLACE, NULL, 1);
	static uint32_t out[GROUPS * N * K];
	struct mx_grouped_verdict v;
	uint64_t begin[3] = { 0, 40, 30 }, rows[2] = { 41, 5 };
	struct mx_grouped g = p->g;
	g.groups = 2, g.begin = begin, g.rows = NULL;
	is_error(size_of(g), "group 1 begins at row 40, but the next group at row 30",
	         "groups that go back");
	begin[2] = 60, g.rows = rows;
	is_error(size_of(g), "group 0 has 41 rows, but room for 40", "more tokens than rows");
	rows[0] = 40;
	is_error(mx_grouped_expect(&g, out, &err), "group 1 begins at row 40, inside a block of 32",
	         "a group that begins inside a block");
	g.blocks = MX_BLOCKS_BY_GROUP, g.left.format = "E2M1", begin[1] = 41, rows[0] = 41;
	is_error(mx_grouped_expect(&g, out, &err),
	         "group 1 begins at row 41, inside a byte of E2M1",
	         "a group that begins inside a byte");
	g = p->g, g.left.ld = 767;
	is_error(size_of(g), "768 rows of E4M3 do not fit lines of 767 bytes", "lines too short");
	g = p->g, g.left.format = "E9M9";
	is_error(mx_grouped_expect(&g, out, &err), "group 1: unknown element format",
	         "an unknown format");
	g = p->g, g.profile = "block33";
	is_error(mx_grouped_expect(&g, out, &err), "group 1: unknown accumulation profile",
	         "an unknown profile");
	g = p->g, g.n = (size_t)1 << 32, g.k = (size_t)1 << 32;
	is_error(size_of(g),
	         "7 groups of 4294967296 x 4294967296 in 768 rows: a size is over 2^63 bytes",
	         "weights over 64 bits");
	g = p->g, g.kind = MX_FORWARD, begin[1] = 0, begin[2] = UINT64_MAX / 8;
	g.groups = 2, g.begin = begin, g.rows = NULL;
	is_error(size_of(g),
	         "2 groups of 40 x 96 in 2305843009213693951 rows: a size is over 2^63 bytes",
	         "rows over 64 bits");
	is_error(mx_grouped_judge(&p->g, out, out, NULL, 3, &v, &err),
	         "an output element of 3 bytes is neither of f32 nor of bf16 or f16",
	         "elements of 3 bytes");
	is_error(mx_groups_lay(2, (uint64_t[]){ 5, UINT64_MAX - 4 }, 128, begin, &err),
	         "group 1: its rows end over 2^63", "groups that end over 64 bits");
	free(p);
}

static void test_none(void) {
	uint64_t begin[1] = { 0 };
	uint32_t out[1];
	struct mx_grouped_verdict v;
	struct mx_grouped g = { .kind = MX_WGRAD, .begin = begin, .n = N, .k = K };
	g.left = g.right = (struct exact_operand){ "E4M3" };
	ok(!mx_grouped_expect(&g, out, &err) &&
	           !mx_grouped_judge(&g, out, out, NULL, 4, &v, &err) && !v.checked && !v.wrong,
	   "no groups have no output");
}

int main(void) {
	test_right();
	test_f64();
	test_rounding_shows();
	test_faults();
	test_places();
	test_kept();
	test_unpadded();
	test_unwritten_results();
	test_nan(4);
	test_nan(2);
	test_errors();
	test_none();
	return done_testing();
}
