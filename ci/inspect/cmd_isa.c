/* mxcheck isa: the instructions of a code object, and how the emulator executes them. */
#include "../../ref/isa/encoding/conversions.h"
#include "../../ref/isa/encoding/formats.h"
#include "../../ref/isa/encoding/forms.h"
#include "../../ref/isa/encoding/instruction_set.h"
#include "../../ref/isa/encoding/operands.h"
#include "../cli/args.h"
#include "../cli/codefile.h"
#include "../cli/command.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
	"usage: mxcheck isa FILE.co ...\n"
	"       mxcheck isa [--arch ARCH] --all\n"
	"\n"
	"Lists each distinct instruction of a code object with its count, its first site, and\n"
	"how the emulator executes it:\n"
	"\n"
	"  exact        as documented, bit for bit, with a directed test\n"
	"  assumed      part of what it does is not documented; the assumption is printed\n"
	"  unsupported  stops a launch that reaches it, with a finding\n"
	"\n"
	"The result of an exact instruction may depend on an operand that no source defines. A\n"
	"launch that meets such an operand has the note 'assumed' (--notes). MODE and\n"
	"ACCUM_OFFSET count as the kernel descriptor sets them.\n"
	"\n"
	"  --all              every opcode instead, with its forms, and totals. There, assumed\n"
	"                     means with all formats and operands. The worst form of an opcode\n"
	"                     counts\n"
	"  --arch ARCH        of --all: gfx950 (the default) or gfx1250\n"
	"  -h, --help         this text\n"
	"\n"
	"Exit status: 0 all instructions execute; 1 one is unsupported; 2 usage or bad input.\n"
	"With --all: 0.\n";

static const char *const runs_name[MX_RUNS_KINDS] = { "exact", "assumed", "unsupported" };

/* Why an instruction does not execute, or the assumption that it rests on. */
static const char *why(const struct mx_inst *in) {
	return in->unsupported ? in->unsupported
	       : !in->op       ? "not in the instruction table"
	                       : mx_assumption_text(in->assumes);
}

/* ---- a code object ---- */

struct line {
	char name[64];
	mx_runs runs;
	const char *why;
	uint64_t count, first;
	const char *kernel; /* of the first one */
};

struct inventory {
	struct line *lines;
	size_t n;
};

/* What the descriptor of a kernel sets up. The caller of any other function does: then the usual
 * MODE, which rounds to nearest and keeps denormals, and all registers. */
struct setup {
	const struct mx_isa *isa;
	uint32_t mode;
	unsigned vgprs, all; /* VGPRs before ACCUM_OFFSET, and the whole register file */
	bool uses_agprs;
};

static void set(struct line *l, mx_runs runs, const char *why) {
	l->runs = runs;
	l->why = why;
}

static void apply_mode(const struct mx_inst *in, const struct setup *k, struct line *l) {
	const char *refused = mx_cvt_refused(in, k->mode);
	mx_assumption rule = mx_cvt_rests_on(in, k->mode);
	if (refused)
		set(l, MX_RUNS_NOT, refused);
	else if (rule)
		set(l, MX_RUNS_AS_ASSUMED, mx_assumption_text(rule));
}

/* One more than the last VGPR, or AGPR, of an instruction; 0: none. */
static unsigned registers(const struct mx_isa *isa, const struct mx_inst *in, bool agprs) {
	unsigned most = 0;
	MX_FOR_OPERANDS(o, in) {
		unsigned row = mx_operand_row(o->code), first = agprs ? isa->vgprs : 0;
		bool of_file = o->code >= MX_VGPR && (row >= isa->vgprs) == agprs;
		if (of_file && row + o->dwords - first > most)
			most = row + o->dwords - first;
	}
	return most;
}

static void apply_registers(const struct mx_inst *in, const struct setup *k, struct line *l) {
	unsigned n = registers(k->isa, in, false);
	if (n <= k->vgprs)
		return;
	if (n > k->all || k->uses_agprs)
		set(l, MX_RUNS_NOT, "a VGPR beyond those allocated");
	else
		set(l, MX_RUNS_AS_ASSUMED, mx_assumption_text(MX_ASSUMES_ACCUM_OFFSET));
}

/* Name and fidelity of the instruction at code[0]; returns its bytes. */
static size_t describe(const struct setup *k, const uint32_t *code, size_t left, struct line *l) {
	char text[256];
	struct mx_inst in;
	size_t bytes = k->isa->disassemble(code, left, 0, text, sizeof text);
	k->isa->decode(code, left, 0, &in);
	text[strcspn(text, " ")] = 0;
	snprintf(l->name, sizeof l->name, "%.63s", bytes ? text : "(no instruction)");
	l->runs = bytes ? mx_how_runs(&in) : MX_RUNS_NOT;
	l->why = bytes ? why(&in) : "no instruction has this encoding";
	if (bytes && l->runs != MX_RUNS_NOT)
		apply_mode(&in, k, l);
	if (bytes && l->runs != MX_RUNS_NOT)
		apply_registers(&in, k, l);
	return bytes ? bytes : 4;
}

static bool count(struct inventory *v, const struct line *l) {
	for (size_t i = 0; i < v->n; i++)
		if (!strcmp(v->lines[i].name, l->name) && !strcmp(v->lines[i].why, l->why)) {
			v->lines[i].count++;
			return true;
		}
	struct line *grown = realloc(v->lines, (v->n + 1) * sizeof *grown);
	if (!grown)
		return false;
	v->lines = grown;
	v->lines[v->n] = *l;
	v->lines[v->n++].count = 1;
	return true;
}

static bool uses_agprs(const struct mx_isa *isa, const uint32_t *code, size_t n) {
	for (size_t i = 0; i < n;) {
		struct mx_inst in;
		isa->decode(code + i, n - i, 0, &in);
		if (in.op && registers(isa, &in, true))
			return true;
		i += in.op && in.size ? in.size / 4 : 1;
	}
	return false;
}

static struct setup setup_of(const struct mx_codefile *f, const struct mx_code_symbol *s,
                             const uint32_t *code, size_t n) {
	enum { USUAL_MODE = 0xf0 };
	const struct mx_codeobject_kernel *k = mx_codeobject_kernel(f->object, s->name);
	const struct mx_descriptor *d = k ? k->descriptor : NULL;
	struct setup setup = { f->isa, d ? d->mode : USUAL_MODE, f->isa->vgprs, f->isa->vgprs,
		               false };
	if (!d || !d->agprs)
		return setup;
	setup.vgprs = d->vgprs;
	setup.all = d->vgprs + d->agprs;
	setup.uses_agprs = uses_agprs(f->isa, code, n);
	return setup;
}

static bool count_symbol(struct inventory *v, const struct mx_codefile *f,
                         const struct mx_code_symbol *s) {
	const struct mx_code *c = f->code;
	const struct mx_code_section *in = &c->sections[s->section];
	size_t first = (s->address - in->address) / 4, n = (mx_code_end(c, s) - s->address) / 4;
	const struct setup k = setup_of(f, s, in->code + first, n);
	for (size_t i = 0; i < n;) {
		struct line l = { .first = 4 * i, .kernel = s->name };
		i += describe(&k, in->code + first + i, in->bytes / 4 - first - i, &l) / 4;
		if (!count(v, &l))
			return false;
	}
	return true;
}

/* Unsupported instructions first, then assumed ones; each by count. */
static int by_weight(const void *a, const void *b) {
	const struct line *x = a, *y = b;
	if (x->runs != y->runs)
		return x->runs > y->runs ? -1 : 1;
	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return strcmp(x->name, y->name);
}

static bool print_inventory(const char *path, struct inventory *v) {
	uint64_t n[MX_RUNS_KINDS] = { 0 }, distinct[MX_RUNS_KINDS] = { 0 };
	if (v->n)
		qsort(v->lines, v->n, sizeof *v->lines, by_weight);
	printf("%s\n", path);
	for (size_t i = 0; i < v->n; i++) {
		const struct line *l = &v->lines[i];
		n[l->runs] += l->count;
		distinct[l->runs]++;
		char kernel[256], pc[MX_PC_TEXT];
		printf("%8" PRIu64 "  %-11s  %-36s  %s%s%s%s\n", l->count, runs_name[l->runs],
		       l->name, mx_kernel_short_name(l->kernel, kernel, sizeof kernel),
		       mx_pc_text(l->first, pc),
		       l->why[0] ? "  " : "", l->why);
	}
	printf("%zu distinct instructions:", v->n);
	for (unsigned r = 0; r < MX_RUNS_KINDS; r++)
		printf(" %" PRIu64 " %s (%" PRIu64 " in all)%s", distinct[r], runs_name[r], n[r],
		       r + 1 < MX_RUNS_KINDS ? "," : "\n");
	return !distinct[MX_RUNS_NOT];
}

static int inspect(const char *path) {
	struct mx_codefile f;
	struct mx_error err;
	struct inventory v = { 0 };
	bool good = true;
	if (mx_codefile_open_text(path, &f, &err))
		return mx_complain("isa", "%s", err.text);
	if (!f.code->n_symbols) {
		mx_codefile_close(&f);
		return mx_complain("isa", "%s: no symbols of code", path);
	}
	for (const struct mx_code_symbol *s = NULL; good && (s = mx_code_next(f.code, s));)
		good = count_symbol(&v, &f, s);
	int status = !good ? mx_complain("isa", "out of memory") : !print_inventory(path, &v);
	free(v.lines);
	mx_codefile_close(&f);
	return status;
}

/* ---- every opcode ---- */

struct opcode {
	char name[64], forms[64], not_yet[128];
	const char *excluded, *rests_on;
	mx_runs runs;
};

static int by_name(const void *a, const void *b) {
	return strcmp(((const struct opcode *)a)->name, ((const struct opcode *)b)->name);
}

static void add_word(char *list, size_t room, const char *word) {
	size_t n = strlen(list);
	snprintf(list + n, room - n, "%s%s", n ? " " : "", word);
}

/* How the opcode executes, with any format or register. */
static mx_runs runs_of(const struct mx_isa *isa, const struct mx_form *f, const char **because) {
	struct mx_inst in;
	isa->decode(f->code, f->dwords, 0, &in);
	if (in.op)
		in.assumes = mx_rests_on(isa->encodings, in.op);
	*because = why(&in);
	return mx_how_runs(&in);
}

static void add_form(const struct mx_isa *isa, struct opcode *o, const struct mx_form *f,
                     bool first) {
	const char *why;
	mx_runs runs = runs_of(isa, f, &why);
	if (first) {
		memset(o, 0, sizeof *o);
		memcpy(o->name, f->opcode, sizeof o->name);
		o->excluded = mx_form_excluded(f->opcode);
		o->runs = runs;
		o->rests_on = runs == MX_RUNS_AS_ASSUMED ? why : "";
	}
	add_word(o->forms, sizeof o->forms, f->format);
	if (runs > o->runs)
		o->runs = runs;
	if (runs == MX_RUNS_NOT)
		add_word(o->not_yet, sizeof o->not_yet, f->format);
}

/* Opcodes with their forms; NULL if out of memory. */
static struct opcode *every_opcode(const struct mx_isa *isa, size_t *n) {
	struct mx_form f;
	size_t room = 0;
	while (mx_form_at(isa, room, &f))
		room++;
	struct opcode *all = calloc(room + 1, sizeof *all);
	*n = 0;
	for (size_t i = 0; all && mx_form_at(isa, i, &f); i++) {
		size_t j = 0;
		while (j < *n && strcmp(all[j].name, f.opcode))
			j++;
		add_form(isa, &all[j], &f, j == *n);
		*n += j == *n;
	}
	if (all)
		qsort(all, *n, sizeof *all, by_name);
	return all;
}

static void print_opcode(const struct opcode *o) {
	bool some = !o->excluded && o->runs == MX_RUNS_NOT && strcmp(o->forms, o->not_yet);
	bool plain = o->runs == MX_RUNS_EXACTLY && !o->excluded;
	printf("%-44s %-12s %s%s%s\n", o->name, o->excluded ? "excluded" : runs_name[o->runs],
	       o->forms,
	       some    ? "  not: "
	       : plain ? ""
	               : "  ",
	       o->excluded                     ? o->excluded
	       : some                          ? o->not_yet
	       : o->runs == MX_RUNS_NOT        ? mx_form_refused(o->name)
	       : o->runs == MX_RUNS_AS_ASSUMED ? o->rests_on
	                                       : "");
}

static int print_all(const struct mx_isa *isa) {
	size_t n, count[MX_RUNS_KINDS] = { 0 }, excluded = 0;
	struct opcode *all = every_opcode(isa, &n);
	if (!all)
		return mx_complain("isa", "out of memory");
	for (size_t i = 0; i < n; i++) {
		print_opcode(&all[i]);
		if (all[i].excluded)
			excluded++;
		else
			count[all[i].runs]++;
	}
	size_t left = n - excluded;
	printf("%zu opcodes, %zu of them excluded (GWS, debugger, prefixes; %s has no image "
	       "and no export instructions)\n",
	       n, excluded, isa->name);
	printf("the other %zu: %zu exact (%.1f %%), %zu assumed, %zu unsupported\n", left,
	       count[MX_RUNS_EXACTLY], 100.0 * (double)count[MX_RUNS_EXACTLY] / (double)left,
	       count[MX_RUNS_AS_ASSUMED], count[MX_RUNS_NOT]);
	free(all);
	return 0;
}

int mx_cmd_isa(int argc, char **argv) {
	bool all = false;
	const char *arch = NULL;
	const struct mx_arg table[] = { { "--all", NULL, &all },
		                        { "--arch", &arch, NULL },
		                        { NULL } };
	int n, status = 0;
	if (!mx_args(table, help, argc, argv, &n, &status))
		return status;
	if (all && n)
		return mx_complain("isa", "--all takes no file");
	if (arch && !all)
		return mx_complain("isa", "--arch goes with --all; a file names its own");
	const struct mx_isa *isa = mx_isa_by_name(arch ? arch : "gfx950");
	if (!isa)
		return mx_complain("isa", "--arch %s: not gfx950 or gfx1250", arch);
	if (!all && !n)
		return mx_complain("isa", "FILE.co is missing; see mxcheck isa --help");
	if (all)
		return print_all(isa);
	for (int i = 1; i <= n; i++) {
		int s = inspect(argv[i]);
		status = s > status ? s : status;
	}
	return status;
}
