/* MXFP4 GEMM in OpenCL C, one work-item for each element: C[M][N] = A[M][K] * B[N][K]^T in f32.
 *
 * A and B are E2M1, low nibble first; SA and SB are E8M0, one for each 32 elements of a row. There
 * is no matrix instruction: a chain of FMAs over k in order, which is the profile fma32. The size
 * of a work-group is a hidden argument, set by the runtime. */

/* The element as a float: its sign, and a magnitude of 0, 0.5, 1, 1.5, 2, 3, 4 or 6. */
static float e2m1(uint code) {
	uint magnitude = code & 7;
	float v = magnitude < 2 ? 0.5f * magnitude
	                        : as_float((magnitude << 22) + (126u << 23));
	return code & 8 ? -v : v;
}

/* 2^(scale - 127); the byte 0 is a subnormal float, 0xff NaN. */
static float e8m0(uchar scale) {
	return as_float(scale == 0xff ? 0x7fc00000 : scale ? (uint)scale << 23 : 0x00400000);
}

static float element(const global uchar *codes, uint k) {
	return e2m1(codes[k / 2] >> 4 * (k % 2) & 15);
}

kernel void mxfp4_opencl(global float *C, const global uchar *A, const global uchar *SA,
                         const global uchar *B, const global uchar *SB, uint M, uint N, uint K) {
	uint i = __builtin_amdgcn_workgroup_id_x() * __builtin_amdgcn_workgroup_size_x() +
	         __builtin_amdgcn_workitem_id_x();
	uint row = i / N, col = i % N;
	float sum = 0;
	if (row >= M)
		return;
	A += (ulong)row * (K / 2), SA += (ulong)row * (K / 32);
	B += (ulong)col * (K / 2), SB += (ulong)col * (K / 32);
	for (uint k = 0; k < K; k++)
		sum = __builtin_fmaf(element(A, k) * e8m0(SA[k / 32]),
		                     element(B, k) * e8m0(SB[k / 32]), sum);
	C[i] = sum;
}
