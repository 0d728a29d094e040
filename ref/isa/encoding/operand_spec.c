/* Parses the operands in a row of gfx950.def. */
#include "operand_spec.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { NO_SADDR = 0x7f, NULL_SADDR = 0x7c };

/* ---- spelling ---- */

static const char *copy_until(const char *p, const char *ends, char *to, size_t room) {
	size_t n = strcspn(p, ends);
	size_t kept = n < room ? n : room - 1;
	memcpy(to, p, kept);
	to[kept] = 0;
	return p + n;
}

static const char *read_size(const char *p, struct mx_operand_spec *o) {
	if (*p == 'z') {
		o->size = 0;
		return p + 1;
	}
	if (*p < '0' || *p > '9')
		return p;
	for (o->size = 0; *p >= '0' && *p <= '9'; p++)
		o->size = 10 * o->size + (unsigned)(*p - '0');
	return p;
}

static const char *read_letters(const char *p, struct mx_operand_spec *o) {
	for (; *p && !strchr(" ?!", *p); p++) {
		o->neg |= *p == 'm' || *p == 'n';
		o->abs |= *p == 'm';
		o->sext |= *p == 'x';
		if (!strchr("mnx", *p))
			o->type = *p;
	}
	return p;
}

/* G of a scalar field: index modes. */
static bool is_number(const struct mx_operand_spec *o) {
	return strchr("MLKU", o->class) || !strcmp(o->field, "simm16") ||
	       (o->class == 'G' && *o->field == 's');
}

const char *mx_operand_next(const char *list, struct mx_operand_spec *o) {
	*o = (struct mx_operand_spec){ .size = 1 };
	list += strspn(list, " ");
	if (!*list)
		return NULL;
	list = copy_until(list, " :", o->field, sizeof o->field);
	o->class = *list == ':' ? list[1] : 0;
	o->is_number = is_number(o);
	if (*list != ':')
		return list;
	list = read_letters(read_size(list + 2, o), o);
	if (*list != '?' && *list != '!')
		return list;
	o->if_set = *list == '?';
	o->if_clear = *list == '!';
	return copy_until(list + 1, " ", o->condition, sizeof o->condition);
}

/* ---- in an instruction ---- */

bool mx_is_sdwa(mx_microcode format) {
	return format == MX_FORM_SDWA1 || format == MX_FORM_SDWA2 || format == MX_FORM_SDWAC;
}

unsigned mx_operand_index(const struct mx_operand_spec *o) {
	return (unsigned)(o->field[strlen(o->field) - 1] - '0');
}

int mx_bank_slot(const struct mx_isa_row *row, const struct mx_operand_spec *o) {
	static const struct {
		const char *field;
		int slot;
	} slots[] = {
		{ "src0", 0 },  { "src1", 1 },  { "src2", 2 },  { "vsrc1", 1 },
		{ "vsrc2", 2 }, { "vdst", 3 },  { "addr", 0 },  { "data0", 1 },
		{ "data1", 2 }, { "vaddr", 0 }, { "vdata", 1 },
	};
	const char *literal = strstr(mx_text(row->operands), "literal");
	if (!strncmp(mx_text(row->name), "v_wmma_ld_scale", strlen("v_wmma_ld_scale")))
		return -1;
	if (literal && strstr(literal, o->field)) /* the third source of v_fmamk */
		return 2;
	for (size_t i = 0; i < sizeof slots / sizeof *slots; i++)
		if (!strcmp(slots[i].field, o->field))
			return row->format == MX_FORM_VBUFFER && slots[i].slot == 1 ? 3
			                                                            : slots[i].slot;
	return -1;
}

bool mx_operand_is_there(mx_microcode format, const uint32_t *code,
                         const struct mx_operand_spec *o) {
	if (o->if_set || o->if_clear)
		return (mx_field(format, code, o->condition) != 0) == o->if_set;
	switch (o->class) {
	case 'F':
	case 'f': return mx_operand_dwords(format, code, o);
	case 'j': /* both or none */
		return mx_field(format, code, "vaddr2") != NULL_SADDR ||
		       mx_field(format, code, "vaddr3") != NULL_SADDR;
	default: return true;
	}
}

/* The element format of A or B of a mixed-format matrix instruction: CBSZ or BLGP, of gfx1250 the
 * formats that LLVM calls matrix_a_fmt and matrix_b_fmt. */
unsigned mx_element_format(mx_microcode format, const uint32_t *code, unsigned i) {
	if (format < MX_FORM_PACKED)
		return mx_field(format, code, i ? "blgp" : "cbsz");
	return i ? mx_field(format, code, "b_fmt_high") << 2 | mx_field(format, code, "b_fmt")
	         : mx_field(format, code, "a_fmt");
}

/* The size of A or B. A wave of 32 lanes has twice the registers of one of 64; there LLVM takes
 * both for the largest if one has no format. */
static unsigned mixed_dwords(mx_microcode format, const uint32_t *code,
                             const struct mx_operand_spec *o) {
	static const uint8_t dwords[8] = { 8, 8, 6, 6, 4, 8, 8, 8 };
	enum { FP4 = 4 };
	unsigned i = mx_operand_index(o), mine = mx_element_format(format, code, i);
	if (format < MX_FORM_PACKED)
		return dwords[mine];
	bool known = mine <= FP4 && mx_element_format(format, code, !i) <= FP4;
	return 2 * dwords[known ? mine : 0];
}

static bool has_saddr(mx_microcode format, const uint32_t *code) {
	unsigned none = format < MX_FORM_VFLAT ? NO_SADDR : NULL_SADDR;
	return mx_field(format, code, "saddr") != none;
}

unsigned mx_operand_dwords(mx_microcode format, const uint32_t *code,
                           const struct mx_operand_spec *o) {
	switch (o->class) {
	case 'A': return has_saddr(format, code) ? 1 : 2;
	case 'B': return mx_field(format, code, "offen") + mx_field(format, code, "idxen");
	case 'W': return mx_field(format, code, "sve");
	case 'O':
	case 'o':
	case 'F':
	case 'f': return has_saddr(format, code) ? o->size : 0;
	default: return o->size ? o->size : mixed_dwords(format, code, o);
	}
}

/* What the value of a field is multiplied by. */
static unsigned scale_of(const struct mx_operand_spec *o) {
	return !strcmp(o->field, "sbase") ? 2 : !strcmp(o->field, "srsrc") ? 4 : 1;
}

/* Whether the field has the number of a vector register, without the bit that makes it one. */
static bool is_vector(mx_microcode format, const struct mx_operand_spec *o) {
	bool dpp = format == MX_FORM_DPP1 || format == MX_FORM_DPP2 ||
	           (mx_adds_dpp(format) && o->field[3] == '0');
	bool nine_bits = strncmp(o->field, "src", 3) == 0 && !dpp;
	bool vector = strchr("vagGhrqQABWTtYy", o->class) && !nine_bits && o->field[1] != 'c';
	return vector || (dpp && mx_adds_dpp(format));
}

unsigned mx_operand_code(mx_microcode format, const uint32_t *code,
                         const struct mx_operand_spec *o) {
	if (o->scale && o->format == format)
		return o->scale * mx_field_at(code, o->place) + o->first;
	unsigned v = mx_field(format, code, o->field), scale = scale_of(o);
	if (scale > 1)
		return scale * v;
	if (mx_is_sdwa(format) && strstr(o->field, "src"))
		return mx_field_bit(format, code, "scalar", mx_operand_index(o)) ? v : v + MX_VGPR;
	if (format == MX_FORM_VOPD_Y && o->field[1] == 'd') /* its lowest bit is not that of X */
		v = 2 * v + !mx_field_bit(MX_FORM_VOPD_X, code, "vdst", 0);
	return is_vector(format, o) ? v + MX_VGPR : v;
}

/* The bit that selects AGPRs for an operand that may be either. */
static struct mx_field_place acc_of(mx_microcode format, const struct mx_operand_spec *o) {
	if (!strchr("gGhrqQC", o->class))
		return (struct mx_field_place){ 0 };
	if (format != MX_FORM_VOP3P && format != MX_FORM_SCALED)
		return mx_field_place(format, "acc");
	if (o->field[0] == 'v' || mx_operand_index(o) == 2)
		return mx_field_place(format, "acc_cd");
	struct mx_field_place all = mx_field_place(format, "acc");
	unsigned i = mx_operand_index(o);
	return i < all.width ? (struct mx_field_place){ (uint8_t)(all.low + i * all.stride), 1, 0 }
	                     : (struct mx_field_place){ 0 };
}

bool mx_operand_is_agpr(mx_microcode format, const uint32_t *code,
                        const struct mx_operand_spec *o) {
	bool placed = o->scale && o->format == format;
	return o->class == 'a' || mx_field_at(code, placed ? o->acc : acc_of(format, o));
}

/* ---- the list of a row ---- */

static void place(struct mx_operand_spec *o, const struct mx_isa_row *row) {
	bool simple = !mx_is_sdwa(row->format) && row->format != MX_FORM_VOPD_Y;
	o->format = row->format;
	o->place = mx_field_place(row->format, o->field);
	o->acc = acc_of(row->format, o);
	o->scale = simple ? (uint8_t)scale_of(o) : 0;
	o->first = o->scale == 1 && is_vector(row->format, o) ? MX_VGPR : 0;
	o->bank = (int8_t)mx_bank_slot(row, o);
}

static void parse(const struct mx_isa_row *row, struct mx_operand_list *all) {
	struct mx_operand_spec o;
	const char *list = mx_text(row->operands);
	for (all->n = 0; all->n < MX_LISTED && (list = mx_operand_next(list, &o)); all->n++) {
		place(&o, row);
		all->spec[all->n] = o;
	}
}

/* Of threads that parse the same row, one succeeds. */
const struct mx_operand_list *mx_operands_listed(const struct mx_encodings *e,
                                                 const struct mx_isa_row *row,
                                                 struct mx_operand_list *own) {
	_Atomic(struct mx_operand_list *) *kept = &e->lists[row - e->rows];
	struct mx_operand_list *all = atomic_load_explicit(kept, memory_order_acquire),
			       *other = NULL;
	if (all)
		return all;
	all = malloc(sizeof *all);
	parse(row, all ? all : own);
	if (all && !atomic_compare_exchange_strong(kept, &other, all)) {
		free(all);
		all = other;
	}
	return all ? all : own;
}
