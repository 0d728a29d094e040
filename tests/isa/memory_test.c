/* Loads and stores against a byte-wise model: every width, range checks, LDS, LDS-DMA, scalar
 * loads, faults, guards and byte states. */
#include "machine_test.h"

enum { LANES = 64, LDS_BYTES = 2048, USUAL_WORD3 = 0x27000 };

/* ---- one scene for all vector accesses ---- */

/* The arena. LDS is a copy of `data` at first, and is copied out at the end. */
struct scene {
	uint8_t data[0x1000];
	uint32_t v1[LANES], unused1[0x400 - LANES];
	uint32_t unused2[2], num_records, word3, soffset, m0;
	uint64_t exec;
	uint32_t unused3[0x400 - 8];
	uint32_t v4[LANES][4];
	uint8_t lds[LDS_BYTES];
};

static const uint32_t prologue[] = {
	0x24060084,             /* v_lshlrev_b32_e32 v3, 4, v0 */
	0x24040082,             /* v_lshlrev_b32_e32 v2, 2, v0 */
	0xc00e0200, 0x00002000, /* s_load_dwordx8 s[8:15], s[0:1], 0x2000 */
	0x8004ff00, 0x00001000, /* s_add_u32 s4, s0, 0x1000 */
	0x82058001,             /* s_addc_u32 s5, s1, 0 */
	0x8006ff00, 0x00003000, /* s_add_u32 s6, s0, 0x3000 */
	0x82078001,             /* s_addc_u32 s7, s1, 0 */
	0xdc508000, 0x01040002, /* global_load_dword v1, v2, s[4:5] */
	0xdc5c8000, 0x04060003, /* global_load_dwordx4 v[4:7], v3, s[6:7] */
	0xdc508000, 0x08000002, /* global_load_dword v8, v2, s[0:1] */
	0xdc508100, 0x09000002, /* global_load_dword v9, v2, s[0:1] offset:256 */
	0xdc508200, 0x0a000002, /* global_load_dword v10, v2, s[0:1] offset:512 */
	0xdc508300, 0x0b000002, /* global_load_dword v11, v2, s[0:1] offset:768 */
	0xdc508400, 0x0c000002, /* global_load_dword v12, v2, s[0:1] offset:1024 */
	0xdc508500, 0x0d000002, /* global_load_dword v13, v2, s[0:1] offset:1280 */
	0xdc508600, 0x0e000002, /* global_load_dword v14, v2, s[0:1] offset:1536 */
	0xdc508700, 0x0f000002, /* global_load_dword v15, v2, s[0:1] offset:1792 */
	0xbf8c0070,             /* s_waitcnt vmcnt(0) lgkmcnt(0) */
	0xd81a0000, 0x00000802, /* ds_write_b32 v2, v8 */
	0xd81a0100, 0x00000902, /* ds_write_b32 v2, v9 offset:256 */
	0xd81a0200, 0x00000a02, /* ds_write_b32 v2, v10 offset:512 */
	0xd81a0300, 0x00000b02, /* ds_write_b32 v2, v11 offset:768 */
	0xd81a0400, 0x00000c02, /* ds_write_b32 v2, v12 offset:1024 */
	0xd81a0500, 0x00000d02, /* ds_write_b32 v2, v13 offset:1280 */
	0xd81a0600, 0x00000e02, /* ds_write_b32 v2, v14 offset:1536 */
	0xd81a0700, 0x00000f02, /* ds_write_b32 v2, v15 offset:1792 */
	0xbf8cc07f,             /* s_waitcnt lgkmcnt(0) */
	0xbe880000,             /* s_mov_b32 s8, s0 */
	0xbe890001,             /* s_mov_b32 s9, s1 */
	0xbefc000d,             /* s_mov_b32 m0, s13 */
	0xbefe010e,             /* s_mov_b64 exec, s[14:15] */
};

static const uint32_t epilogue[] = {
	0xbf8c0070,             /* s_waitcnt vmcnt(0) lgkmcnt(0) */
	0xbefe01c1,             /* s_mov_b64 exec, -1 */
	0xdc7c8000, 0x00060403, /* global_store_dwordx4 v3, v[4:7], s[6:7] */
	0xd86c0000, 0x08000002, /* ds_read_b32 v8, v2 */
	0xd86c0100, 0x09000002, /* ds_read_b32 v9, v2 offset:256 */
	0xd86c0200, 0x0a000002, /* ds_read_b32 v10, v2 offset:512 */
	0xd86c0300, 0x0b000002, /* ds_read_b32 v11, v2 offset:768 */
	0xd86c0400, 0x0c000002, /* ds_read_b32 v12, v2 offset:1024 */
	0xd86c0500, 0x0d000002, /* ds_read_b32 v13, v2 offset:1280 */
	0xd86c0600, 0x0e000002, /* ds_read_b32 v14, v2 offset:1536 */
	0xd86c0700, 0x0f000002, /* ds_read_b32 v15, v2 offset:1792 */
	0xbf8cc07f,             /* s_waitcnt lgkmcnt(0) */
	0xdc708400, 0x00060802, /* global_store_dword v2, v8, s[6:7] offset:1024 */
	0xdc708500, 0x00060902, /* global_store_dword v2, v9, s[6:7] offset:1280 */
	0xdc708600, 0x00060a02, /* global_store_dword v2, v10, s[6:7] offset:1536 */
	0xdc708700, 0x00060b02, /* global_store_dword v2, v11, s[6:7] offset:1792 */
	0xdc708800, 0x00060c02, /* global_store_dword v2, v12, s[6:7] offset:2048 */
	0xdc708900, 0x00060d02, /* global_store_dword v2, v13, s[6:7] offset:2304 */
	0xdc708a00, 0x00060e02, /* global_store_dword v2, v14, s[6:7] offset:2560 */
	0xdc708b00, 0x00060f02, /* global_store_dword v2, v15, s[6:7] offset:2816 */
	0xbf810000,             /* s_endpgm */
};

static struct scene *const scene = (struct scene *)arena;
static uint64_t seed = 4096;

static void set_scene(void) {
	fill_arena(0xee);
	for (size_t i = 0; i < sizeof scene->data; i++)
		scene->data[i] = (uint8_t)next_random(&seed);
	for (size_t l = 0; l < LANES; l++) {
		scene->v1[l] = 64 + 24 * (uint32_t)l;
		for (int k = 0; k < 4; k++)
			scene->v4[l][k] = (uint32_t)next_random(&seed);
	}
	scene->num_records = sizeof scene->data;
	scene->word3 = USUAL_WORD3;
	scene->soffset = scene->m0 = 0;
	scene->exec = ~0ull;
}

static struct machine scene_machine(void) {
	struct machine m = machine();
	m.kernel.lds_bytes = LDS_BYTES;
	return m;
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

/* ---- the model: expected memory after one access ---- */

typedef enum {
	GLOBAL_LOAD,
	GLOBAL_STORE,
	BUFFER_LOAD,
	BUFFER_STORE,
	LDS_LOAD,
	LDS_STORE,
	LDS_DMA,
} access_kind;

struct access {
	const char *text;
	uint32_t code[2];
	access_kind kind;
	unsigned bytes, variant; /* sign-extended, or data in the upper half */
	int offset[2];
};

static struct scene want;

static unsigned least(unsigned a, unsigned b) {
	return a < b ? a : b;
}

/* A part of up to 4 bytes of a lane's data at one offset of its space. */
struct part {
	unsigned lane, dword, bytes;
	uint64_t offset;
};

static bool is_buffer(const struct access *a) {
	return a->kind == BUFFER_LOAD || a->kind == BUFFER_STORE || a->kind == LDS_DMA;
}

/* A part is inside if it ends, SOFFSET included, within num_records, or within the size of LDS. */
static bool inside(const struct access *a, const struct part *p) {
	uint64_t end = p->offset + p->bytes;
	if (a->kind == LDS_LOAD || a->kind == LDS_STORE)
		return end <= LDS_BYTES;
	bool bound = (scene->word3 >> 15 & 15) != 0;
	return !is_buffer(a) || (bound && end + scene->soffset <= scene->num_records);
}

static uint32_t load(const struct access *a, const struct part *p) {
	const uint8_t *from = scene->data + p->offset + (is_buffer(a) ? scene->soffset : 0);
	uint32_t v = 0;
	if (!inside(a, p))
		return 0;
	memcpy(&v, from, p->bytes);
	if (a->variant)
		v = p->bytes == 1 ? (uint32_t)(int8_t)v : (uint32_t)(int16_t)v;
	return v;
}

static void move(const struct access *a, const struct part *p, unsigned element) {
	unsigned per_element = (a->bytes + 3) / 4, stride = a->bytes > 4 ? 16 : 4;
	size_t to = scene->m0 + a->offset[0] + p->lane * stride + 4 * p->dword;
	uint32_t v;
	switch (a->kind) {
	case GLOBAL_LOAD:
	case BUFFER_LOAD:
	case LDS_LOAD: want.v4[p->lane][element * per_element + p->dword] = load(a, p); break;
	case LDS_DMA:
		v = load(a, p);
		if (to + 4 <= LDS_BYTES)
			memcpy(want.lds + to, &v, 4);
		break;
	default:
		v = scene->v4[p->lane][2 * element + p->dword] >> (a->variant ? 16 : 0);
		if (inside(a, p))
			memcpy((a->kind == LDS_STORE ? want.lds : want.data) + p->offset +
			               (is_buffer(a) ? scene->soffset : 0),
			       &v, p->bytes);
	}
}

static void set_want(const struct access *a) {
	want = *scene;
	memcpy(want.lds, scene->data, LDS_BYTES);
	for (unsigned l = 0; l < LANES; l++)
		for (unsigned e = 0; scene->exec >> l & 1 && e < 2 && a->offset[e] >= 0; e++)
			for (unsigned k = 0; 4 * k < a->bytes; k++) {
				uint32_t offset = scene->v1[l] + a->offset[e];
				struct part p = { l, k, least(4, a->bytes - 4 * k),
					          (uint64_t)offset + 4 * k };
				move(a, &p, e);
			}
}

/* Whether the arena is as expected; prints the first difference. */
static bool as_wanted(const char *text) {
	const uint8_t *bytes = (const uint8_t *)&want;
	size_t i = 0;
	while (i < sizeof want && arena[i] == bytes[i])
		i++;
	if (i == sizeof want)
		return true;
	diag("%s: byte 0x%zx of the scene (%s) is %02x, want %02x", text, i,
	     i < offsetof(struct scene, v1)     ? "memory"
	     : i >= offsetof(struct scene, lds) ? "LDS"
	     : i >= offsetof(struct scene, v4)  ? "v4 and up"
	                                        : "not to be touched",
	     arena[i], bytes[i]);
	diag("exec %016llx num_records %u m0 %u", (unsigned long long)scene->exec,
	     scene->num_records, scene->m0);
	return false;
}

/* ---- every width ---- */

#define UNPACK(...) __VA_ARGS__
#define ROW(text, dwords, kind, bytes, variant, offset0, offset1)                                  \
	{ text, { UNPACK dwords }, kind, bytes, variant, { offset0, offset1 } },
static const struct access accesses[] = {
#include "memory.def"
};
enum { ACCESSES = sizeof accesses / sizeof *accesses, ROUNDS = 12 };

/* Edge cases of buffer addresses: wrapping to 0, ending below 2^32, far outside. */
static void set_hard_offsets(const struct access *a) {
	if (!is_buffer(a))
		return;
	scene->v1[7] = -(uint32_t)a->offset[0];
	scene->v1[9] = 0xfffffff0;
	scene->v1[11] = 0x80000000;
	scene->v1[13] = -8u - (uint32_t)a->offset[0];
	scene->num_records = next_random(&seed) % 2 ? 4096 : (uint32_t)(next_random(&seed) % 1700);
	scene->m0 = (uint32_t)(next_random(&seed) % 200 * 4);
}

static void test_access(struct machine *m, const struct access *a) {
	bool right = true;
	for (int i = 0; i < ROUNDS && right; i++) {
		set_scene();
		set_hard_offsets(a);
		if (i)
			scene->exec = next_random(&seed) & next_random(&seed);
		set_want(a);
		run_op(m, a->code, sizeof a->code);
		right = as_wanted(a->text) && no_findings(m);
	}
	if (!ok(right, "%s", a->text))
		show_findings(m);
}

/* ---- buffers ---- */

static const struct access buffer_load = { "load", { 0, 0 }, BUFFER_LOAD, 16, 0, { 16, -1 } };
static const struct access buffer_store = { "store", { 0, 0 }, BUFFER_STORE, 16, 0, { 16, -1 } };

static const uint32_t op_buffer_load_x4[] = {
	0xe05c1010, 0x0c020401, /* buffer_load_dwordx4 v[4:7], v1, s[8:11], s12 offen offset:16 */
};
static const uint32_t op_buffer_store_x4[] = {
	0xe07c1010, 0x0c020401, /* buffer_store_dwordx4 v[4:7], v1, s[8:11], s12 offen offset:16 */
};

static bool buffer_right(struct machine *m, bool store) {
	set_want(store ? &buffer_store : &buffer_load);
	run_op(m, store ? op_buffer_store_x4 : op_buffer_load_x4, sizeof op_buffer_load_x4);
	return as_wanted(store ? "store" : "load");
}

static void test_num_records(struct machine *m) {
	unsigned right = 0, n = 0;
	for (uint32_t last = 64 + 16; last <= 64 + 16 + 17; last++)
		for (int store = 0; store < 2; store++, n++) {
			set_scene();
			scene->num_records = last;
			scene->exec = 3;
			right += buffer_right(m, store) && no_findings(m);
		}
	if (!ok(right == n, "each dword of a lane is in the buffer if it ends within num_records"))
		show_findings(m);
}

static void test_empty(struct machine *m) {
	for (int unbound = 0; unbound < 2; unbound++) {
		bool right = true;
		for (int store = 0; store < 2; store++) {
			set_scene();
			if (unbound)
				scene->word3 = 0;
			else
				scene->num_records = 0;
			right = right && buffer_right(m, store) && no_findings(m);
		}
		ok(right, "a buffer with %s loads zeros and stores nothing",
		   unbound ? "data format 0" : "num_records 0");
	}
}

static void test_soffset(struct machine *m) {
	set_scene();
	scene->soffset = 256;
	scene->num_records = 64 + 24 * LANES + 512;
	bool right = buffer_right(m, false) && no_findings(m);
	set_scene();
	scene->soffset = 256;
	ok(right && buffer_right(m, true) && no_findings(m), "SOFFSET is added to the address");

	set_scene();
	scene->soffset = 256;
	scene->num_records = 64 + 24 * LANES;
	ok(buffer_right(m, false) && found(m, MX_ASSUMED_NOTE, sizeof prologue) &&
	           only_finding(m)->lane == 53,
	   "SOFFSET is range-checked; lanes with another result if it were not have a note");

	set_scene();
	scene->soffset = 256;
	scene->num_records = 64 + 24 * LANES;
	scene->exec = 1;
	ok(buffer_right(m, false) && no_findings(m), "other lanes are not");
}

static const uint32_t op_load_without_offen[] = {
	0xe0500008, 0xa8020400, /* buffer_load_dword v4, off, s[8:11], 40 offset:8 */
};

static void test_without_offen(struct machine *m) {
	set_scene();
	want = *scene;
	memcpy(want.lds, scene->data, LDS_BYTES);
	for (unsigned l = 0; l < LANES; l++)
		memcpy(&want.v4[l][0], scene->data + 8 + 40, 4);
	RUN_OP(m, op_load_without_offen);
	ok(as_wanted("off") && no_findings(m),
	   "without OFFEN all lanes load from offset and SOFFSET, an inline constant");
}

/* ---- global ---- */

static const uint32_t op_load_by_64_bits[] = {
	0x7e220201,             /* v_mov_b32_e32 v17, s1 */
	0x32200200,             /* v_add_co_u32_e32 v16, vcc, s0, v1 */
	0x38222280,             /* v_addc_co_u32_e32 v17, vcc, 0, v17, vcc */
	0xdc509ff9, 0x047f0010, /* global_load_dword v4, v[16:17], off offset:-7 */
};

static void test_64_bit_address(struct machine *m) {
	set_scene();
	want = *scene;
	memcpy(want.lds, scene->data, LDS_BYTES);
	for (unsigned l = 0; l < LANES; l++)
		memcpy(&want.v4[l][0], scene->data + 64 + 24 * l - 7, 4);
	RUN_OP(m, op_load_by_64_bits);
	ok(as_wanted("64-bit") && no_findings(m),
	   "global: a 64-bit address of each lane, and a negative offset");
}

static const uint32_t op_load_dword[] = {
	0xdc508000, 0x04000001, /* global_load_dword v4, v1, s[0:1] */
};
static const uint32_t op_store[] = {
	0xdc708000, 0x00000401, /* global_store_dword v1, v4, s[0:1] */
};

/* Regions of the fault tests: [0, 0x4000) and [0x5000, 0x6000) of the arena. */
static struct mx_region two[2];

static struct machine two_regions(void) {
	struct machine m = scene_machine();
	two[0] = (struct mx_region){ (uintptr_t)arena, 0x4000, state };
	two[1] = (struct mx_region){ (uintptr_t)arena + 0x5000, 0x1000, state + 0x5000 };
	m.launch.memory = (struct mx_memory){ two, 2 };
	return m;
}

static void test_faults(void) {
	struct machine m = two_regions();
	static const struct {
		uint32_t offset;
		bool fault;
		const char *what;
	} cases[] = {
		{ 0x3ffc, false, "the last dword of an allocation" },
		{ 0x3ffd, true, "a dword that ends one byte beyond" },
		{ 0x4800, true, "a dword between two allocations" },
		{ 0x5000, false, "the first dword of the second" },
		{ 0x4fff, true, "a dword that begins one byte before it" },
		{ 0x6000, true, "a dword after the last" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		uint64_t address = (uintptr_t)arena + cases[i].offset;
		set_scene();
		scene->v1[17] = cases[i].offset;
		want = *scene;
		RUN_OP(&m, op_store);
		if (!cases[i].fault) {
			ok(no_findings(&m) && get(cases[i].offset) == want.v4[17][0],
			   "%s is stored", cases[i].what);
			continue;
		}
		const struct mx_finding *f = only_finding(&m);
		if (!ok(found(&m, MX_FAULT, sizeof prologue) && f->lane == 17 &&
		                f->address == address && m.report.stopped && as_wanted("faulted"),
		        "%s is a fault at its pc, lane and address, and nothing is stored",
		        cases[i].what))
			show_findings(&m);
	}
	set_scene();
	scene->v1[17] = 0x4800;
	scene->exec = ~(1ull << 17);
	RUN_OP(&m, op_load_dword);
	ok(no_findings(&m), "an inactive lane's address does not matter");
	set_scene();
	two[0].base += 0x1000;
	two[0].size -= 0x1000;
	m.launch.kernarg = two[0].base - 4;
	static const uint32_t below[] = {
		0xc0020100, 0x00000000, /* s_load_dword s4, s[0:1], 0x0 */
		0xbf810000,             /* s_endpgm */
	};
	RUN(&m, below);
	ok(found(&m, MX_FAULT, 0) && only_finding(&m)->lane == -1 &&
	           only_finding(&m)->address == two[0].base - 4,
	   "a scalar load below every allocation is a fault of the wave");
	mx_report_free(&m.report);
}

/* What the finding says of an address outside every allocation. */
static void test_wild_address(void) {
	static const uint32_t load[] = {
		0xc0060100, 0x00000000, /* s_load_dwordx2 s[4:5], s[0:1], 0x0 */
		0xbf810000,             /* s_endpgm */
	};
	uint64_t base = (uintptr_t)arena;
	const struct {
		uint64_t address;
		const char *says;
	} wild[] = {
		{ base + 0x4800, "2048 bytes after the end of an allocation of 16384" },
		{ base + 0x4ff0, "16 bytes before an allocation of 4096" },
		{ base + 0x5ffc, "from byte 4092 of an allocation of 4096" },
		{ base + (1ull << 33), "8589910016 bytes after the end of an allocation of 4096" },
		{ base - 8, "8 bytes before an allocation of 16384" },
		{ 0x10, "near no allocation: a null pointer" },
		{ 0x12345678, "near no allocation: a number of 32 bits" },
		{ 0xfffffffffffffff0, "near no allocation: a negative number" },
		{ 0x3f8000003f800000, "near no allocation: more than 57 bits" },
		{ MX_LDS_FLAT_BASE + 64, "near no allocation: a flat address of LDS" },
		{ MX_SCRATCH_FLAT_BASE, "near no allocation: a flat address of scratch" },
		{ 0x412345670000, "near no allocation" },
	};
	for (size_t i = 0; i < sizeof wild / sizeof *wild; i++) {
		struct machine m = two_regions();
		m.launch.kernarg = wild[i].address;
		set_scene();
		RUN(&m, load);
		if (!ok(found(&m, MX_FAULT, 0) && finding_says(&m, wild[i].says), "0x%llx: %s",
		        (unsigned long long)wild[i].address, wild[i].says))
			show_findings(&m);
		mx_report_free(&m.report);
	}
}

/* Makes one byte near the address of lane 5 a guard. */
static void set_guard(unsigned byte) {
	set_scene();
	for (unsigned l = 0; l < LANES; l++)
		scene->v1[l] += LDS_BYTES;
	state[scene->v1[5] + byte] |= MX_GUARD;
}

static void test_guards(struct machine *m) {
	uint64_t address = (uintptr_t)arena + LDS_BYTES + 64 + 24 * 5;
	set_guard(3);
	RUN_OP(m, op_load_dword);
	ok(found(m, MX_BOUNDS_READ, sizeof prologue) && only_finding(m)->lane == 5 &&
	           only_finding(m)->address == address && !m->report.stopped &&
	           scene->v4[6][0] == get(scene->v1[6]),
	   "reading a guard byte is out of bounds, and the launch continues");
	set_guard(3);
	RUN_OP(m, op_store);
	ok(found(m, MX_BOUNDS_WRITE, sizeof prologue) && scene->v4[5][0] == get(scene->v1[5]) &&
	           state[scene->v1[5] + 3] & MX_GUARD,
	   "writing a guard byte too; it stays a guard");
	set_guard(4);
	RUN_OP(m, op_load_dword);
	ok(no_findings(m), "the byte before a guard is accessible");
}

static const uint32_t op_store_x3[] = {
	0xdc788001, 0x00000401, /* global_store_dwordx3 v1, v[4:6], s[0:1] offset:1 */
};

static void test_states(struct machine *m) {
	set_scene();
	memset(state + 0x800, 0, 0x800);
	for (unsigned l = 0; l < LANES; l++)
		scene->v1[l] = 0x800 + 32 * l;
	scene->exec = 0xffff;
	/* LDS is a copy of data: all except its last quarter is written */
	memset(state, ALL_WRITTEN, 0x800);
	RUN_OP(m, op_store_x3);
	size_t i = 0;
	for (; i < 0x800; i++)
		if (state[0x800 + i] !=
		    (i < 32 * 16 && i % 32 >= 1 && i % 32 < 13 ? MX_WRITTEN : 0))
			break;
	if (!ok(i == 0x800 && no_findings(m), "a store marks its bytes written, and no others"))
		diag("first wrong: byte %zu", i);
}

/* ---- LDS ---- */

static const uint32_t op_read_b128[] = {
	0xd9fe0000, 0x04000001, /* ds_read_b128 v[4:7], v1 */
};
static const uint32_t op_write_b32[] = {
	0xd81a0000, 0x00000401, /* ds_write_b32 v1, v4 */
};
static const uint32_t op_read_at_48[] = {
	0xd86c0030, 0x04000001, /* ds_read_b32 v4, v1 offset:48 */
};

static void test_lds_range(struct machine *m) {
	static const struct access b128 = { "ds", { 0, 0 }, LDS_LOAD, 16, 0, { 0, -1 } };
	set_scene();
	scene->v1[3] = LDS_BYTES - 8;
	scene->v1[4] = LDS_BYTES;
	scene->v1[5] = 0xfffffff8;
	set_want(&b128);
	RUN_OP(m, op_read_b128);
	const struct mx_finding *f = only_finding(m);
	ok(as_wanted("ds_read_b128") && found(m, MX_BOUNDS_READ, sizeof prologue) && f->lane == 3 &&
	           f->address == LDS_BYTES - 8 && f->count == 3,
	   "reading LDS out of range gives zeros and a finding that counts its lanes");

	static const struct access write = { "ds", { 0, 0 }, LDS_STORE, 4, 0, { 0, -1 } };
	set_scene();
	scene->v1[3] = LDS_BYTES - 3;
	scene->v1[4] = LDS_BYTES;
	scene->v1[5] = 0xfffffffc;
	set_want(&write);
	RUN_OP(m, op_write_b32);
	ok(as_wanted("ds_write_b32") && found(m, MX_BOUNDS_WRITE, sizeof prologue) &&
	           only_finding(m)->count == 3,
	   "writing LDS out of range is dropped, with a finding");

	static const struct access wrap = { "ds", { 0, 0 }, LDS_LOAD, 4, 0, { 48, -1 } };
	set_scene();
	scene->v1[2] = -48u;
	scene->v1[8] = -16u;
	set_want(&wrap);
	RUN_OP(m, op_read_at_48);
	ok(as_wanted("negative base") && no_findings(m), "a DS address wraps at 2^32");
}

static const uint32_t op_dma_x4[] = {
	0xe05d1000, 0x80020001, /* buffer_load_dwordx4 v1, s[8:11], 0 offen lds */
};
static const uint32_t op_dma_x1[] = {
	0xe0511000, 0x80020001, /* buffer_load_dword v1, s[8:11], 0 offen lds */
};
static const uint32_t op_dma_x2[] = {
	0xe0551000, 0x80020001, /* no such thing */
};

static void test_lds_dma_range(struct machine *m) {
	static const struct access dma = { "dma", { 0, 0 }, LDS_DMA, 16, 0, { 0, -1 } };
	set_scene();
	scene->m0 = LDS_BYTES - 16 * 32;
	set_want(&dma);
	RUN_OP(m, op_dma_x4);
	ok(as_wanted("dma") && found(m, MX_BOUNDS_WRITE, sizeof prologue),
	   "LDS-DMA beyond the allocation is dropped, with a finding");
	set_scene();
	RUN_OP(m, op_dma_x2);
	ok(found(m, MX_UNSUPPORTED, sizeof prologue), "there is no LDS-DMA of two dwords");
}

/* All lanes are active, and whole lanes are in the buffer or not. */
static void test_lds_dma_zeros(struct machine *m, unsigned bytes, const uint32_t *op, size_t size) {
	const struct access dma = { "dma", { 0, 0 }, LDS_DMA, bytes, 0, { 0, -1 } };
	set_scene();
	for (unsigned l = 0; l < LANES; l++)
		scene->v1[l] = bytes * (l ^ 5);
	scene->num_records = bytes * 43;
	scene->m0 = 64;
	set_want(&dma);
	run_op(m, op, size);
	ok(as_wanted("dma") && no_findings(m),
	   "LDS-DMA of %u bytes writes zeros for lanes outside the buffer", bytes);
}

/* ---- scalar loads ---- */

/* Loads into s16 and up over known values, and stores all 16. */
static const uint32_t scalar_prologue[] = {
	0xc0120400, 0x00000400, /* s_load_dwordx16 s[16:31], s[0:1], 0x400 */
	0xb0030083,             /* s_movk_i32 s3, 0x83 */
	0x7e000280,             /* v_mov_b32_e32 v0, 0 */
	0xbf8cc07f,             /* s_waitcnt lgkmcnt(0) */
};
static const uint32_t scalar_epilogue[] = {
	0xbf8cc07f,             /* s_waitcnt lgkmcnt(0) */
	0x7e080210,             /* v_mov_b32_e32 v4, s16 */
	0x7e0a0211,             /* v_mov_b32_e32 v5, s17 */
	0x7e0c0212,             /* v_mov_b32_e32 v6, s18 */
	0x7e0e0213,             /* v_mov_b32_e32 v7, s19 */
	0x7e100214,             /* v_mov_b32_e32 v8, s20 */
	0x7e120215,             /* v_mov_b32_e32 v9, s21 */
	0x7e140216,             /* v_mov_b32_e32 v10, s22 */
	0x7e160217,             /* v_mov_b32_e32 v11, s23 */
	0x7e180218,             /* v_mov_b32_e32 v12, s24 */
	0x7e1a0219,             /* v_mov_b32_e32 v13, s25 */
	0x7e1c021a,             /* v_mov_b32_e32 v14, s26 */
	0x7e1e021b,             /* v_mov_b32_e32 v15, s27 */
	0x7e20021c,             /* v_mov_b32_e32 v16, s28 */
	0x7e22021d,             /* v_mov_b32_e32 v17, s29 */
	0x7e24021e,             /* v_mov_b32_e32 v18, s30 */
	0x7e26021f,             /* v_mov_b32_e32 v19, s31 */
	0xdc7c8800, 0x00000400, /* global_store_dwordx4 v0, v[4:7], s[0:1] offset:2048 */
	0xdc7c8810, 0x00000800, /* global_store_dwordx4 v0, v[8:11], s[0:1] offset:2064 */
	0xdc7c8820, 0x00000c00, /* global_store_dwordx4 v0, v[12:15], s[0:1] offset:2080 */
	0xdc7c8830, 0x00001000, /* global_store_dwordx4 v0, v[16:19], s[0:1] offset:2096 */
	0xbf810000,             /* s_endpgm */
};

static void test_scalar_load(struct machine *m, const uint32_t load[2], unsigned dwords,
                             unsigned from, const char *what) {
	struct code c = { 0 };
	uint32_t expected[16];
	set_scene();
	memcpy(expected, scene->data + 0x400, sizeof expected);
	memcpy(expected, scene->data + from, 4 * dwords);
	APPEND(&c, scalar_prologue);
	append(&c, load, 8);
	APPEND(&c, scalar_epilogue);
	run_code(m, &c);
	if (!ok(no_findings(m) && !memcmp(scene->data + 2048, expected, sizeof expected), "%s",
	        what))
		show_findings(m);
}

static void test_scalar_loads(struct machine *m) {
	static const uint32_t x1[] = {
		0xc0020400, 0x00000044, /* s_load_dword s16, s[0:1], 0x44 */
	}, x2[] = {
		0xc0060400, 0x00000044, /* s_load_dwordx2 s[16:17], s[0:1], 0x44 */
	}, x4[] = {
		0xc00a0400, 0x00000044, /* s_load_dwordx4 s[16:19], s[0:1], 0x44 */
	}, x8[] = {
		0xc00e0400, 0x00000044, /* s_load_dwordx8 s[16:23], s[0:1], 0x44 */
	}, x16[] = {
		0xc0120400, 0x00000044, /* s_load_dwordx16 s[16:31], s[0:1], 0x44 */
	}, sgpr[] = {
		0xc0040400, 0x00000003, /* s_load_dwordx2 s[16:17], s[0:1], s3 */
	}, both[] = {
		0xc0064400, 0x06000010, /* s_load_dwordx2 s[16:17], s[0:1], s3 offset:0x10 */
	}, negative[] = {
		0xc0024400, 0x061fffc0, /* s_load_dword s16, s[0:1], s3 offset:-0x40 */
	};
	test_scalar_load(m, x1, 1, 0x44, "s_load_dword");
	test_scalar_load(m, x2, 2, 0x44, "s_load_dwordx2");
	test_scalar_load(m, x4, 4, 0x44, "s_load_dwordx4");
	test_scalar_load(m, x8, 8, 0x44, "s_load_dwordx8");
	test_scalar_load(m, x16, 16, 0x44, "s_load_dwordx16");
	test_scalar_load(m, sgpr, 2, 0x80, "s_load with an SGPR offset drops the two low bits");
	test_scalar_load(m, both, 2, 0x90, "s_load adds its SGPR and its immediate offset");
	test_scalar_load(m, negative, 1, 0x40, "s_load with a negative immediate");
}

int main(void) {
	struct machine m = scene_machine();
	_Static_assert(offsetof(struct scene, v1) == 0x1000, "s[4:5]");
	_Static_assert(offsetof(struct scene, unused2) == 0x2000, "s[8:15]");
	_Static_assert(offsetof(struct scene, v4) == 0x3000, "s[6:7]");
	for (unsigned i = 0; i < ACCESSES; i++)
		test_access(&m, &accesses[i]);
	test_num_records(&m);
	test_empty(&m);
	test_soffset(&m);
	test_without_offen(&m);
	test_64_bit_address(&m);
	test_faults();
	test_wild_address();
	test_guards(&m);
	test_states(&m);
	test_lds_range(&m);
	test_lds_dma_range(&m);
	test_lds_dma_zeros(&m, 4, op_dma_x1, sizeof op_dma_x1);
	test_lds_dma_zeros(&m, 16, op_dma_x4, sizeof op_dma_x4);
	test_scalar_loads(&m);
	mx_report_free(&m.report);
	return done_testing();
}
