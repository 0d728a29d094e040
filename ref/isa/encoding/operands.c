/* Which registers an instruction reads, and what for. */
#include "operands.h"

#include <ctype.h>
#include <string.h>

#include "../machine/registers.h"
#include "dpp.h"

struct list {
	struct mx_use *use;
	size_t n;
};

static bool is_register(unsigned code) {
	return code < MX_INT_0 || code >= MX_VGPR || code == MX_SCC;
}

static void add(struct list *l, const char *role, unsigned code, unsigned dwords, bool value) {
	if (dwords && is_register(code) && l->n < MX_MAX_USES)
		l->use[l->n++] = (struct mx_use){ role, (uint16_t)code, (uint8_t)dwords, value };
}

/* ---- by kind ---- */

static const char *const sources[] = { "src0", "src1", "src2" };

static void add_cvt(const struct mx_inst *in, struct list *l) {
	struct mx_cvt_info info = mx_cvt_info(in->op->cvt);
	unsigned i = 0;
	for (; i < info.data; i++)
		add(l, sources[i], in->src[i], info.data_dwords, true);
	if (info.stochastic)
		add(l, "random", in->src[i++], 1, true);
	if (info.scaled)
		add(l, "scale", in->src[i], 1, true);
	if (info.partial)
		add(l, "old", in->dst, 1, true);
}

static void add_matrix(const struct mx_inst *in, struct list *l) {
	static const char *const names[] = { "A", "B", "C" };
	for (unsigned i = 3; i-- > 0;) {
		unsigned n = in->op->s[i];
		if (!in->mai.dense && i < 2)
			n = mx_operand_vgprs(i ? in->mai.blgp : in->mai.cbsz);
		add(l, names[i], in->src[i], n, true);
	}
	for (unsigned i = 0; in->mai.scaled && i < 2; i++)
		add(l, i ? "scale of B" : "scale of A", in->mai.scale[i], 1, true);
}

/* VCCZ and EXECZ are of the pairs [ISA 3.9]. */
static void add_source(struct list *l, unsigned i, unsigned code, unsigned dwords) {
	bool zero = dwords && (code == MX_VCCZ || code == MX_EXECZ);
	if (zero)
		add(l, sources[i], code == MX_VCCZ ? MX_VCC : MX_EXEC, 2, true);
	else
		add(l, sources[i], code, dwords, true);
}

static void add_alu(const struct mx_inst *in, struct list *l) {
	const struct mx_op *op = in->op;
	for (unsigned i = 0; i < 3; i++)
		add_source(l, i, in->src[i], op->s[i]);
	if (op->flags & MX_CARRY_IN)
		add(l, "mask", in->src[2], 2, true);
	if (op->flags & MX_VCC_IN)
		add(l, "mask", MX_VCC, 2, true);
	bool listed = op->s[2] && in->src[2] == in->dst; /* as fmac has it */
	if (op->flags & (MX_READS_D | MX_KEEP_HALF) && !listed)
		add(l, "old", in->dst, op->d, true);
	if (op->flags & MX_SCC_IN)
		add(l, "flag", MX_SCC, 1, true);
	if (op->flags & MX_EXEC_OUT)
		add(l, "exec", MX_EXEC, 2, true);
}

static void add_scalar_memory(const struct mx_inst *in, struct list *l) {
	bool buffer = !strncmp(in->op->name, "s_buffer", 8);
	if (in->op->flags & MX_STORE)
		add(l, "data", in->mem.data, (in->op->d + 3) / 4, true);
	add(l, "address", in->mem.rsrc, buffer ? 4 : 2, false);
	if (in->mem.saddr)
		add(l, "offset", in->mem.soffset, 1, false);
}

/* Registers of a lane's data: of components two to a register where they are D16. */
static unsigned data_registers(const struct mx_op *op) {
	if (op->flags & MX_FORMAT)
		return op->flags & MX_D16 ? (op->d + 1u) / 2 : op->d;
	return (op->d + 3u) / 4;
}

static void add_data(const struct mx_inst *in, struct list *l) {
	const struct mx_op *op = in->op;
	unsigned n = data_registers(op);
	bool ds = op->encoding == MX_DS, two = op->flags & (MX_TWO | MX_SECOND);
	if (op->flags & MX_STORE || strstr(op->name, "permute"))
		add(l, "data", in->mem.data, !ds && op->flags & MX_SECOND ? 2 * n : n, true);
	if (ds && op->flags & MX_STORE && two)
		add(l, "data1", in->src[1], n, true);
}

static void add_memory(const struct mx_inst *in, struct list *l) {
	const struct mx_op *op = in->op;
	if (!op->d)
		return;
	if (!strcmp(op->name, "ds_consume") || !strcmp(op->name, "ds_append")) {
		add(l, "address", MX_M0, 1, false);
		return;
	}
	add_data(in, l);
	if (op->encoding == MX_MUBUF || op->encoding == MX_MTBUF) {
		add(l, "descriptor", in->mem.rsrc, 4, false);
		add(l, "offset", in->mem.soffset, 1, false);
		if (in->mem.offen || in->mem.idxen)
			add(l, "address", in->mem.addr, in->mem.offen + in->mem.idxen, false);
	} else if (op->encoding == MX_SCRATCH) {
		add(l, "address", in->mem.rsrc, in->mem.saddr, false);
		add(l, "address", in->mem.addr, in->mem.vaddr, false);
	} else if (!(op->flags & MX_ADDTID)) {
		add(l, "address", in->mem.rsrc, in->mem.saddr ? 2 : 0, false);
		bool one = op->encoding == MX_DS || in->mem.saddr;
		add(l, "address", in->mem.addr, one ? 1 : 2, false);
	}
	if (in->mem.lds)
		add(l, "LDS base", MX_M0, 1, false);
}

/* Compare-and-swap has two operands. */
unsigned mx_smem_data_dwords(const struct mx_inst *in) {
	return in->op->d / 4 * (in->op->flags & MX_SECOND ? 2 : 1);
}

struct mx_use mx_load_target(const struct mx_inst *in) {
	const struct mx_op *op = in->op;
	unsigned n = op->encoding == MX_SMEM ? mx_smem_data_dwords(in) : data_registers(op);
	if (op->encoding == MX_SMEM && !(op->flags & MX_STORE) && (!op->rmw || in->mem.glc))
		return (struct mx_use){ "loaded", in->mem.data, (uint8_t)n, true };
	if (op->encoding == MX_DS && op->flags & MX_LOAD)
		n = op->flags & MX_TWO ? 2 * n : n;
	else if (op->encoding < MX_DS || in->mem.lds ||
	         !(op->rmw ? in->mem.sc0 : op->flags & MX_LOAD))
		n = 0;
	return (struct mx_use){ "loaded", in->dst, (uint8_t)n, true };
}

size_t mx_uses(const struct mx_inst *in, struct mx_use use[MX_MAX_USES]) {
	struct list l = { use, 0 };
	if (!in->op)
		return 0;
	mx_encoding e = in->op->encoding;
	if (e == MX_SMEM)
		add_scalar_memory(in, &l);
	else if (e >= MX_DS) /* and all vector memory behind it */
		add_memory(in, &l);
	else if (e == MX_MAI && !in->op->lanes)
		add_matrix(in, &l);
	else if (mx_is_cvt(in->op))
		add_cvt(in, &l);
	else
		add_alu(in, &l);
	return l.n;
}

/* ---- lanes ---- */

/* Of one block of 16x16 or 32x32: not "4x4x4_16b", not f64. */
static bool one_block(const struct mx_op *op) {
	for (const char *p = op->name; (p = strchr(p + 1, 'b'));)
		if (isdigit((unsigned char)p[-1]) && p[1] == '_')
			return false;
	return op->d == 4 || op->d == 16;
}

/* Lane l of A and of the scales of A holds row l % mn; of B column l % mn [ISA 7.1.5]. The
 * first lane of several. */
static int matrix_lane(const struct mx_inst *in, const struct mx_use *use, int lane,
                       unsigned part) {
	mx_shape shape = in->op->d == 4 ? MX_16X16X128 : MX_32X32X64;
	unsigned row, col;
	const char *role = use->role;
	if (role[0] == 'C')
		return lane;
	if (!one_block(in->op))
		return -1;
	mx_layout_result(shape, (unsigned)lane, part, &row, &col);
	return (int)(role[strlen(role) - 1] == 'A' ? row : col);
}

/* v_readlane's lane, or v_readfirstlane's. */
static int read_lane(const struct mx_inst *in, const struct mx_registers *r) {
	unsigned code = in->src[1];
	uint64_t exec = mx_pair(r->s + MX_EXEC);
	if (strcmp(in->op->name, "v_readlane_b32"))
		return exec ? __builtin_ctzll(exec) : 0;
	if (code >= MX_INT_0 && code < MX_INT_64)
		return (int)(code - MX_INT_0);
	return code < MX_INT_0 ? (int)(r->s[code] & 63) : -1;
}

int mx_use_lane(const struct mx_inst *in, const struct mx_use *use, int lane, unsigned part,
                const struct mx_registers *r) {
	if (use->code < MX_VGPR)
		return -1;
	if (!strncmp(in->op->name, "v_read", 6) && use->role == sources[0])
		return read_lane(in, r);
	if (lane < 0)
		return -1;
	if (in->op->encoding == MX_MAI && !in->op->lanes)
		return matrix_lane(in, use, lane, part);
	if (in->dpp.used && use->role == sources[0])
		return mx_dpp_source(in->dpp.ctrl, lane);
	return lane;
}
