/* Random programs with waves that write, wait, synchronise and read: correct programs, in which
 * each wait is the weakest sufficient one, and programs with weaker waits.
 *
 * A program is a sequence of phases. In a phase each of two buffers in LDS and in device memory is
 * private to the waves, read by all, added to by all, or written with the same values by all.
 * Between phases waves wait for their accesses to buffers, and synchronise. Addresses and branches
 * depend only on the wave's number, so a value that is read too early does not change them. At the
 * end registers, LDS and scratch are stored.
 *
 *   v8 own lanes, v9 the next wave's, v10 wave 0's, v11 own lanes shifted by one: offsets of 16
 * bytes in a buffer; the second buffer is 1024 bytes after the first. v[32:33] v[34:35] v[36:37]
 * own lanes as flat addresses: in LDS, in memory, and every second in either. v16..v31, s32..s39
 * values. s[0:1] input; s[6:7] memory; s[16:19], s[24:27] the two as buffers; s[44:45] own part */
#ifndef PROOF_PROGRAM_H
#define PROOF_PROGRAM_H

#include "machine_test.h"

enum {
	OWN_BYTES = 2048, /* of a wave in LDS and in memory: two buffers of 1024 */
	LDS_BYTES = 4 * OWN_BYTES,
	FLAG_BYTES = 1024,   /* after them in LDS */
	GRID_FLAGS = 0x9000, /* in device memory */
	OUTPUTS = 0x10000,   /* their start; bytes per wave and per workgroup */
	WAVE_OUTPUT = 0x2000,
	GROUP_OUTPUT = 0x8000,
	GROUPS_MOST = 3,
	USED = OUTPUTS + GROUPS_MOST * GROUP_OUTPUT,
	ROOM = 2048,
};

/* ---- instructions ---- */

typedef enum { DS, GLOBAL, BUFFER, FLAT, SCRATCH, SCALAR } form;
enum { FORMS = SCALAR + 1 };
typedef enum { LOAD, STORE, ADD, FETCH_ADD, DMA } action;
typedef enum { ONE, TWO, ST64 } elements;

struct row {
	uint32_t dwords[2];
	form form;
	action action;
	elements elements;
	unsigned bytes;
};
#define PAIR(a, b)                                                                                 \
	{ a, b }
#define ROW(assembly, code, form, action, elements, bytes)                                         \
	{ PAIR code, form, action, elements, bytes },
static const struct row memory_rows[] = {
#include "proof.def"
};
#undef ROW

static const uint32_t prologue[] = {
	0x8e0d8d02,             /* s_lshl_b32 s13, s2, 13 */
	0x260200bf,             /* v_and_b32_e32 v1, 63, v0 */
	0x20040086,             /* v_lshrrev_b32_e32 v2, 6, v0 */
	0x7e180502,             /* v_readfirstlane_b32 s12, v2 */
	0x8e2a8b0c,             /* s_lshl_b32 s42, s12, 11 */
	0x802bff2a, 0x00000400, /* s_add_u32 s43, s42, 0x400 */
	0x800dff0d, 0x00002000, /* s_add_u32 s13, s13, 0x2000 */
	0x80060d00,             /* s_add_u32 s6, s0, s13 */
	0x82078001,             /* s_addc_u32 s7, s1, 0 */
	0x802c2a06,             /* s_add_u32 s44, s6, s42 */
	0x822d8007,             /* s_addc_u32 s45, s7, 0 */
	0xbe900106,             /* s_mov_b64 s[16:17], s[6:7] */
	0xb0122000,             /* s_movk_i32 s18, 0x2000 */
	0xbe9300ff, 0x00027000, /* s_mov_b32 s19, 0x27000 */
	0xbe980100,             /* s_mov_b64 s[24:25], s[0:1] */
	0xbe9a0112,             /* s_mov_b64 s[26:27], s[18:19] */
	0xbe9400ff, 0x55555555, /* s_mov_b32 s20, 0x55555555 */
	0xbe950014,             /* s_mov_b32 s21, s20 */
	0xbe960514,             /* s_not_b64 s[22:23], s[20:21] */
	0x24140284,             /* v_lshlrev_b32_e32 v10, 4, v1 */
	0x6810142a,             /* v_add_u32_e32 v8, s42, v10 */
	0x681210ff, 0x00000800, /* v_add_u32_e32 v9, 0x800, v8 */
	0x261212ff, 0x00001fff, /* v_and_b32_e32 v9, 0x1fff, v9 */
	0x68161490,             /* v_add_u32_e32 v11, 16, v10 */
	0x261616ff, 0x000003ff, /* v_and_b32_e32 v11, 0x3ff, v11 */
	0x6816162a,             /* v_add_u32_e32 v11, s42, v11 */
	0x7e400308,             /* v_mov_b32_e32 v32, v8 */
	0x7e4202ff, 0x00010000, /* v_mov_b32_e32 v33, 0x10000 */
	0x32441006,             /* v_add_co_u32_e32 v34, vcc, s6, v8 */
	0x7e460207,             /* v_mov_b32_e32 v35, s7 */
	0x38464680,             /* v_addc_co_u32_e32 v35, vcc, 0, v35, vcc */
	0x7e480320,             /* v_mov_b32_e32 v36, v32 */
	0x7e4a0321,             /* v_mov_b32_e32 v37, v33 */
	0xbefe0114,             /* s_mov_b64 exec, s[20:21] */
	0x7e480322,             /* v_mov_b32_e32 v36, v34 */
	0x7e4a0323,             /* v_mov_b32_e32 v37, v35 */
	0xbefe01c1,             /* s_mov_b64 exec, -1 */
	0xdc5c8000, 0x10000008, /* global_load_dwordx4 v[16:19], v8, s[0:1] */
	0xdc5c8400, 0x14000008, /* global_load_dwordx4 v[20:23], v8, s[0:1] offset:1024 */
	0xdc5c8000, 0x18000009, /* global_load_dwordx4 v[24:27], v9, s[0:1] */
	0xdc5c8400, 0x1c000009, /* global_load_dwordx4 v[28:31], v9, s[0:1] offset:1024 */
	0xdc5c8000, 0x10800008, /* global_load_dwordx4 a[16:19], v8, s[0:1] */
	0xdc5c8400, 0x14800008, /* global_load_dwordx4 a[20:23], v8, s[0:1] offset:1024 */
	0xdc5c8000, 0x18800009, /* global_load_dwordx4 a[24:27], v9, s[0:1] */
	0xdc5c8400, 0x1c800009, /* global_load_dwordx4 a[28:31], v9, s[0:1] offset:1024 */
	0xc00e0800, 0x00000040, /* s_load_dwordx8 s[32:39], s[0:1], 0x40 */
	0xbf8c0070,             /* s_waitcnt vmcnt(0) lgkmcnt(0) */
	0xd9be0000, 0x00001008, /* ds_write_b128 v8, v[16:19] */
	0xd9be0400, 0x00001408, /* ds_write_b128 v8, v[20:23] offset:1024 */
	0xdc7c4000, 0x007f1000, /* scratch_store_dwordx4 off, v[16:19], off */
	0xbf8c0070,             /* s_waitcnt vmcnt(0) lgkmcnt(0) */
	0xbf8a0000,             /* s_barrier */
};
static const uint32_t epilogue[] = {
	0x8e0d8f02,             /* s_lshl_b32 s13, s2, 15 */
	0x800e0d00,             /* s_add_u32 s14, s0, s13 */
	0x820f8001,             /* s_addc_u32 s15, s1, 0 */
	0x8e0d8d0c,             /* s_lshl_b32 s13, s12, 13 */
	0x800dff0d, 0x00010000, /* s_add_u32 s13, s13, 0x10000 */
	0x800e0d0e,             /* s_add_u32 s14, s14, s13 */
	0x820f800f,             /* s_addc_u32 s15, s15, 0 */
	0xdc7c8000, 0x000e100a, /* global_store_dwordx4 v10, v[16:19], s[14:15] */
	0xdc7c8400, 0x000e140a, /* global_store_dwordx4 v10, v[20:23], s[14:15] offset:1024 */
	0xdc7c8800, 0x000e180a, /* global_store_dwordx4 v10, v[24:27], s[14:15] offset:2048 */
	0xdc7c8c00, 0x000e1c0a, /* global_store_dwordx4 v10, v[28:31], s[14:15] offset:3072 */
	0xbf8c0070,             /* s_waitcnt vmcnt(0) lgkmcnt(0) */
	0xbf8a0000,             /* s_barrier */
	0xd9fe0000, 0x10000008, /* ds_read_b128 v[16:19], v8 */
	0xd9fe0400, 0x14000008, /* ds_read_b128 v[20:23], v8 offset:1024 */
	0xdc5c4000, 0x187f0000, /* scratch_load_dwordx4 v[24:27], off, off */
	0xbf8c0070,             /* s_waitcnt vmcnt(0) lgkmcnt(0) */
	0xd28a001c, 0x00010020, /* v_writelane_b32 v28, s32, 0 */
	0xd28a001c, 0x00010221, /* v_writelane_b32 v28, s33, 1 */
	0xd28a001c, 0x00010422, /* v_writelane_b32 v28, s34, 2 */
	0xd28a001c, 0x00010623, /* v_writelane_b32 v28, s35, 3 */
	0xd28a001c, 0x00010824, /* v_writelane_b32 v28, s36, 4 */
	0xd28a001c, 0x00010a25, /* v_writelane_b32 v28, s37, 5 */
	0xd28a001c, 0x00010c26, /* v_writelane_b32 v28, s38, 6 */
	0xd28a001c, 0x00010e27, /* v_writelane_b32 v28, s39, 7 */
	0x800eff0e, 0x00001000, /* s_add_u32 s14, s14, 0x1000 */
	0x820f800f,             /* s_addc_u32 s15, s15, 0 */
	0xdc7c8000, 0x000e100a, /* global_store_dwordx4 v10, v[16:19], s[14:15] */
	0xdc7c8400, 0x000e140a, /* global_store_dwordx4 v10, v[20:23], s[14:15] offset:1024 */
	0xdc7c8800, 0x000e180a, /* global_store_dwordx4 v10, v[24:27], s[14:15] offset:2048 */
	0xdc7c8c00, 0x000e1c0a, /* global_store_dwordx4 v10, v[28:31], s[14:15] offset:3072 */
	0xbf810000,             /* s_endpgm */
};

static const uint32_t one_part[] = {
	0xbe8d0080, /* s_mov_b32 s13, 0 */
};
static const uint32_t small_buffer[] = {
	0xb0122000, /* s_movk_i32 s18, 0x2000 */
};
static const uint32_t one_nop[] = {
	0xbf800000, /* s_nop 0 */
};
static const uint32_t one_barrier[] = {
	0xbf8a0000, /* s_barrier */
};
static const uint32_t one_end[] = {
	0xbf810000, /* s_endpgm */
};
static const uint32_t no_wait[] = {
	0xbf8ccf7f, /* s_waitcnt vmcnt(63) expcnt(7) lgkmcnt(15) */
};
static const uint32_t if_wave[] = {
	0xbf0d0c80, /* s_bitcmp1_b32 0, s12 */
	0xbf840000, /* s_cbranch_scc0 0 */
};
static const uint32_t exec_of[][1] = {
	{ 0xbefe01c1, /* s_mov_b64 exec, -1 */ },
	{ 0xbefe0114, /* s_mov_b64 exec, s[20:21] */ },
	{ 0xbefe0116, /* s_mov_b64 exec, s[22:23] */ },
	{ 0xbefe0180, /* s_mov_b64 exec, 0 */ },
};
static const uint32_t exec_of_one[] = {
	0xbefe0181, /* s_mov_b64 exec, 1 */
};
static const uint32_t lds_base[] = {
	0xbefc002a, /* s_mov_b32 m0, s42 */
};
static const uint32_t twice[] = {
	0xb0280002, /* s_movk_i32 s40, 0x2 */
};
static const uint32_t again[] = {
	0x80a88128, /* s_sub_u32 s40, s40, 1 */
	0xbf078028, /* s_cmp_lg_u32 s40, 0 */
	0xbf850000, /* s_cbranch_scc1 0 */
};

/* ---- operations in flight, as the generator tracks them ---- */

/* Registers: VGPRs, then SGPRs and AGPRs. */
enum { SGPRS = 256, AGPRS = 512 };
typedef enum {
	VECTOR,
	APART,
	SHARED,
	SCALARS,
	STREAMS
} stream; /* APART: scratch, if out of order */
typedef enum { NOWHERE, INPUT, LDS, MEMORY, PRIVATE_SEGMENT } space;

struct use {
	unsigned first, n;
	bool write;
};
struct touch {
	space space;
	unsigned buffers; /* bits */
	bool write;
};
enum { USES = 6 };
struct op {
	uint32_t dwords[4];
	unsigned size; /* in dwords */
	struct use use[USES];
	struct touch touch[3];
	bool stream[STREAMS];
	bool is_barrier; /* a barrier of the waves of a workgroup */
	bool crosses;    /* it accesses registers of lanes that are not in EXEC */
};

/* An operation of one wave that is not yet covered by a wait. */
struct flight {
	stream stream;
	unsigned lanes; /* 1 even lanes, 2 odd lanes */
	struct op op;
};

enum { FLIGHTS = 256 };
struct tracked {
	unsigned n;
	struct flight flight[FLIGHTS];
	bool ended;
};

/* SAME: all waves store to wave 0's part. */
typedef enum { PRIVATE, READ, ADDED, SAME } role;

/* FLAGS: flags or barriers. */
typedef enum { BARRIERS, FLAGS, GRID } through;

struct program {
	uint64_t random;
	unsigned waves, groups;
	bool groups_share, scratch_apart, same_values;
	bool one_l1; /* no waits for accesses that one L1 orders, and no scalar memory */
	through through;
	unsigned wave_sync;     /* by flags */
	bool keeps, kept[ROOM]; /* instructions without which it may not end */
	unsigned weak;          /* chance in 256 that a wait, a barrier or a role is wrong */
	unsigned loose;         /* the same for wave_sync, where waves publish their writes */
	bool hand_over;         /* buffers are private in one phase and read by all in the next */
	unsigned phase;
	unsigned rmw;   /* chance in 256 that an atomic returns */
	unsigned forms; /* mask of the forms of its memory instructions */
	uint32_t dwords[ROOM];
	unsigned n;
	unsigned at[ROOM], instructions; /* the first dword of each after the prologue */
	unsigned body;
	struct tracked wave[4];
	role role[2][2]; /* LDS and memory, of each buffer */
	unsigned mask, lanes;
};

static inline unsigned any(struct program *p, unsigned n) {
	return (unsigned)((next_random(&p->random) >> 32) * n >> 32);
}
static inline bool weakens(struct program *p) {
	return any(p, 256) < p->weak;
}

/* Whether to weaken this synchronisation. */
static inline bool weakens_sync(struct program *p) {
	return weakens(p) || any(p, 256) < p->loose;
}

static inline void emit(struct program *p, const uint32_t *dwords, unsigned n) {
	if (p->n + n > ROOM - sizeof epilogue / 4)
		return;
	p->kept[p->instructions] = p->keeps;
	p->at[p->instructions++] = p->n;
	memcpy(p->dwords + p->n, dwords, 4 * n);
	p->n += n;
}
#define EMIT(p, part) emit(p, part, sizeof(part) / 4)

/* ---- waits ---- */

static inline bool overlap(const struct use *a, const struct use *b) {
	return a->first < b->first + b->n && b->first < a->first + a->n;
}

static inline bool in_order(const struct flight *f, const struct op *op) {
	return f->stream != SCALARS && op->stream[f->stream] && !op->stream[SCALARS];
}

static inline bool needs_registers(const struct program *p, const struct flight *f,
                                   const struct op *op) {
	for (unsigned i = 0; i < USES; i++)
		for (unsigned k = 0; k < USES; k++) {
			const struct use *a = &f->op.use[i], *b = &op->use[k];
			bool apart = a->first < SGPRS && !(f->lanes & p->lanes) && !op->crosses;
			if (a->write && overlap(a, b) && !apart && !(b->write && in_order(f, op)))
				return true;
		}
	return false;
}

static inline bool needs(const struct program *p, const struct flight *f, const struct op *op) {
	for (unsigned i = 0; i < 3; i++)
		for (unsigned k = 0; k < 3; k++) {
			const struct touch *s = &f->op.touch[i], *t = &op->touch[k];
			bool through_l1 = p->one_l1 && op->is_barrier && f->stream == VECTOR &&
			                  s->space == MEMORY;
			if (s->space && s->space == t->space && s->buffers & t->buffers &&
			    (s->write || t->write) && !in_order(f, op) && !through_l1)
				return true;
		}
	return needs_registers(p, f, op);
}

static inline bool counts_on_vmcnt(const struct flight *f) {
	return f->stream == VECTOR || f->stream == APART;
}

static inline unsigned younger(const struct tracked *t, unsigned i) {
	unsigned n = 0;
	if (t->flight[i].stream == SCALARS)
		return 0;
	for (unsigned k = i + 1; k < t->n; k++)
		n += t->flight[k].stream == t->flight[i].stream;
	return n;
}

static inline void cover(struct tracked *t, unsigned vm, unsigned lgkm) {
	unsigned kept = 0;
	bool over[FLIGHTS];
	for (unsigned i = 0; i < t->n; i++)
		over[i] = t->flight[i].stream == SCALARS
		                  ? !lgkm
		                  : younger(t, i) >= (counts_on_vmcnt(&t->flight[i]) ? vm : lgkm);
	for (unsigned i = 0; i < t->n; i++)
		if (!over[i])
			t->flight[kept++] = t->flight[i];
	t->n = kept;
}

static inline uint32_t wait_of(unsigned vm, unsigned lgkm) {
	return (no_wait[0] & ~0xcf0fu) | (vm & 15) | vm >> 4 << 14 | lgkm << 8;
}

/* A weaker wait. */
static inline uint32_t weaker(struct program *p, unsigned vm, unsigned lgkm) {
	switch (any(p, 4)) {
	case 0: return one_nop[0];
	case 1: return wait_of(vm < 62 ? vm + 1 : 63, lgkm);
	case 2: return wait_of(vm, lgkm < 14 ? lgkm + 1 : 15);
	default: return vm < 63 ? wait_of(63, lgkm) : wait_of(vm, 15);
	}
}

/* Emits a wait of the waves of p->mask, sometimes stronger than needed. */
static inline void emit_wait(struct program *p, unsigned vm, unsigned lgkm) {
	if (vm == 63 && lgkm == 15)
		return;
	if (!any(p, 4))
		vm = any(p, vm + 1), lgkm = any(p, lgkm + 1);
	uint32_t wait = weakens(p) ? weaker(p, vm, lgkm) : wait_of(vm, lgkm);
	emit(p, &wait, 1);
	for (unsigned w = 0; w < p->waves; w++)
		if (p->mask >> w & 1)
			cover(&p->wave[w], vm, lgkm);
}

static inline void wait_for(struct program *p, const struct op *op) {
	unsigned vm = 63, lgkm = 15;
	for (unsigned w = 0; w < p->waves; w++)
		for (unsigned i = 0; p->mask >> w & 1 && i < p->wave[w].n; i++) {
			const struct flight *f = &p->wave[w].flight[i];
			unsigned left = younger(&p->wave[w], i),
				 most = counts_on_vmcnt(f) ? 62 : 14;
			left = left < most ? left : most;
			if (!needs(p, f, op))
				continue;
			if (counts_on_vmcnt(f))
				vm = left < vm ? left : vm;
			else
				lgkm = left < lgkm ? left : lgkm;
		}
	emit_wait(p, vm, lgkm < 15 ? lgkm : 15);
}

static inline void emit_op(struct program *p, const struct op *op) {
	wait_for(p, op);
	emit(p, op->dwords, op->size);
	for (unsigned w = 0; w < p->waves; w++)
		for (unsigned s = 0; p->mask >> w & 1 && s < STREAMS; s++)
			if (op->stream[s] && p->wave[w].n < FLIGHTS)
				p->wave[w].flight[p->wave[w].n++] =
					(struct flight){ (stream)s, p->lanes, *op };
}

/* ---- registers ---- */

static inline unsigned some_vgpr(struct program *p, unsigned n) {
	unsigned align = n > 2 ? 4 : n;
	return 16 + any(p, 16 / align) * align;
}
static inline unsigned some_sgpr(struct program *p, unsigned n) {
	return 32 + any(p, 8 / n) * n;
}

/* ---- memory ---- */

/* The part of a buffer that an address selects. */
typedef enum { OWN, NEXT, FIRST, SHIFTED, PARTS } part_of;
enum { OWN_ADDRESS = 8, FLAT_ADDRESS = 32 };

#include "proof_alu.h"

struct choice {
	const struct row *r;
	part_of part;
	unsigned buffer;    /* 0, 1 */
	space source;       /* of loaded data */
	unsigned flat_pair; /* LDS, memory, both */
	unsigned data, data2;
};

/* Whether the role of a buffer permits this access to this part. */
static inline bool role_permits(const struct program *p, space s, unsigned buffer, part_of part,
                                action action) {
	if (s != LDS && s != MEMORY)
		return true;
	switch (p->role[s == MEMORY][buffer]) {
	case PRIVATE: return part == OWN || part == SHIFTED;
	case READ: return action == LOAD || action == DMA;
	case SAME: return action == STORE && part == FIRST;
	default: return action == ADD || action == FETCH_ADD;
	}
}

static inline unsigned buffers_of(const struct choice *c) {
	return c->r->elements == ST64 ? 3 : 1u << c->buffer;
}

/* The spaces that a choice accesses, stores first. */
static inline void touches_of(const struct choice *c, struct touch t[3]) {
	bool write = c->r->action != LOAD;
	memset(t, 0, 3 * sizeof *t);
	switch (c->r->form) {
	case DS: t[0].space = LDS; break;
	case SCRATCH: t[0].space = PRIVATE_SEGMENT; break;
	case FLAT:
		t[0].space = c->flat_pair == 1 ? MEMORY : LDS;
		t[1].space = c->flat_pair == 2 ? MEMORY : NOWHERE;
		break;
	default: t[0].space = write ? MEMORY : c->source;
	}
	t[0].write = t[1].write = write;
	t[0].buffers = t[1].buffers = t[0].space == PRIVATE_SEGMENT ? 1 : buffers_of(c);
	if (c->r->action == DMA) {
		t[0].space = LDS;
		/* No offset: it would also move the destination. */
		t[1] = (struct touch){ c->source, 1, false };
	}
}

static inline bool is_right(const struct program *p, const struct choice *c) {
	struct touch t[3];
	touches_of(c, t);
	for (unsigned i = 0; i < 2; i++)
		for (unsigned b = 0; b < 2; b++) {
			bool source = c->r->action == DMA && i;
			/* LDS-DMA always writes the wave's own part. */
			part_of part = c->r->action == DMA && !i ? OWN : c->part;
			action action = source ? LOAD : c->r->action == DMA ? STORE : c->r->action;
			if (t[i].buffers >> b & 1 && !role_permits(p, t[i].space, b, part, action))
				return false;
			if (t[i].space == MEMORY && p->groups_share && action == STORE)
				return false;
		}
	return true;
}

/* The register file of a row's data [ISA chapter 13: ACC]. */
static inline unsigned file_of(const struct row *r) {
	bool acc = r->form == DS ? r->dwords[0] >> 25 & 1 : r->dwords[1] >> 23 & 1;
	return r->form == SCALAR ? SGPRS : acc ? AGPRS : 0;
}

static inline unsigned registers_of(const struct row *r) {
	unsigned n = (r->bytes + 3) / 4;
	return r->elements == ONE ? n : 2 * n;
}

static inline const struct row *some_row(struct program *p) {
	const struct row *r;
	form f;
	do
		f = (form)any(p, FORMS);
	while (!(p->forms >> f & 1));
	do
		r = &memory_rows[any(p, sizeof memory_rows / sizeof *memory_rows)];
	while (r->form != f);
	return r;
}

static inline struct choice choose(struct program *p) {
	struct choice c = { .r = some_row(p),
		            .part = (part_of)any(p, PARTS),
		            .buffer = any(p, 2),
		            .source = any(p, 2) ? INPUT : MEMORY,
		            .flat_pair = any(p, 3) };
	const struct row *r = c.r;
	if (r->elements != ONE && r->bytes == 4)
		c.buffer = 0;
	if (r->form == FLAT || r->form == SCALAR)
		c.part = OWN;
	bool scalar = r->form == SCALAR;
	unsigned n = r->action == LOAD ? registers_of(r) : (r->bytes + 3) / 4;
	c.data = scalar ? some_sgpr(p, n) : some_vgpr(p, n);
	c.data2 = some_vgpr(p, n);
	return c;
}

/* The register fields of store data and results in 64-bit encodings of vector memory and LDS [ISA
 * chapter 13]; for DS also the second element. */
static inline uint32_t data_fields(const struct choice *c) {
	switch (c->r->action) {
	case DMA: return 0;
	case LOAD: return (uint32_t)c->data << (c->r->form == BUFFER ? 8 : 24);
	case FETCH_ADD: return c->data << 8 | (uint32_t)c->data2 << 24;
	default: return c->data << 8 | (c->r->elements != ONE ? c->data2 << 16 : 0);
	}
}

static inline uint32_t ds_offset(const struct choice *c, unsigned at) {
	if (c->r->elements == ONE)
		return at;
	if (c->r->elements == ST64)
		return 4 << 8;
	return at / c->r->bytes | (at / c->r->bytes ^ 1) << 8;
}

/* Sets registers and offsets; `inner`: the offset in the 16 bytes. */
static inline void encode(const struct choice *c, unsigned inner, uint32_t d[2]) {
	unsigned at = 1024 * c->buffer + inner, address = OWN_ADDRESS + c->part;
	bool dma = c->r->action == DMA;
	bool input = (dma || c->r->action == LOAD) && c->source == INPUT;
	if (c->r->form != SCALAR)
		d[1] |= data_fields(c);
	switch (c->r->form) {
	case DS:
		d[0] |= ds_offset(c, at);
		d[1] |= address;
		break;
	case GLOBAL:
		d[0] |= dma ? 0 : at;
		d[1] |= address | (input ? 0 : 6) << 16;
		break;
	case BUFFER:
		d[0] |= dma ? 0 : at;
		d[1] |= address | (input ? 24 : 16) / 4 << 16;
		break;
	case FLAT:
		d[0] |= at;
		d[1] |= FLAT_ADDRESS + 2 * c->flat_pair;
		break;
	case SCRATCH: d[0] |= inner; break;
	case SCALAR: d[0] |= c->data << 6 | (input ? 0 : 44) / 2; d[1] |= at;
	}
}

static inline struct op memory_op(struct program *p, const struct choice *c) {
	const struct row *r = c->r;
	unsigned room = r->elements == ONE ? 16 : 16 - r->bytes;
	unsigned inner = r->bytes < 12 ? any(p, room / r->bytes) * r->bytes : 0;
	unsigned base = file_of(r), n = (r->bytes + 3) / 4;
	bool load = r->action == LOAD, vector = r->form != DS && r->form != SCALAR;
	struct op op = { { r->dwords[0], r->dwords[1] }, .size = 2 };
	if (r->form == SCALAR)
		inner &= ~3u;
	encode(c, inner, op.dwords);
	touches_of(c, op.touch);
	if (r->action != DMA)
		op.use[0] = (struct use){ base + c->data, load ? registers_of(r) : n, load };
	if (r->action == STORE && r->elements != ONE)
		op.use[1] = (struct use){ c->data2, n, false };
	if (r->action == FETCH_ADD)
		op.use[1] = (struct use){ c->data2, 1, true };
	op.stream[SHARED] = r->form == DS;
	op.stream[SCALARS] = r->form == SCALAR || (r->form == FLAT && c->flat_pair != 1);
	op.stream[APART] = p->scratch_apart && r->form == SCRATCH;
	/* Of a FLAT access to both, every second lane is in memory. */
	bool in_lds = r->form == FLAT && !(c->flat_pair == 1 ? p->lanes
	                                   : c->flat_pair    ? p->lanes & 1
	                                                     : 0);
	op.stream[VECTOR] = vector && !op.stream[APART] && !in_lds;
	return op;
}

/* With hand_over most of one phase writes, and the next reads other waves' parts. */
static inline bool fits_phase(struct program *p, const struct choice *c) {
	bool load = c->r->action == LOAD, reads = p->phase % 2 == 0;
	if (!p->hand_over || !any(p, 4))
		return true;
	return reads ? load && (c->part == NEXT || c->part == FIRST) &&
	                       (c->r->form == DS || c->source == MEMORY)
	             : !load;
}

/* Lanes that are off leave the result of a transposing read undefined. */
static inline bool transposes(const struct row *r) {
	return r->dwords[0] >> 19 == 0xd9c00000 >> 19;
}

/* Chooses an access that the roles of buffers permit, or sometimes one that they do not. */
static inline bool find_choice(struct program *p, struct choice *c) {
	for (unsigned tries = p->hand_over ? 32 : 8; tries--;) {
		*c = choose(p);
		if (c->r->action == FETCH_ADD && any(p, 256) >= p->rmw)
			continue;
		if (!fits_phase(p, c) || (transposes(c->r) && p->lanes != 3))
			continue;
		if (is_right(p, c) || weakens(p))
			return true;
	}
	return false;
}

static inline void emit_memory(struct program *p) {
	struct choice c;
	if (!find_choice(p, &c)) {
		struct op op = alu(p);
		emit_op(p, &op);
		return;
	}
	if (c.r->action == DMA) {
		uint32_t base = lds_base[0] + c.buffer; /* s42 or s43 */
		emit(p, &base, 1);
	}
	struct op op = memory_op(p, &c);
	emit_op(p, &op);
}

/* ---- blocks, phases ---- */

static inline unsigned all_waves(const struct program *p) {
	return (1u << p->waves) - 1;
}

/* Begins code that only the waves of a mask execute; returns the position of its branch. */
static inline unsigned begin(struct program *p, unsigned mask) {
	p->mask = mask;
	if (mask == all_waves(p))
		return 0;
	uint32_t test = if_wave[0] | mask;
	emit(p, &test, 1);
	emit(p, if_wave + 1, 1);
	return p->n - 1;
}
static inline void end(struct program *p, unsigned branch) {
	if (branch)
		p->dwords[branch] |= p->n - branch - 1;
	p->mask = all_waves(p);
}

static inline unsigned some_waves(struct program *p) {
	unsigned mask = any(p, 2) ? all_waves(p) : 1 + any(p, all_waves(p));
	return mask;
}

static inline void emit_block(struct program *p) {
	static const unsigned lanes[] = { 3, 1, 2, 0 };
	unsigned branch = begin(p, some_waves(p)), exec = any(p, 4) ? 0 : 1 + any(p, 7) / 3;
	if (exec)
		EMIT(p, exec_of[exec]);
	p->lanes = lanes[exec];
	for (unsigned i = 1 + any(p, 5); i--;)
		if (any(p, 4))
			emit_memory(p);
		else {
			struct op op = alu(p);
			emit_op(p, &op);
		}
	if (exec)
		EMIT(p, exec_of[0]);
	p->lanes = 3;
	end(p, branch);
}

#include "proof_meeting.h"

/* Workgroups that share memory have no private part of it. */
static inline role some_role(struct program *p, bool memory) {
	if (!p->hand_over)
		return (role)any(p, p->same_values ? SAME + 1 : SAME);
	return p->phase % 2 ? READ : memory && p->groups_share ? ADDED : PRIVATE;
}

static inline void emit_phase(struct program *p) {
	bool loop = !any(p, 4) && p->through != GRID;
	unsigned start = p->n + 1;
	if (loop) {
		emit_wait(p, 0, 0);
		start = p->n + 1;
		EMIT(p, twice);
	}
	for (unsigned i = 0; i < 4; i++)
		p->role[i / 2][i % 2] = some_role(p, i / 2);
	p->phase++;
	for (unsigned i = 1 + any(p, 4); i--;)
		emit_block(p);
	if (loop)
		emit_wait(p, 0, 0);
	emit_sync(p, loop);
	if (loop) {
		emit(p, again, 1);
		emit(p, again + 1, 1);
		uint32_t back = again[2] | ((start - p->n - 1) & 0xffff);
		emit(p, &back, 1);
	}
}

static const struct op all_values = {
	.use = { { 16, 16, false }, { SGPRS + 32, 8, false } },
};

/* All waves load the same values, from wave 0's address. */
static inline void make_same_values(struct program *p) {
	for (unsigned i = 0; i < p->n; i++)
		if ((p->dwords[i] & ~0x400u) == 0xdc5c8000)
			p->dwords[i + 1] = (p->dwords[i + 1] & ~255u) | (OWN_ADDRESS + FIRST);
}

/* The buffer descriptors end within a wave's part. */
static inline void make_small(struct program *p) {
	uint32_t bytes = 0x1000 + 4 * any(p, 0x200);
	for (unsigned i = 0; i < p->n; i++)
		if (p->dwords[i] == small_buffer[0])
			p->dwords[i] = (small_buffer[0] & ~0xffffu) | bytes;
}

/* Program `seed`. */
static inline void make_program(struct program *p, uint64_t seed) {
	static const unsigned chances[] = { 0, 16, 48, 96 };
	*p = (struct program){ .random = seed, .lanes = 3 };
	p->waves = 1 + any(p, 4);
	p->groups = any(p, 4) ? 1 : 2 + any(p, GROUPS_MOST - 1);
	p->groups_share = p->groups > 1 && any(p, 2);
	p->scratch_apart = !any(p, 8);
	p->weak = chances[any(p, 4)];
	p->through = any(p, 3) ? BARRIERS : p->groups_share ? GRID : FLAGS;
	p->rmw = any(p, 16) || p->through ? 0 : 128;
	p->forms = any(p, 2) ? (1u << FORMS) - 1 : 1 + any(p, (1u << FORMS) - 1);
	p->hand_over = p->through || !any(p, 4);
	if (p->hand_over) {
		p->waves = 2 + any(p, 3);
		p->weak = 0;
		p->loose = any(p, 2) ? 0 : 96;
	}
	p->one_l1 = !any(p, p->hand_over ? 2 : 4) && p->forms != 1u << SCALAR;
	p->forms &= ~(p->one_l1 ? 1u << SCALAR : 0);
	EMIT(p, prologue);
	if (p->groups_share)
		p->dwords[0] = one_part[0];
	p->same_values = !any(p, 4);
	if (p->same_values)
		make_same_values(p);
	if (!any(p, 8))
		make_small(p);
	if (p->through == FLAGS)
		EMIT(p, clear_flags);
	else if (p->through == GRID)
		emit(p, clear_flags + 6, 1); /* v41 */
	p->body = p->n;
	p->instructions = 0;
	p->mask = all_waves(p);
	for (unsigned i = 1 + p->hand_over + any(p, 3); i--;)
		emit_phase(p);
	wait_for(p, &all_values);
	memcpy(p->dwords + p->n, epilogue, sizeof epilogue);
	p->at[p->instructions] = p->n;
	p->n += sizeof epilogue / 4;
}

#endif
