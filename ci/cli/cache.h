/* A folder of verdicts: a run that has passed and whose inputs are the same is not done again.
 *
 * The key of a verdict is a hash of the bytes of everything that decides it: this build, the case
 * file, the code object, data files, the run's name and the options. Only passes are kept, so that
 * a failure is seen again each time. A verdict that rests on a waiver is not kept, because waivers
 * expire. */
#ifndef MX_CACHE_H
#define MX_CACHE_H

#include "report.h"

struct mx_cache;

/* Makes the folder if it is not there. 0, or -1 with err->text. */
int mx_cache_open(const struct mx_options *o, const struct mx_device *d, const char *kernel_dir,
                  struct mx_cache **cache, struct mx_error *err);
void mx_cache_free(struct mx_cache *cache);

/* Fills in r, which has its run, from the cache; false if it is not there. An entry that is damaged
 * is not there. */
bool mx_cache_get(const struct mx_cache *cache, struct mx_result *r);

/* Keeps r if it is a pass. 0, or -1 with err->text. */
int mx_cache_put(const struct mx_cache *cache, const struct mx_result *r, struct mx_error *err);

#endif
