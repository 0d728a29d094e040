/* The estimate of a kernel's main loop: which loop it is, and its cycles. */
#include "../../ref/isa/lint/loop.h"
#include "machine_test.h"

static struct mx_loop loop_of(const struct mx_isa *isa, const uint32_t *code, size_t bytes) {
	struct mx_graph g;
	struct mx_program *p = mx_program_new(isa, code, bytes, 0);
	need(p && mx_graph_make(p, 0, (uint32_t)bytes, &g), "memory");
	struct mx_loop l = mx_main_loop(&g);
	mx_graph_free(&g);
	mx_program_free(p);
	return l;
}

static struct mx_loop main_loop(const uint32_t *code, size_t bytes) {
	return loop_of(&mx_gfx950, code, bytes);
}

static void is_loop(struct mx_loop got, struct mx_loop want, const char *what) {
	if (!ok(got.begin == want.begin && got.last == want.last &&
	                got.instructions == want.instructions && got.matrix == want.matrix &&
	                got.passes == want.passes && got.vector == want.vector &&
	                got.idle == want.idle,
	        "%s", what))
		diag("from %u to %u: %u instructions, %u MFMA of %u passes, %u vector, %u idle",
		     got.begin, got.last, got.instructions, got.matrix, got.passes, got.vector,
		     got.idle);
}

static void choice(void) {
	const uint32_t none[] = {
		0xd3cc0000,
		0x04020500, /* v_mfma_f32_32x32x8_f16 v[0:15], v[0:1], v[2:3], v[0:15] */
		0xbf810000, /* s_endpgm */
	};
	const uint32_t idle[] = {
		0xbf800000, /* s_nop 0 */
		0xbf85fffe, /* s_cbranch_scc1 65534 */
		0xbf810000, /* s_endpgm */
	};
	const uint32_t nested[] = {
		0x7e000280, /* v_mov_b32_e32 v0, 0 */
		0xd3cc0000,
		0x04020500, /* v_mfma_f32_32x32x8_f16 v[0:15], v[0:1], v[2:3], v[0:15] */
		0xbf85fffd, /* s_cbranch_scc1 65533 */
		0xd3cc0000,
		0x04020500, /* v_mfma_f32_32x32x8_f16 v[0:15], v[0:1], v[2:3], v[0:15] */
		0xbf85fff9, /* s_cbranch_scc1 65529 */
		0xbf810000, /* s_endpgm */
	};
	const uint32_t two[] = {
		0xd3cc0000,
		0x04020500, /* v_mfma_f32_32x32x8_f16 v[0:15], v[0:1], v[2:3], v[0:15] */
		0xbf85fffd, /* s_cbranch_scc1 65533 */
		0xd3cc0000,
		0x04020500, /* v_mfma_f32_32x32x8_f16 v[0:15], v[0:1], v[2:3], v[0:15] */
		0xd3cc0000,
		0x04020500, /* v_mfma_f32_32x32x8_f16 v[0:15], v[0:1], v[2:3], v[0:15] */
		0xbf85fffb, /* s_cbranch_scc1 65531 */
		0xbf810000, /* s_endpgm */
	};
	struct mx_loop no = { 0 };
	is_loop(main_loop(none, sizeof none), no, "code without a loop has no main loop");
	is_loop(main_loop(idle, sizeof idle), no, "a loop without MFMA is not the main loop");
	is_loop(main_loop(nested, sizeof nested),
	        (struct mx_loop){ .begin = 4, .last = 12, 2, .matrix = 1, .passes = 8 },
	        "of nested loops the inner one is the main loop");
	is_loop(main_loop(two, sizeof two),
	        (struct mx_loop){ .begin = 12, .last = 28, 3, .matrix = 2, .passes = 16 },
	        "of two loops the one with more passes is the main loop");
}

static void cycles(void) {
	const uint32_t code[] = {
		0x7e000280, /* v_mov_b32_e32 v0, 0 */
		0xd3cc0000,
		0x04020500, /* v_mfma_f32_32x32x8_f16 v[0:15], v[0:1], v[2:3], v[0:15] */
		0x7e000280, /* v_mov_b32_e32 v0, 0 */
		0xbf800003, /* s_nop 3 */
		0xbf85fffb, /* s_cbranch_scc1 65531 */
		0xbf810000, /* s_endpgm */
	};
	struct mx_loop l = main_loop(code, sizeof code);
	is_loop(l, (struct mx_loop){ 4, 20, 4, 1, 8, 1, 3 },
	        "a loop has the counts of its instructions, and the time of an s_nop");
	unsigned issue = mx_loop_issue_cycles(&l), matrix = mx_loop_matrix_cycles(&l);
	if (!ok(issue == 28, "4 instructions, and 3 more in s_nop, issue in 28 cycles"))
		diag("%u", issue);
	if (!ok(matrix == 32, "8 passes take 32 cycles"))
		diag("%u", matrix);
}

/* Their passes are not published. */
static void wmma(void) {
	const uint32_t code[] = {
		0x7e000280, /* gfx1250: v_mov_b32_e32 v0, 0 */
		0xcc600000,
		0x1c020910, /* gfx1250: v_wmma_f32_16x16x32_f16 v[0:7], v[16:23], v[4:11], v[0:7] */
		0xbfa2fffd, /* gfx1250: s_cbranch_scc1 65533 */
		0xcc600000,
		0x1c020910, /* gfx1250: v_wmma_f32_16x16x32_f16 v[0:7], v[16:23], v[4:11], v[0:7] */
		0xcc600000,
		0x1c020910, /* gfx1250: v_wmma_f32_16x16x32_f16 v[0:7], v[16:23], v[4:11], v[0:7] */
		0xbfa2fffb, /* gfx1250: s_cbranch_scc1 65531 */
		0xbfb00000, /* gfx1250: s_endpgm */
	};
	is_loop(loop_of(&mx_gfx1250, code, sizeof code),
	        (struct mx_loop){ .begin = 16, .last = 32, 3, .matrix = 2 },
	        "of two loops the one with more WMMAs is the main loop");
}

int main(void) {
	choice();
	wmma();
	cycles();
	return done_testing();
}
