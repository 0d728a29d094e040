/* What the metadata of a code object says of a kernel's spills. */
#include "metadata.h"

#include <gelf.h>

#include "../../ref/hip/note.h"

static bool number(const msgpack_object *map, const char *key, uint64_t *n) {
	const msgpack_object *o = mx_note_member(map, key);
	bool is = o && o->type == MSGPACK_OBJECT_POSITIVE_INTEGER;
	if (is)
		*n = o->via.u64;
	return is;
}

static bool look_for(const msgpack_object *root, const char *kernel, struct mx_spills *s) {
	const msgpack_object *kernels = mx_note_member(root, "amdhsa.kernels");
	bool is = kernels && kernels->type == MSGPACK_OBJECT_ARRAY;
	for (uint32_t i = 0; is && i < kernels->via.array.size; i++) {
		const msgpack_object *k = &kernels->via.array.ptr[i];
		const msgpack_object *name = mx_note_member(k, ".name");
		if (name && mx_note_is(name, kernel))
			return number(k, ".vgpr_spill_count", &s->vgprs) &&
			       number(k, ".sgpr_spill_count", &s->sgprs);
	}
	return false;
}

static bool look_into(Elf_Data *notes, const char *kernel, struct mx_spills *s) {
	GElf_Nhdr h;
	size_t name, note;
	bool found = false;
	for (size_t at = 0; !found && (at = gelf_getnote(notes, at, &h, &name, &note));) {
		msgpack_unpacked u;
		if (h.n_type != MX_NOTE_METADATA)
			continue;
		found = mx_note_unpack((const char *)notes->d_buf + note, h.n_descsz, &u) &&
		        look_for(&u.data, kernel, s);
		msgpack_unpacked_destroy(&u);
	}
	return found;
}

bool mx_spills_of(const struct mx_codefile *f, const char *kernel, struct mx_spills *s) {
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(f->elf, scn));) {
		GElf_Shdr sh;
		Elf_Data *data = elf_getdata(scn, NULL);
		if (gelf_getshdr(scn, &sh) && sh.sh_type == SHT_NOTE && data && data->d_buf &&
		    look_into(data, kernel, s))
			return true;
	}
	return false;
}
