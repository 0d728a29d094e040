/* Findings of the analysis of order, in words: who, and which wait or barrier is missing. */
#include <stdio.h>

#include "../encoding/disasm.h"
#include "../machine/findings.h"
#include "race.h"

static void instruction(const struct mx_wave *w, const struct mx_inst *in, char *text,
                        size_t room) {
	const struct mx_run *run = w->group->run;
	char code[120];
	if (!mx_disassemble(in->dwords, in->size / 4u, in->offset, code, sizeof code))
		snprintf(code, sizeof code, "%s", in->op->name);
	snprintf(text, room, "%s (+0x%llx)", code,
	         (unsigned long long)(mx_program_base(run->launch->program) + in->offset -
	                              run->launch->kernel->entry));
}

static const char *counter(unsigned stream) {
	return stream == MX_STREAM_DS || stream == MX_STREAM_SM ? "lgkmcnt" : "vmcnt";
}

/* The weakest wait that covers operation `number` where `issued` have been. */
static unsigned target(unsigned stream, uint32_t issued, uint32_t number) {
	unsigned most = stream == MX_STREAM_DS ? MX_LGKMCNT_MAX - 1 : MX_VMCNT_MAX - 1;
	if (!mx_stream_is_ordered(stream))
		return 0;
	return issued - number < most ? issued - number : most;
}

/* ---- what is missing ---- */

static void missing_wait(char *text, size_t room, unsigned stream, uint32_t issued,
                         uint32_t number) {
	snprintf(text, room, "no s_waitcnt %s(%u) between them", counter(stream),
	         target(stream, issued, number));
}

static void missing(const struct mx_wave *w, mx_access earlier, char *text, size_t room) {
	const struct mx_order_wave *o = &mx_order_kept(w->group)->wave[mx_access_wave(earlier)];
	unsigned stream = mx_access_stream(earlier);
	uint32_t number = mx_access_number(earlier);
	char barrier[160];
	if (mx_access_wave(earlier) == w->index)
		missing_wait(text, room, stream, o->issued[stream], number);
	else if (o->barrier && number <= o->before[stream]) {
		instruction(w, o->barrier, barrier, sizeof barrier);
		snprintf(text, room, "no s_waitcnt %s(%u) before its %s", counter(stream),
		         target(stream, o->before[stream], number), barrier);
	} else if (number <= o->covered[stream])
		snprintf(text, room, "no s_barrier between that one's wait and this");
	else
		snprintf(text, room, "no s_waitcnt %s and s_barrier between them", counter(stream));
}

/* ---- findings ---- */

/* "wave 2", or "workgroup 1,0,0 wave 2". */
static void whose(const struct mx_wave *w, mx_access earlier, uint32_t group, char *text,
                  size_t room) {
	const uint32_t *grid = w->group->run->launch->grid;
	unsigned wave = mx_access_wave(earlier);
	uint32_t i = group - 1;
	if (group == w->group->index + 1)
		snprintf(text, room, "wave %u", wave);
	else if (group == MX_SEVERAL_GROUPS)
		snprintf(text, room, "another workgroup");
	else
		snprintf(text, room, "workgroup %u,%u,%u wave %u", i % grid[0],
		         i / grid[0] % grid[1], i / grid[0] / grid[1], wave);
}

void mx_order_report(struct mx_wave *w, const struct mx_inst *in, mx_finding_kind kind, int lane,
                     uint64_t address, mx_access earlier, uint32_t group, const char *what) {
	char other[160], why[224] = "no order between workgroups", of[64];
	const struct mx_inst *first =
		mx_program_at(w->group->run->launch->program, (earlier >> 32 & 0xffffff) * 4);
	if (mx_found_again(w, in, first, kind))
		return;
	instruction(w, first, other, sizeof other);
	if (group == w->group->index + 1)
		missing(w, earlier, why, sizeof why);
	whose(w, earlier, group, of, sizeof of);
	mx_find_pair(w, in, first, kind, lane, address, "%s %s of %s: %s", what, other, of, why);
}

/* A row of mx_order_wave.load as the assembler names it. */
static void register_name(unsigned row, char text[16]) {
	static const char *const named[] = { "flat_scratch", "xnack_mask", "vcc" };
	unsigned code = row - MX_VGPR_FILE;
	if (row < MX_VGPR_FILE)
		snprintf(text, 16, "%c%u", row < 256 ? 'v' : 'a', row % 256);
	else if (code < MX_FLAT_SCRATCH)
		snprintf(text, 16, "s%u", code);
	else if (code < MX_TTMP0)
		snprintf(text, 16, "%s_%s", named[(code - MX_FLAT_SCRATCH) / 2],
		         code % 2 ? "hi" : "lo");
	else if (code < MX_M0)
		snprintf(text, 16, "ttmp%u", code - MX_TTMP0);
	else
		snprintf(text, 16, "%s", code == MX_M0 ? "m0" : code % 2 ? "exec_hi" : "exec_lo");
}

void mx_order_report_register(struct mx_wave *w, const struct mx_inst *in,
                              const struct mx_order_load *l, bool write) {
	const struct mx_order_wave *o = mx_order_wave_of(w);
	char other[160], why[96], name[16];
	if (mx_found_again(w, in, l->in, MX_RACE_REGISTER))
		return;
	instruction(w, l->in, other, sizeof other);
	missing_wait(why, sizeof why, l->stream, o->issued[l->stream], l->number);
	register_name(l->row, name);
	mx_find_pair(w, in, l->in, MX_RACE_REGISTER, -1, 0, "%s %s, which %s is to write: %s",
	             write ? "writes" : "reads", name, other, why);
}
