/* Compressed bundles, which clang makes with --offload-compress [Clang Offload Bundler, "Compressed
 * Offload Bundle"]: a header, and a bundle that zlib or zstd has compressed. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "elf.h"

enum { ZLIB, ZSTD }; /* methods */
enum { MOST_BYTES = 1 << 30 };

/* Version 1 has no size of the file, version 3 has 64-bit sizes. */
struct header {
	uint16_t version, method;
	uint64_t file, bundle; /* bytes; file: with this header, 0 if it is not known */
	size_t bytes;          /* of the header */
};

static uint64_t take(const uint8_t **p, size_t bytes) {
	uint64_t v = 0;
	memcpy(&v, *p, bytes);
	*p += bytes;
	return v;
}

static mx_codeobject_status invalid(struct mx_codeobject_error *why, const char *text) {
	return mx_codeobject_fail(why, MX_CODEOBJECT_INVALID, "compressed bundle: %s", text);
}

static mx_codeobject_status read_header(const uint8_t *image, size_t bytes, struct header *h,
                                        struct mx_codeobject_error *why) {
	static const size_t sizes[] = { 0, 20, 24, 32 };
	const uint8_t *p = image + 4;
	if (bytes < 8)
		return invalid(why, "truncated");
	h->version = (uint16_t)take(&p, 2);
	h->method = (uint16_t)take(&p, 2);
	if (h->version < 1 || h->version > 3)
		return mx_codeobject_fail(why, MX_CODEOBJECT_INVALID,
		                          "compressed bundle: version %u", h->version);
	h->bytes = sizes[h->version];
	if (bytes < h->bytes)
		return invalid(why, "truncated");
	size_t width = h->version == 3 ? 8 : 4;
	h->file = h->version == 1 ? 0 : take(&p, width);
	h->bundle = take(&p, width);
	if (!h->file && bytes == SIZE_MAX)
		return invalid(why, "version 1 in a program, without a size");
	h->file = h->file ? h->file : bytes;
	if (h->file > bytes || h->file < h->bytes)
		return invalid(why, "truncated");
	if (h->bundle > MOST_BYTES || h->file > MOST_BYTES)
		return invalid(why, "more than 1 GiB");
	return MX_CODEOBJECT_OK;
}

/* Whether `from` decompresses to exactly n bytes. */
static bool inflate_to(const struct header *h, const uint8_t *from, uint8_t *to) {
	size_t bytes = h->file - h->bytes;
	uLongf got = h->bundle;
	if (h->method == ZSTD)
		return ZSTD_decompress(to, h->bundle, from, bytes) == h->bundle;
	return uncompress(to, &got, from, bytes) == Z_OK && got == h->bundle;
}

mx_codeobject_status mx_bundle_decompress(const uint8_t *image, size_t bytes, uint8_t **bundle,
                                          size_t *n, struct mx_codeobject_error *why) {
	struct header h = { 0 };
	mx_codeobject_status status = read_header(image, bytes, &h, why);
	if (status)
		return status;
	if (h.method != ZLIB && h.method != ZSTD)
		return mx_codeobject_fail(
			why, MX_CODEOBJECT_INVALID,
			"compressed bundle: method %u, only zlib and zstd are known", h.method);
	*bundle = malloc(h.bundle + 1);
	if (!*bundle)
		return mx_codeobject_no_memory(why);
	*n = h.bundle;
	if (inflate_to(&h, image + h.bytes, *bundle))
		return MX_CODEOBJECT_OK;
	free(*bundle);
	*bundle = NULL;
	return invalid(why, "it does not decompress");
}
