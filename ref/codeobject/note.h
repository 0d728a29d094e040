/* The MessagePack of a code object's metadata note [LLVM "Code Object V3 and Above Metadata"]. */
#ifndef MX_NOTE_H
#define MX_NOTE_H

#include <msgpack.h>
#include <stdbool.h>
#include <stddef.h>

enum { MX_NOTE_METADATA = 32 }; /* the type of the ELF note; its name is AMDGPU */

/* False if it is not MessagePack, or a count exceeds its elements. In both cases
 * msgpack_unpacked_destroy frees u. */
bool mx_note_unpack(const void *note, size_t bytes, msgpack_unpacked *u);

bool mx_note_is(const msgpack_object *o, const char *text);
/* NULL: `map` is not a map, or lacks the key. */
const msgpack_object *mx_note_member(const msgpack_object *map, const char *key);

#endif
