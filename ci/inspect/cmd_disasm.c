/* mxcheck disasm: the instructions of a code object, as llvm-objdump -d prints them. */
#include "../cli/args.h"
#include "../cli/codefile.h"
#include "../cli/command.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char help[] =
	"usage: mxcheck disasm FILE.co ... [--kernel NAME]\n"
	"\n"
	"Prints the instructions of code objects as llvm-objdump -d does: labels, text,\n"
	"addresses, dwords, and targets of branches. Dwords that are not an instruction are\n"
	"printed as .long, long runs of zeros as dots. Code is for gfx950 or gfx1250. A scale\n"
	"prefix is decoded with any dummy source; LLVM 22 prints .long unless it is v0.\n"
	"\n"
	"  --kernel NAME      only this kernel or function\n"
	"  -h, --help         this text\n"
	"\n"
	"Exit status: 0; 2 usage or bad input.\n";

/* A stretch of code between two labels. */
struct stretch {
	const struct mx_codefile *f;
	size_t section;
	uint64_t address, end;
};

static const uint32_t *code_at(const struct stretch *s, uint64_t address) {
	const struct mx_code_section *c = &s->f->code->sections[s->section];
	return c->code + (address - c->address) / 4;
}

/* ---- branches ---- */

/* SIMM16 of a branch counts dwords from the next instruction [ISA 12.5]. */
static uint64_t target_of(uint64_t address, const struct mx_inst *branch) {
	return address + 4 + 4 * (int64_t)branch->imm;
}

/* For branches of SOPP the target follows the dwords. */
static void print_target(const struct stretch *s, uint64_t address, const struct mx_inst *branch) {
	uint64_t target = target_of(address, branch);
	const struct mx_code_symbol *symbol = mx_code_at(s->f->code, s->section, target);
	if (!symbol)
		return;
	printf(" <%s", symbol->name);
	if (target > symbol->address)
		printf("+0x%" PRIx64, target - symbol->address);
	putchar('>');
}

/* Branches of SOPP, and s_call_b64 and s_cbranch_i_fork of SOPK. */
static bool is_branch(const struct mx_inst *in) {
	mx_kind kind = in->op ? mx_kind_of(in->op) : MX_IS_ORDINARY;
	bool of_sopk = kind == MX_IS_CALL || kind == MX_IS_FORK;
	return kind == MX_IS_BRANCH || kind == MX_IS_CBRANCH ||
	       (of_sopk && in->op->encoding == MX_SOPK);
}

/* A branch to a label shows the label instead of the number. */
static bool name_label(const struct stretch *s, uint64_t address, const struct mx_inst *branch,
                       char *text, size_t room) {
	uint64_t target = target_of(address, branch);
	char *number = strrchr(text, ' ');
	for (size_t i = 0; number && i < s->f->code->n_symbols; i++) {
		const struct mx_code_symbol *l = &s->f->code->symbols[i];
		if (l->label && l->section == s->section && l->address == target) {
			snprintf(number + 1, room - (size_t)(number + 1 - text), "%s", l->name);
			return true;
		}
	}
	return false;
}

/* ---- instructions ---- */

static void print_dwords(uint64_t address, const uint32_t *code, size_t n) {
	printf("// %012" PRIX64 ":", address);
	for (size_t i = 0; i < n; i++)
		printf(" %08" PRIX32, code[i]);
}

/* Prints one instruction, or a dword that is not one; returns its bytes. Follows the banks of
 * VGPRs. */
static size_t print_one(const struct stretch *s, uint64_t address, unsigned *banks) {
	char text[512];
	const uint32_t *code = code_at(s, address);
	const struct mx_code_section *section = &s->f->code->sections[s->section];
	size_t left = (section->bytes - (address - section->address)) / 4;
	size_t bytes = s->f->isa->disassemble(code, left, *banks, text, sizeof text);
	struct mx_inst in;
	s->f->isa->decode(code, left, 0, &in);
	bool branch = bytes && is_branch(&in);
	bool named = branch && name_label(s, address, &in, text, sizeof text);
	if (bytes)
		printf("\t%-59s", text);
	else
		printf("\t.long 0x%08" PRIx32 " %42s", code[0], "");
	print_dwords(address, code, bytes ? bytes / 4 : 1);
	if (branch && !named && in.op->encoding == MX_SOPP)
		print_target(s, address, &in);
	putchar('\n');
	if (bytes && s->f->isa->banks_after)
		*banks = s->f->isa->banks_after(code, left, *banks);
	return bytes ? bytes : 4;
}

/* The bytes of zeros from here that become one line of dots: eight or more, as in objdump. */
static size_t zeros(const struct stretch *s, uint64_t address) {
	const uint32_t *code = code_at(s, address);
	size_t n = 0;
	while (4 * n < s->end - address && !code[n])
		n++;
	return n < 2 ? 0 : 4 * n;
}

static void print_stretch(const struct stretch *s) {
	unsigned banks = 0;
	for (uint64_t at = s->address; at + 4 <= s->end;) {
		size_t skip = zeros(s, at);
		if (skip)
			puts("\t\t...");
		at += skip ? skip : print_one(s, at, &banks);
	}
}

/* ---- the file ---- */

static void print_label(const char *name, uint64_t address) {
	printf("\n%016" PRIx64 " <%s>:\n", address, name);
}

/* From label to label; of several labels at one address the last one is printed. */
static void print_code(const struct mx_codefile *f, size_t section, uint64_t at, uint64_t end) {
	const struct mx_code *c = f->code;
	while (at < end) {
		const struct mx_code_symbol *s = mx_code_at(c, section, at);
		struct stretch part = { f, section, at, end };
		for (size_t j = c->n_symbols; j-- > 0;)
			if (c->symbols[j].section == section && c->symbols[j].address > at &&
			    c->symbols[j].address < part.end)
				part.end = c->symbols[j].address;
		print_label(s && s->address == at ? s->name : c->sections[section].name, at);
		print_stretch(&part);
		at = part.end;
	}
}

static void print_section(const struct mx_codefile *f, size_t i) {
	const struct mx_code_section *section = &f->code->sections[i];
	if (!section->bytes)
		return;
	printf("\nDisassembly of section %s:\n", section->name);
	print_code(f, i, section->address, section->address + section->bytes);
}

static int print_kernel(const struct mx_codefile *f, const char *path, const char *name) {
	const struct mx_code_symbol *s = mx_code_find(f->code, name);
	if (!s)
		return mx_complain("disasm", "%s: no code with the name %s", path, name);
	print_code(f, s->section, s->address, mx_code_end(f->code, s));
	return 0;
}

static int print_file(const char *path, const char *kernel) {
	struct mx_codefile f;
	struct mx_error err;
	int status = 0;
	if (mx_codefile_open_text(path, &f, &err))
		return mx_complain("disasm", "%s", err.text);
	printf("\n%s:\tfile format elf64-amdgpu\n", path);
	if (kernel)
		status = print_kernel(&f, path, kernel);
	for (size_t i = 0; !kernel && i < f.code->n_sections; i++)
		print_section(&f, i);
	mx_codefile_close(&f);
	return status;
}

int mx_cmd_disasm(int argc, char **argv) {
	const char *kernel = NULL;
	const struct mx_arg table[] = { { "--kernel", &kernel, NULL }, { NULL } };
	int n, status = 0;
	if (!mx_args(table, help, argc, argv, &n, &status))
		return status;
	if (!n)
		return mx_complain("disasm", "FILE.co is missing; see mxcheck disasm --help");
	for (int i = 1; i <= n && !status; i++)
		status = print_file(argv[i], kernel);
	return status;
}
