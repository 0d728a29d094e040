/* Vector instructions that need wait states. Never run. */
#define KERNEL __attribute__((device_kernel)) void
#define GLOBAL __attribute__((address_space(1)))
#define LDS    __attribute__((address_space(3)))
KERNEL dpp(GLOBAL int *o) {
	int l = __builtin_amdgcn_workitem_id_x();
	int v = o[l] * 3;
	v += __builtin_amdgcn_update_dpp(0, v, 0x111, 15, 15, 1);
	v += __builtin_amdgcn_update_dpp(0, v, 0x112, 15, 15, 1);
	v += __builtin_amdgcn_update_dpp(0, v, 0x118, 15, 15, 1);
	o[l] = v;
}
KERNEL rl(GLOBAL int *o, int n) {
	int l = __builtin_amdgcn_workitem_id_x();
	int v = o[l] * 3;
	int a = __builtin_amdgcn_readfirstlane(v);
	int b = __builtin_amdgcn_readlane(v * 5, a & 63);
	o[l] = b + a;
	o[b] = v;
}
KERNEL fdiv(GLOBAL float *o, GLOBAL double *p) {
	int l = __builtin_amdgcn_workitem_id_x();
	o[l] = o[l] / o[l + 1];
	p[l] = p[l] / p[l + 3];
}
KERNEL tr(GLOBAL float *o) {
	int l = __builtin_amdgcn_workitem_id_x();
	float x = o[l];
	o[l] = __builtin_amdgcn_rcpf(x) * x + __builtin_amdgcn_sqrtf(x) +
	       __builtin_amdgcn_exp2f(x) * 2;
}
KERNEL pl(GLOBAL unsigned *o) {
	typedef unsigned u2 __attribute__((ext_vector_type(2)));
	int l = __builtin_amdgcn_workitem_id_x();
	unsigned x = o[l] * 7, y = o[l + 1] + 3;
	u2 r = __builtin_amdgcn_permlane32_swap(x, y, 0, 0);
	u2 q = __builtin_amdgcn_permlane16_swap(r.x, r.y, 0, 0);
	o[l] = q.x ^ q.y;
}
typedef unsigned u4 __attribute__((ext_vector_type(4)));
KERNEL st(GLOBAL u4 *o, GLOBAL u4 *p) {
	int l = __builtin_amdgcn_workitem_id_x();
	u4 v = o[l];
	p[l] = v;
	v.x += 5;
	p[l + 64] = v * 3u;
	p[l + 128] = v ^ 7u;
}
KERNEL smem(GLOBAL int *o, __attribute__((address_space(4))) int *c, int n) {
	int s = 0;
	for (int i = 0; i < n; i++)
		s += c[c[i]];
	o[__builtin_amdgcn_workitem_id_x()] = s;
}
KERNEL dma(GLOBAL int *o, __attribute__((address_space(3))) void *l) {
	__amdgpu_buffer_rsrc_t r = __builtin_amdgcn_make_buffer_rsrc((void *)0, 0, 4096, 0x27000);
	int t = __builtin_amdgcn_workitem_id_x();
	for (int i = 0; i < 4; i++)
		__builtin_amdgcn_raw_ptr_buffer_load_lds(r, (char LDS *)l + i * 1024, 16, t * 16,
		                                         i * 1024, 0, 0);
	__builtin_amdgcn_s_waitcnt(0x3f70);
	__builtin_amdgcn_s_barrier();
	o[t] = ((int LDS *)l)[t];
}
KERNEL div(GLOBAL int *o, int n) {
	int l = __builtin_amdgcn_workitem_id_x();
	for (int i = 0; i < (o[l] & 15); i++) {
		if (o[l + i] > 3)
			o[l] += o[l] / (i + 1);
		else if (o[l + i] < -5)
			o[l] ^= n % (o[l] | 1);
	}
}
KERNEL dot(GLOBAL int *o) {
	int l = __builtin_amdgcn_workitem_id_x();
	int a = o[l];
	a = __builtin_amdgcn_sdot4(a, o[l + 1], a, 0);
	a = __builtin_amdgcn_sdot4(a, o[l + 2], 5, 0);
	o[l] = a * 3;
}
KERNEL cv(GLOBAL unsigned *o, GLOBAL float *f) {
	int l = __builtin_amdgcn_workitem_id_x();
	unsigned r = __builtin_amdgcn_cvt_pk_fp8_f32(f[l], f[l + 1], o[l], 0);
	r = __builtin_amdgcn_cvt_pk_fp8_f32(f[l + 2], f[l + 1], r, 1);
	r += o[l];
	unsigned q = __builtin_amdgcn_cvt_scalef32_pk_fp4_f32(r, f[l], f[l + 1], f[l + 2], 0);
	q = __builtin_amdgcn_cvt_scalef32_pk_fp4_f32(q, f[l], f[l + 1], f[l + 2], 2);
	o[l] = q * 3;
}
KERNEL wave(GLOBAL unsigned long *o, GLOBAL float *f) {
	int l = __builtin_amdgcn_workitem_id_x();
	unsigned long m = __builtin_amdgcn_ballot_w64(f[l] > 1.f);
	o[l] = m;
	o[__builtin_ctzll(m)] = 5;
	if (__builtin_amdgcn_ballot_w64(f[l] > 2.f) == 0)
		o[l] = 3;
}
