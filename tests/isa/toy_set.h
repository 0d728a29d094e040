/* Two small instruction sets beside gfx950: their own dwords, decoder, texts and handlers, on the
 * same executor, analyses and reports. `toy` has waves of 64, `toy32` waves of 32. Their code is in
 * no real machine:
 *     e0000000 | opcode << 24 | d << 16 | a << 8 | b */
#ifndef TOY_SET_H
#define TOY_SET_H

#include "machine_test.h"

#include "../../ref/isa/encoding/operands.h"
#include "../../ref/isa/launch/launch.h"
#include "../../ref/isa/machine/device_memory.h"
#include "../../ref/isa/machine/registers.h"
#include "../../ref/isa/memory/lds.h"
#include "../../ref/isa/memory/tdm.h"
#include "../../ref/isa/schedule/barriers.h"
#include "../../ref/isa/schedule/inflight.h"

#include <stdio.h>

enum {
	LANE,
	SHL2,
	ADD,
	LOAD,
	LOOK,
	STORE,
	EXEC,
	WAIT,
	END,
	COPY,
	MODE_OF,
	SIGNAL,
	AWAIT,
	EXPECT,
	JOIN,
	OTHERS,
	LDS_LOAD,
	LDS_STORE,
	COPY_IN,
	COPY_OUT,
	NOP,
	TILE_IN,
	TILE_OUT,
	OPS
};
enum {
	IN,
	TABLE,
	OUT,
	LDS,
	ASYNC,
	TILE,
	COUNTERS,
	ASYNC_OUT = COUNTERS,
	STREAMS
}; /* counters, streams */

#define VECTOR(name, id)                                                                           \
	{                                                                                          \
		name, (mx_opcode)id, MX_VOP2, MX_UNIT_FLOW, 1, {                                   \
			1, 1                                                                       \
		}                                                                                  \
	}
static const struct mx_op ops[OPS] = {
	[LANE] = VECTOR("t_lane", LANE),
	[SHL2] = VECTOR("t_shl2", SHL2),
	[ADD] = VECTOR("t_add", ADD),
	[LOAD] = { "t_load", (mx_opcode)LOAD, MX_GLOBAL, MX_UNIT_MEMORY, 4, .flags = MX_LOAD },
	[LOOK] = { "t_look", (mx_opcode)LOOK, MX_GLOBAL, MX_UNIT_MEMORY, 4, .flags = MX_LOAD },
	[STORE] = { "t_store", (mx_opcode)STORE, MX_GLOBAL, MX_UNIT_MEMORY, 4, .flags = MX_STORE },
	[LDS_LOAD] = { "t_lds_load", (mx_opcode)LDS_LOAD, MX_DS, MX_UNIT_MEMORY, 4,
	               .flags = MX_LOAD },
	[LDS_STORE] = { "t_lds_store", (mx_opcode)LDS_STORE, MX_DS, MX_UNIT_MEMORY, 4,
	                .flags = MX_STORE },
	[COPY_IN] = { "t_copy_in", (mx_opcode)COPY_IN, MX_GLOBAL, MX_UNIT_MEMORY, 4,
	              .flags = MX_LOAD },
	[COPY_OUT] = { "t_copy_out", (mx_opcode)COPY_OUT, MX_GLOBAL, MX_UNIT_MEMORY, 4,
	               .flags = MX_STORE },
	[TILE_IN] = { "t_tile_in", (mx_opcode)TILE_IN, MX_GLOBAL, MX_UNIT_MEMORY, 4,
	              .flags = MX_LOAD },
	[TILE_OUT] = { "t_tile_out", (mx_opcode)TILE_OUT, MX_GLOBAL, MX_UNIT_MEMORY, 4,
	               .flags = MX_STORE },
	[NOP] = { "t_nop", (mx_opcode)NOP, MX_SOPP, MX_UNIT_FLOW, .flags = MX_KIND(NOP) },
	[EXEC] = { "t_exec", (mx_opcode)EXEC, MX_SOPP, MX_UNIT_FLOW },
	[WAIT] = { "t_wait", (mx_opcode)WAIT, MX_SOPP, MX_UNIT_FLOW, .flags = MX_KIND(WAITCNT) },
	[COPY] = VECTOR("t_copy", COPY),
	[MODE_OF] = VECTOR("t_mode", MODE_OF),
	[SIGNAL] = { "t_signal", (mx_opcode)SIGNAL, MX_SOPP, MX_UNIT_FLOW,
	             .flags = MX_KIND(BARRIER) },
	[AWAIT] = { "t_await", (mx_opcode)AWAIT, MX_SOPP, MX_UNIT_FLOW, .flags = MX_KIND(BARRIER) },
	[EXPECT] = { "t_expect", (mx_opcode)EXPECT, MX_SOPP, MX_UNIT_FLOW },
	[JOIN] = { "t_join", (mx_opcode)JOIN, MX_SOPP, MX_UNIT_FLOW },
	[OTHERS] = { "t_others", (mx_opcode)OTHERS, MX_SOPP, MX_UNIT_FLOW,
	             .flags = MX_KIND(CBRANCH) },
	[END] = { "t_end", (mx_opcode)END, MX_SOPP, MX_UNIT_FLOW, .flags = MX_KIND(END) },
};

/* clang-format off */
#define STREAMS_OF { \
	[IN] = { IN, MX_PATH_MEMORY, MX_IN_ORDER }, \
	[TABLE] = { TABLE, MX_PATH_MEMORY, MX_ANY_ORDER }, \
	[OUT] = { OUT, MX_PATH_MEMORY, MX_IN_ORDER }, \
	[LDS] = { LDS, MX_PATH_LDS, MX_IN_ORDER }, \
	[ASYNC] = { ASYNC, MX_PATH_ASYNC, MX_COUNTED_IN_ORDER }, \
	[TILE] = { TILE, MX_PATH_ASYNC, MX_IN_ORDER }, \
	[ASYNC_OUT] = { ASYNC, MX_PATH_ASYNC, MX_COUNTED_IN_ORDER }, \
}
/* clang-format on */
static const struct mx_isa_stream streams[] = STREAMS_OF;

/* Of most instructions b has the high bits of d. */
static unsigned code_of(const struct mx_inst *in, unsigned shift) {
	bool high = shift == 16 && in->op->id != (mx_opcode)ADD;
	return MX_VGPR + (in->dwords[0] >> shift & 255) + (high ? (in->dwords[0] & 255) << 8 : 0);
}

static void put_vgpr(struct mx_inst *in, unsigned position, mx_operand_role role, unsigned shift) {
	mx_set_operand(in, position,
	               (struct mx_operand){ .code = (uint16_t)code_of(in, shift),
	                                    .dwords = 1,
	                                    .role = (uint8_t)role,
	                                    .lanes = MX_LANES_OF_EXEC,
	                                    .written = position >= MX_AT_RESULT });
}

/* The stream of a memory operation, or -1. */
static int stream_of(unsigned op) {
	switch (op) {
	case LOAD: return IN;
	case LOOK: return TABLE;
	case STORE: return OUT;
	case LDS_LOAD:
	case LDS_STORE: return LDS;
	case COPY_IN: return ASYNC;
	case COPY_OUT: return ASYNC_OUT;
	case TILE_IN:
	case TILE_OUT: return TILE;
	default: return -1;
	}
}

static bool has_result(unsigned op) {
	return op < STORE || op == COPY || op == MODE_OF || op == LDS_LOAD;
}

/* Device memory is at s[0:1] and an offset in a. */
static void put_operands(struct mx_inst *in, unsigned op) {
	const struct mx_operand base = { .code = 0, .dwords = 2, .role = MX_AS_ADDRESS };
	if (op == SHL2 || op == ADD)
		put_vgpr(in, MX_AT_SRC0, MX_AS_SRC0, 8);
	if (op == ADD)
		put_vgpr(in, MX_AT_SRC1, MX_AS_SRC1, 0);
	if (stream_of(op) >= 0)
		put_vgpr(in, MX_AT_ADDRESS, MX_AS_ADDRESS, 8);
	if (in->op->encoding == MX_GLOBAL)
		mx_set_operand(in, MX_AT_BASE, base);
	if (in->op->flags & MX_STORE || in->mem.lds) /* of a copy: the address in LDS */
		put_vgpr(in, MX_AT_DATA, MX_AS_DATA, 16);
	if (has_result(op))
		put_vgpr(in, MX_AT_RESULT, MX_AS_D, 16);
}

/* t_wait: counter a to at most b. */
static mx_counts wait_of(uint32_t dword) {
	unsigned counter = dword >> 8 & 7;
	return (0x7f7f7f7f7f7f7f7f & ~MX_COUNT(counter, 127)) | MX_COUNT(counter, dword & 127);
}

static uint32_t wait_with(uint32_t dword, mx_counts wait) {
	return (dword & ~127u) | mx_count(wait, dword >> 8 & 7);
}

static void decode(const uint32_t *code, size_t left, uint32_t offset, struct mx_inst *in) {
	*in = (struct mx_inst){ .offset = offset, .size = 4, .dwords = { left ? *code : 0 } };
	unsigned op = in->dwords[0] >> 24 & 31;
	if (in->dwords[0] >> 29 != 7 || op >= OPS)
		return;
	in->op = &ops[op];
	if (stream_of(op) >= 0) {
		in->streams = (uint8_t)(1 << stream_of(op));
		in->counts = MX_COUNT(streams[stream_of(op)].counter, 1);
	}
	in->mem.lds = op == COPY_IN || op == COPY_OUT || op == TILE_IN || op == TILE_OUT;
	in->wait = wait_of(in->dwords[0]);
	if (op == OTHERS || op == NOP)
		in->imm = (int32_t)(in->dwords[0] & 255);
	put_operands(in, op);
}

static size_t disassemble(const uint32_t *code, size_t left, unsigned banks, char *text,
                          size_t room) {
	struct mx_inst in;
	(void)banks;
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
		         mx_row_at(&in,
		                   has_result((unsigned)in.op->id) ? MX_AT_RESULT : MX_AT_DATA));
	return in.op ? 4 : 0;
}

/* ---- their handlers ---- */

static void lane(struct mx_wave *w, const struct mx_inst *in) {
	mx_vreg v;
	for (unsigned l = 0; l < w->group->run->isa->wave_size; l++)
		v[l] = l;
	mx_vwrite(w, mx_row_at(in, MX_AT_RESULT), mx_exec(w), v, NULL);
}

static const uint32_t *source(const struct mx_wave *w, const struct mx_inst *in, unsigned i) {
	return w->v[mx_row_at(in, MX_AT_SRC0 + i)];
}

static void shl2(struct mx_wave *w, const struct mx_inst *in) {
	mx_vreg v, unwritten;
	for (unsigned l = 0; l < w->group->run->isa->wave_size; l++) {
		v[l] = source(w, in, 0)[l] << 2;
		unwritten[l] = mx_vunwritten(w, mx_row_at(in, MX_AT_SRC0), l) << 2;
	}
	mx_vwrite(w, mx_row_at(in, MX_AT_RESULT), mx_exec(w), v, unwritten);
}

static void add(struct mx_wave *w, const struct mx_inst *in) {
	mx_vreg v, unwritten;
	for (unsigned l = 0; l < w->group->run->isa->wave_size; l++) {
		uint32_t any = 0;
		v[l] = 0;
		for (unsigned i = 0; i < 2; i++) {
			v[l] += source(w, in, i)[l];
			any |= mx_vunwritten(w, mx_row_at(in, MX_AT_SRC0 + i), l);
		}
		unwritten[l] = any ? ~0u : 0;
	}
	mx_vwrite(w, mx_row_at(in, MX_AT_RESULT), mx_exec(w), v, unwritten);
}

static void write_all(struct mx_wave *w, const struct mx_inst *in, uint32_t value) {
	mx_vreg v;
	for (unsigned l = 0; l < w->group->run->isa->wave_size; l++)
		v[l] = value;
	mx_vwrite(w, mx_row_at(in, MX_AT_RESULT), mx_exec(w), v, NULL);
}

/* s9, and MODE. */
static void copy(struct mx_wave *w, const struct mx_inst *in) {
	write_all(w, in, w->s[9]);
}
static void mode_of(struct mx_wave *w, const struct mx_inst *in) {
	write_all(w, in, w->mode);
}

/* EXEC becomes a | b << 8. */
static void set_exec(struct mx_wave *w, const struct mx_inst *in) {
	mx_write_exec(w, in, in->dwords[0] & 0xffff, 0);
}

/* Barrier a; t_expect: it completes after b signals. */
static unsigned barrier_of(const struct mx_inst *in) {
	return in->dwords[0] >> 8 & 255;
}
static void send_signal(struct mx_wave *w, const struct mx_inst *in) {
	mx_barrier_signal(w, in, barrier_of(in));
}
static void await(struct mx_wave *w, const struct mx_inst *in) {
	mx_barrier_wait(w, barrier_of(in));
}
static void expect(struct mx_wave *w, const struct mx_inst *in) {
	mx_barrier_init(w->group, barrier_of(in), in->dwords[0] & 255);
}
static void join(struct mx_wave *w, const struct mx_inst *in) {
	mx_barrier_join(w, barrier_of(in));
}

/* Waves other than wave a skip b instructions. */
static void others(struct mx_wave *w, const struct mx_inst *in) {
	w->pc += w->index != (in->dwords[0] >> 8 & 255) ? 4 * (uint64_t)in->imm : 0;
}

/* ---- copies between device memory and LDS, lane by lane ---- */

static void copy_extents(const struct mx_memop *m, mx_visit_extent *visit, void *context) {
	bool out = m->in->op->flags & MX_STORE;
	unsigned l;
	MX_FOR_LANES(l, m->exec) {
		visit(context, &(struct mx_extent){ false, out, (int)l, m->address[l], 4 });
		visit(context, &(struct mx_extent){ true, !out, (int)l, m->data[0][l], 4 });
	}
}

static void land_in(struct mx_wave *w, struct mx_memop *m) {
	unsigned l;
	MX_FOR_LANES(l, m->exec) {
		uint32_t unwritten,
			v = mx_memory_read(w, m->in, (int)l, m->address[l], 4, &unwritten);
		mx_lds_write(w, m->in, l, m->data[0][l], 4, v, unwritten);
	}
}

static void land_out(struct mx_wave *w, struct mx_memop *m) {
	unsigned l;
	MX_FOR_LANES(l, m->exec) {
		uint32_t unwritten, v = mx_lds_read(w, m->in, l, m->data[0][l], 4, &unwritten);
		mx_memory_write(w, m->in, (int)l, m->address[l], 4, v, unwritten);
	}
}

static void copy_lanes(struct mx_wave *w, const struct mx_inst *in) {
	struct mx_memop *m = mx_memop_new(w, in);
	unsigned l;
	if (!m)
		return;
	m->extents = copy_extents;
	m->land = in->op->flags & MX_STORE ? land_out : land_in;
	for (l = 0; l < w->group->run->isa->wave_size; l++) {
		m->address[l] = mx_pair(w->s) + w->v[mx_row_at(in, MX_AT_ADDRESS)][l];
		m->data[0][l] = w->v[mx_row_at(in, MX_AT_DATA)][l];
	}
	mx_memop_issue(w, mx_stream_of(in), m);
}

/* ---- copies of a tile: the wave's, whatever EXEC is ---- */

/* The descriptor, without its addresses. By default 32 dwords of one dimension. */
#define ROW_OF(n)                                                                                  \
	{ [0] = 1, [3] = 2u << 30, [4] = 2 << 16, [5] = (n) << 16, [7] = (n) << 16 }
static uint32_t tile[MX_TDM_DWORDS] = ROW_OF(32);

static void copy_tile(struct mx_wave *w, const struct mx_inst *in) {
	uint64_t memory = mx_pair(w->s) + w->v[mx_row_at(in, MX_AT_ADDRESS)][0];
	uint32_t d[MX_TDM_DWORDS];
	memcpy(d, tile, sizeof d);
	d[1] = w->v[mx_row_at(in, MX_AT_DATA)][0];
	d[2] = (uint32_t)memory;
	d[3] |= (uint32_t)(memory >> 32);
	mx_tdm_issue(w, in, d);
}

/* MODE is that of the set, the arena is in s[0:1], work-items are in v0, the size of the wave is in
 * s9. A kernel may have a dword of data before its code. */
enum { MODE = 0xabc, DATA_FIRST = 1 };

static void start(struct mx_wave *w) {
	const struct mx_launch *l = w->group->run->launch;
	w->pc = l->kernel->entry - mx_program_base(l->program) +
	        (l->kernel->properties & DATA_FIRST ? 4 : 0);
	w->mode = MODE;
	mx_swrite64(w, 0, l->kernarg, 0);
	mx_swrite(w, 9, w->group->run->isa->wave_size, 0);
	mx_start_lanes(w);
}

static const char *unsupported(const struct mx_launch *l) {
	return l->dynamic_lds > 64 ? "more than 64 bytes of LDS" : NULL;
}

extern mx_handler mx_exec_GLOBAL, mx_exec_DS, mx_x_s_waitcnt, mx_x_s_endpgm, mx_x_s_nop;

static mx_handler *const *handlers(void) {
	static mx_handler *const table[OPS] = {
		[LANE] = lane,           [SHL2] = shl2,           [ADD] = add,
		[LOAD] = mx_exec_GLOBAL, [LOOK] = mx_exec_GLOBAL, [STORE] = mx_exec_GLOBAL,
		[EXEC] = set_exec,       [WAIT] = mx_x_s_waitcnt, [END] = mx_x_s_endpgm,
		[COPY] = copy,           [MODE_OF] = mode_of,     [SIGNAL] = send_signal,
		[AWAIT] = await,         [EXPECT] = expect,       [JOIN] = join,
		[OTHERS] = others,       [LDS_LOAD] = mx_exec_DS, [LDS_STORE] = mx_exec_DS,
		[COPY_IN] = copy_lanes,  [COPY_OUT] = copy_lanes, [NOP] = mx_x_s_nop,
		[TILE_IN] = copy_tile,   [TILE_OUT] = copy_tile,
	};
	return table;
}

/* clang-format off */
#define COUNTERS_OF { \
	[IN] = { "incnt", 7, "t_wait in", " ", "" }, \
	[TABLE] = { "tablecnt", 15, "t_wait table", " ", "" }, \
	[OUT] = { "outcnt", 3, "t_wait out", " ", "" }, \
	[LDS] = { "ldscnt", 7, "t_wait lds", " ", "" }, \
	[ASYNC] = { "asynccnt", 7, "t_wait async", " ", "" }, \
	[TILE] = { "tilecnt", 3, "t_wait tile", " ", "" }, \
}
/* clang-format on */
#define TOY(name_, size)                                                                           \
	{                                                                                          \
		.name = name_, .wave_size = size, .vgprs = MX_VGPR_FILE, .n_counters = COUNTERS,   \
		.counter = COUNTERS_OF, .n_streams = STREAMS, .stream = STREAMS_OF,                \
		.n_barriers = 3, .split_barriers = true, .barrier = "t_signal, t_await",           \
		.arrival = "t_signal",                                                            \
		.wait_with = wait_with, .nop = { "t_nop", 0xe0000000 | NOP << 24 },                \
		.start = start, .unsupported = unsupported, .ops = ops, .n_ops = OPS,              \
		.decode = decode, .disassemble = disassemble, .handlers = handlers                 \
	}
static const struct mx_isa toy = TOY("toy", 64), toy32 = TOY("toy32", 32);

/* ---- running them ---- */

static inline struct machine ready(const struct mx_program *p, const uint32_t *code) {
	struct machine m = machine();
	m.kernel.entry = (uintptr_t)code;
	m.kernel.agprs = 0;
	m.launch.program = p;
	m.launch.analysis = MX_ANALYSE_ORDER | MX_ANALYSE_WAIT_STATES;
	return m;
}

static inline bool run(struct machine *m) {
	m->launch.kernel = &m->kernel;
	m->ran = mx_launch_run(&m->launch, &m->report);
	return m->ran;
}

/* Runs one workgroup of `threads` work-items on a set with waves of 32. The result is valid until
 * the next run. */
static inline struct machine *run32_as(const uint32_t *code, size_t bytes, unsigned threads,
                                       const struct mx_schedule *schedule) {
	static struct machine m;
	mx_report_free(&m.report);
	struct mx_program *p = mx_program_new(&toy32, code, bytes, (uintptr_t)code);
	m = ready(p, code);
	m.launch.block[0] = threads;
	m.launch.schedule = schedule;
	run(&m);
	mx_program_free(p);
	return &m;
}
#define RUN32(code, threads) run32_as(code, sizeof(code), threads, NULL)

static inline bool is_proved(const struct machine *m) {
	if (no_findings(m) && m->report.proof.outcome == MX_PROVED)
		return true;
	show_findings(m);
	return false;
}

#endif
