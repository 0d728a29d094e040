/* The MessagePack of a metadata note, checked before msgpack-c parses it. */
#include "note.h"

#include <string.h>

bool mx_note_is(const msgpack_object *o, const char *text) {
	return o->type == MSGPACK_OBJECT_STR && o->via.str.size == strlen(text) &&
	       !memcmp(o->via.str.ptr, text, o->via.str.size);
}

const msgpack_object *mx_note_member(const msgpack_object *map, const char *key) {
	for (uint32_t i = 0; map->type == MSGPACK_OBJECT_MAP && i < map->via.map.size; i++)
		if (mx_note_is(&map->via.map.ptr[i].key, key))
			return &map->via.map.ptr[i].val;
	return NULL;
}

/* ---- the format ---- */

static uint64_t big_endian(const uint8_t *p, unsigned bytes) {
	uint64_t v = 0;
	for (unsigned i = 0; i < bytes; i++)
		v = v << 8 | p[i];
	return v;
}

/* A head byte: bytes of the count or length after it, bytes of payload without a count, and the
 * unit of the count: bytes, elements, or pairs of elements [MessagePack specification]. */
struct head {
	uint8_t length, payload, per_bytes, per_elements;
};

static struct head head_of(uint8_t c) {
	static const struct head heads[32] = {
		/* nil to true */ { 0 },
		{ 0 },
		{ 0 },
		{ 0 },
		/* bin */ { 1, 0, 1 },
		{ 2, 0, 1 },
		{ 4, 0, 1 },
		/* ext, with a byte of type */ { 1, 1, 1 },
		{ 2, 1, 1 },
		{ 4, 1, 1 },
		/* float */ { 0, 4 },
		{ 0, 8 },
		/* uint, int */ { 0, 1 },
		{ 0, 2 },
		{ 0, 4 },
		{ 0, 8 },
		{ 0, 1 },
		{ 0, 2 },
		{ 0, 4 },
		{ 0, 8 },
		/* fixext */ { 0, 2 },
		{ 0, 3 },
		{ 0, 5 },
		{ 0, 9 },
		{ 0, 17 },
		/* str */ { 1, 0, 1 },
		{ 2, 0, 1 },
		{ 4, 0, 1 },
		/* array, map */ { 2, 0, 0, 1 },
		{ 4, 0, 0, 1 },
		{ 2, 0, 0, 2 },
		{ 4, 0, 0, 2 },
	};
	return c >= 0xc0 && c < 0xe0 ? heads[c - 0xc0] : (struct head){ 0 };
}

/* Whether every array and map is complete. msgpack-c allocates as much as a count requests before
 * it reads the elements: up to gigabytes for a note of ten bytes. */
static bool counts_are_real(const uint8_t *p, uint64_t left) {
	for (uint64_t elements = 1; elements; elements--) {
		if (elements > left)
			return false;
		uint8_t c = *p++;
		struct head h = head_of(c);
		left--;
		if (left < h.length)
			return false;
		uint64_t n = big_endian(p, h.length), skip = h.payload + n * h.per_bytes;
		elements += n * h.per_elements;
		if (c >= 0x80 && c < 0xa0)
			elements += (c & 15ull) * (c < 0x90 ? 2 : 1);
		else if (c >= 0xa0 && c < 0xc0)
			skip = c & 31;
		if (left - h.length < skip)
			return false;
		p += h.length + skip;
		left -= h.length + skip;
	}
	return true;
}

bool mx_note_unpack(const void *note, size_t bytes, msgpack_unpacked *u) {
	size_t at = 0;
	msgpack_unpacked_init(u);
	return counts_are_real(note, bytes) &&
	       msgpack_unpack_next(u, note, bytes, &at) == MSGPACK_UNPACK_SUCCESS;
}
