/* Buffers beyond the raw ones of memory_test.c: records, swizzling, thread numbers, range checks,
 * typed elements, and rules on which the sources disagree. */
#include "machine_test.h"

enum { LANES = 64, BOUND = 0x20000, DATA = 0x8000, POISON = (int)0xdddddddd };

/* The arena. s[8:11] is the descriptor, `base` bytes into `data`. */
struct scene {
	uint8_t unused0[0x1000];
	uint32_t v2[LANES], v3[LANES], unused1[0x200 - 2 * LANES];
	uint32_t descriptor[4], s12, m0;
	uint64_t exec;
	uint8_t unused2[0x2000 - 0x1820];
	uint32_t v4[LANES][4];
	uint8_t unused3[DATA - 0x2400], data[0x8000];
};

static struct scene *const scene = (struct scene *)arena;
static uint64_t seed = 11;

static const uint32_t prologue[] = {
	0x24280084,             /* v_lshlrev_b32_e32 v20, 4, v0 */
	0x242c0082,             /* v_lshlrev_b32_e32 v22, 2, v0 */
	0xc00e0200, 0x00001800, /* s_load_dwordx8 s[8:15], s[0:1], 0x1800 */
	0x8004ff00, 0x00001000, /* s_add_u32 s4, s0, 0x1000 */
	0x82058001,             /* s_addc_u32 s5, s1, 0 */
	0x8006ff00, 0x00002000, /* s_add_u32 s6, s0, 0x2000 */
	0x82078001,             /* s_addc_u32 s7, s1, 0 */
	0xdc508000, 0x02040016, /* global_load_dword v2, v22, s[4:5] */
	0xdc508100, 0x03040016, /* global_load_dword v3, v22, s[4:5] offset:256 */
	0xdc5c8000, 0x04060014, /* global_load_dwordx4 v[4:7], v20, s[6:7] */
	0xbf8c0070,             /* s_waitcnt vmcnt(0) lgkmcnt(0) */
	0xbefc000d,             /* s_mov_b32 m0, s13 */
	0xbefe010e,             /* s_mov_b64 exec, s[14:15] */
};

static const uint32_t epilogue[] = {
	0xbf8c0070,             /* s_waitcnt vmcnt(0) lgkmcnt(0) */
	0xbefe01c1,             /* s_mov_b64 exec, -1 */
	0xdc7c8000, 0x00060414, /* global_store_dwordx4 v20, v[4:7], s[6:7] */
	0xbf810000,             /* s_endpgm */
};

static const uint32_t load_index[] = {
	0xe0502004, 0x80020402, /* buffer_load_dword v4, v2, s[8:11], 0 idxen offset:4 */
};

static const uint32_t load_both[] = {
	0xe0543004,
	0x80020402, /* buffer_load_dwordx2 v[4:5], v[2:3], s[8:11], 0 idxen offen offset:4 */
};

static const uint32_t load_m0[] = {
	0xe0501004, 0x7c020402, /* buffer_load_dword v4, v2, s[8:11], m0 offen offset:4 */
};

static const uint32_t load_s12[] = {
	0xe0501004, 0x0c020402, /* buffer_load_dword v4, v2, s[8:11], s12 offen offset:4 */
};

static const uint32_t load_off[] = {
	0xe0500004, 0x80020400, /* buffer_load_dword v4, off, s[8:11], 0 offset:4 */
};

static const uint32_t load_index_0[] = {
	0xe0502000, 0x80020402, /* buffer_load_dword v4, v2, s[8:11], 0 idxen */
};

static const uint32_t load_index_8[] = {
	0xe0502008, 0x80020402, /* buffer_load_dword v4, v2, s[8:11], 0 idxen offset:8 */
};

static const uint32_t load_index_x4[] = {
	0xe05c2000, 0x80020402, /* buffer_load_dwordx4 v[4:7], v2, s[8:11], 0 idxen */
};

static const uint32_t store_both[] = {
	0xe0703004, 0x80020402, /* buffer_store_dword v4, v[2:3], s[8:11], 0 idxen offen offset:4 */
};

static const uint32_t add_offset[] = {
	0xe1085000, 0x80020402, /* buffer_atomic_add v4, v2, s[8:11], 0 offen sc0 */
};

static const uint32_t add_x2_offset[] = {
	0xe1885000, 0x80020402, /* buffer_atomic_add_x2 v[4:5], v2, s[8:11], 0 offen sc0 */
};

static const uint32_t store_byte_8[] = {
	0xea0a2000, 0x80020402, /* tbuffer_store_format_x v4, v2, s[8:11], 0
	                           format:[BUF_DATA_FORMAT_8,BUF_NUM_FORMAT_UINT] idxen */
};

static const uint32_t no_format[] = {
	0xeb882000, 0x80020402, /* tbuffer_load_format_x v4, v2, s[8:11], 0
	                           format:[BUF_DATA_FORMAT_8,BUF_NUM_FORMAT_FLOAT] idxen */
};

static const uint32_t format_lds[] = {
	0xe0012000, 0x80020002, /* buffer_load_format_x v2, s[8:11], 0 idxen lds */
	0xbf8c0f70,             /* s_waitcnt vmcnt(0) */
	0xd86c0000, 0x04000016, /* ds_read_b32 v4, v22 */
};

/* ---- one instruction ---- */

static void set_scene(void) {
	uint64_t base = (uintptr_t)scene->data;
	fill_arena(0xee);
	for (size_t i = 0; i < sizeof scene->data; i++)
		scene->data[i] = (uint8_t)next_random(&seed);
	for (unsigned l = 0; l < LANES; l++) {
		scene->v2[l] = l;
		scene->v3[l] = 8 * (l % 4);
		for (int k = 0; k < 4; k++)
			scene->v4[l][k] = (uint32_t)POISON;
	}
	scene->descriptor[0] = (uint32_t)base;
	scene->descriptor[1] = (uint32_t)(base >> 32);
	scene->descriptor[2] = sizeof scene->data;
	scene->descriptor[3] = BOUND;
	scene->s12 = scene->m0 = 0;
	scene->exec = ~0ull;
}

static void run_op(struct machine *m, const uint32_t *op, size_t bytes) {
	struct code c = { 0 };
	APPEND(&c, prologue);
	append(&c, op, bytes);
	APPEND(&c, epilogue);
	m->launch.seed = next_random(&seed);
	run_code(m, &c);
}
#define RUN_OP(m, op) run_op(m, op, sizeof(op))

static uint32_t dword(size_t at) {
	uint32_t v;
	memcpy(&v, scene->data + at, 4);
	return v;
}

/* Whether each lane loaded n dwords from its address, or zeros if it has none. */
static bool loaded(const int64_t at[LANES], unsigned n) {
	for (unsigned l = 0; l < LANES; l++)
		for (unsigned k = 0; k < 4; k++) {
			uint32_t want = k >= n      ? (uint32_t)POISON
			                : at[l] < 0 ? 0
			                            : dword((size_t)at[l] + 4 * k);
			if (scene->v4[l][k] != want) {
				diag("lane %u dword %u: %08x, want %08x", l, k, scene->v4[l][k],
				     want);
				return false;
			}
		}
	return true;
}

static bool ambiguous(const struct machine *m) {
	return found(m, MX_AMBIGUOUS, sizeof prologue);
}

#define JUDGE(m, condition, ...)                                                                   \
	do {                                                                                       \
		if (!ok(condition, __VA_ARGS__))                                                   \
			show_findings(m);                                                          \
	} while (0)

/* ---- records ---- */

static void test_records(struct machine *m) {
	int64_t at[LANES];
	set_scene();
	scene->descriptor[1] |= 20 << 16;
	scene->descriptor[2] = 40;
	for (unsigned l = 0; l < LANES; l++)
		at[l] = l < 40 ? 20 * l + 4 : -1LL;
	RUN_OP(m, load_index);
	JUDGE(m, loaded(at, 1) && no_findings(m),
	      "IDXEN: records of stride bytes, checked by index");

	set_scene();
	scene->descriptor[1] |= 20 << 16;
	scene->descriptor[2] = 63;
	for (unsigned l = 0; l < LANES; l++)
		at[l] = l < 63 ? 20 * l + 8 * (l % 4) + 4 : -1LL;
	RUN_OP(m, load_both);
	JUDGE(m, loaded(at, 2) && no_findings(m),
	      "IDXEN and OFFEN: the index register, then the offset; the offset is not checked");

	set_scene();
	scene->descriptor[1] |= 32 << 16;
	scene->descriptor[2] = 10;
	RUN_OP(m, store_both);
	bool right = true;
	for (unsigned l = 0; l < LANES; l++)
		right &= (dword(32 * l + 8 * (l % 4) + 4) == (uint32_t)POISON) == (l < 10);
	JUDGE(m, right && no_findings(m), "stores to records outside are dropped");

	set_scene();
	scene->descriptor[1] |= 20 << 16;
	scene->descriptor[3] = 0;
	for (unsigned l = 0; l < LANES; l++)
		at[l] = -1;
	RUN_OP(m, load_index);
	JUDGE(m, loaded(at, 1) && no_findings(m), "data format 0 is unbound, even with records");
}

static void test_index_without_stride(struct machine *m) {
	int64_t at[LANES];
	set_scene();
	for (unsigned l = 0; l < LANES; l++)
		at[l] = 4;
	RUN_OP(m, load_index);
	JUDGE(m, loaded(at, 1) && no_findings(m), "IDXEN with stride 0: all lanes at the offset");
	scene->descriptor[2] = 20;
	RUN_OP(m, load_index);
	JUDGE(m, ambiguous(m) && only_finding(m)->lane == 20,
	      "and a finding if bytes and records give different results");
}

/* ---- SOFFSET ---- */

static void test_soffset(struct machine *m) {
	int64_t at[LANES];
	set_scene();
	scene->m0 = 48;
	for (unsigned l = 0; l < LANES; l++) {
		scene->v2[l] = 4 * l;
		at[l] = 4 * l + 4 + 48;
	}
	RUN_OP(m, load_m0);
	JUDGE(m, loaded(at, 1) && no_findings(m), "M0 as SOFFSET");
	for (int checked = 1; checked >= 0; checked--) {
		set_scene();
		scene->s12 = 48;
		scene->descriptor[2] = 200;
		for (unsigned l = 0; l < LANES; l++) {
			scene->v2[l] = 4 * l;
			at[l] = 4 * l + 8 + (checked ? 48 : 0) <= 200 ? 4 * l + 4 + 48 : -1LL;
		}
		m->launch.soffset_unchecked = !checked;
		RUN_OP(m, load_s12);
		JUDGE(m, loaded(at, 1) && only_notes(m) && only_finding(m)->lane == 37,
		      "SOFFSET %s the range check, and a note", checked ? "in" : "out of");
	}
	m->launch.soffset_unchecked = false;
	scene->descriptor[2] = 256 + 8 + 48;
	RUN_OP(m, load_s12);
	JUDGE(m, no_findings(m), "no note where SOFFSET makes no difference");
}

/* ---- thread numbers ---- */

static void test_add_tid(struct machine *m) {
	int64_t at[LANES];
	set_scene();
	scene->descriptor[1] |= 12 << 16;
	scene->descriptor[2] = 1;
	scene->descriptor[3] = 1 << 23; /* stride bits in place of the data format */
	for (unsigned l = 0; l < LANES; l++)
		at[l] = 12 * l + 4;
	RUN_OP(m, load_off);
	JUDGE(m, loaded(at, 1) && no_findings(m), "ADD_TID: the lane is the index, unchecked");

	set_scene();
	scene->descriptor[1] |= 4 << 16;
	scene->descriptor[3] = 1 << 23 | 1 << 15;
	scene->exec = 3;
	RUN_OP(m, load_off);
	JUDGE(m,
	      scene->v4[0][0] == dword(4) && scene->v4[1][0] == dword((1 << 14) + 4 + 4) &&
	              no_findings(m),
	      "its stride has four more bits in the data format");

	set_scene();
	scene->descriptor[1] |= 12 << 16;
	scene->descriptor[3] = 1 << 23;
	scene->descriptor[2] = 100;
	for (unsigned l = 0; l < LANES; l++)
		at[l] = 12 * (l + l) + 4;
	RUN_OP(m, load_index);
	JUDGE(m, loaded(at, 1) && ambiguous(m) && only_finding(m)->lane == 50,
	      "with IDXEN it is added to the index; which of the two is checked is ambiguous");
}

/* ---- swizzled buffers ---- */

/* Blocks of 8, 16, 32 or 64 records; element i of all records of a block is contiguous. */
static void test_swizzle(struct machine *m) {
	for (unsigned code = 0; code < 4; code++) {
		int64_t at[LANES];
		unsigned together = 8u << code;
		set_scene();
		scene->descriptor[1] |= 16 << 16 | 1u << 31;
		scene->descriptor[2] = 60;
		scene->descriptor[3] |= code << 21;
		for (unsigned l = 0; l < LANES; l++)
			at[l] = l < 60 ? l / together * 16 * together + l % together * 4 : -1LL;
		scene->exec = 1;
		RUN_OP(m, load_index_0);
		JUDGE(m, no_findings(m) && scene->v4[0][0] == dword(0),
		      "swizzled by %u: the first element of the first record", together);
		for (unsigned l = 0; l < LANES; l++)
			for (int k = 0; k < 4; k++)
				scene->v4[l][k] = (uint32_t)POISON;
		scene->exec = ~0ull;
		RUN_OP(m, load_index_0);
		JUDGE(m, loaded(at, 1) && ambiguous(m),
		      "the first element of each record, with a finding: the size of elements is "
		      "not in the "
		      "descriptor");
	}
	int64_t at[LANES];
	set_scene();
	scene->descriptor[1] |= 16 << 16 | 1u << 31;
	scene->descriptor[2] = 64;
	for (unsigned l = 0; l < LANES; l++)
		at[l] = l / 8 * 128 + 2 * 32 + l % 8 * 4;
	RUN_OP(m, load_index_8);
	JUDGE(m, loaded(at, 1) && ambiguous(m),
	      "the third element of records lies 2 * 8 elements on");
	set_scene();
	scene->descriptor[1] |= 16 << 16 | 1u << 31;
	m->launch.swizzle_element_size = 16;
	for (unsigned l = 0; l < LANES; l++)
		at[l] = l / 8 * 128 + l % 8 * 16;
	RUN_OP(m, load_index_x4);
	JUDGE(m, loaded(at, 4) && ambiguous(m),
	      "elements of 16 bytes, if the launch sets that size");
	m->launch.swizzle_element_size = 0;
	set_scene();
	scene->descriptor[1] |= 16 << 16 | 1u << 31;
	RUN_OP(m, load_index_x4);
	JUDGE(m, found(m, MX_UNSUPPORTED, sizeof prologue),
	      "an access wider than an element stops");
}

/* ---- lanes in range that are outside of memory ---- */

/* Lane 0 is at an offset from `base`, below or above those of all others that are in range. */
static void test_outside(struct machine *m, uint64_t base, uint32_t offset, const char *where) {
	set_scene();
	for (unsigned l = 0; l < LANES; l++)
		scene->v2[l] = 0x8000 + 4 * l;
	scene->v2[0] = offset;
	scene->v2[1] = ARENA + 0x1000;
	scene->descriptor[0] = (uint32_t)base;
	scene->descriptor[1] = (uint32_t)(base >> 32);
	scene->descriptor[2] = ARENA + 0x1000;
	RUN_OP(m, load_s12);
	JUDGE(m, found(m, MX_FAULT, sizeof prologue) && only_finding(m)->lane == 0,
	      "a lane %s memory is found if another is out of range", where);
}

/* ---- all or nothing ---- */

static void test_atomic_range(struct machine *m) {
	set_scene();
	for (unsigned l = 0; l < LANES; l++) {
		scene->v2[l] = 8 * l;
		scene->v4[l][0] = l;
		scene->v4[l][1] = 0;
	}
	scene->descriptor[2] = 8 * 20 + 4;
	uint32_t before = dword(8 * 20), inside = dword(8 * 19);
	RUN_OP(m, add_x2_offset);
	JUDGE(m,
	      dword(8 * 20) == before && dword(8 * 19) == inside + 19 &&
	              scene->v4[19][0] == inside && !scene->v4[20][0] && !scene->v4[20][1] &&
	              no_findings(m),
	      "the range check of an atomic is all or nothing, and out of range it returns 0");
	set_scene();
	scene->v2[5] = 6;
	for (unsigned l = 0; l < LANES; l++)
		scene->v2[l] = l == 5 ? 6 : 4 * l;
	RUN_OP(m, add_offset);
	JUDGE(m, found(m, MX_FAULT, sizeof prologue) && only_finding(m)->lane == 5,
	      "an atomic that is not aligned is a fault");
}

/* ---- typed elements ---- */

struct typed {
	const char *text;
	uint32_t code[2], word3, memory[4], data[4], memory_after[4], data_after[4];
	const char *note;
};

static const struct typed rows[] = {
#define UNPACK(...) __VA_ARGS__
#define ROW(text, dwords, word3, m, d, m2, d2, note)                                               \
	{ text,         { UNPACK dwords }, word3,         { UNPACK m },                            \
	  { UNPACK d }, { UNPACK m2 },     { UNPACK d2 }, note },
#include "typed.def"
};
enum { ROWS = sizeof rows / sizeof *rows };

static void set_typed(const struct typed *t) {
	set_scene();
	scene->descriptor[1] |= 16 << 16;
	scene->descriptor[2] = LANES;
	scene->descriptor[3] = t->word3;
	for (unsigned l = 0; l < LANES; l++) {
		memcpy(scene->data + 16 * l, t->memory, 16);
		memcpy(scene->v4[l], t->data, 16);
	}
}

/* Whether the note is the row's, or absent. For MTBUF also whether the decoder predicts it. */
static bool noted(const struct machine *m, const struct typed *t) {
	struct mx_inst in;
	mx_gfx950.decode(t->code, 2, 0, &in);
	if (!*t->note)
		return no_findings(m);
	return found(m, MX_ASSUMED_NOTE, sizeof prologue) && finding_says(m, t->note) &&
	       (in.op->encoding != MX_MTBUF || mx_how_runs(&in) == MX_RUNS_AS_ASSUMED);
}

static void test_typed(struct machine *m, const struct typed *t) {
	bool right = true;
	set_typed(t);
	run_op(m, t->code, sizeof t->code);
	for (unsigned l = 0; l < LANES; l++)
		right &= !memcmp(scene->data + 16 * l, t->memory_after, 16) &&
		         !memcmp(scene->v4[l], t->data_after, 16);
	if (!ok(right && noted(m, t), "%s%s", t->text, *t->note ? ", noted" : "")) {
		for (int k = 0; k < 4; k++)
			diag("dword %d: memory %08x want %08x, registers %08x want %08x", k,
			     dword(4 * k), t->memory_after[k], scene->v4[0][k], t->data_after[k]);
		show_findings(m);
	}
}

static void test_typed_rules(struct machine *m) {
	static const struct typed one = { "",    { 0 }, 4 << 15 | 4 << 12 | 1, { 7 }, { 0 }, { 0 },
		                          { 0 }, "" };
	set_typed(&one);
	scene->descriptor[2] = 3;
	run_op(m, rows[35].code, sizeof rows[35].code);
	JUDGE(m,
	      no_findings(m) && !strncmp(rows[35].text, "buffer_load_format_x ", 21) &&
	              scene->v4[2][0] == 1 && scene->v4[3][0] == 1,
	      "a constant of DST_SEL is loaded outside the buffer too");
	set_typed(&one);
	scene->v4[9][0] = 0x100;
	RUN_OP(m, store_byte_8);
	JUDGE(m,
	      found(m, MX_ASSUMED_NOTE, sizeof prologue) && only_finding(m)->lane == 9 &&
	              scene->data[16 * 9] == 0xff,
	      "the note names the lane of an integer that is out of range");
	set_typed(&one);
	RUN_OP(m, no_format);
	JUDGE(m, found(m, MX_UNSUPPORTED, sizeof prologue), "there is no float of 8 bits");
	set_typed(&one);
	scene->descriptor[3] = 1 << 15 | 5 << 12 | 4;
	for (unsigned l = 0; l < LANES; l++)
		scene->data[16 * l] = (uint8_t)(200 + l);
	RUN_OP(m, format_lds);
	bool right = true;
	for (unsigned l = 0; l < LANES; l++)
		right &= scene->v4[l][0] == (uint32_t)(int8_t)(200 + l);
	JUDGE(m, right && no_findings(m), "buffer_load_format_x into LDS");
}

/* Every typed row of the table needs a vector without an assumption. */
static void test_coverage(void) {
	unsigned missing = 0;
	for (size_t i = 0; i < mx_gfx950.n_ops; i++) {
		size_t n = strlen(mx_gfx950.ops[i].name);
		bool has = !(mx_gfx950.ops[i].flags & MX_FORMAT);
		for (unsigned k = 0; !has && k < ROWS; k++)
			has = !strncmp(rows[k].text, mx_gfx950.ops[i].name, n) &&
			      rows[k].text[n] == ' ' && !*rows[k].note;
		if (!has && !missing++)
			diag("first missing: %s", mx_gfx950.ops[i].name);
	}
	ok(!missing, "every typed instruction has a vector without an assumption");
}

int main(void) {
	struct machine m = machine();
	_Static_assert(offsetof(struct scene, v2) == 0x1000, "");
	_Static_assert(offsetof(struct scene, descriptor) == 0x1800, "");
	_Static_assert(offsetof(struct scene, v4) == 0x2000, "");
	_Static_assert(offsetof(struct scene, data) == DATA, "");
	m.kernel.lds_bytes = 1024;
	test_records(&m);
	test_index_without_stride(&m);
	test_soffset(&m);
	test_add_tid(&m);
	test_swizzle(&m);
	test_outside(&m, (uintptr_t)arena, ARENA, "above");
	test_outside(&m, (uintptr_t)arena - 0x100, 0, "below");
	test_atomic_range(&m);
	for (unsigned i = 0; i < ROWS; i++)
		test_typed(&m, &rows[i]);
	test_typed_rules(&m);
	test_coverage();
	mx_report_free(&m.report);
	return done_testing();
}
