/* The machine of gfx1250: banks of VGPRs, and names in gfx1250_names.def. The dwords of the
 * programs come from llvm-mc -mcpu=gfx1250. */
#include "machine_test.h"

#include "../../ref/isa/encoding/decode.h"

enum { WAVE32 = 1 << 10, LANES = 32 };

/* Each lane stores v[2:5] at 16 times its number. */
static const uint32_t banks[] = {
	0x300c0084,             /* v_lshlrev_b32_e32 v6, 4, v0 */
	0x7e020280,             /* v_mov_b32_e32 v1, 0 */
	0xbf860040,             /* s_set_vgpr_msb 64 */
	0x4a020081,             /* v_add_nc_u32_e32 v1, 1, v0 */
	0xbf860001,             /* s_set_vgpr_msb 1 */
	0x7e060301,             /* v_mov_b32_e32 v3, v1 */
	0xbf860004,             /* s_set_vgpr_msb 4 */
	0x4a080285,             /* v_add_nc_u32_e32 v4, 5, v1 */
	0xb9800641, 0x00004001, /* s_setreg_imm32_b32 hwreg(HW_REG_WAVE_MODE, 25, 1), 0x4001 */
	0x7e0a0301,             /* v_mov_b32_e32 v5, v1 */
	0xbf860000,             /* s_set_vgpr_msb 0 */
	0x7e040301,             /* v_mov_b32_e32 v2, v1 */
	0xee074000, 0x01000000, 0x00000006, /* global_store_b128 v6, v[2:5], s[0:1] */
	0xbfb00000,                         /* s_endpgm */
};

/* A wave with 288 VGPRs. */
static void run(struct machine *m, const uint32_t *code, size_t bytes) {
	fill_arena(0xee);
	*m = machine();
	m->kernel.properties |= WAVE32;
	m->kernel.agprs = 0;
	m->kernel.vgprs = 288;
	m->kernel.entry = (uintptr_t)code;
	m->launch.kernel = &m->kernel;
	m->launch.block[0] = LANES;
	m->launch.program = mx_program_new(&mx_gfx1250, code, bytes, (uintptr_t)code);
	m->ran = mx_launch_run(&m->launch, &m->report);
}

static void end(struct machine *m) {
	mx_program_free((struct mx_program *)m->launch.program);
	mx_report_free(&m->report);
}

static void test_banks(void) {
	struct machine m;
	unsigned wrong = 0;
	run(&m, banks, sizeof banks);
	for (unsigned l = 0; l < LANES; l++)
		wrong += get(16 * l) || get(16 * l + 4) != l + 1 || get(16 * l + 8) != l + 6 ||
		         get(16 * l + 12) != l + 1;
	ok(no_findings(&m) && !wrong,
	   "v1 and v257 differ: destination, source 0, source 1, and by MODE with any field");
	end(&m);
}

/* Halves of registers, with -mattr=+real-true16. */
static const uint32_t halves[] = {
	0x300c0082,                         /* v_lshlrev_b32_e32 v6, 2, v0 */
	0x7e0202ff, 0x12345678,             /* v_mov_b32_e32 v1, 0x12345678 */
	0x7e043981,                         /* v_mov_b16_e32 v2.l, v1.h */
	0x7f043901,                         /* v_mov_b16_e32 v2.h, v1.l */
	0xd59c08c8, 0x00000102,             /* v_mov_b16_e64 v200.l, v2.h op_sel:[1,0] */
	0xd59c40c8, 0x00000100,             /* v_mov_b16_e64 v200.h, v0.l op_sel:[0,1] */
	0x7e0203c8,                         /* v_mov_b32_e32 v1, v200 */
	0xee068000, 0x00800000, 0x00000006, /* global_store_b32 v6, v1, s[0:1] */
	0xbfb60003,                         /* s_sendmsg sendmsg(MSG_DEALLOC_VGPRS) */
	0xbfb00000,                         /* s_endpgm */
	0x7e060280,                         /* v_mov_b32_e32 v3, 0 */
	0xbfb00000,
};

static void test_halves(void) {
	struct machine m;
	unsigned wrong = 0;
	run(&m, halves, sizeof halves);
	for (unsigned l = 0; l < LANES; l++)
		wrong += get(4 * l) != (l << 16 | 0x5678);
	ok(no_findings(&m) && !wrong, "v_mov_b16 reads and writes either half");
	end(&m);
}

/* A literal is the lower of two packed dwords. */
static const uint32_t packed[] = {
	0x300c0083, /* v_lshlrev_b32_e32 v6, 3, v0 */
	0x7e040b00, /* v_cvt_f32_i32_e32 v2, v0 */
	0x7e0602f2, /* v_mov_b32_e32 v3, 1.0 */
	0xcc284002, 0x100204ff,
	0x40400000, /* v_pk_mul_f32 v[2:3], 0x40400000, v[2:3] op_sel_hi:[0,1] */
	0xee06c000, 0x01000000,
	0x00000006, /* global_store_b64 v6, v[2:3], s[0:1] */
	0xbfb00000, /* s_endpgm */
};

static void test_packed_literal(void) {
	struct machine m;
	unsigned wrong = 0;
	run(&m, packed, sizeof packed);
	for (unsigned l = 0; l < LANES; l++) {
		float product = 3.0f * l;
		uint32_t bits;
		memcpy(&bits, &product, sizeof bits);
		wrong += get(8 * l) != bits || get(8 * l + 4) != 0x40400000;
	}
	ok(no_findings(&m) && !wrong, "a literal is the lower of two packed dwords");
	end(&m);
}

/* A wave that has given back its VGPRs has none. */
static void test_release(void) {
	enum { END = 14 };
	uint32_t code[sizeof halves / 4];
	struct machine m;
	memcpy(code, halves, sizeof code);
	code[END] = 0xbf800000; /* s_nop 0 */
	run(&m, code, sizeof code);
	const struct mx_finding *f = only_finding(&m);
	ok(f && f->kind == MX_UNSUPPORTED && finding_says(&m, "VGPR 3 is beyond the 0 allocated"),
	   "a VGPR after MSG_DEALLOC_VGPRS is a finding");
	end(&m);
}

/* Every name of gfx1250 that the tables give to an opcode is one of gfx1250.def. */
static void test_names(void) {
	static const char *const names[] = {
#define MX_RENAMED(name, as) #name,
#define MX_DIFFERENT(name)   #name,
#include "../../ref/isa/encoding/gfx1250_names.def"
	};
	unsigned known = 0;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		bool found = false;
		for (size_t k = 0; k < mx_gfx1250_encodings.n_rows && !found; k++) {
			const struct mx_isa_row *row = &mx_gfx1250_encodings.rows[k];
			const char *name = mx_text(row->name);
			const char *half = strstr(name, "v_dual_") ? name + strlen("v_dual") : NULL;
			size_t n = strlen(name) - strlen(mx_text(row->suffix));
			found = (strlen(names[i]) == n && !strncmp(names[i], name, n)) ||
			        (half && !strcmp(names[i] + strlen("v"), half));
		}
		if (!found)
			diag("%s is no opcode of gfx1250", names[i]);
		known += found;
	}
	ok(known == sizeof names / sizeof *names, "%u names are opcodes of gfx1250", known);
}

/* Every opcode that only gfx1250 has is one of its table. v_dual is a half's instruction. */
static void test_own(void) {
	static bool met[MX_OPS];
	unsigned own = 0, used = 0;
	for (size_t k = 0; k < mx_gfx1250_encodings.n_rows; k++) {
		const struct mx_op *op = mx_gfx1250_op(&mx_gfx1250_encodings.rows[k]);
		if (op)
			met[op->id] = true;
	}
	met[MX_OP_v_dual] = true;
	for (unsigned k = MX_FIRST_OF_GFX1250; k < MX_OPS; k++, own++) {
		if (!met[k])
			diag("%s has no form", mx_gfx1250_ops[k].name);
		used += met[k];
	}
	ok(own > 100 && used == own, "each of %u opcodes that gfx1250 adds has a form", own);
}

int main(void) {
	test_banks();
	test_halves();
	test_release();
	test_packed_literal();
	test_names();
	test_own();
	done_testing();
	return 0;
}
