/* Happens-before: which accesses of a launch are ordered under every schedule.
 *
 * An access begins when its instruction issues. It is over when its wave has executed a wait that
 * covers it, even if the emulator lands it earlier. Order comes from the program order of a wave,
 * from counters of operations that return in order, from waits, and between waves from barriers
 * (conflicts.c) and from flags (happens_before.c). Vector memory of a workgroup goes through one L1
 * in the order of issue, unless the launch splits workgroups (l1.c). Order does not depend on the
 * seed, so a conflict without order is a finding under any seed. */
#ifndef MX_RACE_H
#define MX_RACE_H

#include "../encoding/operands.h"
#include "../schedule/inflight.h"
#include "slabs.h"

/* The stream of an operation, and whether its operations take effect in the order of issue.
 * Compiled code relies on this for vector memory: no wait stands between a store and a load of the
 * same address [LLVM SIInsertWaitcnts]. */
static inline const struct mx_isa_stream *mx_race_stream(const struct mx_wave *w, unsigned stream) {
	return &w->stream[stream];
}

enum { MX_RACE_MORE = 128, MX_RACE_ISSUES = 64 /* more than the highest counter */ };

/* A pending load of lanes of a register. */
struct mx_race_load {
	const struct mx_inst *in;
	uint64_t lanes;
	uint32_t number;
	uint16_t row;
	uint8_t stream;
};

/* The operations that a wave has issued. Each stream numbers its operations from 1. */
struct mx_race_wave {
	uint32_t issued[MX_STREAMS];
	uint32_t covered[MX_STREAMS]; /* the last operation that a wait of the wave covers */
	uint32_t flat;                /* number of the last FLAT in device memory, and its stream */
	unsigned flat_stream;
	uint32_t flat_lds; /* number of the last FLAT in LDS */
	uint64_t passed;   /* instructions issued when its last wait for a barrier was over */
	uint64_t pending[MX_ROWS / 64];             /* registers with a pending load */
	uint64_t loading[MX_STREAMS][MX_ROWS / 64]; /* the same by the stream of the last load */
	uint32_t newest[MX_STREAMS];                /* the last such load */
	uint64_t may_pend;  /* the bits of mx_race_rows_of of these registers, and of others */
	bool any_forgotten; /* may_pend may have more than these */
	unsigned n_more;
	/* load: the last load of each row, valid for pending rows. more: earlier loads of other
	 * lanes. */
	struct mx_race_load load[MX_ROWS], more[MX_RACE_MORE];
	/* The number of the instruction in the wave of each operation that may be in flight. */
	uint64_t issue[MX_STREAMS][MX_RACE_ISSUES];
};

/* One access of a conflict, packed for the shadow cells: bits 30:0 number, 54:31 dword of the code,
 * 59:55 wave, 62:60 stream, 63 an atomic or a flag. 0: none. */
typedef uint64_t mx_access;

static inline mx_access mx_access_of(const struct mx_wave *w, const struct mx_inst *in,
                                     unsigned stream, uint32_t number) {
	return (number & 0x7fffffff) | (uint64_t)(in->offset / 4 & 0xffffff) << 31 |
	       (uint64_t)w->index << 55 | (uint64_t)stream << 60;
}
static inline uint32_t mx_access_number(mx_access a) {
	return a & 0x7fffffff;
}
/* The byte offset of its instruction in the program. */
static inline uint32_t mx_access_offset(mx_access a) {
	return (a >> 31 & 0xffffff) * 4;
}
static inline unsigned mx_access_wave(mx_access a) {
	return a >> 55 & 31;
}
static inline unsigned mx_access_stream(mx_access a) {
	return a >> 60 & 7;
}
static inline bool mx_access_is_sync(mx_access a) {
	return a >> 63;
}
static inline mx_access mx_access_as_sync(mx_access a) {
	return a | 1ull << 63;
}

/* ---- shadow.c: the last accesses to each byte ---- */

/* The contents that a write leaves. Two writes of the same contents do not conflict. In a cell of
 * several dwords each dword has the value. */
struct mx_written {
	uint64_t value : 55;
	uint64_t kind : 4;       /* mx_written_kind */
	uint64_t first : 1;      /* no access came before writes of these contents */
	uint64_t own_wait : 1;   /* ordered after an access by a wait of its own wave only */
	uint64_t concurrent : 1; /* concurrent writes left this; the earlier ones are kept as
	                            readers */
};
typedef enum {
	MX_UNKNOWN,
	MX_VALUE,
	MX_SUMMED, /* by atomics; the value is their mx_rmw_kind */
	/* By LDS-DMA; the value is the address of the source. A store to the source between two
	 * loads is ordered with respect to one of them only if that load is over. */
	MX_LOADED,
	MX_LOADED_UBYTE,
	MX_LOADED_SBYTE,
	MX_LOADED_USHORT,
	MX_LOADED_SSHORT
} mx_written_kind;

/* A reader of a cell that several workgroups have read. */
struct mx_race_reader {
	const struct mx_race_reader *next;
	mx_access access;
	uint32_t group;
};

/* Shadow cell: the last accesses to one byte, or to bytes that were always accessed together.
 * Readers are the last of each wave, kept apart as mx_race_slot_of says: one in `read`, or several
 * in `readers`. Readers of several workgroups are a list if waves synchronise
 * through memory; otherwise one of them is kept. */
struct mx_race_cell {
	mx_access write;
	union {
		mx_access read;
		const struct mx_race_reader *list;
	};
	mx_access *readers;
	uint32_t write_group, read_group; /* one more than the workgroup's index; 0: none */
	struct mx_written written;
};
#define MX_SEVERAL_GROUPS UINT32_MAX

/* A bit for each cell of a page with cells of 4 bytes or more. */
typedef uint64_t mx_cells __attribute__((vector_size(32), aligned(8)));
typedef long long mx_cells_word __attribute__((vector_size(32))); /* as the compiler's built-ins */

static inline __attribute__((always_inline)) bool mx_cells_any(mx_cells c) {
#ifdef __AVX__ /* one instruction, for which the compiler takes eight */
	return !__builtin_ia32_ptestz256((mx_cells_word)c, (mx_cells_word)c);
#else
	return c[0] | c[1] | c[2] | c[3];
#endif
}
static inline bool mx_cells_has(mx_cells c, unsigned i) {
	return c[i / 64] >> i % 64 & 1;
}
static inline bool mx_cells_meet(const mx_cells *a, const mx_cells *b) {
	return mx_cells_any(*a & *b);
}
static inline unsigned mx_cells_count(mx_cells c) {
	return (unsigned)(__builtin_popcountll(c[0]) + __builtin_popcountll(c[1]) +
	                  __builtin_popcountll(c[2]) + __builtin_popcountll(c[3]));
}

/* Each of 32 bits twice. */
static inline uint64_t mx_bits_twice(uint32_t bits) {
	uint64_t x = bits;
#ifdef __BMI2__
	x = __builtin_ia32_pdep_di(x, 0x5555555555555555);
#else
	x = (x | x << 16) & 0x0000ffff0000ffff;
	x = (x | x << 8) & 0x00ff00ff00ff00ff;
	x = (x | x << 4) & 0x0f0f0f0f0f0f0f0f;
	x = (x | x << 2) & 0x3333333333333333;
	x = (x | x << 1) & 0x5555555555555555;
#endif
	return x * 3;
}

/* The mask for cells of a part of the size. */
static inline mx_cells mx_cells_split(mx_cells c, unsigned parts) {
	for (; parts > 1; parts /= 2)
		c = (mx_cells){ mx_bits_twice((uint32_t)c[0]),
			        mx_bits_twice((uint32_t)(c[0] >> 32)),
			        mx_bits_twice((uint32_t)c[1]),
			        mx_bits_twice((uint32_t)(c[1] >> 32)) };
	return c;
}

/* An operation, and the cells of a page of which it is the last write, or a last read. */
struct mx_race_record {
	mx_access access;
	uint32_t group; /* as in a cell */
	bool write;
	uint8_t kind; /* of a write: mx_written_kind */
	mx_cells cells;
};

/* A read of cells that several workgroups have read. */
struct mx_race_listed {
	mx_access access;
	uint32_t group, mask; /* the index of the cells in the map's masks */
};

/* A page has cells, or records by operation (summary.c). */
enum { MX_RACE_PAGE = 1024, MX_RACE_RECORDS = 8 };
struct mx_race_page {
	struct mx_race_page *next; /* free pages */
	uint8_t unit;              /* bytes of a cell: 1, 2, 4, 8 or 16 */
	uint8_t finest; /* without cells: of the smallest lanes' data, or of the dwords that were
	                   written, which may differ, if less than `unit` */
	struct mx_race_cell *cell; /* NULL: records */
	uint8_t n, room;
	bool settled;                  /* in LDS: all writes are over for all waves */
	bool shared;                   /* all cells have MX_SEVERAL_GROUPS: reads add nothing */
	struct mx_race_record *record; /* `room` of them, MX_RACE_RECORDS at first */
	struct mx_race_listed *listed; /* without cells: those of the cells with MX_SEVERAL_GROUPS
	                                  after the first, if the map has lists */
	uint16_t n_listed, room_listed;
	/* Cells that were accessed; that were written; with own_wait, or with `concurrent` where
	 * barriers are split; with `first`, with `readers`, with MX_SEVERAL_GROUPS. */
	mx_cells touched, written, own_wait, first_contents, several_readers, several_groups;
	uint8_t *value;   /* by byte: contents of MX_VALUE; in LDS of pages with cells alone */
	uint64_t *source; /* by cell: contents of MX_LOADED */
};

static inline struct mx_race_cell *mx_race_cell(struct mx_race_page *p, uint64_t address) {
	return &p->cell[address % MX_RACE_PAGE >> __builtin_ctz(p->unit)];
}

/* Cache of mx_race_add_reader: a list, and the list with one more reader. */
struct mx_race_list_cache {
	const struct mx_race_reader *list, *longer;
	mx_access access;
	uint32_t group;
};

/* 64 pages: a bit for each that is known to be shared. */
struct mx_race_shared {
	uint64_t word, bits; /* word: address / MX_RACE_PAGE / 64 */
	uint64_t ended;      /* mx_race_map.ended_shared when it began */
};

/* Shadow pages by address, and the memory of their readers. */
struct mx_race_map {
	struct mx_race_slot {
		uint64_t key; /* one more than address / MX_RACE_PAGE; 0: free */
		struct mx_race_page *page;
	} * slot;
	struct mx_race_page *free;
	size_t n, room;
	const struct mx_isa *isa;
	const struct mx_group *group;  /* whose LDS it is; NULL: of device memory */
	struct mx_race_shared *shared; /* by hash: the last such words; NULL: none so far */
	size_t n_shared;               /* room for so many, a power of 2 */
	uint64_t ended_shared;         /* how often shared pages have ended to be so */
	uint64_t absent;     /* a key without a page, or 0: lanes often ask for one again */
	bool by_cells;       /* no records */
	unsigned slots;      /* for the readers of a wave */
	unsigned readers;    /* most readers of a cell in one workgroup */
	bool lists;          /* keep lists of readers of several workgroups */
	mx_cells *mask;      /* of listed reads */
	uint32_t *mask_slot; /* by hash: one more than the index of a mask; 0: free */
	uint32_t n_masks, room_masks; /* there are twice as many slots */
	uint32_t last_mask;           /* the last that was looked for */
	struct mx_race_list_cache cache[8];
	struct mx_race_block *blocks;
	struct mx_slab *slabs; /* of pages */
	/* Room for MX_RACE_RECORDS records that a page with more has left. A list: each begins with
	 * the address of the next. */
	void *few;
};

/* The page of an address, with cells of at most `unit` bytes. NULL if memory is short, or if there
 * is no page and `make` is false. */
struct mx_race_page *mx_race_find_page(struct mx_race_map *m, uint64_t address, unsigned unit,
                                       bool make);

/* Where the search for a key begins. */
static inline size_t mx_race_first_slot(const struct mx_race_map *m, uint64_t key) {
	return key * 0x9E3779B97F4A7C15 >> 20 & (m->room - 1);
}

/* The same, fast if the search ends where it begins. */
static inline struct mx_race_page *mx_race_page(struct mx_race_map *m, uint64_t address,
                                                unsigned unit, bool make) {
	uint64_t key = address / MX_RACE_PAGE + 1;
	if (key == m->absent && !make)
		return NULL;
	const struct mx_race_slot *s = m->room ? &m->slot[mx_race_first_slot(m, key)] : NULL;
	return s && s->key == key && s->page->unit <= unit
	               ? s->page
	               : mx_race_find_page(m, address, unit, make);
}

/* Whether all pages of [from, to) are shared. */
bool mx_race_are_shared(struct mx_race_map *m, uint64_t from, uint64_t to);

/* Keeps room for MX_RACE_RECORDS records for another page. */
void mx_race_leave_few(struct mx_race_map *m, struct mx_race_record *few);

mx_access *mx_race_readers(struct mx_race_map *m);
/* Which of a wave's slots in mx_race_cell.readers a stream has: scalar memory has one, each stream
 * of copies has one, and the rest, which is in order, has one. `stream` = n_streams: how many there
 * are. A wait for one of them does not cover the others. */
static inline unsigned mx_race_slot_of(const struct mx_isa *isa, unsigned stream) {
	unsigned copies = 0;
	for (unsigned s = 0; s < stream; s++)
		copies += isa->stream[s].path == MX_PATH_ASYNC;
	if (stream == isa->n_streams || isa->stream[stream].path == MX_PATH_ASYNC)
		return 2 + copies;
	return isa->stream[stream].path == MX_PATH_SCALAR;
}
static inline bool mx_race_same_slot(const struct mx_isa *isa, mx_access a, mx_access b) {
	return mx_access_wave(a) == mx_access_wave(b) &&
	       mx_race_slot_of(isa, mx_access_stream(a)) ==
	               mx_race_slot_of(isa, mx_access_stream(b));
}
/* Sets how many readers cells have room for; the slot of one; the first that is not empty. */
static inline void mx_race_map_readers(struct mx_race_map *m, unsigned waves) {
	m->slots = mx_race_slot_of(m->isa, m->isa->n_streams);
	m->readers = m->slots * waves;
}
static inline unsigned mx_race_reader_slot(const struct mx_race_map *m, mx_access a) {
	return m->slots * mx_access_wave(a) + mx_race_slot_of(m->isa, mx_access_stream(a));
}
mx_access mx_race_first_reader(const struct mx_race_map *m, const struct mx_race_cell *c);
/* Whether an access of one map and an access of the other are to the same bytes, one of them a
 * write. */
bool mx_race_maps_meet(const struct mx_race_map *a, const struct mx_race_map *b);
/* Whether both maps have a page of the same bytes. */
bool mx_race_maps_share(const struct mx_race_map *a, const struct mx_race_map *b);
/* The list with one more reader; cells share lists. NULL if memory is short. */
const struct mx_race_reader *mx_race_add_reader(struct mx_race_map *m,
                                                const struct mx_race_reader *list, uint32_t group,
                                                mx_access access);
/* Sets last_mask to the index of a mask. False if memory is short. */
bool mx_race_find_mask(struct mx_race_map *m, const mx_cells *mask);
void mx_race_map_clear(struct mx_race_map *m); /* keeps its memory for reuse */
void mx_race_map_free(struct mx_race_map *m);

/* ---- one workgroup, one launch ---- */

/* The clock of an acquire that has landed and that no wait covers yet. */
struct mx_race_acquired {
	struct mx_clock *clock;
	unsigned stream;
	uint32_t number;
};

enum { MX_RACE_POLLS = 4 };

/* What a wave obtained at barriers: the operations of each wave of the workgroup that come before
 * its own next ones. Shared and reference-counted; past.c. */
struct mx_race_past {
	uint64_t id;   /* of this one in the workgroup */
	uint64_t from; /* the one that it began as a copy of; it has all of that */
	unsigned references;
	struct mx_clock *flags; /* what the waves had obtained through memory */
	struct mx_clock *clock; /* `wave` as a clock; NULL: not computed yet */
	struct mx_race_past_wave {
		uint32_t covered[MX_STREAMS]; /* the last operation that it had waited for */
		uint32_t issued[MX_STREAMS];
		uint64_t issues;              /* instructions */
		const struct mx_inst *signal; /* of the barrier; NULL: none so far */
	} wave[];
};

/* The clock of a wave; happens_before.c. */
struct mx_race_clock {
	struct mx_clock *clock;
	struct mx_race_acquired *acquired;
	unsigned n, n_polls;
	struct mx_race_poll *poll[MX_RACE_POLLS]; /* polling loads that have landed */
	bool has_past;                            /* the clock includes that of the wave's past */
	bool polls_lds;                           /* a poll is not decided: lds_barriers.c */
};

/* A barrier; named_barriers.c. `init` and `entry` are of named ones, and of that of the cluster,
 * whose `init` is the workgroup's last signal. */
struct mx_race_named {
	uint64_t completions;
	struct mx_race_rounds {
		uint64_t completed; /* the first completion for which it has not waited */
		uint64_t passed;    /* the last for which it has waited, and when */
		uint64_t issues;
	} rounds[MX_GROUP_WAVES]; /* of each wave */
	struct mx_race_moment {
		const struct mx_inst *in; /* NULL: none */
		unsigned wave;
		uint64_t issues;       /* of the wave, before it */
	} init, entry[MX_GROUP_WAVES]; /* entry: when the wave joined, or its last wait was over */
};

struct mx_race_group {
	struct mx_race_map lds, lds_atomics;
	struct mx_race_clock clock[MX_GROUP_WAVES];
	uint64_t pasts;                            /* the last id */
	struct mx_race_past *beginning;            /* before all barriers */
	struct mx_race_past *past[MX_GROUP_WAVES]; /* of each wave */
	struct mx_race_past *common;               /* if it is that of all waves; otherwise NULL */
	/* Of the waves that have signalled a barrier; and, for each wave, of barriers that have
	 * completed and for which it has not waited. */
	struct mx_race_past *signalled[MX_BARRIERS];
	struct mx_race_past *completed[MX_GROUP_WAVES][MX_BARRIERS];
	struct mx_race_named named[MX_BARRIERS];
	struct mx_race_wave *wave[MX_GROUP_WAVES]; /* as many as the workgroup has room for */
	struct mx_lds_barriers *lds_barriers;      /* or NULL */
};

static inline bool mx_race_is_of_cluster(const struct mx_group *g, unsigned barrier) {
	return g->cluster && barrier == g->run->isa->cluster_barrier;
}
static inline struct mx_race_group *mx_race_group_of(const struct mx_group *g) {
	return g->watcher_data[MX_WATCHER_ORDER];
}
static inline struct mx_race_wave *mx_race_wave_of(const struct mx_wave *w) {
	return mx_race_group_of(w->group)->wave[w->index];
}
static inline struct mx_race_clock *mx_race_clock_of(const struct mx_wave *w) {
	return &mx_race_group_of(w->group)->clock[w->index];
}
static inline struct mx_race_past *mx_race_past_of(const struct mx_wave *w) {
	return mx_race_group_of(w->group)->past[w->index];
}

/* ---- past.c ---- */

bool mx_race_past_new(struct mx_group *g); /* false if memory is short */
void mx_race_past_begin(struct mx_group *g);
void mx_race_past_end(struct mx_group *g);
void mx_race_past_free(struct mx_group *g);
void mx_race_signal(struct mx_wave *w, const struct mx_inst *in, unsigned barrier);
void mx_race_complete(struct mx_group *g, unsigned barrier);
void mx_race_pass(struct mx_wave *w, unsigned barrier);
/* The wave obtains what a barrier has. Takes the caller's reference. */
void mx_race_obtain(struct mx_wave *w, struct mx_race_past *p);
/* Of barriers in LDS: what an arrival brings that is issued, NULL if memory is short; joins two;
 * another reference; drops one; whether one has all that another has. */
struct mx_race_past *mx_race_past_of_arrival(struct mx_wave *w, const struct mx_memop *m);
bool mx_race_past_join(struct mx_group *g, struct mx_race_past **into,
                       const struct mx_race_past *p);
struct mx_race_past *mx_race_past_keep(struct mx_race_past *p);
void mx_race_past_drop(struct mx_race_past **p);
bool mx_race_past_has(const struct mx_group *g, const struct mx_race_past *a,
                      const struct mx_race_past *b);

/* ---- named_barriers.c ---- */

void mx_race_barrier_changes(struct mx_wave *w, const struct mx_inst *in, unsigned barrier);
/* Before a wave signals, and when its wait is over: of any barrier. */
void mx_race_signal_again(struct mx_wave *w, const struct mx_inst *in, unsigned barrier);
void mx_race_note_pass(struct mx_wave *w, unsigned barrier);
/* The same of named ones, and that of a cluster, with what the barrier brings. */
void mx_race_named_signal(struct mx_wave *w, const struct mx_inst *in, unsigned barrier);
void mx_race_named_pass(struct mx_wave *w, const struct mx_race_past *p, unsigned barrier);

/* Whether all waves obtained at barriers that this access is over. */
bool mx_race_is_over_for_all(const struct mx_group *g, mx_access a);

struct mx_footprint;

/* The dwords through which waves synchronise; happens_before.c. */
struct mx_race_sync {
	const struct mx_wave_sync *wave_sync;
	struct mx_race_place *place;
	size_t n, room;
	uint64_t from, to; /* the dwords of device memory among them are in [from, to) */
	uint64_t time;     /* operations that have landed there */
};

/* The dwords of device memory that polling loads have read, each with the first load. */
enum { MX_RACE_POLLED = 64 };
struct mx_race_polled {
	unsigned n;
	uint64_t at[MX_RACE_POLLED];
	const struct mx_inst *in[MX_RACE_POLLED];
};

struct mx_race_analysis {
	struct mx_race_map memory, atomics;
	struct mx_race_sync sync;
	struct mx_race_polled polled;
	/* By dword of the code. footprint: the last ones, in memory and in LDS; or NULL. */
	const struct mx_quiet_inst *inst; /* kept with the program */
	struct mx_footprint *(*footprint)[2];
	const struct mx_summary_functions *summary;
	uint32_t mode_index;   /* as in mx_isa */
	struct mx_proof proof; /* of the launch so far */
	uint64_t doubted;      /* the workgroup of proof.doubt: those that started before it */
	bool no_memory;        /* for what a part has accessed */
};

static inline void mx_race_assume(struct mx_race_analysis *o, mx_proof_assumption a) {
	o->proof.assumptions |= 1u << a;
}

static inline struct mx_race_analysis *mx_race_analysis_of(const struct mx_run *run) {
	return run->watchers[MX_WATCHER_ORDER].context;
}

/* Adds the watcher that analyses order to the run, if the launch asks for it. False if memory is
 * short. */
bool mx_race_watch(struct mx_run *run);

/* Notes why the launch is not proved; the first reason stays. `other`: the earlier instruction. */
void mx_race_doubt(struct mx_wave *w, const struct mx_inst *in, mx_doubt doubt);
void mx_race_doubt_pair(struct mx_wave *w, const struct mx_inst *in, const struct mx_inst *other,
                        mx_doubt doubt);

/* Whether an instruction may release or acquire. Polling loads acquire as well; see wave_sync.h. */
bool mx_race_is_atomic(const struct mx_op *op);
bool mx_race_releases(const struct mx_inst *in);
bool mx_race_acquires(const struct mx_inst *in);

/* ---- happens_before.c ---- */

/* False if memory is short. */
bool mx_race_sync_begin(struct mx_race_sync *y, const struct mx_launch *l);
void mx_race_sync_end(struct mx_race_sync *y);
/* At issue, if waves synchronise. It may attach an event to the operation, which mx_race_land or
 * mx_race_drop_event frees. */
void mx_race_release(struct mx_wave *w, struct mx_memop *m, unsigned stream);
void mx_race_land(struct mx_wave *w, struct mx_memop *m); /* if waves synchronise */
void mx_race_drop_event(struct mx_memop *m);              /* of one that does not land */
/* At a barrier: adds the wave's clock to *flags, or *flags to it. */
void mx_race_clock_signal(struct mx_wave *w, struct mx_clock **flags);
void mx_race_clock_pass(struct mx_wave *w, struct mx_clock *flags);
void mx_race_drop_clocks(struct mx_race_group *o);
/* The barrier of a cluster: a wave signals; it opens for a workgroup, whose waves obtain *flags when
 * they have waited for it; its clocks are not needed any more. */
void mx_race_cluster_signal(struct mx_wave *w);
void mx_race_cluster_open(struct mx_group *g, struct mx_clock **flags);
void mx_race_cluster_drop(struct mx_group *g);
/* Whether `earlier` happened before `me`, by the clock of this wave. */
bool mx_race_happened_before(struct mx_wave *w, mx_access earlier, uint32_t group, mx_access me,
                             bool lds);
/* Whether the wave's clock includes the last write of another wave to this dword. */
bool mx_race_acquired_last(struct mx_wave *w, bool lds, uint64_t at);

/* ---- poll_values.c ---- */

/* Before an instruction: joins to the wave's clock what its polling loads, now waited for, obtain.
 */
void mx_polls_decide(struct mx_wave *w);

/* ---- polled_places.c ---- */

/* Notes what a polling load reads. */
void mx_race_note_poll(struct mx_wave *w, const struct mx_memop *m);
/* At the end of a launch: a polling load of memory that the launch writes, or NULL. */
const struct mx_inst *mx_race_awaited(struct mx_race_analysis *o);

/* ---- pending_registers.c ---- */

/* A bit for each eight registers, modulo 64, of which an instruction accesses any, but for those
 * that memory instructions write. */
uint64_t mx_race_rows_of(const struct mx_inst *in);
/* The bits of the same registers in any banks. */
uint64_t mx_race_rows_in_banks(uint64_t rows);
void mx_race_check_registers(struct mx_wave *w, const struct mx_inst *in);
void mx_race_note_load(struct mx_wave *w, const struct mx_memop *m, unsigned stream);
/* Drops the pending loads of streams, a bit each, that a wait covers: most registers are accessed
 * after it. */
void mx_race_drop_loads(struct mx_race_wave *o, unsigned streams);

/* ---- taken_lanes.c ---- */

/* The lanes of an operand of MX_LANES_TAKEN. */
uint64_t mx_race_taken_lanes(const struct mx_wave *w, const struct mx_inst *in,
                             const struct mx_operand *o);

/* ---- accesses.c ---- */

void mx_race_expect(const struct mx_wave *w, const struct mx_inst *in); /* prefetches for it */
void mx_race_access(struct mx_wave *w, const struct mx_memop *m, mx_access me);
void mx_race_preload(struct mx_wave *w, uint64_t address, unsigned bytes); /* of kernargs */
/* Calls `visit` for each dword that a lane accesses in one of `kinds`: bits of mx_race_kind. */
typedef enum { MX_RACE_READ, MX_RACE_WRITE, MX_RACE_ATOMIC } mx_race_kind;
typedef void mx_race_visit(void *context, bool lds, uint64_t at);
void mx_race_places(struct mx_wave *w, const struct mx_memop *m, unsigned kinds,
                    mx_race_visit *visit, void *context);

/* ---- report.c ---- */

/* Reports a conflict of an instruction with an earlier access to the byte at `address`: the kind of
 * each, and the workgroup of the earlier one, as in a cell. `same`: a write of the contents that
 * are there, after a read. */
void mx_race_report(struct mx_wave *w, const struct mx_inst *in, int lane, bool lds,
                    uint64_t address, mx_race_kind does, mx_access earlier, uint32_t group,
                    mx_race_kind did, bool same);
/* `stream`: of the access if it is a load; or MX_STREAMS. */
void mx_race_report_register(struct mx_wave *w, const struct mx_inst *in,
                             const struct mx_race_load *l, bool write, unsigned stream);

#endif
