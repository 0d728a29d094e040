/* The profiles of a case: named ones, and those of files. */
#include "arithmetic.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../cases/depends.h"
#include "../ref/mma/matrix_profiles.h"
#include "hash_file.h"

static struct exact_member member_of(const mx_profile *p) {
	return (struct exact_member){
#define MX_FAMILY(field, ...) .field = p->field,
#include "../ref/mma/family.def"
#undef MX_FAMILY
	};
}

/* ---- what the judges expect ---- */

static void describe_row(struct mx_arithmetic *a) {
	unsigned assumed = 0;
	for (unsigned i = 0; i < a->row->n_fields; i++)
		assumed += a->row->fields[i].fidelity != MX_MEASURED;
	const char *device = a->file->device, *driver = a->file->driver;
	char rest[64] = "";
	if (assumed)
		snprintf(rest, sizeof rest, "; %u of %u fields assumed", assumed, a->row->n_fields);
	if (strstr(device, driver)) /* mxcheck probe --device names it there */
		driver = "";
	snprintf(a->text, sizeof a->text, "%s (measured on %s%s%s, %s%s)", a->row->name, device,
	         driver[0] ? ", " : "", driver, a->file->date, rest);
}

static void expect_row(struct mx_arithmetic *a, const struct mx_profile_row *row) {
	a->row = row;
	a->member = member_of(&row->profile);
	describe_row(a);
}

/* The scaled MFMA of the case's product, or its instruction of f32; false: there is none. */
static bool insn_of(const struct mx_plan *p, char name[MX_SCALED_NAME]) {
	bool swapped = p->c->verdict.swapped;
	const struct mx_buffer *a = mx_plan_role(p, swapped ? MX_ROLE_B : MX_ROLE_A),
			       *b = mx_plan_role(p, swapped ? MX_ROLE_A : MX_ROLE_B);
	if (p->c->verdict.instruction) {
		snprintf(name, MX_SCALED_NAME, "%s", p->c->verdict.instruction);
		return true;
	}
	for (mx_shape s = MX_16X16X128; a && b && s <= MX_32X32X64; s++)
		if (mx_shape_k(s) == p->c->verdict.mma_k && (unsigned)a->type < MX_FORMATS &&
		    (unsigned)b->type < MX_FORMATS)
			return mx_scaled_name(s, (mx_format)a->type, (mx_format)b->type, name);
	return false;
}

/* ---- files ---- */

static const struct mx_profile_row *find(const struct mx_profile_file *f, const char *name) {
	for (unsigned i = 0; i < f->n; i++)
		if (!strcmp(f->profiles[i].name, name))
			return &f->profiles[i];
	return NULL;
}

/* The profiles of instructions of gfx950. */
static int list_single(struct mx_arithmetic *a, const char *path, struct mx_error *err) {
	struct mx_matrix_profiles known = { .dense = { NULL } };
	const mx_profile **list = malloc((a->file->n + 1) * sizeof *list);
	if (!list)
		return mx_fail(err, "out of memory");
	a->single = list;
	for (unsigned i = 0; i < a->file->n; i++)
		if (mx_matrix_profiles_add(&known, &a->file->profiles[i].profile))
			list[a->n_single++] = &a->file->profiles[i].profile;
	return a->n_single ? 0
	                   : mx_fail(err,
	                             "%s: no profile of an instruction of gfx950; give "
	                             "%s:NAME",
	                             path, path);
}

/* One profile of a->file for all matrix instructions, or one for each. */
static int take_file(struct mx_arithmetic *a, const char *path, const char *name,
                     struct mx_error *err) {
	const struct mx_profile_row *row;
	if (!name)
		return list_single(a, path, err);
	if (!(row = find(a->file, name)))
		return mx_fail(err, "%s: no profile %s", path, name);
	if (!row->profile.group)
		return mx_fail(err, "%s: %s: a profile without steps: of integers", path, name);
	a->all = &row->profile;
	return 0;
}

/* ---- the case's profile, and that of --profile ---- */

static void take_name(struct mx_arithmetic *a, const char *name) {
	a->name = name;
	snprintf(a->text, sizeof a->text, "%s (assumed)", name);
}

/* The file's profile of the case's instruction, insn; or "". Only --profile may lack it. */
static int expect_insn(struct mx_arithmetic *a, const struct mx_plan *p, const char *insn,
                       struct mx_error *err) {
	const struct mx_profile_row *row = find(a->file, insn);
	if (row)
		expect_row(a, row);
	else if (p->c->profile)
		snprintf(a->text, sizeof a->text, "%s (assumed; %s has none of %s)", a->name,
		         p->c->profile, insn);
	else if (p->c->verdict.mma_k || p->c->verdict.instruction)
		return mx_fail(err, "%s: verdict.profile: %s has no profile of %s", p->c->path,
		               p->c->verdict.profile, insn[0] ? insn : "such an instruction");
	return 0;
}

static int make(const struct mx_plan *p, struct mx_arithmetic *a, struct mx_error *err) {
	const struct mx_case *c = p->c;
	const char *own = c->verdict.profile, *name;
	char path[PATH_MAX], insn[MX_SCALED_NAME] = "";
	bool judged = insn_of(p, insn) || !c->profile;
	bool named = own && !mx_profile_file(own, &name);
	take_name(a, named ? own : "block32");
	a->profile = a->name;
	if (mx_case_profile_file(c, path, sizeof path, &name)) {
		if (!c->profile_file && mx_profile_file_read(path, &a->own_file, err))
			return -1;
		a->hash = mx_hash_file(path, 0);
		a->file = c->profile_file ? c->profile_file : a->own_file;
		if (take_file(a, path, name, err))
			return -1;
		if (a->all && judged)
			expect_row(a, find(a->file, name));
		return a->all || !judged ? 0 : expect_insn(a, p, insn, err);
	}
	if (c->profile)
		a->profile = c->profile;
	if (c->profile && judged)
		take_name(a, c->profile);
	return 0;
}

int mx_arithmetic_make(const struct mx_plan *p, struct mx_arithmetic *a, struct mx_error *err) {
	*a = (struct mx_arithmetic){ .name = NULL };
	if (!make(p, a, err))
		return 0;
	mx_arithmetic_free(a);
	return -1;
}

int mx_no_profile(const char *where, const char *name, struct mx_error *err) {
	char names[256] = "";
	const mx_profile *p;
	for (size_t i = 0, n = 0; (p = mx_profile_at(i)) && n < sizeof names; i++)
		n += (size_t)snprintf(names + n, sizeof names - n, "%s%s", i ? ", " : "", p->name);
	return mx_fail(err, "%s: no profile '%s'; there are %s, and FILE.yaml of mxcheck probe",
	               where, name, names);
}

int mx_arithmetic_read(const char *profile, struct mx_profile_file **file, struct mx_error *err) {
	struct mx_arithmetic a = { .name = NULL };
	char path[PATH_MAX];
	const char *name;
	size_t bytes = mx_profile_file(profile, &name);
	*file = NULL;
	if (!bytes)
		return mx_profile_by_name(profile) ? 0 : mx_no_profile("--profile", profile, err);
	snprintf(path, sizeof path, "%.*s", (int)bytes, profile);
	if (mx_profile_file_read(path, file, err))
		return -1;
	a.file = *file;
	int status = take_file(&a, path, name, err);
	free((void *)a.single);
	return status;
}

void mx_arithmetic_free(struct mx_arithmetic *a) {
	free((void *)a->single);
	if (a->own_file)
		mx_profile_file_free(a->own_file);
	*a = (struct mx_arithmetic){ .name = NULL };
}

void mx_arithmetic_set(const struct mx_arithmetic *a, struct mxhipLaunchOptions *o) {
	o->profile = a->profile;
	o->arithmetic = a->all;
	o->arithmetics = a->single;
	o->n_arithmetics = a->n_single;
}

/* ---- products ---- */

bool mx_arithmetic_keeps_regime(const struct mx_arithmetic *a) {
	return !a->row || exact_member_keeps_regime(&a->member);
}

enum exact_status mx_arithmetic_product(const struct mx_arithmetic *a, const struct exact_gemm *g,
                                        unsigned mma_k, uint32_t *out) {
	return a->row ? exact_member_product(g, &a->member, mma_k, out)
	              : exact_profile(g, a->name, mma_k, out);
}

enum exact_status mx_arithmetic_one(const struct mx_arithmetic *a, const struct exact_gemm *g,
                                    unsigned mma_k, uint32_t *out) {
	return a->row ? exact_member_product(g, &a->member, mma_k, out)
	              : exact_profile_plain(g, a->name, mma_k, out);
}
