/* Finds the operands of a decoded instruction: all registers that it reads and writes. */
#include "operands.h"

#include <string.h>

#include "decode.h"
#include "dpp.h"
#include "operand_spec.h"

/* ---- roles ---- */

const char *mx_operand_role_name(mx_operand_role role) {
	static const char *const names[] = {
		[MX_AS_D] = "result",
		[MX_AS_SRC0] = "src0",
		[MX_AS_SRC1] = "src1",
		[MX_AS_SRC2] = "src2",
		[MX_AS_OLD] = "old",
		[MX_AS_RANDOM] = "random",
		[MX_AS_SCALE] = "scale",
		[MX_AS_MASK] = "mask",
		[MX_AS_FLAG] = "flag",
		[MX_AS_LANE] = "lane",
		[MX_AS_EXEC] = "exec",
		[MX_AS_A] = "A",
		[MX_AS_B] = "B",
		[MX_AS_C] = "C",
		[MX_AS_INDEX] = "index",
		[MX_AS_SCALE_A] = "scale of A",
		[MX_AS_SCALE_B] = "scale of B",
		[MX_AS_DATA] = "data",
		[MX_AS_DATA1] = "data1",
		[MX_AS_ADDRESS] = "address",
		[MX_AS_DESCRIPTOR] = "descriptor",
		[MX_AS_OFFSET] = "offset",
		[MX_AS_LDS_BASE] = "LDS base",
		[MX_AS_M0] = "m0",
	};
	return names[role];
}

bool mx_operand_is_value(mx_operand_role role) {
	return role < MX_AS_ADDRESS;
}

/* ---- the list ---- */

enum { READ, WRITTEN };

static bool is_register(unsigned code) {
	return code < MX_INT_0 || code >= MX_VGPR || code == MX_SCC;
}

/* Matrix instructions ignore EXEC. Moves between a lane and a scalar name one lane. */
static mx_operand_lanes lanes_of(const struct mx_inst *in, mx_operand_role role) {
	mx_kind kind = mx_kind_of(in->op);
	if (in->op->unit == MX_UNIT_MATRIX)
		return MX_LANES_ALL;
	if (kind == MX_IS_READFIRST)
		return MX_LANE_FIRST;
	bool one = (kind == MX_IS_READLANE && role == MX_AS_SRC0) ||
	           (kind == MX_IS_WRITELANE && role == MX_AS_D);
	return one ? MX_LANE_OF_SRC1 : MX_LANES_OF_EXEC;
}

/* VCCZ and EXECZ read the pairs VCC and EXEC [ISA 3.9]. */
static void add(struct mx_inst *in, mx_operand_role role, unsigned code, unsigned dwords,
                bool written) {
	bool zero = code == MX_VCCZ || code == MX_EXECZ;
	if (zero) {
		code = code == MX_VCCZ ? MX_VCC : MX_EXEC;
		dwords = 2;
	}
	if (written && dwords && !is_register(code))
		in->unsupported = "scalar destination beyond the SGPRs";
	if (!dwords || !is_register(code) || in->n_operands == MX_MAX_OPERANDS)
		return;
	in->operand[in->n_operands++] = (struct mx_operand){
		.code = (uint16_t)code,
		.dwords = (uint8_t)dwords,
		.role = (uint8_t)role,
		.lanes = (uint8_t)(code < MX_VGPR ? MX_LANES_ALL : lanes_of(in, role)),
		.written = written,
		.as_zero = zero,
	};
}

/* ---- roles of the fields that a row lists ---- */

static mx_operand_role role_of_cvt(const struct mx_op *op, unsigned i) {
	struct mx_cvt_info info = mx_cvt_info(op->cvt);
	if (i < info.data)
		return (mx_operand_role)(MX_AS_SRC0 + i);
	return i == info.data && info.stochastic ? MX_AS_RANDOM : MX_AS_SCALE;
}

/* In sparse matrix instructions C is the destination, and source 2 holds indices. */
static mx_operand_role role_of_matrix(const struct mx_inst *in, unsigned i) {
	return i == 0 ? MX_AS_A : i == 1 ? MX_AS_B : in->mai.sparse ? MX_AS_INDEX : MX_AS_C;
}

static mx_operand_role role_of_source(const struct mx_inst *in, const struct mx_operand_spec *o) {
	unsigned i = mx_operand_index(o);
	mx_kind kind = mx_kind_of(in->op);
	if (in->op->unit == MX_UNIT_MATRIX)
		return role_of_matrix(in, i);
	if (in->op->unit == MX_UNIT_CVT)
		return role_of_cvt(in->op, i);
	if (o->class == 'm')
		return MX_AS_MASK;
	bool lane = i == 1 && (kind == MX_IS_READLANE || kind == MX_IS_WRITELANE);
	return lane ? MX_AS_LANE : (mx_operand_role)(MX_AS_SRC0 + i);
}

static bool is(const struct mx_operand_spec *o, const char *field) {
	return !strcmp(o->field, field);
}

/* Data of memory instructions: written by a load, read by a store, both by an atomic. */
static void add_data(struct mx_inst *in, const struct mx_operand_spec *o, unsigned code,
                     unsigned dwords) {
	const struct mx_op *op = in->op;
	bool returns = op->encoding == MX_SMEM ? in->mem.glc : in->mem.sc0;
	bool clock = mx_kind_of(op) == MX_IS_CLOCK;
	if (is(o, "data1"))
		add(in, MX_AS_DATA1, code, dwords, READ);
	else if (op->flags & MX_LOAD && op->encoding != MX_DS)
		add(in, MX_AS_D, code, dwords, WRITTEN);
	else if (!clock)
		add(in, MX_AS_DATA, code, dwords, READ);
	bool same = is(o, "vdata") || is(o, "sdata"); /* the result replaces the data */
	if (clock || (op->rmw && same && returns))
		add(in, MX_AS_D, code, (op->d + 3u) / 4, WRITTEN);
}

static void add_destination(struct mx_inst *in, const struct mx_operand_spec *o, unsigned code,
                            unsigned dwords) {
	const struct mx_op *op = in->op;
	if (o->class == 'V' && !(in->dwords[1] >> 15 & 1)) /* SDWA, no SDST: VCC */
		code = MX_VCC;
	bool mask = op->unit == MX_UNIT_VCMP || (op->unit == MX_UNIT_VALU && is(o, "sdst"));
	if (op->flags & MX_SDST_IN)
		add(in, MX_AS_SRC0, code, dwords, READ);
	if (!(op->flags & MX_SDST_KEPT))
		add(in, mask ? MX_AS_MASK : MX_AS_D, code, dwords, WRITTEN);
}

/* SMEM: an SGPR in addition to the immediate, or instead of it. */
static void add_scalar_offset(struct mx_inst *in) {
	if (in->mem.saddr)
		add(in, MX_AS_OFFSET, in->mem.soffset, 1, READ);
}

static void add_address(struct mx_inst *in, const struct mx_operand_spec *o, unsigned code,
                        unsigned dwords) {
	bool descriptor = is(o, "srsrc"), offset = is(o, "soffset");
	mx_operand_role role = descriptor ? MX_AS_DESCRIPTOR
	                       : offset   ? MX_AS_OFFSET
	                                  : MX_AS_ADDRESS;
	add(in, role, code, dwords, READ);
}

static void add_listed(struct mx_inst *in, mx_microcode format, const struct mx_operand_spec *o,
                       bool after_sources) {
	const char *f = o->field;
	unsigned code = mx_operand_code(format, in->dwords, o);
	unsigned dwords = mx_operand_dwords(format, in->dwords, o);
	if (code >= MX_VGPR && mx_operand_is_agpr(format, in->dwords, o))
		code += MX_AGPR - MX_VGPR;
	if (is(o, "vcc"))
		add(in, MX_AS_MASK, MX_VCC, 2, after_sources ? READ : WRITTEN);
	else if (mx_operand_is_number(o))
		; /* add_scalar_offset adds an SGPR */
	else if (is(o, "vdst") || is(o, "sdst"))
		add_destination(in, o, code, dwords);
	else if (strstr(f, "data"))
		add_data(in, o, code, dwords);
	else if (is(o, "scale0") || is(o, "scale1"))
		add(in, is(o, "scale0") ? MX_AS_SCALE_A : MX_AS_SCALE_B, code, dwords, READ);
	else if (strstr(f, "addr") || is(o, "sbase") || is(o, "srsrc") || is(o, "soffset"))
		add_address(in, o, code, dwords);
	else
		add(in, role_of_source(in, o), code, dwords, READ);
	if (o->class == 'M')
		add_scalar_offset(in);
}

/* ---- operands without a field ---- */

/* The destination as a source: the third of fmac, C of smfmac. */
static void add_former(struct mx_inst *in) {
	const struct mx_op *op = in->op;
	bool cvt = op->unit == MX_UNIT_CVT;
	unsigned dwords = cvt ? mx_cvt_info(op->cvt).dst_dwords : op->d;
	if (op->unit == MX_UNIT_MATRIX && in->mai.sparse)
		add(in, MX_AS_C, in->dst, op->d, READ);
	else if (op->flags & MX_READS_D && op->s[2])
		add(in, MX_AS_SRC2, in->dst, dwords, READ);
	else if (op->flags & (MX_READS_D | MX_KEEP_HALF) || (cvt && mx_cvt_info(op->cvt).partial))
		add(in, MX_AS_OLD, in->dst, dwords, READ);
}

static void add_exchanged(struct mx_inst *in) {
	mx_kind kind = mx_kind_of(in->op);
	if (kind != MX_IS_SWAP && kind != MX_IS_PERMLANE_SWAP)
		return;
	add(in, MX_AS_D, in->src[0], 1, WRITTEN);
	add(in, MX_AS_SRC1, in->dst, 1, READ);
}

static void add_implicit(struct mx_inst *in) {
	uint64_t flags = in->op->flags;
	if (flags & MX_VCC_IN) {
		add(in, MX_AS_MASK, MX_VCC, 2, READ);
		in->operand[in->n_operands - 1].as_zero = mx_kind_of(in->op) == MX_IS_CBRANCH;
	}
	add(in, MX_AS_FLAG, MX_SCC, flags & MX_SCC_IN ? 1 : 0, READ);
	add(in, MX_AS_FLAG, MX_SCC, flags & MX_SCC_OUT ? 1 : 0, WRITTEN);
	add(in, MX_AS_EXEC, MX_EXEC, flags & (MX_EXEC_IN | MX_EXEC_OUT) ? 2 : 0, READ);
	add(in, MX_AS_EXEC, MX_EXEC, flags & MX_EXEC_OUT ? 2 : 0, WRITTEN);
	if (in->mem.lds)
		add(in, MX_AS_LDS_BASE, MX_M0, 1, READ);
	add(in, MX_AS_M0, MX_M0, flags & (MX_M0_IN | MX_ADDTID) ? 1 : 0, READ);
	add(in, MX_AS_M0, MX_M0, flags & MX_M0_OUT ? 1 : 0, WRITTEN);
}

static void put_reads_first(struct mx_inst *in) {
	struct mx_operand list[MX_MAX_OPERANDS];
	unsigned n = 0;
	for (unsigned written = 0; written < 2; written++)
		MX_FOR_OPERANDS(o, in)
			if (o->written == written)
				list[n++] = *o;
	memcpy(in->operand, list, n * sizeof *list);
}

void mx_find_operands(struct mx_inst *in, const struct mx_isa_row *row) {
	struct mx_operand_spec o;
	const char *list = row->operands;
	bool sources = false;
	in->n_operands = 0;
	while ((list = mx_operand_next(list, &o))) {
		if (mx_operand_is_there(row->format, in->dwords, &o))
			add_listed(in, row->format, &o, sources);
		sources |= strstr(o.field, "src") != NULL;
	}
	add_former(in);
	add_exchanged(in);
	add_implicit(in);
	put_reads_first(in);
}

const struct mx_operand *mx_loaded_operand(const struct mx_inst *in) {
	bool memory = in->op && in->op->unit == MX_UNIT_MEMORY;
	MX_FOR_OPERANDS(o, in)
		if ((memory || mx_kind_of(in->op) == MX_IS_CLOCK) && o->written &&
		    o->role == MX_AS_D)
			return o;
	return NULL;
}

static bool touches(const struct mx_inst *in, unsigned row, bool written) {
	MX_FOR_OPERANDS(o, in)
		if (o->written == written && mx_operand_has_row(o, row))
			return true;
	return false;
}

bool mx_writes_row(const struct mx_inst *in, unsigned row) {
	return touches(in, row, true);
}

bool mx_reads_row(const struct mx_inst *in, unsigned row) {
	return touches(in, row, false);
}

bool mx_has_agent_scope(const struct mx_inst *in) {
	mx_encoding e = in->op->encoding;
	if (e == MX_SMEM)
		return in->mem.glc;
	return (e == MX_FLAT || e == MX_GLOBAL || e == MX_MUBUF) && in->mem.sc1;
}

/* Compare-and-swap has two operands. */
unsigned mx_smem_data_dwords(const struct mx_inst *in) {
	return in->op->d / 4u * (in->op->flags & MX_SECOND ? 2 : 1);
}

/* ---- lanes ---- */

/* Whether the result is one block of 16x16 or 32x32: not "4x4x4_16b", not f64. */
static bool one_block(const struct mx_inst *in) {
	bool single = !in->mai.dense || in->mai.dense->blocks == 1;
	return single && (in->op->d == 4 || in->op->d == 16);
}

/* Lane l of A and of the scales of A holds row l % mn, lane l of B column l % mn [ISA 7.1.5].
 * Returns the first lane of several. */
static int matrix_lane(const struct mx_inst *in, mx_operand_role role, int lane, unsigned part) {
	mx_shape shape = in->op->d == 4 ? MX_16X16X128 : MX_32X32X64;
	unsigned row, col;
	if (role == MX_AS_C)
		return lane;
	if (!one_block(in))
		return -1;
	mx_layout_result(shape, (unsigned)lane, part, &row, &col);
	return (int)(role == MX_AS_A || role == MX_AS_SCALE_A ? row : col);
}

/* The lane that v_readlane or v_readfirstlane reads. */
static int read_lane(const struct mx_inst *in, const struct mx_registers *r) {
	unsigned code = in->src[1];
	uint64_t exec = r->s[MX_EXEC] | (uint64_t)r->s[MX_EXEC + 1] << 32;
	if (mx_kind_of(in->op) == MX_IS_READFIRST)
		return exec ? __builtin_ctzll(exec) : 0;
	if (code >= MX_INT_0 && code < MX_INT_64)
		return (int)(code - MX_INT_0);
	return code < MX_INT_0 ? (int)(r->s[code] & 63) : -1;
}

int mx_operand_lane(const struct mx_inst *in, const struct mx_operand *o, int lane, unsigned part,
                    const struct mx_registers *r) {
	if (o->code < MX_VGPR)
		return -1;
	if (mx_is_vector_to_scalar(in->op) && o->role == MX_AS_SRC0)
		return read_lane(in, r);
	if (lane < 0)
		return -1;
	if (in->op->unit == MX_UNIT_MATRIX)
		return matrix_lane(in, o->role, lane, part);
	if (in->dpp.used && o->role == MX_AS_SRC0)
		return mx_dpp_source(in->dpp.ctrl, lane);
	return lane;
}
