/* Memory instructions of gfx1250, each against a model that goes lane by lane and byte by byte. */
#include "machine_test.h"

enum { WAVE32 = 1 << 10, LANES = 32, DATA = 0x8000, BYTES = 512, WORDS = 4 };

/* The arena. s[8:11] is the descriptor; LDS has a copy of `data`. */
struct scene {
	uint8_t unused0[0x800];
	uint32_t descriptor[4], s12, s13, exec, s15;
	uint8_t unused1[0x1000 - 0x820];
	uint32_t v1[LANES];
	uint8_t unused2[0x1000 - 4 * LANES];
	uint32_t v4[LANES][WORDS];
	uint8_t unused3[0x1000 - 16 * LANES];
	uint32_t v8[LANES][WORDS];
	uint8_t unused4[DATA - 0x3200], data[BYTES];
};

static struct scene *const scene = (struct scene *)arena;
static uint64_t seed = 1250;

static const uint32_t prologue[] = {
	0x30280084,                         /* v_lshlrev_b32_e32 v20, 4, v0 */
	0x302a0082,                         /* v_lshlrev_b32_e32 v21, 2, v0 */
	0xf4006200, 0xf8000800,             /* s_load_b256 s[8:15], s[0:1], 0x800 */
	0xa986ff00, 0x00008000,             /* s_add_nc_u64 s[6:7], s[0:1], 0x8000 */
	0xee050000, 0x00000001, 0x00100015, /* global_load_b32 v1, v21, s[0:1] offset:4096 */
	0xee05c000, 0x00000004, 0x00200014, /* global_load_b128 v[4:7], v20, s[0:1] offset:8192 */
	0xee05c000, 0x00000008, 0x00300014, /* global_load_b128 v[8:11], v20, s[0:1] offset:12288 */
	0xee05c006, 0x0000000c, 0x00000014, /* global_load_b128 v[12:15], v20, s[6:7] */
	0xbf8a0000,                         /* s_wait_idle */
	0xdb7c0000, 0x00000c14,             /* ds_store_b128 v20, v[12:15] */
	0x7e200301,                         /* v_mov_b32_e32 v16, v1 */
	0x7e220280,                         /* v_mov_b32_e32 v17, 0 */
	0x50042006,                         /* v_add_nc_u64_e32 v[2:3], s[6:7], v[16:17] */
	0xbfc60000,                         /* s_wait_dscnt 0x0 */
	0xbefe000e,                         /* s_mov_b32 exec_lo, s14 */
};

static const uint32_t epilogue[] = {
	0xbf8a0000, /* s_wait_idle */
	0xbefe00c1, /* s_mov_b32 exec_lo, -1 */
	0xee074000, 0x04000000,
	0x00300014, /* global_store_b128 v20, v[8:11], s[0:1] offset:12288 */
	0xbfb00000, /* s_endpgm */
};

static const uint32_t epilogue_lds[] = {
	0xbf8a0000,             /* s_wait_idle */
	0xbefe00c1,             /* s_mov_b32 exec_lo, -1 */
	0xdbfc0000, 0x0c000014, /* ds_load_b128 v[12:15], v20 */
	0xbfc60000,             /* s_wait_dscnt 0x0 */
	0xee074006, 0x06000000,
	0x00000014, /* global_store_b128 v20, v[12:15], s[6:7] */
	0xee074000, 0x04000000,
	0x00300014, /* global_store_b128 v20, v[8:11], s[0:1] offset:12288 */
	0xbfb00000, /* s_endpgm */
};

/* ---- the rows ---- */

typedef enum { IN_LDS, GLOBAL, BY_LANE, BUFFER, BUFFER_S12, SCALAR, SCALAR_S12 } space;
typedef enum { LOADS, STORES, IS_ATOMIC, TRANSPOSES, FETCHES } action;
enum { ZERO, SIGN };
enum { ACTIVE, ALL };
enum { WHOLE, LOW, HIGH };
enum { FORGET, RETURN, RETURN_8 }; /* over the data, or in v8 */

struct row {
	const char *text;
	uint32_t code[3];
	size_t dwords;
	space space;
	uint32_t imm;
	action action;
	unsigned bytes;
	unsigned how, part; /* the names above; bits of an element that is transposed */
	uint64_t (*update)(uint64_t m, uint64_t d, uint64_t c);
};

static float f32(uint64_t v) {
	uint32_t u = (uint32_t)v;
	float f;
	memcpy(&f, &u, 4);
	return f;
}
static double f64(uint64_t v) {
	double d;
	memcpy(&d, &v, 8);
	return d;
}
static uint64_t sum32(uint64_t a, uint64_t b) {
	float f = f32(a) + f32(b);
	uint32_t u;
	memcpy(&u, &f, 4);
	return u;
}
static uint64_t sum64(uint64_t a, uint64_t b) {
	double d = f64(a) + f64(b);
	memcpy(&a, &d, 8);
	return a;
}
#define least32(a, b)    (f32(b) < f32(a) ? (b) : (a))
#define greatest32(a, b) (f32(b) > f32(a) ? (b) : (a))
#define least64(a, b)    (f64(b) < f64(a) ? (b) : (a))
#define greatest64(a, b) (f64(b) > f64(a) ? (b) : (a))

#define UNPACK(...) __VA_ARGS__
#define COUNT(...)  (sizeof((uint32_t[]){ __VA_ARGS__ }) / 4)
#define UPDATE_(line, type, signed_type, ...)                                                      \
	static uint64_t update##line(uint64_t m_, uint64_t d_, uint64_t c_) {                      \
		typedef signed_type sint;                                                          \
		type m = (type)m_, d = (type)d_, c = (type)c_;                                     \
		(void)m, (void)d, (void)c, (void)(sint)0;                                          \
		return (type)(__VA_ARGS__);                                                        \
	}
#define UPDATE(line, ...) UPDATE_(line, __VA_ARGS__)
#define LOAD(...)
#define STORE(...)
#define TRANSPOSE(...)
#define FETCH(...)
#define ATOMIC32(to, ...)                      UPDATE(__LINE__, uint32_t, int32_t, __VA_ARGS__)
#define ATOMIC64(to, ...)                      UPDATE(__LINE__, uint64_t, int64_t, __VA_ARGS__)
#define ROW(text, dwords, space, offset, what) what
#include "gfx1250_memory.def"
#undef LOAD
#undef STORE
#undef TRANSPOSE
#undef FETCH
#undef ATOMIC32
#undef ATOMIC64
#undef ROW

#define PASTE_(line)           update##line
#define PASTE(line)            PASTE_(line)
#define LOAD(bytes, how, part) LOADS, bytes, how, part, NULL
#define STORE(bytes, part)     STORES, bytes, ZERO, part, NULL
#define FETCH(lanes)           FETCHES, 4, lanes, WHOLE, NULL
#define TRANSPOSE(bytes, bits) TRANSPOSES, bytes, ZERO, bits, NULL
#define ATOMIC32(to, ...)      IS_ATOMIC, 4, to, WHOLE, PASTE(__LINE__)
#define ATOMIC64(to, ...)      IS_ATOMIC, 8, to, WHOLE, PASTE(__LINE__)
#define ROW(text, dwords, space, offset, what)                                                     \
	{ text, { UNPACK dwords }, COUNT dwords, space, offset, what },
static const struct row rows[] = {
#include "gfx1250_memory.def"
};
enum { ROWS = sizeof rows / sizeof *rows };

/* ---- the model ---- */

struct model {
	uint8_t data[BYTES];
	uint32_t v4[LANES][WORDS], v8[LANES][WORDS];
};

static bool is_scalar(const struct row *r) {
	return r->space >= SCALAR;
}

static bool is_buffer(const struct row *r) {
	return r->space >= BUFFER && !is_scalar(r);
}

static uint64_t offset_of(const struct row *r, unsigned lane) {
	bool relative = r->space == BUFFER_S12 || r->space == SCALAR_S12;
	return (is_scalar(r)          ? 0
	        : r->space == BY_LANE ? 4 * lane
	                              : scene->v1[lane]) +
	       (uint64_t)r->imm + (relative ? scene->s12 : 0);
}

/* Loads and stores are in range by dword, atomics as a whole. */
static bool is_inside(const struct row *r, unsigned lane, unsigned k) {
	unsigned end =
		r->action == IS_ATOMIC || k / 4 * 4 + 4 > r->bytes ? r->bytes : k / 4 * 4 + 4;
	return !is_buffer(r) || offset_of(r, lane) + end <= BYTES;
}

static uint64_t part_of(const uint32_t *words, unsigned bytes) {
	uint64_t v = 0;
	memcpy(&v, words, bytes);
	return v;
}

/* The dwords of a scalar load that a lane gets. */
static const unsigned shown[WORDS] = { 0, 1, 3, 15 };

static void load(const struct row *r, struct model *m, unsigned l) {
	uint8_t bytes[64] = { 0 };
	for (unsigned k = 0; k < r->bytes; k++)
		if (is_inside(r, l, k))
			bytes[k] = m->data[offset_of(r, l) + k];
	uint32_t v = (uint32_t)part_of((const uint32_t *)(const void *)bytes, 4);
	if (r->bytes < 4 && r->how == SIGN)
		v = r->bytes == 1 ? (uint32_t)(int8_t)v : (uint32_t)(int16_t)v;
	for (unsigned k = 0; k < WORDS; k++) {
		unsigned from = is_scalar(r) ? shown[k] : k;
		if (4 * from < r->bytes)
			memcpy(&m->v8[l][k], bytes + 4 * from, 4);
	}
	if (r->bytes < 4)
		m->v8[l][0] = r->part == HIGH ? v << 16 : r->part == LOW ? v & 0xffff : v;
}

static void store(const struct row *r, struct model *m, unsigned l) {
	uint8_t bytes[16];
	memcpy(bytes, m->v4[l], sizeof bytes);
	for (unsigned k = 0; k < r->bytes; k++)
		if (is_inside(r, l, k))
			m->data[offset_of(r, l) + k] = bytes[k + (r->part == HIGH ? 2 : 0)];
}

static void update(const struct row *r, struct model *m, unsigned l) {
	uint64_t old = 0, d = part_of(m->v4[l], r->bytes);
	uint64_t c = part_of(m->v4[l] + r->bytes / 4, r->bytes);
	bool inside = is_inside(r, l, 0);
	if (inside) {
		memcpy(&old, m->data + offset_of(r, l), r->bytes);
		uint64_t now = r->update(old, d, c);
		memcpy(m->data + offset_of(r, l), &now, r->bytes);
	}
	if (r->how != FORGET)
		memcpy(r->how == RETURN ? m->v4[l] : m->v8[l], &old, r->bytes);
}

/* The lane and the element of the source. */
static unsigned source_lane(unsigned bits, unsigned l, unsigned e) {
	if (bits == 16)
		return l / 8 * 8 + e;
	return l / 16 * 16 + (bits == 8 ? l / 8 % 2 * 4 + e / 4 * 8 + e % 4 : e);
}

static unsigned bit_of(const uint8_t *bytes, unsigned i) {
	return bytes[i / 8] >> i % 8 & 1;
}

static void transpose(const struct row *r, struct model *m) {
	unsigned bits = r->part, n = 8 * r->bytes / bits;
	for (unsigned l = 0; l < LANES; l++) {
		memset(m->v8[l], 0, r->bytes);
		for (unsigned i = 0; i < n * bits; i++) {
			unsigned from = source_lane(bits, l, i / bits);
			const uint8_t *bytes = m->data + offset_of(r, from);
			m->v8[l][i / 32] |= bit_of(bytes, l % n * bits + i % bits) << i % 32;
		}
	}
}

static void fetch(const struct row *r, struct model *m, unsigned l) {
	unsigned from = (scene->v1[l] + r->imm) / 4 % LANES;
	bool given = r->how == ALL || scene->exec >> from & 1;
	m->v8[l][0] = given ? m->v4[from][0] : 0;
}

static void model_row(const struct row *r, struct model *m) {
	if (r->action == TRANSPOSES)
		transpose(r, m);
	for (unsigned l = 0; l < LANES; l++)
		if (!(scene->exec >> l & 1))
			continue;
		else if (r->action == LOADS)
			load(r, m, l);
		else if (r->action == FETCHES)
			fetch(r, m, l);
		else if (r->action == STORES)
			store(r, m, l);
		else if (r->action == IS_ATOMIC)
			update(r, m, l);
}

/* ---- a run ---- */

/* As a float it is a normal or a denormal number, and no sum overflows. */
static uint32_t moderate(void) {
	uint32_t v = (uint32_t)next_random(&seed);
	if (v % 4 == 2)
		return v & 0x807fffff;
	return (v & 0x9fffffff) | (v & 1 ? 0x40000000 : 0x20000000);
}

/* Of buffers some lanes are out of range, and some in part. */
static uint32_t place_of(const struct row *r, unsigned lane) {
	uint32_t at = lane * 5 % LANES * 16 % (BYTES - 16);
	if (is_buffer(r) && lane % 8 == 7)
		at = BYTES - 6;
	if (is_buffer(r) && lane % 8 == 3)
		at = 0x7fffff00;
	return r->action == IS_ATOMIC ? at & ~7u : at;
}

static void set_scene(const struct row *r, struct model *m) {
	uint64_t base = (uintptr_t)scene->data;
	fill_arena(0xee);
	for (unsigned i = 0; i < BYTES; i += 4) {
		uint32_t v = moderate();
		memcpy(scene->data + i, &v, 4);
	}
	scene->descriptor[0] = (uint32_t)base;
	scene->descriptor[1] = (uint32_t)(base >> 32) | (uint32_t)BYTES << 25;
	scene->descriptor[2] = BYTES >> 7;
	scene->descriptor[3] = 0;
	scene->s12 = 12;
	scene->exec = r->action == TRANSPOSES ? ~0u : 0xfb7fdeef;
	for (unsigned l = 0; l < LANES; l++) {
		scene->v1[l] = place_of(r, l);
		for (unsigned k = 0; k < WORDS; k++)
			scene->v4[l][k] = moderate();
		uint64_t at = offset_of(r, l); /* what a compare finds */
		if (l % 2 && at + 8 <= BYTES && r->action == IS_ATOMIC)
			memcpy(scene->v4[l] + r->bytes / 4, scene->data + at, r->bytes);
		if (r->how == RETURN && r->action == IS_ATOMIC)
			memcpy(scene->v8[l], scene->v4[l], sizeof scene->v8[l]);
	}
	memcpy(m->data, scene->data, sizeof m->data);
	memcpy(m->v4, scene->v4, sizeof m->v4);
	memcpy(m->v8, scene->v8, sizeof m->v8);
}

/* An instruction that returns over its data has them in v[8:11], as the epilogue stores these. */
static const uint32_t move_data[] = {
	0x7e100304, /* v_mov_b32_e32 v8, v4 */
	0x7e120305, /* v_mov_b32_e32 v9, v5 */
};

static const uint32_t show_scalars[WORDS] = {
	0x7e100210, /* v_mov_b32_e32 v8, s16 */
	0x7e120211, /* v_mov_b32_e32 v9, s17 */
	0x7e140213, /* v_mov_b32_e32 v10, s19 */
	0x7e16021f, /* v_mov_b32_e32 v11, s31 */
};

static bool run_row(struct machine *m, const struct row *r) {
	struct code c = { 0 };
	APPEND(&c, prologue);
	append(&c, r->code, 4 * r->dwords);
	if (r->action == IS_ATOMIC && r->how == RETURN) {
		append(&c, epilogue, 4); /* waits */
		APPEND(&c, move_data);
	}
	if (is_scalar(r))
		append(&c, epilogue, 4); /* waits */
	for (unsigned k = 0; is_scalar(r) && k < WORDS; k++)
		append(&c, show_scalars + k, 4 * shown[k] < r->bytes ? 4 : 0);
	if (r->space == IN_LDS)
		APPEND(&c, epilogue_lds);
	else
		APPEND(&c, epilogue);
	struct mx_program *p = mx_program_new(&mx_gfx1250, c.dwords, c.bytes, (uintptr_t)c.dwords);
	mx_report_free(&m->report);
	m->kernel.entry = (uintptr_t)c.dwords;
	m->kernel.properties |= WAVE32;
	m->kernel.agprs = 0;
	m->kernel.lds_bytes = BYTES;
	m->launch.kernel = &m->kernel;
	m->launch.block[0] = LANES;
	m->launch.program = p;
	m->ran = p && mx_launch_run(&m->launch, &m->report);
	mx_program_free(p);
	return m->ran;
}

/* Some of the sums are denormal. */
static bool notes_denormals(const struct machine *m, const struct row *r) {
	bool notes = !strstr(r->text, "atomic_add_f32");
	for (size_t i = 0; i < m->report.n_findings; i++)
		notes |= m->report.findings[i].assumption == MX_ASSUMES_L2_DENORMAL;
	return notes;
}

static void test_row(struct machine *m, const struct row *r) {
	static struct model want;
	set_scene(r, &want);
	model_row(r, &want);
	bool ran = run_row(m, r);
	if (r->action == IS_ATOMIC && r->how == RETURN)
		for (unsigned l = 0; l < LANES; l++)
			if (scene->exec >> l & 1)
				memcpy(want.v8[l], want.v4[l], 8);
	if (!ok(ran && only_notes(m) && notes_denormals(m, r) &&
	                !memcmp(scene->data, want.data, BYTES) &&
	                !memcmp(scene->v8, want.v8, sizeof want.v8),
	        "%s", r->text)) {
		for (unsigned l = 0; l < LANES; l++)
			if (memcmp(scene->v8[l], want.v8[l], sizeof want.v8[l]))
				diag("lane %u: got %08x %08x, want %08x %08x", l, scene->v8[l][0],
				     scene->v8[l][1], want.v8[l][0], want.v8[l][1]);
		diag("%zu findings, memory %s", m->report.n_findings,
		     memcmp(scene->data, want.data, BYTES) ? "differs" : "is right");
	}
}

/* ---- descriptors with a stride ---- */

#define LOAD_ROW(n, space, imm, bytes, ...)                                                        \
	{ "", { __VA_ARGS__ }, n, space, imm, LOADS, bytes, ZERO, WHOLE, NULL }
/* clang-format off */
static const struct row by_index = LOAD_ROW(3, BUFFER, 4, 4,
	0xc405007c, 0x80801008, 0x00000401, /* buffer_load_b32 v8, v1, s[8:11], null idxen offset:4 */
);
static const struct row by_index_14 = LOAD_ROW(3, BUFFER, 14, 4,
	0xc405007c, 0x80801008, 0x00000e01, /* buffer_load_b32 v8, v1, s[8:11], null idxen offset:14 */
);
static const struct row by_offset = LOAD_ROW(3, BUFFER, 4, 4,
	0xc405007c, 0x40801008, 0x00000401, /* buffer_load_b32 v8, v1, s[8:11], null offen offset:4 */
);
static const struct row beyond = LOAD_ROW(2, SCALAR, BYTES, 4,
	0xf4020404, 0xf8000200, /* s_buffer_load_b32 s16, s[8:11], 0x200 */
);
static const struct row small_beyond = LOAD_ROW(2, SCALAR, BYTES, 1,
	0xf4032404, 0xf8000200, /* s_buffer_load_u8 s16, s[8:11], 0x200 */
);
/* clang-format on */

enum { STRIDE = 16, RECORDS = 24, STRIDE_SHIFT = 12, IN_BYTES = 1 << 29, OTHER_BIT = 1 << 28 };

/* Runs it with a range of `range`, and lane l's v1 = l * step. */
static void run_strided(struct machine *m, const struct row *r, uint32_t range, uint32_t word3,
                        uint32_t step) {
	static struct model unused;
	set_scene(r, &unused);
	scene->descriptor[1] = (scene->descriptor[1] & 0x1ffffff) | range << 25;
	scene->descriptor[2] = range >> 7;
	scene->descriptor[3] = word3;
	for (unsigned l = 0; l < LANES; l++)
		scene->v1[l] = l * step;
	run_row(m, r);
}

static bool loaded(uint32_t range, uint32_t step, uint32_t stride) {
	for (unsigned l = 0; l < LANES; l++) {
		uint32_t want = 0;
		if (l * step < range)
			memcpy(&want, scene->data + l * stride + 4, 4);
		if (scene->exec >> l & 1 && scene->v8[l][0] != want)
			return false;
	}
	return true;
}

static void test_beyond(struct machine *m, const struct row *r) {
	static struct model unused;
	set_scene(r, &unused);
	run_row(m, r);
	ok(m->report.n_findings && m->report.findings[0].kind == MX_AMBIGUOUS,
	   "what a scalar load of %u bytes past the end gives is not known", r->bytes);
}

static void test_strides(struct machine *m) {
	const uint32_t word3 = STRIDE << STRIDE_SHIFT;
	run_strided(m, &by_index, RECORDS, word3, 1);
	ok(no_findings(m) && loaded(RECORDS, 1, STRIDE),
	   "an index counts records, and so does the range");
	run_strided(m, &by_index_14, RECORDS, word3, 1);
	ok(m->report.n_findings && m->report.findings[0].kind == MX_AMBIGUOUS,
	   "whether an access out of its record is in range is not known");
	run_strided(m, &by_offset, 10 * 4 + 4, word3 | IN_BYTES, 4);
	ok(no_findings(m) && loaded(10 * 4, 4, 4), "with bit 125 the range is in bytes");
	run_strided(m, &by_index, RECORDS, word3 | IN_BYTES, 1);
	ok(finding_says(m, "buffer descriptor"), "  which is not supported for an index");
	run_strided(m, &by_offset, BYTES, OTHER_BIT, 4);
	ok(finding_says(m, "buffer descriptor"), "nor are bits without a known meaning");
	run_strided(m, &by_offset, 0, 0x3f, 4);
	ok(no_findings(m) && loaded(BYTES, 4, 4), "the range has 45 bits");
}

int main(void) {
	struct machine m = machine();
	for (size_t i = 0; i < ROWS; i++)
		test_row(&m, &rows[i]);
	test_strides(&m);
	test_beyond(&m, &beyond);
	test_beyond(&m, &small_beyond);
	mx_report_free(&m.report);
	done_testing();
	return 0;
}
