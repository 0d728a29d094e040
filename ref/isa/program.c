/* A program: every dword offset of a code section decoded once, as jumps may go anywhere. */
#include <stdlib.h>

#include "machine.h"

struct mx_program {
	uint64_t base;
	size_t n;                /* dwords */
	_Atomic uint64_t shares; /* entry of the kernel whose workgroups last met in memory */
	struct mx_inst inst[];
};

struct mx_program *mx_program_new(const void *code, size_t bytes, uint64_t base) {
	size_t n = bytes / 4;
	struct mx_program *p = malloc(sizeof *p + n * sizeof p->inst[0]);
	if (!p)
		return NULL;
	p->base = base;
	p->n = n;
	p->shares = UINT64_MAX;
	for (size_t i = 0; i < n; i++)
		mx_decode((const uint32_t *)code + i, n - i, (uint32_t)(4 * i), &p->inst[i]);
	return p;
}

void mx_program_free(struct mx_program *p) {
	free(p);
}

const struct mx_inst *mx_program_at(const struct mx_program *p, uint64_t offset) {
	return offset % 4 == 0 && offset / 4 < p->n ? &p->inst[offset / 4] : NULL;
}

uint64_t mx_program_base(const struct mx_program *p) {
	return p->base;
}

bool mx_program_shares(const struct mx_program *p, uint64_t entry) {
	return atomic_load_explicit(&p->shares, memory_order_relaxed) == entry;
}

void mx_program_note_sharing(const struct mx_program *p, uint64_t entry) {
	atomic_store_explicit(&((struct mx_program *)p)->shares, entry, memory_order_relaxed);
}
