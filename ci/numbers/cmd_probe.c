/* mxcheck probe: from a device's results to a measured profile. */
#include "../cli/args.h"
#include "../cli/command.h"
#include "probe_report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../cases/files.h"

static const char help[] =
	"usage: mxcheck probe --emit DIR [--insn LIST] [--dots N] [--seed S] [--bare]\n"
	"       mxcheck probe --read DIR [--insn LIST] [--out FILE]\n"
	"\n"
	"Infers how a matrix instruction accumulates. --emit writes dot products whose results\n"
	"differ between the members of a family of profiles; any program computes them on its\n"
	"device; --read finds the member. mxcheck-probe(5) describes the folder.\n"
	"\n"
	"  --emit DIR         write the dot products into the folder DIR\n"
	"  --read DIR         infer a profile for each instruction with results in DIR\n"
	"  --insn LIST        patterns of names of instructions, separated by commas; default\n"
	"                     'v_mfma_*', with --read all\n"
	"  --dots N           random dots of each instruction; default 1048576\n"
	"  --seed S           their seed; default 1\n"
	"  --bare             no files of random dots: the program makes them by probe/random.h\n"
	"  --out FILE         write the profiles that fit as YAML\n"
	"  -h, --help         this text\n"
	"\n"
	"Exit status: 0; 1 if an instruction has no profile or a random dot is wrong; 2 usage or\n"
	"bad input; 77 if there are no results.\n";

enum { NOTHING_READ = 77 };

struct request {
	const char *emit, *read, *insn, *dots, *seed, *out;
	bool bare;
};

/* ---- --emit ---- */

static int emit(const struct request *q) {
	struct mx_probe_plan plan = { .insns = q->insn ? q->insn : "v_mfma_*", .bare = q->bare };
	unsigned long dots = 1 << 20, seed = 1;
	struct mx_error err;
	size_t insns;
	if (q->dots && !mx_parse_unsigned(q->dots, 1ul << 32, &dots))
		return mx_complain("probe", "--dots %s: not a number up to 2^32", q->dots);
	if (q->seed && !mx_parse_unsigned(q->seed, (1ul << 63) - 1, &seed))
		return mx_complain("probe", "--seed %s: not a number", q->seed);
	plan.dots = dots;
	plan.seed = seed;
	if (mx_probe_emit(q->emit, &plan, &insns, &err))
		return mx_complain("probe", "%s", err.text);
	printf("%zu instruction%s in %s\n", insns, insns == 1 ? "" : "s", q->emit);
	return 0;
}

/* ---- --read ---- */

struct reading {
	const struct mx_probe_set *set;
	FILE *yaml;
	size_t done, failed;
};

/* Predicts one block of random dots. */
static bool verify_block(const struct reading *r, const struct mx_inference *x,
                         const struct mx_probe_insn *insn, const uint32_t *d, uint64_t first,
                         size_t n, struct mx_verified *v) {
	struct mx_term *term = malloc(2 * insn->k * sizeof *term);
	struct mx_probe_terms terms = { term, term + insn->k, 0 };
	struct mx_probe_dot dot;
	for (size_t i = 0; term && i < n; i++) {
		mx_probe_random(insn, r->set->seed, first + i, &dot);
		mx_probe_terms(insn, &dot, &terms);
		uint32_t would_be = mx_probe_result(insn, &x->profile, &terms);
		v->dots++;
		if (would_be == d[i])
			continue;
		if (!v->wrong++) {
			v->first = dot;
			v->is = d[i];
			v->would_be = would_be;
		}
	}
	free(term);
	return term;
}

static int verify(const struct reading *r, const struct mx_probe_entry *e,
                  const struct mx_inference *x, struct mx_verified *v, struct mx_error *err) {
	for (unsigned block = 1; x->fits && block <= mx_probe_blocks(e->dots); block++) {
		uint32_t *d;
		uint64_t first;
		size_t n;
		int status = mx_probe_results(r->set, e, block, 0, &d, &first, &n, err);
		if (!status && !verify_block(r, x, &e->insn, d, first, n, v))
			status = mx_fail(err, "out of memory");
		free(d);
		if (status < 0)
			return status;
	}
	return 0;
}

static int infer(struct reading *r, const struct mx_probe_entry *e, const struct mx_answers *a,
                 struct mx_error *err) {
	struct mx_inference *x = malloc(sizeof *x);
	struct mx_verified v = { 0 };
	int status = x ? 0 : mx_fail(err, "out of memory");
	if (!status) {
		mx_infer(a, x);
		status = verify(r, e, x, &v, err);
	}
	if (!status) {
		mx_probe_print(a, x, &v);
		r->done++;
		r->failed += !x->fits || v.wrong;
		if (r->yaml && x->fits && !v.wrong)
			mx_probe_yaml(r->yaml, a, x, &v);
	}
	free(x);
	return status;
}

/* An instruction without results is passed over. */
static int read_entry(struct reading *r, const struct mx_probe_entry *e, struct mx_error *err) {
	struct mx_answers a = { 0 };
	uint64_t first;
	size_t n;
	uint32_t *d = NULL;
	struct mx_probe_dot *dots = mx_probe_questions(&e->insn, &n);
	int status = dots ? mx_probe_results(r->set, e, 0, n, &d, &first, &n, err)
	                  : mx_fail(err, "out of memory");
	if (!status && !mx_answers_make(&a, &e->insn, dots, d, n))
		status = mx_fail(err, "out of memory");
	if (!status)
		status = infer(r, e, &a, err);
	mx_answers_free(&a);
	free(d);
	free(dots);
	return status < 0 ? status : 0;
}

static int write_yaml(const char *path, char *text, size_t n, struct mx_error *err) {
	return mx_files_write(&(struct mx_file){ path, { { text, n } } }, 1, err);
}

static int read_set(const struct request *q, const struct mx_probe_set *set) {
	struct mx_error err;
	char *text = NULL;
	size_t n = 0;
	struct reading r = { set, q->out ? open_memstream(&text, &n) : NULL, 0, 0 };
	int status = q->out && !r.yaml ? mx_fail(&err, "out of memory") : 0;
	if (r.yaml)
		mx_probe_yaml_begin(r.yaml, set);
	for (size_t i = 0; !status && i < set->n; i++)
		if (!q->insn || mx_probe_is_selected(q->insn, set->entry[i].insn.name))
			status = read_entry(&r, &set->entry[i], &err);
	if (r.yaml)
		fclose(r.yaml);
	if (!status && q->out && r.done > r.failed)
		status = write_yaml(q->out, text, n, &err);
	free(text);
	if (status)
		return mx_complain("probe", "%s", err.text);
	if (!r.done)
		printf("no results in %s\n", set->folder);
	return !r.done ? NOTHING_READ : r.failed ? 1 : 0;
}

static int read_folder(const struct request *q) {
	struct mx_probe_set set;
	struct mx_error err;
	if (mx_probe_open(q->read, &set, &err))
		return mx_complain("probe", "%s", err.text);
	int status = read_set(q, &set);
	mx_probe_close(&set);
	return status;
}

int mx_cmd_probe(int argc, char **argv) {
	struct request q = { 0 };
	const struct mx_arg table[] = {
		{ "--emit", &q.emit, NULL }, { "--read", &q.read, NULL },
		{ "--insn", &q.insn, NULL }, { "--dots", &q.dots, NULL },
		{ "--seed", &q.seed, NULL }, { "--out", &q.out, NULL },
		{ "--bare", NULL, &q.bare }, { 0 },
	};
	int n, status;
	if (!mx_args(table, help, argc, argv, &n, &status))
		return status;
	if (n || !q.emit == !q.read)
		return mx_complain("probe", "give --emit DIR or --read DIR");
	return q.emit ? emit(&q) : read_folder(&q);
}
