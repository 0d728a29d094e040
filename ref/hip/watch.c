/* Watching a program: every launch is analysed, and what is found is appended to a journal, which
 * `mxcheck exec` reads. Launches of a thread that has set launch options are not watched.
 *
 * The environment asks for it:
 *   MXHIP_WATCH=DIR    the folder of the journal and of the code objects that it names
 *   MXHIP_SEED=N       the seed of the first schedule of each launch, and of streams (queue.c);
 *                      default 0
 *   MXHIP_RACE=N       N more schedules of each launch, from the memory before it; their results
 *                      must be those of the first
 *   MXHIP_FILTER=GLOB  only kernels whose name matches
 *   MXHIP_FIRST=N      only the first N such launches of each kernel
 *   MXHIP_RECORD=1     each watched launch is written to the folder as a case (record.c)
 *   MXHIP_RECORD_PROFILE=P  the profile that the cases name, a file relative to the folder;
 *                      default MXHIP_PROFILE, which must be a name then
 *
 * The journal, DIR/PID.journal, has lines of fields that tabs separate:
 *   finding  ID KIND KERNEL GRID BLOCK LAUNCH OBJECT ADDRESS TEXT
 *   streams  ID WORK TEXT            a race of work of two streams (stream_races.c)
 *   differs  KERNEL GRID BLOCK LAUNCH SEED TEXT
 *   refused  TEXT                   a code object that is not loaded
 *   recorded KERNEL LAUNCH TEXT     TEXT: why it could not be; or nothing
 *   times    ID LAUNCHES
 *   end      LAUNCHES WATCHED PROVED REPEATED UNREPEATED
 * A finding is written when it is first met, so that it outlives a crash; the others at the end. */
#include "hostcall.h"
#include "watch.h"

#include <errno.h>
#include <fnmatch.h>
#include <pthread.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A finding that was met, in a kernel at a pc; or of two kinds of work. */
struct met {
	const void *function;
	mx_finding_kind kind;
	uint64_t pc, earlier;
	unsigned id;
	uint64_t launches;
};

/* Launches of a kernel. */
struct counted {
	const struct mx_function *function;
	uint64_t launches;
};

static struct {
	const char *folder, *filter;
	uint64_t seed, race, first, record;
	FILE *journal;
	unsigned n_met;
	void *met, *counted; /* trees */
	uint64_t launches, watched, proved, repeated, unrepeated;
} watch;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the trees and the counts */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_rwlock_t memory = PTHREAD_RWLOCK_INITIALIZER;

/* ---- the environment ---- */

static void open_journal(void) {
	char path[4096];
	snprintf(path, sizeof path, "%s/%ld.journal", watch.folder, (long)getpid());
	watch.journal = fopen(path, "w");
	if (watch.journal)
		return;
	fprintf(stderr, "libmxhip: %s: %s; launches are not watched\n", path, strerror(errno));
	watch.folder = NULL;
}

/* A child that the program forks is a process of its own. What was found before is the parent's. */
static void begin_child(void) {
	if (!watch.journal)
		return;
	fclose(watch.journal); /* nothing is buffered */
	pthread_mutex_init(&lock, NULL);
	pthread_rwlock_init(&memory, NULL);
	watch.n_met = 0;
	watch.met = watch.counted = NULL;
	watch.launches = watch.watched = watch.proved = watch.repeated = watch.unrepeated = 0;
	open_journal();
}

static void read_environment(void) {
	watch.folder = getenv("MXHIP_WATCH");
	watch.filter = getenv("MXHIP_FILTER");
	watch.seed = mx_hip_number("MXHIP_SEED");
	watch.race = mx_hip_number("MXHIP_RACE");
	watch.first = mx_hip_number("MXHIP_FIRST");
	watch.record = mx_hip_number("MXHIP_RECORD");
	if (watch.folder && *watch.folder) {
		open_journal();
		pthread_atfork(NULL, NULL, begin_child);
	} else
		watch.folder = NULL;
}

bool mx_watching(void) {
	pthread_once(&once, read_environment);
	return watch.folder != NULL;
}

bool mx_recording(void) {
	return mx_watching() && watch.record;
}

/* ---- which launches ---- */

static int order(uintptr_t a, uintptr_t b) {
	return (a > b) - (a < b);
}

static int compare_counted(const void *a, const void *b) {
	const struct counted *x = a, *y = b;
	return order((uintptr_t)x->function, (uintptr_t)y->function);
}

/* The entry of a key in a tree: a copy of `bytes` bytes of it, made if it is new. NULL if host
 * memory is short. */
static void *entry(void **tree, const void *key, size_t bytes,
                   int (*compare)(const void *, const void *)) {
	void **found = tfind(key, tree, compare);
	if (found)
		return *found;
	void *made = malloc(bytes);
	if (!made)
		return NULL;
	memcpy(made, key, bytes);
	found = tsearch(made, tree, compare);
	if (!found)
		free(made);
	return found ? *found : NULL;
}

/* Whether a kernel is watched; counts the launch. */
static bool wanted(const struct mx_function *f) {
	struct counted key = { f, 0 };
	if (watch.filter && *watch.filter && fnmatch(watch.filter, f->name, 0))
		return false;
	struct counted *c = entry(&watch.counted, &key, sizeof key, compare_counted);
	return !watch.first || (c && c->launches++ < watch.first);
}

bool mx_watch_begin(const struct mx_function *f, struct mx_launch *l, uint64_t *number) {
	if (mx_options_are_set() || !mx_watching())
		return false;
	pthread_mutex_lock(&lock);
	*number = ++watch.launches;
	bool yes = wanted(f);
	watch.watched += yes;
	pthread_mutex_unlock(&lock);
	if (yes) {
		l->analysis = MX_ANALYSE_ORDER | MX_ANALYSE_WAIT_STATES;
		l->seed = watch.seed;
	}
	return yes;
}

/* ---- the journal ---- */

/* Fields end at tabs, and lines at newlines. */
static const char *field(char *text) {
	for (char *c = text; *c; c++)
		if (*c == '\t' || *c == '\n')
			*c = ' ';
	return text;
}

static void print_shape(const struct mx_launch *l) {
	fprintf(watch.journal, "\t%u,%u,%u\t%u,%u,%u", l->grid[0], l->grid[1], l->grid[2],
	        l->block[0], l->block[1], l->block[2]);
}

static int compare_met(const void *a, const void *b) {
	const struct met *x = a, *y = b;
	if (x->function != y->function)
		return order((uintptr_t)x->function, (uintptr_t)y->function);
	if (x->kind != y->kind)
		return x->kind > y->kind ? 1 : -1;
	if (x->pc != y->pc)
		return x->pc > y->pc ? 1 : -1;
	return (x->earlier > y->earlier) - (x->earlier < y->earlier);
}

static void write_finding(const struct mx_watched *w, const struct met *m,
                          const struct mx_finding_group *g) {
	const struct mx_report *r = w->report;
	const struct mx_finding *f = &r->findings[g->first];
	char text[MX_LINE_ROOM], more[MX_LINE_ROOM], name[512];
	uint64_t entry_address =
		w->function->kernel.entry - (uint64_t)(uintptr_t)w->function->module->image;
	mx_finding_text(r, f, text, sizeof text);
	mx_group_text(r->isa, g, more, sizeof more);
	snprintf(name, sizeof name, "%s", w->function->name);
	fprintf(watch.journal, "finding\t%u\t%s\t%s", m->id, mx_finding_name(f->kind), field(name));
	print_shape(w->launch);
	fprintf(watch.journal, "\t%llu\t%s\t0x%llx\t%s%s\n", (unsigned long long)w->number,
	        mx_watch_object(watch.folder, w->function->module),
	        (unsigned long long)(entry_address + f->pc), field(text), field(more));
	fflush(watch.journal);
}

static void note_group(const struct mx_watched *w, const struct mx_finding_group *g) {
	const struct mx_finding *f = &w->report->findings[g->first];
	struct met key = { w->function, f->kind, f->pc, f->earlier, watch.n_met, 0 };
	struct met *m = entry(&watch.met, &key, sizeof key, compare_met);
	if (!m)
		return;
	if (m->id == watch.n_met) {
		watch.n_met++;
		write_finding(w, m, g);
	}
	m->launches++;
}

void mx_watch_unprove(void) {
	pthread_mutex_lock(&lock);
	watch.proved--;
	pthread_mutex_unlock(&lock);
}

void mx_watch_streams(const void *later, const void *earlier, char *work, char *text) {
	pthread_mutex_lock(&lock);
	struct met key = { later, MX_RACE_STREAMS, (uintptr_t)earlier, 0, watch.n_met, 0 };
	struct met *m = entry(&watch.met, &key, sizeof key, compare_met);
	if (m && m->id == watch.n_met) {
		watch.n_met++;
		fprintf(watch.journal, "streams\t%u\t%s\t%s\n", m->id, field(work), field(text));
		fflush(watch.journal);
	}
	if (m)
		m->launches++;
	pthread_mutex_unlock(&lock);
}

void mx_watch_refused(const char *why) {
	fprintf(stderr, "libmxhip: a code object is not loaded: %s (see MXHIP_ARCH)\n", why);
	pthread_mutex_lock(&lock);
	if (watch.journal) {
		char text[MX_LINE_ROOM];
		snprintf(text, sizeof text, "%s", why);
		fprintf(watch.journal, "refused\t%s\n", field(text));
		fflush(watch.journal);
	}
	pthread_mutex_unlock(&lock);
}

/* ---- memory ---- */

static bool copies_memory(void) {
	return mx_watching() && (watch.race || watch.record);
}

void mx_watch_enter(bool launch) {
	if (copies_memory() && launch)
		pthread_rwlock_wrlock(&memory);
	else if (copies_memory())
		pthread_rwlock_rdlock(&memory);
}

void mx_watch_leave(void) {
	if (copies_memory())
		pthread_rwlock_unlock(&memory);
}

static void write_difference(const struct mx_watched *w, const struct mx_difference *d) {
	char name[512];
	snprintf(name, sizeof name, "%s", w->function->name);
	fprintf(watch.journal, "differs\t%s", field(name));
	print_shape(w->launch);
	fprintf(watch.journal,
	        "\t%llu\t%llu\t%llu bytes, the first at 0x%llx: 0x%02x, and 0x%02x under seed "
	        "%llu\n",
	        (unsigned long long)w->number, (unsigned long long)d->seed,
	        (unsigned long long)d->bytes, (unsigned long long)d->address, d->first, d->second,
	        (unsigned long long)d->seed);
	fflush(watch.journal);
}

/* ---- the end of a launch ---- */

/* Which memory malloc gives to whom differs from schedule to schedule. */
static void repeat(const struct mx_watched *w, struct mx_replay *replay) {
	struct mx_difference d;
	bool whole = replay && !w->report->stopped && !mx_replay_allocated(replay);
	mx_hostcall_silence(w->hostcall);
	uint64_t n = whole ? mx_replay_run(replay, w->launch, watch.seed, watch.race, &d) : 0;
	pthread_mutex_lock(&lock);
	watch.repeated += n;
	watch.unrepeated += !whole;
	if (whole && d.bytes)
		write_difference(w, &d);
	pthread_mutex_unlock(&lock);
}

static void record(const struct mx_watched *w, const struct mx_saved *saved) {
	char name[512], why[MX_RECORD_WHY] = "";
	pthread_mutex_lock(&lock);
	mx_record_write(saved->record, w, saved->replay, watch.folder, why);
	snprintf(name, sizeof name, "%s", w->function->name);
	fprintf(watch.journal, "recorded\t%s\t%llu\t%s\n", field(name),
	        (unsigned long long)w->number, field(why));
	fflush(watch.journal);
	pthread_mutex_unlock(&lock);
}

struct mx_saved mx_watch_save(struct mx_launch *l) {
	return (struct mx_saved){ .replay = copies_memory() ? mx_replay_new(&l->memory) : NULL,
		                  .record = watch.record ? mx_record_new(l) : NULL };
}

void mx_watch_end(const struct mx_watched *w, struct mx_saved *saved) {
	const struct mx_report *r = w->report;
	struct mx_finding_group *groups = malloc((r->n_findings + 1) * sizeof *groups);
	size_t n = groups ? mx_group_findings(r->findings, r->n_findings, groups) : 0;
	pthread_mutex_lock(&lock);
	watch.proved += r->proof.outcome == MX_PROVED;
	for (size_t i = 0; i < n; i++)
		note_group(w, &groups[i]);
	pthread_mutex_unlock(&lock);
	free(groups);
	if (watch.record)
		record(w, saved);
	if (watch.race)
		repeat(w, saved->replay);
	mx_replay_free(saved->replay);
	mx_record_free(saved->record);
}

/* ---- the end of the process ---- */

static void write_times(const void *node, VISIT visit, int depth) {
	const struct met *m = *(struct met *const *)node;
	(void)depth;
	if (visit == postorder || visit == leaf)
		fprintf(watch.journal, "times\t%u\t%llu\n", m->id, (unsigned long long)m->launches);
}

__attribute__((destructor)) static void end_journal(void) {
	if (!watch.journal)
		return;
	twalk(watch.met, write_times);
	fprintf(watch.journal, "end\t%llu\t%llu\t%llu\t%llu\t%llu\n",
	        (unsigned long long)watch.launches, (unsigned long long)watch.watched,
	        (unsigned long long)watch.proved, (unsigned long long)watch.repeated,
	        (unsigned long long)watch.unrepeated);
	fclose(watch.journal);
}
