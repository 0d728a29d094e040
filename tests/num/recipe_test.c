/* Scale recipes against values derived by hand from their sources, and against each
 * other: two recipes differ for some input, or the table of equal pairs lists them. */
#include "../../ref/mxref.h"
#include "../float_bits.h"
#include "../tap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name;
	mx_format id;
	int man, emax;
	double max;
} formats[] = {
	{ "E2M1", MX_E2M1, 1, 2, 6 },      { "E2M3", MX_E2M3, 3, 2, 7.5 },
	{ "E3M2", MX_E3M2, 2, 4, 28 },     { "E4M3", MX_E4M3, 3, 8, 448 },
	{ "E5M2", MX_E5M2, 2, 15, 57344 },
};
enum { FORMATS = sizeof formats / sizeof *formats };

static const char *const names[MX_RECIPES] = {
	"floor",
	"ceil",
	"even",
	"rceil",
	"nvidia",
	"aiter-round-up",
	"aiter-even",
	"quark-even",
	"triton",
	"primus",
	"microxcaling",
	"torchao-0.18-floor",
	"torchao-0.18-ceil",
	"torchao-0.18-even",
	"torchao-0.18-rceil",
	"aiter-round-down",
	"aiter-ceil",
	"aiter-py-round-up",
	"aiter-py-even",
	"aiter-py-round-down",
	"aiter-py-ceil",
	"aiter-mxfp8",
	"compressed-tensors",
	"triton-kernels-up",
	"triton-kernels-down",
	"quark-triton-up",
	"quark-triton-down",
	"quark-triton-down8",
	"quark-triton-even",
	"quark-floor",
	"quark-ceil",
	"quark-floor-bf16",
	"quark-ceil-bf16",
};

static bool defined(int recipe, int format) {
	return mx_recipe_info(recipe)->formats >> formats[format].id & 1;
}

static int scale(int recipe, int format, uint32_t amax) {
	return mx_scale(recipe, formats[format].id, (mx_f32){ amax }).v;
}

static void test_names(void) {
	int i = 0;
	mx_recipe r;
	while (i < MX_RECIPES && !strcmp(mx_recipe_info(i)->name, names[i]) &&
	       mx_recipe_by_name(names[i], &r) && (int)r == i && *mx_recipe_info(i)->source)
		i++;
	if (!ok(i == MX_RECIPES, "each recipe has its name and a source"))
		diag("first wrong: %s", names[i]);
	ok(!mx_recipe_info(MX_RECIPES) && !mx_recipe_by_name("ocp", &r) &&
	           mx_recipe_by_name("FLOOR", &r) && r == MX_RECIPE_FLOOR,
	   "there is no other recipe, and case does not matter");
	ok(scale(MX_RECIPE_TRITON, 3, 0x3F800000) == 255 && !defined(MX_RECIPE_TRITON, 3),
	   "a recipe that is not defined for a format gives the NaN scale");
}

/* Columns: E2M1, E2M3, E3M2, E4M3, E5M2 by the rules in the sources; -1 undefined.
 * 1.0 has field 127, emax 2 2 4 8 15; E2M1 rounds up from 1.75 (0x600000), E4M3 and
 * E2M3 from 1.9375 (0x780000), E5M2 and E3M2 from 1.875 (0x700000). */
static const struct {
	int recipe;
	uint32_t amax;
	int want[FORMATS];
	const char *why;
} by_hand[] = {
	{ MX_RECIPE_FLOOR, 0x3F800000, { 125, 125, 123, 119, 112 }, "1: 127 - emax" },
	{ MX_RECIPE_FLOOR, 0x3FFFFFFF, { 125, 125, 123, 119, 112 }, "below 2" },
	{ MX_RECIPE_FLOOR, 0xBF800000, { 125, 125, 123, 119, 112 }, "the sign is ignored" },
	{ MX_RECIPE_FLOOR, 0x00000000, { 0, 0, 0, 0, 0 }, "zero" },
	{ MX_RECIPE_FLOOR, 0x007FFFFF, { 0, 0, 0, 0, 0 }, "subnormal" },
	{ MX_RECIPE_FLOOR, 0x08000000, { 14, 14, 12, 8, 1 }, "2^-111, field 16" },
	{ MX_RECIPE_FLOOR, 0x7F7FFFFF, { 252, 252, 250, 246, 239 }, "largest: 254 - emax" },
	{ MX_RECIPE_FLOOR, 0x7F800000, { 255, 255, 255, 255, 255 }, "infinity" },
	{ MX_RECIPE_FLOOR, 0x7FC00000, { 255, 255, 255, 255, 255 }, "NaN" },
	{ MX_RECIPE_CEIL, 0x3F800000, { 125, 125, 123, 119, 112 }, "a power of two stays" },
	{ MX_RECIPE_CEIL, 0x3F800001, { 126, 126, 124, 120, 113 }, "one ulp more" },
	{ MX_RECIPE_CEIL, 0x00000001, { 0, 0, 0, 0, 0 }, "subnormal" },
	{ MX_RECIPE_CEIL, 0x7F7FFFFF, { 253, 253, 251, 247, 240 }, "largest: 255 - emax" },
	{ MX_RECIPE_CEIL, 0x7F800000, { 255, 255, 255, 255, 255 }, "infinity" },
	{ MX_RECIPE_CEIL, 0x7FFFFFFF, { 255, 255, 255, 255, 255 }, "NaN" },
	{ MX_RECIPE_EVEN, 0x3FDFFFFF, { 125, 125, 123, 119, 112 }, "below 1.75" },
	{ MX_RECIPE_EVEN, 0x3FE00000, { 126, 125, 123, 119, 112 }, "1.75" },
	{ MX_RECIPE_EVEN, 0x3FF00000, { 126, 125, 124, 119, 113 }, "1.875" },
	{ MX_RECIPE_EVEN, 0x3FF80000, { 126, 126, 124, 120, 113 }, "1.9375" },
	{ MX_RECIPE_EVEN, 0x007FFFFF, { 0, 0, 0, 0, 0 }, "subnormal, up to field 1" },
	{ MX_RECIPE_EVEN, 0x7F7FFFFF, { 255, 255, 255, 255, 255 }, "rounds to infinity" },
	{ MX_RECIPE_EVEN, 0x7F600000, { 255, 252, 250, 246, 239 }, "1.75 * 2^127" },
	{ MX_RECIPE_EVEN, 0x7F800000, { 255, 255, 255, 255, 255 }, "infinity" },
	{ MX_RECIPE_EVEN, 0x7FFFFFFF, { 255, 255, 255, 255, 255 }, "NaN does not wrap" },
	{ MX_RECIPE_RCEIL, 0x40C00000, { 127, 127, 125, 121, 114 }, "6: 6/6 = 1; 6/7.5; 6/28 ..." },
	{ MX_RECIPE_RCEIL, 0x40C00001, { 128, 127, 125, 121, 114 }, "above 6" },
	{ MX_RECIPE_RCEIL, 0x43E00000, { 134, 133, 131, 127, 120 }, "448: / 448 = 1" },
	{ MX_RECIPE_RCEIL, 0x43E00001, { 134, 133, 132, 128, 121 }, "above 448" },
	{ MX_RECIPE_RCEIL, 0x40F00000, { 128, 127, 126, 122, 115 }, "7.5" },
	{ MX_RECIPE_RCEIL, 0x40F00001, { 128, 128, 126, 122, 115 }, "above 7.5" },
	{ MX_RECIPE_RCEIL, 0x00000000, { 0, 0, 0, 0, 0 }, "zero" },
	{ MX_RECIPE_RCEIL, 0x007FFFFF, { 0, 0, 0, 0, 0 }, "subnormal" },
	{ MX_RECIPE_RCEIL, 0x01800000, { 1, 1, 0, 0, 0 }, "2^-124/7.5 > 2^-127 > 2^-124/28" },
	{ MX_RECIPE_RCEIL,
	  0x7F7FFFFF,
	  { 253, 253, 251, 247, 240 },
	  "2^128/6 < 2^126, 2^128/28 < 2^124" },
	{ MX_RECIPE_RCEIL, 0x7F800000, { 255, 255, 255, 255, 255 }, "infinity" },
	{ MX_RECIPE_RCEIL, 0x7FC00000, { 255, 255, 255, 255, 255 }, "NaN" },
	{ MX_RECIPE_NVIDIA, 0x40C00000, { 127, 127, 125, 121, 114 }, "6" },
	{ MX_RECIPE_NVIDIA, 0x40C00001, { 128, 127, 125, 121, 114 }, "above 6" },
	{ MX_RECIPE_NVIDIA, 0x00000000, { 0, 0, 0, 0, 0 }, "zero" },
	{ MX_RECIPE_NVIDIA, 0x00000001, { 0, 0, 0, 0, 0 }, "subnormal" },
	{ MX_RECIPE_NVIDIA, 0x7F800000, { 254, 254, 254, 254, 254 }, "infinity is satfinite" },
	{ MX_RECIPE_NVIDIA, 0x7F800001, { 255, 255, 255, 255, 255 }, "NaN" },
	{ MX_RECIPE_AITER_ROUND_UP, 0x40C00000, { 127, -1, -1, 121, -1 }, "6" },
	{ MX_RECIPE_AITER_ROUND_UP, 0x40C00001, { 128, -1, -1, 121, -1 }, "above 6" },
	{ MX_RECIPE_AITER_ROUND_UP, 0x00000000, { 0, -1, -1, 0, -1 }, "zero" },
	{ MX_RECIPE_AITER_ROUND_UP, 0x00000006, { 1, -1, -1, 0, -1 }, "6 * 2^-149: 1 and 0 left" },
	{ MX_RECIPE_AITER_ROUND_UP, 0x00800000, { 1, -1, -1, 1, -1 }, "2^-126: subnormal product" },
	{ MX_RECIPE_AITER_ROUND_UP, 0x7F800000, { 255, -1, -1, 255, -1 }, "infinity" },
	{ MX_RECIPE_AITER_ROUND_UP, 0x7FC00000, { 255, -1, -1, 255, -1 }, "NaN" },
	{ MX_RECIPE_AITER_EVEN, 0x3FE00000, { 126, -1, -1, 119, -1 }, "1.75" },
	{ MX_RECIPE_AITER_EVEN, 0x3FF80000, { 126, -1, -1, 120, -1 }, "1.9375" },
	{ MX_RECIPE_AITER_EVEN, 0x00000000, { 0, -1, -1, 0, -1 }, "zero" },
	{ MX_RECIPE_AITER_EVEN, 0x00700000, { 0, -1, -1, 0, -1 }, "subnormal" },
	{ MX_RECIPE_AITER_EVEN, 0x7F7FFFFF, { 253, -1, -1, 247, -1 }, "rounds to field 255" },
	{ MX_RECIPE_AITER_EVEN, 0x7F800000, { 253, -1, -1, 247, -1 }, "infinity" },
	{ MX_RECIPE_AITER_EVEN, 0x7FC00000, { 253, -1, -1, 247, -1 }, "NaN" },
	{ MX_RECIPE_AITER_EVEN, 0x7FFFFFFF, { 0, -1, -1, 0, -1 }, "NaN that wraps" },
	{ MX_RECIPE_QUARK_EVEN, 0x3FE00000, { 126, 125, 123, 119, 112 }, "1.75" },
	{ MX_RECIPE_QUARK_EVEN, 0x00000000, { 0, 0, 0, 0, 0 }, "zero" },
	{ MX_RECIPE_QUARK_EVEN, 0x00000001, { 0, 0, 0, 0, 0 }, "subnormal: log2(0)" },
	{ MX_RECIPE_QUARK_EVEN, 0x7F7FFFFF, { 254, 254, 254, 254, 254 }, "rounds to infinity" },
	{ MX_RECIPE_QUARK_EVEN, 0x7F800000, { 254, 254, 254, 254, 254 }, "infinity" },
	{ MX_RECIPE_QUARK_EVEN, 0x7FC00000, { 255, 255, 255, 255, 255 }, "NaN" },
	{ MX_RECIPE_TRITON, 0x3FDFFFFF, { 125, -1, -1, -1, -1 }, "below 1.75" },
	{ MX_RECIPE_TRITON, 0x3FE00000, { 126, -1, -1, -1, -1 }, "1.75" },
	{ MX_RECIPE_TRITON, 0x00000000, { 0, -1, -1, -1, -1 }, "zero" },
	{ MX_RECIPE_TRITON, 0x00400000, { 0, -1, -1, -1, -1 }, "subnormal" },
	{ MX_RECIPE_TRITON, 0x7F600000, { 254, -1, -1, -1, -1 }, "rounds to infinity" },
	{ MX_RECIPE_TRITON, 0x7F800000, { 254, -1, -1, -1, -1 }, "infinity" },
	{ MX_RECIPE_TRITON, 0x7FC00000, { 254, -1, -1, -1, -1 }, "NaN, as infinity" },
	{ MX_RECIPE_TRITON, 0x7FFFFFFF, { 0, -1, -1, -1, -1 }, "NaN, as -0" },
	{ MX_RECIPE_PRIMUS, 0x3FE00000, { 126, -1, -1, 119, 112 }, "1.75" },
	{ MX_RECIPE_PRIMUS, 0x3FF00000, { 126, -1, -1, 119, 113 }, "1.875" },
	{ MX_RECIPE_PRIMUS, 0x3FF80000, { 126, -1, -1, 120, 113 }, "1.9375" },
	{ MX_RECIPE_PRIMUS, 0x00000000, { 0, -1, -1, 0, 0 }, "zero" },
	{ MX_RECIPE_PRIMUS, 0x007FFFFF, { 0, -1, -1, 0, 0 }, "subnormal" },
	{ MX_RECIPE_PRIMUS, 0x7F800000, { 253, -1, -1, 247, 240 }, "infinity" },
	{ MX_RECIPE_PRIMUS, 0x7FC00000, { 253, -1, -1, 247, 240 }, "NaN" },
	{ MX_RECIPE_PRIMUS, 0x7FFFFFFF, { 254, -1, -1, 248, 241 }, "NaN with nine bits" },
	{ MX_RECIPE_MICROXCALING, 0x40FFFFFF, { 128, 128, 126, 122, 115 }, "8 - ulp/2: log2 is 3" },
	{ MX_RECIPE_MICROXCALING, 0x40FFFFFE, { 127, 127, 125, 121, 114 }, "one ulp less" },
	{ MX_RECIPE_MICROXCALING, 0x407FFFFF, { 126, 126, 124, 120, 113 }, "below 4: not rounded" },
	{ MX_RECIPE_MICROXCALING, 0x3FFFFFFF, { 125, 125, 123, 119, 112 }, "below 2" },
	{ MX_RECIPE_MICROXCALING, 0x7F7FFFFF, { 253, 253, 251, 247, 240 }, "log2 is 128" },
	{ MX_RECIPE_MICROXCALING, 0x00000000, { 0, 0, 0, 0, 0 }, "zero" },
	{ MX_RECIPE_MICROXCALING, 0x00000001, { 0, 0, 0, 0, 0 }, "subnormal" },
	{ MX_RECIPE_MICROXCALING, 0x7F800000, { 255, 255, 255, 255, 255 }, "infinity" },
	{ MX_RECIPE_MICROXCALING, 0x7FC00000, { 255, 255, 255, 255, 255 }, "NaN" },
	{ MX_RECIPE_TORCHAO_018_FLOOR, 0x3FFFFFFF, { 125, 125, 123, 119, 112 }, "below 2" },
	{ MX_RECIPE_TORCHAO_018_FLOOR, 0x007FFFFF, { 0, 0, 0, 0, 0 }, "subnormal" },
	{ MX_RECIPE_TORCHAO_018_FLOOR, 0x7F7FFFFF, { 252, 252, 250, 246, 239 }, "254 - emax" },
	{ MX_RECIPE_TORCHAO_018_FLOOR, 0x7F800000, { 253, 253, 251, 247, 240 }, "255 - emax" },
	{ MX_RECIPE_TORCHAO_018_FLOOR, 0x7F800001, { 255, 255, 255, 255, 255 }, "NaN" },
	{ MX_RECIPE_TORCHAO_018_CEIL, 0x3F800001, { 126, 126, 124, 120, 113 }, "above 1" },
	{ MX_RECIPE_TORCHAO_018_CEIL, 0x7F7FFFFF, { 253, 253, 251, 247, 240 }, "255 - emax" },
	{ MX_RECIPE_TORCHAO_018_CEIL, 0x7F800000, { 253, 253, 251, 247, 240 }, "the same" },
	{ MX_RECIPE_TORCHAO_018_CEIL, 0x7FC00000, { 255, 255, 255, 255, 255 }, "NaN" },
	{ MX_RECIPE_TORCHAO_018_EVEN, 0x3FF00000, { 126, 125, 124, 119, 113 }, "1.875" },
	{ MX_RECIPE_TORCHAO_018_EVEN, 0x7F7FFFFF, { 253, 253, 251, 247, 240 }, "as infinity" },
	{ MX_RECIPE_TORCHAO_018_EVEN, 0x7F800000, { 253, 253, 251, 247, 240 }, "255 - emax" },
	{ MX_RECIPE_TORCHAO_018_EVEN, 0x7FFFFFFF, { 255, 255, 255, 255, 255 }, "NaN" },
	{ MX_RECIPE_TORCHAO_018_RCEIL, 0x40C00001, { 128, 127, 125, 121, 114 }, "above 6" },
	{ MX_RECIPE_TORCHAO_018_RCEIL,
	  0x71400021,
	  { 224, 224, 222, 218, 211 },
	  "6 * 2^97 (1 + 22 * 2^-23): log2 is 97.0000038, in f32, by steps of 2^-17, 97" },
	{ MX_RECIPE_TORCHAO_018_RCEIL, 0x71400022, { 225, 224, 222, 218, 211 }, "23 * 2^-23" },
	{ MX_RECIPE_TORCHAO_018_RCEIL, 0x00000000, { 0, 0, 0, 0, 0 }, "zero" },
	{ MX_RECIPE_TORCHAO_018_RCEIL, 0x01C00021, { 1, 1, 0, 0, 0 }, "6 * 2^-126, 22 units up" },
	{ MX_RECIPE_TORCHAO_018_RCEIL, 0x01C00022, { 2, 1, 0, 0, 0 }, "and 23" },
	{ MX_RECIPE_TORCHAO_018_RCEIL, 0x0170002A, { 1, 0, 0, 0, 0 }, "7.5 * 2^-127, 22 up" },
	{ MX_RECIPE_TORCHAO_018_RCEIL, 0x0170002C, { 1, 1, 0, 0, 0 }, "and 24: subnormal" },
	{ MX_RECIPE_TORCHAO_018_RCEIL, 0x7F800000, { 254, 254, 254, 254, 254 }, "infinity" },
	{ MX_RECIPE_TORCHAO_018_RCEIL, 0x7FC00000, { 255, 255, 255, 255, 255 }, "NaN" },
	{ MX_RECIPE_AITER_ROUND_DOWN, 0x3FFFFFFF, { 125, -1, -1, 119, -1 }, "below 2" },
	{ MX_RECIPE_AITER_ROUND_DOWN, 0x017FFFFE, { 0, -1, -1, 0, -1 }, "2^-124 - 2 ulp" },
	{ MX_RECIPE_AITER_ROUND_DOWN, 0x017FFFFF, { 1, -1, -1, 0, -1 }, "/ 4 rounds to 2^-126" },
	{ MX_RECIPE_AITER_ROUND_DOWN, 0x047FFFFF, { 6, -1, -1, 1, -1 }, "/ 256 rounds to 2^-126" },
	{ MX_RECIPE_AITER_ROUND_DOWN, 0x7F800000, { 255, -1, -1, 255, -1 }, "infinity" },
	{ MX_RECIPE_AITER_ROUND_DOWN, 0x7FC00000, { 255, -1, -1, 255, -1 }, "NaN" },
	{ MX_RECIPE_AITER_CEIL, 0x3F800001, { 126, -1, -1, 120, -1 }, "above 1" },
	{ MX_RECIPE_AITER_CEIL, 0x00000002, { 0, -1, -1, 0, -1 }, "2^-148 / 4 is a tie to 0" },
	{ MX_RECIPE_AITER_CEIL, 0x00000003, { 1, -1, -1, 0, -1 }, "3/4 of the least rounds up" },
	{ MX_RECIPE_AITER_CEIL, 0x00800000, { 1, -1, -1, 1, -1 }, "subnormal, with a mantissa" },
	{ MX_RECIPE_AITER_CEIL, 0x7F7FFFFF, { 253, -1, -1, 247, -1 }, "largest" },
	{ MX_RECIPE_AITER_CEIL, 0x7F800000, { 255, -1, -1, 255, -1 }, "infinity" },
	{ MX_RECIPE_AITER_PY_ROUND_UP, 0x40C00001, { 128, -1, -1, 121, -1 }, "above 6" },
	{ MX_RECIPE_AITER_PY_ROUND_UP, 0x00000003, { 0, -1, -1, 0, -1 }, "3/6 is a tie to 0" },
	{ MX_RECIPE_AITER_PY_ROUND_UP, 0x00000004, { 1, -1, -1, 0, -1 }, "4/6 rounds up" },
	{ MX_RECIPE_AITER_PY_ROUND_UP, 0x7F800000, { 255, -1, -1, 255, -1 }, "infinity" },
	{ MX_RECIPE_AITER_PY_EVEN, 0x3FF80000, { 126, -1, -1, 120, -1 }, "1.9375" },
	{ MX_RECIPE_AITER_PY_EVEN, 0x7F5FFFFF, { 252, -1, -1, 246, -1 }, "below 1.75 * 2^127" },
	{ MX_RECIPE_AITER_PY_EVEN, 0x7F7FFFFF, { 255, -1, -1, 255, -1 }, "rounds to infinity" },
	{ MX_RECIPE_AITER_PY_EVEN, 0x7F800000, { 255, -1, -1, 255, -1 }, "infinity" },
	{ MX_RECIPE_AITER_PY_EVEN, 0x7FC00000, { 255, -1, -1, 255, -1 }, "NaN" },
	{ MX_RECIPE_AITER_PY_EVEN, 0x7FFFFFFF, { 0, -1, -1, 0, -1 }, "NaN that wraps" },
	{ MX_RECIPE_AITER_PY_ROUND_DOWN, 0x017FFFFF, { 1, -1, -1, 0, -1 }, "/ 4: 2^-126" },
	{ MX_RECIPE_AITER_PY_ROUND_DOWN, 0x7FC00000, { 255, -1, -1, 255, -1 }, "NaN" },
	{ MX_RECIPE_AITER_PY_CEIL, 0x00000003, { 1, -1, -1, 0, -1 }, "3/4 rounds up" },
	{ MX_RECIPE_AITER_PY_CEIL, 0x7FC00000, { 255, -1, -1, 255, -1 }, "NaN" },
	{ MX_RECIPE_AITER_MXFP8, 0x3FDFFFFF, { -1, -1, -1, 119, -1 }, "below 1.75" },
	{ MX_RECIPE_AITER_MXFP8, 0x3FE00000, { -1, -1, -1, 120, -1 }, "1.75" },
	{ MX_RECIPE_AITER_MXFP8, 0x03E00000, { -1, -1, -1, 0, -1 }, "field 8 from 7" },
	{ MX_RECIPE_AITER_MXFP8, 0x7F600000, { -1, -1, -1, 254, -1 }, "rounds to infinity" },
	{ MX_RECIPE_AITER_MXFP8, 0x7F800000, { -1, -1, -1, 254, -1 }, "infinity" },
	{ MX_RECIPE_AITER_MXFP8, 0x7FFFFFFF, { -1, -1, -1, 0, -1 }, "NaN, as -0" },
	{ MX_RECIPE_COMPRESSED_TENSORS, 0x3FDFFFFF, { 125, 125, -1, 119, -1 }, "below 1.75" },
	{ MX_RECIPE_COMPRESSED_TENSORS, 0x3FE00000, { 126, 125, -1, 120, -1 }, "1.75" },
	{ MX_RECIPE_COMPRESSED_TENSORS, 0x3FF80000, { 126, 126, -1, 120, -1 }, "1.9375" },
	{ MX_RECIPE_COMPRESSED_TENSORS, 0x00000000, { 0, 0, -1, 0, -1 }, "zero" },
	{ MX_RECIPE_COMPRESSED_TENSORS, 0x7F600000, { 255, 252, -1, 255, -1 }, "to infinity" },
	{ MX_RECIPE_COMPRESSED_TENSORS, 0x7F800000, { 255, 255, -1, 255, -1 }, "infinity" },
	{ MX_RECIPE_COMPRESSED_TENSORS, 0x7FC00000, { 255, 255, -1, 255, -1 }, "NaN" },
	{ MX_RECIPE_COMPRESSED_TENSORS, 0x7FFFFFFF, { 0, 0, -1, 0, -1 }, "NaN that wraps" },
	{ MX_RECIPE_TRITON_KERNELS_UP, 0x40C00000, { 127, -1, -1, 121, 114 }, "6" },
	{ MX_RECIPE_TRITON_KERNELS_UP, 0x40C00001, { 128, -1, -1, 121, 114 }, "above 6" },
	{ MX_RECIPE_TRITON_KERNELS_UP, 0x43E00001, { 134, -1, -1, 128, 121 }, "above 448" },
	{ MX_RECIPE_TRITON_KERNELS_UP, 0x00000003, { 0, -1, -1, 0, 0 }, "3/6 is a tie to 0" },
	{ MX_RECIPE_TRITON_KERNELS_UP, 0x00000004, { 1, -1, -1, 0, 0 }, "4/6 rounds up" },
	{ MX_RECIPE_TRITON_KERNELS_UP, 0x7F800000, { 255, -1, -1, 255, 255 }, "infinity" },
	{ MX_RECIPE_TRITON_KERNELS_UP, 0x7FC00000, { 0, -1, -1, 0, 0 }, "NaN wraps" },
	{ MX_RECIPE_TRITON_KERNELS_DOWN, 0x3FFFFFFF, { 125, -1, -1, 119, 112 }, "below 2" },
	{ MX_RECIPE_TRITON_KERNELS_DOWN, 0x017FFFFF, { 1, -1, -1, 0, 0 }, "/ 4: 2^-126" },
	{ MX_RECIPE_TRITON_KERNELS_DOWN, 0x7F800000, { 255, -1, -1, 255, 255 }, "infinity" },
	{ MX_RECIPE_TRITON_KERNELS_DOWN, 0x7FC00000, { 255, -1, -1, 255, 255 }, "NaN" },
	{ MX_RECIPE_QUARK_TRITON_UP, 0x40C00001, { 128, -1, -1, -1, -1 }, "above 6" },
	{ MX_RECIPE_QUARK_TRITON_UP, 0x7FC00000, { 0, -1, -1, -1, -1 }, "NaN wraps" },
	{ MX_RECIPE_QUARK_TRITON_DOWN, 0x40BFFFFF, { 126, -1, -1, -1, -1 }, "below 6" },
	{ MX_RECIPE_QUARK_TRITON_DOWN, 0x40C00000, { 127, -1, -1, -1, -1 }, "6" },
	{ MX_RECIPE_QUARK_TRITON_DOWN, 0x7F800000, { 255, -1, -1, -1, -1 }, "infinity" },
	{ MX_RECIPE_QUARK_TRITON_DOWN8, 0x43DFFFFF, { -1, -1, -1, 126, 119 }, "below 448" },
	{ MX_RECIPE_QUARK_TRITON_DOWN8, 0x43E00000, { -1, -1, -1, 127, 120 }, "448" },
	{ MX_RECIPE_QUARK_TRITON_DOWN8, 0x7FC00000, { -1, -1, -1, 255, 255 }, "NaN" },
	{ MX_RECIPE_QUARK_TRITON_EVEN, 0x3FE00000, { 126, -1, -1, -1, -1 }, "1.75" },
	{ MX_RECIPE_QUARK_TRITON_EVEN, 0x7F600000, { 254, -1, -1, -1, -1 }, "to infinity" },
	{ MX_RECIPE_QUARK_TRITON_EVEN, 0x7FFFFFFF, { 0, -1, -1, -1, -1 }, "NaN that wraps" },
	{ MX_RECIPE_QUARK_FLOOR, 0x3F800000, { 125, 125, 123, 119, 112 }, "1" },
	{ MX_RECIPE_QUARK_FLOOR, 0x40FFFFFF, { 128, 128, 126, 122, 115 }, "log2 rounds to 3" },
	{ MX_RECIPE_QUARK_FLOOR, 0x00000000, { 104, 104, 104, 104, 104 }, "zero: epsilon" },
	{ MX_RECIPE_QUARK_FLOOR, 0x00000003, { 104, 104, 104, 104, 104 }, "2^-148 / 4 is 0" },
	{ MX_RECIPE_QUARK_FLOOR, 0x00000004, { 0, 0, 104, 104, 104 }, "2^-147 / 4 is not" },
	{ MX_RECIPE_QUARK_FLOOR, 0x00000100, { 0, 0, 0, 0, 104 }, "2^-141 / 256" },
	{ MX_RECIPE_QUARK_FLOOR, 0x7F7FFFFF, { 253, 253, 251, 247, 240 }, "log2 is 128" },
	{ MX_RECIPE_QUARK_FLOOR, 0x7F800000, { 255, 255, 255, 255, 255 }, "infinity" },
	{ MX_RECIPE_QUARK_FLOOR, 0x7FC00000, { 255, 255, 255, 255, 255 }, "NaN" },
	{ MX_RECIPE_QUARK_CEIL, 0x3F800001, { 126, 126, 124, 120, 113 }, "above 1" },
	{ MX_RECIPE_QUARK_CEIL, 0x71800016, { 225, 225, 223, 219, 212 }, "log2 rounds to 100" },
	{ MX_RECIPE_QUARK_CEIL, 0x71800017, { 226, 226, 224, 220, 213 }, "23 ulp: 100.0000076" },
	{ MX_RECIPE_QUARK_CEIL, 0x00000002, { 104, 104, 104, 104, 104 }, "2^-148 / 4 is 0" },
	{ MX_RECIPE_QUARK_CEIL, 0x00000003, { 0, 0, 104, 104, 104 }, "2^-147 / 4 is not" },
	{ MX_RECIPE_QUARK_CEIL, 0x7F800000, { 255, 255, 255, 255, 255 }, "infinity" },
	{ MX_RECIPE_QUARK_FLOOR_BF16, 0x3FFE0000, { 125, 125, 123, 119, 112 }, "1.984: 0.988" },
	{ MX_RECIPE_QUARK_FLOOR_BF16,
	  0x71D70000,
	  { 225, 225, 223, 219, 212 },
	  "2^100 * 215/128: log2 is 100.748, by steps of 0.5 100.5" },
	{ MX_RECIPE_QUARK_FLOOR_BF16, 0x71D80000, { 226, 226, 224, 220, 213 }, "100.755: 101" },
	{ MX_RECIPE_QUARK_FLOOR_BF16, 0x00000000, { 104, 104, 104, 104, 104 }, "zero: epsilon" },
	{ MX_RECIPE_QUARK_FLOOR_BF16, 0x00030000, { 0, 0, 104, 104, 104 }, "-131.4: -131" },
	{ MX_RECIPE_QUARK_FLOOR_BF16, 0x00020000, { 104, 104, 104, 104, 104 }, "2^-134 is 0" },
	{ MX_RECIPE_QUARK_FLOOR_BF16, 0x7FC00000, { 255, 255, 255, 255, 255 }, "NaN" },
	{ MX_RECIPE_QUARK_CEIL_BF16, 0x3F810000, { 126, 126, 124, 120, 113 }, "129/128" },
	{ MX_RECIPE_QUARK_CEIL_BF16, 0x71980000, { 225, 225, 223, 219, 212 }, "100.248: 100" },
	{ MX_RECIPE_QUARK_CEIL_BF16, 0x71990000, { 226, 226, 224, 220, 213 }, "100.257: 100.5" },
	{ MX_RECIPE_QUARK_CEIL_BF16, 0x00000000, { 104, 104, 104, 104, 104 }, "zero: epsilon" },
	{ MX_RECIPE_QUARK_CEIL_BF16, 0x7F800000, { 255, 255, 255, 255, 255 }, "infinity" },
};

static void test_by_hand(void) {
	int n = sizeof by_hand / sizeof *by_hand;
	for (int r = 0; r < MX_RECIPES; r++) {
		int rows = 0, bad = 0;
		for (int i = 0; i < n; i++)
			for (int f = 0; by_hand[i].recipe == r && f < FORMATS; f++) {
				int want = by_hand[i].want[f], got = scale(r, f, by_hand[i].amax);
				rows++;
				if ((want < 0) == defined(r, f) || (want >= 0 && got != want))
					if (!bad++)
						diag("first wrong: %s, amax 0x%08x (%s): got %d, "
						     "want %d",
						     formats[f].name, by_hand[i].amax,
						     by_hand[i].why, got, want);
			}
		ok(!bad && rows, "%s gives %d hand-derived scales", names[r], rows);
	}
}

/* ---- every pair of recipes ---- */

/* Every exponent field; mantissas at both ends, around the rounding points, around
 * 1/max, and 256 strata. Calls f until it returns true. */
static bool sweep(bool (*f)(uint32_t amax, void *arg), void *arg) {
	static const uint32_t centres[] = { 0,        0x400000, 0x600000, 0x700000,
		                            0x780000, 0x800000, 0x200000, 224 };
	for (uint32_t e = 0; e < 256; e++) {
		for (int c = 0; c < 8; c++)
			for (int d = -48; d <= 48; d++) {
				uint32_t man = centres[c] + (uint32_t)d;
				if (man < 0x800000 && f(e << 23 | man, arg))
					return true;
			}
		for (uint32_t m = 0; m < 256; m++)
			if (f(e << 23 | m << 15 | (m * 2654435761u >> 17), arg))
				return true;
	}
	return false;
}

struct pair {
	int a, b, format;
	uint32_t at;
};

static bool differs(uint32_t amax, void *arg) {
	struct pair *p = arg;
	p->at = amax;
	return scale(p->a, p->format, amax) != scale(p->b, p->format, amax);
}

static bool finite_differs(uint32_t amax, void *arg) {
	return amax < 0x7F800000 && differs(amax, arg);
}

/* The pairs that agree on all finite amax by their sources; all others differ. */
static const struct {
	int a, b;
	const char *formats;
} equal[] = {
	{ MX_RECIPE_RCEIL, MX_RECIPE_NVIDIA, "E2M1 E2M3 E3M2 E4M3 E5M2" },
	{ MX_RECIPE_AITER_EVEN, MX_RECIPE_PRIMUS, "E2M1 E4M3" },
	{ MX_RECIPE_QUARK_EVEN, MX_RECIPE_TRITON, "E2M1" },
	{ MX_RECIPE_FLOOR, MX_RECIPE_TORCHAO_018_FLOOR, "E2M1 E2M3 E3M2 E4M3 E5M2" },
	{ MX_RECIPE_CEIL, MX_RECIPE_TORCHAO_018_CEIL, "E2M1 E2M3 E3M2 E4M3 E5M2" },
	{ MX_RECIPE_AITER_EVEN, MX_RECIPE_TORCHAO_018_EVEN, "E2M1 E4M3" },
	{ MX_RECIPE_PRIMUS, MX_RECIPE_TORCHAO_018_EVEN, "E2M1 E4M3 E5M2" },
	{ MX_RECIPE_AITER_ROUND_DOWN, MX_RECIPE_AITER_PY_ROUND_DOWN, "E2M1 E4M3" },
	{ MX_RECIPE_AITER_CEIL, MX_RECIPE_AITER_PY_CEIL, "E2M1 E4M3" },
	{ MX_RECIPE_EVEN, MX_RECIPE_AITER_PY_EVEN, "E2M1 E4M3" },
	{ MX_RECIPE_EVEN, MX_RECIPE_COMPRESSED_TENSORS, "E2M1 E2M3" },
	{ MX_RECIPE_AITER_PY_EVEN, MX_RECIPE_COMPRESSED_TENSORS, "E2M1" },
	{ MX_RECIPE_QUARK_EVEN, MX_RECIPE_QUARK_TRITON_EVEN, "E2M1" },
	{ MX_RECIPE_TRITON, MX_RECIPE_QUARK_TRITON_EVEN, "E2M1" },
	{ MX_RECIPE_AITER_ROUND_DOWN, MX_RECIPE_TRITON_KERNELS_DOWN, "E2M1 E4M3" },
	{ MX_RECIPE_AITER_PY_ROUND_DOWN, MX_RECIPE_TRITON_KERNELS_DOWN, "E2M1 E4M3" },
	{ MX_RECIPE_AITER_PY_ROUND_UP, MX_RECIPE_TRITON_KERNELS_UP, "E2M1 E4M3" },
	{ MX_RECIPE_AITER_PY_ROUND_UP, MX_RECIPE_QUARK_TRITON_UP, "E2M1" },
	{ MX_RECIPE_TRITON_KERNELS_UP, MX_RECIPE_QUARK_TRITON_UP, "E2M1" },
};

static bool should_agree(int a, int b, const char *format) {
	for (unsigned i = 0; i < sizeof equal / sizeof *equal; i++)
		if (equal[i].a == a && equal[i].b == b && strstr(equal[i].formats, format))
			return true;
	return false;
}

static void test_pair(int a, int b) {
	for (int f = 0; f < FORMATS; f++) {
		struct pair p = { a, b, f, 0 };
		if (!defined(a, f) || !defined(b, f))
			continue;
		bool finite = sweep(finite_differs, &p),
		     agree = should_agree(a, b, formats[f].name);
		if (!finite && !sweep(differs, &p))
			p.at = 0;
		if (finite)
			ok(!agree, "%s: %s and %s differ at amax 0x%08x (%a): %d, %d",
			   formats[f].name, names[a], names[b], p.at, as_float(p.at),
			   scale(a, f, p.at), scale(b, f, p.at));
		else if (p.at)
			ok(agree, "%s: %s and %s agree on finite amax, differ at 0x%08x: %d, %d",
			   formats[f].name, names[a], names[b], p.at, scale(a, f, p.at),
			   scale(b, f, p.at));
		else
			ok(agree, "%s: %s and %s agree everywhere", formats[f].name, names[a],
			   names[b]);
	}
}

/* ---- the rules again, in doubles ---- */

/* ceil(log2(x)) of a positive double. */
static int ceil_log2(double x) {
	int e;
	return frexp(x, &e) == 0.5 ? e - 1 : e;
}

/* The scale for amax / max by exact division. */
static int exact_rceil(int f, double amax) {
	int byte = ceil_log2(amax / formats[f].max) + 127;
	return byte < 0 ? 0 : byte;
}

/* amax/max in double is inexact, but cannot become or leave a power of two: amax
 * has 24 bits, and only max * 2^k makes one. At max's mantissa the scale steps. */
static void test_reciprocals(int f, bool all) {
	enum { NEAR = 1 << 16, STEP = 31, MANTISSAS = 1 << 23 };
	int bad[2] = { 0 }, e, step = (int)(frexp(formats[f].max, &e) * 0x1p24) - MANTISSAS;
	const char *which = all ? "all 2^23 mantissas" : "every 31st mantissa and all near max";
	for (int man = 0; man < MANTISSAS; man++) {
		uint32_t u = 0x43000000 | (uint32_t)man;
		if (!all && abs(man - step) > NEAR && man % STEP && man != MANTISSAS - 1)
			continue;
		int want = exact_rceil(f, as_float(u));
		for (int i = 0; i < 2; i++)
			if (scale(i ? MX_RECIPE_NVIDIA : MX_RECIPE_RCEIL, f, u) != want &&
			    !bad[i]++)
				diag("first wrong: amax 0x%08x", u);
	}
	ok(!bad[0], "%s: torchao's product with 1/max gives the exact scale, %s", formats[f].name,
	   which);
	ok(!bad[1], "%s: amax/max rounded to f32 gives the exact scale, %s", formats[f].name,
	   which);
}

/* Below the normals, the f32 product with the constants of the source decides. */
static void test_subnormal_products(void) {
	static const struct {
		int format;
		uint32_t reciprocal;
	} rows[] = { { 0, 0x3E2AAAAB }, { 3, 0x3B124925 } };
	int bad = 0;
	for (int i = 0; i < 2; i++)
		for (uint32_t u = 0; u < 0x07000000; u += 0x1357 + (u >> 12)) {
			float d = as_float(u) * as_float(rows[i].reciprocal);
			int e = 0, want = d > 0x1p-127f;
			if (d > 0x1p-126f) {
				frexp(d, &e);
				want = ceil_log2(d) + 127;
			}
			bad += scale(MX_RECIPE_RCEIL, rows[i].format, u) != want;
		}
	ok(!bad,
	   "rceil of small amax follows the f32 product; subnormal products above 2^-127 give 1");
}

static bool log2_differs(uint32_t u, void *arg) {
	*(uint32_t *)arg = u;
	if (u >= 0x7F800000 || u < 0x00800000)
		return false;
	/* log2 in double has an error of about 2^-52; results on f32 midpoints do not occur. */
	int want = (int)floorf((float)log2((double)as_float(u))) - 2 + 127;
	return scale(MX_RECIPE_MICROXCALING, 0, u) != (want < 0 ? 0 : want);
}

static void test_log2(void) {
	uint32_t at = 0;
	if (!ok(!sweep(log2_differs, &at),
	        "microxcaling's floor of an f32 log2 equals floor of the rounded logarithm"))
		diag("first wrong: amax 0x%08x", at);
}

/* ---- elements ---- */

static void test_elements(void) {
	static const struct {
		int recipe;
		mx_format f;
		uint32_t x;
		int scale, want;
		const char *why;
	} rows[] = {
		{ MX_RECIPE_FLOOR, MX_E2M1, 0x41A00000, 129, 0x6, "20 / 4 = 5, a tie to 4" },
		{ MX_RECIPE_FLOOR, MX_E2M1, 0xC1A00000, 255, 0xF, "scale NaN, sign of x" },
		{ MX_RECIPE_FLOOR, MX_E4M3, 0xC1A00000, 255, 0xFF, "scale NaN" },
		{ MX_RECIPE_EVEN, MX_E4M3, 0xC1A00000, 255, 0x7F, "times 0x7F800001: +NaN" },
		{ MX_RECIPE_EVEN, MX_E5M2, 0x41A00000, 255, 0x7F, "PyTorch's NaN of E5M2" },
		{ MX_RECIPE_EVEN, MX_E5M2, 0xFFC00000, 255, 0x7F, "a NaN too: the scale's" },
		{ MX_RECIPE_AITER_PY_EVEN, MX_E4M3, 0xFFC00000, 255, 0xFF, "/ NaN: x's own NaN" },
		{ MX_RECIPE_AITER_PY_EVEN, MX_E2M1, 0xC1A00000, 255, 0x3, "/ NaN 0x7F800001" },
		{ MX_RECIPE_EVEN, MX_E2M1, 0x41A00000, 255, 0x3, "0x7FC00001 through the bits" },
		{ MX_RECIPE_TRITON, MX_E2M1, 0xFFC00000, 127, 0xB, "-NaN through the bits" },
		{ MX_RECIPE_TRITON, MX_E2M1, 0x7FFFFFFF, 127, 0x4, "full payload carries" },
		{ MX_RECIPE_TRITON, MX_E2M1, 0xFF800000, 254, 0xF, "infinity saturates" },
		{ MX_RECIPE_PRIMUS, MX_E2M1, 0x00400000, 0, 0x2,
		  "FP4: byte 0 is 2^-127 to the cvt" },
		{ MX_RECIPE_PRIMUS, MX_E4M3, 0x00400000, 0, 0x00, "FP8: byte 0 clamps to 0" },
		{ MX_RECIPE_PRIMUS, MX_E4M3, 0x80400000, 0, 0x80, "and to -0" },
		{ MX_RECIPE_PRIMUS, MX_E4M3, 0x7FC00000, 127, 0xFE, "NaN: fmaxf leaves -448" },
		{ MX_RECIPE_PRIMUS, MX_E4M3, 0x7F800000, 127, 0x7E, "infinity: 448" },
		{ MX_RECIPE_PRIMUS, MX_E4M3, 0x7F800000, 247, 0x7F, "the limit is infinite too" },
		{ MX_RECIPE_PRIMUS, MX_E5M2, 0xFF800000, 240, 0xFC, "-infinity" },
		{ MX_RECIPE_PRIMUS, MX_E5M2, 0xFF800000, 239, 0xFB, "-57344" },
		{ MX_RECIPE_NVIDIA, MX_E4M3, 0x7F800000, 254, 0x7E, "infinity saturates" },
		{ MX_RECIPE_TORCHAO_018_FLOOR, MX_E2M1, 0x00400000, 0, 0x1,
		  "2^-127 / 2^-126 = 0.5, though byte 0 is 2^-127" },
		{ MX_RECIPE_TORCHAO_018_EVEN, MX_E4M3, 0xC1A00000, 255, 0x80, "20 / infinity" },
		{ MX_RECIPE_TORCHAO_018_EVEN, MX_E4M3, 0xFF800000, 255, 0x7F, "inf / inf" },
		{ MX_RECIPE_TORCHAO_018_CEIL, MX_E4M3, 0xFF800000, 247, 0xFE,
		  "infinity saturates" },
		{ MX_RECIPE_TORCHAO_018_CEIL, MX_E2M1, 0xFFC00000, 255, 0xB, "a NaN by its bits" },
		{ MX_RECIPE_TORCHAO_018_RCEIL, MX_E2M1, 0x00400000, 0, 0x0, "times 1 for byte 0" },
		{ MX_RECIPE_TORCHAO_018_RCEIL, MX_E4M3, 0xC1A00000, 255, 0x7F, "times NaN" },
		{ MX_RECIPE_TORCHAO_018_RCEIL, MX_E4M3, 0x7F800000, 254, 0x7E,
		  "infinity saturates" },
		{ MX_RECIPE_AITER_MXFP8, MX_E4M3, 0xFF800000, 254, 0xFE, "infinity saturates" },
		{ MX_RECIPE_AITER_MXFP8, MX_E4M3, 0x7F600000, 254, 0x3E, "1.75 * 2^127 / 2^127" },
		{ MX_RECIPE_COMPRESSED_TENSORS, MX_E2M1, 0x80000000, 127, 0x0, "-0 times sign 0" },
		{ MX_RECIPE_COMPRESSED_TENSORS, MX_E2M1, 0x80000001, 127, 0x8, "0 times sign -1" },
		{ MX_RECIPE_COMPRESSED_TENSORS, MX_E2M1, 0x80000001, 128, 0x0, "-2^-150 is -0" },
		{ MX_RECIPE_COMPRESSED_TENSORS, MX_E2M3, 0x80000000, 127, 0x20, "FP6 keeps -0" },
		{ MX_RECIPE_COMPRESSED_TENSORS, MX_E4M3, 0x80000000, 127, 0x80, "FP8 keeps -0" },
		{ MX_RECIPE_COMPRESSED_TENSORS, MX_E2M1, 0xFFC00000, 127, 0x8, "NaN packs as 0" },
		{ MX_RECIPE_COMPRESSED_TENSORS, MX_E2M3, 0x7FC00000, 127, 0x20, "past the table" },
		{ MX_RECIPE_COMPRESSED_TENSORS, MX_E4M3, 0xBF800000, 255, 0x80, "1 / infinity" },
		{ MX_RECIPE_COMPRESSED_TENSORS, MX_E4M3, 0x7F800000, 255, 0x7F, "inf / inf" },
		{ MX_RECIPE_TRITON_KERNELS_UP, MX_E2M1, 0x80400000, 0, 0x8, "times 0 for byte 0" },
		{ MX_RECIPE_TRITON_KERNELS_UP, MX_E4M3, 0x3F800000, 255, 0x00, "times 1/infinity" },
		{ MX_RECIPE_TRITON_KERNELS_UP, MX_E4M3, 0xFF800000, 255, 0x7F, "infinity times 0" },
		{ MX_RECIPE_TRITON_KERNELS_DOWN, MX_E2M1, 0xFFC00000, 127, 0xF, "NaN: -6" },
		{ MX_RECIPE_TRITON_KERNELS_DOWN, MX_E4M3, 0x43FF0000, 127, 0x7E, "510 saturates" },
		{ MX_RECIPE_QUARK_TRITON_EVEN, MX_E2M1, 0x00400000, 0, 0x2, "byte 0 is 2^-127" },
	};
	int n = sizeof rows / sizeof *rows, i = 0, got = 0;
	while (i < n && (got = mx_scaled_encode(rows[i].recipe, rows[i].f, (mx_f32){ rows[i].x },
	                                        (mx_e8m0){ rows[i].scale }, MX_RNE, 0)
	                               .v) == rows[i].want)
		i++;
	if (!ok(i == n, "%d elements with special values or scales have the codes of their sources",
	        n))
		diag("first wrong: %s, x 0x%08x, scale %d (%s): got 0x%02x, want 0x%02x",
		     names[rows[i].recipe], rows[i].x, rows[i].scale, rows[i].why, got,
		     rows[i].want);
	ok(mx_recipe_info(MX_RECIPE_MICROXCALING)->rounding == MX_RNA &&
	           mx_recipe_info(MX_RECIPE_QUARK_TRITON_UP)->rounding == MX_RNA &&
	           mx_recipe_info(MX_RECIPE_TRITON_KERNELS_UP)->rounding == MX_RNE &&
	           mx_recipe_info(MX_RECIPE_EVEN)->rounding == MX_RNE,
	   "microxcaling and Quark's Triton kernel round ties away from zero, others to even");
}

/* floor(x + 0.5) in the host's f32, x in units of E2M3's least element, 2^-3. Only for the
 * f32 just below 0.5 does the sum round up to the next integer. */
static void test_half_up(void) {
	int bad = 0, early = 0;
	for (int n = 0; n < 7; n++)
		for (int d = -1000; d <= 1000; d++) {
			uint32_t u = bits_of((float)n + 0.5f) + d;
			volatile float sum = as_float(u) + 0.5f;
			int got = mx_scaled_encode(MX_RECIPE_MICROXCALING, MX_E2M3, (mx_f32){ u },
			                           (mx_e8m0){ 130 }, MX_RNA, 0)
			                  .v;
			bad += got != (int)floorf(sum);
			early += d < 0 && got == n + 1;
		}
	if (!ok(!bad && early == 1, "microxcaling rounds to floor(x + 0.5) in f32"))
		diag("%d differ, %d below a tie round up", bad, early);
}

int main(void) {
	test_names();
	test_by_hand();
	for (int a = 0; a < MX_RECIPES; a++)
		for (int b = a + 1; b < MX_RECIPES; b++)
			test_pair(a, b);
	bool all = is_long();
	for (int f = 0; f < FORMATS; f++)
		test_reciprocals(f, all);
	test_subnormal_products();
	test_log2();
	test_elements();
	test_half_up();
	return done_testing();
}
