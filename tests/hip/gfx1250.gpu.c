/* Plain kernels for gfx1250, for gfx1250_test: memory alone, LDS and a barrier, tiles in LDS. */
#define GLOBAL    __attribute__((address_space(1)))
#define LDS       __attribute__((address_space(3)))
#define SHARED    static LDS __attribute__((loader_uninitialized, aligned(16)))
#define KERNEL(n) __attribute__((amdgpu_kernel, reqd_work_group_size(n, 1, 1))) void

typedef unsigned u32;

enum { GROUP = 256, TILE = 16 };

static inline u32 me(void) {
	return __builtin_amdgcn_workitem_id_x();
}

static inline __attribute__((always_inline)) void sync(void) {
	__builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
	__builtin_amdgcn_s_barrier();
	__builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

KERNEL(GROUP) saxpy(GLOBAL float *y, const GLOBAL float *x, float a, u32 n) {
	u32 i = __builtin_amdgcn_workgroup_id_x() * GROUP + me();
	if (i < n)
		y[i] += a * x[i];
}

SHARED float row[GROUP];

KERNEL(GROUP) reverse(GLOBAL float *y, const GLOBAL float *x) {
	u32 first = __builtin_amdgcn_workgroup_id_x() * GROUP;
	row[me()] = x[first + me()];
	sync();
	y[first + me()] = row[GROUP - 1 - me()];
}

/* The same without the barrier, and without the wait for LDS before it. */
KERNEL(GROUP) no_barrier(GLOBAL float *y, const GLOBAL float *x) {
	row[me()] = x[me()];
	__builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup");
	y[me()] = row[GROUP - 1 - me()];
}

KERNEL(GROUP) no_wait(GLOBAL float *y, const GLOBAL float *x) {
	float v = x[me()];
	asm volatile("ds_store_b32 %0, %1\n\ts_barrier_signal -1\n\ts_barrier_wait -1"
	             :
	             : "v"((u32)(unsigned long)&row[me()]), "v"(v)
	             : "memory");
	y[me()] = row[GROUP - 1 - me()];
}

/* Both operations of one instruction read before either writes; the second has the literal, too. */
KERNEL(GROUP) exchange(GLOBAL u32 *out) {
	u32 a = me(), b = 1000 + me();
	asm volatile("v_dual_mov_b32 %0, %1 :: v_dual_mov_b32 %1, %0" : "+v"(a), "+v"(b));
	out[2 * me()] = a;
	out[2 * me() + 1] = b;
}

SHARED float a_tile[TILE][TILE], b_tile[TILE][TILE];

/* C = A B, n x n, row-major. */
KERNEL(GROUP) gemm(GLOBAL float *c, const GLOBAL float *a, const GLOBAL float *b, u32 n) {
	u32 x = me() % TILE, y = me() / TILE;
	u32 column = __builtin_amdgcn_workgroup_id_x() * TILE + x;
	u32 line = __builtin_amdgcn_workgroup_id_y() * TILE + y;
	float sum = 0;
	for (u32 k = 0; k < n; k += TILE) {
		a_tile[y][x] = a[line * n + k + x];
		b_tile[y][x] = b[(k + y) * n + column];
		sync();
		for (u32 i = 0; i < TILE; i++)
			sum += a_tile[y][i] * b_tile[i][x];
		sync();
	}
	c[line * n + column] = sum;
}
