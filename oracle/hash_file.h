/* The hash of a file. */
#ifndef MX_HASH_FILE_H
#define MX_HASH_FILE_H

#include <stdint.h>

/* XXH3_64bits of a file's bytes, with a seed. A file that cannot be read counts as empty. */
uint64_t mx_hash_file(const char *path, uint64_t seed);

#endif
