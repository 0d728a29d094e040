/* Every memory instruction with random addresses, lanes and states of bytes: lanes that are
 * accessed together leave the same as lanes that are accessed one by one.
 *
 *   together_test.t SEED ROUNDS */
#include "both_ways.h"
#include "form_program.h"

#include "../../ref/isa/encoding/disasm.h"

/* ---- programs ---- */

static const uint32_t fill_lds_and_scratch[] = {
	0xd9be0000, 0x00000828, /* ds_write_b128 v40, v[8:11] */
	0xd9be0400, 0x00000c28, /* ds_write_b128 v40, v[12:15] offset:1024 */
	0xd9fe0000, 0x30000028, /* ds_read_b128 v[48:51], v40 */
	0xdc7c4000, 0x007f0800, /* scratch_store_dwordx4 off, v[8:11], off */
	0xdc7c4010, 0x007f0c00, /* scratch_store_dwordx4 off, v[12:15], off offset:16 */
	0xdc7c4020, 0x007f1000, /* scratch_store_dwordx4 off, v[16:19], off offset:32 */
	0xdc7c4030, 0x007f1400, /* scratch_store_dwordx4 off, v[20:23], off offset:48 */
	0xbf8c0070,             /* s_waitcnt vmcnt(0) lgkmcnt(0) */
};
static const uint32_t no_lanes[] = {
	0xbefe0180, /* s_mov_b64 exec, 0 */
};
/* Offsets in v42: v40 is 16 times the lane, v4 random. The last dword is where they start. */
static const uint32_t consecutive_quads[] = {
	0x685450ff, 0x00002800, /* v_add_u32_e32 v42, 0x2800, v40 */
};
static const uint32_t consecutive_dwords[] = {
	0x20545082,             /* v_lshrrev_b32_e32 v42, 2, v40 */
	0x685454ff, 0x00002800, /* v_add_u32_e32 v42, 0x2800, v42 */
};
/* A dword further from every second or sixteenth lane on, by the bit of the lane that is taken. */
static const uint32_t dwords_with_gaps[] = {
	0xd1c80029, 0x02050b28, /* v_bfe_u32 v41, v40, 5, 1 */
	0x20545082,             /* v_lshrrev_b32_e32 v42, 2, v40 */
	0xd1fd002a, 0x04a90529, /* v_lshl_add_u32 v42, v41, 2, v42 */
	0x685454ff, 0x00002800, /* v_add_u32_e32 v42, 0x2800, v42 */
};
static const uint32_t scattered[] = {
	0x265408ff, 0x000007ff, /* v_and_b32_e32 v42, 0x7ff, v4 */
	0x685454ff, 0x00002800, /* v_add_u32_e32 v42, 0x2800, v42 */
};
/* v0 the offset, v1 another. */
static const uint32_t as_offsets[] = {
	0x7e00032a, /* v_mov_b32_e32 v0, v42 */
	0x2602028f, /* v_and_b32_e32 v1, 15, v1 */
};

/* Flat addresses in scratch, of all lanes or of some. */
static const uint32_t some_lanes[] = {
	0xbefe012c, /* s_mov_b64 exec, s[44:45] */
};
static const uint32_t in_scratch[] = {
	0x260054b0,             /* v_and_b32_e32 v0, 48, v42 */
	0x7e0202ff, 0x00020000, /* v_mov_b32_e32 v1, 0x20000 */
	0xbefe01c1,             /* s_mov_b64 exec, -1 */
};

static void append_offsets(struct code *c, uint32_t start, uint64_t r) {
	static const uint32_t masks[] = { 0x7ff, 0x7fc, 0x7f0, 0x3f, 0xfff, 0xc };
	size_t end = c->bytes;
	switch (r % 4) {
	case 0: APPEND(c, consecutive_quads); break;
	case 1:
		if (r / 4 % 3 == 0) {
			APPEND(c, consecutive_dwords);
			break;
		}
		APPEND(c, dwords_with_gaps);
		c->dwords[end / 4 + 1] += r / 4 % 3 == 1 ? 0 : 3 << 9;
		break;
	default: APPEND(c, scattered); c->dwords[end / 4 + 1] = masks[r / 4 % 6];
	}
	c->dwords[c->bytes / 4 - 1] = start;
}

/* Sets some of an encoding's bits: offsets, OFFEN and IDXEN, LDS, an SGPR as address, SOFFSET. */
static void vary(struct mx_form *f, uint64_t r) {
	struct mx_form v = *f;
	struct mx_inst in;
	mx_gfx950.decode(f->code, f->dwords, 0, &in);
	bool buffer = in.op->encoding == MX_MUBUF || in.op->encoding == MX_MTBUF;
	v.code[0] |= (uint32_t)(r % 2 ? r / 2 % 16 * 4 : 0);
	if (buffer) {
		v.code[0] |= (uint32_t)(r / 32 % 2 << 12 | (r / 64 % 8 == 0) << 13);
		v.code[0] |= in.op->encoding == MX_MUBUF && r / 512 % 3 == 0 ? 1 << 16 : 0;
		v.code[1] |= 0x80000000u | (uint32_t)(r / 2048 % 2 ? r / 4096 % 64 << 24 : 0);
	} else if (in.op->encoding > MX_DS && r / 32 % 2)
		v.code[1] &= ~(0x7fu << 16);
	mx_gfx950.decode(v.code, v.dwords, 0, &in);
	if (in.op && !in.unsupported)
		*f = v;
}

/* Addresses of 64 bits, or offsets in LDS, in a buffer or in scratch. */
static bool is_address_pair(const struct mx_inst *in) {
	return in->op->encoding == MX_FLAT ||
	       (in->op->encoding == MX_GLOBAL && !mx_has_operand(in, MX_AT_BASE));
}

/* Buffers have 0x800 bytes. */
static uint32_t start_of(const struct mx_inst *in, uint64_t r) {
	static const uint16_t starts[] = { 0, 0, 0x7fc, 0x7f2, 0x800, 0x801 };
	if (in->op->encoding == MX_FLAT || in->op->encoding == MX_GLOBAL)
		return 0x2800;
	return in->op->encoding < MX_MUBUF ? 0 : starts[r % 6];
}

static void make_form_program(struct code *c, const struct mx_form *f, uint64_t r) {
	enum { AFTER_SUM = 2 /* in `addresses`, dwords */ };
	struct mx_inst in;
	mx_gfx950.decode(f->code, f->dwords, 0, &in);
	bool buffer = in.op->encoding == MX_MUBUF || in.op->encoding == MX_MTBUF;
	c->bytes = 0;
	APPEND(c, prologue);
	if (r / 65536 % 8)
		APPEND(c, fill_lds_and_scratch);
	append_offsets(c, start_of(&in, r / 2097152), r);
	append(c, addresses + AFTER_SUM, sizeof addresses - 4 * AFTER_SUM);
	if (!is_address_pair(&in))
		APPEND(c, as_offsets);
	if (in.op->encoding == MX_FLAT && r / 1024 % 2)
		append(c, some_lanes, r / 2048 % 2 ? sizeof some_lanes : 0);
	if (in.op->encoding == MX_FLAT && r / 1024 % 2)
		APPEND(c, in_scratch);
	if (in.op->encoding == MX_GLOBAL && mx_has_operand(&in, MX_AT_BASE))
		c->bytes -= 4; /* keeps v1, which is not read */
	if (buffer && r / 64 % 2)
		c->bytes -= 4;
	if (r / 256 % 3 == 0)
		APPEND(c, one_exec);
	else if (r / 256 % 32 == 1)
		APPEND(c, no_lanes);
	append(c, f->code, 4 * f->dwords);
	append(c, f->code, 4 * f->dwords);
	APPEND(c, epilogue);
}

static unsigned tried, differ;

static void try_form(struct machine *m, struct mx_form f, uint64_t random) {
	struct code c;
	uint64_t r = next_random(&random);
	vary(&f, next_random(&random));
	make_form_program(&c, &f, r);
	fill_initial(&random, USED);
	if (r % 4 == 0) /* of v4 to v7, which are stored */
		initial_state[1024 + next_random(&random) % 1024] &= ~MX_WRITTEN;
	m->launch.seed = r;
	const char *what = compare_ways(m, c.dwords, c.bytes);
	tried++;
	if (!what)
		return;
	if (differ++ < 5) {
		char text[200];
		mx_gfx950.disassemble(f.code, f.dwords, 0, text, sizeof text);
		diag("%s differ: %s, %llx", what, text, (unsigned long long)r);
	}
}

static bool is_memory_form(const struct mx_form *f) {
	struct mx_inst in;
	mx_gfx950.decode(f->code, f->dwords, 0, &in);
	return f->dwords && in.op && !in.unsupported && in.op->encoding >= MX_DS &&
	       !mx_form_excluded(f->opcode);
}

static void try_forms(uint64_t *random) {
	enum { TIMES = 2 };
	struct machine m = machine();
	struct mx_form f;
	whole.size = USED;
	m.kernel.lds_bytes = 2048;
	m.kernel.scratch_bytes = 64;
	for (size_t i = 0; mx_form_at(&mx_gfx950, i, &f); i++) {
		set_data(&f);
		for (unsigned k = 0; is_memory_form(&f) && k < TIMES; k++)
			try_form(&m, f, next_random(random));
	}
	mx_report_free(&m.report);
}

int main(int argc, char **argv) {
	static const char *const names[] = { "LDS reads", "LDS writes",    "loads to LDS",  "loads",
		                             "stores",    "scratch loads", "scratch stores" };
	uint64_t random = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
	for (unsigned n = rounds_of(argc, argv, 60, 9000); n--;)
		try_forms(&random);
	ok(tried > 500 && !differ,
	   "%u instructions leave the same with lanes together and one by one", tried);
	for (unsigned i = 0; i < MX_TOGETHER_KINDS; i++)
		ok(reached[i] > 10, "%s together: %llu", names[i], (unsigned long long)reached[i]);
	ok(!not_reached, "none if one by one");
	end_both_ways();
	return done_testing();
}
