/* Internal to the schemes: a row of the table, and the functions of its family of rules. */
#ifndef MX_SCHEME_H
#define MX_SCHEME_H

#include "number.h"
#include "quantize.h"

/* The columns of schemes.def that are numbers or choices; each family uses its own. */
struct mx_scheme_rule {
	bool keeps_nan;
	bool fnuz_224; /* the largest E4M3FNUZ counts as 224 */
	uint32_t least_amax;
	enum {
		MX_SCALE_QUOTIENT,
		MX_SCALE_PRODUCT,
		MX_SCALE_INVERSE,
		MX_SCALE_RESTORED,
		MX_SCALE_ONE
	} scale;
	enum { MX_SMALL_ANY, MX_SMALL_LEAST, MX_SMALL_UNIT, MX_SMALL_EPSILON } small;
	enum { MX_BY_DIVIDE, MX_BY_TIMES, MX_BY_MULTIPLY } code;
	enum { MX_OF_NAN_NAN, MX_OF_NAN_MAX, MX_OF_NAN_MIN } of_nan;
	bool narrow_scale, narrow_element; /* the quotient is rounded to the input's type */
	const struct mx_nvfp4_rule *nvfp4;
	bool even;
	int least_code;
};

struct mx_scheme_row {
	struct mx_scheme_info info;
	const struct mx_scheme_family *family;
	struct mx_scheme_rule rule;
};

/* A valid call. tensor: the scale of the tensor. */
struct mx_scheme_call {
	const struct mx_scheme_row *s;
	mx_format format;
	const struct mx_tensor *x; /* NULL when dequantising */
	mx_f32 tensor;
};

/* A block of the input. */
struct mx_tile {
	size_t row, col, rows, cols;
};

/* A block's scale: its stored bytes, in the low bytes of a word, and the factor or divisor of the
 * elements. */
struct mx_factor {
	uint32_t stored;
	mx_f32 by;
};

/* tensor_scale is NULL if the family has none. i: the element's index in its row of the block. */
struct mx_scheme_family {
	mx_f32 (*tensor_scale)(const struct mx_scheme_call *c, mx_f32 amax);
	struct mx_factor (*scale)(const struct mx_scheme_call *c, const struct mx_tile *b);
	mx_elem (*code)(const struct mx_scheme_call *c, const struct mx_factor *f, mx_f32 x,
	                size_t i);
	mx_f32 (*value)(const struct mx_scheme_call *c, uint32_t stored, mx_elem code, size_t i);
};
extern const struct mx_scheme_family mx_family_fp8, mx_family_nvfp4, mx_family_int8,
	mx_family_pairs;

/* The rules of NVFP4 that schemes.def names. */
struct mx_nvfp4_rule {
	mx_f32 (*tensor)(const struct mx_scheme_call *c, mx_f32 amax);
	struct mx_factor (*scale)(const struct mx_scheme_call *c, mx_f32 amax);
	bool divides;    /* x / by, else x * by */
	bool inverse;    /* an element is code * (block's scale / tensor's scale) */
	bool loses_sign; /* of a zero */
	enum { MX_NAN_BITS, MX_NAN_LARGEST, MX_NAN_ZERO } of_nan;
};
extern const struct mx_nvfp4_rule mx_nvfp4_torchao, mx_nvfp4_torchao_single, mx_nvfp4_modelopt,
	mx_nvfp4_compressed_tensors, mx_nvfp4_vllm;

/* The amax of a block, by the scheme's rule for NaN. */
mx_f32 mx_tile_amax(const struct mx_scheme_call *c, const struct mx_tile *b);

/* x rounded to the input's type. */
mx_f32 mx_in_input_type(const struct mx_scheme_call *c, mx_f32 x);

#endif
