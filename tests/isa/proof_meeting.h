/* Synchronisation of the waves of a random program: at a barrier, through flags in LDS, or between
 * workgroups through a counter in device memory. Before it, waves execute the weakest sufficient
 * wait for their accesses to buffers; sometimes a weaker one, or a wait for the wrong flag.
 *
 *   v40 address of a flag, v41 1, v42 what it holds, s46 the same */
#ifndef PROOF_MEETING_H
#define PROOF_MEETING_H

static const uint32_t clear_flags[] = {
	0x24500082,             /* v_lshlrev_b32_e32 v40, 2, v0 */
	0x685050ff, 0x00002000, /* v_add_u32_e32 v40, 0x2000, v40 */
	0x7e520280,             /* v_mov_b32_e32 v41, 0 */
	0xd81a0000, 0x00002928, /* ds_write_b32 v40, v41 */
	0x7e520281,             /* v_mov_b32_e32 v41, 1 */
	0xbf8cc07f,             /* s_waitcnt lgkmcnt(0) */
	0xbf8a0000,             /* s_barrier */
};
static const uint32_t flag_address[] = {
	0x7e5002ff, 0x00002000, /* v_mov_b32_e32 v40, 0x2000 */
};
static const uint32_t own_flag[] = {
	0x8e2e820c, /* s_lshl_b32 s46, s12, 2 */
	0x6850502e, /* v_add_u32_e32 v40, s46, v40 */
};
static const uint32_t set_flag[] = {
	0xd81a0000, 0x00002928, /* ds_write_b32 v40, v41 */
};
static const uint32_t count_flag[] = {
	0xd8000000, 0x00002928, /* ds_add_u32 v40, v41 */
};
static const uint32_t poll_flag[] = {
	0xd86c0000, 0x2a000028, /* ds_read_b32 v42, v40 */
	0xbf8cc07f,             /* s_waitcnt lgkmcnt(0) */
	0x7e5c052a,             /* v_readfirstlane_b32 s46, v42 */
};
static const uint32_t count_group[] = {
	0xdd088000, 0x00002928, /* global_atomic_add v40, v41, s[0:1] */
};
static const uint32_t poll_groups[] = {
	0xde508000, 0x2a000028, /* global_load_dword v42, v40, s[0:1] sc1 */
	0xbf8c0f70,             /* s_waitcnt vmcnt(0) */
	0x7e5c052a,             /* v_readfirstlane_b32 s46, v42 */
};
static const uint32_t until[] = {
	0xbf0a802e, /* s_cmp_lt_u32 s46, 0 */
	0xbf85fff9, /* s_cbranch_scc1 65529 */
};

/* The accesses of all waves to buffers are complete. */
static const struct op all_buffers = {
	.touch = { { LDS, 3, true }, { MEMORY, 3, true } },
	.is_barrier = true,
};
/* The accesses of all workgroups are complete. */
static const struct op all_groups = {
	.touch = { { LDS, 3, true }, { MEMORY, 3, true } },
};
/* LDS operations of a wave are ordered before its flag, which is an LDS operation. */
static const struct op before_flag = {
	.touch = { { LDS, 3, true }, { MEMORY, 3, true } },
	.stream = { [SHARED] = true },
	.is_barrier = true,
};

/* Loops back to `start` while the flag is below `least`. */
static inline void emit_until(struct program *p, unsigned least, unsigned start) {
	uint32_t test = until[0] | least << 8;
	emit(p, &test, 1);
	uint32_t back = (until[1] & ~0xffffu) | ((start - p->n - 1) & 0xffff);
	emit(p, &back, 1);
}

static inline void emit_address(struct program *p, uint32_t at) {
	uint32_t dwords[] = { flag_address[0], at };
	emit(p, dwords, 2);
}

static inline void emit_poll(struct program *p, uint32_t at, unsigned least) {
	unsigned start;
	emit_address(p, at);
	start = p->n;
	for (unsigned i = 0; i < sizeof poll_flag / 4; i += i ? 1 : 2)
		emit(p, poll_flag + i, i ? 1 : 2);
	emit_until(p, least, start);
}

/* Each wave adds to a counter and waits for all waves. */
static inline void emit_counter(struct program *p, uint32_t at) {
	emit_address(p, at);
	EMIT(p, count_flag);
	emit_poll(p, at, p->waves);
}

/* Each wave sets its own flag and waits for the flags of all waves. */
static inline void emit_own_flags(struct program *p, uint32_t at) {
	emit_address(p, at);
	emit(p, own_flag, 1);
	emit(p, own_flag + 1, 1);
	EMIT(p, set_flag);
	for (unsigned w = 0; w < p->waves; w++)
		emit_poll(p, at + 4 * (weakens_sync(p) ? any(p, p->waves) : w), 1);
}

static inline void emit_flags(struct program *p) {
	uint32_t at = LDS_BYTES + 32 * p->wave_sync++;
	if (!weakens_sync(p))
		wait_for(p, &before_flag);
	p->keeps = true;
	EMIT(p, exec_of_one);
	if (any(p, 2))
		emit_counter(p, at);
	else
		emit_own_flags(p, at);
	EMIT(p, exec_of[0]);
	p->keeps = false;
	for (unsigned w = 0; w < p->waves; w++)
		cover(&p->wave[w], 63, 0);
}

/* All workgroups wait for all workgroups; wave 0 waits on behalf of its workgroup. */
static inline void emit_grid(struct program *p) {
	uint32_t at = GRID_FLAGS + 64 * p->wave_sync++;
	if (!weakens_sync(p))
		wait_for(p, &all_groups);
	EMIT(p, one_barrier);
	p->keeps = true;
	unsigned branch = begin(p, 1), start;
	EMIT(p, exec_of_one);
	emit_address(p, at);
	EMIT(p, count_group);
	start = p->n;
	emit(p, poll_groups, 2);
	emit(p, poll_groups + 2, 1);
	emit(p, poll_groups + 3, 1);
	emit_until(p, p->groups, start);
	EMIT(p, exec_of[0]);
	end(p, branch);
	cover(&p->wave[0], 0, 15);
	p->keeps = false;
	EMIT(p, one_barrier);
}

static inline void emit_sync_of(struct program *p, unsigned mask) {
	unsigned branch = begin(p, mask);
	bool wait = !weakens_sync(p);
	bool alone = p->through != BARRIERS && mask != all_waves(p); /* others wait at flags */
	bool barrier = !weakens_sync(p) || alone;
	if (wait && any(p, 8))
		wait_for(p, &all_buffers);
	else if (wait)
		emit_wait(p, 0, 0);
	if (barrier)
		EMIT(p, one_barrier);
	if (!wait)
		wait_for(p, &all_buffers);
	end(p, branch);
}

/* Waves synchronise, sometimes at different barriers; sometimes a wave ends instead. */
static inline void emit_barrier(struct program *p, bool may_end) {
	unsigned all = all_waves(p), some = 1 + any(p, all);
	if (some == all || any(p, 4)) {
		emit_sync_of(p, all);
		return;
	}
	if (may_end && !any(p, 4)) {
		unsigned branch = begin(p, some);
		wait_for(p, &all_buffers);
		EMIT(p, one_end);
		end(p, branch);
		emit_sync_of(p, all);
		return;
	}
	emit_sync_of(p, some);
	emit_sync_of(p, all & ~some);
}

/* A flag is set only once, so never in a loop. */
static inline void emit_sync(struct program *p, bool loop) {
	if (loop || p->through == BARRIERS)
		emit_barrier(p, !loop && p->through == BARRIERS);
	else if (p->through == GRID)
		emit_grid(p);
	else if (any(p, 4))
		emit_flags(p);
	else
		emit_barrier(p, false);
}

#endif
