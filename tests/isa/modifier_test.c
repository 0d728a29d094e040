/* Every form of every vector ALU instruction with random modifiers: it executes, or stops with one
 * finding; inactive lanes keep all their registers. */
#include "../../ref/isa/encoding/forms.h"
#include "machine_test.h"

enum { LANES = 64, REGISTERS = 48, TRIES = 12, LANE = 63, ADDRESS = 62 };

static uint64_t seed = 45;

/* ---- tested forms ---- */

/* Matrix instructions ignore EXEC, and the instructions named here write other lanes. */
static bool is_of_lanes(const struct mx_form *f) {
	return (f->format[0] == 'V' || !strncmp(f->format, "SDWA", 4) ||
	        !strncmp(f->format, "DPP", 3)) &&
	       !strstr(f->name, "mfma") && !strstr(f->name, "smfmac") &&
	       strncmp(f->name, "v_writelane", 11);
}

/* Randomises modifier bits, but not opcode, registers or lane masks (of VOP3B and of SDWA
 * comparisons). */
static bool change_modifiers(const struct mx_form *f, uint32_t code[4]) {
	uint32_t r = (uint32_t)next_random(&seed) & (uint32_t)next_random(&seed), q;
	q = (uint32_t)next_random(&seed);
	bool vop3b = strstr(f->name, "_co_") || strstr(f->name, "div_scale") ||
	             strstr(f->name, "mad_u64") || strstr(f->name, "mad_i64");
	if (!strncmp(f->format, "VOP3", 4)) {
		code[0] ^= r & (vop3b ? 0x8000 : 0xff00);
		code[1] ^= q & r & 0xf8000000;
	} else if (!strcmp(f->format, "SDWAC"))
		code[1] ^= r & 0xffff0000;
	else if (f->format[0] != 'V')
		code[1] ^= r & 0xffffff00;
	else
		return false;
	return true;
}

/* ---- the program around it ---- */

static void add(struct code *c, uint32_t dword) {
	append(c, &dword, 4);
}

/* v_n = lane << 8 | n */
static void fill_registers(struct code *c) {
	static const uint32_t lane_number[] = {
		0xd28c003f, 0x000100c1, /* v_mbcnt_lo_u32_b32 v63, -1, 0 */
		0xd28d003f, 0x00027ec1, /* v_mbcnt_hi_u32_b32 v63, -1, v63 */
	};
	APPEND(c, lane_number);
	for (unsigned n = 0; n < REGISTERS; n++) { /* v_lshl_add_u32 vn, v63, 8, n */
		add(c, 0xd1fd0000 | n);
		add(c, (128 + n) << 18 | (128 + 8) << 9 | (256 + LANE));
	}
}

static void set_exec(struct code *c, uint64_t exec) {
	add(c, 0xbefe00ff), add(c, (uint32_t)exec);         /* s_mov_b32 exec_lo, literal */
	add(c, 0xbeff00ff), add(c, (uint32_t)(exec >> 32)); /* s_mov_b32 exec_hi, literal */
}

static void store_registers(struct code *c) {
	add(c, 0x247c7e82); /* v_lshlrev_b32_e32 v62, 2, v63 */
	for (unsigned n = 0; n < REGISTERS; n++) {
		add(c, 0xdc708000),
			add(c, n << 8 | ADDRESS); /* global_store_dword v62, vn, s[0:1] */
		add(c, 0x687c7cff), add(c, 256);  /* v_add_u32_e32 v62, 0x100, v62 */
	}
	add(c, 0xbf810000); /* s_endpgm */
}

/* ---- the expected outcome ---- */

static bool lanes_kept(uint64_t exec) {
	for (unsigned n = 0; n < REGISTERS; n++)
		for (unsigned l = 0; l < LANES; l++)
			if (!(exec >> l & 1) && get(256 * n + 4 * l) != (l << 8 | n))
				return false;
	return true;
}

/* At most one finding stops the launch. All others report stores of unwritten bits, or
 * assumptions. */
static bool one_outcome(const struct machine *m) {
	if (m->report.stopped)
		return m->report.n_findings == 1 && m->report.findings[0].kind == MX_UNSUPPORTED;
	for (size_t i = 0; i < m->report.n_findings; i++)
		if (m->report.findings[i].kind != MX_UNWRITTEN &&
		    m->report.findings[i].kind != MX_ASSUMED_NOTE)
			return false;
	return m->ran;
}

struct counts {
	unsigned tried, executed, wrong;
};

static void try_form(struct machine *m, const struct mx_form *f, struct counts *n) {
	struct code c = { 0 };
	uint32_t code[4];
	char text[200];
	uint64_t exec = next_random(&seed) | next_random(&seed);
	memcpy(code, f->code, sizeof code);
	if (!change_modifiers(f, code) || mx_gfx950.disassemble(code, 4, 0, text, sizeof text) == 0)
		return;
	fill_registers(&c);
	set_exec(&c, exec);
	append(&c, code, 4 * f->dwords);
	set_exec(&c, ~0ull);
	store_registers(&c);
	run_code(m, &c);
	n->tried++;
	n->executed += m->ran && !m->report.stopped;
	if (!one_outcome(m) || (!m->report.stopped && !lanes_kept(exec)))
		if (!n->wrong++) {
			diag("first wrong: %s (%08x %08x)", text, code[0], code[1]);
			show_findings(m);
		}
}

int main(void) {
	struct machine m = machine();
	struct counts n = { 0 };
	struct mx_form f;
	fill_arena(0xee);
	for (size_t i = 0; mx_form_at(&mx_gfx950, i, &f); i++)
		for (unsigned k = 0; is_of_lanes(&f) && k < TRIES; k++)
			try_form(&m, &f, &n);
	ok(!n.wrong, "%u instructions with random modifiers execute under EXEC or stop", n.tried);
	ok(n.executed > 500, "%u of them execute", n.executed);
	mx_report_free(&m.report);
	return done_testing();
}
