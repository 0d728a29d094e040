/* The decoder and its table: every row decodes to itself, and what is no instruction
 * decodes to none. Also the hands of table.t and decode.t:
 *
 *   decode_test.t rows          one line a row and form: name, dwords
 *   decode_test.t text FILE     one line an instruction of raw code: offset, bytes, name */
#include "machine_test.h"

#include <stdio.h>

/* ---- an encoding of each row, from the microcode formats [ISA chapter 13] ---- */

/* Registers used throughout: d = s4 or v4, sources s8, s12 or v8, v12, v16. */
static unsigned encode_vector(const struct mx_op *op, bool vop3, uint32_t w[4]) {
	uint32_t base = op->encoding == MX_VOP2 ? 0x100 : op->encoding == MX_VOP1 ? 0x140 : 0;
	bool scalar = !strncmp(op->name, "v_read", 6);
	bool writes = !strcmp(op->name, "v_writelane_b32"); /* a scalar to a lane */
	bool pair = op->flags & MX_CARRY_OUT || scalar;
	bool lane = writes || !strcmp(op->name, "v_readlane_b32");
	uint32_t src1 = op->s[1] ? 0x10c : lane ? 0x85 : 0;
	uint32_t src2 = op->flags & MX_CARRY_IN                 ? 0x14
	                : op->s[2] && !(op->flags & MX_READS_D) ? 0x110
	                                                        : 0;
	if (op->encoding == MX_VOP3P) {
		w[0] = 0xd3804004 | (uint32_t)op->opcode << 16;
		w[1] = src2 << 18 | src1 << 9 | 0x108 | 3u << 27;
		return 2;
	}
	if (vop3 || op->encoding == MX_VOP3) {
		w[0] = 0xd0000000 | (base + op->opcode) << 16 | (op->d || op->s[1] ? 4 : 0);
		w[0] |= pair && !scalar ? 18 << 8 : 0;
		w[1] = src2 << 18 | src1 << 9 | (writes ? 8 : op->s[0] ? 0x108 : 0);
		return 2;
	}
	switch (op->encoding) {
	case MX_VOP2: w[0] = (uint32_t)op->opcode << 25 | 4 << 17 | 12 << 9 | 0x108; break;
	case MX_VOP1:
		w[0] = 0x7e000000 | (op->d ? 4u << 17 : 0) | op->opcode << 9 |
		       (op->s[0] ? 0x108 : 0);
		break;
	case MX_VOP3P:
		w[0] = 0xd3804004 | (uint32_t)op->opcode << 16;
		w[1] = 0x10c << 9 | 0x108 | src2 << 18 | (uint32_t)3 << 27;
		return 2;
	default: w[0] = 0x7c000000 | (uint32_t)op->opcode << 17 | 12 << 9 | 0x108;
	}
	return op->flags & (MX_LITERAL_1 | MX_LITERAL_2) ? 2 : 1;
}

static unsigned encode_matrix(const struct mx_op *op, bool scaled, uint32_t w[4]) {
	uint32_t *x = scaled ? w + 2 : w;
	if (!strncmp(op->name, "v_accvgpr", 9)) {
		w[0] = 0xd3804004 | (uint32_t)op->opcode << 16;
		w[1] = 0x108 | 3 << 27;
		return 2;
	}
	w[0] = 0xd3ac0000;
	w[1] = 0x108 | 0x10c << 9;
	x[0] = 0xd3800000 | (uint32_t)op->opcode << 16 | (scaled ? 1 << 11 : 0);
	x[1] = 0x120 | 0x128 << 9 | 0x100u << 18;
	return scaled ? 4 : 2;
}

static uint32_t encode_ds(const struct mx_op *op) {
	bool counter = !strcmp(op->name, "ds_append") || !strcmp(op->name, "ds_consume");
	bool store = op->flags & MX_STORE && !counter;
	bool two = store && op->flags & (MX_TWO | MX_SECOND);
	bool addr = op->d && !counter && !(op->flags & MX_ADDTID);
	return (addr ? 4 : 0) | (store ? 8 << 8 : 0) | (two ? 12 << 16 : 0) |
	       (op->flags & MX_LOAD ? 8u << 24 : 0);
}

static unsigned encode(const struct mx_op *op, bool other_form, uint32_t w[4]) {
	uint32_t n = op->opcode, d = op->d ? 4 : 0, a = op->s[0] ? 8 : 0, b = op->s[1] ? 12 : 0;
	bool store = op->flags & MX_STORE;
	w[1] = 0;
	switch (op->encoding) {
	case MX_SOP2: w[0] = 0x80000000 | n << 23 | d << 16 | b << 8 | a; return 1;
	case MX_SOPK:
		w[0] = 0xb0000000 | n << 23 | (op->d || op->s[0] ? 4 << 16 : 0);
		return strcmp(op->name, "s_setreg_imm32_b32") ? 1 : 2;
	case MX_SOP1: w[0] = 0xbe800000 | d << 16 | n << 8 | a; return 1;
	case MX_SOPC: w[0] = 0xbf000000 | n << 16 | b << 8 | a; return 1;
	case MX_SOPP: w[0] = 0xbf800000 | n << 16; return 1;
	case MX_SMEM: {
		bool none = !strncmp(op->name, "s_dcache", 8) || !strncmp(op->name, "s_mem", 5);
		bool discard = !strncmp(op->name, "s_dcache_d", 10);
		w[0] = 0xc0000000 | n << 18 | (none ? 0 : 1 << 17) | (op->d ? 16 << 6 : 0);
		w[0] |= none && !discard ? 0 : 1 << 17 | 2;
		return 2;
	}
	case MX_DS:
		w[0] = 0xd8000000 | n << 17;
		w[1] = encode_ds(op);
		return 2;
	case MX_FLAT:
		w[0] = 0xdc000000 | n << 18;
		w[1] = 0x000004 | (store ? 8 << 8 : 8u << 24);
		return 2;
	case MX_SCRATCH:
	case MX_GLOBAL:
		w[0] = (op->encoding == MX_GLOBAL ? 0xdc008000 : 0xdc006000) | n << 18;
		w[1] = 0x7f0004 | (store ? 8 << 8 : op->flags & MX_TO_LDS ? 0 : 8u << 24);
		return 2;
	case MX_MUBUF:
		w[0] = op->flags ? 0xe0001000 | n << 18 : 0xe0000000 | n << 18;
		w[1] = op->flags ? 0x80020804 : 0;
		return 2;
	case MX_MTBUF:
		w[0] = 0xe8001000 | n << 15 | 4 << 19 | 7 << 23;
		w[1] = 0x80020804;
		return 2;
	case MX_MAI: return encode_matrix(op, other_form, w);
	default: return encode_vector(op, other_form, w);
	}
}

/* VOP1, VOP2 and VOPC have a VOP3 form, the F8F6F4 matrix instructions a scaled one. */
static bool has_other_form(const struct mx_op *op) {
	if (op->encoding == MX_MAI)
		return strstr(op->name, "f8f6f4");
	/* These are short forms alone [ISA 12.8]. */
	if (!strcmp(op->name, "v_readfirstlane_b32") || !strcmp(op->name, "v_accvgpr_mov_b32") ||
	    !strcmp(op->name, "v_swap_b32"))
		return false;
	if (op->flags & (MX_LITERAL_1 | MX_LITERAL_2))
		return false;
	return op->encoding == MX_VOP1 || op->encoding == MX_VOP2 || op->encoding == MX_VOPC;
}

/* ---- for the scripts ---- */

static int print_rows(void) {
	for (size_t i = 0; i < mx_op_count(); i++)
		for (int form = 0; form <= has_other_form(&mx_ops[i]); form++) {
			uint32_t w[4];
			unsigned n = encode(&mx_ops[i], form, w);
			printf("%s", mx_op_name(i));
			for (unsigned k = 0; k < n; k++)
				printf(" %08x", w[k]);
			putchar('\n');
		}
	return 0;
}

static int print_text(const char *path) {
	enum { MOST = 1 << 20 };
	uint32_t *code = malloc(4 * MOST);
	FILE *file = fopen(path, "rb");
	if (!code || !file)
		return 1;
	size_t n = fread(code, 4, MOST, file);
	for (size_t i = 0; i < n;) {
		struct mx_inst in;
		mx_decode(code + i, n - i, (uint32_t)(4 * i), &in);
		printf("%zu %u %s\n", 4 * i, in.size,
		       !in.op           ? "unknown"
		       : in.unsupported ? in.unsupported
		                        : in.op->name);
		i += in.size / 4;
	}
	fclose(file);
	free(code);
	return 0;
}

/* ---- tests ---- */

static void test_rows(void) {
	unsigned wrong = 0, forms = 0;
	for (size_t i = 0; i < mx_op_count(); i++)
		for (int form = 0; form <= has_other_form(&mx_ops[i]); form++, forms++) {
			uint32_t w[4];
			unsigned n = encode(&mx_ops[i], form, w);
			struct mx_inst in;
			mx_decode(w, n, 0, &in);
			if (in.op != &mx_ops[i] || in.size != 4 * n || in.unsupported)
				if (!wrong++)
					diag("first wrong: %s %08x %08x gives %s of %u bytes",
					     mx_ops[i].name, w[0], n > 1 ? w[1] : 0,
					     in.op ? in.op->name : "nothing", in.size);
		}
	ok(!wrong, "each of %u forms of %zu rows decodes to its row", forms, mx_op_count());
}

static void test_distinct(void) {
	unsigned same = 0;
	for (size_t i = 0; i < mx_op_count(); i++)
		for (size_t j = 0; j < i; j++)
			if ((mx_ops[i].encoding == mx_ops[j].encoding &&
			     mx_ops[i].opcode == mx_ops[j].opcode) ||
			    !strcmp(mx_ops[i].name, mx_ops[j].name))
				if (!same++)
					diag("first: %s and %s", mx_ops[j].name, mx_ops[i].name);
	ok(!same, "no two rows have the same name, or the same encoding and opcode");
}

/* Code that ends inside an instruction; the malloc lets a sanitizer see a read beyond. */
static void test_truncated(void) {
	unsigned wrong = 0;
	for (size_t i = 0; i < mx_op_count(); i++)
		for (int form = 0; form <= has_other_form(&mx_ops[i]); form++) {
			uint32_t w[4];
			unsigned n = encode(&mx_ops[i], form, w);
			for (unsigned left = 1; left < n; left++) {
				uint32_t *part = malloc(4 * left);
				struct mx_inst in;
				memcpy(part, w, 4 * left);
				mx_decode(part, left, 0, &in);
				free(part);
				/* the first half of a scaled form is no instruction either */
				if (in.op && !wrong++)
					diag("first wrong: %s with %u of %u dwords", mx_ops[i].name,
					     left, n);
			}
		}
	ok(!wrong, "an instruction that the code's end cuts off is none");
}

static void test_any_dword(void) {
	uint64_t seed = 1;
	unsigned wrong = 0;
	for (int i = 0; i < 300000; i++) {
		uint32_t w[4];
		struct mx_inst in;
		for (int k = 0; k < 4; k++)
			w[k] = (uint32_t)(next_random(&seed) >> 32);
		mx_decode(w, 4, 64, &in);
		if (in.offset != 64 || in.size % 4 || in.size < 4 || in.size > 16)
			if (!wrong++)
				diag("first wrong: %08x gives %u bytes", w[0], in.size);
	}
	ok(!wrong, "any dwords give an instruction of 4 to 16 bytes, or none");
}

static void test_unsupported(void) {
	static const struct {
		const char *what;
		uint32_t w[2];
	} forms[] = {
		/* v_pk_lshlrev_b16 v8, v2, v4 clamp */
		{ "clamp", { 0xd384c008, 0x18020902 } },
		/* v_dot2_i32_i16 v8, v2, v4, v6 with OP_SEL 1, and OP_SEL_HI 1 */
		{ "op_sel", { 0xd3a64808, 0x1c1a0902 } },
		{ "op_sel_hi", { 0xd3a64008, 0x0c1a0902 } },
		/* v_qsad_pk_u16_u8 v[8:9], v[8:9], v4, v[6:7] */
		{ "a destination that overlaps a source", { 0xd1e50008, 0x041a0908 } },
		/* v_lshlrev_b64 v[8:9], v2, v[5:6] */
		{ "odd first VGPR of several", { 0xd28f0008, 0x00020b02 } },
		/* v_mov_b64_dpp v[8:9], v[2:3] row_shl:3 */
		{ "DPP_CTRL of a 64-bit operand", { 0x7e1070fa, 0xff010302 } },
		/* global_load_dwordx2 v[1:2], v[2:3], off */
		{ "odd register for 64 bits or more", { 0xdc548000, 0x017f0002 } },
		/* buffer_load_dwordx2 v[2:3], v1, s[8:11], 0 offen lds */
		{ "an encoding that LLVM does not know", { 0xe0551000, 0x80020201 } },
		/* ds_read_b32 v1, v2 gds */
		{ "GDS", { 0xd86d0000, 0x01000002 } },
		/* v_mov_b32_e64 v8, -v2: as a move of bits it has no sign */
		{ "neg or abs of what is no float", { 0xd1410008, 0x20000102 } },
		/* s_mov_b64 s[5:6], 0 */
		{ "odd pair of SGPRs", { 0xbe850180, 0 } },
		/* v_cmp_eq_u32_e64 into 0xfe */
		{ "scalar destination beyond the SGPRs", { 0xd0ca00fe, 0x00020902 } },
		/* v_readfirstlane_b32 into 0x80 */
		{ "scalar destination beyond the SGPRs", { 0x7f000502, 0 } },
		/* v_fmac_f32_sdwa v8, v2, v4 src0_sel:WORD_1 */
		{ "an encoding that LLVM does not know", { 0x761008f9, 0x06050602 } },
		/* buffer_load_dword v1, v2, s[8:11], literal offen */
		{ "literal SOFFSET", { 0xe0501000, 0xff020102 } },
	};
	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
		struct mx_inst in;
		mx_decode(forms[i].w, 2, 0, &in);
		if (!ok(in.op && in.unsupported && !strcmp(in.unsupported, forms[i].what),
		        "%08x %08x is known and not implemented: %s", forms[i].w[0], forms[i].w[1],
		        forms[i].what))
			diag("got %s", in.op ? in.unsupported : "no instruction");
	}
}

int main(int argc, char **argv) {
	if (argc == 2 && !strcmp(argv[1], "rows"))
		return print_rows();
	if (argc == 3 && !strcmp(argv[1], "text"))
		return print_text(argv[2]);
	test_rows();
	test_distinct();
	test_truncated();
	test_any_dword();
	test_unsupported();
	return done_testing();
}
