/* Named barriers of gfx1250, right and broken, for gfx1250_barriers_test. */
#define GLOBAL    __attribute__((address_space(1)))
#define LDS       __attribute__((address_space(3)))
#define SHARED    static LDS __attribute__((loader_uninitialized, aligned(16)))
#define INLINE    static inline __attribute__((always_inline)) void
#define KERNEL(n) __attribute__((amdgpu_kernel, reqd_work_group_size(n, 1, 1))) void

typedef unsigned u32;
typedef __amdgpu_named_workgroup_barrier_t barrier;

enum { WAVE = 32, PAIRS = 2, GROUP = 2 * PAIRS * WAVE, ROUNDS = 5 };

SHARED barrier full, empty;
SHARED volatile u32 row[GROUP];

static inline u32 me(void) {
	return __builtin_amdgcn_workitem_id_x();
}
static inline u32 wave(void) {
	return __builtin_amdgcn_readfirstlane(me() / WAVE);
}

#define INIT(b, n)   __builtin_amdgcn_s_barrier_init((void *)&(b), n)
#define JOIN(b)      __builtin_amdgcn_s_barrier_join((void *)&(b))
#define SIGNAL(b, n) __builtin_amdgcn_s_barrier_signal_var((void *)&(b), n)
#define AWAIT        __builtin_amdgcn_s_barrier_wait(1)
#define RELEASE      __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup")
#define ACQUIRE      __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup")

INLINE sync(void) {
	RELEASE;
	__builtin_amdgcn_s_barrier();
	ACQUIRE;
}

INLINE begin(u32 n_full, u32 n_empty) {
	if (wave() == 0) {
		INIT(full, n_full);
		INIT(empty, n_empty);
	}
	sync();
}

/* ---- each pair of waves has a barrier ---- */

/* Stores what the other wave of the pair has stored. */
INLINE in_pairs(GLOBAL u32 *out, u32 members, int early) {
	if (wave() / 2)
		JOIN(full);
	else
		JOIN(empty);
	sync();
	if (!early)
		row[me()] = 7 * me();
	RELEASE;
	if (wave() / 2)
		SIGNAL(full, members);
	else
		SIGNAL(empty, members);
	if (early)
		row[me()] = 7 * me();
	AWAIT;
	ACQUIRE;
	out[me()] = row[me() ^ WAVE];
}

KERNEL(GROUP) pairs(GLOBAL u32 *out) {
	begin(2, 2);
	in_pairs(out, 0, 0);
}
KERNEL(GROUP) pairs_same_members(GLOBAL u32 *out) {
	begin(2, 2);
	in_pairs(out, 2, 0);
}
KERNEL(GROUP) pairs_other_members(GLOBAL u32 *out) {
	begin(3, 3);
	in_pairs(out, 2, 0);
}
KERNEL(GROUP) pairs_late_store(GLOBAL u32 *out) {
	begin(2, 2);
	in_pairs(out, 0, 1);
}
/* One signal completes the barrier. */
KERNEL(GROUP) pairs_one_member(GLOBAL u32 *out) {
	begin(1, 1);
	in_pairs(out, 0, 0);
}
/* No order with the initialisation. */
KERNEL(GROUP) pairs_early_signal(GLOBAL u32 *out) {
	if (wave() == 0) {
		INIT(full, 2);
		INIT(empty, 2);
	}
	if (wave() / 2)
		JOIN(full);
	else
		JOIN(empty);
	row[me()] = 7 * me();
	RELEASE;
	if (wave() / 2)
		SIGNAL(full, 0);
	else
		SIGNAL(empty, 0);
	AWAIT;
	ACQUIRE;
	out[me()] = row[me() ^ WAVE];
}

/* The state of a barrier before and after one of two signals. */
static inline u32 state(LDS barrier *b) {
	u32 bits = __builtin_amdgcn_s_get_named_barrier_state((void *)b);
	__asm__ volatile("s_wait_kmcnt 0" : "+s"(bits));
	return bits & 0x7f07f1;
}
KERNEL(2 * WAVE) states(GLOBAL u32 *out) {
	begin(2, 2);
	if (wave())
		return;
	out[0] = state(&full);
	SIGNAL(full, 0);
	out[1] = state(&full);
}

/* One wave asks for it while it polls a flag of the other. */
KERNEL(2 * WAVE) state_polled(GLOBAL u32 *out) {
	u32 n, flag;
	row[0] = 0;
	begin(2, 2);
	if (wave()) {
		row[0] = 1;
		return;
	}
	do {
		flag = row[0];
		__asm__ volatile("s_wait_dscnt 0" : "+v"(flag));
		n = state(&full);
	} while (!flag);
	out[0] = n;
}

/* ---- one wave produces, one consumes, round after round ---- */

/* The producer signals `full`, and waits for `empty`; so does the consumer the other way round. */
INLINE produce(u32 k, int waits) {
	if (k && waits) {
		AWAIT;
		ACQUIRE;
	}
	row[me()] = 100 * k + me();
	RELEASE;
	SIGNAL(full, 0);
}

INLINE consume(GLOBAL u32 *out, u32 k) {
	AWAIT;
	ACQUIRE;
	out[k * WAVE + me() % WAVE] = row[me() % WAVE];
	RELEASE;
	SIGNAL(empty, 0);
}

INLINE ring(GLOBAL u32 *out, int waits) {
	begin(1, 1);
	if (wave() == 0)
		JOIN(empty);
	else
		JOIN(full);
	sync();
	for (u32 k = 0; k < ROUNDS; k++)
		if (wave() == 0)
			produce(k, waits);
		else
			consume(out, k);
}

KERNEL(2 * WAVE) produced(GLOBAL u32 *out) {
	ring(out, 1);
}
KERNEL(2 * WAVE) produced_too_early(GLOBAL u32 *out) {
	ring(out, 0);
}

/* The consumer joins without order with the signal. */
KERNEL(2 * WAVE) joined_late(GLOBAL u32 *out) {
	begin(1, 1);
	if (wave() == 0) {
		row[me()] = me();
		RELEASE;
		SIGNAL(full, 0);
	} else {
		JOIN(full);
		AWAIT;
		ACQUIRE;
		out[me() % WAVE] = row[me() % WAVE];
	}
}

/* ---- others ---- */

/* One wave of four is the first. */
KERNEL(GROUP) firsts(GLOBAL u32 *out) {
	enum { FULL = 2 };
	begin(4, 1);
	JOIN(full);
	sync();
	u32 first = __builtin_amdgcn_s_barrier_signal_isfirst(FULL);
	AWAIT;
	out[me()] = first;
}

/* The last of four waves leaves; the others have the barrier to themselves. */
KERNEL(GROUP) leaves(GLOBAL u32 *out) {
	begin(4, 1);
	JOIN(full);
	sync();
	if (wave() == 3) {
		__builtin_amdgcn_s_barrier_leave(1);
		return;
	}
	row[me()] = me();
	RELEASE;
	SIGNAL(full, 0);
	AWAIT;
	ACQUIRE;
	out[me()] = row[(me() + WAVE) % (3 * WAVE)];
}

KERNEL(WAVE) not_initialised(GLOBAL u32 *out) {
	SIGNAL(full, 0);
	out[me()] = 0;
}
KERNEL(WAVE) not_joined(GLOBAL u32 *out) {
	begin(1, 1);
	SIGNAL(full, 0);
	AWAIT;
	out[me()] = 0;
}
KERNEL(WAVE) left(GLOBAL u32 *out) {
	begin(1, 1);
	JOIN(full);
	__builtin_amdgcn_s_barrier_leave(1);
	AWAIT;
	out[me()] = 0;
}
KERNEL(WAVE) no_members(GLOBAL u32 *out) {
	begin(0, 1);
	out[me()] = 0;
}
/* The kernel has four, of which it uses two. */
KERNEL(WAVE) beyond(GLOBAL u32 *out) {
	begin(1, 1);
	asm volatile("s_barrier_signal 5");
	out[me()] = 0;
}
/* A wave may join no barrier. */
KERNEL(WAVE) joins_none(GLOBAL u32 *out) {
	begin(1, 1);
	JOIN(full);
	asm volatile("s_barrier_join 0\n\ts_barrier_signal 0\n\ts_barrier_wait 0");
	out[me()] = me();
}

/* ---- waves that store the same ---- */

/* All waves read a word, and after a barrier two of them store the same to it. `early`: wave 1 does
 * so between its signal and its wait. */
INLINE same_store(GLOBAL u32 *out, int early) {
	u32 i = me() % WAVE, read;
	row[i] = i;
	sync();
	read = row[i];
	out[me()] = read;
	RELEASE;
	__builtin_amdgcn_s_barrier_signal(-1);
	if (wave() == 1)
		__builtin_amdgcn_s_sleep(100);
	if (early && wave() == 1)
		row[i] = 5;
	__builtin_amdgcn_s_barrier_wait(-1);
	ACQUIRE;
	if (wave() < (early ? 1 : 2))
		row[i] = 5;
	sync();
	out[me()] = row[i] + read;
}

KERNEL(GROUP) stores_same(GLOBAL u32 *out) {
	same_store(out, 0);
}
KERNEL(GROUP) stores_same_early(GLOBAL u32 *out) {
	same_store(out, 1);
}
