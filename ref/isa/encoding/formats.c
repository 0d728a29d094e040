/* Finds the row of gfx950.def for an encoding, and reads and sets its fields [ISA chapter 13]. */
#include "formats.h"

#include <string.h>

static const struct mx_isa_row forms[] = {
#define MX_TEXT(format, opcode, name, suffix, operands, modifiers, zero)                           \
	{ MX_FORM_##format, opcode, MX_OP_##name, #name suffix, suffix, operands, modifiers, zero },
#include "gfx950.def"
#undef MX_TEXT
};

enum { COUNT = sizeof forms / sizeof *forms };

const struct mx_isa_row *mx_isa_row(size_t i) {
	return i < COUNT ? &forms[i] : NULL;
}

/* ---- fields: name, first bit, width, distance between the bits of a list [ISA chapter 13] ---- */

struct field {
	const char *name;
	uint8_t low, width, stride;
};

#define SCALAR_FIELDS                                                                              \
	{ "ssrc0", 0, 8 }, { "ssrc1", 8, 8 }, { "sdst", 16, 7 }, {                                 \
		"simm16", 0, 16                                                                    \
	}
#define SHORT_FIELDS                                                                               \
	{ "vsrc1", 9, 8 }, {                                                                       \
		"vdst", 17, 8                                                                      \
	}
#define VOP3_FIELDS                                                                                \
	{ "vdst", 0, 8 }, { "clamp", 15, 1 }, { "src0", 32, 9 }, { "src1", 41, 9 },                \
		{ "src2", 50, 9 }, {                                                               \
		"neg", 61, 3, 1                                                                    \
	}
#define MATRIX_FIELDS(at)                                                                          \
	{ "vdst", 0 + at, 8 }, { "cbsz", 8 + at, 3 }, { "abid", 11 + at, 4 },                      \
		{ "acc_cd", 15 + at, 1 }, { "src0", 32 + at, 9 }, { "src1", 41 + at, 9 },          \
		{ "src2", 50 + at, 9 }, { "acc", 59 + at, 2, 1 }, {                                \
		"blgp", 61 + at, 3                                                                 \
	}
#define FLAT_FIELDS                                                                                \
	{ "sc0", 16, 1 }, { "nt", 17, 1 }, { "sc1", 25, 1 }, { "addr", 32, 8 }, { "data", 40, 8 }, \
		{ "saddr", 48, 7 }, { "acc", 55, 1 }, { "vdst", 56, 8 }, {                         \
		"offset", 0, 13                                                                    \
	}
#define BUFFER_FIELDS                                                                              \
	{ "offset", 0, 12 }, { "offen", 12, 1 }, { "idxen", 13, 1 }, { "sc0", 14, 1 },             \
		{ "vaddr", 32, 8 }, { "vdata", 40, 8 }, { "srsrc", 48, 5 }, { "acc", 55, 1 }, {    \
		"soffset", 56, 8                                                                   \
	}

static const struct field scalar[] = { SCALAR_FIELDS, { NULL } };
static const struct field sop1[] = { { "ssrc0", 0, 8 }, { "sdst", 16, 7 }, { NULL } };
static const struct field smem[] = {
	{ "sbase", 0, 6 }, { "sdata", 6, 7 },    { "soe", 14, 1 },     { "glc", 16, 1 },
	{ "imm", 17, 1 },  { "offset", 32, 21 }, { "soffset", 57, 7 }, { NULL },
};
static const struct field vop[] = { { "src0", 0, 9 }, SHORT_FIELDS, { NULL } };
static const struct field sdwa[] = {
	SHORT_FIELDS,          { "src0", 32, 8 },      { "sdst", 40, 7 },
	{ "has_sdst", 47, 1 }, { "dst_sel", 40, 3 },   { "dst_unused", 43, 2 },
	{ "clamp", 45, 1 },    { "omod", 46, 2 },      { "src0_sel", 48, 3 },
	{ "src1_sel", 56, 3 }, { "sext", 51, 2, 8 },   { "neg", 52, 2, 8 },
	{ "abs", 53, 2, 8 },   { "scalar", 55, 2, 8 }, { NULL },
};
static const struct field dpp[] = {
	SHORT_FIELDS,
	{ "src0", 32, 8 },
	{ "dpp_ctrl", 40, 9 },
	{ "bound_ctrl", 51, 1 },
	{ "neg", 52, 2, 2 },
	{ "abs", 53, 2, 2 },
	{ "bank_mask", 56, 4 },
	{ "row_mask", 60, 4 },
	{ NULL },
};
static const struct field vop3[] = {
	VOP3_FIELDS,       { "sdst", 8, 7 }, { "abs", 8, 3, 1 }, { "op_sel", 11, 4, 1 },
	{ "omod", 59, 2 }, { NULL },
};
static const struct field vop3p[] = {
	VOP3_FIELDS,
	{ "abs", 8, 3, 1 },
	{ "neg_hi", 8, 3, 1 },
	{ "op_sel", 11, 3, 1 },
	{ "op_sel_hi", 59, 2, 1 },
	{ "op_sel_hi2", 14, 1 },
	{ "cbsz", 8, 3 },
	{ "abid", 11, 4 },
	{ "acc_cd", 15, 1 },
	{ "acc", 59, 2, 1 },
	{ "blgp", 61, 3 },
	{ NULL },
};
static const struct field scaled[] = {
	{ "scale0", 32, 9 },       { "scale1", 41, 9 }, { "op_sel", 11, 2, 1 },
	{ "op_sel_hi", 59, 2, 1 }, MATRIX_FIELDS(64),   { NULL },
};
static const struct field ds[] = {
	{ "offset", 0, 16 }, { "offset0", 0, 8 },
	{ "offset1", 8, 8 }, { "gds", 16, 1 },
	{ "acc", 25, 1 },    { "addr", 32, 8 },
	{ "data0", 40, 8 },  { "data1", 48, 8 },
	{ "vdst", 56, 8 },   { NULL },
};
static const struct field flat[] = { FLAT_FIELDS, { "sve", 13, 1 }, { NULL } };
static const struct field mubuf[] = {
	BUFFER_FIELDS, { "sc1", 15, 1 }, { "lds", 16, 1 }, { "nt", 17, 1 }, { NULL },
};
static const struct field mtbuf[] = {
	BUFFER_FIELDS, { "format", 19, 7 }, { "sc1", 53, 1 }, { "nt", 54, 1 }, { NULL },
};

/* The layout of each format: fields, dwords, first bit and width of the opcode. */
static const struct {
	const struct field *fields;
	uint8_t dwords, low, width;
} layouts[MX_FORMS] = {
	[MX_FORM_SOP2] = { scalar, 1, 23, 7 },   [MX_FORM_SOPK] = { scalar, 1, 23, 5 },
	[MX_FORM_SOP1] = { sop1, 1, 8, 8 },      [MX_FORM_SOPC] = { scalar, 1, 16, 7 },
	[MX_FORM_SOPP] = { scalar, 1, 16, 7 },   [MX_FORM_SMEM] = { smem, 2, 18, 8 },
	[MX_FORM_VOP2] = { vop, 1, 25, 6 },      [MX_FORM_VOP1] = { vop, 1, 9, 8 },
	[MX_FORM_VOPC] = { vop, 1, 17, 8 },      [MX_FORM_SDWA2] = { sdwa, 2, 25, 6 },
	[MX_FORM_SDWA1] = { sdwa, 2, 9, 8 },     [MX_FORM_SDWAC] = { sdwa, 2, 17, 8 },
	[MX_FORM_DPP2] = { dpp, 2, 25, 6 },      [MX_FORM_DPP1] = { dpp, 2, 9, 8 },
	[MX_FORM_VOP3] = { vop3, 2, 16, 10 },    [MX_FORM_VOP3P] = { vop3p, 2, 16, 7 },
	[MX_FORM_SCALED] = { scaled, 4, 80, 7 }, [MX_FORM_DS] = { ds, 2, 17, 8 },
	[MX_FORM_FLAT] = { flat, 2, 18, 7 },     [MX_FORM_SCRATCH] = { flat, 2, 18, 7 },
	[MX_FORM_GLOBAL] = { flat, 2, 18, 7 },   [MX_FORM_MUBUF] = { mubuf, 2, 18, 7 },
	[MX_FORM_MTBUF] = { mtbuf, 2, 15, 4 },
};

/* `width` bits of the code from bit `low`. No field crosses a dword. */
static unsigned bits(const uint32_t *code, unsigned low, unsigned width) {
	return code[low / 32] >> low % 32 & ((1u << width) - 1);
}

static const struct field *field_of(mx_microcode format, const char *name) {
	for (const struct field *f = layouts[format].fields; f->name; f++)
		if (strcmp(f->name, name) == 0)
			return f;
	return NULL;
}

unsigned mx_field(mx_microcode format, const uint32_t *code, const char *name) {
	const struct field *f = field_of(format, name);
	return f ? bits(code, f->low, f->width) : 0;
}

bool mx_field_bit(mx_microcode format, const uint32_t *code, const char *name, unsigned i) {
	const struct field *f = field_of(format, name);
	return f && i < f->width && bits(code, f->low + i * f->stride, 1);
}

size_t mx_microcode_dwords(mx_microcode format) {
	return layouts[format].dwords;
}

/* ---- rows ---- */

static const struct mx_isa_row *find(mx_microcode format, unsigned opcode) {
	size_t low = 0, high = COUNT;
	while (low < high) {
		size_t middle = (low + high) / 2;
		const struct mx_isa_row *r = &forms[middle];
		if (r->format == format && r->opcode == opcode)
			return r;
		if (r->format < format || (r->format == format && r->opcode < opcode))
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

static const struct mx_isa_row *row_in(mx_microcode format, const uint32_t *code, size_t left) {
	if (left < layouts[format].dwords)
		return NULL;
	return find(format, bits(code, layouts[format].low, layouts[format].width));
}

bool mx_isa_row_is_clear(const struct mx_isa_row *f, const uint32_t *code) {
	uint64_t q = code[0] | (layouts[f->format].dwords > 1 ? (uint64_t)code[1] << 32 : 0);
	return !(q & f->zero);
}

const struct mx_isa_row *mx_isa_row_in(mx_microcode format, const uint32_t *code, size_t left) {
	const struct mx_isa_row *f = row_in(format, code, left);
	return f && mx_isa_row_is_clear(f, code) ? f : NULL;
}

/* ---- the format of an encoding ---- */

/* Formats by the highest bits of dword 0. The first match counts. */
static const struct {
	uint32_t mask, value;
	mx_microcode format;
} prefixes[] = {
	{ 0xfe0001ff, 0x7e0000f9, MX_FORM_SDWA1 },   { 0xfe0001ff, 0x7e0000fa, MX_FORM_DPP1 },
	{ 0xfe000000, 0x7e000000, MX_FORM_VOP1 },    { 0xfe0001ff, 0x7c0000f9, MX_FORM_SDWAC },
	{ 0xfe000000, 0x7c000000, MX_FORM_VOPC },    { 0x800001ff, 0x000000f9, MX_FORM_SDWA2 },
	{ 0x800001ff, 0x000000fa, MX_FORM_DPP2 },    { 0x80000000, 0x00000000, MX_FORM_VOP2 },
	{ 0xff800000, 0xbe800000, MX_FORM_SOP1 },    { 0xff800000, 0xbf000000, MX_FORM_SOPC },
	{ 0xff800000, 0xbf800000, MX_FORM_SOPP },    { 0xf0000000, 0xb0000000, MX_FORM_SOPK },
	{ 0xc0000000, 0x80000000, MX_FORM_SOP2 },    { 0xfc000000, 0xc0000000, MX_FORM_SMEM },
	{ 0xffff0000, 0xd3ac0000, MX_FORM_SCALED },  { 0xff800000, 0xd3800000, MX_FORM_VOP3P },
	{ 0xfc000000, 0xd0000000, MX_FORM_VOP3 },    { 0xfe000000, 0xd8000000, MX_FORM_DS },
	{ 0xfc000000, 0xd8000000, MX_FORM_DS },      { 0xfc00c000, 0xdc000000, MX_FORM_FLAT },
	{ 0xfc00c000, 0xdc004000, MX_FORM_SCRATCH }, { 0xfc00c000, 0xdc008000, MX_FORM_GLOBAL },
	{ 0xfc000000, 0xe0000000, MX_FORM_MUBUF },   { 0xfc000000, 0xe8000000, MX_FORM_MTBUF },
};

/* Whether a matrix instruction follows the prefix that loads its scales. */
static bool is_scaled(const uint32_t *code, size_t left) {
	enum { ABID_0_SET = 0x0800, ABID = 0x7800 };
	return left >= 4 && code[2] >> 23 == 0xd3800000 >> 23 && (code[2] & ABID) == ABID_0_SET;
}

static bool matches(mx_microcode format, uint32_t mask, uint32_t value, const uint32_t *code,
                    size_t left) {
	return (code[0] & mask) == value && (format != MX_FORM_SCALED || is_scaled(code, left));
}

bool mx_microcode_next(const uint32_t *code, size_t left, size_t *i, mx_microcode *format) {
	for (; left && *i < sizeof prefixes / sizeof *prefixes; ++*i)
		if (matches(prefixes[*i].format, prefixes[*i].mask, prefixes[*i].value, code,
		            left)) {
			*format = prefixes[(*i)++].format;
			return true;
		}
	return false;
}

const struct mx_isa_row *mx_isa_row_of(const uint32_t *code, size_t left) {
	size_t i = 0;
	mx_microcode format;
	return mx_microcode_next(code, left, &i, &format) ? row_in(format, code, left) : NULL;
}

/* ---- encoding an instruction of a form ---- */

void mx_isa_row_blank(const struct mx_isa_row *f, uint32_t code[4]) {
	enum { MATRIX_AFTER_SCALE = 0xd3800800 };
	unsigned low = layouts[f->format].low;
	memset(code, 0, 4 * sizeof *code);
	for (size_t i = sizeof prefixes / sizeof *prefixes; i-- > 0;)
		if (prefixes[i].format == f->format)
			code[0] = prefixes[i].value;
	if (f->format == MX_FORM_SCALED)
		code[2] = MATRIX_AFTER_SCALE;
	code[low / 32] |= (uint32_t)f->opcode << low % 32;
}

bool mx_isa_row_set(const struct mx_isa_row *form, uint32_t code[4], const char *name,
                    uint32_t value) {
	const struct field *f = field_of(form->format, name);
	if (!f)
		return false;
	uint32_t mask = (1u << f->width) - 1;
	code[f->low / 32] &= ~(mask << f->low % 32);
	code[f->low / 32] |= (value & mask) << f->low % 32;
	return true;
}
