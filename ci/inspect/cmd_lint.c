/* mxcheck lint: static checks of a code object. */
#include "../../ref/isa/encoding/instruction_set.h"
#include "../../ref/isa/isa.h"
#include "../../ref/isa/lint/lint.h"
#include "../cli/args.h"
#include "../cli/codefile.h"
#include "../cli/command.h"
#include "estimate.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
	"usage: mxcheck lint FILE.co ... [--kernel NAME] [--notes]\n"
	"\n"
	"Walks all paths through each function of a code object and reports\n"
	"\n"
	"  wait-states   too few wait states between two instructions, by a rule that the\n"
	"                manual and LLVM have, or for which a wrong result was reported on\n"
	"                hardware; the hardware does not insert them. In expert scheduling\n"
	"                mode of gfx1250 also a missing s_wait_alu\n"
	"  missing-wait  a register that is accessed while a load to it may be in flight, with\n"
	"                the load and the s_waitcnt that would cover it\n"
	"  lds-size      more LDS than a workgroup can have: 160 KiB, of gfx1250 320 KiB\n"
	"  vgpr-banks    an instruction of gfx1250 that paths reach with different banks of\n"
	"                VGPRs, so that its registers differ\n"
	"\n"
	"For each kernel it prints the registers that it allocates (it may use fewer), LDS,\n"
	"scratch, spills, and how many waves fit. If the kernel multiplies matrices in a loop,\n"
	"it prints an estimate of a turn: the cycles in which a wave issues the instructions,\n"
	"the cycles of their MFMA, and which of the two bounds it. Waits for memory, barriers\n"
	"and other waves are not in the estimate. Code after a jump through a register is not\n"
	"analysed; a called function is assumed to leave nothing in flight.\n"
	"\n"
	"  --kernel NAME      only this kernel or function\n"
	"  --notes            print notes: wait states that LLVM alone or the manual alone\n"
	"                     requires, that published kernels omit, or that are enough only if\n"
	"                     the matrix pipe delays the next instruction\n"
	"  -h, --help         this text\n"
	"\n"
	"Exit status: 0 nothing found (notes do not count); 2 usage or bad input; 3 findings.\n";

enum { FOUND = 3, SIMDS = 4 };

struct report {
	const struct mx_isa *isa;
	const char *function;
	uint32_t start;
	bool notes, out_of_memory;
	size_t n_findings, n_notes;
	struct mx_finding *found; /* of the function */
	size_t n_found, room;
};

/* ---- findings ---- */

static void keep_found(void *context, const struct mx_finding *f) {
	struct report *r = context;
	if (r->n_found == r->room) {
		size_t room = r->room ? 2 * r->room : 64;
		struct mx_finding *more = realloc(r->found, room * sizeof *more);
		r->out_of_memory |= !more;
		if (!more)
			return;
		r->found = more;
		r->room = room;
	}
	r->found[r->n_found++] = *f;
}

static void print_found(const struct report *r, const struct mx_finding *f,
                        const struct mx_finding_group *g) {
	char what[200], sentence[MX_LINE_ROOM], name[256], more[200];
	if (!r->isa->disassemble(f->code.dword, f->code.n, f->code.banks, what, sizeof what))
		snprintf(what, sizeof what, "unknown instruction");
	printf("  %s: %s+0x%" PRIx64 " %s: %s%s\n", mx_finding_name(f->kind),
	       mx_kernel_short_name(r->function, name, sizeof name), f->pc, what,
	       mx_finding_sentence(r->isa, f, sentence, sizeof sentence),
	       mx_group_text(r->isa, g, more, sizeof more));
}

/* Findings that one wait or s_nop resolves are one line. Each note has a line. */
static bool print_all_found(struct report *r) {
	const struct mx_finding_group single = { .others = 0 };
	struct mx_finding_group *groups = malloc((r->n_found + 1) * sizeof *groups);
	size_t n = groups ? mx_group_findings(r->found, r->n_found, groups) : 0;
	for (size_t k = 0; k < n; k++)
		if (mx_finding_class_of(r->found[groups[k].first].kind) != MX_FINDING_NOTE) {
			print_found(r, &r->found[groups[k].first], &groups[k]);
			r->n_findings++;
		}
	for (size_t i = 0; i < r->n_found; i++)
		if (mx_finding_class_of(r->found[i].kind) == MX_FINDING_NOTE) {
			if (r->notes)
				print_found(r, &r->found[i], &single);
			r->n_notes++;
		}
	r->n_found = 0;
	free(groups);
	return groups && !r->out_of_memory;
}

/* ---- resources ---- */

static unsigned waves_that_fit(const struct mx_descriptor *d, const struct mx_architecture *a) {
	unsigned each = d->vgprs + d->agprs, n = each ? a->simd_vgprs / each : a->simd_waves;
	return n < a->simd_waves ? n : a->simd_waves;
}

static void print_lds(const struct mx_descriptor *d, const struct mx_architecture *a) {
	printf("; LDS %" PRIu32 " bytes", d->lds_bytes);
	if (!d->lds_bytes || !a->lds_granule)
		return;
	uint32_t units = (d->lds_bytes + a->lds_granule - 1) / a->lds_granule;
	unsigned fit = a->lds_bytes / (units * a->lds_granule);
	printf(": %u workgroup%s of a compute unit", fit, fit == 1 ? "" : "s");
}

static void print_spills(const struct mx_kernel_metadata *m) {
	if (!m || !m->has_spills)
		printf("; spills unknown: not in the metadata");
	else if (m->vgpr_spills || m->sgpr_spills)
		printf("; spills %" PRIu32 " VGPRs, %" PRIu32 " SGPRs", m->vgpr_spills,
		       m->sgpr_spills);
	else
		printf("; no spills");
}

static void print_resources(struct report *r, const struct mx_codeobject_kernel *k,
                            size_t scratch) {
	const struct mx_descriptor *d = k->descriptor;
	const struct mx_architecture *a = mx_architecture_by_name(r->isa->name);
	unsigned waves = waves_that_fit(d, a);
	printf("  allocates %u VGPRs", d->vgprs);
	if (r->isa->agprs)
		printf(" and %u AGPRs", d->agprs);
	printf(": %u wave%s of a SIMD's %u", waves, waves == 1 ? "" : "s", a->simd_waves);
	print_lds(d, a);
	printf("; scratch %" PRIu32 " bytes, %zu instructions use it", d->scratch_bytes, scratch);
	print_spills(k->metadata);
	putchar('\n');
	if (d->lds_bytes <= a->lds_bytes)
		return;
	printf("  lds-size: %s: %" PRIu32 " bytes of LDS, a workgroup can have %" PRIu32 "\n",
	       r->function, d->lds_bytes, a->lds_bytes);
	r->n_findings++;
}

static size_t count_scratch(const struct mx_graph *g) {
	size_t n = 0;
	for (unsigned i = 0; i < g->n; i++)
		n += g->node[i].in && g->node[i].in->op &&
		     g->node[i].in->op->encoding == MX_SCRATCH;
	return n;
}

static unsigned count_undecodable(const struct mx_graph *g) {
	unsigned n = 0;
	for (unsigned i = 0; i < g->n; i++)
		n += g->node[i].in && !g->node[i].in->op;
	return n;
}

/* Paths end where a dword is no instruction: a clean report would be wrong. */
static void report_undecodable(struct report *r, const struct mx_graph *g) {
	for (unsigned i = 0; i < g->n; i++) {
		if (!g->node[i].in || g->node[i].in->op)
			continue;
		printf("  unsupported: %s+0x%x: 0x%08" PRIx32
		       " is no instruction of %s; the code after it is not analysed\n",
		       r->function, 4 * i, g->node[i].in->dwords[0], r->isa->name);
		r->n_findings++;
	}
}

/* The instruction is printed under the banks of one path. */
static void report_clashes(struct report *r, const struct mx_graph *g) {
	char text[500];
	for (unsigned i = 0; i < g->n; i++) {
		const struct mx_inst *in = g->node[i].in;
		if (!in || !g->node[i].clash)
			continue;
		r->isa->disassemble(in->dwords, in->size / 4, in->banks, text, sizeof text);
		printf("  vgpr-banks: %s+0x%x %s: another path has other banks of VGPRs\n",
		       r->function, 4 * i, text);
		r->n_findings++;
	}
}

static void print_loop(const struct report *r, const struct mx_graph *g) {
	struct mx_loop l = mx_main_loop(g);
	char text[300];
	mx_loop_text(&l, r->isa->matrix, text, sizeof text);
	if (text[0])
		printf("  %s\n", text);
}

/* ---- a function ---- */

static void print_header(struct mx_codefile *f, struct report *r, const struct mx_graph *g) {
	const struct mx_codeobject_kernel *k = mx_codeobject_kernel(f->object, r->function);
	bool kernel = k && k->descriptor;
	printf("%s %s: %u instructions", kernel ? "kernel" : "function", r->function, g->reached);
	unsigned jumps = g->unknown - count_undecodable(g);
	if (jumps)
		printf("; %u indirect jump%s with an unknown target", jumps, jumps == 1 ? "" : "s");
	putchar('\n');
	if (kernel)
		print_resources(r, k, count_scratch(g));
	print_loop(r, g);
}

static bool lint_function(struct mx_codefile *f, const struct mx_program *p,
                          const struct mx_code_symbol *s, struct report *r) {
	uint64_t base = f->code->sections[s->section].address;
	r->function = s->name;
	r->start = (uint32_t)(s->address - base);
	struct mx_lint l = { .program = p, .start = r->start, .context = r, .found = keep_found };
	if (!mx_graph_make(p, r->start, (uint32_t)(mx_code_end(f->code, s) - base), &l.graph))
		return false;
	if (!mx_graph_follow_banks(p, &l.graph)) {
		mx_graph_free(&l.graph);
		return false;
	}
	print_header(f, r, &l.graph);
	report_undecodable(r, &l.graph);
	report_clashes(r, &l.graph);
	bool ok = mx_lint_states(&l) && mx_lint_waits(&l) && mx_lint_dependences(&l) &&
	          print_all_found(r);
	mx_graph_free(&l.graph);
	return ok;
}

/* ---- the file ---- */

/* The next symbol to lint after `last`: those with the name `kernel`, or all that have code. */
static const struct mx_code_symbol *next(const struct mx_code *c, const struct mx_code_symbol *last,
                                         const char *kernel) {
	if (!kernel)
		return mx_code_next(c, last);
	for (const struct mx_code_symbol *s = last ? last + 1 : c->symbols;
	     s < c->symbols + c->n_symbols; s++)
		if (!strcmp(s->name, kernel))
			return s;
	return NULL;
}

static bool lint_section(struct mx_codefile *f, size_t section, const char *kernel,
                         struct report *r, size_t *n) {
	const struct mx_code_section *c = &f->code->sections[section];
	struct mx_program *p = mx_program_new(f->isa, c->code, c->bytes, c->address);
	bool ok = p != NULL;
	for (const struct mx_code_symbol *s = NULL; ok && (s = next(f->code, s, kernel));) {
		if (s->section != section)
			continue;
		ok = lint_function(f, p, s, r);
		++*n;
	}
	mx_program_free(p);
	return ok;
}

static int lint_file(const char *path, const char *kernel, bool notes) {
	struct mx_codefile f;
	struct mx_error err;
	struct report r = { .notes = notes };
	size_t n = 0;
	bool ok = true;
	if (mx_codefile_open(path, &f, &err))
		return mx_complain("lint", "%s", err.text);
	printf("%s\n", path);
	r.isa = f.isa;
	for (size_t i = 0; ok && i < f.code->n_sections; i++)
		ok = lint_section(&f, i, kernel, &r, &n);
	if (ok && n)
		printf("%zu finding%s, %zu note%s%s\n", r.n_findings, r.n_findings == 1 ? "" : "s",
		       r.n_notes, r.n_notes == 1 ? "" : "s",
		       r.n_notes && !notes ? " (--notes prints them)" : "");
	free(r.found);
	mx_codefile_close(&f);
	if (!ok)
		return mx_complain("lint", "out of memory");
	if (!n)
		return mx_complain("lint", "%s: no code%s%s", path, kernel ? " with the name " : "",
		                   kernel ? kernel : "");
	return r.n_findings ? FOUND : 0;
}

int mx_cmd_lint(int argc, char **argv) {
	const char *kernel = NULL;
	bool notes = false;
	const struct mx_arg table[] = { { "--kernel", &kernel, NULL },
		                        { "--notes", NULL, &notes },
		                        { NULL } };
	int n, status = 0;
	if (!mx_args(table, help, argc, argv, &n, &status))
		return status;
	if (!n)
		return mx_complain("lint", "FILE.co is missing; see mxcheck lint --help");
	for (int i = 1; i <= n; i++) {
		int s = lint_file(argv[i], kernel, notes);
		if (s == MX_BAD_INPUT || status != MX_BAD_INPUT)
			status = s ? s : status;
	}
	return status;
}
