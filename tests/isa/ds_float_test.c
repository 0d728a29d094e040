/* Floating-point atomics of LDS: vectors derived from the rules of [ISA 9.2], with denormals kept
 * and flushed by MODE. */
#include "ds_scene.h"

#include <stdio.h>

enum { KEEP = USUAL_MODE, FLUSH = 0x200, FLUSH_INPUTS = 0x2a0, FLUSH_OUTPUTS = 0x250 };

/* Operands, and the results in memory with denormals kept and with denormals flushed. */
struct vector {
	uint64_t memory, data0, data1, kept, flushed;
};

static const struct vector add_f32[] = {
	{ 0x3f800000, 0x40000000, 0, 0x40400000, 0x40400000 }, /* 1 + 2 */
	{ 0x4b800000, 0x3f800000, 0, 0x4b800000, 0x4b800000 }, /* a tie, to even below */
	{ 0x4b800001, 0x3f800000, 0, 0x4b800002, 0x4b800002 }, /* a tie, to even above */
	{ 0x00000001, 0x00000001, 0, 0x00000002, 0x00000000 },
	{ 0x80000001, 0x80000001, 0, 0x80000002, 0x80000000 },
	{ 0x00800000, 0x80800001, 0, 0x80000001, 0x80000000 }, /* only the sum is denormal */
	{ 0x80000000, 0x00000000, 0, 0x00000000, 0x00000000 }, /* -0 + 0 */
	{ 0x7f800000, 0xff800000, 0, 0x7fc00000, 0x7fc00000 }, /* inf - inf */
	{ 0xff800000, 0x3f800000, 0, 0xff800000, 0xff800000 },
	{ 0x7f7fffff, 0x7f7fffff, 0, 0x7f800000, 0x7f800000 },
	{ 0x7f800001, 0x3f800000, 0, 0x7fc00001, 0x7fc00001 }, /* a signaling NaN */
	{ 0xffc00005, 0x7fc00006, 0, 0xffc00005, 0xffc00005 }, /* two NaN: memory's */
	{ 0x3f800000, 0xffc00006, 0, 0xffc00006, 0xffc00006 },
};
static const struct vector min_f32[] = {
	{ 0x3f800000, 0x40000000, 0, 0x3f800000, 0x3f800000 },
	{ 0x40000000, 0xff800000, 0, 0xff800000, 0xff800000 },
	{ 0x00000000, 0x80000000, 0, 0x80000000, 0x80000000 }, /* -0 is less than 0 */
	{ 0x80000000, 0x00000000, 0, 0x80000000, 0x80000000 },
	{ 0x7fc00000, 0x7f800000, 0, 0x7f800000, 0x7f800000 }, /* a quiet NaN is greatest */
	{ 0x3f800000, 0x7fc00000, 0, 0x3f800000, 0x3f800000 },
	{ 0x3f800000, 0x7f800003, 0, 0x7fc00003, 0x7fc00003 }, /* a signaling NaN is the result */
	{ 0x00000001, 0x00000000, 0, 0x00000000, 0x00000001 }, /* compared as 0, stored unflushed */
	{ 0x00000002, 0x00000001, 0, 0x00000001, 0x00000002 },
};
static const struct vector max_f32[] = {
	{ 0x3f800000, 0x40000000, 0, 0x40000000, 0x40000000 },
	{ 0xff800000, 0xc0000000, 0, 0xc0000000, 0xc0000000 },
	{ 0x00000000, 0x80000000, 0, 0x00000000, 0x00000000 },
	{ 0x80000000, 0x00000000, 0, 0x00000000, 0x00000000 },
	{ 0x7fc00000, 0xff800000, 0, 0xff800000, 0xff800000 }, /* a quiet NaN is least */
	{ 0x3f800000, 0x7fc00000, 0, 0x3f800000, 0x3f800000 },
	{ 0xff800003, 0x3f800000, 0, 0xffc00003, 0xffc00003 },
	{ 0x00000000, 0x00000001, 0, 0x00000001, 0x00000000 },
	{ 0x00000001, 0x00000002, 0, 0x00000002, 0x00000001 },
};
static const struct vector cmpst_f32[] = {
	{ 0x3f800000, 0x3f800000, 0x40a00000, 0x40a00000, 0x40a00000 },
	{ 0x3f800000, 0x40000000, 0x40a00000, 0x3f800000, 0x3f800000 },
	{ 0x80000000, 0x00000000, 0x40a00000, 0x40a00000, 0x40a00000 }, /* -0 equals 0 */
	{ 0x7fc00000, 0x7fc00000, 0x40a00000, 0x7fc00000, 0x7fc00000 }, /* a NaN nothing */
	{ 0x00000001, 0x00000000, 0x40a00000, 0x00000001, 0x40a00000 },
	{ 0x3f800000, 0x3f800000, 0x00000002, 0x00000002, 0x00000000 },
};
static const struct vector add_f64[] = {
	{ 0x3ff0000000000000, 0x4000000000000000, 0, 0x4008000000000000, 0x4008000000000000 },
	{ 0x4340000000000000, 0x3ff0000000000000, 0, 0x4340000000000000, 0x4340000000000000 },
	{ 0x4340000000000001, 0x3ff0000000000000, 0, 0x4340000000000002, 0x4340000000000002 },
	{ 0x0000000000000001, 0x0000000000000001, 0, 0x0000000000000002, 0x0000000000000002 },
	{ 0x7ff0000000000000, 0xfff0000000000000, 0, 0x7ff8000000000000, 0x7ff8000000000000 },
	{ 0x7ff0000000000001, 0x3ff0000000000000, 0, 0x7ff8000000000001, 0x7ff8000000000001 },
};
static const struct vector min_f64[] = {
	{ 0x3ff0000000000000, 0x4000000000000000, 0, 0x3ff0000000000000, 0x3ff0000000000000 },
	{ 0x3ff0000000000000, 0xc000000000000000, 0, 0xc000000000000000, 0xc000000000000000 },
	{ 0x7ff8000000000000, 0x3ff0000000000000, 0, 0x3ff0000000000000, 0x3ff0000000000000 },
	{ 0x3ff0000000000000, 0x7ff0000000000001, 0, 0x7ff8000000000001, 0x7ff8000000000001 },
	{ 0x0000000000000001, 0x0000000000000000, 0, 0x0000000000000000, 0x0000000000000001 },
};
static const struct vector max_f64[] = {
	{ 0x3ff0000000000000, 0x4000000000000000, 0, 0x4000000000000000, 0x4000000000000000 },
	{ 0x3ff0000000000000, 0xc000000000000000, 0, 0x3ff0000000000000, 0x3ff0000000000000 },
	{ 0x7ff8000000000000, 0xfff0000000000000, 0, 0xfff0000000000000, 0xfff0000000000000 },
	{ 0x0000000000000000, 0x0000000000000001, 0, 0x0000000000000001, 0x0000000000000000 },
};
static const struct vector cmpst_f64[] = {
	{ 0x3ff0000000000000, 0x3ff0000000000000, 7, 7, 0 },
	{ 0x3ff0000000000000, 0x3ff0000000000001, 7, 0x3ff0000000000000, 0x3ff0000000000000 },
	{ 0x8000000000000000, 0, 0x4014000000000000, 0x4014000000000000, 0x4014000000000000 },
	{ 0x7ff8000000000000, 0x7ff8000000000000, 7, 0x7ff8000000000000, 0x7ff8000000000000 },
};
static const struct vector pk_add_f16[] = {
	{ 0x3c004000, 0x40003c00, 0, 0x42004200, 0x42004200 }, /* 1 + 2 in both halves */
	{ 0x68006801, 0x3c003c00, 0, 0x68006802, 0x68006802 }, /* ties to even */
	{ 0x00010001, 0x00010000, 0, 0x00020001, 0x00000000 },
	{ 0x7bff7c01, 0x7bff3c00, 0, 0x7c007e01, 0x7c007e01 },
	{ 0x04008400, 0x84010401, 0, 0x80010001, 0x80000000 }, /* the sums are denormal */
};
static const struct vector pk_add_bf16[] = {
	{ 0x3f804000, 0x40003f80, 0, 0x40404040, 0x40404040 },
	{ 0x43804381, 0x3f803f80, 0, 0x43804382, 0x43804382 },
	{ 0x00010001, 0x00010000, 0, 0x00020001, 0x00000000 },
	{ 0x7f7f7f81, 0x7f7f3f80, 0, 0x7f807fc1, 0x7f807fc1 },
};

#define VECTORS(table) table, sizeof table / sizeof *table
static const struct float_op {
	uint32_t code[2];
	bool returns;
	unsigned bytes;
	const struct vector *vectors;
	size_t n;
} float_ops[] = {
	{ { 0xd82a0008, 0x00000401, /* ds_add_f32 v1, v4 offset:8 */ },
	  false,
	  4,
	  VECTORS(add_f32) },
	{ { 0xd86a0008, 0x08000401, /* ds_add_rtn_f32 v8, v1, v4 offset:8 */ },
	  true,
	  4,
	  VECTORS(add_f32) },
	{ { 0xd8240008, 0x00000401, /* ds_min_f32 v1, v4 offset:8 */ },
	  false,
	  4,
	  VECTORS(min_f32) },
	{ { 0xd8640008, 0x08000401, /* ds_min_rtn_f32 v8, v1, v4 offset:8 */ },
	  true,
	  4,
	  VECTORS(min_f32) },
	{ { 0xd8260008, 0x00000401, /* ds_max_f32 v1, v4 offset:8 */ },
	  false,
	  4,
	  VECTORS(max_f32) },
	{ { 0xd8660008, 0x08000401, /* ds_max_rtn_f32 v8, v1, v4 offset:8 */ },
	  true,
	  4,
	  VECTORS(max_f32) },
	{ { 0xd8220008, 0x00060401, /* ds_cmpst_f32 v1, v4, v6 offset:8 */ },
	  false,
	  4,
	  VECTORS(cmpst_f32) },
	{ { 0xd8620008, 0x08060401, /* ds_cmpst_rtn_f32 v8, v1, v4, v6 offset:8 */ },
	  true,
	  4,
	  VECTORS(cmpst_f32) },
	{ { 0xd8b80008, 0x00000401, /* ds_add_f64 v1, v[4:5] offset:8 */ },
	  false,
	  8,
	  VECTORS(add_f64) },
	{ { 0xd8f80008, 0x08000401, /* ds_add_rtn_f64 v[8:9], v1, v[4:5] offset:8 */ },
	  true,
	  8,
	  VECTORS(add_f64) },
	{ { 0xd8a40008, 0x00000401, /* ds_min_f64 v1, v[4:5] offset:8 */ },
	  false,
	  8,
	  VECTORS(min_f64) },
	{ { 0xd8e40008, 0x08000401, /* ds_min_rtn_f64 v[8:9], v1, v[4:5] offset:8 */ },
	  true,
	  8,
	  VECTORS(min_f64) },
	{ { 0xd8a60008, 0x00000401, /* ds_max_f64 v1, v[4:5] offset:8 */ },
	  false,
	  8,
	  VECTORS(max_f64) },
	{ { 0xd8e60008, 0x08000401, /* ds_max_rtn_f64 v[8:9], v1, v[4:5] offset:8 */ },
	  true,
	  8,
	  VECTORS(max_f64) },
	{ { 0xd8a20008, 0x00060401, /* ds_cmpst_f64 v1, v[4:5], v[6:7] offset:8 */ },
	  false,
	  8,
	  VECTORS(cmpst_f64) },
	{ { 0xd8e20008, 0x08060401, /* ds_cmpst_rtn_f64 v[8:9], v1, v[4:5], v[6:7] offset:8 */ },
	  true,
	  8,
	  VECTORS(cmpst_f64) },
	{ { 0xd82e0008, 0x00000401, /* ds_pk_add_f16 v1, v4 offset:8 */ },
	  false,
	  4,
	  VECTORS(pk_add_f16) },
	{ { 0xd96e0008, 0x08000401, /* ds_pk_add_rtn_f16 v8, v1, v4 offset:8 */ },
	  true,
	  4,
	  VECTORS(pk_add_f16) },
	{ { 0xd8300008, 0x00000401, /* ds_pk_add_bf16 v1, v4 offset:8 */ },
	  false,
	  4,
	  VECTORS(pk_add_bf16) },
	{ { 0xd9700008, 0x08000401, /* ds_pk_add_rtn_bf16 v8, v1, v4 offset:8 */ },
	  true,
	  4,
	  VECTORS(pk_add_bf16) },
};

/* Lane l runs vector l % n, at v1 + 8. */
static void test_float(struct machine *m, const struct float_op *f, uint32_t mode) {
	char text[40];
	snprintf(text, sizeof text, "%08x, MODE 0x%x", f->code[0], mode);
	set_scene();
	for (unsigned l = 0; l < LANES; l++) {
		const struct vector *v = &f->vectors[l % f->n];
		memcpy(scene->lds + 32 * l + 8, &v->memory, f->bytes);
		memcpy(&scene->v4[l][0], &v->data0, f->bytes);
		memcpy(&scene->v4[l][2], &v->data1, f->bytes);
	}
	want_no_change();
	for (unsigned l = 0; l < LANES; l++) {
		const struct vector *v = &f->vectors[l % f->n];
		memcpy(want_lds + 32 * l + 8, mode == KEEP ? &v->kept : &v->flushed, f->bytes);
		if (f->returns)
			memcpy(want_v8[l], &v->memory, f->bytes);
	}
	m->kernel.mode = mode;
	run_op(m, f->code, sizeof f->code);
	if (!ok(as_wanted(text) && no_findings(m), "%s of %zu vectors, MODE 0x%x",
	        f->returns ? "float atomic with return" : "float atomic", f->n, mode))
		show_findings(m);
	m->kernel.mode = USUAL_MODE;
}

static const uint32_t op_add_f32[] = {
	0xd82a0000, 0x00000401, /* ds_add_f32 v1, v4 */
};

static void test_denormal_bits(struct machine *m) {
	static const struct {
		uint32_t mode, memory, data, want;
	} cases[] = {
		{ FLUSH_INPUTS, 0x00800000, 0x80800001, 0x80000001 },
		{ FLUSH_INPUTS, 0x007fffff, 0x00000001, 0x00000000 },
		{ FLUSH_OUTPUTS, 0x00800000, 0x80800001, 0x80000000 },
		{ FLUSH_OUTPUTS, 0x007fffff, 0x00000001, 0x00800000 },
	};
	unsigned right = 0;
	for (size_t i = 0; i < 4; i++) {
		set_scene();
		memcpy(scene->lds, &cases[i].memory, 4);
		scene->v4[0][0] = cases[i].data;
		scene->exec = 1;
		m->kernel.mode = cases[i].mode;
		want_no_change();
		memcpy(want_lds, &cases[i].want, 4);
		RUN_OP(m, op_add_f32);
		right += as_wanted("ds_add_f32") && no_findings(m);
	}
	m->kernel.mode = USUAL_MODE;
	ok(right == 4, "FP_DENORM has one bit for inputs and one for outputs");
}

int main(void) {
	struct machine m = scene_machine();
	for (size_t i = 0; i < sizeof float_ops / sizeof *float_ops; i++) {
		test_float(&m, &float_ops[i], KEEP);
		test_float(&m, &float_ops[i], FLUSH);
	}
	test_denormal_bits(&m);
	mx_report_free(&m.report);
	return done_testing();
}
