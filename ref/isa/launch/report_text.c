/* The text of findings and proofs, made from their data. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "../encoding/formats.h"
#include "../encoding/instruction_set.h"
#include "../encoding/operands.h"
#include "../machine/wave.h"
#include "../waitstates/hazard.h"

/* A text buffer; text beyond its room is cut. */
struct words {
	char *text;
	size_t room, n;
	const struct mx_isa *isa; /* of the instructions of a finding */
};

__attribute__((format(printf, 2, 3))) static void put(struct words *t, const char *format, ...) {
	va_list ap;
	va_start(ap, format);
	if (t->n < t->room)
		t->n += (size_t)vsnprintf(t->text + t->n, t->room - t->n, format, ap);
	va_end(ap);
}

static unsigned long long ull(uint64_t v) {
	return v;
}

/* ---- instructions ---- */

/* The instruction as its disassembler writes it, or else the name of its opcode. */
static void put_instruction(struct words *t, const struct mx_inst_dwords *c) {
	char text[200];
	struct mx_inst in;
	if (t->isa->disassemble(c->dword, c->n, c->banks, text, sizeof text)) {
		put(t, "%s", text);
		return;
	}
	t->isa->decode(c->dword, c->n, 0, &in);
	put(t, "%s", in.op ? in.op->name : "unknown instruction");
}

/* "ds_read_b32 v3, v6 (+0x3c)". */
static void put_earlier(struct words *t, const struct mx_finding *f) {
	char pc[MX_PC_TEXT];
	put_instruction(t, &f->earlier_code);
	put(t, " (%s)", mx_pc_text(f->earlier, pc));
}

/* "kernel+0x1f4 v_mfma_... (d3ac0000 ...): ". */
static void put_place(struct words *t, const struct mx_report *r, const struct mx_finding *f) {
	char name[256], pc[MX_PC_TEXT];
	put(t, "%s%s", mx_kernel_short_name(r->kernel, name, sizeof name), mx_pc_text(f->pc, pc));
	if (f->code.n) {
		put(t, " ");
		put_instruction(t, &f->code);
		for (unsigned i = 0; i < f->code.n; i++)
			put(t, "%s%08x", i ? " " : " (", f->code.dword[i]);
		put(t, ")");
	}
	put(t, ": ");
}

/* ---- reasons ---- */

static const char *const sentences[] = {
	"",
#define MX_REASON(id, sentence) sentence,
#include "../reasons.def"
#undef MX_REASON
};

/* A field in braces; reasons.def lists them. */
static void put_field(struct words *t, const char *field, const struct mx_finding *f) {
	uint64_t number = f->because.number[(unsigned)(*field - '0') & 3];
	if (!strncmp(field, "does", 4))
		put(t, f->access.kind == MX_ACCESS_READ ? "read" : "write");
	else if (!strncmp(field, "bytes", 5))
		put(t, "%u", f->access.bytes);
	else if (!strncmp(field, "address", 7))
		put(t, "0x%llx", ull(f->address));
	else if (!strncmp(field, "at", 2))
		put(t, "%llu", ull(f->address));
	else if (!strncmp(field, "subject", 7))
		put(t, "%s", f->because.subject);
	else if (field[1] == 'x')
		put(t, "0x%llx", ull(number));
	else if (field[1] == 'd')
		put(t, "%08llx", ull(number));
	else if (field[1] == 's')
		put(t, "%lld", (long long)number);
	else
		put(t, "%llu", ull(number));
}

static void put_reason(struct words *t, const struct mx_finding *f) {
	const char *at = sentences[f->because.reason];
	for (size_t n; *at; at += n) {
		n = strcspn(at, "{");
		put(t, "%.*s", (int)n, at);
		if (!at[n])
			return;
		put_field(t, at + n + 1, f);
		n += strcspn(at + n, "}") + 1;
	}
}

static void put_stalled(struct words *t, const struct mx_finding *f) {
	static const char *const where[] = { [MX_STALLED_IN_LOOP] = "in a loop",
		                             [MX_STALLED_AT_BARRIER] = "at a barrier",
		                             [MX_STALLED_ENDED] = "ended" };
	char pc[MX_PC_TEXT];
	for (unsigned i = 0; i < f->n_stalled; i++)
		put(t, "%s%u at %s %s", i ? ", " : "", i, mx_pc_text(f->stalled_pc[i], pc),
		    where[f->stalled[i]]);
}

/* ---- races ---- */

/* A row of vector registers, or a scalar code, as the assembler names it. */
static void put_register(struct words *t, unsigned row) {
	static const char *const named[] = { "flat_scratch", "xnack_mask", "vcc" };
	unsigned code = row - MX_ROW_SCALAR;
	unsigned sgprs = t->isa->encodings ? t->isa->encodings->sgprs : MX_SGPRS;
	if (row < t->isa->vgprs)
		put(t, "v%u", row);
	else if (row < MX_ROW_SCALAR)
		put(t, "a%u", row - t->isa->vgprs);
	else if (code < sgprs)
		put(t, "s%u", code);
	else if (code < MX_TTMP0)
		put(t, "%s_%s", named[(code - MX_FLAT_SCRATCH) / 2], code % 2 ? "hi" : "lo");
	else if (code < MX_M0)
		put(t, "ttmp%u", code - MX_TTMP0);
	else
		put(t, "%s", code == MX_M0 ? "m0" : code % 2 ? "exec_hi" : "exec_lo");
}

static void put_missing(struct words *t, const struct mx_missing *m) {
	const struct mx_isa_counter *c = &t->isa->counter[m->counter];
	const char *barrier = t->isa->barrier;
	char pc[MX_PC_TEXT];
	switch (m->kind) {
	case MX_MISSING_WAIT: put(t, "no %s%s%u%s", c->wait, c->open, m->count, c->close); break;
	case MX_MISSING_WAIT_AT_BARRIER:
		put(t, "no %s%s%u%s before its %s (%s)", c->wait, c->open, m->count, c->close,
		    t->isa->arrival, mx_pc_text(m->barrier, pc));
		break;
	case MX_MISSING_BARRIER: put(t, "no %s after that wave's wait", barrier); break;
	case MX_MISSING_WAIT_AND_BARRIER:
		put(t, "no %s and %s between them", c->wait, barrier);
		break;
	case MX_MISSING_FLAG: put(t, "no order between workgroups"); break;
	default: break;
	}
}

/* "wave 2", or "workgroup 1,0,0 wave 2". */
static void put_earlier_wave(struct words *t, const struct mx_finding *f) {
	const uint32_t *g = f->earlier_workgroup;
	if (f->earlier_elsewhere)
		put(t, "another workgroup");
	else if (!memcmp(g, f->workgroup, sizeof f->workgroup))
		put(t, "wave %u", f->earlier_wave);
	else
		put(t, "workgroup %u,%u,%u wave %u", g[0], g[1], g[2], f->earlier_wave);
}

/* What fixes the order in practice. */
static void put_lead(struct words *t, const struct mx_lead *l) {
	put(t,
	    "; ordered only by latency: that LDS access issued %llu instruction%s and %u LDS "
	    "operation%s before, and must take less time than a round trip to memory",
	    ull(l->instructions), l->instructions == 1 ? "" : "s", l->operations,
	    l->operations == 1 ? "" : "s");
}

static const char *const does[] = { "", "reads", "writes", "changes" };

static void put_race(struct words *t, const struct mx_finding *f) {
	static const char *const did[] = { "", "read", "written", "changed" };
	put(t, "%s ", does[f->access.kind]);
	if (f->access.space == MX_SPACE_REGISTER) {
		put_register(t, f->reg);
		put(t, " before ");
		put_earlier(t, f);
		put(t, " writes it: ");
	} else {
		put(t, "a byte at %s0x%llx that is %s by ",
		    f->access.space == MX_SPACE_LDS ? "LDS " : "", ull(f->address),
		    did[f->earlier_access.kind]);
		put_earlier(t, f);
		put(t, " of ");
		put_earlier_wave(t, f);
		put(t, ": ");
	}
	put_missing(t, &f->missing);
	if (f->missing.kind == MX_MISSING_WAIT)
		put(t, " between them");
	if (f->kind == MX_RACE_SAME_VALUE)
		put(t, "; it writes what is there");
	if (mx_finding_class_of(f->kind) == MX_FINDING_LATENCY)
		put_lead(t, &f->lead);
}

static void put_unwaited(struct words *t, const struct mx_finding *f) {
	char pc[MX_PC_TEXT];
	put(t, "%s ", does[f->access.kind]);
	put_register(t, f->reg);
	put(t, " while %s ", mx_pc_text(f->earlier, pc));
	put_instruction(t, &f->earlier_code);
	put(t, " may be in flight: ");
	put_missing(t, &f->missing);
}

/* ---- wait states ---- */

/* The instructions that add the missing wait states. */
static void put_nops(struct words *t, unsigned states) {
	const char *nop = t->isa->nop.name, *single = t->isa->hazards->nop;
	if (single) {
		put(t, "%u %s %s missing", states, single, states > 1 ? "are" : "is");
		return;
	}
	if (states > 16)
		put(t, "%s 15 and ", nop);
	put(t, "%s %u %s missing", nop, (states - 1) % 16, states > 16 ? "are" : "is");
}

static const char *alu_counter(mx_missing_kind kind) {
	switch (kind) {
#define MX_ALU_COUNTER(id, name, low, width)                                                       \
	case MX_MISSING_##id: return #name;
#include "../wait_alu.def"
#undef MX_ALU_COUNTER
	default: return NULL;
	}
}

/* "reads the result of +0x40 v_mfma... as C: 3 wait states between them, 5 needed [ISA 7.6]: s_nop
 * 1 is missing" */
static void put_hazard(struct words *t, const struct mx_finding *f) {
	const struct mx_hazard *h = &f->hazard;
	char pc[MX_PC_TEXT];
	put(t, "%s %s ", h->does, mx_pc_text(f->earlier, pc));
	put_instruction(t, &f->earlier_code);
	put(t, "%s: ", h->how);
	if (alu_counter(f->missing.kind)) {
		put(t, "no s_wait_alu depctr_%s(%u) between them [%s]",
		    alu_counter(f->missing.kind), f->missing.count, h->source);
		return;
	}
	if (h->in_clause) {
		put(t, "%s 0 between them is missing [%s]", t->isa->nop.name, h->source);
		return;
	}
	put(t, "%u wait state%s between them, %u needed [%s]: ", h->states,
	    h->states == 1 ? "" : "s", h->needed, h->source);
	put_nops(t, f->missing.count);
	if (h->pipe_helps)
		put(t, "; enough if a matrix instruction waits for the previous one");
}

/* ---- findings ---- */

static void put_tile(struct words *t, const struct mx_tdm *tile) {
	char text[400];
	if (!tile->bytes)
		return;
	mx_tdm_text(tile, text, sizeof text);
	put(t, "; %s", text);
}

static void put_sentence(struct words *t, const struct mx_finding *f) {
	if (mx_finding_is_race(f->kind) || f->kind == MX_RACE_SAME_VALUE)
		put_race(t, f);
	else if (f->kind == MX_UNWAITED)
		put_unwaited(t, f);
	else if (f->hazard.source)
		put_hazard(t, f);
	else if (f->kind == MX_ASSUMED_NOTE)
		put(t, "%s", mx_assumption_text((mx_assumption)f->assumption));
	else
		put_reason(t, f);
	put_stalled(t, f);
	put_tile(t, &f->tile);
	if (f->conditional)
		put(t, " (conditional: after a race)");
}

char *mx_finding_sentence(const struct mx_isa *isa, const struct mx_finding *f, char *text,
                          size_t room) {
	struct words t = { text, room, 0, isa };
	put_sentence(&t, f);
	return text;
}

char *mx_finding_text(const struct mx_report *r, const struct mx_finding *f, char *text,
                      size_t room) {
	struct words t = { text, room, 0, r->isa };
	put_place(&t, r, f);
	put_sentence(&t, f);
	return text;
}

/* ---- proofs ---- */

static const char *const doubts[] = {
	"",
#define MX_DOUBT(id, text) text,
#include "../proofs.def"
};
static const char *const assumed[] = {
#define MX_PROOF_ASSUMPTION(id, text) text,
#include "../proofs.def"
};

char *mx_doubt_text(const struct mx_proof *p, char *text, size_t room) {
	struct words t = { text, room, 0 };
	char pc[MX_PC_TEXT];
	put(&t, "%s", doubts[p->doubt]);
	if (p->pc != MX_NO_PC)
		put(&t, " at %s", mx_pc_text(p->pc, pc));
	if (p->other_pc != MX_NO_PC)
		put(&t, ", after %s", mx_pc_text(p->other_pc, pc));
	return text;
}

char *mx_assumptions_text(uint32_t assumptions, char *text, size_t room) {
	struct words t = { text, room, 0 };
	unsigned n = 0;
	put(&t, "%s", "");
	for (unsigned i = 0; i < MX_PROOF_ASSUMPTIONS; i++)
		if (assumptions >> i & 1)
			put(&t, "%s%s", n++ ? "; " : "", assumed[i]);
	return text;
}

char *mx_proof_text(const struct mx_proof *p, char *text, size_t room) {
	struct words t = { text, room, 0 };
	char why[160], rests_on[MX_LINE_ROOM];
	put(&t, "%s", "");
	if (p->outcome == MX_NOT_PROVED)
		put(&t, "not proved: %s", mx_doubt_text(p, why, sizeof why));
	if (p->outcome == MX_PROVED)
		put(&t, "proved for this launch, assuming: %s",
		    mx_assumptions_text(p->assumptions, rests_on, sizeof rests_on));
	return text;
}
