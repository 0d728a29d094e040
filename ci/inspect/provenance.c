/* Provenance: the chain of instructions that computed a byte of memory. */
#include "provenance.h"

#include <stdlib.h>
#include <string.h>

#include "../../ref/isa/encoding/instruction_set.h"

enum {
	SCALAR = MX_LANES, /* the "lane" of scalar accesses */
	PARTS = 32,        /* most dwords of data of a lane */
	READS = (MX_LANES + 1) * PARTS,
	KERNARG_BYTES = 4096,
};

/* What a lane has read so far in the operation that is landing: the k-th access belongs to the k-th
 * dword of the lane's data; of a block, to the k-th that M0 selects. */
struct accesses {
	unsigned n;
	uint64_t address[PARTS];
	uint8_t bytes[PARTS];
	bool lds[PARTS];
};

/* A read by lanes, or a scalar one. */
struct read {
	uint64_t address, lanes;
	uint8_t bytes;
	bool lds;
};

struct writer {
	bool found;
	struct mx_step step;
	struct accesses read; /* of a load, for this lane */
	uint32_t s[MX_SGPR_FILE];
};

struct search {
	const struct mx_bench *b;
	struct mx_chain *c;
	unsigned depth;
	struct writer *writers;   /* of each value, while the launch runs */
	struct read reads[READS]; /* of the operation that is landing, in order */
	unsigned n_reads;
	uint8_t writes[MX_LANES + 1];   /* how many dwords each lane has written in it */
	uint64_t kernarg[MX_MAX_STEPS]; /* address in the last run */
};

/* ---- growing ---- */

static void *grow(struct mx_chain *c, void *items, size_t n, size_t *room, size_t size) {
	if (n < *room)
		return items;
	size_t wanted = *room ? 2 * *room : 64;
	void *grown = realloc(items, wanted * size);
	if (!grown) {
		c->out_of_memory = true;
		return items;
	}
	*room = wanted;
	return grown;
}

static void add_value(struct mx_chain *c, const struct mx_value *v) {
	c->values = grow(c, c->values, c->n_values, &c->values_room, sizeof *c->values);
	if (c->n_values < c->values_room)
		c->values[c->n_values++] = *v;
}

static int add_step(struct mx_chain *c, const struct mx_step *s) {
	c->steps = grow(c, c->steps, c->n_steps, &c->steps_room, sizeof *c->steps);
	if (c->n_steps == c->steps_room)
		return -1;
	c->steps[c->n_steps] = *s;
	return (int)c->n_steps++;
}

/* ---- the waves and kinds of events to observe ---- */

static bool same_group(const struct search *s, const struct mx_step *step,
                       const uint32_t workgroup[3]) {
	return step->launch == mx_bench_running(s->b) &&
	       !memcmp(step->workgroup, workgroup, sizeof step->workgroup);
}

static bool same_wave(const struct search *s, const struct mx_step *step,
                      const struct mx_event *e) {
	return step->wave == e->wave && same_group(s, step, e->workgroup);
}

static const struct mx_step *reader(const struct search *s, const struct mx_value *v) {
	return v->reader < 0 ? NULL : &s->c->steps[v->reader];
}

static bool in_register(const struct mx_value *v) {
	return v->where == MX_IN_REGISTER || v->where == MX_IN_SCC;
}

static unsigned wants(void *context, const uint32_t workgroup[3], uint32_t wave) {
	const struct search *s = context;
	const unsigned all = MX_EVENT_LAND | MX_EVENT_MEMORY | MX_EVENT_LDS;
	unsigned kinds = 0;
	for (size_t i = 0; i < s->c->n_values; i++) {
		const struct mx_value *v = &s->c->values[i];
		const struct mx_step *r = reader(s, v);
		bool group = r && same_group(s, r, workgroup);
		if (v->resolved)
			continue;
		if (v->where == MX_IN_MEMORY || (v->where == MX_IN_LDS && group))
			kinds |= all;
		if (group && r->wave == wave)
			kinds |= all | MX_EVENT_ISSUE | MX_EVENT_SGPR | MX_EVENT_VGPR;
	}
	return kinds;
}

/* ---- writers ---- */

static struct mx_step step_of(unsigned launch, const struct mx_event *e, int lane, unsigned part) {
	struct mx_step s = { .launch = launch,
		             .wave = e->wave,
		             .lane = lane,
		             .part = part,
		             .issue = e->issue,
		             .issued = e->landing ? 0 : e->time,
		             .time = e->time,
		             .landing = e->landing,
		             .pc = e->pc,
		             .isa = e->isa,
		             .dwords = e->dwords };
	memcpy(s.workgroup, e->workgroup, sizeof s.workgroup);
	if (e->code) {
		memcpy(s.code, e->code, 4 * e->dwords);
		s.isa->decode(s.code, 4, 0, &s.in);
		if (e->banks)
			s.isa->rebank(&s.in, e->banks);
	}
	return s;
}

/* Lanes that read one location may have an event each; one is enough. */
static struct accesses reads_of(const struct search *s, int lane) {
	struct accesses a = { 0 };
	for (unsigned i = 0; i < s->n_reads && a.n < PARTS; i++) {
		const struct read *r = &s->reads[i];
		bool own = lane < 0 ? !r->lanes : r->lanes >> lane & 1, known = !own;
		for (unsigned k = 0; k < a.n; k++)
			known |= a.address[k] == r->address;
		if (known)
			continue;
		a.address[a.n] = r->address;
		a.bytes[a.n] = r->bytes;
		a.lds[a.n++] = r->lds;
	}
	return a;
}

static void note_writer(struct search *s, size_t i, const struct mx_event *e, int lane,
                        unsigned part) {
	struct writer *w = &s->writers[i];
	w->found = true;
	w->step = step_of(mx_bench_running(s->b), e, lane, part);
	memcpy(w->s, e->registers.s, sizeof w->s);
	w->read = e->landing ? reads_of(s, lane) : (struct accesses){ 0 };
}

/* The dword of a lane's data that its k-th access has; the access that has a dword. */
static unsigned dword_of_access(const struct mx_event *e, unsigned k) {
	uint32_t left = e->block;
	while (k-- && left)
		left &= left - 1;
	return left ? (unsigned)__builtin_ctz(left) : 0;
}
static unsigned access_of_dword(const struct mx_event *e, unsigned dword) {
	uint32_t before = dword < 32 ? e->block & ((1u << dword) - 1) : 0;
	return dword < 32 ? (unsigned)__builtin_popcount(before) : dword;
}

static void register_written(struct search *s, const struct mx_event *e) {
	bool vector = e->kind == MX_EVENT_VGPR;
	unsigned code = vector ? e->reg + MX_VGPR : e->reg;
	for (size_t i = 0; i < s->c->n_values; i++) {
		const struct mx_value *v = &s->c->values[i];
		const struct mx_step *r = reader(s, v);
		if (v->resolved || v->where != MX_IN_REGISTER || v->code != code ||
		    !same_wave(s, r, e) || (vector && (v->lane < 0 || !(e->lanes >> v->lane & 1))))
			continue;
		struct mx_step step = step_of(mx_bench_running(s->b), e, -1, 0);
		bool first_known = step.in.op && mx_has_operand(&step.in, MX_AT_RESULT);
		unsigned first = step.dwords && first_known ? mx_result(&step.in) : code;
		bool by_lanes = step.dwords && step.in.op && step.in.op->encoding >= MX_VOP2;
		note_writer(s, i, e, vector || by_lanes ? v->lane : -1,
		            code >= first ? access_of_dword(e, code - first) : 0);
	}
}

static bool overlap(uint64_t a, unsigned n, uint64_t b, unsigned m) {
	return a < b + m && b < a + n;
}

/* Kernel arguments have another address in each launch, so their offset is compared. */
static bool same_location(const struct search *s, const struct mx_value *v,
                          const struct mx_event *e) {
	if ((v->where == MX_IN_LDS) != (e->kind == MX_EVENT_LDS))
		return false;
	if (v->where == MX_IN_LDS && !same_group(s, reader(s, v), e->workgroup))
		return false;
	uint64_t address = v->address + (v->kernarg ? e->kernarg : 0);
	return overlap(address, v->bytes, e->address, e->bytes);
}

static bool is_memory(const struct mx_value *v) {
	return v->where == MX_IN_MEMORY || v->where == MX_IN_LDS;
}

static void note_read(struct search *s, const struct mx_event *e) {
	if (s->n_reads < READS)
		s->reads[s->n_reads++] = (struct read){ e->address, e->lanes, (uint8_t)e->bytes,
			                                e->kind == MX_EVENT_LDS };
}

/* Whether this event is the read of the value by its reader. */
static bool reads_now(const struct search *s, const struct mx_value *v, const struct mx_event *e) {
	const struct mx_step *r = reader(s, v);
	return r && is_memory(v) && e->landing && r->landing && r->issue == e->issue &&
	       same_wave(s, r, e) && same_location(s, v, e);
}

static void accessed(struct search *s, const struct mx_event *e) {
	uint8_t *written = &s->writes[e->lane < 0 ? SCALAR : e->lane];
	if (!e->write)
		note_read(s, e);
	else if (*written < PARTS)
		++*written;
	for (size_t i = 0; i < s->c->n_values; i++) {
		struct mx_value *v = &s->c->values[i];
		if (!e->write && !v->known && reads_now(s, v, e)) {
			v->data = e->data;
			v->known = true;
		} else if (e->write && !v->resolved && is_memory(v) && same_location(s, v, e))
			note_writer(s, i, e, e->lane, dword_of_access(e, *written - 1));
	}
}

/* ---- readers ---- */

static uint32_t value_of(const struct mx_value *v, const struct mx_registers *r, bool *known) {
	*known = true;
	if (v->where == MX_IN_SCC)
		return r->scc;
	if (v->code < MX_INT_0)
		return r->s[v->code];
	unsigned row = v->code - MX_VGPR;
	*known = v->lane >= 0 && (row < r->vgprs || (row >= 256 && row - 256 < r->agprs));
	return *known ? r->v[row][v->lane] : 0;
}

/* The reader is issued: it reads the present contents of its registers. An instruction that sets
 * SCC writes it for later instructions. */
static void issued(struct search *s, const struct mx_event *e) {
	struct mx_inst in;
	e->isa->decode(e->code, e->dwords, 0, &in);
	bool sets_scc = in.op && in.op->flags & MX_SCC_OUT;
	for (size_t i = 0; i < s->c->n_values; i++) {
		struct mx_value *v = &s->c->values[i];
		struct mx_step *r = v->reader < 0 ? NULL : &s->c->steps[v->reader];
		if (!r || !same_wave(s, r, e))
			continue;
		if (r->issue == e->issue)
			r->issued = e->time;
		if (v->resolved || !in_register(v))
			continue;
		if (r->issue == e->issue) {
			v->data = value_of(v, &e->registers, &v->known);
			v->resolved = true;
		} else if (v->where == MX_IN_SCC && sets_scc)
			note_writer(s, i, e, -1, 0);
	}
}

/* The reader lands: it reads the present contents of memory. */
static void landing(struct search *s, const struct mx_event *e) {
	s->n_reads = 0;
	memset(s->writes, 0, sizeof s->writes);
	for (size_t i = 0; i < s->c->n_values; i++) {
		struct mx_value *v = &s->c->values[i];
		const struct mx_step *r = reader(s, v);
		if (r && is_memory(v) && r->issue == e->issue && same_wave(s, r, e))
			v->resolved = true;
	}
}

static void event(void *context, const struct mx_event *e) {
	struct search *s = context;
	s->kernarg[mx_bench_running(s->b)] = e->kernarg;
	switch (e->kind) {
	case MX_EVENT_ISSUE: issued(s, e); break;
	case MX_EVENT_LAND: landing(s, e); break;
	case MX_EVENT_SGPR:
	case MX_EVENT_VGPR: register_written(s, e); break;
	case MX_EVENT_MEMORY:
	case MX_EVENT_LDS: accessed(s, e); break;
	case MX_EVENT_SCRATCH: break; /* not observed */
	}
}

/* ---- from writers to what they read ---- */

/* The value that a load read from memory or LDS for this dword. */
static void add_loaded(struct search *s, int step, const struct accesses *read, bool wanted) {
	const struct mx_step *w = &s->c->steps[step];
	unsigned k = w->part < read->n ? w->part : 0;
	if (!read->n)
		return;
	uint64_t address = read->address[k], arguments = s->kernarg[w->launch];
	bool kernarg = !read->lds[k] && address - arguments < KERNARG_BYTES;
	struct mx_value v = { .reader = step,
		              .role = read->lds[k] ? "LDS" : "memory",
		              .where = read->lds[k] ? MX_IN_LDS : MX_IN_MEMORY,
		              .lane = w->lane,
		              .address = kernarg ? address - arguments : address,
		              .bytes = read->bytes[k],
		              .kernarg = kernarg,
		              .wanted = wanted,
		              .writer = -1 };
	add_value(s->c, &v);
}

/* In stores and matrix accumulators one dword of the operand becomes this part of the result. */
static bool one_dword(const struct mx_inst *in, const struct mx_operand *o) {
	return in->op->flags & MX_STORE || o->role == MX_AS_C;
}

static void add_operand(struct search *s, int step, const struct mx_operand *o, bool wanted,
                        const struct mx_registers *r) {
	const struct mx_step *w = &s->c->steps[step];
	unsigned first = 0, n = o->dwords;
	bool mask = o->role == MX_AS_MASK && w->lane >= 0, value = mx_operand_is_value(o->role);
	if (mask) { /* the half with the bit of the lane */
		first = (unsigned)w->lane / 32;
		n = first + 1;
	} else if (value && one_dword(&w->in, o)) {
		unsigned part = o->role == MX_AS_DATA1 ? w->part - n : w->part;
		if (part >= n)
			return;
		first = part;
		n = part + 1;
	} else if (value && n > 2)
		n = 1; /* the first dword of an operand of a matrix instruction */
	for (unsigned k = first; k < n; k++) {
		struct mx_value v = {
			.reader = step,
			.role = mx_operand_role_name(o->role),
			.where = o->code == MX_SCC ? MX_IN_SCC : MX_IN_REGISTER,
			.code = o->code + k,
			.lane = mask ? w->lane : mx_operand_lane(&w->in, o, w->lane, w->part, r),
			.bytes = 4,
			.wanted = wanted && value,
			.writer = -1
		};
		add_value(s->c, &v);
	}
}

static int rank_of(const struct mx_operand *o) {
	return o->role == MX_AS_C ? 0 : mx_operand_is_value(o->role) ? 1 : 2;
}

static void add_sources(struct search *s, int step, const struct writer *w) {
	const struct mx_registers r = { .s = w->s };
	struct mx_inst in = s->c->steps[step].in;
	bool wanted = s->c->steps[step].depth < s->depth;
	add_loaded(s, step, &w->read, wanted);
	/* Accumulators first, then other values, then addresses and descriptors. */
	for (int rank = 0; rank < 3 && s->c->steps[step].dwords; rank++)
		MX_FOR_OPERANDS(o, &in)
			if (!o->written && rank_of(o) == rank)
				add_operand(s, step, o, wanted, &r);
}

static bool same_step(const struct mx_step *a, const struct mx_step *b) {
	return a->launch == b->launch && a->issue == b->issue && a->wave == b->wave &&
	       a->lane == b->lane && a->part == b->part &&
	       !memcmp(a->workgroup, b->workgroup, sizeof a->workgroup);
}

static int find_step(const struct mx_chain *c, const struct mx_step *s) {
	for (size_t i = 0; i < c->n_steps; i++)
		if (same_step(&c->steps[i], s))
			return (int)i;
	return -1;
}

/* Adds the writers that were found as steps. True if there is more to search. */
static bool follow(struct search *s) {
	size_t n = s->c->n_values;
	for (size_t i = 0; i < n; i++) {
		struct writer *w = &s->writers[i];
		struct mx_value *v = &s->c->values[i];
		v->resolved = true;
		if (!w->found || !v->wanted)
			continue;
		int reader = v->reader, known = find_step(s->c, &w->step);
		w->step.depth = reader < 0 ? 0 : s->c->steps[reader].depth + 1;
		int step = known < 0 ? add_step(s->c, &w->step) : known;
		s->c->values[i].writer = step;
		if (known < 0 && step >= 0)
			add_sources(s, step, w);
	}
	return s->c->n_values > n && !s->c->out_of_memory;
}

/* ---- launches ---- */

static int run(struct mx_bench *b, uint64_t schedule, const struct mx_observer *observer,
               struct mx_error *err) {
	struct mx_run_result r;
	mx_bench_options(b)->observer = observer;
	int status = mx_bench_run(b, schedule, &r, err);
	mx_bench_options(b)->observer = NULL;
	return status;
}

static int search(struct search *s, struct mx_bench *b, uint64_t schedule, struct mx_error *err) {
	const struct mx_value *requested = s->c->values;
	struct mx_observer observer = { s, wants, event, requested->address, requested->bytes };
	for (bool more = true; more; observer.bytes = 0) { /* later levels have more locations */
		free(s->writers);
		s->writers = calloc(s->c->n_values + 1, sizeof *s->writers);
		if (!s->writers || s->c->out_of_memory)
			return mx_fail(err, "out of memory");
		if (run(b, schedule, &observer, err))
			return -1;
		more = follow(s);
	}
	return 0;
}

int mx_chain_find(struct mx_bench *b, uint64_t schedule, uint64_t address, unsigned bytes,
                  unsigned depth, struct mx_chain *c, struct mx_error *err) {
	struct search *s = calloc(1, sizeof *s);
	const struct mx_value requested = { .reader = -1,
		                            .role = "",
		                            .where = MX_IN_MEMORY,
		                            .lane = -1,
		                            .address = address,
		                            .bytes = bytes,
		                            .wanted = true,
		                            .writer = -1 };
	*c = (struct mx_chain){ 0 };
	if (!s)
		return mx_fail(err, "out of memory");
	s->b = b;
	s->c = c;
	s->depth = depth;
	add_value(c, &requested);
	int status = search(s, b, schedule, err);
	free(s->writers);
	free(s);
	return status;
}

void mx_chain_free(struct mx_chain *c) {
	free(c->steps);
	free(c->values);
	*c = (struct mx_chain){ 0 };
}
