/* LDS reads, writes and integer atomics against a model of bytes; counters, AGPRs, order, and
 * unsupported encodings. */
#include "ds_scene.h"

/* ---- every width and operation: rows of ds.def ---- */

typedef enum { LOAD, STORE, LOAD_TID, STORE_TID, ATOMIC, ATOMIC_RTN } access_form;

/* The row's expression. V and M: the old value of memory, or for a store the register. */
typedef uint64_t model(uint64_t V, uint64_t M, uint64_t D, uint64_t E, unsigned bytes);

#define SIGNED(x) ((int64_t)((x) << (64 - 8 * bytes)) >> (64 - 8 * bytes))
/* ds_condxchg32: the 32 bits up to `bit`, which decides if the other bits of D are stored. */
#define CHOOSE(m, d, bit)                                                                          \
	((d) >> (bit)&1 ? (d)&0x7fffffffull << ((bit)-31) : (m)&0xffffffffull << ((bit)-31))
#define NAME_(line) model_##line
#define NAME(line)  NAME_(line)
#define ROW(text, dwords, form, size, offset0, offset1, expression)                                \
	static uint64_t NAME(__LINE__)(uint64_t V, uint64_t M, uint64_t D, uint64_t E,             \
	                               unsigned bytes) {                                           \
		(void)V, (void)M, (void)D, (void)E, (void)bytes;                                   \
		return expression;                                                                 \
	}
#include "ds.def"

struct access {
	const char *text;
	uint32_t code[2];
	access_form form;
	unsigned bytes;
	int offset[2];
	model *becomes;
};
#define UNPACK(...) __VA_ARGS__
#define ROW(text, dwords, form, size, offset0, offset1, expression)                                \
	{ text, { UNPACK dwords }, form, size, { offset0, offset1 }, NAME(__LINE__) },
static const struct access accesses[] = {
#include "ds.def"
};
enum { ACCESSES = sizeof accesses / sizeof *accesses, ROUNDS = 12 };

static uint64_t get_bytes(const void *from, unsigned bytes) {
	uint64_t v = 0;
	memcpy(&v, from, bytes);
	return v;
}

static uint32_t address(const struct access *a, unsigned lane, unsigned e) {
	bool tid = a->form == LOAD_TID || a->form == STORE_TID;
	uint32_t base = tid ? scene->m0 % 65536 + 4 * lane : scene->v1[lane];
	return base + (uint32_t)a->offset[e];
}

/* One element of one lane, in the order of the manual's pseudo-code. */
static void access_one(const struct access *a, unsigned lane, unsigned e) {
	unsigned bytes = a->bytes, n = (bytes + 3) / 4;
	uint8_t *at = want_lds + address(a, lane, e);
	uint64_t memory = get_bytes(at, bytes), data = get_bytes(&scene->v4[lane][2 * e], bytes);
	uint64_t second = get_bytes(&scene->v4[lane][2], bytes), result = memory;
	if (a->form == STORE || a->form == STORE_TID)
		data = a->becomes(get_bytes(&scene->v4[lane][2 * e], 8), 0, 0, 0, bytes);
	else if (a->form == LOAD || a->form == LOAD_TID)
		result = a->becomes(memory, 0, 0, 0, bytes);
	else
		data = a->becomes(memory, memory, data, second, bytes);
	if (a->form != LOAD && a->form != LOAD_TID)
		memcpy(at, &data, bytes);
	if (a->form == LOAD || a->form == LOAD_TID || a->form == ATOMIC_RTN)
		memcpy(&want_v8[lane][e * n], &result, 4 * n);
}

/* Values that are often equal: few of them, near 0, sign changes and limits. */
static uint32_t meeting(void) {
	static const uint32_t few[] = { 0, 1, 2, 3, 0x7fffffff, 0x80000000, 0x80000001, ~0u };
	uint64_t r = next_random(&seed);
	return r & 8 ? few[r % 8] : (uint32_t)(r >> 32);
}

/* Addresses of an atomic are aligned; in half of the rounds many lanes share an address. */
static void set_values(const struct access *a, unsigned round) {
	bool atomic = a->form == ATOMIC || a->form == ATOMIC_RTN;
	for (unsigned i = 0; atomic && i < LDS_BYTES; i += 4)
		put(i, meeting());
	for (unsigned l = 0; l < LANES; l++) {
		uint32_t r = (uint32_t)next_random(&seed);
		if (atomic)
			scene->v1[l] = round % 2 ? r % 8 * 8 : r % 256 * 8;
		else if (round % 2)
			scene->v1[l] = r % 2048;
		for (unsigned k = 0; atomic && k < 4; k++)
			scene->v4[l][k] = meeting();
	}
	scene->m0 = 0xabcd0000 + (uint32_t)next_random(&seed) % 1000;
	if (round)
		scene->exec = next_random(&seed);
}

static void test_access(struct machine *m, const struct access *a) {
	bool right = true;
	for (unsigned i = 0; i < ROUNDS && right; i++) {
		set_scene();
		set_values(a, i);
		want_no_change();
		for (unsigned l = 0; l < LANES; l++)
			for (unsigned e = 0; scene->exec >> l & 1 && e < 2 && a->offset[e] >= 0;
			     e++)
				access_one(a, l, e);
		run_op(m, a->code, sizeof a->code);
		right = as_wanted(a->text) && no_findings(m);
	}
	if (!ok(right, "%s", a->text))
		show_findings(m);
}

/* ---- out of range, unaligned, ambiguous ---- */

static const uint32_t op_add_u64_rtn[] = {
	0xd8c00000, 0x08000401, /* ds_add_rtn_u64 v[8:9], v1, v[4:5] */
};
static const uint32_t op_add_rtn[] = {
	0xd8400000, 0x08000401, /* ds_add_rtn_u32 v8, v1, v4 */
};
static const uint32_t op_condxchg[] = {
	0xd8fc0007, 0x08000401, /* ds_condxchg32_rtn_b64 v[8:9], v1, v[4:5] offset:7 */
};
static const uint32_t op_write2_same[] = {
	0xd81c0101, 0x00060401, /* ds_write2_b32 v1, v4, v6 offset0:1 offset1:1 */
};

static void test_atomic_range(struct machine *m) {
	set_scene();
	scene->exec = 0xf0;
	scene->v1[5] = LDS_BYTES;
	scene->v1[6] = 0xfffffff8;
	want_no_change();
	for (unsigned l = 4; l < 8; l++) {
		uint64_t old = 0, sum;
		if (l == 4 || l == 7) {
			old = get_bytes(scene->lds + scene->v1[l], 8);
			sum = old + get_bytes(scene->v4[l], 8);
			memcpy(want_lds + scene->v1[l], &sum, 8);
		}
		memcpy(want_v8[l], &old, 8);
	}
	RUN_OP(m, op_add_u64_rtn);
	ok(as_wanted("ds_add_rtn_u64") && found(m, MX_BOUNDS_WRITE, sizeof prologue) &&
	           only_finding(m)->count == 2,
	   "an atomic out of range changes nothing, returns 0 and is reported");
}

static void test_unaligned_atomic(struct machine *m) {
	set_scene();
	scene->v1[9] += 2;
	RUN_OP(m, op_add_rtn);
	ok(found(m, MX_FAULT, sizeof prologue) && only_finding(m)->lane == 9,
	   "an atomic of 4 bytes at an address that is not a multiple of 4 is a fault");
	set_scene();
	scene->v1[9] += 4;
	RUN_OP(m, op_add_u64_rtn);
	ok(found(m, MX_FAULT, sizeof prologue) && only_finding(m)->lane == 9,
	   "so is an atomic of 8 bytes at a multiple of 4");
}

static void test_condxchg_address(struct machine *m) {
	set_scene();
	scene->exec = 3;
	scene->v1[0] = 0x10000 + 3;
	scene->v1[1] = 9 + 3;
	for (unsigned l = 0; l < 2; l++) {
		scene->v4[l][0] |= 0x80000000;
		scene->v4[l][1] &= 0x7fffffff;
	}
	want_no_change();
	for (unsigned l = 0; l < 2; l++) { /* 3 + 7 is in the second 8 bytes, 12 + 7 the third */
		uint32_t stored = scene->v4[l][0] & 0x7fffffff;
		memcpy(want_v8[l], scene->lds + 8 + 8 * l, 8);
		memcpy(want_lds + 8 + 8 * l, &stored, 4);
	}
	RUN_OP(m, op_condxchg);
	ok(as_wanted("ds_condxchg32_rtn_b64") && no_findings(m),
	   "ds_condxchg32 ignores three low and the high bits of its address");
}

static void test_same_offsets(struct machine *m) {
	set_scene();
	RUN_OP(m, op_write2_same);
	ok(found(m, MX_AMBIGUOUS, sizeof prologue),
	   "write2 of two elements at one address is ambiguous");
}

static void test_refused(struct machine *m, const uint32_t code[2], const char *what) {
	set_scene();
	run_op(m, code, 8);
	if (!ok(found(m, MX_UNSUPPORTED, sizeof prologue), "%s stops", what))
		show_findings(m);
}

/* ---- counters in M0 ---- */

static const uint32_t op_append[] = {
	0xd97c000c, 0x08000000, /* ds_append v8 offset:12 */
};
static const uint32_t op_consume[] = {
	0xd97a000c, 0x08000000, /* ds_consume v8 offset:12 */
};

static void test_counter(struct machine *m, bool append, uint64_t exec) {
	uint32_t old, lanes = (uint32_t)__builtin_popcountll(exec), new;
	set_scene();
	scene->exec = exec;
	scene->m0 = 0x120;
	want_no_change();
	memcpy(&old, scene->lds + 0x12c, 4);
	new = append ? old + lanes : old - lanes;
	memcpy(want_lds + 0x12c, &new, 4);
	for (unsigned l = 0; l < LANES; l++)
		if (exec >> l & 1)
			want_v8[l][0] = old;
	run_op(m, append ? op_append : op_consume, sizeof op_append);
	ok(as_wanted("counter") && no_findings(m), "%s with %u lanes",
	   append ? "ds_append" : "ds_consume", lanes);
}

static void test_counter_limits(struct machine *m) {
	set_scene();
	scene->m0 = 0x122;
	RUN_OP(m, op_append);
	ok(found(m, MX_FAULT, sizeof prologue), "a counter that is not aligned is a fault");
	set_scene();
	scene->m0 = LDS_BYTES - 12;
	want_no_change();
	for (unsigned l = 0; l < LANES; l++)
		want_v8[l][0] = 0;
	RUN_OP(m, op_append);
	ok(as_wanted("ds_append") && found(m, MX_BOUNDS_WRITE, sizeof prologue),
	   "a counter beyond LDS gives 0 and is reported");
	set_scene();
	scene->m0 = 0x10000;
	RUN_OP(m, op_append);
	ok(m->ran && m->report.n_findings == 2 && m->report.findings[0].kind == MX_AMBIGUOUS,
	   "M0 beyond 16 bits is ambiguous");
}

/* ---- AGPRs ---- */

static const uint32_t op_agprs[] = {
	0xd3d94004, 0x18000104, /* v_accvgpr_write_b32 a4, v4 */
	0xd3d94006, 0x18000106, /* v_accvgpr_write_b32 a6, v6 */
	0xbf800007,             /* s_nop 7 */
	0xda400000, 0x08000401, /* ds_add_rtn_u32 a8, v1, a4 */
	0xda600000, 0x09060401, /* ds_cmpst_rtn_b32 a9, v1, a4, a6 */
	0xdaec0000, 0x0a000001, /* ds_read_b64 a[10:11], v1 */
	0xbf8cc07f,             /* s_waitcnt lgkmcnt(0) */
	0xd3d84008, 0x18000108, /* v_accvgpr_read_b32 v8, a8 */
	0xd3d84009, 0x18000109, /* v_accvgpr_read_b32 v9, a9 */
	0xd3d8400a, 0x1800010a, /* v_accvgpr_read_b32 v10, a10 */
	0xd3d8400b, 0x1800010b, /* v_accvgpr_read_b32 v11, a11 */
};

static void test_agprs(struct machine *m) {
	set_scene();
	for (unsigned l = 0; l < LANES; l += 2) /* so that half of the lanes swap */
		memset(scene->lds + scene->v1[l], 0, 4);
	want_no_change();
	for (unsigned l = 0; l < LANES; l++) {
		uint32_t old = (uint32_t)get_bytes(scene->lds + scene->v1[l], 4);
		uint32_t sum = old + scene->v4[l][0];
		uint32_t last = sum == scene->v4[l][0] ? scene->v4[l][2] : sum;
		memcpy(want_lds + scene->v1[l], &last, 4);
		want_v8[l][0] = old;
		want_v8[l][1] = sum;
		want_v8[l][2] = last;
		memcpy(&want_v8[l][3], scene->lds + scene->v1[l] + 4, 4);
	}
	RUN_OP(m, op_agprs);
	if (!ok(as_wanted("AGPRs") && no_findings(m), "data and results in AGPRs"))
		show_findings(m);
}

/* ---- order ---- */

/* The read returns both updates under every schedule. lgkmcnt counts ds_nop, so lgkmcnt(1) covers
 * the read. */
static const uint32_t op_in_order[] = {
	0xd81a0000, 0x00000401, /* ds_write_b32 v1, v4 */
	0xd8000000, 0x00000501, /* ds_add_u32 v1, v5 */
	0xd86c0000, 0x08000001, /* ds_read_b32 v8, v1 */
	0xd8280000, 0x00000000, /* ds_nop */
	0xbf8cc17f,             /* s_waitcnt lgkmcnt(1) */
	0x7e120308,             /* v_mov_b32_e32 v9, v8 */
};

static void test_order(struct machine *m) {
	unsigned right = 0;
	for (unsigned i = 0; i < 20; i++) {
		set_scene();
		want_no_change();
		for (unsigned l = 0; l < LANES; l++) {
			uint32_t sum = scene->v4[l][0] + scene->v4[l][1];
			memcpy(want_lds + scene->v1[l], &sum, 4);
			want_v8[l][0] = want_v8[l][1] = sum;
		}
		RUN_OP(m, op_in_order);
		right += as_wanted("order") && no_findings(m);
	}
	ok(right == 20, "LDS operations and ds_nop land in the order of issue");
}

int main(void) {
	static const uint32_t gds[] = { 0xd8010000, 0x00000401 };
	static const uint32_t odd[] = { 0xd8ec0000, 0x09000001 }; /* v[9:10] of ds_read_b64 */
	struct machine m = scene_machine();
	for (unsigned i = 0; i < ACCESSES; i++)
		test_access(&m, &accesses[i]);
	test_atomic_range(&m);
	test_unaligned_atomic(&m);
	test_condxchg_address(&m);
	test_same_offsets(&m);
	test_refused(&m, gds, "ds_add_u32 with GDS");
	test_refused(&m, odd, "a result of 8 bytes in odd registers");
	test_counter(&m, true, ~0ull);
	test_counter(&m, true, 0x8000000000000101);
	test_counter(&m, false, 0xffff0000);
	test_counter(&m, false, 0);
	test_counter_limits(&m);
	test_agprs(&m);
	test_order(&m);
	mx_report_free(&m.report);
	return done_testing();
}
