/* Plans: sizes at ragged, negative and huge shapes, kernarg bytes, and every error's field. */
#include "case_file.h"

static void plan_has_the_sizes(void) {
	struct mx_case *c = load_good(NULL, "");
	struct mx_plan p;
	struct mx_error err = { "" };
	ok(!mx_plan_make(c, 130, 257, 288, MX_REGIME_SPECIAL, &p, &err),
	   "a ragged shape has a plan");
	if (*err.text)
		diag("%s", err.text);
	ok(!strcmp(p.name, "gemm/mxfp4_f32/130x257x288/special"), "its name is %s", p.name);
	ok(p.steps[0].grid[0] == 3 && p.steps[0].grid[1] == 2 && p.steps[0].grid[2] == 1 &&
	           p.steps[0].block[0] == 256 && p.steps[0].block[1] == 1 &&
	           p.steps[0].block[2] == 1 && p.steps[0].lds == 0,
	   "grid and block are rounded up and filled with 1");
	static const struct mx_buffer want[] = {
		{ "A", MX_ROLE_A, MX_DT_E2M1, MX_ORDER_ROW, 130, 288, 130, 144, 144, 130 * 144,
		  256 },
		{ "SA", MX_ROLE_A_SCALE, MX_DT_E8M0, MX_ORDER_ROW, 130, 9, 130, 9, 16, 129 * 16 + 9,
		  256 },
		{ "B", MX_ROLE_B, MX_DT_E2M1, MX_ORDER_ROW, 257, 288, 257, 144, 144, 257 * 144,
		  256 },
		{ "SB", MX_ROLE_B_SCALE, MX_DT_E8M0, MX_ORDER_ROW, 257, 9, 257, 9, 16, 256 * 16 + 9,
		  256 },
		{ "C", MX_ROLE_C, MX_DT_F32, MX_ORDER_ROW, 130, 257, 130, 1028, 1028, 130 * 1028,
		  4352 },
		{ "W", MX_ROLE_NONE, MX_DT_BF16, MX_ORDER_ROW, 3, 5, 3, 10, 16, 42, 256 },
	};
	for (unsigned i = 0; i < COUNT(want); i++) {
		const struct mx_buffer *b = &p.buffers[i], *w = &want[i];
		if (!ok(!strcmp(b->name, w->name) && b->role == w->role && b->type == w->type &&
		                b->rows == w->rows && b->cols == w->cols &&
		                b->line_bytes == w->line_bytes && b->ld == w->ld &&
		                b->bytes == w->bytes && b->guard == w->guard,
		        "buffer %s has its sizes", w->name))
			diag("%zu x %zu, row %zu, ld %zu, bytes %zu, guard %zu", b->rows, b->cols,
			     b->line_bytes, b->ld, b->bytes, b->guard);
	}
	ok(p.n_buffers == 6 && mx_plan_role(&p, MX_ROLE_C) == &p.buffers[4],
	   "a buffer is found by role");
	mx_case_free(c);
}

static void sizes_have_any_names(void) {
	struct mx_case *c = load_good("K: 32,  regime", "K: 32, sizes: {S: 3, D: 5}, regime");
	struct mx_plan p;
	struct mx_error err = { "" };
	struct mx_case_run run = { c->runs[1].sizes, MX_REGIME_EXACT };
	ok(!mx_plan_make_run(c, &run, &p, &err) &&
	           !strcmp(p.name, "gemm/mxfp4_f32/1x16x32,S=3,D=5/exact"),
	   "sizes are part of a run's name: %s", p.name);
	ok(p.M == 1 && mx_size(&p.sizes, "D") == 5 && mx_size(&p.sizes, "Q") == 0,
	   "and have values");
	ok(!mx_sizes_replace(c, &run.sizes, "D=7,N=48", &err) &&
	           !mx_plan_make_run(c, &run, &p, &err) &&
	           !strcmp(p.name, "gemm/mxfp4_f32/1x48x32,S=3,D=7/exact"),
	   "a text replaces some of them: %s", p.name);
	ok(mx_sizes_replace(c, &run.sizes, "Q=7", &err) &&
	           !strcmp(err.text, "no size Q in this run"),
	   "but not one that is absent: %s", err.text);
	static const char *const wrong[] = { "S=0", "S=1x", "S=-1" };
	for (size_t i = 0; i < COUNT(wrong); i++)
		ok(mx_sizes_replace(c, &run.sizes, wrong[i], &err), "%s: %s", wrong[i], err.text);
	static const char *const bad[] = { "",  "1,2", "1,2,3,4", "S=",     "S=1,",  "S=1,2",
		                           "S", "=1",  "S==1",    "1,2,3,", "0,1,1", "a,b,c" };
	for (size_t i = 0; i < COUNT(bad); i++)
		ok(!mx_sizes_check(bad[i]), "'%s' is no shape", bad[i]);
	ok(mx_sizes_check("1,2,3") && mx_sizes_check("1,2,3,S=4") && mx_sizes_check("S=4,Dv=5"),
	   "numbers of M, N and K, or names, are");
	mx_case_free(c);
}

static void packed_buffers_have_two_sizes(void) {
	struct mx_case *c = load_good("rows: N, cols: K / 32, ld: KS}",
	                              "rows: N, cols: K / 32, layout: s32x8_256, fill: 127}");
	struct mx_plan p;
	struct mx_error err = { "" };
	const struct mx_buffer *b = &p.buffers[3];
	ok(!mx_plan_make(c, 130, 257, 288, MX_REGIME_EXACT, &p, &err) && b->data_bytes == 257 * 9 &&
	           b->ld == 9 && b->bytes == 512 * 16 && b->packing.fill == 127 &&
	           !p.buffers[2].packing.layout && p.buffers[2].data_bytes == p.buffers[2].bytes,
	   "a packed buffer has its data in lines, and the layout's size on the device");
	ok(mx_buffer_line(b, 256 * 16) == 256 && mx_buffer_line(b, 256 * 16 + 4) == -1 &&
	           mx_buffer_line(b, 3 * 4 + 1) == 19 && mx_buffer_line(&p.buffers[1], 40) == 2,
	   "the line of a byte follows the layout; padding has none");
	mx_case_free(c);
}

/* Five buffers of a case with groups: A, SA and C have the rows of the storage, B has G * N. */
static const struct {
	const char *from, *to;
} grouped[] = {
	{ "buffers:\n", "groups: {rows: [3, M - 7, 0, 4], pad: 32, padding: zero}\nbuffers:\n" },
	{ "type: e2m1, rows: M", "type: e2m1, rows: R" },
	{ "type: e8m0, rows: M", "type: e8m0, rows: R" },
	{ "type: e2m1, rows: N", "type: e2m1, rows: G * N" },
	{ "type: e8m0, rows: N", "type: e8m0, rows: G * N" },
	{ "type: f32,  rows: M", "type: f32,  rows: R" },
	{ "role: none,    type: bf16, rows: 3, cols: 5, ld: 16",
	  "role: group_begin, type: i64, rows: 1, cols: G + 1" },
};

static struct mx_case *load_grouped(const char *from, const char *to) {
	char text[8192], other[8192];
	struct mx_case *c;
	struct mx_error err;
	snprintf(text, sizeof text, "%s", good);
	for (size_t i = 0; i <= COUNT(grouped); i++) {
		const char *a = i < COUNT(grouped) ? grouped[i].from : from;
		const char *at = a ? strstr(text, a) : NULL;
		if (!at)
			continue;
		snprintf(other, sizeof other, "%.*s%s%s", (int)(at - text), text,
		         i < COUNT(grouped) ? grouped[i].to : to, at + strlen(a));
		strcpy(text, other);
	}
	if (load(text, &c, &err)) {
		fprintf(stderr, "plan_test: %s\n", err.text);
		exit(2);
	}
	return c;
}

static void groups_are_laid_out(void) {
	struct mx_case *c = load_grouped(NULL, NULL);
	struct mx_plan p;
	struct mx_error err = { "" };
	static const uint64_t rows[] = { 3, 33, 0, 4 }, begin[] = { 0, 32, 96, 96, 128 };
	ok(!mx_plan_make(c, 40, 16, 64, MX_REGIME_EXACT, &p, &err) && p.groups.n == 4 &&
	           !memcmp(p.groups.rows, rows, sizeof rows) &&
	           !memcmp(p.groups.begin, begin, sizeof begin),
	   "groups have their rows, and begin after their padding");
	ok(p.buffers[0].rows == 128 && p.buffers[2].rows == 64 && p.buffers[4].rows == 128,
	   "R and G are their storage and their number");
	struct mx_data data;
	ok(!mx_data_make(&p, 1, &data, &err) && !memcmp(data.bytes[5], begin, sizeof begin),
	   "a buffer holds the first rows of groups");
	mx_data_free(&data);
	mx_case_free(c);
}

static void padding_is_zero(void) {
	struct mx_case *c = load_grouped("padding: zero}", "padding: zero, zero: true}");
	struct mx_plan p;
	struct mx_data data;
	struct mx_error err = { "" };
	bool good = !mx_plan_make(c, 40, 16, 64, MX_REGIME_EXACT, &p, &err) &&
	            !mx_data_make(&p, 1, &data, &err);
	for (size_t row = 0; good && row < 128; row++) {
		bool used = row < 3 || (row >= 32 && row < 65) || (row >= 96 && row < 100);
		unsigned any = 0;
		for (size_t i = 0; i < 32; i++)
			any |= data.bytes[0][row * 32 + i];
		unsigned scale = data.bytes[1][row * p.buffers[1].ld];
		good = used == (any != 0) && used == (scale != 0);
	}
	ok(good, "codes and scales of padding are 0, those of tokens are not");
	mx_data_free(&data);
	mx_case_free(c);
}

static void wrong_groups_say_why(void) {
	static const struct {
		const char *sentence, *from, *to;
		int64_t M, N;
		const char *want;
	} t[] = {
		{ "groups that are fewer rows than M", "M - 7", "M - 8", 40, 16,
		  ": groups.rows: they add up to 39, but M is 40" },
		{ "a group of less than nothing", NULL, NULL, 5, 16,
		  ": groups.rows[1]: M - 7 is -2, less than 0" },
		{ "groups padded to nothing", "pad: 32", "pad: M - 40", 40, 16,
		  ": groups.pad: M - 40 is 0, less than 1" },
		{ "groups over 2^31 rows in 32 bits", "type: i64, rows: 1", "type: i32, rows: 1",
		  INT64_C(1) << 32, 16, ": buffers[5].type: 4294967360 rows are over 2^31 - 1" },
		{ "groups by their own number", "M - 7", "G", 40, 16,
		  ": groups.rows[1]: unknown name 'G'" },
		{ "A without padding", "type: e2m1, rows: R", "type: e2m1, rows: M", 40, 16,
		  ": buffers[0]: A is 40 x 64, its role requires 128 x 64" },
		{ "as many beginnings as groups", "cols: G + 1", "cols: G", 40, 16,
		  ": buffers[5]: W is 1 x 4, its role requires 1 x 5" },
	};
	for (size_t i = 0; i < COUNT(t); i++) {
		struct mx_case *c = load_grouped(t[i].from, t[i].to);
		struct mx_plan p;
		struct mx_error err = { "" };
		int rc = mx_plan_make(c, t[i].M, t[i].N, 64, MX_REGIME_EXACT, &p, &err);
		ok_error(rc, err.text, t[i].want, t[i].sentence);
		mx_case_free(c);
	}
}

static void kernarg_has_its_bytes(void) {
	struct mx_case *c = load_good(NULL, "");
	struct mx_plan p;
	struct mx_error err;
	static const uint64_t address[] = { 0x7f1122334400, 1, 2, 3, 0xffff800000000ff0, 5 };
	static const uint8_t want[52] = {
		0x00, 0x44, 0x33, 0x22, 0x11, 0x7f, 0,    0,                /* A */
		0x00, 0x10, 0x00, 0x00, 0x00, 0x80, 0xff, 0xff,             /* C + 16, upper half */
		0,    0,    0,    0,    0xff, 0xff, 0xff, 0xff,             /* gap, M - 2 = -1 */
		0xf0, 0xff, 0xff, 0xff, 0,    0,    0,    0,                /* u32, gap */
		0xf0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,             /* -N = -16 */
		8,    0,    0,    0,    0,    0,    0,    0,    8, 0, 0, 0, /* KS, KS */
	};
	uint8_t out[sizeof want];
	memset(out, 0xAA, sizeof out);
	ok(!mx_plan_make(c, 1, 16, 32, MX_REGIME_EXACT, &p, &err) && p.steps[0].kernarg_bytes == 52,
	   "the segment ends at the last argument");
	ok(!mx_plan_kernarg(&p, 0, address, out, &err), "the segment is filled");
	size_t i = 0;
	while (i < sizeof want && out[i] == want[i])
		i++;
	if (!ok(i == sizeof want, "addresses, signs, widths and gaps are right"))
		diag("first wrong byte %zu: 0x%02x, should be 0x%02x", i, out[i], want[i]);
	mx_case_free(c);
}

static void buffers_hold_addresses(void) {
	struct mx_case *c = load_good("verdict:", "pointers:\n"
	                                          "  - {in: B, at: 8, value: A + M}\n"
	                                          "  - {in: W, at: 0, value: B}\nverdict:");
	struct mx_plan p;
	struct mx_error err;
	static const uint64_t address[] = { 0x1000, 1, 0x2000, 3, 4, 5 };
	uint64_t bytes[3] = { 7, 7, 7 };
	ok(!mx_plan_make(c, 16, 16, 32, MX_REGIME_EXACT, &p, &err) &&
	           !mx_plan_pointers(&p, 2, address, (uint8_t *)bytes, &err),
	   "a case with addresses in buffers has a plan");
	ok(bytes[0] == 7 && bytes[1] == 0x1010 && bytes[2] == 7,
	   "each is put where its buffer has it, and nowhere else");
	mx_case_free(c);
}

static void wrong_plans_say_which_field(void) {
	static const struct {
		const char *sentence, *from, *to;
		int64_t M, N, K;
		const char *want;
	} t[] = {
		{ "a negative M", NULL, "", -1, 16, 32, ": M = -1 is not in 0 to 2^40" },
		{ "a huge N", NULL, "", 1, INT64_MAX, 32,
		  ": N = 9223372036854775807 is not in 0 to 2^40" },
		{ "M of 0", NULL, "", 0, 16, 32, ": grid[1]: ceildiv(M, 128) is 0, less than 1" },
		{ "K of 0", NULL, "", 16, 16, 0, ": K = 0 is not a positive multiple of 32" },
		{ "K of 48", NULL, "", 16, 16, 48, ": K = 48 is not a positive multiple of 32" },
		{ "M x N over 2^40 bytes", NULL, "", INT64_C(1) << 26, INT64_C(1) << 26, 32,
		  ": buffers[4]: 67108864 lines of 268435456 bytes are over 2^40" },
		{ "a grid over 2^31 - 1", "\"ceildiv(N, 128)\"", "N * 65536", 16, 32768, 32,
		  ": grid[0]: N * 65536 is 2147483648, more than 2147483647" },
		{ "work-items over 32 bits", "\"ceildiv(N, 128)\"", "N", 16, 16777216, 32,
		  ": grid[0]: 16777216 workgroups of 256 work-items are over 2^32 - 1" },
		{ "a block of 1025", "[256]", "[M]", 1025, 16, 32,
		  ": block[0]: M is 1025, more than 1024" },
		{ "a block of 32 x 33", "[256]", "[M, N]", 32, 33, 32,
		  ": block: 32 x 33 x 1 work-items, more than 1024" },
		{ "too much LDS", "let:", "lds: 327681\nlet:", 16, 16, 32,
		  ": lds: 327681 is more than 327680" },
		{ "too large a cluster", "let:", "cluster: [17]\nlet:", 16, 16, 32,
		  ": cluster[0]: 17 is more than 16" },
		{ "too large a cluster in all", "let:", "cluster: [4, 5]\nlet:", 16, 16, 32,
		  ": cluster: 4 x 5 x 1 workgroups, more than 16" },
		{ "a grid of parts of clusters", "let:", "cluster: [1, 2]\nlet:", 384, 256, 32,
		  ": cluster: a grid of 2 x 3 x 1 workgroups is not a whole number of clusters of "
		  "1 x 2 x 1" },
		{ "negative LDS", "let:", "lds: M - 17\nlet:", 16, 16, 32,
		  ": lds: M - 17 is -1, less than 0" },
		{ "an unknown name", "cols: N, guard", "cols: N, ld: KQ, guard", 16, 16, 32,
		  ": buffers[4].ld: unknown name 'KQ'" },
		{ "a buffer's name in a size", "ld: 16}", "ld: A}", 16, 16, 32,
		  ": buffers[5].ld: unknown name 'A'" },
		{ "a let of a later name", "roundup(K / 32, 8)", "C", 16, 16, 32,
		  ": let[0].value: unknown name 'C'" },
		{ "a let divided by zero", "roundup(K / 32, 8)", "K / (M - N)", 16, 16, 32,
		  ": let[0].value: division by zero in 'K / (M - N)'" },
		{ "a negative size", "rows: 3", "rows: M - N", 16, 17, 32,
		  ": buffers[5].rows: M - N is -1, less than 0" },
		{ "bad syntax", "rows: 3", "rows: 3 +", 16, 16, 32,
		  ": buffers[5].rows: '3 +' ends too early" },
		{ "an ld below the row", "ld: 16}", "ld: 8}", 16, 16, 32,
		  ": buffers[5].ld: 8 bytes, but a line takes 10" },
		{ "an ld that splits elements", "ld: 16}", "ld: 11}", 16, 16, 32,
		  ": buffers[5].ld: 11 is not a multiple of the element's 2 bytes" },
		{ "a negative guard", "guard: 4", "guard: -4", 16, 16, 32,
		  ": buffers[4].guard: -4 is less than 0" },
		{ "a huge guard", "guard: 4", "guard: 0x10000000000", 16, 16, 32,
		  ": buffers[4].guard: 1099511627776 lines of 64 bytes are over 2^40" },
		{ "B of another shape", "rows: N, cols: K}", "rows: M, cols: K}", 16, 32, 64,
		  ": buffers[2]: B is 16 x 64, its role requires 32 x 64" },
		{ "A's scales of another shape", "cols: K / 32, ld: KS", "cols: K / 16, ld: KS", 16,
		  16, 64, ": buffers[1]: SA is 16 x 4, its role requires 16 x 2" },
		{ "B's scales of another shape", "rows: N, cols: K / 32", "rows: M, cols: K / 32",
		  16, 32, 64, ": buffers[3]: SB is 16 x 2, its role requires 32 x 2" },
		{ "A of another shape", "rows: M, cols: K}", "rows: M, cols: 64 + K}", 16, 32, 64,
		  ": buffers[0]: A is 16 x 128, its role requires 16 x 64" },
		{ "an output of another shape", "cols: N, guard", "cols: M, guard", 16, 32, 64,
		  ": buffers[4]: C is 16 x 16, its role requires 16 x 32" },
		{ "rows padded to nothing", "rows: N, cols: K}",
		  "rows: N, cols: K, layout: preshuffle_16x16, pad_rows: M - 16}", 16, 16, 32,
		  ": buffers[2].pad_rows: M - 16 is 0, less than 1" },
		{ "rows padded to what the layout cannot have", "rows: N, cols: K}",
		  "rows: N, cols: K, layout: preshuffle_16x16, pad_rows: M + 8}", 16, 16, 32,
		  ": buffers[2].layout: layout preshuffle_16x16 pads rows to a multiple of 16, but "
		  "24 is not one" },
		{ "scales that a layout loses", "rows: N, cols: K / 32, ld: KS}",
		  "rows: N, cols: K / 32, layout: s32x8_wave}", 16, 48, 256,
		  ": buffers[3].layout: layout s32x8_wave crops 48 x 8 scales out of 256 x 8, "
		  "which "
		  "loses 64 of 384" },
		{ "a packed size over 2^40", "rows: N, cols: K / 32, ld: KS}",
		  "rows: N, cols: K / 32, layout: s32x8, pad_rows: 0x8000000000}", 16, 16, 32,
		  ": buffers[3].layout: 4398046511104 bytes are over 2^40" },
		{ "a 32-bit argument over its range", "value: M - 2", "value: M * 0x8000000", 16,
		  16, 32, ": kernarg[2].value: M * 0x8000000 is 2147483648, more than 2147483647" },
		{ "a negative unsigned argument", "value: 0xfffffff0", "value: -M", 16, 16, 32,
		  ": kernarg[3].value: -M is -16, less than 0" },
		{ "an address in 32 bits", "value: M - 2", "value: A", 16, 16, 32,
		  ": kernarg[2].value: A is 2199023255552, more than 2147483647" },
		{ "an unknown argument", "value: A", "value: D", 16, 16, 32,
		  ": kernarg[0].value: unknown name 'D'" },
		{ "an address in no buffer",
		  "verdict:", "pointers: [{in: Q, at: 0, value: A}]\nverdict:", 16, 16, 32,
		  ": pointers[0].in: no buffer Q" },
		{ "an address in an output",
		  "verdict:", "pointers: [{in: C, at: 0, value: A}]\nverdict:", 16, 16, 32,
		  ": pointers[0].in: C has a layout, is in another buffer, or has no data" },
		{ "an address past the end",
		  "verdict:", "pointers: [{in: B, at: 249, value: A}]\nverdict:", 16, 16, 32,
		  ": pointers[0].at: 249 is more than 248" },
		{ "an address of nothing",
		  "verdict:", "pointers: [{in: B, at: 0, value: Q}]\nverdict:", 16, 16, 32,
		  ": pointers[0].value: unknown name 'Q'" },
		{ "more than eight splits", "judge: bits", "judge: set, splits: 9, k_split: 32", 16,
		  16, 288, ": verdict.splits: 9 is more than 8" },
		{ "splits that leave out the end of K", "judge: bits",
		  "judge: set, splits: 2, k_split: 128", 16, 16, 288,
		  ": verdict.k_split: 2 splits of 128 do not cover K = 288 in blocks of 32, the "
		  "last not empty" },
		{ "an empty split", "judge: bits", "judge: set, splits: 4, k_split: 96", 16, 16,
		  288,
		  ": verdict.k_split: 4 splits of 96 do not cover K = 288 in blocks of 32, the "
		  "last not empty" },
	};
	for (size_t i = 0; i < COUNT(t); i++) {
		struct mx_case *c = load_good(t[i].from, t[i].to);
		struct mx_plan p;
		struct mx_error err = { "" };
		int rc = mx_plan_make(c, t[i].M, t[i].N, t[i].K, MX_REGIME_EXACT, &p, &err);
		ok_error(rc, err.text, t[i].want, t[i].sentence);
		mx_case_free(c);
	}
}

int main(void) {
	make_folder();
	plan_has_the_sizes();
	sizes_have_any_names();
	packed_buffers_have_two_sizes();
	groups_are_laid_out();
	padding_is_zero();
	wrong_groups_say_why();
	kernarg_has_its_bytes();
	buffers_hold_addresses();
	wrong_plans_say_which_field();
	remove_folder();
	return done_testing();
}
