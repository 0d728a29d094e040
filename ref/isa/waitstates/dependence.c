/* Dependences that s_wait_alu waits for: what is in flight, and what an instruction overtakes. */
#include <stdlib.h>

#include "../../mma/wmma.h"
#include "../encoding/hwreg.h"
#include "../encoding/instruction_set.h"
#include "../encoding/operands.h"
#include "../machine/findings.h"
#include "dependence.h"

/* The counters of s_wait_alu, and the queues for which each waits. */
enum {
#define MX_ALU_COUNTER(id, name, low, width) id,
#include "../wait_alu.def"
#undef MX_ALU_COUNTER
	COUNTERS
};
static const struct {
	mx_missing_kind kind;
	uint8_t low, most;
} counter[COUNTERS] = {
#define MX_ALU_COUNTER(id, name, low, width) [id] = { MX_MISSING_##id, low, (1 << (width)) - 1 },
#include "../wait_alu.def"
#undef MX_ALU_COUNTER
};
static const struct queues {
	uint8_t first, end;
} queues[COUNTERS] = {
	[VA_VDST] = { MX_QUEUE_VALU, MX_QUEUE_LDS },
	[VM_VSRC] = { MX_QUEUE_LDS, MX_QUEUE_SGPR },
	[VA_SDST] = { MX_QUEUE_SGPR, MX_QUEUE_VCC },
	[VA_VCC] = { MX_QUEUE_VCC, MX_QUEUE_SOURCE },
	[VA_SSRC] = { MX_QUEUE_SOURCE, MX_QUEUE_SALU },
	[SA_SDST] = { MX_QUEUE_SALU, MX_QUEUES },
};

/* ---- registers ---- */

/* The scalars that count are s0 to s105 and VCC. Two rows of VGPRs stand for memory instructions:
 * all of them, and the arrivals at barriers in LDS. */
enum {
	SCALARS = MX_VCC + 2,
	SCALAR_QUEUES = MX_QUEUES - MX_VGPR_QUEUES,
	FIRST_VGPR = SCALARS * SCALAR_QUEUES,
	ANY_MEMORY = 0,
	ARRIVAL,
	PSEUDO,
};

static bool is_vgpr(unsigned code) {
	return code >= MX_VGPR;
}
static bool is_scalar(unsigned code) {
	return mx_first_register(code) < SCALARS;
}

/* The uses of row `n` of VGPRs, or of scalar `n`, from which queue `q` is element `q`. */
static struct mx_queue_use *of_vgpr(struct mx_dependences *d, unsigned n) {
	return d->use + FIRST_VGPR + n * MX_VGPR_QUEUES;
}
static struct mx_queue_use *of_scalar(struct mx_dependences *d, unsigned n) {
	return d->use + n * SCALAR_QUEUES - MX_VGPR_QUEUES;
}
static struct mx_queue_use *uses_of(struct mx_dependences *d, const struct mx_operand *o,
                                    unsigned dword) {
	return is_vgpr(o->code) ? of_vgpr(d, PSEUDO + mx_operand_row(o->code) + dword)
	                        : of_scalar(d, mx_first_register(o->code) + dword);
}

static size_t uses(const struct mx_isa *isa) {
	return FIRST_VGPR + (PSEUDO + isa->vgprs) * MX_VGPR_QUEUES;
}
static unsigned queue_of_use(size_t i) {
	return i < FIRST_VGPR ? MX_VGPR_QUEUES + i % SCALAR_QUEUES
	                      : (i - FIRST_VGPR) % MX_VGPR_QUEUES;
}

size_t mx_dependences_size(const struct mx_isa *isa) {
	return sizeof(struct mx_dependences) + uses(isa) * sizeof(struct mx_queue_use);
}

void mx_dependences_forget(struct mx_dependences *d) {
	for (unsigned q = 0; q < MX_QUEUES; q++)
		d->over[q] = d->issued[q];
}

/* The numbers begin at one from which any age can be subtracted. */
void mx_dependences_start(struct mx_dependences *d) {
	d->modes = 1 << 0;
	for (unsigned q = 0; q < MX_QUEUES; q++)
		d->issued[q] = 1ull << 32;
	mx_dependences_forget(d);
}

/* ---- programs ---- */

static bool is_arrival(const struct mx_inst *in) {
	return in->op->id == MX_OP_ds_atomic_async_barrier_arrive_b64;
}

static bool is_scratch_base(const struct mx_operand *o) {
	return o->code == MX_FLAT_SCRATCH_BASE || o->code == MX_FLAT_SCRATCH_BASE + 1;
}

static bool concerned(const struct mx_program *p, const struct mx_inst *in) {
	bool base = false;
	for (unsigned i = 0; i < MX_MAX_OPERANDS; i++)
		base |= in->operand[i].dwords && is_scratch_base(&in->operand[i]);
	return base || is_arrival(in) ||
	       (mx_kind_of(in->op) == MX_IS_SETREG &&
	        mx_hw_field(in).reg == mx_program_isa(p)->sched_mode);
}

static void *find_concerned(const struct mx_program *p, uint64_t entry) {
	bool *found = calloc(1, sizeof *found);
	(void)entry;
	for (size_t i = 0; found && i < mx_program_dwords(p); i++) {
		const struct mx_inst *in = mx_program_at(p, 4 * i);
		*found |= in->op && concerned(p, in);
	}
	return found;
}

bool mx_has_dependences(const struct mx_program *p) {
	if (!mx_program_isa(p)->sched_mode)
		return false;
	const bool *found = mx_program_derived(p, find_concerned, 0);
	return !found || *found;
}

/* ---- units ---- */

typedef enum { NO_UNIT, SCALAR_ALU, SCALAR_MEMORY, VECTOR_ALU, LDS, VECTOR_MEMORY } unit;

static unit unit_of(const struct mx_inst *in) {
	if (!in->op)
		return NO_UNIT;
	if (in->op->encoding <= MX_SMEM)
		return in->op->encoding == MX_SMEM ? SCALAR_MEMORY : SCALAR_ALU;
	if (in->op->encoding < MX_DS)
		return VECTOR_ALU;
	return in->op->encoding == MX_DS ? LDS : VECTOR_MEMORY;
}

static mx_queue valu_queue(const struct mx_inst *in) {
	mx_kind kind = mx_kind_of(in->op);
	if (mx_is_matrix(in->op))
		return in->mai.wmma->ab[MX_SIDE_A] == MX_T_F32 ? MX_QUEUE_VALU : MX_QUEUE_XDL;
	if (kind == MX_IS_DOT)
		return MX_QUEUE_XDL;
	if (kind == MX_IS_TRANS)
		return MX_QUEUE_TRANS;
	return MX_QUEUE_VALU;
}

static bool has_scales(const struct mx_inst *in) {
	return mx_is_matrix(in->op) && mx_has_operand(in, MX_AT_SCALE_A);
}

/* The queue of the VGPRs that the instruction uses; MX_QUEUES: none. */
static mx_queue vgpr_queue(const struct mx_inst *in) {
	switch (unit_of(in)) {
	case VECTOR_ALU: return valu_queue(in);
	case LDS: return MX_QUEUE_LDS;
	case VECTOR_MEMORY: return MX_QUEUE_VMEM;
	default: return MX_QUEUES;
	}
}

/* The queue in which a later instruction may overtake the use of this operand. */
static mx_queue queue_of(const struct mx_inst *in, const struct mx_operand *o) {
	unit u = unit_of(in);
	bool vcc = mx_first_register(o->code) >= MX_VCC;
	if (is_vgpr(o->code))
		return o->written == (u == VECTOR_ALU) ? vgpr_queue(in) : MX_QUEUES;
	if (!is_scalar(o->code) || (u != SCALAR_ALU && u != VECTOR_ALU))
		return MX_QUEUES;
	if (u == SCALAR_ALU)
		return o->written ? MX_QUEUE_SALU : MX_QUEUES;
	return !o->written ? MX_QUEUE_SOURCE : vcc ? MX_QUEUE_VCC : MX_QUEUE_SGPR;
}

/* ---- waits ---- */

static void wait_for(struct mx_dependences *d, struct queues w, unsigned n) {
	for (unsigned q = w.first; q < w.end; q++)
		if (d->issued[q] > d->over[q] + n)
			d->over[q] = d->issued[q] - n;
}

/* The least of the counts of loads, stores and LDS for which a wait waits. */
static unsigned memory_count(const struct mx_isa *isa, mx_counts wait) {
	unsigned least = ~0u;
	for (unsigned i = 0; i < isa->n_streams; i++) {
		const struct mx_isa_stream *s = &isa->stream[i];
		unsigned n = mx_count(wait, s->counter);
		if ((s->path == MX_PATH_MEMORY || s->path == MX_PATH_LDS) &&
		    n < isa->counter[s->counter].most && n < least)
			least = n;
	}
	return least;
}

/* Strictly: of each counter, what is over, and older instructions of its queue. */
static void wait_for_counted(const struct mx_isa *isa, struct mx_dependences *d, mx_counts wait) {
	for (unsigned c = 0; c < isa->n_counters; c++) {
		const struct mx_counted *x = &d->counted[c];
		unsigned n = mx_count(wait, c);
		if (n >= isa->counter[c].most || x->issued <= n)
			continue;
		uint64_t i = (x->issued - n - 1) % 64, nth = x->last[i].nth;
		if (nth > d->over[x->last[i].queue])
			d->over[x->last[i].queue] = nth;
	}
}

static void follow_wait(const struct mx_isa *isa, struct mx_dependences *d,
                        const struct mx_inst *in) {
	if (in->op->id == MX_OP_s_wait_idle)
		mx_dependences_forget(d);
	else if (in->op->id != MX_OP_s_wait_alu && d->strict)
		wait_for_counted(isa, d, in->wait);
	else if (in->op->id != MX_OP_s_wait_alu)
		wait_for(d, queues[VM_VSRC], memory_count(isa, in->wait));
	else
		for (unsigned c = 0; c < COUNTERS; c++) {
			unsigned n = (unsigned)in->imm >> counter[c].low & counter[c].most;
			if (n != counter[c].most)
				wait_for(d, queues[c], n);
		}
}

/* ---- what is in flight ---- */

/* The vector ALU writes its results in order, so its last write of a register covers the others. */
static void note_use(struct mx_dependences *d, const struct mx_inst *in,
                     const struct mx_operand *o) {
	mx_queue queue = queue_of(in, o);
	bool result = queue < MX_QUEUE_LDS;
	for (unsigned i = 0; queue < MX_QUEUES && i < o->dwords; i++) {
		struct mx_queue_use *use = uses_of(d, o, i);
		for (unsigned q = MX_QUEUE_VALU; result && q < MX_QUEUE_LDS; q++)
			use[q].nth = 0;
		use[queue] = (struct mx_queue_use){ in, d->issued[queue] };
	}
}

static void issue(struct mx_dependences *d, const struct mx_inst *in) {
	mx_queue vgprs = vgpr_queue(in);
	bool joins[MX_QUEUES + 1] = { false };
	joins[vgprs] = true;
	MX_FOR_OPERANDS(o, in)
		joins[queue_of(in, o)] = true;
	for (unsigned q = 0; q < MX_QUEUES; q++)
		d->issued[q] += joins[q] + (q == vgprs && has_scales(in) && !d->strict);
	if (mx_kind_of(in->op) != MX_IS_HINT) /* nothing depends on what a prefetch reads */
		MX_FOR_OPERANDS(o, in)
			note_use(d, in, o);
	if (unit_of(in) < LDS)
		return;
	of_vgpr(d, ANY_MEMORY)[vgprs] = (struct mx_queue_use){ in, d->issued[vgprs] };
	if (is_arrival(in))
		of_vgpr(d, ARRIVAL)[vgprs] = (struct mx_queue_use){ in, d->issued[vgprs] };
}

static void note_counted(const struct mx_isa *isa, struct mx_dependences *d,
                         const struct mx_inst *in) {
	mx_queue queue = vgpr_queue(in);
	for (unsigned c = 0; queue < MX_QUEUES && c < isa->n_counters; c++) {
		struct mx_counted *x = &d->counted[c];
		if (!mx_count(in->counts, c))
			continue;
		x->last[x->issued % 64].queue = queue;
		x->last[x->issued++ % 64].nth = d->issued[queue];
	}
}

void mx_dependences_issue(const struct mx_isa *isa, struct mx_dependences *d,
                          const struct mx_inst *in) {
	if (!in->op)
		return;
	if (mx_kind_of(in->op) == MX_IS_WAITCNT || in->op->id == MX_OP_s_wait_alu)
		follow_wait(isa, d, in);
	if (d->strict && mx_kind_of(in->op) == MX_IS_TILE)
		return;
	issue(d, in);
	if (d->strict)
		note_counted(isa, d, in);
}

/* A use of `from` has the same age in `to`. */
static bool merge_use(struct mx_dependences *to, const struct mx_dependences *from, size_t i) {
	unsigned q = queue_of_use(i);
	const struct mx_queue_use *u = &from->use[i];
	uint64_t age = from->issued[q] - u->nth;
	if (to->use[i].nth <= to->over[q])
		to->use[i].nth = 0;
	if (u->nth <= from->over[q] || (to->use[i].nth && to->issued[q] - to->use[i].nth <= age))
		return false;
	to->use[i] = (struct mx_queue_use){ u->in, to->issued[q] - age };
	return true;
}

/* Afterwards all uses of `to` are in flight. */
bool mx_dependences_merge(const struct mx_isa *isa, struct mx_dependences *to,
                          const struct mx_dependences *from) {
	bool changed = from->modes & ~to->modes;
	to->modes |= from->modes;
	for (size_t i = 0; i < uses(isa); i++)
		changed |= merge_use(to, from, i);
	for (unsigned q = 0; q < MX_QUEUES; q++)
		to->over[q] = 0;
	return changed;
}

/* ---- what is missing ---- */

struct overtaken {
	const struct mx_inst *in; /* NULL: nothing */
	uint64_t younger;         /* in its queue */
	unsigned counter;
	const char *does; /* what the instruction does that overtakes */
	bool required;    /* the hardware does not check it */
};

/* Keeps the youngest use in queues of the counter. */
static void look_at(const struct mx_dependences *d, const struct mx_queue_use *use, unsigned c,
                    const char *does, struct overtaken *x) {
	for (unsigned q = queues[c].first; q < queues[c].end; q++) {
		uint64_t younger = d->issued[q] - use[q].nth;
		if (use[q].nth > d->over[q] && (!x->in || younger < x->younger))
			*x = (struct overtaken){ use[q].in, younger, c, does, true };
	}
}

/* What the instruction overtakes by its operands, if it would have to wait for the counter. */
static struct overtaken by_operands(struct mx_dependences *d, const struct mx_inst *in,
                                    unsigned c) {
	bool of_vgprs = queues[c].first < MX_VGPR_QUEUES, source = c == VM_VSRC || c == VA_SSRC;
	struct overtaken x = { 0 };
	MX_FOR_OPERANDS(o, in) {
		const char *does = source       ? "overwrites a source of"
		                   : o->written ? "overwrites the result of"
		                                : "reads the result of";
		bool file = of_vgprs ? is_vgpr(o->code) : is_scalar(o->code);
		for (unsigned i = 0; file && i < o->dwords && (o->written || !source); i++)
			look_at(d, uses_of(d, o, i), c, does, &x);
	}
	return x;
}

/* Whether the hardware leaves it to the program, in a mode that the wave may have, that an
 * instruction of this unit waits for the counter. */
static bool unchecked(const struct mx_dependences *d, unit u, unsigned c) {
	enum { MODE_1 = 1 << 1, EXPERT = MODE_1 | 1 << 2 | 1 << 3 };
	switch (c) {
	case VA_VDST: return d->modes & EXPERT && u >= LDS;
	case VM_VSRC: return d->modes & EXPERT && u >= VECTOR_ALU;
	case VA_SDST:
	case VA_VCC: return d->modes & MODE_1 && u && u != VECTOR_ALU;
	case VA_SSRC: return d->modes & MODE_1 && u == SCALAR_ALU;
	case SA_SDST: return d->modes & MODE_1 && u >= VECTOR_ALU;
	default: return false;
	}
}

/* ds_atomic_async_barrier_arrive beside another memory instruction. */
static struct overtaken by_arrival(struct mx_dependences *d, const struct mx_inst *in) {
	struct overtaken x = { 0 };
	if (unit_of(in) >= LDS)
		look_at(d, of_vgpr(d, is_arrival(in) ? ANY_MEMORY : ARRIVAL), VM_VSRC, "follows",
		        &x);
	x.required = false;
	x.younger = 0;
	return x;
}

/* A use of src_flat_scratch_base after a write of s102 or s103, until so many later ones. */
static struct overtaken by_scratch_base(struct mx_dependences *d, const struct mx_inst *in) {
	static const struct {
		unsigned counter, later;
	} writes[] = { { VA_SDST, 8 }, { SA_SDST, 10 } };
	struct overtaken x = { 0 };
	for (unsigned p = 0; p < MX_MAX_OPERANDS; p++) {
		const struct mx_operand *o = &in->operand[p];
		unsigned first = MX_FLAT_SCRATCH + o->code - MX_FLAT_SCRATCH_BASE;
		for (unsigned i = 0; is_scratch_base(o) && i < 2u * o->dwords; i++) {
			struct overtaken y = { 0 };
			look_at(d, of_scalar(d, first + i / 2), writes[i % 2].counter,
			        "uses src_flat_scratch_base after", &y);
			if (y.in && y.younger < writes[i % 2].later)
				x = y;
		}
	}
	x.required = false;
	x.younger = 0;
	return x;
}

/* By the strict rule for VGPRs. */
static struct overtaken overtakes_strictly(struct mx_dependences *d, const struct mx_inst *in) {
	struct overtaken x = { 0 };
	if (unchecked(d, unit_of(in), VA_VDST))
		x = by_operands(d, in, VA_VDST);
	if (!x.in && unchecked(d, unit_of(in), VM_VSRC))
		x = by_operands(d, in, VM_VSRC);
	x.required = false;
	return x;
}

static struct overtaken overtakes(struct mx_dependences *d, const struct mx_inst *in) {
	static const uint8_t order[] = { VA_VDST, VM_VSRC, VA_SDST, VA_VCC, SA_SDST, VA_SSRC };
	struct overtaken x = { 0 };
	for (unsigned i = 0; i < sizeof order && !x.in; i++)
		if (unchecked(d, unit_of(in), order[i]))
			x = by_operands(d, in, order[i]);
	if (!x.in)
		x = by_arrival(d, in);
	return x.in ? x : by_scratch_base(d, in);
}

static struct mx_finding finding(const struct mx_inst *in, const struct overtaken *x) {
	unsigned most = counter[x->counter].most - 1;
	bool scalars = queues[x->counter].first >= MX_VGPR_QUEUES;
	struct mx_finding f = {
		.kind = x->required ? MX_WAIT_STATES : MX_WAIT_STATES_NOTE,
		.lane = -1,
		.code = mx_inst_dwords_of(in),
		.earlier_code = mx_inst_dwords_of(x->in),
		.hazard = { .severity = x->required ? MX_HAZARD_FINDING : MX_HAZARD_NOTE,
		            .does = x->does,
		            .how = "",
		            .source = x->required && scalars ? "Tensile" : "LLVM" },
		.missing = { .kind = counter[x->counter].kind,
		             .count = x->younger < most ? (uint32_t)x->younger : most },
	};
	return f;
}

bool mx_dependence_missing(struct mx_dependences *d, const struct mx_inst *in,
                           const struct mx_inst **earlier, struct mx_finding *f) {
	if (!in->op)
		return false;
	struct overtaken x = d->strict ? overtakes_strictly(d, in) : overtakes(d, in);
	if (!x.in)
		return false;
	*earlier = x.in;
	*f = finding(in, &x);
	wait_for(d, queues[x.counter], f->missing.count);
	return true;
}
