/* A program: every dword offset of a code section decoded once, as jumps may go anywhere. */
#include <stdatomic.h>
#include <stdlib.h>

#include "../race/wave_sync.h"
#include "../waitstates/hazard.h"

struct mx_program {
	uint64_t base;
	size_t n;                /* dwords */
	_Atomic uint64_t shares; /* entry of the kernel whose workgroups last met in memory */
	_Atomic(struct mx_hazard_traits *) faces;
	_Atomic(struct mx_wave_sync *) wave_sync; /* a list, by entry */
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
	p->faces = NULL;
	p->wave_sync = NULL;
	for (size_t i = 0; i < n; i++)
		mx_decode((const uint32_t *)code + i, n - i, (uint32_t)(4 * i), &p->inst[i]);
	return p;
}

void mx_program_free(struct mx_program *p) {
	struct mx_wave_sync *next, *m = p ? p->wave_sync : NULL;
	for (; m; m = next) {
		next = m->next;
		free(m);
	}
	if (p)
		free(p->faces);
	free(p);
}

const struct mx_inst *mx_program_at(const struct mx_program *p, uint64_t offset) {
	return offset % 4 == 0 && offset / 4 < p->n ? &p->inst[offset / 4] : NULL;
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

const struct mx_hazard_traits *mx_program_traits(const struct mx_program *p) {
	struct mx_program *owner = (struct mx_program *)p;
	struct mx_hazard_traits *faces = atomic_load(&owner->faces), *none = NULL;
	if (faces)
		return faces;
	faces = malloc((p->n + 1) * sizeof *faces);
	for (size_t i = 0; faces && i < p->n; i++)
		mx_traits_make(&p->inst[i], &faces[i]);
	if (atomic_compare_exchange_strong(&owner->faces, &none, faces))
		return faces;
	free(faces); /* another thread was first */
	return none;
}

static const struct mx_wave_sync *known_wave_sync(const struct mx_wave_sync *m, uint64_t entry) {
	while (m && m->entry != entry)
		m = m->next;
	return m;
}

const struct mx_wave_sync *mx_program_wave_sync(const struct mx_program *p, uint64_t entry) {
	struct mx_program *owner = (struct mx_program *)p;
	struct mx_wave_sync *head = atomic_load(&owner->wave_sync);
	const struct mx_wave_sync *known = known_wave_sync(head, entry);
	struct mx_wave_sync *m = known ? NULL : calloc(1, sizeof *m + p->n + 1);
	if (!m)
		return known;
	m->entry = entry;
	if (!mx_find_wave_sync(p, m)) {
		free(m);
		return NULL;
	}
	do
		m->next = head;
	while (!atomic_compare_exchange_weak(&owner->wave_sync, &head, m));
	return m;
}
