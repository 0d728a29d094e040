/* Finds the row of a table for an encoding, and reads and sets its fields [ISA chapter 13; of
 * gfx1250 LLVM "SIInstrFormats" and the formats beside it]. */
#include "formats.h"

#include <stddef.h>
#include <string.h>

/* ---- the tables ---- */

#define MX_TEXT(format, opcode, name, suffix, operands, modifiers, zero)                           \
	MX_TEXT_FIXED(format, opcode, name, suffix, operands, modifiers, zero, 0, 0)

/* A text of a row is a member, named by its table and its line there. */
#define JOIN(table, kind, line)   table##_##kind##_##line
#define MEMBER(table, kind, line) JOIN(table, kind, line)
struct mx_row_texts {
#define MX_TEXT_FIXED(format, opcode, name, suffix, operands, modifiers, zero, high, one)          \
	char MEMBER(TABLE, n, __LINE__)[sizeof #name suffix];                                      \
	char MEMBER(TABLE, o, __LINE__)[sizeof operands];                                          \
	char MEMBER(TABLE, m, __LINE__)[sizeof modifiers];
#define TABLE gfx950
#include "gfx950.def"
#undef TABLE
#define TABLE gfx1250
#include "gfx1250.def"
#undef TABLE
#undef MX_TEXT_FIXED
};

const struct mx_row_texts mx_row_texts = {
#define MX_TEXT_FIXED(format, opcode, name, suffix, operands, modifiers, zero, high, one)          \
#name suffix, operands, modifiers,
#include "gfx950.def"
#include "gfx1250.def"
#undef MX_TEXT_FIXED
};

#define OFFSET(kind) offsetof(struct mx_row_texts, MEMBER(TABLE, kind, __LINE__))
#define MX_TEXT_FIXED(format, opcode, name, suffix, operands, modifiers, zero, high, one)          \
	{ MX_FORM_##format, opcode,    OP(name), OFFSET(n), OFFSET(n) + sizeof #name - 1,          \
	  OFFSET(o),        OFFSET(m), zero,     high,      one },
static const struct mx_isa_row gfx950[] = {
#define TABLE    gfx950
#define OP(name) MX_OP_##name
#include "gfx950.def"
#undef TABLE
#undef OP
};

/* optable_gfx1250.c finds their opcodes. */
static const struct mx_isa_row gfx1250[] = {
#define TABLE    gfx1250
#define OP(name) MX_OPS
#include "gfx1250.def"
#undef TABLE
#undef OP
};

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
#define VOP3_MODIFIERS                                                                             \
	{ "sdst", 8, 7 }, { "abs", 8, 3, 1 }, { "op_sel", 11, 4, 1 }, { "omod", 59, 2 },           \
		{ "byte_sel", 11, 2 }, { "byte_sel_hi", 13, 2 }, {                                 \
		"scale_sel", 11, 4                                                                 \
	}
static const struct field vop3[] = { VOP3_FIELDS, VOP3_MODIFIERS, { NULL } };
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

/* gfx1250: of two fields with one name the first counts. DPP8 has its FI in the operand code that
 * selects it. */
#define DPP_FIELDS(at)                                                                             \
	{ "src0", 0 + at, 8 }, { "dpp_ctrl", 8 + at, 9 }, { "fi", 18 + at, 1 },                    \
		{ "bound_ctrl", 19 + at, 1 }, { "bank_mask", 24 + at, 4 }, {                       \
		"row_mask", 28 + at, 4                                                             \
	}
#define DPP8_FIELDS(at, code)                                                                      \
	{ "src0", 0 + at, 8 }, { "lanes", 8 + at, 24 }, {                                          \
		"fi", code + 1, 1                                                                  \
	}
#define PACKED_FIELDS(at)                                                                          \
	{ "vdst", 0 + at, 8 }, { "abs", 8 + at, 3, 1 }, { "neg_hi", 8 + at, 3, 1 },                \
		{ "op_sel", 11 + at, 3, 1 }, { "op_sel_hi2", 14 + at, 1 },                         \
		{ "clamp", 15 + at, 1 }, { "src0", 32 + at, 9 }, { "src1", 41 + at, 9 },           \
		{ "src2", 50 + at, 9 }, { "op_sel_hi", 59 + at, 2, 1 }, { "neg", 61 + at, 3, 1 },  \
		{ "index_key", 11 + at, 1 }, { "a_fmt", 11 + at, 3 },                              \
		{ "b_fmt_high", 14 + at, 1 }, {                                                    \
		"b_fmt", 59 + at, 2                                                                \
	}
#define SCALE_FIELDS                                                                               \
	{ "scale0", 32, 9 }, { "scale1", 41, 9 }, { "b_scale_fmt", 8, 2 }, { "a_scale", 11, 1 },   \
		{ "a_reuse", 13, 1 }, { "b_reuse", 14, 1 }, { "b_scale", 59, 1 }, {                \
		"a_scale_fmt", 61, 2                                                               \
	}
#define CACHE_FIELDS                                                                               \
	{ "nv", 7, 1 }, { "scale_offset", 48, 1 }, { "sve", 49, 1 }, { "scope", 50, 2 },           \
		{ "ret", 52, 1 }, { "th", 52, 3 }, { "vdst", 32, 8 }, { "vaddr", 64, 8 }, {        \
		"offset", 72, 24                                                                   \
	}

static const struct field vop_dpp[] = {
	SHORT_FIELDS, DPP_FIELDS(32), { "neg", 52, 2, 2 }, { "abs", 53, 2, 2 }, { NULL }
};
static const struct field vop_dpp8[] = { SHORT_FIELDS, DPP8_FIELDS(32, 0), { NULL } };
static const struct field vop3_dpp[] = { DPP_FIELDS(64), VOP3_FIELDS, VOP3_MODIFIERS, { NULL } };
static const struct field vop3_dpp8[] = {
	DPP8_FIELDS(64, 32), VOP3_FIELDS, VOP3_MODIFIERS, { NULL }
};
static const struct field packed_dpp[] = { DPP_FIELDS(64), PACKED_FIELDS(0), { NULL } };
static const struct field packed_dpp8[] = { DPP8_FIELDS(64, 32), PACKED_FIELDS(0), { NULL } };
static const struct field packed[] = { PACKED_FIELDS(0), SCALE_FIELDS, { NULL } };
static const struct field wmma_scale[] = { SCALE_FIELDS, PACKED_FIELDS(64), { NULL } };
static const struct field vopd_x[] = {
	{ "src0", 0, 9 }, { "vsrc1", 9, 8 }, { "vdst", 56, 8 }, { NULL }
};
static const struct field vopd_y[] = {
	{ "src0", 32, 9 }, { "vsrc1", 41, 8 }, { "vdst", 49, 7 }, { NULL }
};
static const struct field vopd3_x[] = {
	{ "src0", 0, 9 },  { "vsrc1", 48, 8 },  { "vsrc2", 56, 8 },
	{ "vdst", 64, 8 }, { "neg", 41, 3, 1 }, { NULL },
};
static const struct field vopd3_y[] = {
	{ "src0", 32, 9 }, { "vsrc1", 72, 8 },  { "vsrc2", 80, 8 },
	{ "vdst", 88, 8 }, { "neg", 44, 3, 1 }, { NULL },
};
static const struct field smem64[] = {
	{ "sbase", 0, 6 },         { "sdata", 6, 7 },    { "nv", 20, 1 },
	{ "scope", 21, 2 },        { "th", 23, 2 },      { "offset", 32, 24 },
	{ "scale_offset", 56, 1 }, { "soffset", 57, 7 }, { NULL },
};
static const struct field vds[] = {
	{ "offset", 0, 16 }, { "offset0", 0, 8 }, { "offset1", 8, 8 }, { "addr", 32, 8 },
	{ "data0", 40, 8 },  { "data1", 48, 8 },  { "vdst", 56, 8 },   { NULL },
};
static const struct field vflat[] = {
	CACHE_FIELDS, { "saddr", 0, 7 }, { "vdata", 55, 8 }, { NULL }
};
static const struct field vbuffer[] = {
	{ "soffset", 0, 7 }, { "tfe", 22, 1 },   { "vdata", 32, 8 }, { "rsrc", 41, 9 },
	{ "offen", 62, 1 },  { "idxen", 63, 1 }, CACHE_FIELDS,       { NULL },
};
static const struct field vimage[] = {
	{ "r128", 4, 1 },
	{ "vaddr0", 64, 8 },
	{ "vaddr1", 72, 8 },
	{ "vaddr2", 80, 8 },
	{ "vaddr3", 88, 8 },
	CACHE_FIELDS,
	{ NULL },
};

/* The layout of each format: fields, dwords, first bit and width of the opcode. Formats with DPP
 * have the rows of `base`, whose masks cover `fixed` dwords, if not all. */
static const struct {
	const struct field *fields;
	uint8_t dwords, low, width;
	mx_microcode base;
	uint8_t fixed;
} layouts[MX_FORMS] = {
	[MX_FORM_SOP2] = { scalar, 1, 23, 7 },
	[MX_FORM_SOPK] = { scalar, 1, 23, 5 },
	[MX_FORM_SOP1] = { sop1, 1, 8, 8 },
	[MX_FORM_SOPC] = { scalar, 1, 16, 7 },
	[MX_FORM_SOPP] = { scalar, 1, 16, 7 },
	[MX_FORM_SMEM] = { smem, 2, 18, 8 },
	[MX_FORM_VOP2] = { vop, 1, 25, 6 },
	[MX_FORM_VOP1] = { vop, 1, 9, 8 },
	[MX_FORM_VOPC] = { vop, 1, 17, 8 },
	[MX_FORM_SDWA2] = { sdwa, 2, 25, 6 },
	[MX_FORM_SDWA1] = { sdwa, 2, 9, 8 },
	[MX_FORM_SDWAC] = { sdwa, 2, 17, 8 },
	[MX_FORM_DPP2] = { dpp, 2, 25, 6 },
	[MX_FORM_DPP1] = { dpp, 2, 9, 8 },
	[MX_FORM_VOP3] = { vop3, 2, 16, 10 },
	[MX_FORM_VOP3P] = { vop3p, 2, 16, 7 },
	[MX_FORM_SCALED] = { scaled, 4, 80, 7 },
	[MX_FORM_DS] = { ds, 2, 17, 8 },
	[MX_FORM_FLAT] = { flat, 2, 18, 7 },
	[MX_FORM_SCRATCH] = { flat, 2, 18, 7 },
	[MX_FORM_GLOBAL] = { flat, 2, 18, 7 },
	[MX_FORM_MUBUF] = { mubuf, 2, 18, 7 },
	[MX_FORM_MTBUF] = { mtbuf, 2, 15, 4 },
	[MX_FORM_VOP2_DPP] = { vop_dpp, 2, 25, 6, MX_FORM_VOP2 },
	[MX_FORM_VOP1_DPP] = { vop_dpp, 2, 9, 8, MX_FORM_VOP1 },
	[MX_FORM_VOPC_DPP] = { vop_dpp, 2, 17, 8, MX_FORM_VOPC },
	[MX_FORM_VOP3_DPP] = { vop3_dpp, 3, 16, 10, MX_FORM_VOP3 },
	[MX_FORM_PACKED_DPP] = { packed_dpp, 3, 16, 8, MX_FORM_PACKED },
	[MX_FORM_VOP2_DPP8] = { vop_dpp8, 2, 25, 6, MX_FORM_VOP2, 1 },
	[MX_FORM_VOP1_DPP8] = { vop_dpp8, 2, 9, 8, MX_FORM_VOP1, 1 },
	[MX_FORM_VOPC_DPP8] = { vop_dpp8, 2, 17, 8, MX_FORM_VOPC, 1 },
	[MX_FORM_VOP3_DPP8] = { vop3_dpp8, 3, 16, 10, MX_FORM_VOP3 },
	[MX_FORM_PACKED_DPP8] = { packed_dpp8, 3, 16, 8, MX_FORM_PACKED },
	[MX_FORM_PACKED] = { packed, 2, 16, 8 },
	[MX_FORM_WMMA_SCALE] = { wmma_scale, 4, 80, 8 },
	[MX_FORM_WMMA_SCALE16] = { wmma_scale, 4, 80, 8 },
	[MX_FORM_VOPD_X] = { vopd_x, 2, 22, 4 },
	[MX_FORM_VOPD_Y] = { vopd_y, 2, 17, 5 },
	[MX_FORM_VOPD3_X] = { vopd3_x, 3, 18, 6 },
	[MX_FORM_VOPD3_Y] = { vopd3_y, 3, 12, 6 },
	[MX_FORM_SMEM64] = { smem64, 2, 13, 6 },
	[MX_FORM_VDS] = { vds, 2, 18, 8 },
	[MX_FORM_VFLAT] = { vflat, 3, 14, 8 },
	[MX_FORM_VSCRATCH] = { vflat, 3, 14, 8 },
	[MX_FORM_VGLOBAL] = { vflat, 3, 14, 8 },
	[MX_FORM_VBUFFER] = { vbuffer, 3, 14, 8 },
	[MX_FORM_VIMAGE] = { vimage, 3, 14, 8 },
};

/* `width` bits of the code from bit `low`. No field crosses a dword. */
static unsigned bits(const uint32_t *code, unsigned low, unsigned width) {
	return code[low / 32] >> low % 32 & ((1u << width) - 1);
}

static const struct field *field_of(mx_microcode format, const char *name) {
	for (const struct field *f = layouts[format].fields; f->name; f++)
		if (*f->name == *name && f->name[1] == name[1] && strcmp(f->name, name) == 0)
			return f;
	return NULL;
}

struct mx_field_place mx_field_place(mx_microcode format, const char *name) {
	const struct field *f = field_of(format, name);
	return f ? (struct mx_field_place){ f->low, f->width, f->stride }
	         : (struct mx_field_place){ 0 };
}

unsigned mx_field(mx_microcode format, const uint32_t *code, const char *name) {
	return mx_field_at(code, mx_field_place(format, name));
}

bool mx_field_bit(mx_microcode format, const uint32_t *code, const char *name, unsigned i) {
	const struct field *f = field_of(format, name);
	return f && i < f->width && bits(code, f->low + i * f->stride, 1);
}

size_t mx_microcode_dwords(mx_microcode format) {
	return layouts[format].dwords;
}

/* ---- rows ---- */

const char *mx_row_word(const char *list, char word[MX_ROW_WORD]) {
	list += strspn(list, " ");
	size_t n = strcspn(list, " "), kept = n < MX_ROW_WORD ? n : MX_ROW_WORD - 1;
	memcpy(word, list, kept);
	word[kept] = 0;
	return n ? list + kept : NULL;
}

static const struct mx_isa_row *find(const struct mx_encodings *e, mx_microcode format,
                                     unsigned opcode) {
	size_t low = 0, high = e->n_rows;
	while (low < high) {
		size_t middle = (low + high) / 2;
		const struct mx_isa_row *r = &e->rows[middle];
		if (r->format == format && r->opcode == opcode)
			return r;
		if (r->format < format || (r->format == format && r->opcode < opcode))
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

static const struct mx_isa_row *row_in(const struct mx_encodings *e, mx_microcode format,
                                       const uint32_t *code, size_t left) {
	if (left < layouts[format].dwords)
		return NULL;
	mx_microcode base = layouts[format].base;
	unsigned opcode = bits(code, layouts[format].low, layouts[format].width);
	const struct mx_isa_row *f = find(e, base ? base : format, opcode);
	return f && base && !strstr(mx_text(f->modifiers), "dpp") ? NULL : f;
}

bool mx_isa_row_is_clear(const struct mx_isa_row *f, mx_microcode format, const uint32_t *code) {
	unsigned n = layouts[format].fixed ? layouts[format].fixed : layouts[format].dwords;
	uint64_t low = code[0] | (n > 1 ? (uint64_t)code[1] << 32 : 0);
	uint64_t high = n > 2 ? code[2] | (n > 3 ? (uint64_t)code[3] << 32 : 0) : 0;
	return !(low & f->zero) && !(high & f->high) && !(~low & f->one);
}

const struct mx_isa_row *mx_isa_row_in(const struct mx_encodings *e, mx_microcode format,
                                       const uint32_t *code, size_t left) {
	const struct mx_isa_row *f = row_in(e, format, code, left);
	return f && mx_isa_row_is_clear(f, format, code) ? f : NULL;
}

/* ---- the format of an encoding ---- */

/* A format by bits of dword 0 and, if `mask2` is set, of the dword `at`. The first match counts;
 * the disassembler goes on to the next one if the text is not valid. */
struct mx_prefix {
	uint32_t mask, value;
	mx_microcode format;
	uint8_t at;
	uint32_t mask2, value2;
};

static const struct mx_prefix gfx950_prefixes[] = {
	{ 0xfe0001ff, 0x7e0000f9, MX_FORM_SDWA1 },
	{ 0xfe0001ff, 0x7e0000fa, MX_FORM_DPP1 },
	{ 0xfe000000, 0x7e000000, MX_FORM_VOP1 },
	{ 0xfe0001ff, 0x7c0000f9, MX_FORM_SDWAC },
	{ 0xfe000000, 0x7c000000, MX_FORM_VOPC },
	{ 0x800001ff, 0x000000f9, MX_FORM_SDWA2 },
	{ 0x800001ff, 0x000000fa, MX_FORM_DPP2 },
	{ 0x80000000, 0x00000000, MX_FORM_VOP2 },
	{ 0xff800000, 0xbe800000, MX_FORM_SOP1 },
	{ 0xff800000, 0xbf000000, MX_FORM_SOPC },
	{ 0xff800000, 0xbf800000, MX_FORM_SOPP },
	{ 0xf0000000, 0xb0000000, MX_FORM_SOPK },
	{ 0xc0000000, 0x80000000, MX_FORM_SOP2 },
	{ 0xfc000000, 0xc0000000, MX_FORM_SMEM },
	/* a matrix instruction follows the prefix that loads its scales; ABID is 1 */
	{ 0xffff0000, 0xd3ac0000, MX_FORM_SCALED, 2, 0xff807800, 0xd3800800 },
	{ 0xff800000, 0xd3800000, MX_FORM_VOP3P },
	{ 0xfc000000, 0xd0000000, MX_FORM_VOP3 },
	{ 0xfe000000, 0xd8000000, MX_FORM_DS },
	{ 0xfc000000, 0xd8000000, MX_FORM_DS },
	{ 0xfc00c000, 0xdc000000, MX_FORM_FLAT },
	{ 0xfc00c000, 0xdc004000, MX_FORM_SCRATCH },
	{ 0xfc00c000, 0xdc008000, MX_FORM_GLOBAL },
	{ 0xfc000000, 0xe0000000, MX_FORM_MUBUF },
	{ 0xfc000000, 0xe8000000, MX_FORM_MTBUF },
};

/* Source 0 of DPP16 is 250; of DPP8 233, or 234 with FI. */
static const struct mx_prefix gfx1250_prefixes[] = {
	{ 0xfe0001ff, 0x7e0000fa, MX_FORM_VOP1_DPP },
	{ 0xfe0001ff, 0x7e0000e9, MX_FORM_VOP1_DPP8 },
	{ 0xfe0001ff, 0x7e0000ea, MX_FORM_VOP1_DPP8 },
	{ 0xfe000000, 0x7e000000, MX_FORM_VOP1 },
	{ 0xfe0001ff, 0x7c0000fa, MX_FORM_VOPC_DPP },
	{ 0xfe0001ff, 0x7c0000e9, MX_FORM_VOPC_DPP8 },
	{ 0xfe0001ff, 0x7c0000ea, MX_FORM_VOPC_DPP8 },
	{ 0xfe000000, 0x7c000000, MX_FORM_VOPC },
	{ 0x800001ff, 0x000000fa, MX_FORM_VOP2_DPP },
	{ 0x800001ff, 0x000000e9, MX_FORM_VOP2_DPP8 },
	{ 0x800001ff, 0x000000ea, MX_FORM_VOP2_DPP8 },
	{ 0x80000000, 0x00000000, MX_FORM_VOP2 },
	{ 0xff800000, 0xbe800000, MX_FORM_SOP1 },
	{ 0xff800000, 0xbf000000, MX_FORM_SOPC },
	{ 0xff800000, 0xbf800000, MX_FORM_SOPP },
	{ 0xf0000000, 0xb0000000, MX_FORM_SOPK },
	{ 0xc0000000, 0x80000000, MX_FORM_SOP2 },
	{ 0xffff0000, 0xcc350000, MX_FORM_WMMA_SCALE, 2, 0xff000000, 0xcc000000 },
	{ 0xffff0000, 0xcc3a0000, MX_FORM_WMMA_SCALE16, 2, 0xff000000, 0xcc000000 },
	{ 0xff000000, 0xcc000000, MX_FORM_PACKED_DPP, 1, 0x1ff, 0xfa },
	{ 0xff000000, 0xcc000000, MX_FORM_PACKED_DPP8, 1, 0x1ff, 0xe9 },
	{ 0xff000000, 0xcc000000, MX_FORM_PACKED_DPP8, 1, 0x1ff, 0xea },
	{ 0xff000000, 0xcc000000, MX_FORM_PACKED },
	{ 0xfc000000, 0xd4000000, MX_FORM_VOP3_DPP, 1, 0x1ff, 0xfa },
	{ 0xfc000000, 0xd4000000, MX_FORM_VOP3_DPP8, 1, 0x1ff, 0xe9 },
	{ 0xfc000000, 0xd4000000, MX_FORM_VOP3_DPP8, 1, 0x1ff, 0xea },
	{ 0xfc000000, 0xd4000000, MX_FORM_VOP3 },
	{ 0xff000000, 0xcf000000, MX_FORM_VOPD3_X },
	{ 0xfc000000, 0xc8000000, MX_FORM_VOPD_X },
	{ 0xfc000000, 0xf4000000, MX_FORM_SMEM64 },
	{ 0xfc000000, 0xd8000000, MX_FORM_VDS },
	{ 0xff000000, 0xec000000, MX_FORM_VFLAT },
	{ 0xff000000, 0xed000000, MX_FORM_VSCRATCH },
	{ 0xff000000, 0xee000000, MX_FORM_VGLOBAL },
	{ 0xfc000000, 0xc4000000, MX_FORM_VBUFFER },
	{ 0xfc000000, 0xd0000000, MX_FORM_VIMAGE },
};

static _Atomic(struct mx_operand_list *) gfx950_lists[sizeof gfx950 / sizeof *gfx950],
	gfx1250_lists[sizeof gfx1250 / sizeof *gfx1250];

#define TABLES(rows, prefixes)                                                                     \
	rows, sizeof rows / sizeof *(rows), prefixes, sizeof prefixes / sizeof *(prefixes)

const struct mx_encodings mx_gfx950_encodings = {
	TABLES(gfx950, gfx950_prefixes), 102, 104, 124, 125, 2, false, false, .lists = gfx950_lists,
};
const struct mx_encodings mx_gfx1250_encodings = {
	TABLES(gfx1250, gfx1250_prefixes),
	106,
	106,
	125,
	124,
	1,
	true,
	true,
	MX_ASSUMES_HALF_LOADED,
	.lists = gfx1250_lists,
};

static bool matches(const struct mx_prefix *p, const uint32_t *code, size_t left) {
	return (code[0] & p->mask) == p->value &&
	       (!p->mask2 ||
	        (left >= layouts[p->format].dwords && (code[p->at] & p->mask2) == p->value2));
}

bool mx_microcode_next(const struct mx_encodings *e, const uint32_t *code, size_t left, size_t *i,
                       mx_microcode *format) {
	const struct mx_prefix *p = e->prefixes + *i, *end = e->prefixes + e->n_prefixes;
	while (left && p < end && !matches(p, code, left))
		p++;
	*i = (size_t)(p - e->prefixes) + 1;
	if (!left || p == end)
		return false;
	*format = p->format;
	return true;
}

const struct mx_isa_row *mx_isa_row_of(const struct mx_encodings *e, const uint32_t *code,
                                       size_t left) {
	size_t i = 0;
	mx_microcode format;
	return mx_microcode_next(e, code, left, &i, &format) ? row_in(e, format, code, left) : NULL;
}

/* ---- encoding an instruction of a form ---- */

void mx_isa_row_blank(const struct mx_encodings *e, const struct mx_isa_row *f, uint32_t code[4]) {
	unsigned low = layouts[f->format].low;
	memset(code, 0, 4 * sizeof *code);
	for (size_t i = e->n_prefixes; i-- > 0;)
		if (e->prefixes[i].format == f->format) {
			code[0] = e->prefixes[i].value;
			code[e->prefixes[i].at] |= e->prefixes[i].value2;
		}
	code[0] |= (uint32_t)f->one;
	code[1] |= (uint32_t)(f->one >> 32);
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
