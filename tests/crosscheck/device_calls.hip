/* Kernels that call AMD's device library, which Triton's wheel has: printf, assert, malloc and free,
 * and the barrier of a grid. */
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))

extern "C" {
__device__ int printf(const char *, ...);
__device__ void *__ockl_dm_alloc(unsigned long);
__device__ void __ockl_dm_dealloc(unsigned long);
__device__ void __ockl_grid_sync(void);
__device__ unsigned long __ockl_fprintf_stderr_begin(void);
__device__ unsigned long __ockl_fprintf_append_string_n(unsigned long, const char *, unsigned long, unsigned);
}

static __device__ inline unsigned here() {
	return __builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x();
}

extern "C" __global__ void prints(int n) {
	int length = printf("%u: %s %.3f %lld %c %%\n", here(), n & 1 ? "odd" : "even", 1.0 / n, -5000000000ll, 'z');
	if (here() == 0)
		printf("%d characters\n", length);
}

/* What assert() of HIP's headers does. */
extern "C" __global__ void fails(int n) {
	static const char text[] = "here.hip:1: Assertion `n > 3' failed.\n";
	if (n > 3)
		return;
	__ockl_fprintf_append_string_n(__ockl_fprintf_stderr_begin(), text, sizeof text, 1);
	__builtin_trap();
}

extern "C" __global__ void allocates(unsigned long **of, int n) {
	unsigned long *p = (unsigned long *)__ockl_dm_alloc(8 * n);
	of[here()] = p;
	for (int i = 0; p && i < n; i++)
		p[i] = here() * 1000 + i;
}

/* Counts the words that are not those of allocates(). */
extern "C" __global__ void frees(int *wrong, unsigned long **of, int n) {
	int count = 0;
	for (int i = 0; i < n; i++)
		count += of[here()][i] != here() * 1000 + i;
	wrong[here()] = count;
	__ockl_dm_dealloc((unsigned long)of[here()]);
}

/* What all workgroups have written, after the barrier. */
extern "C" __global__ void across(int *sum, int *each, int n) {
	each[here()] = here() + 1;
	__ockl_grid_sync();
	int total = 0;
	for (int i = 0; i < n; i++)
		total += each[i];
	sum[here()] = total;
}
