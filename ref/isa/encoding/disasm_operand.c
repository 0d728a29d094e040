/* The text of operands: registers, inline constants, literals. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "disasm.h"
#include "operand_spec.h"

/* ---- constants ---- */

enum { LDS_DIRECT = 254 };
enum { FLOATS = 9, TWO_PI = FLOATS - 1 };

/* +-0.5, +-1, +-2, +-4 and 1/(2 pi), in the order of codes 240 to 248. */
static const char *const float_text[FLOATS] = { "0.5",  "-0.5", "1.0",  "-1.0",      "2.0",
	                                        "-2.0", "4.0",  "-4.0", "0.15915494" };
static const uint32_t f16[FLOATS] = { 0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000,
	                              0xc000, 0x4400, 0xc400, 0x3118 };
static const uint32_t bf16[FLOATS] = { 0x3f00, 0xbf00, 0x3f80, 0xbf80, 0x4000,
	                               0xc000, 0x4080, 0xc080, 0x3e23 };
static const uint32_t f32[FLOATS] = { 0x3f000000, 0xbf000000, 0x3f800000, 0xbf800000, 0x40000000,
	                              0xc0000000, 0x40800000, 0xc0800000, 0x3e22f983 };
/* The high dword; 1 / (2 pi) has bits in the low one. */
static const uint32_t f64[FLOATS] = { 0x3fe00000, 0xbfe00000, 0x3ff00000, 0xbff00000,
	                              0x40000000, 0xc0000000, 0x40100000, 0xc0100000 };

static bool small(int32_t v) {
	return v >= -16 && v <= 64;
}

/* The text of a float that has an inline constant, or NULL. */
static const char *inline_text(const uint32_t values[FLOATS], uint32_t v) {
	for (int i = 0; i < FLOATS; i++)
		if (v && values[i] == v)
			return float_text[i];
	return NULL;
}

static bool is_inline(unsigned code) {
	return code >= MX_INT_0 && code <= MX_FLOAT_1_2PI &&
	       (code <= MX_INT_NEG_16 || code >= MX_FLOAT_0_5);
}

static void put_inline(struct mx_text *t, unsigned code, char type) {
	unsigned i = code - MX_FLOAT_0_5;
	if (code <= MX_INT_64)
		mx_put(t, "%u", code - MX_INT_0);
	else if (code < MX_FLOAT_0_5)
		mx_put(t, "-%u", code - MX_INT_64);
	else if (type == 's' || type == 'f')
		mx_put(t, "0x%x", type == 's' ? f16[i] : f32[i]);
	else
		mx_put(t, "%s%s", float_text[i],
		       i == TWO_PI && (type == 'd' || type == 'l') ? "309189532" : "");
}

/* Whether an inline constant gives an operand of this type the same value as the literal v. */
static bool has_inline(uint32_t v, char type) {
	switch (type) {
	case 'h': return small((int16_t)v) || inline_text(f16, v & 0xffff);
	case 'b': return small((int16_t)v) || inline_text(bf16, v & 0xffff);
	case 'p': return small((int32_t)v) || inline_text(f16, v);
	case 'q': return small((int32_t)v) || inline_text(bf16, v);
	case 'l': return v <= 64;
	default: return small((int32_t)v) || inline_text(f32, v);
	}
}

/* A literal that equals an inline constant is printed as lit(), because an assembler encodes the
 * plain number as the constant. A literal of an f64 is the high dword and is printed as the
 * constant. True if it is printed as a plain number. */
static bool put_literal(struct mx_text *t, uint32_t v, char type) {
	const char *f64_text = inline_text(f64, v);
	bool half = type == 'h' || type == 's';
	if (type == 'd' && (f64_text || !v))
		mx_put(t, "%s", v ? f64_text : "0");
	else if (type != 'd' && has_inline(v, type)) {
		mx_put(t, "lit(0x%x)", v);
		return false;
	} else
		mx_put(t, "0x%x", half ? v & 0xffff : v);
	return true;
}

/* ---- registers ---- */

/* The name of a special value that every class of source accepts, or NULL. */
static const char *special(const struct mx_text *t, unsigned code, unsigned size) {
	if (code == t->set->null)
		return "null";
	if (size > 2)
		return NULL;
	switch (code) {
	case 230: return "src_flat_scratch_base_lo";
	case 231: return size == 1 ? "src_flat_scratch_base_hi" : NULL;
	case 235: return "src_shared_base";
	case 236: return "src_shared_limit";
	case 237: return "src_private_base";
	case 238: return "src_private_limit";
	case 239: return "src_pops_exiting_wave_id";
	case MX_VCCZ: return "src_vccz";
	case MX_EXECZ: return "src_execz";
	case MX_SCC: return "src_scc";
	default: return NULL;
	}
}

static void put_range(struct mx_text *t, const char *file, unsigned first, unsigned size) {
	if (size == 1)
		mx_put(t, "%s%u", file, first);
	else
		mx_put(t, "%s[%u:%u]", file, first, first + size - 1);
}

/* Pairs of SGPRs begin at an even number, larger groups at a multiple of four; the low bits of the
 * code are ignored. */
static bool put_sgprs(struct mx_text *t, unsigned code, unsigned size) {
	static const char *const names[] = { "flat_scratch", "xnack_mask", "vcc" };
	enum { TTMPS = 16 };
	unsigned align = size == 1 ? 1 : size == 2 ? 2 : 4, sgprs = t->set->sgprs;
	if (code >= sgprs && code < MX_TTMP0 && size <= 2) {
		const char *name = names[(code - MX_FLAT_SCRATCH) / 2];
		if (size == 2 && code % 2)
			return false;
		mx_put(t, "%s%s", name, size == 2 ? "" : code % 2 ? "_hi" : "_lo");
		return true;
	}
	bool ttmp = code >= MX_TTMP0;
	unsigned first = code - (ttmp ? MX_TTMP0 : 0);
	first -= first % align;
	if ((!ttmp && code >= sgprs) || first + size > (ttmp ? TTMPS : t->set->sgpr_end))
		return false;
	t->remark |= ttmp && size == 3;
	put_range(t, ttmp ? "ttmp" : "s", first, size);
	return true;
}

static bool put_exec(struct mx_text *t, unsigned code, unsigned size) {
	if (size > 2 || (size == 2 && code != MX_EXEC))
		return false;
	mx_put(t, "exec%s", size == 2 ? "" : code == MX_EXEC ? "_lo" : "_hi");
	return true;
}

/* Whether a class of operands accepts SGPRs (s), M0 (m), EXEC (e), LDS_DIRECT (l), VGPRs (v) or
 * constants (i). */
static bool class_takes(char class, char what) {
	static const char *const classes[] = {
		"nsmelvi", "ssmei", "dsme", "ese",  "ks", "lvl", "msev",   "Osme", "os", "vv",
		"Gv",      "gv",    "hv",   "rv",   "qv", "Qv",  "Vse",    "Cvi",  "av", "Tsmevi",
		"tv",      "Xsmev", "Dsm",  "Fsme", "fs", "js",  "Ysmevi", "yv"
	};
	for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
		if (classes[i][0] == class)
			return strchr(classes[i] + 1, what);
	return false;
}

/* LLVM prints a remark after an operand that its class does not accept. */
static void takes(struct mx_text *t, const struct mx_operand_spec *o, char what) {
	t->remark |= !class_takes(o->class, what);
}

/* The half of a 16-bit operand that is printed with it: bit 7 of a short format, or OP_SEL. */
static const char *half_of(struct mx_text *t, unsigned *first, const struct mx_operand_spec *o) {
	enum { HIGH_HALF = 1 << 7, DESTINATION = 3 };
	unsigned bit = strcmp(o->field, "vdst") ? mx_operand_index(o) : DESTINATION;
	bool high = *first & HIGH_HALF;
	if (o->class != 'Y' && o->class != 'y')
		return "";
	if (t->form->format == MX_FORM_VOP3)
		high = mx_text_bit(t, "op_sel", bit);
	else
		*first &= ~(unsigned)HIGH_HALF;
	return high ? ".h" : ".l";
}

/* The number of a register of another bank than 0, if there is one. */
static void put_bank(struct mx_text *t, unsigned first, const struct mx_operand_spec *o,
                     const char *half) {
	enum { BANK = 256, BANKS = 4 };
	int slot = t->banks ? mx_bank_slot(t->form, o) : -1;
	unsigned bank = slot < 0 ? 0 : t->banks >> 2 * slot & 3;
	if (!bank || BANK * bank + first + o->size > BANKS * BANK)
		return;
	mx_put(t, " /*");
	put_range(t, "v", BANK * bank + first, o->size);
	mx_put(t, "%s*/", half);
}

/* Vector registers of several dwords begin at an even number, except for lane masks, class G, and
 * AGPRs of class h. LLVM accepts groups that reach beyond VGPR 255, because other chips have more
 * VGPRs. */
static bool put_vector(struct mx_text *t, unsigned first, const struct mx_operand_spec *o,
                       bool acc) {
	bool any = o->size == 1 || strchr(acc ? "Gh" : "Gm", o->class) ||
	           (acc && strchr("rQ", o->class) && mx_text_field(t, "sc0"));
	bool no_acc = o->class == 'q' || (o->class == 'Q' && mx_text_field(t, "sc1"));
	enum { HALVES = 128 }; /* 16-bit operands of short formats can be halves of v0 to v127 */
	if ((acc && (first + o->size > 256 || no_acc)) || (o->class == 't' && first >= HALVES))
		return false;
	t->remark |= o->class == 'T' && first >= HALVES;
	t->remark |= first % 2 && !any;
	const char *half = half_of(t, &first, o);
	put_range(t, acc ? "a" : "v", first, o->size);
	mx_put(t, "%s", half);
	put_bank(t, first, o, half);
	return true;
}

/* Writes the text of an operand code; false if there is no such operand. */
static bool put_code(struct mx_text *t, unsigned code, const struct mx_operand_spec *o, bool acc) {
	const char *name = special(t, code, o->size);
	if (name) {
		mx_put(t, "%s", name);
		return true;
	}
	if (code >= MX_VGPR) {
		takes(t, o, 'v');
		return put_vector(t, code - MX_VGPR, o, acc);
	}
	if (code < MX_M0) {
		takes(t, o, 's');
		return put_sgprs(t, code, o->size);
	}
	if (code == t->set->m0 || code == LDS_DIRECT) {
		takes(t, o, code == LDS_DIRECT ? 'l' : 'm');
		mx_put(t, code == LDS_DIRECT ? "src_lds_direct" : "m0");
		return o->size == 1;
	}
	if (code < MX_INT_0) {
		takes(t, o, 'e');
		t->remark |= o->class == 'O' && code == MX_EXEC + 1; /* of scratch */
		return put_exec(t, code, o->size);
	}
	takes(t, o, 'i');
	if (!is_inline(code))
		return false;
	put_inline(t, code, o->type);
	return true;
}

/* ---- sources with modifiers ---- */

static bool accumulator(const struct mx_text *t, const struct mx_operand_spec *o) {
	return mx_operand_is_agpr(t->format, t->code, o);
}

/* The formats that have no literal. */
static bool lacks_literal(const struct mx_text *t) {
	switch (t->format) {
	case MX_FORM_SCALED:
	case MX_FORM_WMMA_SCALE:
	case MX_FORM_WMMA_SCALE16:
	case MX_FORM_VOPD3_X:
	case MX_FORM_VOPD3_Y: return true;
	default: return mx_is_sdwa(t->format) || mx_adds_dpp(t->format);
	}
}

static bool is_wide_literal(const struct mx_text *t, unsigned code) {
	return code == MX_LITERAL64 && t->set == &mx_gfx1250_encodings;
}

/* 64 bits of an operand of 64 bits; of an f64 the high dword alone, if the other one is 0. */
static void put_64_bits(struct mx_text *t, uint64_t v, char type) {
	const uint64_t two_pi = 0x3fc45f306dc9c882; /* 1 / (2 pi) */
	const char *text = (uint32_t)v ? NULL : inline_text(f64, (uint32_t)(v >> 32));
	if ((int64_t)v >= -16 && (int64_t)v < 0)
		mx_put(t, "%d", (int)(int64_t)v);
	else if (text)
		mx_put(t, "%s", text);
	else if (v == two_pi)
		put_inline(t, MX_FLOAT_1_2PI, type);
	else if (type == 'd' && !(uint32_t)v)
		mx_put(t, "0x%x", (unsigned)(v >> 32));
	else
		mx_put(t, "0x%" PRIx64, v);
}

/* A literal of 64 bits that 32 bits hold is printed as lit64(), because an assembler encodes the
 * plain number in fewer. An operand of fewer bits has its lowest, and LLVM prints the constant of
 * this value; of an i16 the constant of 32 bits. True if it is printed as a plain number. */
static bool put_wide_literal(struct mx_text *t, char type) {
	uint64_t v = mx_text_literal(t, 2);
	bool half = strchr("hb", type);
	uint32_t low = half ? v & 0xffff : (uint32_t)v;
	const uint32_t *floats = type == 'h' || type == 'p'   ? f16
	                         : type == 'b' || type == 'q' ? bf16
	                                                      : f32;
	const char *text = type == 'f' ? NULL : inline_text(floats, low);
	int32_t number = half ? (int16_t)low : (int32_t)low;
	if (!(v >> 32))
		mx_put(t, "lit64(0x%x)", (unsigned)v);
	else if (type == 'd' || type == 'l')
		put_64_bits(t, v, type);
	else if (small(number))
		mx_put(t, "%d", number);
	else if (text)
		mx_put(t, "%s", text);
	else
		mx_put(t, "0x%x", type == 's' ? low & 0xffff : low);
	return v >> 32;
}

static bool put_source(struct mx_text *t, unsigned code, const struct mx_operand_spec *o) {
	bool wide = is_wide_literal(t, code);
	if (code != MX_LITERAL && !wide)
		return put_code(t, code, o, accumulator(t, o));
	takes(t, o, 'i');
	if (lacks_literal(t) || (wide && strstr(mx_text(t->form->operands), "literal:K1")))
		return false;
	if (wide)
		put_wide_literal(t, o->type);
	else
		put_literal(t, (uint32_t)mx_text_literal(t, 1), o->type);
	return true;
}

/* Whether the operand is printed as a plain number, so that a negative sign needs neg(): -1 is
 * another constant than neg(1). */
static bool plain_number(struct mx_text *t, unsigned code, const struct mx_operand_spec *o) {
	if (is_inline(code))
		return true;
	struct mx_text probe = *t;
	char scratch[32];
	probe.text = scratch, probe.room = sizeof scratch, probe.length = 0;
	if (is_wide_literal(t, code))
		return put_wide_literal(&probe, o->type);
	if (code != MX_LITERAL)
		return false;
	return put_literal(&probe, (uint32_t)mx_text_literal(&probe, 1), o->type);
}

static void put_modified(struct mx_text *t, unsigned code, const struct mx_operand_spec *o) {
	unsigned i = o->neg || o->sext ? mx_operand_index(o) : 0;
	bool neg = o->neg && mx_text_bit(t, "neg", i);
	bool abs = o->abs && mx_text_bit(t, "abs", i);
	bool sext = o->sext && mx_text_bit(t, "sext", i);
	bool word = neg && !abs && plain_number(t, code, o);
	if (neg || abs || sext)
		mx_put(t, "%s%s%s",
		       word  ? "neg("
		       : neg ? "-"
		             : "",
		       abs ? "|" : "", sext ? "sext(" : "");
	t->invalid |= !put_source(t, code, o);
	if (abs || word || sext)
		mx_put(t, "%s%s", abs ? "|" : "", word || sext ? ")" : "");
}

/* ---- operands ---- */

/* Sets the size of a source of the mixed-format matrix instructions from its format. LLVM first
 * decodes a source of 8 dwords, so AGPRs of a smaller source must also leave room for 8. */
static void size_mixed(struct mx_text *t, struct mx_operand_spec *o) {
	unsigned i = mx_operand_index(o), code = mx_text_field(t, o->field);
	o->size = mx_operand_dwords(t->format, t->code, o);
	t->invalid |= mx_text_bit(t, "acc", i) && code - MX_VGPR + 8 > 256;
}

/* Writes an address of a buffer, of global memory or of scratch. False if the operand is no
 * address. */
static bool put_address(struct mx_text *t, struct mx_operand_spec *o) {
	if (!strchr("ABWOoFf", o->class))
		return false;
	unsigned dwords = mx_operand_dwords(t->format, t->code, o);
	bool scalar = strchr("OoFf", o->class);
	if (scalar && dwords)
		return false;
	o->size = dwords;
	o->class = t->format == MX_FORM_MTBUF ? 'G' : 'v';
	if (dwords)
		t->invalid |= !put_vector(t, mx_text_field(t, o->field), o, false);
	else
		mx_put(t, "off");
	return true;
}

/* The offset of gfx1250's SMEM: an SGPR, if it is not NULL, and a signed immediate. */
static void put_smem64_offset(struct mx_text *t, bool with_sgpr) {
	const struct mx_operand_spec sgpr = { .class = 'd', .size = 1 };
	unsigned v = mx_text_field(t, "offset"), sign = v >> 23;
	bool soe = with_sgpr && mx_text_field(t, "soffset") != t->set->null;
	if (soe)
		t->invalid |= !put_code(t, mx_text_field(t, "soffset"), &sgpr, false);
	mx_put(t, "%s%s0x%x", soe ? " offset:" : "", sign ? "-" : "", sign ? (1u << 24) - v : v);
}

/* SMEM: an immediate, an SGPR, or both. */
static void put_smem_offset(struct mx_text *t) {
	const struct mx_operand_spec sgpr = { .class = 'd', .size = 1 };
	bool soe = mx_text_field(t, "soe"), imm = mx_text_field(t, "imm");
	unsigned v = mx_text_field(t, "offset"), sign = v >> 20 & 1;
	if (soe || !imm)
		t->invalid |=
			!put_code(t, soe ? mx_text_field(t, "soffset") : v & 0x7f, &sgpr, false);
	if (imm)
		mx_put(t, "%s%s0x%x", soe ? " offset:" : "", sign ? "-" : "",
		       sign ? (1u << 21) - v : v);
}

static void put_number(struct mx_text *t, const struct mx_operand_spec *o) {
	if (o->size > 1) {
		uint64_t wide = mx_text_literal(t, o->size);
		bool high_alone = wide >> 32 && !(uint32_t)wide;
		mx_put(t, wide >> 32 ? "0x%" PRIx64 : "lit64(0x%" PRIx64 ")",
		       high_alone ? wide >> 32 : wide);
		return;
	}
	uint32_t v =
		o->field[0] == 'l' ? (uint32_t)mx_text_literal(t, 1) : mx_text_field(t, o->field);
	const char *f32_text = o->class == 'L' ? inline_text(f32, v) : NULL;
	if (o->class != 'K' && small((int32_t)v))
		mx_put(t, "%d", (int32_t)v);
	else if (f32_text)
		mx_put(t, "%s", f32_text);
	else
		mx_put(t, "0x%x", v);
}

/* Writes an operand that is neither a register nor a constant of a class. False if it is one of
 * those. */
static bool put_other(struct mx_text *t, const char *spec, const struct mx_operand_spec *o) {
	const char *kind = strchr(spec, ':');
	if (strncmp(spec, "vcc", 3) == 0)
		mx_put(t, "%s", spec);
	else if (o->class == 'V' && !mx_text_field(t, "has_sdst"))
		mx_put(t, "vcc");
	else if (strcmp(o->field, "simm16") == 0)
		mx_put_simm16(t, spec + strlen("simm16:"));
	else if (kind && strcmp(kind, ":sendmsg") == 0) /* of an SALU opcode */
		mx_put_gfx1250_name(t, "sendmsg", mx_text_field(t, o->field));
	else if (o->class == 'G' && o->field[0] == 's')
		mx_put_gpr_idx(t, mx_text_field(t, o->field));
	else if (t->format == MX_FORM_SMEM64 && strchr("MI", o->class))
		put_smem64_offset(t, o->class == 'M');
	else if (o->class == 'M')
		put_smem_offset(t);
	else if (strchr("LKU", o->class))
		put_number(t, o);
	else
		return false;
	return true;
}

void mx_put_operand(struct mx_text *t, const char *spec) {
	struct mx_operand_spec o;
	mx_operand_next(spec, &o);
	if (!mx_operand_is_there(t->format, t->code, &o))
		return;
	mx_put(t, t->listed ? ", " : " ");
	t->listed = true;
	if (put_other(t, spec, &o) || put_address(t, &o))
		return;
	if (o.size == 0)
		size_mixed(t, &o);
	if (strcmp(o.field, "vdata") == 0 && mx_text_field(t, "tfe"))
		o.size++;
	bool packed_dpp = t->form->format == MX_FORM_PACKED && mx_adds_dpp(t->format);
	if (packed_dpp && strcmp(o.field, "src1") == 0)
		o.class = 'v';
	put_modified(t, mx_operand_code(t->format, t->code, &o), &o);
}
