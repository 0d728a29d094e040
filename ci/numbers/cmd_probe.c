/* mxcheck probe: from a device's results to a measured profile. */
#include "../cli/args.h"
#include "../cli/command.h"
#include "../cli/folders.h"
#include "probe_read.h"
#include "profile_list.h"
#include "rules.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "../../cases/files.h"

static const char help[] =
	"usage: mxcheck probe --emit DIR [--insn LIST] [--dots N] [--seed S] [--bare]\n"
	"       mxcheck probe --read DIR [--insn LIST] [--out FILE]\n"
	"       mxcheck probe --device D [--insn LIST] [--dots N] [--seed S] [--out FILE]\n"
	"       mxcheck probe --device D --assumptions [--rules LIST] [--dots N] [--out FILE]\n"
	"\n"
	"Infers how a matrix instruction accumulates. --emit writes dot products whose results\n"
	"differ between the members of a family of profiles; any program computes them on its\n"
	"device; --read finds the member. mxcheck-probe(5) describes the folder. --device does "
	"both\n"
	"on a gfx950. With --assumptions it asks a gfx950 whether it follows the other rules that\n"
	"the emulator assumes: 'as assumed', 'differs' with the operands and the bits, 'failed'\n"
	"with the reason, or why it cannot be asked.\n"
	"\n"
	"  --emit DIR         write the dot products into the folder DIR, and print their size\n"
	"                     first: 14.8 GB of all 114 instructions, 212 MB with --bare; up to\n"
	"                     286 MB of one\n"
	"  --read DIR         infer a profile for each instruction with results in DIR\n"
	"  --device D         infer a profile for each instruction of a gfx950: emu, hip or hip:N\n"
	"  --insn LIST        patterns of names of instructions, separated by commas; default\n"
	"                     'v_*', with --read all\n"
	"  --dots N           random dots of each instruction; default 1048576\n"
	"  --seed S           their seed; default 1\n"
	"  --assumptions      ask about the rules of ref/isa/encoding/assumptions.def; --dots N:\n"
	"                     operands of each function whose last bit is asked for, 1 to 2^24,\n"
	"                     default 65536\n"
	"  --rules LIST       with --assumptions: patterns of names of rules; default all\n"
	"  --bare             no files of random dots; oracle/probe/random.h makes them\n"
	"  --profile P        with --device emu: how it accumulates, a name or FILE.yaml:NAME\n"
	"  --soffset-unchecked\n"
	"                     with --assumptions and --device emu: range checks of buffers leave\n"
	"                     SOFFSET out\n"
	"  --out FILE         write the profiles that fit, or the answers, as YAML\n"
	"  -h, --help         this text\n"
	"\n"
	"Exit status: 0; 1 if an instruction has no profile, a random dot is wrong, or a rule\n"
	"differs or failed; 2 usage or bad input; 77 if there are no results, or no such device.\n";

enum { NOTHING_READ = 77, MOST_OPERANDS = 1 << 24 };

struct request {
	const char *emit, *read, *device, *profile, *insn, *rules, *dots, *seed, *out;
	bool bare, assumptions, soffset_unchecked;
};

/* Each pattern of --insn must name an instruction, for --device one of gfx950. */
static int check_insns(const struct request *q) {
	struct mx_error err;
	return q->insn && mx_probe_check_patterns(q->insn, q->device, &err)
	               ? mx_complain("probe", "--insn: %s", err.text)
	               : 0;
}

/* ---- --emit ---- */

static int make_plan(const struct request *q, struct mx_probe_plan *plan) {
	unsigned long dots = 1 << 20, seed = 1;
	if (q->dots && !mx_parse_unsigned(q->dots, 1ul << 32, &dots))
		return mx_complain("probe", "--dots %s: not a number up to 2^32", q->dots);
	if (q->seed && !mx_parse_unsigned(q->seed, (1ul << 63) - 1, &seed))
		return mx_complain("probe", "--seed %s: not a number", q->seed);
	if (q->assumptions && q->dots && (!dots || dots > MOST_OPERANDS))
		return mx_complain("probe", "--dots %s: not a number from 1 to 2^24", q->dots);
	*plan = (struct mx_probe_plan){ q->insn ? q->insn : "v_*", seed, dots, q->bare };
	return check_insns(q);
}

static void print_size(const char *folder, size_t insns, uint64_t bytes) {
	bool large = bytes >= 1000000000;
	printf("%zu instruction%s, %.1f %s in %s\n", insns, insns == 1 ? "" : "s",
	       (double)bytes / (large ? 1e9 : 1e6), large ? "GB" : "MB", folder);
	fflush(stdout);
}

static int emit(const struct request *q) {
	struct mx_probe_plan plan;
	struct mx_error err;
	int status = make_plan(q, &plan);
	if (status)
		return status;
	return mx_probe_emit(q->emit, &plan, print_size, &err)
	               ? mx_complain("probe", "%s", err.text)
	               : 0;
}

/* ---- a folder or a device ---- */

/* The text of --out. */
struct yaml {
	const char *path;
	char *text;
	size_t n;
};

/* The file has each result as soon as it is known: a device takes minutes for the next. */
static int save(FILE *yaml, const struct yaml *y, struct mx_error *err) {
	fflush(stdout);
	if (!yaml)
		return 0;
	fflush(yaml);
	return mx_files_write(&(struct mx_file){ y->path, { { y->text, y->n } } }, 1, err);
}

/* Infers the profile of one instruction. */
static int read_entry(struct mx_reading *r, const struct mx_probe_entry *e, struct yaml *y,
                      struct mx_error *err) {
	size_t fitting = r->done - r->failed;
	if (mx_probe_read_entry(r, e, err))
		return -1;
	return save(r->done - r->failed == fitting ? NULL : r->yaml, y, err);
}

static int read_set(const struct request *q, struct mx_reading r) {
	struct mx_error err;
	struct yaml y = { .path = q->out };
	r.yaml = q->out ? open_memstream(&y.text, &y.n) : NULL;
	int status = q->out && !r.yaml ? mx_fail(&err, "out of memory") : 0;
	if (r.yaml)
		mx_probe_yaml_begin(r.yaml, r.set);
	for (size_t i = 0; !status && i < r.set->n; i++)
		if (!q->insn || mx_probe_is_selected(q->insn, r.set->entry[i].insn.name))
			status = read_entry(&r, &r.set->entry[i], &y, &err);
	if (r.yaml)
		fclose(r.yaml);
	free(y.text);
	if (status)
		return mx_complain("probe", "%s", err.text);
	if (!r.done)
		printf("no results in %s\n", r.set->folder);
	return !r.done ? NOTHING_READ : r.failed ? 1 : 0;
}

static int read_folder(const struct request *q) {
	struct mx_probe_set set;
	struct mx_error err;
	if (check_insns(q))
		return MX_BAD_INPUT;
	if (mx_probe_open(q->read, &set, &err))
		return mx_complain("probe", "%s", err.text);
	int status = read_set(q, (struct mx_reading){ .set = &set });
	mx_probe_close(&set);
	return status;
}

/* ---- --device ---- */

/* The instructions of gfx950 that the plan names. */
static int select_insns(const struct mx_probe_plan *plan, struct mx_probe_set *set) {
	struct mx_probe_insn insn;
	size_t most = 0;
	while (mx_probe_insn_at(most, &insn))
		most++;
	set->seed = plan->seed;
	set->folder = "this device";
	set->entry = calloc(most, sizeof *set->entry);
	for (size_t i = 0; set->entry && mx_probe_insn_at(i, &insn); i++)
		if (insn.gfx950 && mx_probe_is_selected(plan->insns, insn.name))
			set->entry[set->n++] = (struct mx_probe_entry){ insn, plan->dots };
	return set->entry ? 0 : -1;
}

static void describe_device(struct mx_probe_set *set, const struct mx_device *d) {
	time_t now = time(NULL);
	struct tm utc;
	gmtime_r(&now, &utc);
	strftime(set->date, sizeof set->date, "%Y-%m-%d", &utc);
	mx_device_text(d, set->device, sizeof set->device);
	snprintf(set->driver, sizeof set->driver, "%s", d->driver);
}

static int probe_device(const struct request *q, const struct mx_probe_plan *plan,
                        struct mx_device *d) {
	char cases[MX_FOLDER_ROOM], kernels[MX_FOLDER_ROOM], co[MX_FOLDER_ROOM + 16];
	struct mx_probe_set set = { .n = 0 };
	mx_folders_find(cases, kernels);
	snprintf(co, sizeof co, "%s/probe/mfma.co", kernels);
	if (select_insns(plan, &set))
		return mx_complain("probe", "out of memory");
	describe_device(&set, d);
	int status = read_set(q, (struct mx_reading){ .set = &set, .device = d, .co = co });
	mx_probe_close(&set);
	return status;
}

/* ---- --assumptions ---- */

static int ask_rules(const char *patterns, struct mx_rules *r, struct yaml *y,
                     struct mx_error *err) {
	size_t selected = 0;
	for (mx_assumption rule = MX_ASSUMES_NOTHING + 1; rule < MX_ASSUMPTIONS; rule++) {
		if (patterns && !mx_probe_is_selected(patterns, mx_assumption_name(rule)))
			continue;
		selected++;
		if (mx_rules_ask(r, rule, err) || save(r->yaml, y, err))
			return -1;
	}
	return selected ? 0 : mx_fail(err, "--rules: no rule is called '%s'", patterns);
}

static int probe_rules(const struct request *q, const struct mx_probe_plan *plan,
                       struct mx_device *d) {
	char cases[MX_FOLDER_ROOM], kernels[MX_FOLDER_ROOM];
	struct mx_probe_set set = { .n = 0 };
	struct mx_rules rules = { .device = d,
		                  .kernels = kernels,
		                  .dots = q->dots ? plan->dots : 1 << 16 };
	struct yaml y = { .path = q->out };
	struct mx_error err;
	mx_folders_find(cases, kernels);
	describe_device(&set, d);
	rules.yaml = q->out ? open_memstream(&y.text, &y.n) : NULL;
	int status = q->out && !rules.yaml ? mx_fail(&err, "out of memory") : 0;
	if (rules.yaml)
		mx_rules_yaml_begin(rules.yaml, &set);
	status = status || ask_rules(q->rules, &rules, &y, &err);
	if (rules.yaml)
		fclose(rules.yaml);
	free(y.text);
	if (status)
		return mx_complain("probe", "%s", err.text);
	printf("%zu rule%s asked, %zu differ, %zu failed\n", rules.asked,
	       rules.asked == 1 ? "" : "s", rules.differ, rules.failed);
	return rules.differ || rules.failed ? 1 : 0;
}

static int check_architecture(const struct mx_device *d) {
	return strcmp(d->arch, "gfx950")
	               ? mx_complain("probe", "device %s is a %s, the programs are for gfx950",
	                             d->name, d->arch)
	               : 0;
}

static int set_profile(const struct request *q, const struct mx_device *d,
                       struct mx_profile_list *l) {
	struct mx_error err;
	if (!d->emu)
		return q->profile || q->soffset_unchecked
		               ? mx_complain("probe", "%s is for --device emu",
		                             q->profile ? "--profile" : "--soffset-unchecked")
		               : 0;
	if (q->profile && mx_profile_list_make(l, q->profile, &err))
		return mx_complain("probe", "%s", err.text);
	if (l->n > 1)
		return mx_complain("probe", "--profile %s: %zu profiles; give one", q->profile,
		                   l->n);
	const struct mxhipLaunchOptions options = { .size = sizeof options,
		                                    .arithmetic = l->n ? l->profile[0] : NULL,
		                                    .soffset_unchecked = q->soffset_unchecked };
	return d->emu->set_launch_options(&options)
	               ? mx_complain("probe", "%s", d->emu->error_detail())
	               : 0;
}

static int on_device(const struct request *q) {
	struct mx_probe_plan plan;
	struct mx_profile_list list = { .n = 0 };
	struct mx_device *d;
	struct mx_why why;
	int status = make_plan(q, &plan);
	if (status)
		return status;
	status = mx_device_open(q->device, &d, &why);
	if (status < 0)
		return mx_complain("probe", "%s", why.text);
	if (status > 0) {
		fprintf(stderr, "mxcheck probe: device %s: %s\n", q->device, why.text);
		return NOTHING_READ;
	}
	status = check_architecture(d);
	if (!status)
		status = set_profile(q, d, &list);
	if (!status)
		status = q->assumptions ? probe_rules(q, &plan, d) : probe_device(q, &plan, d);
	mx_profile_list_free(&list);
	mx_device_close(d);
	return status;
}

/* An option that the action has no use for; NULL if there is none. */
static const char *useless(const struct request *q) {
	return q->emit && q->out                         ? "--out"
	       : !q->device && q->profile                ? "--profile"
	       : !q->device && q->assumptions            ? "--assumptions"
	       : !q->assumptions && q->soffset_unchecked ? "--soffset-unchecked"
	       : !q->assumptions && q->rules             ? "--rules"
	       : q->assumptions && q->insn               ? "--insn"
	       : q->assumptions && q->seed               ? "--seed"
	       : !q->emit && q->bare                     ? "--bare"
	       : q->read && q->dots                      ? "--dots"
	       : q->read && q->seed                      ? "--seed"
	                                                 : NULL;
}

int mx_cmd_probe(int argc, char **argv) {
	struct request q = { 0 };
	const struct mx_arg table[] = {
		{ "--emit", &q.emit, NULL },
		{ "--read", &q.read, NULL },
		{ "--device", &q.device, NULL },
		{ "--insn", &q.insn, NULL },
		{ "--dots", &q.dots, NULL },
		{ "--seed", &q.seed, NULL },
		{ "--out", &q.out, NULL },
		{ "--profile", &q.profile, NULL },
		{ "--rules", &q.rules, NULL },
		{ "--bare", NULL, &q.bare },
		{ "--assumptions", NULL, &q.assumptions },
		{ "--soffset-unchecked", NULL, &q.soffset_unchecked },
		{ 0 },
	};
	int n, status;
	if (!mx_args(table, help, argc, argv, &n, &status))
		return status;
	if (n || !!q.emit + !!q.read + !!q.device != 1)
		return mx_complain("probe", "give one of --emit DIR, --read DIR and --device D");
	if (useless(&q))
		return mx_complain("probe", "%s has no use with %s", useless(&q),
		                   q.emit          ? "--emit"
		                   : q.read        ? "--read"
		                   : q.assumptions ? "--assumptions"
		                                   : "--device");
	return q.emit ? emit(&q) : q.read ? read_folder(&q) : on_device(&q);
}
