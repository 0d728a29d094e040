/* Launch options of a thread, and the versions of their struct. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "../mma/matrix_profiles.h"
#include "runtime.h"

/* Padding at the end would hide a member that a later version adds. */
_Static_assert(sizeof(struct mxhipLaunchOptions) ==
                       offsetof(struct mxhipLaunchOptions, repeats) + sizeof(uint64_t),
               "struct mxhipLaunchOptions ends with its last member");

static _Thread_local struct mxhipLaunchOptions options;
static _Thread_local const mx_profile *profile; /* NULL: the default */
static _Thread_local struct mx_matrix_profiles profiles;
static _Thread_local bool suspended;

/* The options that have an effect. */
static const struct mxhipLaunchOptions *effective(void) {
	static const struct mxhipLaunchOptions none = { 0 };
	return suspended ? &none : &options;
}

bool mx_options_suspend(bool so) {
	bool was = suspended;
	suspended = so;
	return was;
}

static bool is_zero(const char *bytes, size_t n) {
	for (size_t i = 0; i < n; i++)
		if (bytes[i])
			return false;
	return true;
}

/* Copies the caller's members to this version's struct; false, with the reason, if they do not fit.
 */
static bool read_version(const struct mxhipLaunchOptions *from, struct mxhipLaunchOptions *to) {
	size_t n = from->size, known = n < sizeof *to ? n : sizeof *to;
	if (n < sizeof from->size || n % 8) {
		mx_hip_fail(hipErrorInvalidValue,
		            "options of %zu bytes: size is a multiple of 8, and at least 8", n);
		return false;
	}
	if (!is_zero((const char *)from + known, n - known)) {
		mx_hip_fail(hipErrorInvalidValue,
		            "options of %zu bytes: a member after byte %zu is set, which this "
		            "version lacks",
		            n, sizeof *to);
		return false;
	}
	memcpy(to, from, known);
	return true;
}

static bool is_ascending(const uint64_t *list, uint64_t n) {
	for (uint64_t i = 1; list && i < n; i++)
		if (list[i] <= list[i - 1])
			return false;
	return list || !n;
}

static bool is_arithmetic(const mx_profile *p) {
	return p && p->name && !mx_matrix_profile_check(p);
}

/* False, with the reason, if one is wrong or of no instruction. */
static bool read_arithmetics(const struct mxhipLaunchOptions *o, struct mx_matrix_profiles *t) {
	for (uint64_t i = 0; i < o->n_arithmetics; i++) {
		const mx_profile *p = o->arithmetics ? o->arithmetics[i] : NULL;
		if (is_arithmetic(p) && mx_matrix_profiles_add(t, p))
			continue;
		mx_hip_fail(hipErrorInvalidValue,
		            "arithmetics[%llu] is no profile of a matrix instruction",
		            (unsigned long long)i);
		return false;
	}
	return true;
}

/* ---- what repeated launches keep ---- */

struct kept {
	struct mx_products *products;
	struct mx_courses *courses;
};

static pthread_key_t kept_key;
static pthread_once_t kept_once = PTHREAD_ONCE_INIT;

static void free_kept(void *p) {
	struct kept *k = p;
	if (!k)
		return;
	mx_products_free(k->products);
	mx_courses_free(k->courses);
	free(k);
}

static void make_kept_key(void) {
	pthread_key_create(&kept_key, free_kept);
}

/* Without memory nothing is kept. */
static struct kept *new_kept(void) {
	struct kept *k = calloc(1, sizeof *k);
	if (k)
		*k = (struct kept){ mx_products_new(), mx_courses_new() };
	return k;
}

/* Until the options are others. */
static void keep_results(bool keep) {
	pthread_once(&kept_once, make_kept_key);
	struct kept *k = pthread_getspecific(kept_key);
	if (keep == (k != NULL))
		return;
	free_kept(k);
	pthread_setspecific(kept_key, keep ? new_kept() : NULL);
}

int mxhipSetLaunchOptions(const struct mxhipLaunchOptions *o) {
	struct mxhipLaunchOptions next = { 0 };
	struct mx_matrix_profiles single = { 0 };
	const mx_profile *p = NULL;
	if (o && !read_version(o, &next))
		return hipErrorInvalidValue;
	if (next.analysis & ~(uint32_t)MX_ANALYSES)
		return mx_hip_fail(hipErrorInvalidValue, "no analysis 0x%x", next.analysis);
	if (next.scratch_apart > 1 || next.threadgroup_split > 1 || next.soffset_unchecked > 1 ||
	    next.own_memory > 1 || next.repeats > 1)
		return mx_hip_fail(hipErrorInvalidValue,
		                   "scratch_apart, threadgroup_split, soffset_unchecked, "
		                   "own_memory and repeats are 0 or 1");
	if (!is_ascending(next.workgroups, next.n_workgroups))
		return mx_hip_fail(hipErrorInvalidValue, "workgroups are not in ascending order");
	if (!(next.time_limit >= 0 && next.time_limit <= 1e9))
		return mx_hip_fail(hipErrorInvalidValue, "time_limit is from 0 to 1e9 seconds");
	if (next.profile && !(p = mx_profile_by_name(next.profile)))
		return mx_hip_fail(hipErrorInvalidValue, "no profile '%s'", next.profile);
	if (next.arithmetic && !is_arithmetic(next.arithmetic))
		return mx_hip_fail(hipErrorInvalidValue,
		                   "arithmetic is no profile, or has no name");
	if (!read_arithmetics(&next, &single))
		return hipErrorInvalidValue;
	next.profile = NULL; /* the caller's string is not kept */
	options = next;
	profiles = single;
	profile = next.arithmetic ? next.arithmetic : p;
	keep_results(next.repeats);
	return hipSuccess;
}

void mx_options_apply(struct mx_launch *l) {
	const struct mxhipLaunchOptions *o = effective();
	l->seed = o->seed;
	l->max_instructions = o->instruction_limit;
	l->time_limit = o->time_limit;
	l->profile = profile && !suspended ? profile : mx_profile_at(0);
	l->profiles = o->n_arithmetics ? &profiles : NULL;
	if (!mx_options_are_set())
		mx_environment_arithmetic(l);
	l->observer = o->observer;
	l->analysis = o->analysis;
	l->scratch_apart = o->scratch_apart;
	l->threadgroup_split = o->threadgroup_split;
	l->soffset_unchecked = o->soffset_unchecked;
	l->schedule = o->schedule;
	l->record = o->record;
	l->coverage = o->coverage;
	l->workgroups = o->workgroups;
	l->n_workgroups = o->n_workgroups;
	l->number = o->launch;
	const struct kept *k = o->repeats ? pthread_getspecific(kept_key) : NULL;
	l->products = k ? k->products : NULL;
	l->courses = k ? k->courses : NULL;
}

struct mx_report *mx_options_report(void) {
	return effective()->report;
}

bool mx_options_own_memory(void) {
	return effective()->own_memory;
}

unsigned mx_options_threads(void) {
	return effective()->threads;
}

bool mx_options_are_set(void) {
	return effective()->size != 0;
}
