/* Copies between device memory and LDS on gfx1250, right and broken, for gfx1250_copies_test: tiles
 * of the tensor data mover, asynchronous copies, barriers in LDS. */
#define GLOBAL    __attribute__((address_space(1)))
#define LDS       __attribute__((address_space(3)))
#define SHARED    static LDS __attribute__((loader_uninitialized, aligned(16)))
#define INLINE    static inline __attribute__((always_inline)) void
#define KERNEL(n) __attribute__((amdgpu_kernel, reqd_work_group_size(n, 1, 1))) void

typedef unsigned u32;
typedef unsigned long u64;
typedef int v4i __attribute__((ext_vector_type(4)));
typedef int v8i __attribute__((ext_vector_type(8)));

enum { WAVE = 32, GROUP = 128, ROWS = 8, COLUMNS = 32, TILE = ROWS * COLUMNS };

static inline u32 me(void) {
	return __builtin_amdgcn_workitem_id_x();
}
static inline u32 wave(void) {
	return __builtin_amdgcn_readfirstlane(me() / WAVE);
}
static inline u32 place(const volatile LDS void *p) {
	return (u32)(u64)p;
}

SHARED volatile u32 tile[2][TILE + 64];
SHARED volatile u64 ready, empty;

#define WAIT(counter, n) asm volatile("s_wait_" #counter " " #n ::: "memory")
#define SIGNAL           asm volatile("s_barrier_signal -1" ::: "memory")
#define AWAIT            asm volatile("s_barrier_wait -1" ::: "memory")
#define SYNC                                                                                       \
	do {                                                                                       \
		WAIT(dscnt, 0);                                                                    \
		SIGNAL;                                                                            \
		AWAIT;                                                                             \
	} while (0)

/* ---- tiles: rows of dwords, `width` apart in memory ---- */

enum { ARRIVES = 1 << 18, PAD_16_AFTER_128 = 1 << 20 | 4 << 22 | 3 << 25 };

static inline v4i group0(const volatile LDS void *lds, const GLOBAL void *memory) {
	u64 at = (u64)memory;
	return (v4i){ 1, (int)place(lds), (int)(u32)at, (int)((u32)(at >> 32) | 2u << 30) };
}

/* `rows` and `width`: of the tensor from there on. */
static inline v8i group1(u32 what, u32 width, u32 rows, const volatile LDS void *barrier) {
	return (v8i){ (int)(2 << 16 | what),
		      (int)((place(barrier) / 8 & 0xffff) | width << 16),
		      (int)(width >> 16 | rows << 16),
		      (int)(rows >> 16 | COLUMNS << 16),
		      ROWS,
		      (int)width };
}

INLINE load(volatile LDS u32 *to, const GLOBAL u32 *from, u32 what, u32 width, u32 rows,
            const volatile LDS void *barrier) {
	__builtin_amdgcn_tensor_load_to_lds_d2(group0(to, from), group1(what, width, rows, barrier),
	                                       0);
}

INLINE store(GLOBAL u32 *to, const volatile LDS u32 *from, u32 width, u32 rows) {
	__builtin_amdgcn_tensor_store_from_lds_d2(group0(from, to), group1(0, width, rows, 0), 0);
}

/* One wave: a tile at the edge of a tensor of `rows`, with padding in LDS, and back. */
KERNEL(WAVE) through(GLOBAL u32 *y, const GLOBAL u32 *x, u32 width, u32 rows) {
	load(tile[0], x, PAD_16_AFTER_128, width, rows, 0);
	WAIT(tensorcnt, 0);
	for (u32 r = 0; r < ROWS; r++)
		tile[1][r * COLUMNS + me()] = tile[0][r * (COLUMNS + 4) + me()] + 1;
	WAIT(dscnt, 0);
	store(y, tile[1], width, rows);
	WAIT(tensorcnt, 0);
}
KERNEL(WAVE) through_no_wait(GLOBAL u32 *y, const GLOBAL u32 *x, u32 width, u32 rows) {
	load(tile[0], x, 0, width, rows, 0);
	y[me()] = tile[0][me()];
}
KERNEL(WAVE) through_store_early(GLOBAL u32 *y, const GLOBAL u32 *x, u32 width, u32 rows) {
	(void)x;
	for (u32 r = 0; r < ROWS; r++)
		tile[1][r * COLUMNS + me()] = me();
	store(y, tile[1], width, rows);
	WAIT(tensorcnt, 0);
}
KERNEL(WAVE) through_reuse_early(GLOBAL u32 *y, const GLOBAL u32 *x, u32 width, u32 rows) {
	(void)x;
	for (u32 r = 0; r < ROWS; r++)
		tile[1][r * COLUMNS + me()] = me();
	WAIT(dscnt, 0);
	store(y, tile[1], width, rows);
	tile[1][me()] = 0;
	WAIT(tensorcnt, 0);
}

/* Two buffers: wave 0 loads the next tile while all waves sum the one before. */
#define SUM_TILES(name, LEFT, BEFORE_SIGNAL, AFTER_WAIT)                                           \
	KERNEL(GROUP) name(GLOBAL u32 *y, const GLOBAL u32 *x, u32 width, u32 n) {                 \
		u32 sum = 0;                                                                       \
		if (!wave())                                                                       \
			load(tile[0], x, 0, width, ROWS, 0);                                       \
		for (u32 k = 0; k < n; k++) {                                                      \
			if (!wave()) {                                                             \
				if (k + 1 < n) {                                                   \
					load(tile[(k + 1) & 1], x + (k + 1) * COLUMNS, 0, width,   \
					     ROWS, 0);                                             \
					BEFORE_SIGNAL(LEFT);                                       \
				} else                                                             \
					BEFORE_SIGNAL(0);                                          \
			}                                                                          \
			SIGNAL;                                                                    \
			if (!wave())                                                               \
				AFTER_WAIT(0);                                                     \
			AWAIT;                                                                     \
			sum += tile[k & 1][me()] + tile[k & 1][me() + GROUP];                      \
			SYNC;                                                                      \
		}                                                                                  \
		y[me()] = sum;                                                                     \
	}
#define NONE(n)
#define TENSOR(n) WAIT(tensorcnt, n)
SUM_TILES(sum_tiles, 1, TENSOR, NONE)
SUM_TILES(sum_tiles_loose, 2, TENSOR, NONE)
SUM_TILES(sum_tiles_late, 1, NONE, TENSOR)

/* ---- copies by lane ---- */

typedef int v4g __attribute__((ext_vector_type(4)));
INLINE copy_in(volatile LDS u32 *to, const GLOBAL u32 *from) {
	__builtin_amdgcn_global_load_async_to_lds_b128((GLOBAL v4g *)from, (LDS v4g *)to, 0, 0);
}
INLINE copy_out(GLOBAL u32 *to, const volatile LDS u32 *from) {
	__builtin_amdgcn_global_store_async_from_lds_b128((GLOBAL v4g *)to, (LDS v4g *)from, 0, 0);
}

#define COPIES(name, FIRST, SECOND)                                                                \
	KERNEL(WAVE) name(GLOBAL u32 *y, const GLOBAL u32 *x) {                                    \
		copy_in(&tile[0][4 * me()], x + 4 * me());                                         \
		copy_in(&tile[0][4 * (WAVE + me())], x + 4 * (WAVE + me()));                       \
		FIRST;                                                                             \
		tile[1][4 * me()] = tile[0][4 * me()];                                             \
		tile[1][4 * me() + 1] = 1;                                                         \
		tile[1][4 * me() + 2] = 2;                                                         \
		tile[1][4 * me() + 3] = 3;                                                         \
		WAIT(dscnt, 0);                                                                    \
		copy_out(y + 4 * me(), &tile[1][4 * me()]);                                        \
		SECOND;                                                                            \
		y[4 * WAVE + me()] = tile[0][4 * WAVE + me()];                                     \
		WAIT(asynccnt, 0);                                                                 \
	}
COPIES(copies, WAIT(asynccnt, 1), WAIT(asynccnt, 0))
COPIES(copies_no_wait, (void)0, WAIT(asynccnt, 0))
/* The store may have been counted before the second load. */
COPIES(copies_mixed, WAIT(asynccnt, 1), WAIT(asynccnt, 1))

/* ---- barriers in LDS ---- */

static inline void begin(volatile LDS u64 *barrier, u32 arrivals) {
	*barrier = (u64)(arrivals - 1) << 32 | (arrivals - 1);
}
static inline void arrive(const volatile LDS u64 *barrier) {
	u64 old;
	asm volatile("ds_atomic_barrier_arrive_rtn_b64 %0, %1, %2\n\ts_wait_dscnt 0"
	             : "=v"(old)
	             : "v"(place(barrier)), "v"(1ul)
	             : "memory");
}
INLINE await_phase(const volatile LDS u64 *barrier, u32 phase) {
	while ((*barrier >> 29 & 1) == phase)
		__builtin_amdgcn_s_sleep(1);
}

/* Wave 0 loads tiles into a slot; the others sum them and return the slot. */
#define RING(name, FIRST_ARRIVES, RETURN_EARLY)                                                    \
	KERNEL(GROUP) name(GLOBAL u32 *y, const GLOBAL u32 *x, u32 width, u32 n) {                 \
		u32 sum = 0;                                                                       \
		if (!me()) {                                                                       \
			begin(&ready, 1);                                                          \
			begin(&empty, GROUP - WAVE);                                               \
		}                                                                                  \
		SYNC;                                                                              \
		for (u32 k = 0; k < n; k++)                                                        \
			if (!wave()) {                                                             \
				await_phase(&empty, (k + 1) & 1);                                  \
				load(tile[0], x + k * COLUMNS, FIRST_ARRIVES ? ARRIVES : 0, width, \
				     ROWS, &ready);                                                \
				load(tile[1], x + k * COLUMNS, FIRST_ARRIVES ? 0 : ARRIVES, width, \
				     ROWS, &ready);                                                \
			} else {                                                                   \
				await_phase(&ready, k & 1);                                        \
				if (RETURN_EARLY)                                                  \
					arrive(&empty);                                            \
				sum += tile[0][me()] + tile[1][me() + GROUP];                      \
				if (!RETURN_EARLY)                                                 \
					arrive(&empty);                                            \
			}                                                                          \
		WAIT(tensorcnt, 0);                                                                \
		y[me()] = sum;                                                                     \
	}
RING(ring, 0, 0)
RING(ring_first_arrives, 1, 0)
RING(ring_returned_early, 0, 1)

/* Each lane of wave 0 copies, and arrives after its copy. */
#define ARRIVE_AFTER(name, ARRIVAL)                                                                \
	KERNEL(GROUP) name(GLOBAL u32 *y, const GLOBAL u32 *x) {                                   \
		if (!me())                                                                         \
			begin(&ready, WAVE);                                                       \
		SYNC;                                                                              \
		if (!wave()) {                                                                     \
			copy_in(&tile[0][4 * me()], x + 4 * me());                                 \
			ARRIVAL;                                                                   \
		}                                                                                  \
		await_phase(&ready, 0);                                                            \
		y[me()] = tile[0][me()];                                                           \
		WAIT(asynccnt, 0);                                                                 \
	}
ARRIVE_AFTER(arrive_after, __builtin_amdgcn_ds_atomic_async_barrier_arrive_b64((LDS long *)&ready))
ARRIVE_AFTER(arrive_at_once, arrive(&ready))
