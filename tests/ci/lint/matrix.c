/* Sequences of matrix instructions that need wait states. Never run. */
typedef float f4 __attribute__((ext_vector_type(4)));
typedef float f16v __attribute__((ext_vector_type(16)));
typedef _Float16 h4 __attribute__((ext_vector_type(4)));
typedef _Float16 h8 __attribute__((ext_vector_type(8)));
typedef double d4 __attribute__((ext_vector_type(4)));
typedef int i8v __attribute__((ext_vector_type(8)));
typedef int i4v __attribute__((ext_vector_type(4)));
#define KERNEL __attribute__((device_kernel)) void
#define GLOBAL __attribute__((address_space(1)))
KERNEL a(GLOBAL f4 *o, GLOBAL h4 *x) {
	int l = __builtin_amdgcn_workitem_id_x();
	f4 c = { 0 };
	c = __builtin_amdgcn_mfma_f32_16x16x16f16(x[l], x[l + 64], c, 0, 0, 0);
	o[l] = c;
}
KERNEL a2(GLOBAL f4 *o, GLOBAL h4 *x) {
	int l = __builtin_amdgcn_workitem_id_x();
	f4 c = { 0 };
	c = __builtin_amdgcn_mfma_f32_4x4x4f16(x[l], x[l + 64], c, 0, 0, 0);
	c = __builtin_amdgcn_mfma_f32_4x4x4f16(x[l], x[l + 64], c, 0, 0, 0);
	o[l] = c;
}
KERNEL b(GLOBAL f16v *o, GLOBAL h8 *x) {
	int l = __builtin_amdgcn_workitem_id_x();
	f16v c = o[l];
	c = __builtin_amdgcn_mfma_f32_32x32x16_f16(x[l], x[l + 64], c, 0, 0, 0);
	c = c * 2.f;
	o[l] = c;
}
KERNEL d(GLOBAL d4 *o, GLOBAL double *x) {
	int l = __builtin_amdgcn_workitem_id_x();
	d4 c = o[l];
	c = __builtin_amdgcn_mfma_f64_16x16x4f64(x[l], x[l + 64], c, 0, 0, 0);
	c[0] = __builtin_fma(c[1], 2., x[3]);
	o[l] = c;
}
KERNEL d2(GLOBAL double *o, GLOBAL double *x) {
	int l = __builtin_amdgcn_workitem_id_x();
	double c = o[l];
	c = __builtin_amdgcn_mfma_f64_4x4x4f64(x[l], x[l + 64], c, 0, 0, 0);
	c = __builtin_amdgcn_mfma_f64_4x4x4f64(x[l], x[l + 64], c, 0, 0, 0);
	o[l] = c;
}
KERNEL e(GLOBAL f16v *o, GLOBAL i8v *x, GLOBAL int *s) {
	int l = __builtin_amdgcn_workitem_id_x();
	f16v c = o[l];
	c = __builtin_amdgcn_mfma_scale_f32_32x32x64_f8f6f4(x[l], x[l + 64], c, 0, 0, 0, s[l], 0,
	                                                    s[l + 1] + 1);
	o[l] = c;
}
KERNEL e4(GLOBAL f4 *o, GLOBAL i8v *x, GLOBAL int *s) {
	int l = __builtin_amdgcn_workitem_id_x();
	f4 c = o[l];
	f4 t = c;
	c = __builtin_amdgcn_mfma_scale_f32_16x16x128_f8f6f4(x[l], x[l + 64], c, 4, 4, 0, s[l], 0,
	                                                     s[l + 1] + 1);
	c = __builtin_amdgcn_mfma_scale_f32_16x16x128_f8f6f4(x[l + 1], x[l + 64], c, 0, 0, 0, s[l],
	                                                     0, s[l + 1] + 1);
	o[l] = c + t;
}
KERNEL s(GLOBAL f16v *o, GLOBAL float *x) {
	int l = __builtin_amdgcn_workitem_id_x();
	f16v c = o[l];
	c = __builtin_amdgcn_mfma_f32_32x32x2f32(x[l], x[l + 64], c, 0, 0, 0);
	c = __builtin_amdgcn_mfma_f32_32x32x2f32(c[0], x[l + 64], c, 0, 0, 0);
	o[l] = c;
}
KERNEL chain(GLOBAL f4 *o, GLOBAL h4 *x, int n) {
	int l = __builtin_amdgcn_workitem_id_x();
	f4 c = { 0 }, d = { 0 };
	for (int i = 0; i < n; i++) {
		c = __builtin_amdgcn_mfma_f32_16x16x16f16(x[l + i], x[l + 64], c, 0, 0, 0);
		h4 t = { (_Float16)c[0], (_Float16)c[1], (_Float16)c[2], (_Float16)c[3] };
		d = __builtin_amdgcn_mfma_f32_16x16x16f16(t, x[l + 64], d, 0, 0, 0);
	}
	o[l] = d;
}
