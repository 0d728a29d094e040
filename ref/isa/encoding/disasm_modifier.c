/* The text of modifiers. */
#include <stdlib.h>
#include <string.h>

#include "disasm.h"

/* ---- lists of bits: op_sel, op_sel_hi, neg_lo, neg_hi ---- */

/* Bit i of a list. The destination's OP_SEL is bit 3. Bit 2 of OP_SEL_HI is a separate field. */
static bool list_bit(const struct mx_text *t, const char *name, unsigned i, unsigned sources) {
	if (strcmp(name, "op_sel") == 0 && i == sources)
		return mx_text_bit(t, name, 3);
	if (strcmp(name, "op_sel_hi") == 0 && i == 2)
		return mx_text_field(t, "op_sel_hi2");
	return mx_text_bit(t, strcmp(name, "neg_lo") == 0 ? "neg" : name, i);
}

/* A list is printed unless all bits have their default: ones, if the list ends in p. VOP3's op_sel
 * also has a bit of the destination, or none (n), or a zero in its place (z); d: that bit alone,
 * and zeros. */
static void put_list(struct mx_text *t, const char *name, unsigned sources, char end) {
	bool dst = t->form->format == MX_FORM_VOP3 && strcmp(name, "op_sel") == 0 &&
	           !strchr("nz", end);
	unsigned n = sources + dst, first = end == 'd' ? sources : 0, different = 0;
	for (unsigned i = first; i < n; i++)
		different += list_bit(t, name, i, sources) != (end == 'p');
	if (!different)
		return;
	mx_put(t, " %s:[", name);
	for (unsigned i = 0; i < n; i++)
		mx_put(t, "%s%d", i ? "," : "", i >= first && list_bit(t, name, i, sources));
	mx_put(t, end == 'z' ? ",0]" : "]");
}

/* ---- DPP ---- */

static void put_quad_perm(struct mx_text *t, unsigned v) {
	mx_put(t, " quad_perm:[%u,%u,%u,%u]", v & 3, v >> 2 & 3, v >> 4 & 3, v >> 6 & 3);
}

/* DPP_CTRL [ISA table of DPP_CTRL]. f64 has only the broadcast of a lane to its row. */
void mx_put_dpp(struct mx_text *t, const char *name) {
	static const struct {
		unsigned first, last;
		const char *text; /* a format for the low 4 bits, or a plain text */
		const struct mx_encodings *only;
	} controls[] = {
		{ 0x101, 0x10f, " row_shl:%u", NULL },
		{ 0x111, 0x11f, " row_shr:%u", NULL },
		{ 0x121, 0x12f, " row_ror:%u", NULL },
		{ 0x130, 0x130, " wave_shl:1", &mx_gfx950_encodings },
		{ 0x134, 0x134, " wave_rol:1", &mx_gfx950_encodings },
		{ 0x138, 0x138, " wave_shr:1", &mx_gfx950_encodings },
		{ 0x13c, 0x13c, " wave_ror:1", &mx_gfx950_encodings },
		{ 0x140, 0x140, " row_mirror", NULL },
		{ 0x141, 0x141, " row_half_mirror", NULL },
		{ 0x142, 0x142, " row_bcast:15", &mx_gfx950_encodings },
		{ 0x143, 0x143, " row_bcast:31", &mx_gfx950_encodings },
		{ 0x150, 0x15f, " row_newbcast:%u", &mx_gfx950_encodings },
		{ 0x150, 0x15f, " row_share:%u", &mx_gfx1250_encodings },
		{ 0x160, 0x16f, " row_xmask:%u", &mx_gfx1250_encodings },
	};
	enum { QUAD_PERM_LAST = 0xff, NEWBCAST = 0x150 };
	bool f64 = strcmp(name, "dpp64") == 0;
	unsigned v = mx_text_field(t, "dpp_ctrl");
	bool known = v <= QUAD_PERM_LAST && !f64;
	if (known)
		put_quad_perm(t, v);
	for (size_t i = 0; i < sizeof controls / sizeof *controls; i++)
		if (v >= controls[i].first && v <= controls[i].last &&
		    (!controls[i].only || controls[i].only == t->set) &&
		    (!f64 || controls[i].first == NEWBCAST)) {
			mx_put(t, controls[i].text, v & 15);
			known = true;
		}
	t->remark |= !known;
	mx_put(t, " row_mask:0x%x bank_mask:0x%x%s", mx_text_field(t, "row_mask"),
	       mx_text_field(t, "bank_mask"),
	       mx_text_field(t, "bound_ctrl") ? " bound_ctrl:1" : "");
}

/* ---- SDWA ---- */

enum { DWORD = 6 }; /* a selection */

static void put_select(struct mx_text *t, const char *name) {
	static const char *const selects[] = { "BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3",
		                               "WORD_0", "WORD_1", "DWORD" };
	unsigned v = mx_text_field(t, name);
	if (v < sizeof selects / sizeof *selects)
		mx_put(t, " %s:%s", name, selects[v]);
	else
		t->invalid = true;
}

static void put_dst_unused(struct mx_text *t, const char *name) {
	static const char *const uses[] = { "UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE" };
	unsigned v = mx_text_field(t, name);
	if (v < sizeof uses / sizeof *uses)
		mx_put(t, " dst_unused:%s", uses[v]);
	else
		t->invalid = true;
}

/* ---- DS_SWIZZLE ---- */

/* The effect on each bit of the lane number: 0, 1, preserved or inverted. */
static void put_bitmask(struct mx_text *t, unsigned and, unsigned or, unsigned xor) {
	mx_put(t, "swizzle(BITMASK_PERM,\"");
	for (unsigned bit = 16; bit; bit >>= 1) {
		unsigned zero = (or ^xor) & bit, one = ((and | or) ^ xor) & bit;
		mx_put(t, "%c", zero == one ? (zero ? '1' : '0') : zero ? 'i' : 'p');
	}
	mx_put(t, "\")");
}

static bool is_power_of_two(unsigned v) {
	return v && !(v & (v - 1));
}

static void put_swizzle(struct mx_text *t, const char *name) {
	enum { LANES = 0x1f, QUAD_PERM = 0x80, ROTATE = 6, FFT = 7 };
	(void)name;
	unsigned v = mx_text_field(t, "offset");
	unsigned and = v & LANES, or = v >> 5 & LANES, xor = v >> 10 & LANES,
		 group = LANES + 1 - and;
	if (!v)
		return;
	mx_put(t, " offset:");
	if (v >> 13 == FFT)
		mx_put(t, "swizzle(FFT,%u)", v & LANES);
	else if (v >> 13 == ROTATE)
		mx_put(t, "swizzle(ROTATE,%u,%u)", v >> 10 & 1, v >> 5 & LANES);
	else if (v >> 8 == QUAD_PERM)
		mx_put(t, "swizzle(QUAD_PERM,%u,%u,%u,%u)", v & 3, v >> 2 & 3, v >> 4 & 3,
		       v >> 6 & 3);
	else if (v >> 15)
		mx_put(t, "%u", v);
	else if (and == LANES && ! or &&is_power_of_two(xor))
		mx_put(t, "swizzle(SWAP,%u)", xor);
	else if (and == LANES && ! or &&xor&&is_power_of_two(xor+1))
		mx_put(t, "swizzle(REVERSE,%u)", xor+1);
	else if (group > 1 && is_power_of_two(group) && or < group && !xor)
		mx_put(t, "swizzle(BROADCAST,%u,%u)", group, or);
	else
		put_bitmask(t, and, or, xor);
}

/* ---- other modifiers ---- */

/* The offset of FLAT is unsigned; the offsets of GLOBAL and SCRATCH are signed, and of gfx1250 that
 * of FLAT too. */
static void put_offset(struct mx_text *t, const char *name) {
	mx_microcode form = t->form->format;
	int v = (int)mx_text_field(t, name);
	int sign = form == MX_FORM_GLOBAL || form == MX_FORM_SCRATCH  ? 1 << 12
	           : form >= MX_FORM_VFLAT && form <= MX_FORM_VGLOBAL ? 1 << 23
	                                                              : 0;
	if (v & sign)
		v -= 2 * sign;
	if (v)
		mx_put(t, " offset:%d", v);
}

static void put_omod(struct mx_text *t, const char *name) {
	static const char *const factors[] = { "", " mul:2", " mul:4", " div:2" };
	mx_put(t, "%s", factors[mx_text_field(t, name)]);
}

/* The truth table has the bits of OMOD, ABS and NEG. */
static void put_bitop3(struct mx_text *t, const char *name) {
	unsigned v = t->format == MX_FORM_VOPD3_Y
	                     ? mx_text_field(t, "vsrc2")
	                     : mx_text_field(t, "omod") << 6 | mx_text_field(t, "abs") << 3 |
	                               mx_text_field(t, "neg");
	if (v)
		mx_put(t, v <= 10 ? " %s:%u" : " %s:0x%x", name, v);
}

static void put_nonzero(struct mx_text *t, const char *name) {
	unsigned v = mx_text_field(t, name);
	if (v)
		mx_put(t, " %s:%u", name, v);
}

/* OP_SEL of v_permlane*_swap. */
static void put_fetch(struct mx_text *t, const char *name) {
	(void)name;
	mx_put(t, "%s%s", mx_text_bit(t, "op_sel", 1) ? " bound_ctrl:1" : "",
	       mx_text_bit(t, "op_sel", 0) ? " fi:1" : "");
}

static void put_neg(struct mx_text *t, const char *name) {
	unsigned v = mx_text_field(t, "blgp");
	if (v)
		mx_put(t, " %s:[%u,%u,%u]", name, v & 1, v >> 1 & 1, v >> 2);
}

static void put_endpgm(struct mx_text *t, const char *name) {
	unsigned v = mx_text_field(t, name);
	if (v)
		mx_put(t, " %u", v);
}

static void put_offsets(struct mx_text *t, const char *name) {
	(void)name;
	put_nonzero(t, "offset0");
	put_nonzero(t, "offset1");
}

static void put_format(struct mx_text *t, const char *name) {
	mx_put_format(t, mx_text_field(t, name));
}

/* A bit that is printed as its name. */
static void put_bit(struct mx_text *t, const char *name) {
	if (mx_text_field(t, name))
		mx_put(t, " %s", name);
}

/* A load to LDS has no data register, so ACC must be clear. */
static void put_lds(struct mx_text *t, const char *name) {
	t->invalid |= mx_text_field(t, name) && mx_text_field(t, "acc");
	put_bit(t, name);
}

/* Instructions of the global wave sync require GDS. */
static void put_gds(struct mx_text *t, const char *name) {
	t->invalid |= !mx_text_field(t, name);
	put_bit(t, name);
}

static void check_dword(struct mx_text *t, const char *name) {
	(void)name;
	t->invalid |= mx_text_field(t, "dst_sel") != DWORD;
}

static const struct {
	const char *name;
	void (*put)(struct mx_text *t, const char *name);
} modifiers[] = {
	{ "abid", put_nonzero },     { "bitop3", put_bitop3 },
	{ "blgp", put_nonzero },     { "cbsz", put_nonzero },
	{ "clamp", put_bit },        { "dpp", mx_put_dpp },
	{ "dpp64", mx_put_dpp },     { "dst_dword", check_dword },
	{ "dst_sel", put_select },   { "dst_unused", put_dst_unused },
	{ "fi", put_fetch },         { "format", put_format },
	{ "gds", put_gds },          { "glc", put_bit },
	{ "idxen", put_bit },        { "lds", put_lds },
	{ "neg", put_neg },          { "nt", put_bit },
	{ "offen", put_bit },        { "offset", put_offset },
	{ "offset01", put_offsets }, { "omod", put_omod },
	{ "nv", put_bit },           { "r128", put_bit },
	{ "sc0", put_bit },          { "sc1", put_bit },
	{ "scale_offset", put_bit }, { "tfe", put_bit },
	{ "simm16", put_endpgm },    { "src0_sel", put_select },
	{ "src1_sel", put_select },  { "swizzle", put_swizzle },
};

void mx_put_modifier(struct mx_text *t, const char *word) {
	const char *colon = strchr(word, ':');
	char name[16] = "";
	strncat(name, word, colon ? (size_t)(colon - word) : sizeof name - 1);
	if (colon) {
		put_list(t, name, (unsigned)atoi(colon + 1), word[strlen(word) - 1]);
		return;
	}
	if (t->set == &mx_gfx1250_encodings && mx_put_gfx1250_modifier(t, word))
		return;
	for (size_t i = 0; i < sizeof modifiers / sizeof *modifiers; i++)
		if (strcmp(modifiers[i].name, word) == 0)
			modifiers[i].put(t, word);
}
