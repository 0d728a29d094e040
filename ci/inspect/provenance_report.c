/* The report of provenance: chains of instructions as text. */
#include "provenance_report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../ref/isa/encoding/instruction_set.h"
#include "registers.h"

struct report {
	struct mx_bench *b;
	const struct mx_chain *c;
	bool *printed;
};

/* ---- texts ---- */

/* "kernel+0xeb8 buffer_store_dword ..." */
static void instruction(const struct mx_bench *b, const struct mx_step *s, char *text,
                        size_t room) {
	char body[200];
	if (!s->dwords) {
		snprintf(text, room, "the set-up of the wave");
		return;
	}
	s->isa->disassemble(s->code, s->dwords, s->in.banks, body, sizeof body);
	char name[256], pc[MX_PC_TEXT];
	snprintf(text, room, "%s%s %s",
	         mx_kernel_short_name(mx_bench_plan(b)->steps[s->launch].kernel, name, sizeof name),
	         mx_pc_text(s->pc, pc), body);
}

static void wave_text(unsigned steps, const struct mx_step *s, char *text, size_t room) {
	size_t n = 0;
	if (steps > 1)
		n = (size_t)snprintf(text, room, "step %u, ", s->launch + 1);
	n += (size_t)snprintf(text + n, room - n, "workgroup %u,%u,%u wave %u", s->workgroup[0],
	                      s->workgroup[1], s->workgroup[2], s->wave);
	if (s->lane >= 0)
		n += (size_t)snprintf(text + n, room - n, " lane %d", s->lane);
	if (s->landing && s->issued)
		n += (size_t)snprintf(text + n, room - n, ", issued at %" PRIu64, s->issued);
	snprintf(text + n, room - n, ", %s %" PRIu64, s->landing ? "landed at" : "time", s->time);
}

void mx_step_text(const struct mx_bench *b, const struct mx_step *s, char *text, size_t room) {
	char what[512], where[160];
	instruction(b, s, what, sizeof what);
	wave_text(mx_bench_plan(b)->n_steps, s, where, sizeof where);
	snprintf(text, room, "%s; %s", what, where);
}

/* ---- the chain ---- */

static void indent(unsigned depth) {
	printf("%*s", (int)(2 * depth), "");
}

/* The registers of an address or a descriptor share one line; this one follows another. */
static bool follows(const struct mx_value *v, size_t k) {
	return k && !v->wanted && v->where == MX_IN_REGISTER && v[-1].reader == v->reader &&
	       v[-1].role == v->role && v[-1].code + 1 == v->code && !v[-1].wanted;
}

static void print_value(const struct report *r, const struct mx_value *v, unsigned depth) {
	char location[160], name[16];
	const struct mx_step *reader = &r->c->steps[v->reader];
	indent(depth);
	printf("%s ", v->role);
	if (v->where == MX_IN_MEMORY && v->kernarg)
		printf("at byte %" PRIu64 " of the kernel arguments", v->address);
	else if (v->where == MX_IN_MEMORY)
		printf("at %s", mx_location_text(r->b, v->address, location));
	else if (v->where == MX_IN_LDS)
		printf("at byte %" PRIu64, v->address);
	else
		printf("%s", mx_register_name(reader->isa, v->where == MX_IN_SCC ? MX_SCC : v->code,
		                              name));
	if (v->where == MX_IN_REGISTER && v->code >= MX_VGPR && v->lane < 0)
		printf(" of a lane that is not known");
	else if (v->where == MX_IN_REGISTER && v->code >= MX_VGPR && v->lane >= 0 &&
	         v->lane != reader->lane)
		printf(" of lane %d", v->lane);
	if (v->known)
		printf(" = 0x%0*" PRIx32, v->where == MX_IN_SCC ? 1 : 2 * (int)v->bytes, v->data);
	const struct mx_value *end = r->c->values + r->c->n_values;
	for (const struct mx_value *more = v + 1; more < end && follows(more, 1); more++)
		printf(" 0x%08" PRIx32, more->data);
	if (v->wanted && v->writer < 0)
		printf(v->where == MX_IN_MEMORY ? ", from before the launch" : ", not yet written");
	putchar('\n');
}

static void print_step(const struct report *r, int i, unsigned depth) {
	const struct mx_step *s = &r->c->steps[i];
	char text[700];
	mx_step_text(r->b, s, text, sizeof text);
	indent(depth);
	printf("from %s%s\n", text, r->printed[i] && s->dwords ? " (see above)" : "");
	if (r->printed[i])
		return;
	r->printed[i] = true;
	for (size_t k = 0; k < r->c->n_values; k++) {
		const struct mx_value *v = &r->c->values[k];
		if (v->reader != i || follows(v, k))
			continue;
		print_value(r, v, depth + 1);
		if (v->writer >= 0)
			print_step(r, v->writer, depth + 2);
	}
}

int mx_who(struct mx_bench *b, uint64_t schedule, const char *location, unsigned depth,
           struct mx_error *err) {
	struct mx_location p;
	struct mx_chain c = { 0 };
	char text[160];
	if (mx_location_parse(b, location, &p, err))
		return -1;
	if (p.lds)
		return mx_fail(err, "--who %s: not available for LDS; use --watch", location);
	int status = mx_chain_find(b, schedule, p.address, (unsigned)p.bytes, depth, &c, err);
	struct report r = { b, &c, calloc(c.n_steps + 1, sizeof *r.printed) };
	if (!status && r.printed) {
		printf("%s%s\n", mx_location_text(b, p.address, text),
		       c.values[0].writer < 0 ? ": not written in this launch" : "");
		if (c.values[0].writer >= 0)
			print_step(&r, c.values[0].writer, 1);
	}
	free(r.printed);
	mx_chain_free(&c);
	return status;
}

/* ---- one line ---- */

int mx_who_line(struct mx_bench *b, uint64_t schedule, uint64_t address, char *text, size_t room,
                struct mx_error *err) {
	struct mx_chain c = { 0 };
	int status = mx_chain_find(b, schedule, address, 1, 0, &c, err);
	text[0] = 0;
	if (!status && c.values[0].writer < 0)
		snprintf(text, room, "not written in this launch");
	else if (!status) {
		const struct mx_step *s = &c.steps[c.values[0].writer];
		char step[700], name[16];
		mx_step_text(b, s, step, sizeof step);
		int n = snprintf(text, room, "last written by %s", step);
		for (size_t i = 0; i < c.n_values; i++)
			if (c.values[i].reader == 0 && !strncmp(c.values[i].role, "data", 4) &&
			    c.values[i].known && (size_t)n < room)
				n += snprintf(text + n, room - (size_t)n, "; %s = 0x%08" PRIx32,
				              mx_register_name(s->isa, c.values[i].code, name),
				              c.values[i].data);
	}
	mx_chain_free(&c);
	return status;
}
