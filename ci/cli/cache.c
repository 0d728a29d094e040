/* A folder of verdicts, one file for each.
 *
 *   file:  "mxcache1", u64 key, u64 XXH3 of the rest, the rest
 *   rest:  a packed result
 *
 * The key contains the build, so program and file have the same struct mx_result. */
#include "cache.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#define XXH_STATIC_LINKING_ONLY

#include "../../cases/depends.h"
#include "../../cases/files.h"
#include "../../fuzz/hunt/build.h"
#include "../../fuzz/hunt/schedule.h"
#include "../../oracle/hash_file.h"
#include "../../oracle/xxh3.h"
#include "result.h"

struct mx_cache {
	const struct mx_options *o;
	const char *kernel_dir;
	uint64_t seed; /* hash of what all runs have in common */
};

struct head {
	char magic[8];
	uint64_t key, sum;
};

static const char magic[] = "mxcache1";

/* ---- keys ---- */

static uint64_t mix(uint64_t h, const void *bytes, size_t n) {
	return XXH3_64bits_withSeed(bytes, n, h);
}

static uint64_t mix_text(uint64_t h, const char *text) {
	return mix(h, text ? text : "", text ? strlen(text) + 1 : 0);
}

/* The options that decide a verdict, beside the sizes and regime in the name of the run. */
static uint64_t options_hash(const struct mx_options *o, uint64_t h) {
	const uint64_t numbers[] = { o->seed,
		                     o->race,
		                     o->assume,
		                     o->require_proof,
		                     o->analysis,
		                     o->no_shrink,
		                     o->verbose,
		                     o->race ? o->shard : 0,
		                     o->race ? o->shards : 0 };
	h = mix(h, numbers, sizeof numbers);
	h = mix(h, &o->time_out, sizeof o->time_out);
	h = mix_text(mix_text(mix_text(h, o->races), o->schedule), o->profile);
	if (o->schedule && !mx_schedule_is_text(o->schedule))
		h = mx_hash_file(o->schedule, h);
	return o->waive ? mx_hash_file(o->waive, h) : h;
}

static int add_file(void *context, const char *path) {
	uint64_t *h = context;
	*h = mx_hash_file(path, *h);
	return 0;
}

/* False: a file of the run is not there. */
static bool key_of(const struct mx_cache *c, const struct mx_selected *run, uint64_t *key) {
	struct mx_error why;
	*key = mix_text(c->seed, run->name);
	*key = mix(*key, &run->run.tiles, sizeof run->run.tiles);
	for (unsigned i = 0; i < mx_case_steps(run->c); i++)
		*key = mix_text(*key, mx_case_kernel(run->c, run->run.variant, i));
	return !mx_case_depends(run->c, run->run.variant, c->o->code_object, c->kernel_dir,
	                        add_file, key, &why);
}

static int path_of(const struct mx_cache *c, uint64_t key, char path[4096]) {
	return snprintf(path, 4096, "%s/%016" PRIx64, c->o->cache, key) < 4096 ? 0 : -1;
}

/* ---- the folder ---- */

int mx_cache_open(const struct mx_options *o, const struct mx_device *d, const char *kernel_dir,
                  struct mx_cache **cache, struct mx_error *err) {
	if (mkdir(o->cache, 0777) && errno != EEXIST)
		return mx_fail(err, "--cache %s: %s", o->cache, strerror(errno));
	struct stat st;
	if (!stat(o->cache, &st) && !S_ISDIR(st.st_mode))
		return mx_fail(err, "--cache %s: %s", o->cache, strerror(ENOTDIR));
	if (access(o->cache, R_OK | W_OK | X_OK))
		return mx_fail(err, "--cache %s: %s", o->cache, strerror(errno));
	if (!(*cache = malloc(sizeof **cache)))
		return mx_fail(err, "out of memory");
	**cache = (struct mx_cache){ o, kernel_dir, options_hash(o, mx_build_hash(d)) };
	return 0;
}

void mx_cache_free(struct mx_cache *cache) {
	free(cache);
}

/* ---- verdicts ---- */

bool mx_cache_get(const struct mx_cache *c, struct mx_result *r) {
	enum { MOST_BYTES = 1 << 24 };
	struct mx_error why;
	struct head head;
	char path[4096];
	uint8_t *bytes;
	uint64_t key;
	size_t n;
	if (!key_of(c, r->run, &key) || path_of(c, key, path) || access(path, R_OK) ||
	    mx_file_read(path, MOST_BYTES, &bytes, &n, &why))
		return false;
	memcpy(&head, bytes, n < sizeof head ? n : sizeof head);
	bool good = n >= sizeof head && !memcmp(head.magic, magic, sizeof head.magic) &&
	            head.key == key &&
	            XXH3_64bits(bytes + sizeof head, n - sizeof head) == head.sum &&
	            mx_result_unpack(bytes + sizeof head, n - sizeof head, r);
	free(bytes);
	r->cached = good;
	return good;
}

static bool has_waived(const struct mx_verdict *v) {
	for (unsigned i = 0; i < v->n_notes; i++)
		if (!strcmp(v->notes[i].kind, "waived"))
			return true;
	return false;
}

int mx_cache_put(const struct mx_cache *c, const struct mx_result *r, struct mx_error *err) {
	struct head head = { .key = 0 };
	char path[4096];
	if (mx_result_status(r) || r->race.interrupted || has_waived(&r->verdict) ||
	    !key_of(c, r->run, &head.key) || path_of(c, head.key, path))
		return 0;
	size_t n;
	uint8_t *bytes = mx_result_pack(r, &n);
	if (!bytes)
		return mx_fail(err, "out of memory");
	memcpy(head.magic, magic, sizeof head.magic);
	head.sum = XXH3_64bits(bytes, n);
	int status = mx_files_write(
		&(struct mx_file){ path, { { &head, sizeof head }, { bytes, n } } }, 1, err);
	free(bytes);
	return status;
}
