/* Scalar memory: every load, store and atomic of smem.def, and accesses out of range. */
#include "machine_test.h"

enum { SGPRS = 16, DWORDS = 64, ROUNDS = 48, MOST_DWORDS = 8 };
enum { IN = 0x100, DESCRIPTORS = 0x40, MEMORY = 0x1000, OUT = 0x2000 };

/* s[4:5] memory, s[8:11] a raw descriptor of 96 bytes of it, s[12:15] one of 6 records of 16 bytes,
 * s3 0x28, s7 2, m0 0x14, s[32:47] the data at IN. */
static const uint32_t prologue[] = {
	0xc0120800, 0x00000100, /* s_load_dwordx16 s[32:47], s[0:1], 0x100 */
	0xc00e0200, 0x00000040, /* s_load_dwordx8 s[8:15], s[0:1], 0x40 */
	0x8004ff00, 0x00001000, /* s_add_u32 s4, s0, 0x1000 */
	0x82058001,             /* s_addc_u32 s5, s1, 0 */
	0xbe8300a8,             /* s_mov_b32 s3, 40 */
	0xbe870082,             /* s_mov_b32 s7, 2 */
	0xbefc0094,             /* s_mov_b32 m0, 20 */
	0xbf8cc07f,             /* s_waitcnt lgkmcnt(0) */
};

static const uint32_t epilogue[] = {
	0xbf8cc07f,             /* s_waitcnt lgkmcnt(0) */
	0xc0840000, 0x00000000, /* s_dcache_wb */
	0xbf8cc07f,             /* s_waitcnt lgkmcnt(0) */
	0x8000ff00, 0x00002000, /* s_add_u32 s0, s0, 0x2000 */
	0x82018001,             /* s_addc_u32 s1, s1, 0 */
	0xc0420800, 0x00000000, /* s_store_dword s32, s[0:1], 0x0 */
	0xc0420840, 0x00000004, /* s_store_dword s33, s[0:1], 0x4 */
	0xc0460880, 0x00000008, /* s_store_dwordx2 s[34:35], s[0:1], 0x8 */
	0xc04a0900, 0x00000010, /* s_store_dwordx4 s[36:39], s[0:1], 0x10 */
	0xc04a0a00, 0x00000020, /* s_store_dwordx4 s[40:43], s[0:1], 0x20 */
	0xc04a0b00, 0x00000030, /* s_store_dwordx4 s[44:47], s[0:1], 0x30 */
	0xc0840000, 0x00000000, /* s_dcache_wb */
	0xbf810000,             /* s_endpgm */
};

/* The state that the definitions use: s32 and up, and memory, in dwords. */
struct scene {
	uint32_t S[SGPRS], M[DWORDS];
};

static uint64_t pair(const uint32_t *at) {
	return at[0] | (uint64_t)at[1] << 32;
}
static void put_pair(uint32_t *at, uint64_t value) {
	at[0] = (uint32_t)value;
	at[1] = (uint32_t)(value >> 32);
}

#define UNPACK(...) __VA_ARGS__
#define COUNT(...)  (sizeof((uint32_t[]){ __VA_ARGS__ }) / 4)

/* Statements: a and A are the memory operand, b and B the first data, c and C the second. The
 * definition of an atomic is the new value of memory. */
#define ACCESS(line, ...)                                                                          \
	static void define_##line(struct scene *x) {                                               \
		uint32_t *S = x->S, *M = x->M;                                                     \
		(void)S, (void)M;                                                                  \
		__VA_ARGS__;                                                                       \
	}
#define ATOMIC(line, at, returns, value)                                                           \
	static void define_##line(struct scene *x) {                                               \
		const uint32_t a = x->M[at], b = x->S[0], c = x->S[1];                             \
		(void)b, (void)c;                                                                  \
		x->M[at] = (uint32_t)(value);                                                      \
		if (returns)                                                                       \
			x->S[0] = a;                                                               \
	}
#define ATOMIC_X2(line, at, returns, value)                                                        \
	static void define_##line(struct scene *x) {                                               \
		const uint64_t a = pair(x->M + at), b = pair(x->S), c = pair(x->S + 2);            \
		(void)b, (void)c;                                                                  \
		put_pair(x->M + at, (uint64_t)(value));                                            \
		if (returns)                                                                       \
			put_pair(x->S, a);                                                         \
	}
#define AT_LINE(kind, line, ...)     AT_LINE_(kind, line, __VA_ARGS__)
#define AT_LINE_(kind, line, ...)    kind(line, __VA_ARGS__)
#define ROW(text, dwords, kind, ...) AT_LINE(kind, __LINE__, __VA_ARGS__)
#include "smem.def"

#define ENTRY(line, text, dwords)    ENTRY_(line, text, dwords)
#define ENTRY_(line, text, dwords)   { text, { UNPACK dwords }, COUNT dwords, define_##line },
#define ROW(text, dwords, kind, ...) ENTRY(__LINE__, text, dwords)
static const struct row {
	const char *text;
	uint32_t code[MOST_DWORDS];
	size_t dwords;
	void (*define)(struct scene *x);
} rows[] = {
#include "smem.def"
};
enum { ROWS = sizeof rows / sizeof *rows };

/* ---- a round: data that is often equal, or at an edge ---- */

static uint64_t seed = 1;
static uint64_t *executed;

static uint32_t value(void) {
	static const uint32_t edges[] = { 0, 1, 0x7fffffff, 0x80000000, 0xffffffff };
	uint64_t r = next_random(&seed);
	return r % 3 ? (uint32_t)(r >> 32) : edges[r / 3 % 5];
}

static struct scene set_up(void) {
	struct scene x;
	uint64_t base = (uintptr_t)arena + MEMORY, r = next_random(&seed);
	for (unsigned i = 0; i < SGPRS; i++)
		x.S[i] = value();
	for (unsigned i = 0; i < DWORDS; i++)
		x.M[i] = value();
	if (r % 3 == 0)
		x.M[4] = x.S[1];
	if (r % 3 == 1)
		memcpy(x.M + 4, x.S + 2, 8);
	fill_arena(0xee);
	memcpy(arena + IN, x.S, sizeof x.S);
	memcpy(arena + MEMORY, x.M, sizeof x.M);
	for (unsigned i = 0; i < 2; i++) {
		put(DESCRIPTORS + 16 * i, (uint32_t)base);
		put(DESCRIPTORS + 16 * i + 4, (uint32_t)(base >> 32) | (i ? 16 << 16 : 0));
		put(DESCRIPTORS + 16 * i + 8, i ? 6 : 96);
		put(DESCRIPTORS + 16 * i + 12, 0x27000);
	}
	return x;
}

static void run_row(struct machine *m, const uint32_t *row, size_t dwords) {
	struct code c = { 0 };
	APPEND(&c, prologue);
	append(&c, row, 4 * dwords);
	APPEND(&c, epilogue);
	run_code(m, &c);
	for (size_t i = 0; m->ran && i < mx_gfx950.n_ops; i++)
		executed[i] += m->report.stats.by_op[i];
}

static bool scene_right(const struct row *r, const struct scene *want) {
	bool registers = !memcmp(arena + OUT, want->S, sizeof want->S);
	if (registers && !memcmp(arena + MEMORY, want->M, sizeof want->M))
		return true;
	for (unsigned i = 0; i < SGPRS; i++)
		if (get(OUT + 4 * i) != want->S[i])
			diag("%s: s%u is %08x, want %08x", r->text, 32 + i, get(OUT + 4 * i),
			     want->S[i]);
	for (unsigned i = 0; i < DWORDS; i++)
		if (get(MEMORY + 4 * i) != want->M[i])
			diag("%s: dword %u is %08x, want %08x", r->text, i, get(MEMORY + 4 * i),
			     want->M[i]);
	return false;
}

static void test_row(struct machine *m, const struct row *r) {
	bool right = true;
	for (unsigned i = 0; right && i < ROUNDS; i++) {
		struct scene x = set_up();
		m->launch.seed = i;
		run_row(m, r->code, r->dwords);
		r->define(&x);
		right = no_findings(m) && scene_right(r, &x);
	}
	m->launch.seed = 1;
	if (!ok(right, "%s", r->text))
		show_findings(m);
}

/* ---- out of range and undefined ---- */

static void test_finding(struct machine *m, const uint32_t *code, size_t bytes,
                         mx_finding_kind kind, const char *what) {
	set_up();
	run_row(m, code, bytes / 4);
	if (!ok(only_finding(m) && only_finding(m)->kind == kind, "%s", what))
		show_findings(m);
}
#define FINDING(m, code, kind, what) test_finding(m, code, sizeof(code), kind, what)

static void test_findings(struct machine *m) {
	static const uint32_t beyond[] = {
		0xc02a0804, 0x00000058, /* s_buffer_load_dwordx4 s[32:35], s[8:11], 0x58 */
	}, negative[] = {
		0xc0064802, 0x061fffd0, /* s_load_dwordx2 s[32:33], s[4:5], s3 offset:-0x30 */
	}, records[] = {
		0xc0220806, 0x00000008, /* s_buffer_load_dword s32, s[12:15], 0x8 */
	}, parts[] = {
		0xc0024802, 0x0e000003, /* s_load_dword s32, s[4:5], s7 offset:0x3 */
	}, atomic[] = {
		0xc28a0802, 0x00000004, /* s_atomic_add_x2 s[32:33], s[4:5], 0x4 */
	}, discarded[] = {
		0xc0420802, 0x00000010, /* s_store_dword s32, s[4:5], 0x10 */
		0xc0a20002, 0x00000010, /* s_dcache_discard s[4:5], 0x10 */
	}, odd[] = {
		0xc0060842, 0x00000000, /* an s_load_dwordx2 of s[33:34] */
	}, exec[] = {
		0xc0021f82, 0x00000000, /* an s_load_dword of exec_lo */
	}, fault[] = {
		0xc0020000 | 16 << 6 | 63, 0x00000000, /* an s_load_dword at EXEC */
	};
	FINDING(m, beyond, MX_AMBIGUOUS, "a load beyond the buffer is ambiguous");
	ok(get(OUT) == get(MEMORY + 0x58) && get(OUT + 4) == get(MEMORY + 0x5c) && !get(OUT + 8) &&
	           !get(OUT + 12),
	   "and gives 0 for the dwords out of range");
	FINDING(m, negative, MX_UNSUPPORTED, "a negative sum of offsets stops");
	FINDING(m, records, MX_AMBIGUOUS, "a record count that as bytes is too small is ambiguous");
	FINDING(m, parts, MX_AMBIGUOUS, "parts of dwords that add to a dword are ambiguous");
	FINDING(m, atomic, MX_UNSUPPORTED, "an atomic that is not aligned stops");
	FINDING(m, discarded, MX_AMBIGUOUS, "discarding stored data is ambiguous");
	FINDING(m, odd, MX_UNSUPPORTED, "an odd pair for data stops");
	FINDING(m, exec, MX_UNSUPPORTED, "a load into EXEC stops");
	FINDING(m, fault, MX_FAULT, "an address outside all memory is a fault");
}

static void test_write_back(struct machine *m) {
	static const uint32_t code[] = {
		0xc0420000, 0x00000100, /* s_store_dword s0, s[0:1], 0x100 */
		0xbf8cc07f,             /* s_waitcnt lgkmcnt(0) */
		0xbf810000,             /* s_endpgm */
	}, through[] = {
		0xc0430000, 0x00000100, /* s_store_dword s0, s[0:1], 0x100 glc */
		0xbf810000,             /* s_endpgm */
	};
	RUN(m, code);
	ok(found(m, MX_AMBIGUOUS, 12), "a scalar store without s_dcache_wb is reported at the end");
	RUN(m, through);
	ok(no_findings(m), "but not if it writes through");
}

/* ---- order ---- */

/* Two loads; lgkmcnt(1) may leave either in flight. The values are kept before both have
 * landed. */
static void test_any_order(struct machine *m) {
	static const uint32_t code[] = {
		0xbea00080,             /* s_mov_b32 s32, 0 */
		0xbea10080,             /* s_mov_b32 s33, 0 */
		0xc0020800, 0x00000000, /* s_load_dword s32, s[0:1], 0x0 */
		0xc0020840, 0x00000004, /* s_load_dword s33, s[0:1], 0x4 */
		0xbf8cc17f,             /* s_waitcnt lgkmcnt(1) */
		0xbea20120,             /* s_mov_b64 s[34:35], s[32:33] */
		0xbf8cc07f,             /* s_waitcnt lgkmcnt(0) */
		0xc0470880, 0x00000010, /* s_store_dwordx2 s[34:35], s[0:1], 0x10 glc */
		0xbf810000,             /* s_endpgm */
	};
	enum { SEEDS = 400 };
	unsigned first = 0, second = 0;
	for (m->launch.seed = 1; m->launch.seed <= SEEDS; m->launch.seed++) {
		fill_arena(0);
		put(0, 1);
		put(4, 1);
		RUN(m, code);
		first += get(0x10) && !get(0x14);
		second += !get(0x10) && get(0x14);
	}
	m->launch.seed = 1;
	if (!ok(2 * first > second && 2 * second > first, "either of two scalar loads lands first"))
		diag("the first in %u of %u runs, the second in %u", first, SEEDS, second);
}

/* ---- time ---- */

static void test_clock(struct machine *m, const uint32_t *clock, const char *name, unsigned least) {
	static const uint32_t wait[] = {
		0xbf8cc07f, /* s_waitcnt lgkmcnt(0) */
		0xbf8e007f, /* s_sleep 127 */
		0xb0020064, /* s_movk_i32 s2, 0x64 */
		0x80828102, /* s_sub_u32 s2, s2, 1 */
		0xbf078002, /* s_cmp_lg_u32 s2, 0 */
		0xbf85fffd, /* s_cbranch_scc1 65533 */
	}, store[] = {
		0xbf8cc07f,             /* s_waitcnt lgkmcnt(0) */
		0xc04b0800, 0x00000000, /* s_store_dwordx4 s[32:35], s[0:1], 0x0 glc */
		0xbf810000,             /* s_endpgm */
	};
	bool forward = true, differ = false;
	uint64_t first = 0;
	for (m->launch.seed = 1; m->launch.seed < 9; m->launch.seed++) {
		struct code c = { 0 };
		fill_arena(0);
		append(&c, clock, 8);
		APPEND(&c, wait);
		append(&c, clock + 2, 8);
		APPEND(&c, store);
		run_code(m, &c);
		uint64_t begin = get(0) | (uint64_t)get(4) << 32, end = get(8) | (uint64_t)get(12)
		                                                                         << 32;
		forward &= no_findings(m) && end - begin >= least && end - begin < 1 << 20;
		first = m->launch.seed == 1 ? begin : first;
		differ |= begin != first;
	}
	for (size_t i = 0; m->ran && i < mx_gfx950.n_ops; i++)
		executed[i] += m->report.stats.by_op[i];
	m->launch.seed = 1;
	ok(forward && differ, "%s advances, from another start under another seed", name);
}

static void test_clocks(struct machine *m) {
	static const uint32_t time[] = {
		0xc0900800, 0x00000000, /* s_memtime s[32:33] */
		0xc0900880, 0x00000000, /* s_memtime s[34:35] */
	}, real[] = {
		0xc0940800, 0x00000000, /* s_memrealtime s[32:33] */
		0xc0940880, 0x00000000, /* s_memrealtime s[34:35] */
	};
	test_clock(m, time, "s_memtime", 300 + 127 * 64);
	test_clock(m, real, "s_memrealtime", 12 + 127 * 64 / 24);
}

static void test_coverage(void) {
	unsigned missing = 0;
	for (size_t i = 0; i < mx_gfx950.n_ops; i++)
		if (mx_gfx950.ops[i].encoding == MX_SMEM && !executed[i] && !missing++)
			diag("first missing: %s", mx_gfx950.ops[i].name);
	ok(!missing, "every scalar memory opcode of the table has a directed vector");
}

int main(void) {
	struct machine m = machine();
	executed = calloc(mx_gfx950.n_ops, sizeof *executed);
	for (unsigned i = 0; i < ROWS; i++)
		test_row(&m, &rows[i]);
	test_findings(&m);
	test_write_back(&m);
	test_any_order(&m);
	test_clocks(&m);
	test_coverage();
	mx_report_free(&m.report);
	free(executed);
	return done_testing();
}
