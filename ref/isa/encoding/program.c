/* Programs: decoding, and data that are derived from a program. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "../isa.h"
#include "instruction_set.h"

struct derived {
	struct derived *next;
	mx_derive *make;
	uint64_t entry;
	void *value;
};

/* Instructions under other banks of VGPRs, a chunk at a time. */
enum { BANKS = 256, CHUNK = 64 /* dwords */ };
typedef _Atomic(struct mx_inst *) chunk;

/* What belongs to a program beside its instructions. */
struct owner {
	struct mx_program program;
	pthread_mutex_t decoding;
	uint32_t *code;
	_Atomic(chunk *) banked[BANKS];
	_Atomic uint64_t shares; /* entry of the last kernel with workgroups that shared memory */
	_Atomic(struct derived *) derived;
};

static struct owner *owner_of(const struct mx_program *p) {
	return (struct owner *)p;
}

static struct mx_inst *new_insts(size_t n) {
	return aligned_alloc(_Alignof(struct mx_inst), n * sizeof(struct mx_inst));
}

static size_t chunks_of(const struct mx_program *p) {
	return p->dwords / CHUNK + 1;
}

struct mx_program *mx_program_new(const struct mx_isa *isa, const void *code, size_t bytes,
                                  uint64_t base) {
	static _Atomic uint64_t programs;
	size_t n = bytes / 4;
	struct owner *o = malloc(sizeof *o);
	if (!o)
		return NULL;
	*o = (struct owner){ .program = { isa, base, n, new_insts(n + 1), NULL, ++programs },
		             .decoding = PTHREAD_MUTEX_INITIALIZER,
		             .code = malloc(4 * n + 1),
		             .shares = UINT64_MAX };
	o->program.decoded = calloc(n + 1, sizeof *o->program.decoded);
	if (!o->program.inst || !o->program.decoded || !o->code) {
		mx_program_free(&o->program);
		return NULL;
	}
	memcpy(o->code, code, 4 * n); /* a launch may write there before all is decoded */
	return &o->program;
}

/* Another thread may decode the same instruction. */
void mx_program_decode(const struct mx_program *p, size_t i) {
	struct owner *o = owner_of(p);
	pthread_mutex_lock(&o->decoding);
	if (!atomic_load_explicit(&p->decoded[i], memory_order_relaxed))
		p->isa->decode(o->code + i, p->dwords - i, (uint32_t)(4 * i), &p->inst[i]);
	atomic_store_explicit(&p->decoded[i], true, memory_order_release);
	pthread_mutex_unlock(&o->decoding);
}

/* ---- banks ---- */

/* Of threads that make the same chunk, one succeeds. */
static struct mx_inst *make_chunk(const struct mx_program *p, size_t i, unsigned banks, chunk *at) {
	struct mx_inst *made = new_insts(CHUNK), *other = NULL;
	for (size_t k = 0; made && k < CHUNK && i * CHUNK + k < p->dwords; k++) {
		made[k] = *mx_program_at(p, 4 * (i * CHUNK + k));
		p->isa->rebank(&made[k], banks);
	}
	if (made && !atomic_compare_exchange_strong(at, &other, made)) {
		free(made);
		made = other;
	}
	return made;
}

const struct mx_inst *mx_program_banked(const struct mx_program *p, uint64_t offset,
                                        unsigned banks) {
	_Atomic(chunk *) *all = &owner_of(p)->banked[banks % BANKS];
	chunk *chunks = atomic_load_explicit(all, memory_order_acquire), *other = NULL;
	size_t i = offset / 4;
	if (!mx_program_at(p, offset))
		return NULL;
	if (!chunks) {
		chunks = calloc(chunks_of(p), sizeof *chunks);
		if (chunks && !atomic_compare_exchange_strong(all, &other, chunks)) {
			free(chunks);
			chunks = other;
		}
	}
	if (!chunks)
		return NULL;
	struct mx_inst *inst = atomic_load_explicit(&chunks[i / CHUNK], memory_order_acquire);
	inst = inst ? inst : make_chunk(p, i / CHUNK, banks, &chunks[i / CHUNK]);
	return inst ? inst + i % CHUNK : NULL;
}

static void free_banked(struct owner *o) {
	for (unsigned b = 0; b < BANKS; b++) {
		chunk *chunks = o->banked[b];
		for (size_t i = 0; chunks && i < chunks_of(&o->program); i++)
			free(chunks[i]);
		free(chunks);
	}
}

void mx_program_free(struct mx_program *p) {
	struct derived *next, *d = p ? owner_of(p)->derived : NULL;
	for (; d; d = next) {
		next = d->next;
		free(d->value);
		free(d);
	}
	if (p) {
		free_banked(owner_of(p));
		free(p->inst);
		free(p->decoded);
		free(owner_of(p)->code);
	}
	free(p);
}

bool mx_program_shares(const struct mx_program *p, uint64_t entry) {
	return atomic_load_explicit(&owner_of(p)->shares, memory_order_relaxed) == entry;
}

void mx_program_note_sharing(const struct mx_program *p, uint64_t entry) {
	atomic_store_explicit(&owner_of(p)->shares, entry, memory_order_relaxed);
}

/* Threads that call this at the same time may each make a value. All are kept, and all are
 * equal. */
const void *mx_program_derived(const struct mx_program *p, mx_derive *make, uint64_t entry) {
	struct owner *owner = owner_of(p);
	struct derived *head = atomic_load(&owner->derived);
	for (const struct derived *d = head; d; d = d->next)
		if (d->make == make && d->entry == entry)
			return d->value;
	struct derived *new = malloc(sizeof *new);
	void *value = new ? make(p, entry) : NULL;
	if (!value) {
		free(new);
		return NULL;
	}
	*new = (struct derived){ head, make, entry, value };
	while (!atomic_compare_exchange_weak(&owner->derived, &new->next, new))
		;
	return value;
}
