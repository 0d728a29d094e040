/* Checks of a case that do not depend on the shape; each message has its line. */
#include "schema.h"
#include "dtype.h"
#include "epilogue.h"
#include "layout.h"
#include "quantised.h"
#include "reference.h"
#include "steps.h"

#include <ctype.h>
#include <string.h>

unsigned case_line_of(struct source *s, const char *list, unsigned i, const char *key) {
	const yaml_node_t *root = yaml_document_get_root_node(&s->document);
	const yaml_node_t *sequence = source_key(s, root, list);
	const yaml_node_t *entry = source_entry(s, sequence, i);
	const yaml_node_t *value = source_key(s, entry, key);
	return source_line(value ? value : entry ? entry : sequence ? sequence : root);
}

bool case_is_name(const char *name) {
	if (!*name || isdigit((unsigned char)*name))
		return false;
	while (isalnum((unsigned char)*name) || *name == '_')
		name++;
	return !*name;
}

/* Why `name` is not valid for a case; NULL: it is. --save makes folders of its parts, globs select
 * it, and it occurs in TAP and, quoted, in shell commands. */
static const char *bad_case_name(const char *name) {
	for (const char *c = name; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			return "has a control character";
	if (strpbrk(name, "'\"*?[]\\#"))
		return "has one of ' \" * ? [ ] \\ #";
	for (const char *part = name;; part++) {
		if (!*part || *part == '/')
			return "has an empty part";
		if (*part == '.' || *part == '-')
			return "has a part that begins with . or -";
		part += strcspn(part, "/");
		if (!*part)
			return NULL;
	}
}

static bool is_name_of_groups(const struct mx_case *c, const char *name) {
	return c->groups && (!strcmp(name, "G") || !strcmp(name, "R") || !strcmp(name, "LONGEST"));
}

/* Why `name` may not be defined after the first n_let and n_buffers; NULL: it may. */
static const char *clash(const struct mx_case *c, unsigned n_let, unsigned n_buffers,
                         const char *name) {
	if (!case_is_name(name))
		return "is not a name of letters, digits and _";
	if (is_name_of_groups(c, name) || (strlen(name) == 1 && strchr("MNK", *name)))
		return "is a name of the shape";
	for (unsigned i = 0; i < n_let; i++)
		if (!strcmp(c->let[i].name, name))
			return "is already a let";
	for (unsigned i = 0; i < n_buffers; i++)
		if (!strcmp(c->buffers[i].name, name))
			return "is already a buffer";
	return NULL;
}

/* A size may not have the name of a let or a buffer, nor one that groups define. */
const char *case_bad_size(const struct mx_case *c, const char *name) {
	if (strlen(name) == 1 && strchr("MNK", *name))
		return NULL;
	if (is_name_of_groups(c, name))
		return "is a name of groups";
	return clash(c, c->n_let, c->n_buffers, name);
}

/* Sizes of variant v: a run may not have them too. */
static int check_variant(struct source *s, const struct mx_case *c, unsigned i,
                         struct mx_error *err) {
	const struct mx_variant *v = &c->variants[i];
	const char *why = bad_case_name(v->name);
	for (unsigned k = 0; !why && k < i; k++)
		why = strcmp(c->variants[k].name, v->name) ? NULL : "is already a variant";
	if (why)
		return source_fail(err, s, case_line_of(s, "variants", i, "name"),
		                   "variants[%u].name: '%s' %s", i, v->name, why);
	if (!v->kernel && !c->kernel && !c->n_steps)
		return source_fail(err, s, case_line_of(s, "variants", i, "name"),
		                   "variants[%u]: neither it nor the case has a kernel", i);
	for (unsigned k = 0; k < v->sizes.n; k++) {
		const char *name = v->sizes.at[k].name;
		why = strlen(name) == 1 && strchr("MNK", *name) ? "is a size of runs"
		                                                : case_bad_size(c, name);
		for (unsigned r = 0; !why && r < c->n_runs; r++)
			why = case_has_size(&c->runs[r].sizes, name) ? "is a size of a run" : NULL;
		if (why)
			return source_fail(err, s, case_line_of(s, "variants", i, "sizes"),
			                   "variants[%u].sizes: '%s' %s", i, name, why);
	}
	return 0;
}

static int check_variants(struct source *s, const struct mx_case *c, struct mx_error *err) {
	for (unsigned i = 0; i < c->n_variants; i++)
		if (check_variant(s, c, i, err))
			return -1;
	return 0;
}

/* A product has M, N and K. */
static int check_sizes(struct source *s, const struct mx_case *c, struct mx_error *err) {
	bool product = case_find_role(c, MX_ROLE_A) >= 0 || case_find_role(c, MX_ROLE_B) >= 0;
	for (unsigned i = 0; i < c->n_runs; i++) {
		const struct mx_sizes *z = &c->runs[i].sizes;
		for (unsigned k = 0; k < z->n; k++) {
			const char *why = case_bad_size(c, z->at[k].name);
			if (why)
				return source_fail(err, s, case_line_of(s, "runs", i, "sizes"),
				                   "runs[%u].sizes: '%s' %s", i, z->at[k].name,
				                   why);
		}
		if ((product || c->groups) && (z->n < 3 || strcmp(z->at[2].name, "K")))
			return source_fail(err, s, case_line_of(s, "runs", i, "regime"),
			                   "runs[%u]: a product has the sizes M, N and K", i);
		if (c->runs[i].tiles < 0 || c->runs[i].tiles > MX_MOST_TILES)
			return source_fail(err, s, case_line_of(s, "runs", i, "tiles"),
			                   "runs[%u].tiles: not 0 to %d", i, MX_MOST_TILES);
	}
	return 0;
}

static int check_run_groups(struct source *s, const struct mx_case *c, struct mx_error *err) {
	for (unsigned i = 0; i < c->n_runs; i++) {
		const struct mx_run_spec *r = &c->runs[i];
		const char *why = r->n_groups && !c->groups ? "the case has no groups" : NULL;
		for (unsigned k = 0; !why && k < r->n_groups; k++)
			why = r->groups[k] < 0 ? "a number is negative" : NULL;
		if (why)
			return source_fail(err, s, case_line_of(s, "runs", i, "groups"),
			                   "runs[%u].groups: %s", i, why);
	}
	return 0;
}

static int check_names(struct source *s, const struct mx_case *c, struct mx_error *err) {
	const yaml_node_t *root = yaml_document_get_root_node(&s->document);
	const char *why = bad_case_name(c->name);
	if (why)
		return source_fail(err, s, source_line(source_key(s, root, "name")),
		                   "name: '%s' %s", c->name, why);
	for (unsigned i = 0; i < c->n_buffers; i++)
		if ((why = clash(c, 0, i, c->buffers[i].name)))
			return source_fail(err, s, case_line_of(s, "buffers", i, "name"),
			                   "buffers[%u].name: '%s' %s", i, c->buffers[i].name, why);
	for (unsigned i = 0; i < c->n_let; i++)
		if ((why = clash(c, i, c->n_buffers, c->let[i].name)))
			return source_fail(err, s, case_line_of(s, "let", i, "name"),
			                   "let[%u].name: '%s' %s", i, c->let[i].name, why);
	if (check_variants(s, c, err) || check_sizes(s, c, err))
		return -1;
	return check_run_groups(s, c, err);
}

int case_find_role(const struct mx_case *c, mx_role role) {
	for (unsigned i = 0; i < c->n_buffers; i++)
		if (c->buffers[i].role == role)
			return i;
	return -1;
}

int case_find_buffer(const struct mx_case *c, const char *name) {
	for (unsigned i = 0; i < c->n_buffers; i++)
		if (!strcmp(c->buffers[i].name, name))
			return (int)i;
	return -1;
}

static const char *bad_type(mx_role role, mx_buffer_type type) {
	bool element = dtype_is_format(type), scale = type == MX_DT_E8M0;
	bool wide = type == MX_DT_F32 || type == MX_DT_BF16 || type == MX_DT_F16;
	switch (role) {
	case MX_ROLE_A:
	case MX_ROLE_B: return element ? NULL : "an operand needs an element format";
	case MX_ROLE_A_SCALE:
	case MX_ROLE_B_SCALE: return scale ? NULL : "a scale is e8m0";
	case MX_ROLE_C: return wide ? NULL : "an output is f32, bf16 or f16";
	case MX_ROLE_C_IN:
	case MX_ROLE_BIAS_ROWS:
	case MX_ROLE_BIAS_COLS: return wide ? NULL : "C and a bias are f32, bf16 or f16";
	case MX_ROLE_GROUP_BEGIN:
	case MX_ROLE_GROUP_ROWS: return type >= MX_DT_I32 ? NULL : "group sizes have 32 or 64 bits";
	case MX_ROLE_NONE: break;
	}
	return NULL;
}

static int check_roles(struct source *s, const struct mx_case *c, struct mx_error *err) {
	for (unsigned i = 0; i < c->n_buffers; i++) {
		const struct mx_buffer_spec *b = &c->buffers[i];
		int first = b->role == MX_ROLE_NONE ? (int)i : case_find_role(c, b->role);
		if (first != (int)i)
			return source_fail(err, s, case_line_of(s, "buffers", i, "role"),
			                   "buffers[%u].role: buffer %s already has this role", i,
			                   c->buffers[first].name);
		const char *why = bad_type(b->role, b->type);
		if (why)
			return source_fail(err, s, case_line_of(s, "buffers", i, "type"),
			                   "buffers[%u].type: %s", i, why);
	}
	return 0;
}

/* Data are drawn for an operand and its scales together. */
static int check_pair(struct source *s, const struct mx_case *c, mx_role role, mx_role other,
                      const char *lacking, struct mx_error *err) {
	int i = case_find_role(c, role);
	if (i < 0 || case_find_role(c, other) >= 0)
		return 0;
	return source_fail(err, s, case_line_of(s, "buffers", i, "role"),
	                   "buffers[%d].role: there is no buffer with role %s", i, lacking);
}

static int check_pairs(struct source *s, const struct mx_case *c, struct mx_error *err) {
	if (check_pair(s, c, MX_ROLE_A, MX_ROLE_A_SCALE, "a_scale", err) ||
	    check_pair(s, c, MX_ROLE_A_SCALE, MX_ROLE_A, "a", err) ||
	    check_pair(s, c, MX_ROLE_B, MX_ROLE_B_SCALE, "b_scale", err))
		return -1;
	return check_pair(s, c, MX_ROLE_B_SCALE, MX_ROLE_B, "b", err);
}

/* A product is that of one instruction, whose K is known: a dense one of f32, or a WMMA with scales
 * if the product has scales. */
static int check_instruction(struct source *s, const struct mx_case *c, const yaml_node_t *verdict,
                             struct mx_error *err) {
	const struct mx_verdict_spec *v = &c->verdict;
	const struct mx_dense *op = mx_dense_by_name(v->instruction);
	const struct mx_wmma *wmma = mx_wmma_by_name(v->instruction);
	const yaml_node_t *n = source_key(s, verdict, "instruction");
	bool scales = c->reference->slot[MX_SLOT_A_SCALE];
	if (!v->instruction)
		return source_fail(err, s, source_line(verdict), "missing key: instruction");
	if (scales ? !wmma || !wmma->block : !op || op->a != MX_T_F32)
		return source_fail(err, s, source_line(n), "verdict.instruction: %s is no %s",
		                   v->instruction, scales ? "WMMA with scales" : "MFMA of f32");
	if (v->mma_k || v->k_tile || v->swapped || v->flush)
		return source_fail(err, s, source_line(verdict),
		                   "a reference has no mma_k, k_tile, swapped and flush");
	return 0;
}

static int check_bits(struct source *s, const struct mx_case *c, struct mx_error *err) {
	const yaml_node_t *root = yaml_document_get_root_node(&s->document);
	const yaml_node_t *verdict = source_key(s, root, "verdict");
	const yaml_node_t *n = source_key(s, verdict, "mma_k");
	if (!c->verdict.profile)
		return source_fail(err, s, source_line(verdict), "missing key: profile");
	if (c->reference)
		return check_instruction(s, c, verdict, err);
	if (!c->verdict.mma_k || c->verdict.mma_k % MX_BLOCK)
		return source_fail(err, s, source_line(n ? n : verdict),
		                   "verdict.mma_k: %u is not a positive multiple of %d",
		                   c->verdict.mma_k, MX_BLOCK);
	if (c->verdict.k_tile % c->verdict.mma_k)
		return source_fail(err, s, source_line(source_key(s, verdict, "k_tile")),
		                   "verdict.k_tile: %u is not a multiple of mma_k, %u",
		                   c->verdict.k_tile, c->verdict.mma_k);
	return 0;
}

/* Judge set needs splits; other judges do not allow them. */
static int check_splits(struct source *s, const struct mx_case *c, struct mx_error *err) {
	const yaml_node_t *root = yaml_document_get_root_node(&s->document);
	unsigned line = source_line(source_key(s, root, "verdict"));
	const struct mx_verdict_spec *v = &c->verdict;
	if (v->judge != MX_JUDGE_SET)
		return v->splits || v->k_split
		               ? source_fail(err, s, line, "only judge set has splits and k_split")
		               : 0;
	if (!v->splits || !v->k_split)
		return source_fail(err, s, line, "missing key: %s",
		                   v->splits ? "k_split" : "splits");
	return 0;
}

/* Judge expect needs a buffer with `expect`. Judge close allows it; other judges do not. */
static int check_verdict(struct source *s, const struct mx_case *c, struct mx_error *err) {
	const yaml_node_t *root = yaml_document_get_root_node(&s->document);
	unsigned expected = 0;
	for (unsigned i = 0; i < c->n_buffers; i++)
		expected += c->buffers[i].expect != NULL;
	bool allowed = c->verdict.judge == MX_JUDGE_EXPECT || c->verdict.judge == MX_JUDGE_CLOSE;
	if ((expected && !allowed) || (!expected && c->verdict.judge == MX_JUDGE_EXPECT))
		return source_fail(
			err, s, source_line(source_key(s, root, "verdict")),
			expected ? "a buffer has expect, but the judge is not expect or close"
				 : "judge expect: no buffer has expect");
	if (check_splits(s, c, err) || case_check_close(s, c, err) || case_check_repack(s, c, err))
		return -1;
	bool bits = c->verdict.judge == MX_JUDGE_BITS || c->verdict.judge == MX_JUDGE_SET;
	if (c->verdict.instruction && (!bits || !c->reference))
		return source_fail(err, s, source_line(source_key(s, root, "verdict")),
		                   "only judge bits of a reference has an instruction");
	if (c->verdict.flush && (!bits || c->epilogue || c->groups))
		return source_fail(err, s, source_line(source_key(s, root, "verdict")),
		                   "flush is for judges bits and set without groups or epilogue");
	return bits ? check_bits(s, c, err) : 0;
}

static int check_indices(struct source *s, const struct mx_case *c, struct mx_error *err) {
	for (unsigned i = 0; i < c->n_buffers; i++) {
		const struct mx_buffer_spec *b = &c->buffers[i];
		if (b->data && !strcmp(b->data, "index") && b->type < MX_DT_I8)
			return source_fail(err, s, case_line_of(s, "buffers", i, "data"),
			                   "buffers[%u].data: index is for types of integers", i);
	}
	return 0;
}

/* Operands are rows with contiguous K. */
static int check_orders(struct source *s, const struct mx_case *c, struct mx_error *err) {
	for (unsigned i = 0; i < c->n_buffers; i++)
		if (c->buffers[i].order == MX_ORDER_COL && c->buffers[i].role != MX_ROLE_C &&
		    c->buffers[i].role != MX_ROLE_C_IN && c->buffers[i].role != MX_ROLE_NONE)
			return source_fail(err, s, case_line_of(s, "buffers", i, "order"),
			                   "buffers[%u].order: operands and scales must be in rows",
			                   i);
	return 0;
}

static int check_groups(struct source *s, const struct mx_case *c, struct mx_error *err) {
	for (unsigned i = 0; i < c->n_buffers && !c->groups; i++)
		if (c->buffers[i].role >= MX_ROLE_GROUP_BEGIN)
			return source_fail(err, s, case_line_of(s, "buffers", i, "role"),
			                   "buffers[%u].role: the case has no groups", i);
	int out = case_find_role(c, MX_ROLE_C);
	const char *data = out < 0 ? NULL : c->buffers[out].data;
	if (c->groups && c->groups->padding == MX_PADDING_KEPT && data && strcmp(data, "poison"))
		return source_fail(
			err, s, case_line_of(s, "buffers", out, "data"),
			"buffers[%d].data: padding is kept, so the output must be poison", out);
	return 0;
}

static int check_epilogue(struct source *s, const struct mx_case *c, struct mx_error *err) {
	struct epilogue_fault f;
	if (!epilogue_is_wrong(c, &f))
		return 0;
	if (f.i >= 0)
		return source_fail(err, s, case_line_of(s, f.list, (unsigned)f.i, f.key),
		                   "%s[%d].%s: %s", f.list, f.i, f.key, f.why);
	const yaml_node_t *root = yaml_document_get_root_node(&s->document);
	const yaml_node_t *mapping = source_key(s, root, f.list);
	const yaml_node_t *key = f.key ? source_key(s, mapping, f.key) : NULL;
	return source_fail(err, s, source_line(key ? key : mapping), "%s%s%s: %s", f.list,
	                   f.key ? "." : "", f.key ? f.key : "", f.why);
}

/* Why a buffer cannot have its layout, and the key at fault; NULL: it can. */
static const char *bad_layout(const struct mx_buffer_spec *b, const char **key) {
	const struct mx_layout *l = mx_layout_by_name(b->layout);
	bool scales = b->role == MX_ROLE_A_SCALE || b->role == MX_ROLE_B_SCALE;
	unsigned fill;
	*key = "layout";
	if (!l)
		return "unknown layout";
	mx_layout_use use = mx_layout_holds(l);
	bool operand = b->role >= MX_ROLE_A && b->role <= MX_ROLE_B_SCALE;
	if (operand && use != MX_LAYOUT_ANY && scales != (use == MX_LAYOUT_SCALES))
		return scales ? "it is a layout of codes" : "it is a layout of scales";
	if (operand && use == MX_LAYOUT_FP4 && b->type != MX_DT_E2M1)
		return "it is a layout of e2m1 codes";
	if (use == MX_LAYOUT_F32 && b->type != MX_DT_F32)
		return "it is a layout of f32";
	if (!dtype_is_format(b->type) && mx_layout_run(l) % dtype_bytes(b->type, 1))
		return "it splits the bytes of an element";
	if (b->ld || b->extent)
		return "a packed buffer has no ld or extent";
	*key = "fill";
	if (!mx_layout_fill(b->fill, &fill))
		return "it must be 0 to 255, poison or random";
	return b->of && fill == MX_FILL_RANDOM
	               ? "the padding of a copy is judged, so it is not random"
	               : NULL;
}

static int check_layouts(struct source *s, const struct mx_case *c, struct mx_error *err) {
	for (unsigned i = 0; i < c->n_buffers; i++) {
		const struct mx_buffer_spec *b = &c->buffers[i];
		const char *key = b->fill       ? "fill"
		                  : b->pad_rows ? "pad_rows"
		                  : b->pad_cols ? "pad_cols"
		                                : "slack";
		const char *why = NULL;
		if (b->layout)
			why = bad_layout(b, &key);
		else if (b->pad_rows || b->pad_cols || b->fill || b->slack)
			why = "the buffer has no layout";
		if (why)
			return source_fail(err, s, case_line_of(s, "buffers", i, key),
			                   "buffers[%u].%s: %s", i, key, why);
	}
	return 0;
}

/* Why a buffer cannot lie where it does, and the key at fault; NULL: it can. */
static const char *bad_place(const struct mx_case *c, unsigned i, const char **key) {
	const struct mx_buffer_spec *b = &c->buffers[i];
	int in = b->in ? case_find_buffer(c, b->in) : (int)i;
	*key = "batch";
	if ((b->batch || b->batch_ld) && b->role != MX_ROLE_NONE)
		return "only a buffer with role none has a batch";
	*key = "batch_ld";
	if (b->batch_ld && !b->batch)
		return "the buffer has no batch";
	*key = "in";
	if (in < 0)
		return "no buffer has this name";
	if (b->in && (in == (int)i || c->buffers[in].in || c->buffers[in].role != MX_ROLE_NONE ||
	              c->buffers[in].layout))
		return "it must be a buffer of its own, with role none and no layout";
	*key = "guard";
	if (b->in && b->guard)
		return "a buffer in another one has no guard";
	*key = "at";
	return b->at && !b->in ? "the buffer is not in another one" : NULL;
}

static int check_places(struct source *s, const struct mx_case *c, struct mx_error *err) {
	for (unsigned i = 0; i < c->n_buffers; i++) {
		const char *key, *why = bad_place(c, i, &key);
		if (why)
			return source_fail(err, s, case_line_of(s, "buffers", i, key),
			                   "buffers[%u].%s: %s", i, key, why);
	}
	return 0;
}

int case_check(struct source *s, const struct mx_case *c, struct mx_error *err) {
	if (check_names(s, c, err) || check_roles(s, c, err) || check_pairs(s, c, err) ||
	    check_indices(s, c, err) || check_orders(s, c, err) || check_layouts(s, c, err) ||
	    check_places(s, c, err) || check_groups(s, c, err) || check_epilogue(s, c, err) ||
	    steps_check(s, c, err))
		return -1;
	if (reference_check(s, c, err) || quantised_check(s, c, err))
		return -1;
	return check_verdict(s, c, err);
}
