/* Programs around one form of an opcode: a prologue loads the registers from memory, an epilogue
 * stores registers, the start of LDS and scratch. */
#ifndef FORM_PROGRAM_H
#define FORM_PROGRAM_H

#include "../../ref/isa/encoding/forms.h"
#include "machine_test.h"

enum {
	VGPRS = 32, /* v0 to v31: sources from v0 on, results from v16 on */
	SGPRS = 18, /* s16 to s31 and VCC */
	REGISTERS = VGPRS + SGPRS,
	RESULTS = 0x4000,
	USED = 0x7000,
};

/* Loads registers from memory. The load has one EXEC, the instruction another. */
static const uint32_t prologue[] = {
	0x24500084,             /* v_lshlrev_b32_e32 v40, 4, v0 */
	0xdc5c8000, 0x00000028, /* global_load_dwordx4 v[0:3], v40, s[0:1] */
	0xdc5c8400, 0x04000028, /* global_load_dwordx4 v[4:7], v40, s[0:1] offset:1024 */
	0xdc5c8800, 0x08000028, /* global_load_dwordx4 v[8:11], v40, s[0:1] offset:2048 */
	0xdc5c8c00, 0x0c000028, /* global_load_dwordx4 v[12:15], v40, s[0:1] offset:3072 */
	0x685250ff, 0x00001000, /* v_add_u32_e32 v41, 0x1000, v40 */
	0xdc5c8000, 0x10000029, /* global_load_dwordx4 v[16:19], v41, s[0:1] */
	0xdc5c8400, 0x14000029, /* global_load_dwordx4 v[20:23], v41, s[0:1] offset:1024 */
	0xdc5c8800, 0x18000029, /* global_load_dwordx4 v[24:27], v41, s[0:1] offset:2048 */
	0xdc5c8c00, 0x1c000029, /* global_load_dwordx4 v[28:31], v41, s[0:1] offset:3072 */
	0xc0120400, 0x00002000, /* s_load_dwordx16 s[16:31], s[0:1], 0x2000 */
	0xc0061a80, 0x00002040, /* s_load_dwordx2 vcc, s[0:1], 0x2040 */
	0xc00a0b00, 0x00002048, /* s_load_dwordx4 s[44:47], s[0:1], 0x2048 */
	0xb07c0003,             /* s_movk_i32 m0, 0x3 */
	0xbf8c0070,             /* s_waitcnt vmcnt(0) lgkmcnt(0) */
	0xbf07802c,             /* s_cmp_lg_u32 s44, 0 */
	0x7e580280,             /* v_mov_b32_e32 v44, 0 */
	0xbea90080,             /* s_mov_b32 s41, 0 */
};
/* For opcodes of memory: v0 as an offset in LDS; v[0:1] an address, s[16:17] one, and s[16:19] a
 * buffer. */
static const uint32_t lds_addresses[] = {
	0x20005080, /* v_lshrrev_b32_e32 v0, 0, v40 */
	0xb07c0040, /* s_movk_i32 m0, 0x40 */
};
static const uint32_t addresses[] = {
	0x685450ff, 0x00003000, /* v_add_u32_e32 v42, 0x3000, v40 */
	0x32005400,             /* v_add_co_u32_e32 v0, vcc, s0, v42 */
	0x7e020201,             /* v_mov_b32_e32 v1, s1 */
	0x38020280,             /* v_addc_co_u32_e32 v1, vcc, 0, v1, vcc */
	0x8010ff00, 0x00002800, /* s_add_u32 s16, s0, 0x2800 */
	0x82118001,             /* s_addc_u32 s17, s1, 0 */
	0xb0120800,             /* s_movk_i32 s18, 0x800 */
	0xbe9300ff, 0x00027000, /* s_mov_b32 s19, 0x27000 */
	0xb07c0040,             /* s_movk_i32 m0, 0x40 */
};
static const uint32_t one_exec[] = {
	0xbefe012c, /* s_mov_b64 exec, s[44:45] */
};
static const uint32_t other_exec[] = {
	0xbefe012e, /* s_mov_b64 exec, s[46:47] */
};
static const uint32_t epilogue[] = {
	0x85288081,             /* s_cselect_b32 s40, 1, 0 */
	0xbeaa017e,             /* s_mov_b64 s[42:43], exec */
	0xbf8c0070,             /* s_waitcnt vmcnt(0) lgkmcnt(0) */
	0xbefe01c1,             /* s_mov_b64 exec, -1 */
	0xc04b0a00, 0x00006000, /* s_store_dwordx4 s[40:43], s[0:1], 0x6000 glc */
	0xc04b0400, 0x00006010, /* s_store_dwordx4 s[16:19], s[0:1], 0x6010 glc */
	0xc04b0500, 0x00006020, /* s_store_dwordx4 s[20:23], s[0:1], 0x6020 glc */
	0xc04b0600, 0x00006030, /* s_store_dwordx4 s[24:27], s[0:1], 0x6030 glc */
	0xc04b0700, 0x00006040, /* s_store_dwordx4 s[28:31], s[0:1], 0x6040 glc */
	0xc0471a80, 0x00006050, /* s_store_dwordx2 vcc, s[0:1], 0x6050 glc */
	0x685250ff, 0x00004000, /* v_add_u32_e32 v41, 0x4000, v40 */
	0xdc7c8000, 0x00000029, /* global_store_dwordx4 v41, v[0:3], s[0:1] */
	0xdc7c8400, 0x00000429, /* global_store_dwordx4 v41, v[4:7], s[0:1] offset:1024 */
	0xdc7c8800, 0x00000829, /* global_store_dwordx4 v41, v[8:11], s[0:1] offset:2048 */
	0xdc7c8c00, 0x00000c29, /* global_store_dwordx4 v41, v[12:15], s[0:1] offset:3072 */
	0x685250ff, 0x00005000, /* v_add_u32_e32 v41, 0x5000, v40 */
	0xdc7c8000, 0x00001029, /* global_store_dwordx4 v41, v[16:19], s[0:1] */
	0xdc7c8400, 0x00001429, /* global_store_dwordx4 v41, v[20:23], s[0:1] offset:1024 */
	0xdc7c8800, 0x00001829, /* global_store_dwordx4 v41, v[24:27], s[0:1] offset:2048 */
	0xdc7c8c00, 0x00001c29, /* global_store_dwordx4 v41, v[28:31], s[0:1] offset:3072 */
	0x685250ff, 0x00006400, /* v_add_u32_e32 v41, 0x6400, v40 */
	0xdc708000, 0x00002c29, /* global_store_dword v41, v44, s[0:1] */
	0xd9fe0000, 0x00000028, /* ds_read_b128 v[0:3], v40 */
	0xdc5c4000, 0x047f0000, /* scratch_load_dwordx4 v[4:7], off, off */
	0xbf8c0070,             /* s_waitcnt vmcnt(0) lgkmcnt(0) */
	0x685250ff, 0x00006800, /* v_add_u32_e32 v41, 0x6800, v40 */
	0xdc7c8000, 0x00000029, /* global_store_dwordx4 v41, v[0:3], s[0:1] */
	0xdc7c8400, 0x00000429, /* global_store_dwordx4 v41, v[4:7], s[0:1] offset:1024 */
	0xbf810000,             /* s_endpgm */
};

static inline bool is_memory(const struct mx_op *op) {
	return op->encoding == MX_SMEM || op->encoding >= MX_DS;
}

/* ---- data ---- */

/* Data for the registers, including two masks for EXEC. */
static inline void fill(uint64_t random) {
	memset(arena, 0, USED);
	memset(state, ALL_WRITTEN, USED);
	for (unsigned at = 0; at < RESULTS; at += 4)
		put(at, (uint32_t)next_random(&random) & (at % 8 ? ~0u : 0x7fffffff));
}

/* Data in other registers than addresses: v4, v8; results in v16. */
static inline void set_data(struct mx_form *f) {
	static const uint32_t fields[] = { 4 << 8 | 8 << 16, 4 << 8, 0 };
	struct mx_inst in;
	mx_gfx950.decode(f->code, f->dwords, 0, &in);
	if (!f->dwords || !in.op || in.op->encoding < MX_DS)
		return;
	bool buffer = in.op->encoding == MX_MUBUF || in.op->encoding == MX_MTBUF;
	uint32_t plain = f->code[1];
	for (unsigned i = 0; i < sizeof fields / sizeof *fields; i++) {
		f->code[1] = plain | (buffer ? 16 << 8 : fields[i]);
		mx_gfx950.decode(f->code, f->dwords, 0, &in);
		if (!in.unsupported)
			return;
	}
}

#endif
