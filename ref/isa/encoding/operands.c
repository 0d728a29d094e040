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

/* ---- positions ---- */

enum { READ, WRITTEN };

static bool is_register(unsigned code) {
	return code < MX_INT_0 || code >= MX_VGPR || code == MX_SCC || mx_tests_zero(code);
}

void mx_set_operand(struct mx_inst *in, unsigned position, struct mx_operand operand) {
	unsigned others = in->registers & ~(1u << position);
	in->operand[position] = operand;
	in->registers = (uint16_t)(others | (unsigned)is_register(operand.code) << position);
}

/* Whether a source may be taken from lanes that are off. */
static bool takes_any_lane(const struct mx_inst *in, mx_operand_role role) {
	if (role == MX_AS_SRC0)
		return mx_kind_of(in->op) == MX_IS_PERMUTE ||
		       (in->dpp.used && in->dpp.fetch_inactive);
	if (role == MX_AS_SCALE)
		return in->op->unit == MX_UNIT_CVT && mx_cvt_info(in->op->cvt).scale_byte;
	return role == MX_AS_DATA && in->op->id == MX_OP_ds_bpermute_fi_b32;
}

/* Matrix instructions ignore EXEC. Moves between a lane and a scalar name one lane. */
static mx_operand_lanes lanes_of(const struct mx_inst *in, mx_operand_role role) {
	mx_kind kind = mx_kind_of(in->op);
	if (in->op->unit == MX_UNIT_MATRIX)
		return MX_LANES_ALL;
	if (kind == MX_IS_READFIRST)
		return MX_LANE_FIRST;
	if (takes_any_lane(in, role))
		return MX_LANES_TAKEN;
	bool one = (kind == MX_IS_READLANE && role == MX_AS_SRC0) ||
	           (kind == MX_IS_WRITELANE && role == MX_AS_D);
	return one ? MX_LANE_OF_SRC1 : MX_LANES_OF_EXEC;
}

static void add_at(struct mx_inst *in, unsigned position, mx_operand_role role, unsigned code,
                   unsigned dwords) {
	bool written = position >= MX_AT_RESULT;
	mx_operand_lanes lanes = code < MX_VGPR ? MX_LANES_ALL : lanes_of(in, role);
	if (!dwords)
		return;
	mx_set_operand(in, position,
	               (struct mx_operand){ (uint16_t)code, (uint8_t)dwords, (uint8_t)role,
	                                    (uint8_t)lanes, written });
}

/* Registers without a position of their own. */
static void add(struct mx_inst *in, mx_operand_role role, unsigned code, unsigned dwords,
                bool written) {
	unsigned i = written ? MX_AT_MASK : MX_AT_MORE_READS;
	unsigned end = written ? MX_MAX_OPERANDS : MX_AT_RESULT;
	while (i < end && mx_has_operand(in, i))
		i++;
	if (i < end)
		add_at(in, i, role, code, dwords);
	else if (dwords)
		in->unsupported = "more operands than there are positions";
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
	return i == 0 ? MX_AS_A : i == 1 ? MX_AS_B : mx_is_sparse(in) ? MX_AS_INDEX : MX_AS_C;
}

static mx_operand_role role_of_source(const struct mx_inst *in, const struct mx_operand_spec *o,
                                      unsigned i) {
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

/* Most names begin with v or s: their second characters differ. */
static inline bool is(const struct mx_operand_spec *o, const char *field) {
	return *o->field == *field && o->field[1] == field[1] && !strcmp(o->field, field);
}

/* src0, ssrc0, vsrc1 ... */
static bool is_source(const struct mx_operand_spec *o) {
	const char *f = o->field;
	bool prefix = f[0] == 'v' || (f[0] == 's' && f[1] == 's');
	return !strncmp(f + prefix, "src", 3);
}

/* The operands of a row, in the order of its list. */
struct listing {
	const struct mx_encodings *set;
	const struct mx_isa_row *row;
	struct mx_inst *in;
	mx_microcode format;
	unsigned sources; /* so far */
};

/* The operand code that all instruction sets share: M0 is 124, NULL the constant 0. */
static unsigned common_code(const struct mx_encodings *set, unsigned code) {
	if (set->has_null && code == set->null)
		return MX_NULL;
	return code == set->m0 ? MX_M0 : code;
}

/* Of a 16-bit operand in one of v0 to v127, bit 7 selects the half; VOP3 has OP_SEL. Other VGPRs
 * are in the bank of their field. */
static unsigned vector_code(struct listing *l, const struct mx_operand_spec *o, unsigned code) {
	enum { HIGH_HALF = 1 << 7, BANK = 256, DESTINATION = 3 };
	int slot = l->set->has_banks ? o->bank : -1;
	bool selects = o->class == 'Y' || o->class == 'y';
	if (o->class == 'T' || o->class == 't' || (selects && l->row->format != MX_FORM_VOP3)) {
		unsigned bit = is_source(o) ? mx_operand_index(o) : DESTINATION;
		l->in->op_sel |= (uint8_t)((code & HIGH_HALF ? 1u : 0) << bit);
		code &= ~(unsigned)HIGH_HALF;
	}
	return slot < 0 ? code : code + BANK * (l->in->banks >> 2 * slot & 3);
}

/* A literal in the list takes a source's position, and moves the source after it. Comparisons have
 * DPP in the manual [ISA 13.3.9], but LLVM has no such form. */
static void add_source(struct listing *l, const struct mx_operand_spec *o, unsigned code,
                       unsigned dwords) {
	unsigned index = is_source(o) ? mx_operand_index(o) : 0;
	unsigned i = index > l->sources ? index : l->sources;
	if (l->in->dpp.used && code == MX_DPP)
		code = MX_VGPR + mx_bits(l->in->dwords[1], 7, 0);
	add_at(l->in, MX_AT_SRC0 + i, role_of_source(l->in, o, i), code, dwords);
	l->sources = i + 1;
}

/* Data of memory instructions: written by a load, read by a store, both by an atomic. */
static void add_data(const struct listing *l, const struct mx_operand_spec *o, unsigned code,
                     unsigned dwords) {
	struct mx_inst *in = l->in;
	const struct mx_op *op = in->op;
	bool has_vdst = l->format >= MX_FORM_VFLAT && l->format <= MX_FORM_VGLOBAL;
	bool returns = op->encoding == MX_SMEM ? in->mem.glc : in->mem.sc0;
	bool clock = mx_kind_of(op) == MX_IS_CLOCK;
	if (is(o, "data1"))
		add_at(in, MX_AT_DATA1, MX_AS_DATA1, code, dwords);
	else if (op->flags & MX_LOAD && op->encoding != MX_DS)
		add_at(in, MX_AT_RESULT, MX_AS_D, code, dwords);
	else if (!clock)
		add_at(in, MX_AT_DATA, MX_AS_DATA, code, dwords);
	/* the result replaces the data */
	bool same = (is(o, "vdata") && !has_vdst) || is(o, "sdata");
	if (clock || (op->rmw && same && returns))
		add_at(in, MX_AT_RESULT, MX_AS_D, code, (op->d + 3u) / 4);
}

/* SDWA without SDST writes VCC. */
static void add_destination(struct mx_inst *in, const struct mx_operand_spec *o, unsigned code,
                            unsigned dwords) {
	const struct mx_op *op = in->op;
	bool mask = op->unit == MX_UNIT_VALU && is(o, "sdst");
	if (o->class == 'V' && !(in->dwords[1] >> 15 & 1))
		code = MX_VCC;
	if (op->flags & MX_SDST_IN)
		add_at(in, MX_AT_SRC0, MX_AS_SRC0, code, dwords);
	if (mask)
		add_at(in, MX_AT_MASK, MX_AS_MASK, code, dwords);
	else if (!(op->flags & MX_SDST_KEPT))
		add_at(in, MX_AT_RESULT, op->unit == MX_UNIT_VCMP ? MX_AS_MASK : MX_AS_D, code,
		       dwords);
}

/* VCC is a source where it comes after others. */
static void add_vcc(struct listing *l) {
	bool compares = l->in->op->unit == MX_UNIT_VCMP;
	unsigned result = compares ? MX_AT_RESULT : MX_AT_MASK;
	add_at(l->in, l->sources ? MX_AT_SRC0 + l->sources++ : result, MX_AS_MASK, MX_VCC,
	       l->set->mask);
}

/* The offset of SMEM: an SGPR in addition to the immediate, or instead of it. */
static void add_scalar_offset(const struct listing *l) {
	const uint32_t *code = l->in->dwords;
	if (l->format == MX_FORM_SMEM64) {
		unsigned sum = common_code(l->set, mx_field(l->format, code, "soffset"));
		add_at(l->in, MX_AT_OFFSET, MX_AS_OFFSET, sum, sum != MX_NULL);
		return;
	}
	bool both = mx_field(l->format, code, "soe"), imm = mx_field(l->format, code, "imm");
	unsigned sgpr = mx_field(l->format, code, both ? "soffset" : "offset") & 127;
	add_at(l->in, MX_AT_OFFSET, MX_AS_OFFSET, sgpr, both || !imm);
}

static void add_number(struct listing *l, const struct mx_operand_spec *o, unsigned code) {
	if (o->class == 'M')
		add_scalar_offset(l);
	else if (is(o, "literal"))
		add_source(l, o, o->size > 1 ? MX_LITERAL64 : MX_LITERAL, o->size);
	else if (o->class == 'G')
		l->in->imm = (int32_t)code;
}

/* addr, vaddr, saddr, sbase, srsrc or rsrc, soffset */
static void add_address(struct mx_inst *in, const struct mx_operand_spec *o, unsigned code,
                        unsigned dwords) {
	if (is(o, "srsrc") || is(o, "rsrc"))
		add_at(in, MX_AT_BASE, MX_AS_DESCRIPTOR, code, dwords);
	else if (is(o, "soffset"))
		add_at(in, MX_AT_OFFSET, MX_AS_OFFSET, code, dwords);
	else
		add_at(in, *o->field == 's' ? MX_AT_BASE : MX_AT_ADDRESS, MX_AS_ADDRESS, code,
		       dwords);
}

/* Whether it has the lanes' addresses in LDS, of a copy; gfx950 has one address in M0. */
static bool is_lds_address(const struct listing *l, const struct mx_operand_spec *o) {
	return l->in->mem.lds && l->format == MX_FORM_VGLOBAL && (is(o, "vdst") || is(o, "vdata"));
}

static void add_listed(struct listing *l, const struct mx_operand_spec *o) {
	struct mx_inst *in = l->in;
	unsigned code = mx_operand_code(l->format, in->dwords, o);
	unsigned dwords = mx_operand_dwords(l->format, in->dwords, o);
	if (code >= MX_VGPR && mx_operand_is_agpr(l->format, in->dwords, o))
		code += MX_AGPR - MX_VGPR;
	code = code < MX_VGPR ? common_code(l->set, code) : vector_code(l, o, code);
	if (mx_tests_zero(code))
		dwords = l->set->mask;
	if (is(o, "vcc") || is(o, "vcc_lo"))
		add_vcc(l);
	else if (o->is_number)
		add_number(l, o, code);
	else if (mx_kind_of(in->op) == MX_IS_TILE)
		add_at(in, MX_AT_ADDRESS + mx_operand_index(o), MX_AS_DESCRIPTOR, code, dwords);
	else if (is_source(o))
		add_source(l, o, code, dwords);
	else if (is_lds_address(l, o))
		add_at(in, MX_AT_DATA, MX_AS_LDS_BASE, code, dwords);
	else if (is(o, "vdst") || is(o, "sdst"))
		add_destination(in, o, code, dwords);
	else if (strstr(o->field, "data"))
		add_data(l, o, code, dwords);
	else if (is(o, "scale0"))
		add_at(in, MX_AT_SCALE_A, MX_AS_SCALE_A, code, dwords);
	else if (is(o, "scale1"))
		add_at(in, MX_AT_SCALE_B, MX_AS_SCALE_B, code, dwords);
	else
		add_address(in, o, code, dwords);
}

/* ---- operands without a field ---- */

/* The destination as a source: the third of fmac, C of a sparse matrix instruction. */
static void add_former(struct mx_inst *in) {
	const struct mx_op *op = in->op;
	bool cvt = op->unit == MX_UNIT_CVT;
	unsigned dwords = cvt ? mx_cvt_info(op->cvt).dst_dwords : op->d;
	if (op->unit == MX_UNIT_MATRIX && mx_is_sparse(in))
		add(in, MX_AS_C, mx_result(in), op->d, READ);
	else if (op->flags & MX_READS_D && op->s[2])
		add_at(in, MX_AT_SRC2, MX_AS_SRC2, mx_result(in), dwords);
	else if (op->flags & (MX_READS_D | MX_KEEP_HALF) || (cvt && mx_cvt_info(op->cvt).partial))
		add(in, MX_AS_OLD, mx_result(in), dwords, READ);
}

static void add_exchanged(struct mx_inst *in) {
	mx_kind kind = mx_kind_of(in->op);
	if (kind != MX_IS_SWAP && kind != MX_IS_PERMLANE_SWAP)
		return;
	add(in, MX_AS_D, mx_source(in, 0), 1, WRITTEN);
	add_at(in, MX_AT_SRC1, MX_AS_SRC1, mx_result(in), 1);
}

static void add_implicit(const struct mx_encodings *set, struct mx_inst *in) {
	uint64_t flags = in->op->flags;
	bool tests = mx_kind_of(in->op) == MX_IS_CBRANCH;
	unsigned mask = set->mask;
	add(in, MX_AS_MASK, tests ? MX_VCCZ : MX_VCC, flags & MX_VCC_IN ? mask : 0, READ);
	if (flags & MX_CARRY_IN && !mx_has_operand(in, MX_AT_SRC2)) /* of two operations */
		add_at(in, MX_AT_SRC2, MX_AS_MASK, MX_VCC, mask);
	add(in, MX_AS_FLAG, MX_SCC, flags & MX_SCC_IN ? 1 : 0, READ);
	add(in, MX_AS_FLAG, MX_SCC, flags & MX_SCC_OUT ? 1 : 0, WRITTEN);
	add(in, MX_AS_EXEC, MX_EXEC, flags & (MX_EXEC_IN | MX_EXEC_OUT) ? mask : 0, READ);
	add(in, MX_AS_EXEC, MX_EXEC, flags & MX_EXEC_OUT ? mask : 0, WRITTEN);
	if (in->mem.lds && !mx_has_operand(in, MX_AT_DATA))
		add(in, MX_AS_LDS_BASE, MX_M0, 1, READ);
	bool base = flags & MX_ADDTID && in->op->encoding == MX_DS;
	add(in, MX_AS_M0, MX_M0, flags & MX_M0_IN || base ? 1 : 0, READ);
	add(in, MX_AS_M0, MX_M0, flags & MX_M0_OUT ? 1 : 0, WRITTEN);
}

void mx_find_operands(const struct mx_encodings *set, const struct mx_isa_row *row,
                      mx_microcode format, struct mx_inst *in) {
	struct listing l = { .set = set, .row = row, .in = in, .format = format };
	struct mx_operand_list own;
	const struct mx_operand_list *all = mx_operands_listed(set, row, &own);
	for (unsigned i = 0; i < all->n; i++)
		if (mx_operand_is_there(format, in->dwords, &all->spec[i]))
			add_listed(&l, &all->spec[i]);
	add_former(in);
	add_exchanged(in);
	add_implicit(set, in);
}

/* ---- two operations in one instruction ---- */

static const struct {
	uint8_t sources, result;
} of_operation[] = { { MX_AT_SRC0, MX_AT_RESULT }, { MX_AT_SRC2 + 1, MX_AT_MASK } };

static void take_operation(struct mx_inst *in, const struct mx_inst *one, unsigned i) {
	in->dual[i] = one->op;
	in->neg |= (uint8_t)(one->neg << 3 * i);
	in->abs |= one->abs; /* only of a truth table, which the second may have */
	in->omod |= one->omod;
	for (unsigned k = 0; k < 3; k++)
		if (mx_has_operand(one, MX_AT_SRC0 + k))
			mx_set_operand(in, of_operation[i].sources + k,
			               one->operand[MX_AT_SRC0 + k]);
	mx_set_operand(in, of_operation[i].result, one->operand[MX_AT_RESULT]);
}

void mx_join_operations(struct mx_inst *in, const struct mx_inst *x, const struct mx_inst *y) {
	take_operation(in, x, 0);
	take_operation(in, y, 1);
}

void mx_dual_operation(const struct mx_inst *in, unsigned i, struct mx_inst *one) {
	*one = *in;
	one->op = in->dual[i];
	one->neg = in->neg >> 3 * i & 7;
	one->abs = i ? in->abs : 0;
	one->omod = i ? in->omod : 0;
	one->plain = !one->neg || one->op->flags & MX_TRUTH;
	for (unsigned k = 0; k < 3; k++)
		one->operand[MX_AT_SRC0 + k] = in->operand[of_operation[i].sources + k];
	one->operand[MX_AT_RESULT] = in->operand[of_operation[i].result];
}

const struct mx_operand *mx_loaded_operand(const struct mx_inst *in) {
	mx_kind kind = in->op ? mx_kind_of(in->op) : MX_IS_ORDINARY;
	bool returns = kind == MX_IS_CLOCK || kind == MX_IS_BARRIER_STATE;
	bool loads = in->op && (in->op->unit == MX_UNIT_MEMORY || (returns && in->counts));
	return loads && mx_has_operand(in, MX_AT_RESULT) ? &in->operand[MX_AT_RESULT] : NULL;
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

/* ---- lanes ---- */

/* Whether the result is one block of 16x16 or 32x32: not "4x4x4_16b", not f64. */
static bool one_block(const struct mx_inst *in) {
	bool single = !in->mai.dense || in->mai.dense->blocks == 1;
	return single && (in->op->d == 4 || in->op->d == 16);
}

/* Of results of 16 bits a register has two rows. Lanes l and 16 + l have row l of A, or column l of
 * B; the scales of a row of A with 32 rows are in one lane. */
static int wmma_lane(const struct mx_inst *in, mx_operand_role role, int lane, unsigned part) {
	const struct mx_wmma *op = in->mai.wmma;
	unsigned row, col, half = 16 * in->mai.byte[role == MX_AS_SCALE_B];
	bool rows = role == MX_AS_A || role == MX_AS_SCALE_A;
	if (op->d == MX_T_F16 || op->d == MX_T_BF16 ||
	    mx_wmma_result(op, (unsigned)lane, part, &row, &col) != MX_OK)
		return -1;
	if (role == MX_AS_SCALE_A && op->m == 32)
		return (int)row;
	bool scale = role == MX_AS_SCALE_A || role == MX_AS_SCALE_B;
	return (int)((rows ? row % 16 : col) + (scale ? half : 0));
}

/* Lane l of A and of the scales of A holds row l % mn, lane l of B column l % mn [ISA 7.1.5].
 * Returns the first lane of several. */
static int matrix_lane(const struct mx_inst *in, mx_operand_role role, int lane, unsigned part) {
	mx_shape shape = in->op->d == 4 ? MX_16X16X128 : MX_32X32X64;
	unsigned row, col;
	if (role == MX_AS_C)
		return lane;
	if (in->mai.wmma)
		return wmma_lane(in, role, lane, part);
	if (!one_block(in))
		return -1;
	mx_layout_result(shape, (unsigned)lane, part, &row, &col);
	return (int)(role == MX_AS_A || role == MX_AS_SCALE_A ? row : col);
}

/* The lane that v_readlane or v_readfirstlane reads. */
static int read_lane(const struct mx_inst *in, const struct mx_registers *r) {
	unsigned code = mx_source(in, 1);
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
	if (mx_kind_of(in->op) == MX_IS_PERMUTE && o->role == MX_AS_SRC0)
		return -1;
	if (in->dpp.used && o->role == MX_AS_SRC0)
		return mx_dpp_source(in, lane);
	return lane;
}
