/* A program: every dword offset of a code section, decoded once, because jumps may go to any
 * offset. */
#include <stdatomic.h>
#include <stdlib.h>

#include "../isa.h"
#include "instruction_set.h"

struct derived {
	struct derived *next;
	mx_derive *make;
	uint64_t entry;
	void *value;
};

struct mx_program {
	const struct mx_isa *isa;
	uint64_t base;
	size_t n;                /* dwords */
	_Atomic uint64_t shares; /* entry of the last kernel with workgroups that shared memory */
	_Atomic(struct derived *) derived;
	struct mx_inst inst[];
};

struct mx_program *mx_program_new(const struct mx_isa *isa, const void *code, size_t bytes,
                                  uint64_t base) {
	size_t n = bytes / 4;
	struct mx_program *p = malloc(sizeof *p + n * sizeof p->inst[0]);
	if (!p)
		return NULL;
	p->isa = isa;
	p->base = base;
	p->n = n;
	p->shares = UINT64_MAX;
	p->derived = NULL;
	for (size_t i = 0; i < n; i++)
		isa->decode((const uint32_t *)code + i, n - i, (uint32_t)(4 * i), &p->inst[i]);
	return p;
}

void mx_program_free(struct mx_program *p) {
	struct derived *next, *d = p ? p->derived : NULL;
	for (; d; d = next) {
		next = d->next;
		free(d->value);
		free(d);
	}
	free(p);
}

const struct mx_inst *mx_program_at(const struct mx_program *p, uint64_t offset) {
	return offset % 4 == 0 && offset / 4 < p->n ? &p->inst[offset / 4] : NULL;
}

const struct mx_isa *mx_program_isa(const struct mx_program *p) {
	return p->isa;
}

uint64_t mx_program_base(const struct mx_program *p) {
	return p->base;
}

size_t mx_program_dwords(const struct mx_program *p) {
	return p->n;
}

bool mx_program_shares(const struct mx_program *p, uint64_t entry) {
	return atomic_load_explicit(&p->shares, memory_order_relaxed) == entry;
}

void mx_program_note_sharing(const struct mx_program *p, uint64_t entry) {
	atomic_store_explicit(&((struct mx_program *)p)->shares, entry, memory_order_relaxed);
}

/* Threads that call this at the same time may each make a value. All are kept, and all are
 * equal. */
const void *mx_program_derived(const struct mx_program *p, mx_derive *make, uint64_t entry) {
	struct mx_program *owner = (struct mx_program *)p;
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
