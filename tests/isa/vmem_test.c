/* Every load, store and atomic of FLAT, GLOBAL, SCRATCH and MUBUF, in each memory that it can
 * access, against a model derived from the mnemonic. */
#include "machine_test.h"

#include <stdio.h>

enum { LANES = 64, CELL = 32, LDS_BYTES = LANES * CELL, OFFSET = 8, LDS_BASE = 64 };

/* The state that an instruction may change. LDS and each lane's scratch are copies of `cell` at
 * first. */
struct world {
	uint8_t cell[LANES][CELL];
	uint32_t v4[LANES][4], v8[LANES][4], a4[LANES][4], a8[LANES][4];
	uint8_t lds[LANES][CELL], scratch[LANES][CELL]; /* scratch: at the address in v1 */
};

/* The arena: inputs, and the state that is stored at the end. */
struct scene {
	uint8_t cell[LANES][CELL], unused0[0x1000 - LDS_BYTES];
	uint32_t v1[LANES], unused1[0x200 - LANES];
	uint32_t unused2[2], num_records, word3, unused3, m0;
	uint64_t exec;
	uint32_t unused4[0x200 - 8];
	uint32_t v4[LANES][4], v8[LANES][4];
	uint8_t unused5[0x800];
	uint32_t v4_after[LANES][4], v8_after[LANES][4], a4_after[LANES][4], a8_after[LANES][4];
	uint8_t lds_after[LANES][CELL], scratch_after[LANES][CELL];
};

static struct scene *const scene = (struct scene *)arena;
static struct world want;
static uint64_t seed = 7;

static const uint32_t prologue[] = {
	0x24280084,             /* v_lshlrev_b32_e32 v20, 4, v0 */
	0x242a0085,             /* v_lshlrev_b32_e32 v21, 5, v0 */
	0x242c0082,             /* v_lshlrev_b32_e32 v22, 2, v0 */
	0xc00e0200, 0x00001800, /* s_load_dwordx8 s[8:15], s[0:1], 0x1800 */
	0x8004ff00, 0x00001000, /* s_add_u32 s4, s0, 0x1000 */
	0x82058001,             /* s_addc_u32 s5, s1, 0 */
	0x8006ff00, 0x00003000, /* s_add_u32 s6, s0, 0x3000 */
	0x82078001,             /* s_addc_u32 s7, s1, 0 */
	0xdc508000, 0x01040016, /* global_load_dword v1, v22, s[4:5] */
	0x8004ff00, 0x00002000, /* s_add_u32 s4, s0, 0x2000 */
	0x82058001,             /* s_addc_u32 s5, s1, 0 */
	0xdc5c8000, 0x04040014, /* global_load_dwordx4 v[4:7], v20, s[4:5] */
	0xdc5c8400, 0x08040014, /* global_load_dwordx4 v[8:11], v20, s[4:5] offset:1024 */
	0xdc5c8000, 0x04840014, /* global_load_dwordx4 a[4:7], v20, s[4:5] */
	0xdc5c8400, 0x08840014, /* global_load_dwordx4 a[8:11], v20, s[4:5] offset:1024 */
	0xdc5c8000, 0x18000015, /* global_load_dwordx4 v[24:27], v21, s[0:1] */
	0xdc5c8010, 0x1c000015, /* global_load_dwordx4 v[28:31], v21, s[0:1] offset:16 */
	0xbf8c0070,             /* s_waitcnt vmcnt(0) lgkmcnt(0) */
	0xd9be0000, 0x00001815, /* ds_write_b128 v21, v[24:27] */
	0xd9be0010, 0x00001c15, /* ds_write_b128 v21, v[28:31] offset:16 */
	0xdc5c8000, 0x18000001, /* global_load_dwordx4 v[24:27], v1, s[0:1] */
	0xdc5c8010, 0x1c000001, /* global_load_dwordx4 v[28:31], v1, s[0:1] offset:16 */
	0xbf8c0070,             /* s_waitcnt vmcnt(0) lgkmcnt(0) */
	0xdc7c6000, 0x007f1801, /* scratch_store_dwordx4 v1, v[24:27], off */
	0xdc7c6010, 0x007f1c01, /* scratch_store_dwordx4 v1, v[28:31], off offset:16 */
	0xbe880000,             /* s_mov_b32 s8, s0 */
	0xbe890001,             /* s_mov_b32 s9, s1 */
	0xbefc000d,             /* s_mov_b32 m0, s13 */
	0xbf8c0f70,             /* s_waitcnt vmcnt(0) */
};

static const uint32_t to_memory[] = {
	0x7e060201, /* v_mov_b32_e32 v3, s1 */
	0x32040200, /* v_add_co_u32_e32 v2, vcc, s0, v1 */
	0x38060680, /* v_addc_co_u32_e32 v3, vcc, 0, v3, vcc */
};

static const uint32_t to_lds[] = {
	0xbe9001eb, /* s_mov_b64 s[16:17], src_shared_base */
	0x7e060211, /* v_mov_b32_e32 v3, s17 */
	0x28040210, /* v_or_b32_e32 v2, s16, v1 */
};

static const uint32_t to_scratch[] = {
	0xbe9001ed, /* s_mov_b64 s[16:17], src_private_base */
	0x7e060211, /* v_mov_b32_e32 v3, s17 */
	0x28040210, /* v_or_b32_e32 v2, s16, v1 */
};

static const uint32_t set_exec[] = {
	0xbefe010e, /* s_mov_b64 exec, s[14:15] */
};

static const uint32_t epilogue[] = {
	0xbf8c0070,             /* s_waitcnt vmcnt(0) lgkmcnt(0) */
	0xbefe01c1,             /* s_mov_b64 exec, -1 */
	0xdc7c8000, 0x00060414, /* global_store_dwordx4 v20, v[4:7], s[6:7] */
	0xdc7c8400, 0x00060814, /* global_store_dwordx4 v20, v[8:11], s[6:7] offset:1024 */
	0xdc7c8800, 0x00860414, /* global_store_dwordx4 v20, a[4:7], s[6:7] offset:2048 */
	0xdc7c8c00, 0x00860814, /* global_store_dwordx4 v20, a[8:11], s[6:7] offset:3072 */
	0xd9fe0000, 0x18000015, /* ds_read_b128 v[24:27], v21 */
	0xd9fe0010, 0x1c000015, /* ds_read_b128 v[28:31], v21 offset:16 */
	0xdc5c6000, 0x207f0001, /* scratch_load_dwordx4 v[32:35], v1, off */
	0xdc5c6010, 0x247f0001, /* scratch_load_dwordx4 v[36:39], v1, off offset:16 */
	0x8006ff00, 0x00004000, /* s_add_u32 s6, s0, 0x4000 */
	0x82078001,             /* s_addc_u32 s7, s1, 0 */
	0xbf8c0070,             /* s_waitcnt vmcnt(0) lgkmcnt(0) */
	0xdc7c8000, 0x00061815, /* global_store_dwordx4 v21, v[24:27], s[6:7] */
	0xdc7c8010, 0x00061c15, /* global_store_dwordx4 v21, v[28:31], s[6:7] offset:16 */
	0xdc7c8800, 0x00062015, /* global_store_dwordx4 v21, v[32:35], s[6:7] offset:2048 */
	0xdc7c8810, 0x00062415, /* global_store_dwordx4 v21, v[36:39], s[6:7] offset:2064 */
	0xbf810000,             /* s_endpgm */
};

/* ---- properties from the mnemonic ---- */

typedef enum { MEMORY, IN_LDS, IN_SCRATCH } place;

struct operation {
	const char *text;
	uint32_t code[2];
};

static const struct operation operations[] = {
#define UNPACK(...)       __VA_ARGS__
#define ROW(text, dwords) { text, { UNPACK dwords } },
#include "vmem.def"
};
enum { OPERATIONS = sizeof operations / sizeof *operations };

/* The part of the mnemonic after its segment. */
static const char *verb(const char *text) {
	return strchr(text, '_') + 1;
}
static bool has_word(const char *text, const char *word) {
	return strstr(text, word);
}
static bool is(const char *text, const char *start) {
	return !strncmp(verb(text), start, strlen(start));
}
static bool is_buffer(const char *text) {
	return !strncmp(text, "buffer", 6);
}

static unsigned bytes_of(const char *text) {
	if (is(text, "atomic"))
		return has_word(text, "_x2") || has_word(text, "f64") ? 8 : 4;
	return has_word(text, "byte")    ? 1
	       : has_word(text, "short") ? 2
	       : has_word(text, "x2")    ? 8
	       : has_word(text, "x3")    ? 12
	       : has_word(text, "x4")    ? 16
	                                 : 4;
}

static unsigned offset_of(const char *text) {
	return (unsigned)atoi(strstr(text, "offset:") + 7);
}

/* ---- the arithmetic of atomics, on values that are exact in all formats ---- */

static int64_t signed_of(uint64_t v, unsigned bytes) {
	return bytes == 8 ? (int64_t)v : (int32_t)v;
}

/* A small integer as a float of `bits` bits with the given mantissa bits and bias. */
static uint64_t as_float(int n, unsigned bits, unsigned mantissa, unsigned bias) {
	uint64_t m = (uint64_t)abs(n);
	unsigned e = 0;
	if (!n)
		return 0;
	while (m >> (e + 1))
		e++;
	return (n < 0 ? 1ull << (bits - 1) : 0) | (uint64_t)(e + bias) << mantissa |
	       ((m << mantissa >> e) & ((1ull << mantissa) - 1));
}

struct kind {
	const char *name;
	unsigned bits, mantissa, bias;
};
static const struct kind floats[] = {
	{ "add_f32", 32, 23, 127 },  { "pk_add_f16", 16, 10, 15 }, { "pk_add_bf16", 16, 7, 127 },
	{ "add_f64", 64, 52, 1023 }, { "min_f64", 64, 52, 1023 },  { "max_f64", 64, 52, 1023 },
};

static const struct kind *float_kind(const char *text) {
	for (size_t i = 0; i < sizeof floats / sizeof *floats; i++)
		if (has_word(text, floats[i].name))
			return &floats[i];
	return NULL;
}

/* Random small integers as floats, or random bits. */
static uint64_t value_for(const char *text) {
	const struct kind *f = float_kind(text);
	uint64_t v = 0;
	if (!f)
		return next_random(&seed) % 3 ? next_random(&seed) : next_random(&seed) % 4;
	for (unsigned at = 0; at < (f->bits == 16 ? 32 : f->bits); at += f->bits)
		v |= as_float((int)(next_random(&seed) % 64) - 32, f->bits, f->mantissa, f->bias)
		     << at;
	return v;
}

/* The integer value of a float. */
static int number(uint64_t v, const struct kind *f) {
	for (int n = -200; n <= 200; n++)
		if (as_float(n, f->bits, f->mantissa, f->bias) == v)
			return n;
	return 1000;
}

static uint64_t float_atomic(const char *text, const struct kind *f, uint64_t old, uint64_t data) {
	uint64_t mask = f->bits == 64 ? ~0ull : (1ull << f->bits) - 1, r = 0;
	for (unsigned at = 0; at < (f->bits == 16 ? 32 : f->bits); at += f->bits) {
		int a = number(old >> at & mask, f), b = number(data >> at & mask, f);
		int n = has_word(text, "min")   ? (a < b ? a : b)
		        : has_word(text, "max") ? (a > b ? a : b)
		                                : a + b;
		r |= as_float(n, f->bits, f->mantissa, f->bias) << at;
	}
	return r;
}

static uint64_t atomic(const char *text, uint64_t old, uint64_t data, uint64_t compare) {
	const struct kind *f = float_kind(text);
	unsigned bytes = bytes_of(text);
	int64_t m = signed_of(old, bytes), d = signed_of(data, bytes);
	if (f)
		return float_atomic(text, f, old, data);
	if (is(text, "atomic_swap"))
		return data;
	if (is(text, "atomic_cmpswap"))
		return old == compare ? data : old;
	if (is(text, "atomic_add"))
		return old + data;
	if (is(text, "atomic_sub"))
		return old - data;
	if (is(text, "atomic_smin"))
		return (uint64_t)(d < m ? d : m);
	if (is(text, "atomic_smax"))
		return (uint64_t)(d > m ? d : m);
	if (is(text, "atomic_umin"))
		return data < old ? data : old;
	if (is(text, "atomic_umax"))
		return data > old ? data : old;
	if (is(text, "atomic_and"))
		return old & data;
	if (is(text, "atomic_or"))
		return old | data;
	if (is(text, "atomic_xor"))
		return old ^ data;
	if (is(text, "atomic_inc"))
		return old >= data ? 0 : old + 1;
	return old == 0 || old > data ? data : old - 1;
}

/* ---- the model of a lane ---- */

static uint8_t *target(place p, unsigned lane) {
	uint8_t *cells = p == IN_LDS ? want.lds[0] : want.cell[0];
	return p == IN_SCRATCH ? want.scratch[lane] : cells + scene->v1[lane];
}

/* Registers of the lane: data and result. */
static uint32_t *data_of(const char *text, unsigned lane) {
	return has_word(text, " a") || has_word(text, ", a") ? want.a4[lane] : want.v4[lane];
}
static uint32_t *result_of(const char *text, unsigned lane) {
	if (is_buffer(text))
		return data_of(text, lane);
	return has_word(text, " a") || has_word(text, ", a") ? want.a8[lane] : want.v8[lane];
}

static void do_atomic(const char *text, place p, unsigned lane) {
	unsigned bytes = bytes_of(text);
	uint8_t *at = target(p, lane) + offset_of(text);
	uint64_t old = 0, data = 0, compare = 0, after;
	memcpy(&old, at, bytes);
	memcpy(&data, data_of(text, lane), bytes);
	memcpy(&compare, (uint8_t *)data_of(text, lane) + bytes, bytes);
	after = atomic(text, old, data, compare);
	memcpy(at, &after, bytes);
	if (has_word(text, "sc0"))
		memcpy(result_of(text, lane), &old, bytes);
}

/* Up to 4 bytes, extended as in the register. */
static uint32_t widened(const char *text, uint32_t v) {
	unsigned bytes = bytes_of(text);
	if (has_word(text, "sbyte") || has_word(text, "sshort"))
		v = bytes == 1 ? (uint32_t)(int8_t)v : (uint32_t)(int16_t)v;
	return has_word(text, "d16_hi") ? v << 16 : has_word(text, "d16") ? v & 0xffff : v;
}

static void do_load(const char *text, place p, unsigned lane) {
	unsigned bytes = bytes_of(text), stride = bytes > 4 ? 16 : 4;
	bool to_lds = has_word(text, "lds");
	uint8_t *to = want.lds[0] + LDS_BASE + offset_of(text) + lane * stride;
	for (unsigned k = 0; 4 * k < bytes; k++) {
		uint32_t v = 0;
		memcpy(&v, target(p, lane) + offset_of(text) + 4 * k, bytes < 4 ? bytes : 4);
		v = widened(text, v);
		memcpy(to_lds ? to + 4 * k : (uint8_t *)&result_of(text, lane)[k], &v, 4);
	}
}

static void do_store(const char *text, place p, unsigned lane) {
	const uint8_t *data = (const uint8_t *)data_of(text, lane);
	memcpy(target(p, lane) + offset_of(text), data + (has_word(text, "d16_hi") ? 2 : 0),
	       bytes_of(text));
}

static void model(const char *text, place p) {
	for (unsigned l = 0; l < LANES; l++)
		if (!(scene->exec >> l & 1))
			continue;
		else if (is(text, "atomic"))
			do_atomic(text, p, l);
		else if (is(text, "load"))
			do_load(text, p, l);
		else
			do_store(text, p, l);
}

/* ---- running ---- */

/* Pairs of lanes share a cell if possible, so that atomics conflict. */
static void set_scene(const char *text) {
	fill_arena(0xee);
	for (unsigned l = 0; l < LANES; l++) {
		scene->v1[l] = CELL * (is(text, "atomic") ? l / 2 : (l * 5) % LANES);
		for (unsigned i = 0; i < 4; i++) {
			uint64_t c = value_for(text), d = value_for(text), e = next_random(&seed);
			bool same = i == 1 && is(text, "atomic_cmpswap") && l % 3;
			memcpy(scene->cell[l] + 8 * i, &c, 8);
			if (!is(text, "atomic") || i < 2)
				memcpy((uint8_t *)scene->v4[l] + (i % 2) * 8, &d, 8);
			memcpy((uint8_t *)scene->v8[l] + (i % 2) * 8, &e, 8);
			if (same)
				memcpy((uint8_t *)scene->v4[l] + bytes_of(text),
				       scene->cell[l / 2] + OFFSET, bytes_of(text));
		}
	}
	scene->num_records = LDS_BYTES;
	scene->word3 = 0x27000;
	scene->m0 = LDS_BASE;
	scene->exec = next_random(&seed) % 2 ? ~0ull : next_random(&seed);
}

static void set_want(void) {
	memcpy(want.cell, scene->cell, sizeof want.cell);
	memcpy(want.lds, scene->cell, sizeof want.lds);
	for (unsigned l = 0; l < LANES; l++)
		memcpy(want.scratch[l], scene->cell[0] + scene->v1[l], CELL);
	memcpy(want.v4, scene->v4, sizeof want.v4);
	memcpy(want.a4, scene->v4, sizeof want.a4);
	memcpy(want.v8, scene->v8, sizeof want.v8);
	memcpy(want.a8, scene->v8, sizeof want.a8);
}

static bool same(const char *what, const void *got, const void *expected, size_t bytes) {
	const uint8_t *g = got, *e = expected;
	for (size_t i = 0; i < bytes; i++)
		if (g[i] != e[i]) {
			diag("%s: byte %zu is %02x, want %02x", what, i, g[i], e[i]);
			return false;
		}
	return true;
}

static bool as_wanted(void) {
#define SAME(what, got) same(#what, scene->got, want.what, sizeof want.what)
	return SAME(cell, cell) && SAME(v4, v4_after) && SAME(v8, v8_after) && SAME(a4, a4_after) &&
	       SAME(a8, a8_after) && SAME(lds, lds_after) && SAME(scratch, scratch_after);
}

static bool run_once(struct machine *m, const struct operation *o, place p) {
	struct code c = { 0 };
	set_scene(o->text);
	set_want();
	model(o->text, p);
	APPEND(&c, prologue);
	if (p == MEMORY)
		APPEND(&c, to_memory);
	else if (p == IN_LDS)
		APPEND(&c, to_lds);
	else
		APPEND(&c, to_scratch);
	APPEND(&c, set_exec);
	append(&c, o->code, sizeof o->code);
	APPEND(&c, epilogue);
	m->launch.seed = next_random(&seed);
	run_code(m, &c);
	return no_findings(m) && as_wanted();
}

static void test_operation(struct machine *m, const struct operation *o, place p) {
	static const char *const names[] = { "memory", "LDS", "scratch" };
	bool right = true;
	for (int i = 0; i < 6 && right; i++)
		right = run_once(m, o, p);
	if (!ok(right, "%s, in %s", o->text, names[p]))
		show_findings(m);
}

/* Every row of the table, except typed buffers and caches, needs a vector here. */
static void test_coverage(void) {
	unsigned missing = 0;
	for (size_t i = 0; i < mx_gfx950.n_ops; i++) {
		const struct mx_op *op = &mx_gfx950.ops[i];
		bool here = op->encoding >= MX_FLAT && op->encoding <= MX_MUBUF && op->d &&
		            !(op->flags & MX_FORMAT),
		     has = false;
		for (unsigned k = 0; here && k < OPERATIONS; k++)
			has |= !strncmp(operations[k].text, op->name, strlen(op->name)) &&
			       operations[k].text[strlen(op->name)] == ' ';
		if (here && !has && !missing++)
			diag("first missing: %s", op->name);
	}
	ok(!missing, "every load, store and atomic of the table has a vector");
}

int main(void) {
	struct machine m = machine();
	_Static_assert(offsetof(struct scene, v1) == 0x1000, "");
	_Static_assert(offsetof(struct scene, unused2) == 0x1800, "s[8:15]");
	_Static_assert(offsetof(struct scene, v4) == 0x2000, "");
	_Static_assert(offsetof(struct scene, v4_after) == 0x3000, "");
	_Static_assert(offsetof(struct scene, lds_after) == 0x4000, "");
	m.kernel.lds_bytes = LDS_BYTES;
	m.kernel.scratch_bytes = LDS_BYTES;
	for (unsigned i = 0; i < OPERATIONS; i++) {
		bool flat = !strncmp(operations[i].text, "flat", 4);
		bool scratch = !strncmp(operations[i].text, "scratch", 7);
		if (!scratch)
			test_operation(&m, &operations[i], MEMORY);
		if (flat)
			test_operation(&m, &operations[i], IN_LDS);
		if (flat || scratch)
			test_operation(&m, &operations[i], IN_SCRATCH);
	}
	test_coverage();
	mx_report_free(&m.report);
	return done_testing();
}
