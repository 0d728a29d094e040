/* The decoder: invalid dwords decode to no instruction, and an encoding without a defined meaning
 * has a reason (each form of each opcode: forms_test.c). decode.t runs
 *
 *   decode_test.t gfx950|gfx1250 FILE   one line per instruction of raw code: offset, bytes, name
 */
#include "machine_test.h"

#include <stdio.h>

#include "../../ref/isa/encoding/forms.h"

static int print_text(const struct mx_isa *isa, const char *path) {
	enum { MOST = 1 << 20 };
	uint32_t *code = malloc(4 * MOST);
	FILE *file = fopen(path, "rb");
	if (!code || !file)
		return 1;
	size_t n = fread(code, 4, MOST, file);
	for (size_t i = 0; i < n;) {
		struct mx_inst in;
		isa->decode(code + i, n - i, (uint32_t)(4 * i), &in);
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

/* Code that ends inside an instruction. The malloc lets a sanitizer detect a read beyond the
 * end. */
static void test_truncated(void) {
	unsigned wrong = 0;
	struct mx_form f;
	for (size_t i = 0; mx_form_at(&mx_gfx950, i, &f); i++)
		for (size_t left = 1; left < f.dwords; left++) {
			uint32_t *part = malloc(4 * left);
			struct mx_inst in;
			memcpy(part, f.code, 4 * left);
			mx_gfx950.decode(part, left, 0, &in);
			free(part);
			/* the first half of a scaled form is no instruction either */
			if (in.op && !wrong++)
				diag("first wrong: %s with %zu of %zu dwords", f.name, left,
				     f.dwords);
		}
	ok(!wrong, "a truncated instruction at the end of code is invalid");
}

static void test_any_dword(void) {
	uint64_t seed = 1;
	unsigned wrong = 0;
	for (int i = 0; i < 300000; i++) {
		uint32_t w[4];
		struct mx_inst in;
		for (int k = 0; k < 4; k++)
			w[k] = (uint32_t)(next_random(&seed) >> 32);
		mx_gfx950.decode(w, 4, 64, &in);
		if (in.offset != 64 || in.size % 4 || in.size < 4 || in.size > 16)
			if (!wrong++)
				diag("first wrong: %08x gives %u bytes", w[0], in.size);
	}
	ok(!wrong, "random dwords give an instruction of 4 to 16 bytes, or none");
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
		{ "an encoding that LLVM does not accept", { 0xe0551000, 0x80020201 } },
		/* ds_read_b32 v1, v2 gds */
		{ "GDS", { 0xd86d0000, 0x01000002 } },
		/* v_mov_b32_e64 v8, -v2: a move of bits has no sign */
		{ "neg or abs of a source that is not a float", { 0xd1410008, 0x20000102 } },
		/* s_mov_b64 s[5:6], 0 */
		{ "odd pair of SGPRs", { 0xbe850180, 0 } },
		/* v_cmp_eq_u32_e64 into 0xfe */
		{ "scalar destination beyond the SGPRs", { 0xd0ca00fe, 0x00020902 } },
		/* v_readfirstlane_b32 into 0x80 */
		{ "scalar destination beyond the SGPRs", { 0x7f000502, 0 } },
		/* buffer_load_dword v1, v2, s[8:11], literal offen */
		{ "literal SOFFSET", { 0xe0501000, 0xff020102 } },
	};
	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
		struct mx_inst in;
		mx_gfx950.decode(forms[i].w, 2, 0, &in);
		if (!ok(in.op && in.unsupported && !strcmp(in.unsupported, forms[i].what),
		        "%08x %08x is decoded as not implemented: %s", forms[i].w[0], forms[i].w[1],
		        forms[i].what))
			diag("got %s", in.op ? in.unsupported : "no instruction");
	}
}

/* v_fmac_f32_sdwa v8, v2, v4 src0_sel:WORD_1: gfx950 has no such form. */
static void test_no_form(void) {
	static const uint32_t code[2] = { 0x761008f9, 0x06050602 };
	struct mx_inst in;
	mx_gfx950.decode(code, 2, 0, &in);
	ok(!in.op, "a form that the opcode does not have is invalid");
}

/* Opcodes of control flow may have a literal as second source, too. */
static void test_second_literal(void) {
	static const uint32_t code[] = {
		0xbf10ff01, 0x00001234, /* s_setvskip s1, 0x1234 */
	};
	struct mx_inst in;
	mx_gfx950.decode(code, 2, 0, &in);
	if (!ok(in.op && in.size == 8 && in.literal == 0x1234, "s_setvskip takes a literal"))
		diag("%u bytes, literal 0x%x", in.size, in.literal);
}

int main(int argc, char **argv) {
	if (argc == 3)
		return print_text(strcmp(argv[1], "gfx1250") ? &mx_gfx950 : &mx_gfx1250, argv[2]);
	test_truncated();
	test_any_dword();
	test_second_literal();
	test_unsupported();
	test_no_form();
	return done_testing();
}
