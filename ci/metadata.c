/* What the metadata of a code object says of a kernel's spills: two numbers of a map in
 * MessagePack, in an ELF note [LLVM "Code Object V3 and Above Metadata"; MessagePack
 * specification]. */
#include "metadata.h"

#include <gelf.h>
#include <string.h>

enum { NOTE_METADATA = 32 };

/* ---- MessagePack ---- */

struct reader {
	const uint8_t *at, *end;
};

struct item {
	enum { OTHER, NUMBER, STRING, ARRAY, MAP } kind;
	uint64_t n; /* the number; bytes of a string; elements, or pairs of them */
	const char *text;
};

static bool is_left(const struct reader *r, uint64_t bytes) {
	return bytes <= (uint64_t)(r->end - r->at);
}

static uint64_t big_endian(struct reader *r, unsigned bytes) {
	uint64_t v = 0;
	while (bytes--)
		v = v << 8 | *r->at++;
	return v;
}

/* Heads 0xc0 to 0xdf: what they begin, bytes of the number behind the head, and bytes more; those
 * of OTHER are as many as the number says, too, where there is one. */
/* clang-format off */
static const struct {
	uint8_t kind, number, more;
} heads[32] = {
	{ 0 },           { 0 },           { 0 },           { 0 },            /* nil to true */
	{ OTHER, 1, 0 }, { OTHER, 2, 0 }, { OTHER, 4, 0 },                   /* bin */
	{ OTHER, 1, 1 }, { OTHER, 2, 1 }, { OTHER, 4, 1 },                   /* ext */
	{ OTHER, 0, 4 }, { OTHER, 0, 8 },                                    /* float */
	{ NUMBER, 1 },   { NUMBER, 2 },   { NUMBER, 4 },   { NUMBER, 8 },    /* uint */
	{ OTHER, 0, 1 }, { OTHER, 0, 2 }, { OTHER, 0, 4 }, { OTHER, 0, 8 },  /* int */
	{ OTHER, 0, 2 }, { OTHER, 0, 3 }, { OTHER, 0, 5 }, { OTHER, 0, 9 }, { OTHER, 0, 17 }, /* fixext */
	{ STRING, 1 },   { STRING, 2 },   { STRING, 4 },                     /* str */
	{ ARRAY, 2 },    { ARRAY, 4 },    { MAP, 2 },      { MAP, 4 },
};
/* clang-format on */

static bool read_long(struct reader *r, uint8_t c, struct item *i) {
	unsigned k = c - 0xc0u;
	if (!is_left(r, heads[k].number))
		return false;
	*i = (struct item){ .kind = heads[k].kind, .n = big_endian(r, heads[k].number) };
	uint64_t bytes = heads[k].more + (i->kind == OTHER ? i->n : 0);
	if (!is_left(r, bytes))
		return false;
	r->at += bytes;
	return true;
}

/* The next item: of an array or a map its head alone. */
static bool read_item(struct reader *r, struct item *i) {
	if (!is_left(r, 1))
		return false;
	uint8_t c = *r->at++;
	if (c < 0x80)
		*i = (struct item){ .kind = NUMBER, .n = c };
	else if (c < 0x90)
		*i = (struct item){ .kind = MAP, .n = c & 15 };
	else if (c < 0xa0)
		*i = (struct item){ .kind = ARRAY, .n = c & 15 };
	else if (c < 0xc0)
		*i = (struct item){ .kind = STRING, .n = c & 31 };
	else if (c >= 0xe0)
		*i = (struct item){ .kind = OTHER };
	else if (!read_long(r, c, i))
		return false;
	if (i->kind != STRING)
		return true;
	if (!is_left(r, i->n))
		return false;
	i->text = (const char *)r->at;
	r->at += i->n;
	return true;
}

/* Goes past what an item holds. */
static bool skip_inside(struct reader *r, const struct item *i) {
	uint64_t left = i->kind == ARRAY ? i->n : i->kind == MAP ? 2 * i->n : 0;
	for (struct item x; left; left += x.kind == ARRAY ? x.n : x.kind == MAP ? 2 * x.n : 0) {
		if (!read_item(r, &x))
			return false;
		left--;
	}
	return true;
}

static bool is_text(const struct item *i, const char *text) {
	return i->kind == STRING && i->n == strlen(text) && !memcmp(i->text, text, i->n);
}

/* ---- the metadata ---- */

/* One kernel; *found where it has this name and tells of its spills. False where it is broken. */
static bool read_kernel(struct reader *r, const struct item *map, const char *name,
                        struct mx_spills *s, bool *found) {
	bool named = false, vgprs = false, sgprs = false;
	struct mx_spills here = { 0 };
	for (uint64_t k = 0; map->kind == MAP && k < map->n; k++) {
		struct item key, value;
		if (!read_item(r, &key) || !skip_inside(r, &key) || !read_item(r, &value) ||
		    !skip_inside(r, &value))
			return false;
		named |= is_text(&key, ".name") && is_text(&value, name);
		if (is_text(&key, ".vgpr_spill_count") && value.kind == NUMBER)
			here.vgprs = value.n, vgprs = true;
		if (is_text(&key, ".sgpr_spill_count") && value.kind == NUMBER)
			here.sgprs = value.n, sgprs = true;
	}
	if (!named || !vgprs || !sgprs)
		return true;
	*s = here;
	*found = true;
	return true;
}

static bool read_root(struct reader r, const char *name, struct mx_spills *s) {
	struct item root, key, value, kernel;
	bool found = false;
	if (!read_item(&r, &root) || root.kind != MAP)
		return false;
	for (uint64_t k = 0; k < root.n && !found; k++) {
		if (!read_item(&r, &key) || !skip_inside(&r, &key) || !read_item(&r, &value))
			return false;
		bool kernels = is_text(&key, "amdhsa.kernels") && value.kind == ARRAY;
		if (!kernels && !skip_inside(&r, &value))
			return false;
		for (uint64_t i = 0; kernels && i < value.n && !found; i++) {
			if (!read_item(&r, &kernel) ||
			    (kernel.kind == MAP ? !read_kernel(&r, &kernel, name, s, &found)
			                        : !skip_inside(&r, &kernel)))
				return false;
		}
	}
	return found;
}

static bool look_into(Elf_Data *notes, const char *kernel, struct mx_spills *s) {
	GElf_Nhdr h;
	size_t name, note;
	for (size_t at = 0; (at = gelf_getnote(notes, at, &h, &name, &note));) {
		const uint8_t *bytes = (const uint8_t *)notes->d_buf + note;
		if (h.n_type == NOTE_METADATA &&
		    read_root((struct reader){ bytes, bytes + h.n_descsz }, kernel, s))
			return true;
	}
	return false;
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
