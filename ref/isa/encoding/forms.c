/* Every form of every opcode of an instruction set, with a valid encoding as a sample. */
#include "forms.h"

#include <stdio.h>
#include <string.h>

#include "formats.h"
#include "hwreg.h"
#include "instruction_set.h"

/* In the order of mx_microcode. */
static const char *const formats[MX_FORMS] = {
	"SOP2",
	"SOPK",
	"SOP1",
	"SOPC",
	"SOPP",
	"SMEM",
	"VOP2",
	"VOP1",
	"VOPC",
	"SDWA2",
	"SDWA1",
	"SDWAC",
	"DPP2",
	"DPP1",
	"VOP3",
	"VOP3P",
	"SCALED",
	"DS",
	"FLAT",
	"SCRATCH",
	"GLOBAL",
	"MUBUF",
	"MTBUF",
	[MX_FORM_PACKED] = "VOP3P",
	[MX_FORM_WMMA_SCALE] = "WMMA",
	[MX_FORM_WMMA_SCALE16] = "WMMA",
	[MX_FORM_VOPD_X] = "VOPD",
	[MX_FORM_VOPD_Y] = "VOPD",
	[MX_FORM_VOPD3_X] = "VOPD3",
	[MX_FORM_VOPD3_Y] = "VOPD3",
	[MX_FORM_SMEM64] = "SMEM",
	[MX_FORM_VDS] = "DS",
	[MX_FORM_VFLAT] = "FLAT",
	[MX_FORM_VSCRATCH] = "SCRATCH",
	[MX_FORM_VGLOBAL] = "GLOBAL",
	[MX_FORM_VBUFFER] = "BUFFER",
	[MX_FORM_VIMAGE] = "TENSOR",
};

/* ---- plain operands ---- */

enum {
	SGPR = 16, /* a valid first register of any group */
	VGPR = 256,
	VDST = 16, /* not a source register */
	CONSTANT_0 = 128,
	NO_SADDR = 0x7f,
	NULL_SADDR = 0x7c, /* of gfx1250 */
	ROW_NEWBCAST = 0x150,
};

/* v_dual_mov_b32 as the first of two operations. */
#define DUAL_MOVE  0xca000000
#define DUAL_MOVE3 0xcf200000

static bool is_second(const struct mx_isa_row *row) {
	return row->format == MX_FORM_VOPD_Y || row->format == MX_FORM_VOPD3_Y;
}

/* Sets the fields with a plain value other than 0, in rows that list the operand or modifier. */
static void set_fields(const struct mx_isa_row *row, uint32_t code[4]) {
	static const struct {
		const char *name, *listed;
		uint32_t value;
	} plain[] = {
		{ "dst_sel", "dst_", 6 },         { "src0_sel", "src0_sel", 6 },
		{ "src1_sel", "src1_sel", 6 },    { "dpp_ctrl", "dpp", 0xe4 },
		{ "row_mask", "dpp", 15 },        { "bank_mask", "dpp", 15 },
		{ "imm", "offset:M", 1 },         { "soffset", "soffset", CONSTANT_0 },
		{ "srsrc", "srsrc", SGPR / 4 },   { "sbase", "sbase", SGPR / 2 },
		{ "saddr", "saddr", NO_SADDR },   { "op_sel_hi", "op_sel_hi", 3 },
		{ "op_sel_hi2", "op_sel_hi", 1 },
	};
	for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
		if (strstr(mx_text(row->operands), plain[i].listed) ||
		    strstr(mx_text(row->modifiers), plain[i].listed))
			mx_isa_row_set(row, code, plain[i].name, plain[i].value);
	if (row->format >= MX_FORM_VFLAT && strstr(mx_text(row->operands), "saddr"))
		mx_isa_row_set(row, code, "saddr", NULL_SADDR);
	if (strstr(mx_text(row->modifiers), "f4")) {
		mx_isa_row_set(row, code, "op_sel_hi", 3);
		mx_isa_row_set(row, code, "op_sel_hi2", 1);
	}
	if (is_second(row))
		code[0] |= row->format == MX_FORM_VOPD_Y ? DUAL_MOVE : DUAL_MOVE3;
}

/* Sets the field of an operand to a register of its class. */
static void set_operand(const struct mx_isa_row *row, uint32_t code[4], const char *spec) {
	char name[16], class = 0;
	if (sscanf(spec, "%15[^:]:%c", name, &class) < 2)
		return;
	bool source = !strncmp(name, "src", 3) || !strncmp(name, "scale", 5);
	if (!strcmp(name, "simm16"))
		mx_isa_row_set(row, code, name, class == 'h' ? MX_HW_MODE : 0);
	else if (strchr("sdekm", class) && strcmp(name, "soffset") && strcmp(name, "sbase") &&
	         strcmp(name, "srsrc"))
		mx_isa_row_set(row, code, name, SGPR);
	else if (!strcmp(name, "vdst") && class == 'v')
		mx_isa_row_set(row, code, name, VDST);
	else if (source && strchr("nvgCGhrqQalYy", class))
		mx_isa_row_set(row, code, name, VGPR);
}

/* ---- forms ---- */

static void encode(const struct mx_isa *isa, const struct mx_isa_row *row, struct mx_form *f) {
	char word[MX_ROW_WORD], text[200];
	const char *list = mx_text(row->operands);
	mx_isa_row_blank(isa->encodings, row, f->code);
	set_fields(row, f->code);
	while ((list = mx_row_word(list, word)))
		set_operand(row, f->code, word);
	size_t bytes = isa->disassemble(f->code, 4, 0, text, sizeof text);
	/* the only control of 64-bit DPP */
	if (!bytes && mx_isa_row_set(row, f->code, "dpp_ctrl", ROW_NEWBCAST))
		bytes = isa->disassemble(f->code, 4, 0, text, sizeof text);
	if (!bytes && mx_isa_row_set(row, f->code, "gds", 1))
		bytes = isa->disassemble(f->code, 4, 0, text, sizeof text);
	const char *second = is_second(row) ? strstr(text, " :: ") : NULL;
	const char *name = second ? second + strlen(" :: ") : text;
	bool same = !strncmp(name, mx_text(row->name), strlen(mx_text(row->name)));
	f->dwords = same ? bytes / 4 : 0;
}

bool mx_form_at(const struct mx_isa *isa, size_t i, struct mx_form *f) {
	if (!isa->encodings || i >= isa->encodings->n_rows)
		return false;
	const struct mx_isa_row *row = &isa->encodings->rows[i];
	*f = (struct mx_form){ .name = mx_text(row->name), .format = formats[row->format] };
	snprintf(f->opcode, sizeof f->opcode, "%.*s",
	         (int)(strlen(mx_text(row->name)) - strlen(mx_text(row->suffix))),
	         mx_text(row->name));
	encode(isa, row, f);
	return true;
}

const char *mx_form_excluded(const char *opcode) {
	static const struct {
		const char *prefix, *why;
	} excluded[] = {
		{ "ds_gws_", "GWS" },
		{ "s_trap", "debugger" },
		{ "s_rfe_", "debugger" },
		{ "s_cbranch_cdbg", "debugger" },
		{ "s_ttracedata", "debugger" },
		{ "s_code_end", "padding after a program" },
		{ "s_alloc_vgpr", "waves with a changing number of VGPRs" },
		{ "s_endpgm_saved", "trap handler" },
		{ "tensor_save", "trap handler" },
		{ "tensor_stop", "trap handler" },
		{ "v_illegal", "no instruction" },
		{ "v_mfma_ld_scale_b32", "prefix of v_mfma_scale" },
		{ "v_wmma_ld_scale", "prefix of v_wmma_scale" },
	};
	for (size_t i = 0; i < sizeof excluded / sizeof *excluded; i++)
		if (!strncmp(opcode, excluded[i].prefix, strlen(excluded[i].prefix)))
			return excluded[i].why;
	return NULL;
}

const char *mx_form_refused(const char *opcode) {
	static const struct {
		const char *part, *why;
	} refused[] = {
		{ "exec_b64", "no source has what it does with EXEC of 32 lanes" },
		{ "s_endpgm_ordered_ps_done", "pixel shaders" },
		{ "v_screen_partition", "no source has its table" },
	};
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
		if (strstr(opcode, refused[i].part))
			return refused[i].why;
	return "";
}
