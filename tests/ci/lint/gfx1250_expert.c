/* Compiled with -amdgpu-expert-scheduling-mode: each s_wait_alu is needed. Results of several pipes of
 * the vector ALU are stored, and registers of stores are used again. */
#define GLOBAL __attribute__((address_space(1)))
static __attribute__((loader_uninitialized)) __attribute__((address_space(3))) volatile float shared[64];

__attribute__((amdgpu_kernel)) void expert(GLOBAL float *x, GLOBAL double *sums, int n) {
	unsigned i = __builtin_amdgcn_workitem_id_x();
	float s = 0;
	double sum = 0;
	for (int j = 0; j < n; j++) {
		float v = x[i + 64 * j];
		s = __builtin_amdgcn_rcpf(s + v * v);
		sum += s;
		x[i + 64 * j] = s;
	}
	sums[i] = sum;
	shared[i] = s;
	x[i] = shared[i] + (i >> 3 & 15);
}
