/* Code object bundles: what clang-offload-bundler puts into a fat binary [Clang Offload Bundler,
 * "Bundled Code Object Layout"]. */
#include <string.h>

#include "runtime.h"

#define MAGIC "__CLANG_OFFLOAD_BUNDLE__"

enum { MAGIC_BYTES = 24, ENTRY_BYTES = 24, MAX_ENTRIES = 4096, MAX_ID = 1024 };

struct entry {
	uint64_t offset, size, id_bytes;
};

/* How well an entry fits: 0 not at all; the more of its features are named, the better. Its id is
 * offload kind, triple and target: "hipv4-amdgcn-amd-amdhsa--gfx950:sramecc+:xnack-". */
static int fit(const char *id) {
	const char *arch = strstr(id, "-" MX_ARCH), *generic = strstr(id, "-gfx9-4-generic");
	const char *end = arch ? arch + strlen("-" MX_ARCH)
	                       : generic + (generic ? strlen("-gfx9-4-generic") : 0);
	if ((!arch && !generic) || (*end && *end != ':') || strstr(id, "amdgcn") == NULL ||
	    strstr(end, ":xnack+") || strstr(end, ":sramecc-"))
		return 0;
	return (arch ? 10 : 1) + (strstr(end, ":xnack-") != NULL) +
	       (strstr(end, ":sramecc+") != NULL);
}

static hipError_t find_entry(const uint8_t *image, size_t bytes, const uint8_t **elf, size_t *n) {
	uint64_t count, at = MAGIC_BYTES + 8;
	char id[MAX_ID], seen[200] = "";
	int best = 0;
	memcpy(&count, image + MAGIC_BYTES, 8);
	if (count > MAX_ENTRIES)
		return mx_hip_fail(hipErrorInvalidImage, "bundle: %llu entries",
		                   (unsigned long long)count);
	for (uint64_t i = 0; i < count; i++) {
		struct entry e;
		if (at > bytes - ENTRY_BYTES)
			return mx_hip_fail(hipErrorInvalidImage, "truncated bundle");
		memcpy(&e, image + at, sizeof e);
		at += ENTRY_BYTES;
		if (e.id_bytes >= MAX_ID || e.id_bytes > bytes - at || e.offset > bytes ||
		    e.size > bytes - e.offset)
			return mx_hip_fail(hipErrorInvalidImage, "truncated bundle");
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
	return best ? hipSuccess
	            : mx_hip_fail(hipErrorNoBinaryForGpu,
	                          "bundle has no code for " MX_FULL_ARCH ", only: %s", seen);
}

/* An ELF's own extent where nobody gives its size: the end of its section header table, which
 * the linkers in use write last. */
static size_t elf_extent(const uint8_t *p) {
	uint64_t shoff;
	uint16_t shentsize, shnum;
	memcpy(&shoff, p + 40, 8);
	memcpy(&shentsize, p + 58, 2);
	memcpy(&shnum, p + 60, 2);
	return shoff + (uint64_t)shentsize * shnum;
}

hipError_t mx_image_find(const void *image, size_t bytes, const uint8_t **elf, size_t *elf_bytes) {
	*elf = image;
	*elf_bytes = bytes;
	if (bytes >= MAGIC_BYTES + 8 && !strncmp(image, MAGIC, MAGIC_BYTES))
		return find_entry(image, bytes, elf, elf_bytes);
	if (bytes >= 4 && !strncmp(image, "CCOB", 4))
		return mx_hip_fail(hipErrorInvalidImage,
		                   "compressed bundle: unbundle it (clang-offload-bundler "
		                   "--unbundle), or build with --no-offload-compress");
	if (bytes != SIZE_MAX)
		return hipSuccess;
	if (memcmp(image, "\177ELF\2\1", 6))
		return mx_hip_fail(hipErrorInvalidImage, "not a 64-bit little-endian ELF file");
	*elf_bytes = elf_extent(image);
	return hipSuccess;
}
