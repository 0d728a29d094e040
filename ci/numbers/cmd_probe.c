/* mxcheck probe: from a device's results to a measured profile. */
#include "../../probe/set.h"
#include "../cli/args.h"
#include "../cli/command.h"

#include <stdio.h>

static const char help[] =
	"usage: mxcheck probe --emit DIR [--insn LIST] [--dots N] [--seed S] [--bare]\n"
	"\n"
	"Writes dot products whose results show how a matrix instruction accumulates. Any program\n"
	"computes them on its device; mxcheck-probe(5) describes the folder.\n"
	"\n"
	"  --emit DIR         write the folder DIR\n"
	"  --insn LIST        patterns of names of instructions, separated by commas; default\n"
	"                     'v_mfma_*'\n"
	"  --dots N           random dots of each instruction; default 1048576\n"
	"  --seed S           their seed; default 1\n"
	"  --bare             no files of random dots: the program makes them by probe/random.h\n"
	"  -h, --help         this text\n"
	"\n"
	"Exit status: 0; 2 usage or bad input.\n";

int mx_cmd_probe(int argc, char **argv) {
	const char *emit = NULL, *insn = NULL, *dots = NULL, *seed = NULL;
	struct mx_probe_plan plan = { .insns = "v_mfma_*" };
	unsigned long n_dots = 1 << 20, n_seed = 1;
	const struct mx_arg table[] = {
		{ "--emit", &emit, NULL },      { "--insn", &insn, NULL },
		{ "--dots", &dots, NULL },      { "--seed", &seed, NULL },
		{ "--bare", NULL, &plan.bare }, { 0 },
	};
	struct mx_error err;
	size_t insns;
	int n, status;
	if (!mx_args(table, help, argc, argv, &n, &status))
		return status;
	if (n || !emit)
		return mx_complain("probe", "give --emit DIR");
	if (dots && !mx_parse_unsigned(dots, 1ul << 32, &n_dots))
		return mx_complain("probe", "--dots %s: not a number up to 2^32", dots);
	if (seed && !mx_parse_unsigned(seed, (1ul << 63) - 1, &n_seed))
		return mx_complain("probe", "--seed %s: not a number", seed);
	plan.insns = insn ? insn : plan.insns;
	plan.dots = n_dots;
	plan.seed = n_seed;
	if (mx_probe_emit(emit, &plan, &insns, &err))
		return mx_complain("probe", "%s", err.text);
	printf("%zu instruction%s in %s\n", insns, insns == 1 ? "" : "s", emit);
	return 0;
}
