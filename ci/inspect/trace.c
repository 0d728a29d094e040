/* Printing the events of a launch: --trace, --watch and --break. */
#include "trace.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../ref/isa/encoding/formats.h"
#include "../../ref/isa/encoding/instruction_set.h"
#include "../../ref/isa/memory/tdm.h"
#include "../cli/codefile.h"
#include "registers.h"

enum { FIRST_LANES = 4 };

struct mx_trace {
	const struct mx_bench *b;
	const struct mx_trace_options *o;
	struct mx_observer observer;
	uint32_t workgroup[3], wave; /* --trace */
	struct mx_location watched;  /* --watch */
	uint64_t stop;               /* --break */
	int step;                    /* whose heading is printed; -1: none */
	bool seen;                   /* a launch has the traced wave */
	uint64_t stops;              /* times that --break was reached */
	struct mx_register_counts n; /* registers up to the highest one written so far */
};

/* ---- the command line ---- */

static bool parse_wave(const char *text, uint32_t workgroup[3], uint32_t *wave) {
	unsigned v[4] = { 0 };
	int end = -1;
	sscanf(text, "%u,%u,%u:%u%n", &v[0], &v[1], &v[2], &v[3], &end);
	if (end < 0) {
		v[1] = v[2] = 0;
		sscanf(text, "%u:%u%n", &v[0], &v[3], &end);
	}
	for (unsigned i = 0; i < 3; i++)
		workgroup[i] = v[i];
	*wave = v[3];
	return isdigit((unsigned char)text[0]) && end >= 0 && !text[end];
}

/* As mx_pc_text writes it; "0x1a4" and "420", too. */
static bool parse_pc(const char *text, uint64_t *pc) {
	char *end;
	bool before = *text == '-';
	text += before || *text == '+';
	*pc = strtoull(text, &end, 0);
	if (before)
		*pc = -*pc;
	return isdigit((unsigned char)text[0]) && !*end && *pc % 4 == 0;
}

bool mx_trace_check(const struct mx_trace_options *o, struct mx_error *err) {
	uint32_t workgroup[3], wave;
	uint64_t pc;
	if (o->wave && !parse_wave(o->wave, workgroup, &wave))
		return mx_fail(err, "--trace %s: not X,Y,Z:WAVE", o->wave), false;
	if (o->stop && !parse_pc(o->stop, &pc))
		return mx_fail(err, "--break %s: not the offset of an instruction, such as 0x1a4",
		               o->stop),
		       false;
	return true;
}

/* ---- printing ---- */

/* Before the first event of each of several steps. */
static void print_step(struct mx_trace *t) {
	const struct mx_plan *p = mx_bench_plan(t->b);
	unsigned step = mx_bench_running(t->b);
	if (p->n_steps > 1 && t->step != (int)step)
		printf("step %u of %u: %s\n", step + 1, p->n_steps, p->steps[step].kernel);
	t->step = (int)step;
}

static void print_head(struct mx_trace *t, const struct mx_event *e) {
	print_step(t);
	printf("%8" PRIu64 "  %u,%u,%u:%u  ", e->time, e->workgroup[0], e->workgroup[1],
	       e->workgroup[2], e->wave);
}

static void print_instruction(const struct mx_event *e) {
	char text[200], pc[MX_PC_TEXT];
	if (!e->code) {
		printf("set-up of the wave");
		return;
	}
	e->isa->disassemble(e->code, e->dwords, e->banks, text, sizeof text);
	printf("%-7s  %s", mx_pc_text(e->pc, pc), text);
}

/* What a tensor copy copies. */
static void print_tile(const struct mx_event *e) {
	struct mx_inst in;
	struct mx_tdm tile;
	uint32_t descriptor[MX_TDM_DWORDS];
	char text[400];
	e->isa->decode(e->code, e->dwords, 0, &in);
	if (!in.op || mx_kind_of(in.op) != MX_IS_TILE)
		return;
	mx_tdm_operands(&in, e->registers.s, descriptor);
	mx_tdm_decode(descriptor, in.op->flags & MX_STORE, &tile);
	mx_tdm_text(&tile, text, sizeof text);
	printf("%10s%s\n", "", text);
}

static void print_lanes(const struct mx_trace *t, const struct mx_event *e) {
	int lane = t->o->lane;
	if (lane >= 0) {
		if (e->lanes >> lane & 1)
			printf(" lane %d %08" PRIx32, lane, e->value[lane]);
		else
			printf(" lane %d not written", lane);
		return;
	}
	uint64_t left = e->lanes;
	if (left)
		printf(" from lane %d:", __builtin_ctzll(left));
	for (unsigned n = 0; left && n < FIRST_LANES; n++, left &= left - 1)
		printf(" %08" PRIx32, e->value[__builtin_ctzll(left)]);
	if (left)
		printf(" ...");
}

static void print_register(const struct mx_trace *t, const struct mx_event *e) {
	char name[16];
	bool vector = e->kind == MX_EVENT_VGPR;
	if (!e->code && !vector && e->reg >= MX_TTMP0 && e->reg < MX_M0)
		return; /* the set-up writes all of them */
	printf("%10s%s =", "", mx_register_name(e->isa, e->reg + (vector ? MX_VGPR : 0), name));
	if (vector)
		print_lanes(t, e);
	else
		printf(" %08" PRIx32, e->value[0]);
	putchar('\n');
}

static void print_access(struct mx_trace *t, const struct mx_event *e) {
	char location[160];
	print_head(t, e);
	if (e->lane >= 0)
		printf("lane %d ", e->lane);
	printf("%s ", e->write ? "writes" : "reads");
	if (e->kind == MX_EVENT_LDS)
		printf("lds:%" PRIu64, e->address);
	else
		printf("%s", mx_location_text(t->b, e->address, location));
	printf(", %u bytes: 0x%0*" PRIx32 "  ", e->bytes, 2 * (int)e->bytes, e->data);
	print_instruction(e);
	putchar('\n');
}

/* ---- events ---- */

static bool traced(const struct mx_trace *t, const uint32_t workgroup[3], uint32_t wave) {
	return t->o->wave && wave == t->wave &&
	       !memcmp(workgroup, t->workgroup, sizeof t->workgroup);
}

/* --break stops at any wave, or at the traced one. */
static unsigned wants(void *context, const uint32_t workgroup[3], uint32_t wave) {
	struct mx_trace *t = context;
	bool mine = traced(t, workgroup, wave);
	unsigned kinds = 0;
	t->seen |= mine;
	if (mine || (t->o->stop && !t->o->wave))
		kinds |= MX_EVENT_ISSUE | MX_EVENT_SGPR | MX_EVENT_VGPR;
	if (mine)
		kinds |= MX_EVENT_LAND;
	if (t->o->watch)
		kinds |= t->watched.lds ? MX_EVENT_LDS : MX_EVENT_MEMORY;
	return kinds;
}

static void note(unsigned *n, unsigned reg) {
	if (reg >= *n)
		*n = reg + 1;
}

static void note_registers(struct mx_trace *t, const struct mx_event *e) {
	if (e->kind == MX_EVENT_SGPR && e->reg < e->isa->encodings->sgprs)
		note(&t->n.s, e->reg);
	if (e->kind == MX_EVENT_VGPR && e->reg < e->isa->vgprs)
		note(&t->n.v, e->reg);
	else if (e->kind == MX_EVENT_VGPR)
		note(&t->n.a, e->reg - e->isa->vgprs);
}

static void print_issue(struct mx_trace *t, const struct mx_event *e, bool mine) {
	bool stop = t->o->stop && e->pc == t->stop;
	if (!mine && !stop)
		return;
	t->stops += stop;
	print_head(t, e);
	print_instruction(e);
	puts(stop ? "  <- break" : "");
	print_tile(e);
	if (stop)
		mx_registers_print(&e->registers, &t->n, t->o->lane < 0 ? 0 : (unsigned)t->o->lane);
}

static void event(void *context, const struct mx_event *e) {
	struct mx_trace *t = context;
	bool mine = traced(t, e->workgroup, e->wave);
	note_registers(t, e);
	switch (e->kind) {
	case MX_EVENT_ISSUE: print_issue(t, e, mine); break;
	case MX_EVENT_LAND:
		print_head(t, e);
		print_instruction(e);
		printf("  lands\n");
		break;
	case MX_EVENT_SGPR:
	case MX_EVENT_VGPR:
		if (mine)
			print_register(t, e);
		break;
	case MX_EVENT_MEMORY:
	case MX_EVENT_LDS:
		if (e->address < t->watched.address + t->watched.bytes &&
		    t->watched.address < e->address + e->bytes)
			print_access(t, e);
		break;
	case MX_EVENT_SCRATCH: break; /* not observed */
	}
}

/* ---- begin and end ---- */

/* LDS of a step: that of the code object and of the case; the maximum if the code object cannot be
 * read. */
static uint64_t lds_of(const struct mx_bench *b, unsigned step) {
	const struct mx_step_plan *p = &mx_bench_plan(b)->steps[step];
	struct mx_codefile f;
	struct mx_error err;
	uint64_t bytes = mx_architecture()->lds_bytes;
	if (mx_codefile_open(mx_bench_code(b, step), &f, &err))
		return bytes;
	const struct mx_codeobject_kernel *k = mx_codeobject_kernel(f.object, p->kernel);
	if (k && k->descriptor)
		bytes = (uint64_t)k->descriptor->lds_bytes + p->lds;
	mx_codefile_close(&f);
	return bytes;
}

/* Of the step that has most. */
static uint64_t lds_bytes(const struct mx_bench *b) {
	uint64_t most = 0;
	for (unsigned i = 0; i < mx_bench_plan(b)->n_steps; i++)
		most = lds_of(b, i) > most ? lds_of(b, i) : most;
	return most;
}

static int find_location(const struct mx_bench *b, const char *text, struct mx_location *p,
                         struct mx_error *err) {
	if (mx_location_parse(b, text, p, err))
		return -1;
	uint64_t most = p->lds ? lds_bytes(b) : UINT64_MAX;
	if (p->address <= most && p->bytes <= most - p->address)
		return 0;
	return mx_fail(err, "--watch %s: the launch has %" PRIu64 " bytes of LDS", text, most);
}

int mx_trace_begin(const struct mx_bench *b, const struct mx_trace_options *o,
                   struct mx_trace **trace, struct mx_error *err) {
	struct mx_trace *t = calloc(1, sizeof *t);
	if (!t)
		return mx_fail(err, "out of memory");
	t->b = b;
	t->o = o;
	t->step = -1;
	t->observer = (struct mx_observer){ t, wants, event };
	if (!mx_trace_check(o, err) || (o->watch && find_location(b, o->watch, &t->watched, err))) {
		free(t);
		return -1;
	}
	if (o->wave)
		parse_wave(o->wave, t->workgroup, &t->wave);
	if (o->stop)
		parse_pc(o->stop, &t->stop);
	*trace = t;
	return 0;
}

const struct mx_observer *mx_trace_observer(const struct mx_trace *t) {
	return &t->observer;
}

int mx_trace_seen(const struct mx_trace *t, struct mx_error *err) {
	if (t->o->wave && !t->seen)
		return mx_fail(err, "--trace %s: the launch has no such wave", t->o->wave);
	if (t->o->stop && !t->stops)
		printf("--break %s: no wave reached it\n", t->o->stop);
	return 0;
}

void mx_trace_end(struct mx_trace *t) {
	free(t);
}
