/* Code object bundles, which clang-offload-bundler puts into a fat binary [Clang Offload Bundler,
 * "Bundled Code Object Layout"]. */
#include <string.h>

#include "elf.h"

#define MAGIC "__CLANG_OFFLOAD_BUNDLE__"

enum { MAGIC_BYTES = 24, ENTRY_BYTES = 24, MAX_ENTRIES = 4096, MAX_ID = 1024, FEATURES = 9 };

struct entry {
	uint64_t offset, size, id_bytes;
};

static int fit_features(const char *features) {
	if ((*features && *features != ':') || strstr(features, ":xnack+") ||
	    strstr(features, ":sramecc-"))
		return 0;
	return 1 + (strstr(features, ":xnack-") != NULL) + (strstr(features, ":sramecc+") != NULL);
}

/* How well an entry fits: 0 not at all; best if it is for the device itself; higher if its id names
 * more features. An id is offload kind, triple and target:
 * "hipv4-amdgcn-amd-amdhsa--gfx950:sramecc+:xnack-". */
static int fit(const char *id) {
	int best = 0;
	for (const struct mx_target *t = mx_targets; t->name; t++) {
		const char *at = mx_target_runs(t) ? strstr(id, t->name) : NULL;
		if (!at || at == id || at[-1] != '-' || !strstr(id, "amdgcn"))
			continue;
		int features = fit_features(at + strlen(t->name));
		int all = features && !strcmp(t->name, mx_architecture()->name)
		                  ? features + FEATURES
		                  : features;
		best = all > best ? all : best;
	}
	return best;
}

static mx_codeobject_status find_entry(const uint8_t *image, size_t bytes, const uint8_t **elf,
                                       size_t *n, struct mx_codeobject_error *why) {
	uint64_t count, at = MAGIC_BYTES + 8;
	char id[MAX_ID], seen[200] = "";
	int best = 0;
	memcpy(&count, image + MAGIC_BYTES, 8);
	if (count > MAX_ENTRIES)
		return mx_codeobject_fail(why, MX_CODEOBJECT_INVALID, "bundle: %llu entries",
		                          (unsigned long long)count);
	for (uint64_t i = 0; i < count; i++) {
		struct entry e;
		if (at > bytes - ENTRY_BYTES)
			return mx_codeobject_fail(why, MX_CODEOBJECT_INVALID, "truncated bundle");
		memcpy(&e, image + at, sizeof e);
		at += ENTRY_BYTES;
		if (e.id_bytes >= MAX_ID || e.id_bytes > bytes - at || e.offset > bytes ||
		    e.size > bytes - e.offset)
			return mx_codeobject_fail(why, MX_CODEOBJECT_INVALID, "truncated bundle");
		memcpy(id, image + at, e.id_bytes);
		id[e.id_bytes] = 0;
		at += e.id_bytes;
		strncat(seen, seen[0] ? ", " : "", sizeof seen - strlen(seen) - 1);
		strncat(seen, id, sizeof seen - strlen(seen) - 1);
		if (fit(id) > best) {
			best = fit(id);
			*elf = image + e.offset;
			*n = e.size;
		}
	}
	return best ? MX_CODEOBJECT_OK
	            : mx_codeobject_fail(why, MX_CODEOBJECT_OTHER_DEVICE,
	                                 "bundle has no code for %s, only: %s",
	                                 mx_architecture()->full_name, seen);
}

/* The size of an ELF of unknown size: the end of its section header table, which the linkers in use
 * write last. */
static size_t elf_extent(const uint8_t *p) {
	uint64_t shoff;
	uint16_t shentsize, shnum;
	memcpy(&shoff, p + 40, 8);
	memcpy(&shentsize, p + 58, 2);
	memcpy(&shnum, p + 60, 2);
	return shoff + (uint64_t)shentsize * shnum;
}

/* Reads only up to the first byte that differs: an image of unknown size may be short. */
static bool begins(const uint8_t *image, size_t bytes, const char *magic) {
	size_t n = strlen(magic);
	return bytes >= n && !strncmp((const char *)image, magic, n);
}

bool mx_bundle_is_compressed(const uint8_t *image, size_t bytes) {
	return begins(image, bytes, "CCOB");
}

mx_codeobject_status mx_bundle_find(const uint8_t *image, size_t bytes, const uint8_t **elf,
                                    size_t *elf_bytes, struct mx_codeobject_error *why) {
	*elf = image;
	*elf_bytes = bytes;
	if (begins(image, bytes, MAGIC) && bytes >= MAGIC_BYTES + 8)
		return find_entry(image, bytes, elf, elf_bytes, why);
	if (bytes != SIZE_MAX)
		return MX_CODEOBJECT_OK;
	if (memcmp(image, "\177ELF\2\1", 6))
		return mx_codeobject_fail(why, MX_CODEOBJECT_INVALID,
		                          "not a 64-bit little-endian ELF file");
	*elf_bytes = elf_extent(image);
	return MX_CODEOBJECT_OK;
}
