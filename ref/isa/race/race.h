/* Happens-before: which accesses of a launch are ordered by more than this schedule's chance.
 *
 * An access begins when its instruction is issued and is over when its wave has executed a wait
 * that covers it, whenever it lands here. Order comes from the program order of a wave, from
 * counters whose operations return in order, from waits, and between waves from barriers
 * (conflicts.c) and from flags (happens_before.c). Vector memory of a workgroup goes through one L1
 * in the order of its issue, unless the launch splits workgroups (l1.c). Order does not depend on
 * the seed; what conflicts without it is a finding in any one run. */
#ifndef MX_ORDER_H
#define MX_ORDER_H

#include "../encoding/operands.h"
#include "../schedule/inflight.h"

/* Operations of a wave that return in one order, or (FL, SM) in any. */
enum {
	MX_STREAM_VM,
	MX_STREAM_SCRATCH, /* scratch, where it is told apart: else in VM */
	MX_STREAM_FL,
	MX_STREAM_DS,
	MX_STREAM_SM,
	MX_STREAMS
};

/* Whether operations take effect in the order of issue [ISA 4.4, 8.3]; of vector memory compiled
 * code relies on it: no wait stands between a store and a load of the same address [LLVM
 * SIInsertWaitcnts]. */
static inline bool mx_stream_is_ordered(unsigned stream) {
	return stream != MX_STREAM_FL && stream != MX_STREAM_SM;
}

enum { MX_ORDER_MORE = 128 };

/* A load that is to write lanes of a register. */
struct mx_order_load {
	const struct mx_inst *in;
	uint64_t lanes;
	uint32_t number;
	uint16_t row;
	uint8_t stream;
};

/* What a wave has sent out. Operations of a stream are numbered from 1. */
struct mx_order_wave {
	uint32_t issued[MX_STREAMS];
	uint32_t covered[MX_STREAMS]; /* up to here, a wait of the wave has covered them */
	uint32_t shared[MX_STREAMS];  /* the same before the last barrier: all waves know */
	uint32_t before[MX_STREAMS];  /* issued before the last barrier */
	uint32_t flat;                /* number of the last FLAT in device memory */
	const struct mx_inst *barrier;
	uint64_t pending[MX_ROWS / 64]; /* registers that a load is to write */
	unsigned n_more;
	/* Last: of rows that are pending alone. In `more` earlier loads of other lanes. */
	struct mx_order_load load[MX_ROWS], more[MX_ORDER_MORE];
};

/* One end of a conflict, as the shadow of memory keeps it: bits 31:0 number, 55:32 dword of the
 * code, 59:56 wave, 62:60 stream, 63 an atomic or a flag. 0: none. */
typedef uint64_t mx_access;

static inline mx_access mx_access_of(const struct mx_wave *w, const struct mx_inst *in,
                                     unsigned stream, uint32_t number) {
	return number | (uint64_t)(in->offset / 4 & 0xffffff) << 32 | (uint64_t)w->index << 56 |
	       (uint64_t)stream << 60;
}
static inline uint32_t mx_access_number(mx_access a) {
	return (uint32_t)a;
}
static inline unsigned mx_access_wave(mx_access a) {
	return a >> 56 & 15;
}
static inline unsigned mx_access_stream(mx_access a) {
	return a >> 60 & 7;
}
static inline bool mx_access_is_sync(mx_access a) {
	return a >> 63;
}

/* ---- shadow.c: who touched each byte last ---- */

/* What a write left. Two writes that left the same do not conflict. Of a cell of several dwords
 * each dword has the value. */
struct mx_written {
	uint64_t value : 56;
	uint64_t kind : 4;    /* mx_written_kind */
	uint64_t alone : 1;   /* it follows what only its own wave has waited for */
	uint64_t several : 1; /* several did so without order; the earlier ones are among the
	                         readers */
};
typedef enum {
	MX_UNKNOWN,
	MX_VALUE,
	MX_SUMMED, /* by atomics; the value is the address of their function */
	/* By LDS-DMA, the value is the address of the source. A store to it between two loads
	 * has an order with one of them only where that one is over. */
	MX_LOADED,
	MX_LOADED_UBYTE,
	MX_LOADED_SBYTE,
	MX_LOADED_USHORT,
	MX_LOADED_SSHORT
} mx_written_kind;

/* A reader of a cell that several workgroups have read. */
struct mx_order_reader {
	const struct mx_order_reader *next;
	mx_access access;
	uint32_t group;
};

/* The last accesses to one byte, or to some that were always touched together. Readers are the
 * last of each wave, of scalar memory and of the other streams: one, or `readers` of them. Those of
 * several workgroups are a list, where waves synchronise through memory; else one is kept. */
struct mx_order_cell {
	mx_access write;
	union {
		mx_access read;
		const struct mx_order_reader *list;
	};
	mx_access *readers;
	uint32_t write_group, read_group; /* one more than the workgroup's index; 0: none */
	struct mx_written written;
};
#define MX_SEVERAL_GROUPS UINT32_MAX

enum { MX_ORDER_PAGE = 1024 };
struct mx_order_page {
	unsigned unit; /* bytes of a cell: 1, 2, 4, 8 or 16 */
	struct mx_order_cell *cell;
};

static inline struct mx_order_cell *mx_order_cell(struct mx_order_page *p, uint64_t address) {
	return &p->cell[address % MX_ORDER_PAGE >> __builtin_ctz(p->unit)];
}

/* A list, and what it becomes with one more reader. */
struct mx_order_longer {
	const struct mx_order_reader *list, *longer;
	mx_access access;
	uint32_t group;
};

/* Pages by address, and the memory of their readers. */
struct mx_order_map {
	uint64_t *key; /* one more than address / MX_ORDER_PAGE; 0: free */
	struct mx_order_page *page;
	size_t n, room, last;
	unsigned readers; /* how many a cell of one workgroup may have */
	bool lists;       /* of the readers of several workgroups */
	struct mx_order_longer longer[8];
	struct mx_order_block *blocks;
};

/* The page of an address, with cells of no more than `unit` bytes; NULL if memory is short, or
 * if there is none and `make` is false. */
struct mx_order_page *mx_order_find_page(struct mx_order_map *m, uint64_t address, unsigned unit,
                                         bool make);

/* The same; most accesses are to the page of the one before. */
static inline struct mx_order_page *mx_order_page(struct mx_order_map *m, uint64_t address,
                                                  unsigned unit, bool make) {
	bool last = m->room && m->key[m->last] == address / MX_ORDER_PAGE + 1;
	return last && m->page[m->last].unit <= unit ? &m->page[m->last]
	                                             : mx_order_find_page(m, address, unit, make);
}

mx_access *mx_order_readers(struct mx_order_map *m);
/* A list with one more reader; cells share them. NULL if memory is short. */
const struct mx_order_reader *mx_order_add_reader(struct mx_order_map *m,
                                                  const struct mx_order_reader *list,
                                                  uint32_t group, mx_access access);
void mx_order_map_clear(struct mx_order_map *m);

/* ---- one workgroup, one launch ---- */

/* The clock of an acquire that has landed, for when it is waited for. */
struct mx_order_acquired {
	struct mx_clock *clock;
	unsigned stream;
	uint32_t number;
};

enum { MX_ORDER_POLLS = 4 };

/* What a wave has acquired through memory, see happens_before.c. */
struct mx_order_known {
	struct mx_clock *clock;
	struct mx_order_acquired *acquired;
	unsigned n, n_polls;
	struct mx_order_poll *poll[MX_ORDER_POLLS]; /* that have landed, see poll_values.c */
	bool met; /* the clock has that of the last barrier in it */
};

struct mx_order_group {
	struct mx_order_map lds, lds_atomics;
	struct mx_clock *met; /* of the last barrier; or NULL: not asked for yet */
	struct mx_order_known known[16];
	struct mx_order_wave wave[16];
};

static inline struct mx_order_group *mx_order_kept(const struct mx_group *g) {
	return g->kept[MX_WATCHER_ORDER];
}
static inline struct mx_order_wave *mx_order_wave_of(const struct mx_wave *w) {
	return &mx_order_kept(w->group)->wave[w->index];
}
static inline struct mx_order_known *mx_order_known_of(const struct mx_wave *w) {
	return &mx_order_kept(w->group)->known[w->index];
}

/* Why a launch that executes an instruction proves nothing, once that is known. */
struct mx_order_doubt {
	bool known;
	mx_doubt doubt;
};

/* The places in memory through which waves synchronise, see happens_before.c. */
struct mx_order_sync {
	const struct mx_wave_sync *wave_sync;
	struct mx_order_place *place;
	size_t n, room;
	uint64_t time; /* operations that have landed there */
};

struct mx_order {
	struct mx_order_map memory, atomics;
	struct mx_order_sync sync;
	struct mx_order_doubt *doubt; /* by dword of the code */
	struct mx_proof proof;        /* as far as the launch has come */
};

static inline void mx_order_assume(struct mx_order *o, mx_proof_assumption a) {
	o->proof.assumptions |= 1u << a;
}

static inline struct mx_order *mx_order_of(const struct mx_run *run) {
	return run->watchers[MX_WATCHER_ORDER].context;
}

/* Puts the watcher that analyses order into the run, where the launch asks for it. False if memory
 * is short. */
bool mx_order_watch(struct mx_run *run);

/* Says why the launch proves nothing; the first doubt stays. Of a pair: what meets what. */
void mx_order_doubt(struct mx_wave *w, const struct mx_inst *in, mx_doubt doubt);
void mx_order_doubt_pair(struct mx_wave *w, const struct mx_inst *in, const struct mx_inst *other,
                         mx_doubt doubt);

/* Whether an instruction may set a flag, or may learn by reading one; polling loads apart. */
bool mx_order_is_atomic(const struct mx_op *op);
bool mx_order_releases(const struct mx_inst *in);
bool mx_order_acquires(const struct mx_inst *in);

/* ---- happens_before.c ---- */

/* False if memory is short. */
bool mx_order_sync_begin(struct mx_order_sync *y, const struct mx_launch *l);
void mx_order_sync_end(struct mx_order_sync *y);
/* At issue; it may leave a note with the operation, which its landing or mx_order_drop_event takes.
 */
void mx_order_release(struct mx_wave *w, struct mx_memop *m, unsigned stream);
void mx_order_land(struct mx_wave *w, struct mx_memop *m); /* where waves synchronise */
void mx_order_drop_event(struct mx_memop *m);              /* of one that does not land */
void mx_order_meet(struct mx_group *g);                    /* at a barrier */
void mx_order_forget(struct mx_order_group *o);
/* Whether an access happened before `me` by what this wave has acquired. */
bool mx_order_knows(struct mx_wave *w, mx_access earlier, uint32_t group, mx_access me, bool lds);
/* Whether it has acquired what the last release at this place left, or a later clock. */
bool mx_order_saw(struct mx_wave *w, bool lds, uint64_t at);

/* ---- poll_values.c ---- */

/* Before an instruction: raises the wave's clock to what it obtains by polling loads that it has
 * waited for. */
void mx_polls_decide(struct mx_wave *w);

/* ---- pending_registers.c ---- */

void mx_order_check_registers(struct mx_wave *w, const struct mx_inst *in);
void mx_order_note_load(struct mx_wave *w, const struct mx_memop *m, unsigned stream);

/* ---- accesses.c ---- */

void mx_order_access(struct mx_wave *w, const struct mx_memop *m, mx_access me);
void mx_order_preload(struct mx_wave *w, uint64_t address, unsigned bytes); /* of kernargs */
/* Calls for each dword of each lane that it touches so; `kinds`: bits of mx_order_kind. */
typedef enum { MX_ORDER_READ, MX_ORDER_WRITE, MX_ORDER_ATOMIC } mx_order_kind;
typedef void mx_order_visit(void *context, bool lds, uint64_t at);
void mx_order_places(struct mx_wave *w, const struct mx_memop *m, unsigned kinds,
                     mx_order_visit *visit, void *context);

/* ---- report.c ---- */

/* Reports a conflict of an instruction with an earlier access: what it does to the byte at
 * `address`, and what that one did; `group`: of that, as in a cell. */
void mx_order_report(struct mx_wave *w, const struct mx_inst *in, int lane, bool lds,
                     uint64_t address, mx_order_kind does, mx_access earlier, uint32_t group,
                     mx_order_kind did);
void mx_order_report_register(struct mx_wave *w, const struct mx_inst *in,
                              const struct mx_order_load *l, bool write);

#endif
