/* The decoder of gfx1250: sorts its instructions into the encodings and the operand model of
 * inst.h. */
#include <string.h>

#include "decode.h"
#include "disasm.h"
#include "gfx1250.h"
#include "hwreg.h"
#include "instruction_set.h"
#include "operand_spec.h"

/* ---- fields ---- */

/* Bits of a modifier for up to n operands. */
static uint8_t bits_of(mx_microcode format, const uint32_t *code, const char *name, unsigned n) {
	uint8_t bits = 0;
	for (unsigned i = 0; i < n; i++)
		bits |= (uint8_t)(mx_field_bit(format, code, name, i) << i);
	return bits;
}

/* Controls of gfx950 that gfx1250 has not: shifts of the wave, broadcasts to the next row; and the
 * one that gfx950 has not. */
static bool has_control(unsigned ctrl) {
	return ctrl < 0x130 || ctrl == 0x140 || ctrl == 0x141 || (ctrl >= 0x150 && ctrl < 0x170);
}

/* DPP8 writes all lanes; a source lane that is off gives 0 [assumed, as with BOUND_CTRL]. */
static void decode_dpp(struct mx_inst *in, mx_microcode format) {
	const uint32_t *code = in->dwords;
	in->dpp.used = true;
	in->dpp.fetch_inactive = mx_field(format, code, "fi");
	in->dpp.row_mask = in->dpp.bank_mask = 15;
	in->dpp.bound_zero = true;
	if (!mx_has_lanes(in->op) && !mx_is_cvt(in->op))
		in->unsupported = "DPP of this opcode";
	if (format >= MX_FORM_VOP2_DPP8) {
		in->dpp.eight = mx_field(format, code, "lanes") | 1u << 24;
		return;
	}
	in->dpp.ctrl = (uint16_t)mx_field(format, code, "dpp_ctrl");
	in->dpp.bound_zero = mx_field(format, code, "bound_ctrl");
	in->dpp.row_mask = (uint8_t)mx_field(format, code, "row_mask");
	in->dpp.bank_mask = (uint8_t)mx_field(format, code, "bank_mask");
	if (!has_control(in->dpp.ctrl))
		in->unsupported = "DPP_CTRL that gfx1250 has not";
}

/* OP_SEL has the byte of a source with its high bit first [LLVM "VOP3FP8OpSel_src_bytesel"]. */
static uint8_t with_source_byte(const struct mx_isa_row *row, uint8_t op_sel) {
	const char *byte = strstr(mx_text(row->modifiers), "byte_sel");
	if (!byte || !strncmp(byte, "byte_sel_hi", strlen("byte_sel_hi")))
		return op_sel;
	return (uint8_t)((op_sel & ~3u) | (op_sel & 1) << 1 | (op_sel >> 1 & 1));
}

static void decode_valu(struct mx_inst *in, const struct mx_isa_row *row, mx_microcode format) {
	const uint32_t *code = in->dwords;
	bool packed = row->format == MX_FORM_PACKED, carry = in->op->flags & MX_CARRY_OUT;
	in->neg = bits_of(format, code, "neg", 3);
	in->abs = carry ? 0 : bits_of(format, code, packed ? "neg_hi" : "abs", 3);
	in->op_sel = carry ? 0 : with_source_byte(row, bits_of(format, code, "op_sel", 4));
	in->clamp = (uint8_t)mx_field(format, code, "clamp");
	in->omod = (uint8_t)mx_field(format, code, "omod");
	if (format == MX_FORM_VOPD3_Y && in->op->flags & MX_TRUTH) {
		unsigned table = mx_field(format, code, "vsrc2");
		in->neg = table & 7;
		in->abs = table >> 3 & 7;
		in->omod = (uint8_t)(table >> 6);
	}
	if (packed)
		in->op_sel_hi = (uint8_t)(bits_of(format, code, "op_sel_hi", 2) |
		                          mx_field(format, code, "op_sel_hi2") << 2);
	if (mx_adds_dpp(format))
		decode_dpp(in, format);
}

/* INDEX_KEY selects one of two sets of 16 bits. */
static void decode_index(struct mx_inst *in, mx_microcode format) {
	enum { INDICES_OF_A_SET = 8 };
	in->mai.abid = (uint8_t)mx_field(format, in->dwords, "index_key");
	if (in->mai.abid && mx_wmma_operand_items(in->mai.wmma, MX_SIDE_A) > INDICES_OF_A_SET)
		in->unsupported = "INDEX_KEY of indices that fill their registers";
}

/* neg_lo and neg_hi are `neg` and `abs`; of C they negate and take the magnitude. */
static void decode_wmma(struct mx_inst *in, const struct mx_isa_row *row, mx_microcode format) {
	const uint32_t *code = in->dwords;
	const struct mx_wmma *op = mx_wmma_by_name(in->op->name);
	in->mai.wmma = op;
	in->mai.cbsz = in->mai.blgp = MX_E2M1;
	if (op->ab[MX_SIDE_A] == MX_T_F8F6F4) {
		in->mai.cbsz = (uint8_t)mx_element_format(format, code, 0);
		in->mai.blgp = (uint8_t)mx_element_format(format, code, 1);
	}
	in->abs = bits_of(format, code, "neg_hi", 3);
	if (strstr(mx_text(row->modifiers), "reuse")) {
		in->mai.reuse[0] = mx_field(format, code, "a_reuse");
		in->mai.reuse[1] = mx_field(format, code, "b_reuse");
	}
	if (op->sparse)
		decode_index(in, format);
	if (!op->block)
		return;
	in->mai.byte[0] = (uint8_t)mx_field(format, code, "a_scale");
	in->mai.byte[1] = (uint8_t)mx_field(format, code, "b_scale");
	in->mai.scale_format[0] = (uint8_t)mx_field(format, code, "a_scale_fmt");
	in->mai.scale_format[1] = (uint8_t)mx_field(format, code, "b_scale_fmt");
}

enum { SCOPE_DEVICE = 2, SCOPE_SYSTEM = 3 };

/* The unit of the offset in a register is the size of the access if SCALE_OFFSET is set. */
static void decode_cache(struct mx_inst *in, mx_microcode format) {
	const uint32_t *code = in->dwords;
	in->mem.unit = mx_field(format, code, "scale_offset") ? in->op->d : 0;
	in->mem.sc1 = mx_field(format, code, "scope") >= SCOPE_DEVICE;
	in->mem.system = mx_field(format, code, "scope") == SCOPE_SYSTEM;
	in->mem.sc0 = in->op->rmw && mx_field(format, code, "ret");
	in->mem.nt = mx_field(format, code, "th") != 0;
}

static void decode_memory(struct mx_inst *in, mx_microcode format) {
	enum { OFFSET_BITS = 24 };
	unsigned offset = mx_field(format, in->dwords, "offset");
	decode_cache(in, format);
	in->mem.lds = in->op->flags & MX_TO_LDS;
	if (format == MX_FORM_VDS) {
		in->imm = (int32_t)offset;
		in->mem.offset1 = (uint8_t)mx_field(format, in->dwords, "offset1");
		return;
	}
	in->imm = mx_sign_extend(offset, OFFSET_BITS);
	in->mem.glc = in->mem.sc1;
	in->mem.offen = mx_field(format, in->dwords, "offen");
	in->mem.idxen = mx_field(format, in->dwords, "idxen");
	if (mx_field(format, in->dwords, "tfe"))
		in->unsupported = "tfe";
	if (mx_kind_of(in->op) == MX_IS_BLOCK && in->mem.unit)
		in->unsupported = "a block with scale_offset, of which no source has the unit";
}

static void decode_fields(struct mx_inst *in, const struct mx_isa_row *row, mx_microcode format) {
	if (format < MX_FORM_SMEM)
		in->imm = (int16_t)in->dwords[0];
	else if (format >= MX_FORM_SMEM64)
		decode_memory(in, format);
	else
		decode_valu(in, row, format);
	if (mx_is_matrix(in->op))
		decode_wmma(in, row, format);
}

/* A literal follows the instruction: of 64 bits for code 254, which compilers use for 64-bit
 * sources, of 32 bits for 255. */
static void take_literal(struct mx_inst *in) {
	unsigned dwords = 0;
	for (unsigned i = 0; i < MX_AT_RESULT; i++) {
		unsigned code = mx_has_operand(in, i) ? mx_operand_at(in, i) : 0;
		unsigned n = code == MX_LITERAL64 ? 2 : code == MX_LITERAL ? 1 : 0;
		dwords = n > dwords ? n : dwords;
	}
	in->wide_literal = dwords == 2;
	if (dwords) /* of 12 and 16 bytes none has one of 64 bits */
		in->literal = in->dwords[in->size / 4];
	if (dwords == 2)
		in->literal_high = in->dwords[in->size / 4 + 1];
	in->size += 4 * dwords;
}

/* ---- counters ---- */

static bool is_store(const struct mx_inst *in) {
	bool returns = !in->op->rmw || in->mem.sc0;
	return mx_kind_of(in->op) == MX_IS_WRITE_BACK ||
	       (in->op->flags & MX_STORE && !(in->op->rmw && returns));
}

/* Copies between device memory and LDS. */
static unsigned copy_stream(const struct mx_inst *in) {
	if (mx_kind_of(in->op) == MX_IS_TILE)
		return MX_STREAM_TENSOR;
	return in->mem.lds && in->op->flags & MX_STORE ? MX_STREAM_ASYNC_STORE
	                                               : MX_STREAM_ASYNC_LOAD;
}

/* Counters and streams until the instruction lands. A FLAT instruction is two operations. */
static void find_counts(struct mx_inst *in) {
	mx_encoding e = in->op->encoding;
	unsigned counter = is_store(in) ? MX_COUNTER_STORE : MX_COUNTER_LOAD;
	unsigned stream = is_store(in) ? MX_STREAM_STORE : MX_STREAM_LOAD;
	mx_kind kind = mx_kind_of(in->op);
	bool returns =
		(kind == MX_IS_CLOCK || kind == MX_IS_BARRIER_STATE) && in->op->flags & MX_LOAD;
	bool counts = kind == MX_IS_SENDMSG || kind == MX_IS_SCALAR_CACHE || returns;
	if ((in->op->unit != MX_UNIT_MEMORY && !counts) || kind == MX_IS_HINT)
		return;
	if (in->mem.lds || mx_kind_of(in->op) == MX_IS_ARRIVAL) {
		stream = copy_stream(in);
		counter = stream == MX_STREAM_TENSOR ? MX_COUNTER_TENSOR : MX_COUNTER_ASYNC;
	} else if (e == MX_DS) {
		counter = MX_COUNTER_DS;
		stream = MX_STREAM_LDS;
	} else if (e < MX_DS) {
		counter = MX_COUNTER_KM;
		stream = MX_STREAM_KM;
	}
	in->counts = MX_COUNT(counter, 1);
	in->streams = (uint8_t)(1 << stream);
	if (e != MX_FLAT)
		return;
	in->counts |= MX_COUNT(MX_COUNTER_DS, 1);
	in->streams |= 1 << MX_STREAM_LDS;
}

/* The counters of a wait, with the place of each in SIMM16. */
static const struct wait {
	mx_opcode op;
	struct {
		uint8_t counter, shift;
	} of[2];
	uint8_t n;
} waits[] = {
	{ MX_OP_s_wait_loadcnt, { { MX_COUNTER_LOAD, 0 } }, 1 },
	{ MX_OP_s_wait_storecnt, { { MX_COUNTER_STORE, 0 } }, 1 },
	{ MX_OP_s_wait_dscnt, { { MX_COUNTER_DS, 0 } }, 1 },
	{ MX_OP_s_wait_kmcnt, { { MX_COUNTER_KM, 0 } }, 1 },
	{ MX_OP_s_wait_asynccnt, { { MX_COUNTER_ASYNC, 0 } }, 1 },
	{ MX_OP_s_wait_tensorcnt, { { MX_COUNTER_TENSOR, 0 } }, 1 },
	{ MX_OP_s_wait_loadcnt_dscnt, { { MX_COUNTER_LOAD, 8 }, { MX_COUNTER_DS, 0 } }, 2 },
	{ MX_OP_s_wait_storecnt_dscnt, { { MX_COUNTER_STORE, 8 }, { MX_COUNTER_DS, 0 } }, 2 },
	{ MX_OP_s_wait_idle, { { 0 } }, 0 },
};

enum { COUNT_MASK = 63, NO_COUNT = 127 };

static const struct wait *wait_of(mx_opcode op) {
	for (size_t i = 0; i < sizeof waits / sizeof *waits; i++)
		if (waits[i].op == op)
			return &waits[i];
	return NULL;
}

/* The maximum of each counter; s_wait_idle waits for all. */
static mx_counts waits_for(const struct wait *wait, uint32_t simm16) {
	mx_counts most = 0;
	for (unsigned c = 0; wait->n && c < MX_COUNTERS; c++)
		most |= MX_COUNT(c, NO_COUNT);
	for (unsigned i = 0; i < wait->n; i++) {
		unsigned counter = wait->of[i].counter;
		most &= ~MX_COUNT(counter, NO_COUNT);
		most |= MX_COUNT(counter, simm16 >> wait->of[i].shift & COUNT_MASK);
	}
	return most;
}

uint32_t mx_gfx1250_wait_with(uint32_t dword, mx_counts counts) {
	const struct mx_isa_row *row = mx_isa_row_of(&mx_gfx1250_encodings, &dword, 1);
	const struct mx_op *op = row ? mx_gfx1250_op(row) : NULL;
	const struct wait *wait = op ? wait_of(op->id) : NULL;
	for (unsigned i = 0; wait && i < wait->n; i++) {
		unsigned shift = wait->of[i].shift;
		dword &= ~((uint32_t)COUNT_MASK << shift);
		dword |= (mx_count(counts, wait->of[i].counter) & COUNT_MASK) << shift;
	}
	return dword;
}

/* ---- two operations in one instruction ---- */

static bool decode_half(struct mx_inst *in, mx_microcode format, struct mx_inst *half) {
	const struct mx_isa_row *row = mx_isa_row_in(&mx_gfx1250_encodings, format, in->dwords, 4);
	*half = *in;
	half->unsupported = NULL;
	half->op = row ? mx_gfx1250_op(row) : NULL;
	if (!half->op)
		return false;
	decode_valu(half, row, format);
	mx_find_operands(&mx_gfx1250_encodings, row, format, half);
	mx_check_decoded(&mx_gfx1250_encodings, half);
	return true;
}

static void decode_dual(struct mx_inst *in, mx_microcode format) {
	struct mx_inst x, y;
	if (!decode_half(in, format, &x) || !decode_half(in, (mx_microcode)(format + 1), &y))
		return;
	in->op = &mx_gfx1250_ops[MX_OP_v_dual];
	in->unsupported = x.unsupported ? x.unsupported : y.unsupported;
	mx_join_operations(in, &x, &y);
	take_literal(in);
}

/* ---- the whole instruction ---- */

static void decode_row(struct mx_inst *in, const struct mx_isa_row *row, mx_microcode format) {
	in->op = mx_gfx1250_op(row);
	if (!in->op)
		return;
	in->unsupported = NULL;
	decode_fields(in, row, format);
	mx_find_operands(&mx_gfx1250_encodings, row, format, in);
	take_literal(in);
	const struct wait *wait = wait_of(in->op->id);
	if (wait)
		in->wait = waits_for(wait, (uint16_t)in->imm);
	find_counts(in);
	mx_check_decoded(&mx_gfx1250_encodings, in);
	if (!in->unsupported && !mx_isa_row_is_clear(row, format, in->dwords))
		in->unsupported = "an encoding that LLVM does not accept";
}

static void decode(const uint32_t *code, size_t left, uint32_t offset, unsigned banks,
                   struct mx_inst *in) {
	const struct mx_encodings *e = &mx_gfx1250_encodings;
	mx_microcode format;
	size_t i = 0;
	*in = (struct mx_inst){ .offset = offset,
		                .size = 4,
		                .banks = (uint8_t)banks,
		                .unsupported = "not executed yet" };
	memcpy(in->dwords, code, 4 * (left < 4 ? left : 4));
	const struct mx_isa_row *row = mx_isa_row_of(e, in->dwords, left);
	if (!row || !mx_microcode_next(e, in->dwords, left, &i, &format))
		return;
	in->size = (uint8_t)(4 * mx_microcode_dwords(format));
	if (format == MX_FORM_VOPD_X || format == MX_FORM_VOPD3_X)
		decode_dual(in, format);
	else
		decode_row(in, row, format);
	if (!in->op) { /* its size has a literal */
		size_t bytes = mx_gfx1250_disassemble(code, left, 0, NULL, 0);
		in->size = bytes ? (uint8_t)bytes : 4;
	} else if (in->size > 4 * left) {
		in->op = NULL;
		in->registers = 0;
	}
}

void mx_gfx1250_decode(const uint32_t *code, size_t left, uint32_t offset, struct mx_inst *in) {
	decode(code, left, offset, 0, in);
}

void mx_gfx1250_rebank(struct mx_inst *in, unsigned banks) {
	uint32_t code[4];
	memcpy(code, in->dwords, sizeof code);
	decode(code, in->size / 4, in->offset, banks, in);
}

/* s_setreg_imm32_b32 to MODE sets the banks whichever field it names. */
unsigned mx_gfx1250_banks_set(const struct mx_inst *in, unsigned banks) {
	if (!in->op)
		return banks;
	if (mx_kind_of(in->op) == MX_IS_BANKS)
		return in->imm & 0xff;
	bool mode = mx_kind_of(in->op) == MX_IS_SETREG && mx_hw_field(in).reg == MX_HW_MODE;
	return mode && mx_source(in, 0) == MX_LITERAL ? mx_banks_of_mode(in->literal) : banks;
}

/* s_set_vgpr_msb has the banks in its low byte; the other byte has the former ones, for a trap
 * handler. */
unsigned mx_gfx1250_banks_after(const uint32_t *code, size_t left, unsigned banks) {
	static const char *const terminators[] = { "s_branch",   "s_cbranch_", "s_endpgm",
		                                   "s_code_end", "s_set_pc_",  "s_add_pc_" };
	const struct mx_isa_row *row = mx_isa_row_of(&mx_gfx1250_encodings, code, left);
	if (row && !strcmp(mx_text(row->name), "s_set_vgpr_msb"))
		return code[0] & 0xff;
	for (size_t i = 0; row && i < sizeof terminators / sizeof *terminators; i++)
		if (!strncmp(mx_text(row->name), terminators[i], strlen(terminators[i])))
			return 0;
	return banks;
}
