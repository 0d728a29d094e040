/* The schema of a case file for libcyaml, and the names of its enumerations. */
#define _GNU_SOURCE
#include "contract.h"
#include "waivers.h"

#include <stdlib.h>
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

static const cyaml_strval_t roles[] = {
	{ "none", MX_ROLE_NONE },
	{ "a", MX_ROLE_A },
	{ "a_scale", MX_ROLE_A_SCALE },
	{ "b", MX_ROLE_B },
	{ "b_scale", MX_ROLE_B_SCALE },
	{ "c", MX_ROLE_C },
	{ "c_in", MX_ROLE_C_IN },
	{ "bias_rows", MX_ROLE_BIAS_ROWS },
	{ "bias_cols", MX_ROLE_BIAS_COLS },
	{ "group_begin", MX_ROLE_GROUP_BEGIN },
	{ "group_rows", MX_ROLE_GROUP_ROWS },
};

static const cyaml_strval_t types[] = {
#define MX_DTYPE(id, name, bytes, kind) { #name, MX_DT_##id },
#include "dtypes.def"
#undef MX_DTYPE
};

static const cyaml_strval_t orders[] = { { "row", MX_ORDER_ROW }, { "col", MX_ORDER_COL } };

static const cyaml_strval_t arg_types[] = {
	{ "ptr", MX_ARG_PTR }, { "i8", MX_ARG_I8 },   { "u8", MX_ARG_U8 },   { "i16", MX_ARG_I16 },
	{ "u16", MX_ARG_U16 }, { "i32", MX_ARG_I32 }, { "u32", MX_ARG_U32 }, { "i64", MX_ARG_I64 },
	{ "u64", MX_ARG_U64 }, { "f32", MX_ARG_F32 }, { "f64", MX_ARG_F64 },
};

static const cyaml_strval_t paddings[] = {
	{ "free", MX_PADDING_FREE },
	{ "zero", MX_PADDING_ZERO },
	{ "kept", MX_PADDING_KEPT },
	{ "none", MX_PADDING_NONE },
};

static const cyaml_strval_t groups_of[] = { { "rows", MX_GROUPS_ROWS },
	                                    { "cols", MX_GROUPS_COLS } };

static const cyaml_strval_t epilogue_orders[] = {
	{ "mul_add", MX_MUL_ADD },
	{ "fma_beta", MX_FMA_BETA },
	{ "fma_alpha", MX_FMA_ALPHA },
	{ "once", MX_ONCE },
};

static const cyaml_strval_t regimes[] = {
	{ "exact", MX_REGIME_EXACT },
	{ "general", MX_REGIME_GENERAL },
	{ "special", MX_REGIME_SPECIAL },
};

static const cyaml_strval_t judges[] = {
	{ "bits", MX_JUDGE_BITS },     { "bound", MX_JUDGE_BOUND }, { "set", MX_JUDGE_SET },
	{ "expect", MX_JUDGE_EXPECT }, { "close", MX_JUDGE_CLOSE }, { "repack", MX_JUDGE_REPACK },
	{ "none", MX_JUDGE_NONE },
};

static const cyaml_strval_t alongs[] = { { "rows", MX_ALONG_ROWS }, { "cols", MX_ALONG_COLS } };

static const cyaml_strval_t atomics[] = { { "rne", MX_ATOMIC_RNE }, { "rtz", MX_ATOMIC_RTZ } };

static const cyaml_strval_t assumptions[] = {
	{ "scratch-apart", MX_ASSUME_SCRATCH_APART },
	{ "threadgroup-split", MX_ASSUME_THREADGROUP_SPLIT },
	{ "soffset-unchecked", MX_ASSUME_SOFFSET_UNCHECKED },
};

static const cyaml_strval_t actions[] = {
	{ "fail", MX_FAILS },
	{ "report", MX_IS_REPORTED },
	{ "ignore", MX_IS_IGNORED },
};

static bool parse_action(const char *word, mx_action *action) {
	for (unsigned i = 0; i < COUNT(actions); i++)
		if (!strcmp(word, actions[i].str)) {
			*action = (mx_action)actions[i].val;
			return true;
		}
	return false;
}

bool mx_race_actions_parse(const char *text, struct mx_race_actions *races) {
	char *copy = strdup(text), *rest = copy, *word;
	bool good = copy && text[0];
	while (good && (word = strsep(&rest, ","))) {
		const char *value = strchr(word, '=');
		good = value && ((!strncmp(word, "unordered=", 10) &&
		                  parse_action(value + 1, &races->unordered)) ||
		                 (!strncmp(word, "latency=", 8) &&
		                  parse_action(value + 1, &races->latency)));
	}
	free(copy);
	return good;
}

const char *mx_epilogue_order_name(mx_epilogue_order o) {
	return epilogue_orders[o].str;
}

const char *mx_regime_name(mx_regime r) {
	return regimes[r].str;
}

bool mx_regime_by_name(const char *name, mx_regime *r) {
	for (size_t i = 0; i < COUNT(regimes); i++)
		if (!strcmp(regimes[i].str, name)) {
			*r = regimes[i].val;
			return true;
		}
	return false;
}

#define OPTIONAL CYAML_FLAG_OPTIONAL
#define STRING(type, member, flags)                                                                \
	CYAML_FIELD_STRING_PTR(#member, flags, struct type, member, 1, CYAML_UNLIMITED)
#define ENUM(type, member, names)                                                                  \
	CYAML_FIELD_ENUM(#member, CYAML_FLAG_STRICT, struct type, member, names, COUNT(names))
#define SEQUENCE(member, flags, entry, min, max)                                                   \
	CYAML_FIELD_SEQUENCE_COUNT(#member, CYAML_FLAG_POINTER | (flags), struct mx_case, member,  \
	                           n_##member, entry, min, max)
/* What a launch has, in `steps` or in the case itself: `in` is "" or "launch.". */
#define LAUNCH(type, in)                                                                           \
	CYAML_FIELD_SEQUENCE_COUNT("grid", CYAML_FLAG_POINTER | OPTIONAL, type, in grid,           \
	                           in n_grid, &string, 1, 3),                                      \
		CYAML_FIELD_SEQUENCE_COUNT("block", CYAML_FLAG_POINTER | OPTIONAL, type, in block, \
	                                   in n_block, &string, 1, 3),                             \
		CYAML_FIELD_SEQUENCE_COUNT("cluster", CYAML_FLAG_POINTER | OPTIONAL, type,         \
	                                   in cluster, in n_cluster, &string, 1, 3),               \
		CYAML_FIELD_STRING_PTR("lds", OPTIONAL, type, in lds, 1, CYAML_UNLIMITED),         \
		CYAML_FIELD_SEQUENCE_COUNT("kernarg", CYAML_FLAG_POINTER | OPTIONAL, type,         \
	                                   in kernarg, in n_kernarg, &argument, 0,                 \
	                                   CASE_MAX_KERNARG),                                      \
		CYAML_FIELD_UINT("kernarg_size", OPTIONAL, type, in kernarg_size)

static const cyaml_schema_field_t let_fields[] = {
	STRING(mx_let, name, 0),
	STRING(mx_let, value, 0),
	CYAML_FIELD_END,
};

/* clang-format off */
static const cyaml_schema_field_t buffer_fields[] = {
	STRING(mx_buffer_spec, name, 0),
	ENUM(mx_buffer_spec, role, roles),
	ENUM(mx_buffer_spec, type, types),
	STRING(mx_buffer_spec, rows, 0),
	STRING(mx_buffer_spec, cols, 0),
	CYAML_FIELD_ENUM("order", CYAML_FLAG_STRICT | OPTIONAL, struct mx_buffer_spec, order, orders, COUNT(orders)),
	STRING(mx_buffer_spec, batch, OPTIONAL),
	STRING(mx_buffer_spec, batch_ld, OPTIONAL),
	STRING(mx_buffer_spec, ld, OPTIONAL),
	STRING(mx_buffer_spec, extent, OPTIONAL),
	STRING(mx_buffer_spec, guard, OPTIONAL),
	STRING(mx_buffer_spec, data, OPTIONAL),
	STRING(mx_buffer_spec, expect, OPTIONAL),
	STRING(mx_buffer_spec, of, OPTIONAL),
	STRING(mx_buffer_spec, by, OPTIONAL),
	STRING(mx_buffer_spec, recipe, OPTIONAL),
	STRING(mx_buffer_spec, scales, OPTIONAL),
	CYAML_FIELD_ENUM("along", CYAML_FLAG_STRICT | OPTIONAL, struct mx_buffer_spec, along, alongs, COUNT(alongs)),
	CYAML_FIELD_BOOL("hadamard", OPTIONAL, struct mx_buffer_spec, hadamard),
	STRING(mx_buffer_spec, random, OPTIONAL),
	STRING(mx_buffer_spec, layout, OPTIONAL),
	STRING(mx_buffer_spec, pad_rows, OPTIONAL),
	STRING(mx_buffer_spec, pad_cols, OPTIONAL),
	STRING(mx_buffer_spec, fill, OPTIONAL),
	STRING(mx_buffer_spec, slack, OPTIONAL),
	STRING(mx_buffer_spec, in, OPTIONAL),
	STRING(mx_buffer_spec, at, OPTIONAL),
	CYAML_FIELD_END,
};
/* clang-format on */

static const cyaml_schema_field_t kernarg_fields[] = {
	CYAML_FIELD_UINT("offset", 0, struct mx_arg_spec, offset),
	ENUM(mx_arg_spec, type, arg_types),
	STRING(mx_arg_spec, value, 0),
	CYAML_FIELD_END,
};

/* clang-format off */
static const cyaml_schema_field_t verdict_fields[] = {
	ENUM(mx_verdict_spec, judge, judges),
	STRING(mx_verdict_spec, profile, OPTIONAL),
	STRING(mx_verdict_spec, instruction, OPTIONAL),
	CYAML_FIELD_UINT("mma_k", OPTIONAL, struct mx_verdict_spec, mma_k),
	CYAML_FIELD_BOOL("swapped", OPTIONAL, struct mx_verdict_spec, swapped),
	CYAML_FIELD_UINT("k_tile", OPTIONAL, struct mx_verdict_spec, k_tile),
	STRING(mx_verdict_spec, splits, OPTIONAL),
	STRING(mx_verdict_spec, k_split, OPTIONAL),
	CYAML_FIELD_ENUM("atomic", CYAML_FLAG_STRICT | OPTIONAL, struct mx_verdict_spec, atomic, atomics, COUNT(atomics)),
	CYAML_FIELD_BOOL("flush", OPTIONAL, struct mx_verdict_spec, flush),
	STRING(mx_verdict_spec, atol, OPTIONAL),
	STRING(mx_verdict_spec, rtol, OPTIONAL),
	STRING(mx_verdict_spec, ulp, OPTIONAL),
	CYAML_FIELD_END,
};
/* clang-format on */

static const cyaml_schema_value_t string = {
	CYAML_VALUE_STRING(CYAML_FLAG_POINTER, char *, 1, CYAML_UNLIMITED),
};

/* clang-format off */
static const cyaml_schema_field_t groups_fields[] = {
	CYAML_FIELD_SEQUENCE_COUNT("rows", CYAML_FLAG_POINTER, struct mx_groups_spec, rows, n_rows, &string, 1, MX_MAX_GROUPS),
	STRING(mx_groups_spec, pad, OPTIONAL),
	ENUM(mx_groups_spec, padding, paddings),
	CYAML_FIELD_ENUM("of", CYAML_FLAG_STRICT | OPTIONAL, struct mx_groups_spec, of, groups_of, COUNT(groups_of)),
	CYAML_FIELD_BOOL("zero", OPTIONAL, struct mx_groups_spec, zero),
	CYAML_FIELD_END,
};
/* clang-format on */

static const cyaml_schema_field_t epilogue_fields[] = {
	ENUM(mx_epilogue_spec, order, epilogue_orders),
	STRING(mx_epilogue_spec, alpha, OPTIONAL),
	STRING(mx_epilogue_spec, beta, OPTIONAL),
	CYAML_FIELD_BOOL("c_of_zero", OPTIONAL, struct mx_epilogue_spec, c_of_zero),
	CYAML_FIELD_END,
};

static const cyaml_schema_field_t race_fields[] = {
	CYAML_FIELD_ENUM("unordered", CYAML_FLAG_STRICT | OPTIONAL, struct mx_race_actions,
	                 unordered, actions, COUNT(actions)),
	CYAML_FIELD_ENUM("latency", CYAML_FLAG_STRICT | OPTIONAL, struct mx_race_actions, latency,
	                 actions, COUNT(actions)),
	CYAML_FIELD_END,
};

static const cyaml_strval_t reference_ops[] = {
#define MX_REFERENCE(id, name, needs, allows) { #name, MX_REFERENCE_##id },
#include "references.def"
#undef MX_REFERENCE
};

/* In which weights of attention meet V. The first, with value 0, is the default. */
static const cyaml_strval_t weight_types[] = {
	{ "f32", MX_WEIGHTS_F32 },         { "bf16", MX_WEIGHTS_BF16 },
	{ "f16", MX_WEIGHTS_F16 },         { "e4m3", MX_WEIGHTS_E4M3 },
	{ "e5m2", MX_WEIGHTS_E5M2 },       { "e4m3_up", MX_WEIGHTS_E4M3_UP },
	{ "e2m1_up", MX_WEIGHTS_E2M1_UP },
};

static const cyaml_strval_t roundings[] = {
	{ "rne", MX_ROUND_RNE },
	{ "rtz", MX_ROUND_RTZ },
	{ "half_up", MX_ROUND_HALF_UP },
};

const char *mx_output_rounding_name(mx_output_rounding r) {
	return roundings[r].str;
}

static const cyaml_strval_t inners[] = {
	{ "f32", MX_INNER_F32 },
	{ "bf16", MX_INNER_BF16 },
	{ "f16", MX_INNER_F16 },
	{ "e2m1_floor", MX_INNER_E2M1_FLOOR },
	{ "e2m1_even", MX_INNER_E2M1_EVEN },
	{ "e2m1_up", MX_INNER_E2M1_UP },
};

static const cyaml_strval_t ids[] = { { "byte", MX_IDS_BYTE }, { "flat", MX_IDS_FLAT } };

static const cyaml_strval_t masks[] = {
	{ "none", MX_MASK_NONE },
	{ "causal", MX_MASK_BOTTOM },
	{ "causal_top", MX_MASK_TOP },
};

#define OPTIONAL_ENUM(type, member, names)                                                         \
	CYAML_FIELD_ENUM(#member, CYAML_FLAG_STRICT | OPTIONAL, struct type, member, names,        \
	                 COUNT(names))
#define BLOCK(member)                                                                              \
	CYAML_FIELD_SEQUENCE_COUNT(#member, CYAML_FLAG_POINTER | OPTIONAL,                         \
	                           struct mx_reference_spec, member, n_##member, &string, 2, 2)

static const cyaml_schema_field_t reference_fields[] = {
	ENUM(mx_reference_spec, op, reference_ops),
#define MX_SLOT(id, name, is_output)                                                               \
	CYAML_FIELD_STRING_PTR(#name, OPTIONAL, struct mx_reference_spec, slot[MX_SLOT_##id], 1,   \
	                       CYAML_UNLIMITED),
#include "references.def"
#undef MX_SLOT
	BLOCK(a_block),
	BLOCK(b_block),
	OPTIONAL_ENUM(mx_reference_spec, rounding, roundings),
	STRING(mx_reference_spec, heads, OPTIONAL),
	STRING(mx_reference_spec, kv_heads, OPTIONAL),
	STRING(mx_reference_spec, batch, OPTIONAL),
	STRING(mx_reference_spec, page, OPTIONAL),
	STRING(mx_reference_spec, width, OPTIONAL),
	STRING(mx_reference_spec, scale, OPTIONAL),
	OPTIONAL_ENUM(mx_reference_spec, mask, masks),
	OPTIONAL_ENUM(mx_reference_spec, p, weight_types),
	STRING(mx_reference_spec, lazy, OPTIONAL),
	STRING(mx_reference_spec, eps, OPTIONAL),
	STRING(mx_reference_spec, topk, OPTIONAL),
	STRING(mx_reference_spec, n_experts, OPTIONAL),
	STRING(mx_reference_spec, tile, OPTIONAL),
	STRING(mx_reference_spec, part, OPTIONAL),
	OPTIONAL_ENUM(mx_reference_spec, h, inners),
	OPTIONAL_ENUM(mx_reference_spec, ids, ids),
	CYAML_FIELD_BOOL("sorted_scale", OPTIONAL, struct mx_reference_spec, sorted_scale),
	CYAML_FIELD_BOOL("renormalise", OPTIONAL, struct mx_reference_spec, renormalise),
	CYAML_FIELD_END,
};

static const cyaml_schema_value_t rows_of_group = {
	CYAML_VALUE_INT(CYAML_FLAG_DEFAULT, int64_t),
};

static const cyaml_schema_field_t run_fields[] = {
	CYAML_FIELD_INT("M", OPTIONAL, struct mx_run_spec, M),
	CYAML_FIELD_INT("N", OPTIONAL, struct mx_run_spec, N),
	CYAML_FIELD_INT("K", OPTIONAL, struct mx_run_spec, K),
	CYAML_FIELD_IGNORE("sizes", OPTIONAL), /* any names: sizes.c reads them */
	ENUM(mx_run_spec, regime, regimes),
	CYAML_FIELD_INT("tiles", OPTIONAL, struct mx_run_spec, tiles),
	CYAML_FIELD_SEQUENCE_COUNT("groups", CYAML_FLAG_POINTER | OPTIONAL, struct mx_run_spec,
	                           groups, n_groups, &rows_of_group, 1, MX_MOST_RUN_GROUPS),
	CYAML_FIELD_SEQUENCE_COUNT("tags", CYAML_FLAG_POINTER | OPTIONAL, struct mx_run_spec, tags,
	                           n_tags, &string, 0, CYAML_UNLIMITED),
	CYAML_FIELD_END,
};

static const cyaml_schema_field_t variant_fields[] = {
	CYAML_FIELD_STRING_PTR("name", 0, struct mx_variant, name, 1, 100),
	STRING(mx_variant, code, OPTIONAL),
	STRING(mx_variant, kernel, OPTIONAL),
	CYAML_FIELD_IGNORE("sizes", OPTIONAL),
	CYAML_FIELD_END,
};

static const cyaml_schema_value_t variant = {
	CYAML_VALUE_MAPPING(0, struct mx_variant, variant_fields),
};
static const cyaml_schema_value_t let = { CYAML_VALUE_MAPPING(0, struct mx_let, let_fields) };
static const cyaml_schema_value_t buffer = {
	CYAML_VALUE_MAPPING(0, struct mx_buffer_spec, buffer_fields),
};
static const cyaml_schema_field_t pointer_fields[] = {
	STRING(mx_pointer_spec, in, 0),
	STRING(mx_pointer_spec, at, 0),
	STRING(mx_pointer_spec, value, 0),
	CYAML_FIELD_END,
};
static const cyaml_schema_value_t pointer = {
	CYAML_VALUE_MAPPING(0, struct mx_pointer_spec, pointer_fields),
};
static const cyaml_schema_value_t argument = {
	CYAML_VALUE_MAPPING(0, struct mx_arg_spec, kernarg_fields),
};
static const cyaml_schema_field_t step_fields[] = {
	STRING(mx_step_spec, code, OPTIONAL),
	STRING(mx_step_spec, kernel, OPTIONAL),
	LAUNCH(struct mx_step_spec, ),
	CYAML_FIELD_END,
};
static const cyaml_schema_value_t step = {
	CYAML_VALUE_MAPPING(0, struct mx_step_spec, step_fields),
};
static const cyaml_schema_value_t run = { CYAML_VALUE_MAPPING(0, struct mx_run_spec, run_fields) };

static const cyaml_schema_value_t waiver = {
	CYAML_VALUE_MAPPING(0, struct mx_waiver, waiver_fields),
};

/* The limit of the name leaves room in mx_plan.name for the longest shape and regime. */
static const cyaml_schema_field_t case_fields[] = {
	CYAML_FIELD_STRING_PTR("name", 0, struct mx_case, name, 1, 160),
	STRING(mx_case, title, OPTIONAL),
	STRING(mx_case, code, OPTIONAL),
	STRING(mx_case, kernel, OPTIONAL),
	CYAML_FIELD_BOOL("external", OPTIONAL, struct mx_case, external),
	SEQUENCE(variants, OPTIONAL, &variant, 1, CASE_MAX_VARIANTS),
	LAUNCH(struct mx_case, launch.),
	SEQUENCE(steps, OPTIONAL, &step, 1, MX_MAX_STEPS),
	SEQUENCE(let, OPTIONAL, &let, 0, CASE_MAX_LET),
	CYAML_FIELD_MAPPING_PTR("groups", CYAML_FLAG_POINTER | OPTIONAL, struct mx_case, groups,
	                        groups_fields),
	CYAML_FIELD_MAPPING_PTR("epilogue", CYAML_FLAG_POINTER | OPTIONAL, struct mx_case, epilogue,
	                        epilogue_fields),
	CYAML_FIELD_MAPPING_PTR("reference", CYAML_FLAG_POINTER | OPTIONAL, struct mx_case,
	                        reference, reference_fields),
	SEQUENCE(buffers, 0, &buffer, 1, MX_MAX_BUFFERS),
	SEQUENCE(pointers, OPTIONAL, &pointer, 0, CASE_MAX_POINTERS),
	CYAML_FIELD_MAPPING("verdict", 0, struct mx_case, verdict, verdict_fields),
	CYAML_FIELD_FLAGS("assume", CYAML_FLAG_STRICT | OPTIONAL, struct mx_case, assume,
	                  assumptions, COUNT(assumptions)),
	CYAML_FIELD_MAPPING_PTR("contract", CYAML_FLAG_POINTER | OPTIONAL, struct mx_case, contract,
	                        contract_fields),
	CYAML_FIELD_MAPPING("races", OPTIONAL, struct mx_case, races, race_fields),
	CYAML_FIELD_SEQUENCE_COUNT("waivers", CYAML_FLAG_POINTER | OPTIONAL, struct mx_case,
	                           waivers, n_waivers, &waiver, 0, CYAML_UNLIMITED),
	SEQUENCE(runs, 0, &run, 1, CYAML_UNLIMITED),
	CYAML_FIELD_END,
};

const cyaml_schema_value_t case_schema = {
	CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct mx_case, case_fields),
};
