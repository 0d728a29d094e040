/* A second instruction set beside gfx950: its own dwords, decoder, texts and handlers, on the same
 * executor, analyses and reports. The program is in no real machine's code:
 *     e0000000 | opcode << 24 | d << 16 | a << 8 | b */
#include "machine_test.h"

#include "../../ref/isa/encoding/operands.h"
#include "../../ref/isa/lint/lint.h"
#include "../../ref/isa/machine/device_memory.h"
#include "../../ref/isa/machine/registers.h"
#include "../../ref/isa/schedule/inflight.h"

#include <stdio.h>

/* ---- the instruction set ---- */

enum { LANE, ADD, LOAD, STORE, WAIT, END, OPS };

#define VECTOR(name, id)                                                                           \
	{                                                                                          \
		name, (mx_opcode)id, MX_VOP2, MX_UNIT_FLOW, 1, {                                   \
			1, 1                                                                       \
		}                                                                                  \
	}
static const struct mx_op ops[OPS] = {
	[LANE] = VECTOR("t_lane", LANE),
	[ADD] = VECTOR("t_add", ADD),
	[LOAD] = { "t_load", (mx_opcode)LOAD, MX_GLOBAL, MX_UNIT_MEMORY, 4, .flags = MX_LOAD },
	[STORE] = { "t_store", (mx_opcode)STORE, MX_GLOBAL, MX_UNIT_MEMORY, 4, .flags = MX_STORE },
	[WAIT] = { "t_wait", (mx_opcode)WAIT, MX_SOPP, MX_UNIT_FLOW, .flags = MX_KIND(WAITCNT) },
	[END] = { "t_end", (mx_opcode)END, MX_SOPP, MX_UNIT_FLOW, .flags = MX_KIND(END) },
};

static void put_vgpr(struct mx_inst *in, unsigned position, mx_operand_role role, unsigned shift) {
	mx_set_operand(
		in, position,
		(struct mx_operand){ .code = (uint16_t)(MX_VGPR + (in->dwords[0] >> shift & 255)),
	                             .dwords = 1,
	                             .role = (uint8_t)role,
	                             .lanes = MX_LANES_OF_EXEC,
	                             .written = position >= MX_AT_RESULT });
}

static void decode(const uint32_t *code, size_t left, uint32_t offset, struct mx_inst *in) {
	*in = (struct mx_inst){ .offset = offset, .size = 4, .dwords = { left ? *code : 0 } };
	unsigned op = in->dwords[0] >> 24 & 15;
	if (in->dwords[0] >> 28 != 0xe || op >= OPS)
		return;
	in->op = &ops[op];
	in->counts.vm = op == LOAD;
	in->wait = (struct mx_wait){ 0, MX_LGKMCNT_MAX };
	if (op == STORE)
		put_vgpr(in, MX_AT_DATA, MX_AS_DATA, 16);
	if (op == ADD) {
		put_vgpr(in, MX_AT_SRC0, MX_AS_SRC0, 8);
		put_vgpr(in, MX_AT_SRC1, MX_AS_SRC1, 0);
	}
	if (op <= LOAD)
		put_vgpr(in, MX_AT_RESULT, MX_AS_D, 16);
}

static size_t disassemble(const uint32_t *code, size_t left, uint64_t pc, char *text, size_t room) {
	struct mx_inst in;
	(void)pc;
	decode(code, left, 0, &in);
	if (!in.op)
		text[0] = 0;
	else if (in.op->id == (mx_opcode)ADD)
		snprintf(text, room, "t_add v%u, v%u, v%u", mx_row_at(&in, MX_AT_RESULT),
		         mx_row_at(&in, MX_AT_SRC0), mx_row_at(&in, MX_AT_SRC1));
	else if (in.op->encoding == MX_SOPP)
		snprintf(text, room, "%s", in.op->name);
	else
		snprintf(text, room, "%s v%u", in.op->name,
		         mx_row_at(&in, in.op->id == (mx_opcode)STORE ? MX_AT_DATA : MX_AT_RESULT));
	return in.op ? 4 : 0;
}

/* ---- its handlers: memory is a dword for each lane, at s[0:1] ---- */

static void lane(struct mx_wave *w, const struct mx_inst *in) {
	mx_vreg v;
	for (unsigned l = 0; l < MX_LANES; l++)
		v[l] = l;
	mx_vwrite(w, mx_row_at(in, MX_AT_RESULT), mx_exec(w), v, NULL);
}

static void add(struct mx_wave *w, const struct mx_inst *in) {
	mx_vreg v;
	for (unsigned l = 0; l < MX_LANES; l++)
		v[l] = w->v[mx_row_at(in, MX_AT_SRC0)][l] + w->v[mx_row_at(in, MX_AT_SRC1)][l];
	mx_vwrite(w, mx_row_at(in, MX_AT_RESULT), mx_exec(w), v, NULL);
}

static uint64_t address(const struct mx_wave *w, unsigned l) {
	return mx_pair(w->s) + 4 * l;
}

static void land(struct mx_wave *w, struct mx_memop *m) {
	mx_vreg v;
	uint32_t unwritten;
	for (unsigned l = 0; l < MX_LANES; l++)
		v[l] = mx_memory_read(w, m->in, (int)l, address(w, l), 4, &unwritten);
	mx_vwrite(w, mx_row_at(m->in, MX_AT_RESULT), m->exec, v, NULL);
}

static void load(struct mx_wave *w, const struct mx_inst *in) {
	struct mx_memop *m = mx_memop_new(w, in);
	if (!m || !mx_memory_check(w, in, 0, address(w, 0), 4 * MX_LANES, false))
		return;
	m->land = land;
	for (unsigned l = 0; l < MX_LANES; l++)
		m->address[l] = address(w, l);
	mx_memop_issue(w, &w->vm, m, 1);
}

static void store(struct mx_wave *w, const struct mx_inst *in) {
	if (!mx_memory_check(w, in, 0, address(w, 0), 4 * MX_LANES, true))
		return;
	for (unsigned l = 0; l < MX_LANES; l++)
		mx_memory_write(w, in, (int)l, address(w, l), 4, w->v[mx_row_at(in, MX_AT_DATA)][l],
		                0);
}

extern mx_handler mx_x_s_waitcnt, mx_x_s_endpgm;

static mx_handler *const *handlers(void) {
	static mx_handler *const table[OPS] = {
		[LANE] = lane,           [ADD] = add,           [LOAD] = load, [STORE] = store,
		[WAIT] = mx_x_s_waitcnt, [END] = mx_x_s_endpgm,
	};
	return table;
}

static const struct mx_isa toy = { "toy", ops, OPS, decode, disassemble, handlers, NULL };

/* ---- programs ---- */

static const uint32_t toy_code[] = {
	0xe0010000, /* t_lane v1 */
	0xe2020000, /* t_load v2 */
	0xe4000000, /* t_wait */
	0xe1030102, /* t_add v3, v1, v2 */
	0xe3030000, /* t_store v3 */
	0xe5000000, /* t_end */
};
static const uint32_t toy_race[] = {
	0xe0010000, /* t_lane v1 */
	0xe2020000, /* t_load v2 */
	0xe1030102, /* t_add v3, v1, v2 */
	0xe5000000, /* t_end */
};
static const uint32_t gfx950_code[] = {
	0x24020082,             /* v_lshlrev_b32_e32 v1, 2, v0 */
	0x7e0402ff, 0x00000064, /* v_mov_b32_e32 v2, 0x64 */
	0xdc708000, 0x00000201, /* global_store_dword v1, v2, s[0:1] */
	0xbf810000,             /* s_endpgm */
};

static struct machine ready(const struct mx_program *p, const uint32_t *code) {
	struct machine m = machine();
	m.kernel.entry = (uintptr_t)code;
	m.launch.program = p;
	m.launch.analysis = MX_ANALYSE_ORDER | MX_ANALYSE_WAIT_STATES;
	return m;
}

static bool run(struct machine *m) {
	m->launch.kernel = &m->kernel;
	m->ran = mx_launch_run(&m->launch, &m->report);
	return m->ran;
}

static bool arena_counts_from(uint32_t first, uint32_t step) {
	for (uint32_t l = 0; l < MX_LANES; l++)
		if (get(4 * l) != first + step * l)
			return false;
	return true;
}

static void test_side_by_side(void) {
	struct mx_program *p = mx_program_new(&toy, toy_code, sizeof toy_code, (uintptr_t)toy_code);
	struct mx_program *q =
		mx_program_new(&mx_gfx950, gfx950_code, sizeof gfx950_code, (uintptr_t)gfx950_code);
	struct machine a = ready(p, toy_code), b = ready(q, gfx950_code);
	fill_arena(0);
	ok(run(&b) && no_findings(&b) && arena_counts_from(100, 0), "a gfx950 program stores 100");
	ok(run(&a) && no_findings(&a) && arena_counts_from(100, 1),
	   "a program of the second set loads it, adds the lane and stores");
	if (a.report.n_findings)
		show_findings(&a);
	ok(run(&b) && arena_counts_from(100, 0), "the gfx950 program runs again");
	ok(a.report.stats.instructions == 6 && a.report.stats.by_op[LOAD] == 1 &&
	           !strcmp(mx_op_name(a.report.isa, LOAD), "t_load") &&
	           mx_op_count(b.report.isa) == MX_OPS,
	   "each report counts the opcodes of its own set");
	mx_report_free(&a.report);
	mx_report_free(&b.report);
	mx_program_free(p);
	mx_program_free(q);
}

/* ---- findings ---- */

static void test_text(const uint32_t *code, size_t bytes, const char *want, const char *what) {
	struct mx_program *p = mx_program_new(&toy, code, bytes, (uintptr_t)code);
	struct machine m = ready(p, code);
	fill_arena(0);
	if (!ok(run(&m) && m.report.n_findings == 1 &&
	                !strcmp(in_words(&m, m.report.findings), want),
	        "%s", what))
		show_findings(&m);
	mx_report_free(&m.report);
	mx_program_free(p);
}

static void keep_sentence(void *context, const struct mx_finding *f) {
	mx_finding_sentence(&toy, f, context, MX_LINE_ROOM);
}

static void test_lint(void) {
	char text[MX_LINE_ROOM] = "";
	struct mx_program *p = mx_program_new(&toy, toy_race, sizeof toy_race, 0);
	struct mx_lint l = { .program = p, .context = text, .found = keep_sentence };
	bool made = mx_graph_make(p, 0, sizeof toy_race, &l.graph);
	if (!ok(made && mx_lint_states(&l) && mx_lint_waits(&l) &&
	                !strcmp(text,
	                        "reads v2 while +0x4 t_load v2 may be in flight: no s_waitcnt "
	                        "vmcnt(0)"),
	        "lint finds the missing wait, and no wait states where the set has no rules"))
		diag("%s", text);
	mx_graph_free(&l.graph);
	mx_program_free(p);
}

static void test_findings(void) {
	static const uint32_t other[] = { 0xbf810000 /* s_endpgm of gfx950 */ };
	test_text(toy_race, sizeof toy_race,
	          "test+0x8 t_add v3, v1, v2 (e1030102): reads v2 before t_load v2 (+0x4) writes "
	          "it: no s_waitcnt vmcnt(0) between them",
	          "a race is printed with the second set's instructions");
	test_text(other, sizeof other,
	          "test+0x0 unknown instruction (bf810000): not in the instruction table",
	          "its decoder has no instruction of gfx950");
	test_lint();
}

int main(void) {
	ok(mx_isa_by_name("gfx950") == &mx_gfx950 && !mx_isa_by_name("gfx1250"),
	   "the emulator has gfx950, and no gfx1250");
	test_side_by_side();
	test_findings();
	return done_testing();
}
