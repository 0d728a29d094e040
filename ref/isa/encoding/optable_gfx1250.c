/* The opcodes of gfx1250: rows of opcodes.def by name (gfx1250_names.def), with its own sizes. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "decode.h"
#include "operand_spec.h"
#include "operand_types.h"

struct mx_op mx_gfx1250_ops[MX_OPS];

/* ---- names ---- */

static const struct renamed {
	const char *name;
	mx_opcode op; /* MX_OPS: different */
} renamed[] = {
#define MX_RENAMED(name, as) { #name, MX_OP_##as },
#define MX_DIFFERENT(name)   { #name, MX_OPS },
#include "gfx1250_names.def"
};
enum { N_RENAMED = sizeof renamed / sizeof *renamed };

/* All names, sorted. */
static struct renamed names[N_RENAMED + MX_OPS];
static size_t n_names;

static int by_name(const void *a, const void *b) {
	return strcmp(((const struct renamed *)a)->name, ((const struct renamed *)b)->name);
}

static void sort_names(void) {
	bool known[MX_OPS] = { false };
	for (size_t i = 0; i < N_RENAMED; i++)
		names[n_names++] = renamed[i];
	for (size_t i = 0; i < N_RENAMED; i++)
		for (size_t k = 0; renamed[i].op == MX_OPS && k < MX_OPS; k++)
			known[k] |= !strcmp(mx_gfx950_ops[k].name, renamed[i].name);
	for (unsigned k = 0; k < MX_OPS; k++)
		if (!known[k])
			names[n_names++] = (struct renamed){ mx_gfx950_ops[k].name, (mx_opcode)k };
	qsort(names, n_names, sizeof *names, by_name);
}

static const struct renamed *find_name(const char *name) {
	return bsearch(&(struct renamed){ .name = name }, names, n_names, sizeof *names, by_name);
}

/* The halves of two operations in one instruction have the names of the operations,
 * "v_dual_mov_b32".
 */
static const struct renamed *name_of(const struct mx_isa_row *row) {
	static const char dual[] = "v_dual_";
	char name[64];
	const char *from = mx_text(row->name);
	size_t n = strlen(from) - strlen(mx_text(row->suffix)), skip = 0;
	if (!strncmp(from, dual, strlen(dual)))
		skip = strlen(dual) - strlen("v_");
	if (n - skip >= sizeof name)
		return NULL;
	memcpy(name, from + skip, n - skip);
	memcpy(name, "v_", skip ? 2 : 0);
	name[n - skip] = 0;
	return find_name(name);
}

/* ---- the table ---- */

static const struct mx_op *op_of_row[2048]; /* of each row of gfx1250.def; NULL: not executed */

/* 16-bit results keep the other half of their register [LLVM: true16 of gfx11 and later]. */
static void keep_halves(struct mx_op *op) {
	const struct mx_type_info *t = &mx_operand_types[op->type];
	if (!mx_has_lanes(op) || t->bits != 16 || t->elements != 1)
		return;
	op->flags |= MX_KEEP_HALF;
	op->flags &= ~(uint64_t)MX_HALF_UNKNOWN;
}

/* CLAMP of a conversion to or from FP8 makes it E5M3 [LLVM "fp8_e5m3"]. */
static void take_clamp(struct mx_op *op, const struct mx_isa_row *row) {
	struct mx_cvt_info info = mx_cvt_info(op->cvt);
	bool fp8 = mx_is_cvt(op) && (!strcmp(info.from, "E4M3") || !strcmp(info.to, "E4M3"));
	if (fp8 && strstr(mx_text(row->modifiers), "clamp"))
		op->flags |= MX_CLAMPS;
}

static void add_row(size_t i, const struct mx_isa_row *row) {
	const struct renamed *n = name_of(row);
	if (!n || n->op == MX_OPS)
		return;
	struct mx_op *op = &mx_gfx1250_ops[n->op];
	if (!op->name) {
		*op = mx_gfx950_sized_ops()[n->op];
		op->name = n->name;
		keep_halves(op);
	}
	op_of_row[i] = op;
	take_clamp(op, row);
	mx_size_operands(op, row);
}

static void make_table(void) {
	const struct mx_encodings *e = &mx_gfx1250_encodings;
	sort_names();
	for (size_t i = 0; i < e->n_rows && i < sizeof op_of_row / sizeof *op_of_row; i++)
		add_row(i, &e->rows[i]);
	for (unsigned k = 0; k < MX_OPS; k++)
		if (!mx_gfx1250_ops[k].name)
			mx_gfx1250_ops[k] = (struct mx_op){ mx_gfx950_ops[k].name, (mx_opcode)k };
	mx_gfx1250_ops[MX_OP_v_dual] = mx_gfx950_ops[MX_OP_v_dual];
}

const struct mx_op *mx_gfx1250_op(const struct mx_isa_row *row) {
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, make_table);
	return op_of_row[row - mx_gfx1250_encodings.rows];
}
