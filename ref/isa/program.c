/* A program: every dword offset of a code section decoded once, as jumps may go anywhere. */
#include <stdlib.h>

#include "hazard.h"
#include "machine.h"

struct mx_program {
	uint64_t base;
	size_t n;                /* dwords */
	_Atomic uint64_t shares; /* entry of the kernel whose workgroups last met in memory */
	_Atomic(struct mx_face *) faces;
	_Atomic(struct mx_meetings *) meetings; /* a list, by entry */
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
	p->meetings = NULL;
	for (size_t i = 0; i < n; i++)
		mx_decode((const uint32_t *)code + i, n - i, (uint32_t)(4 * i), &p->inst[i]);
	return p;
}

void mx_program_free(struct mx_program *p) {
	struct mx_meetings *next, *m = p ? p->meetings : NULL;
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

const struct mx_face *mx_program_faces(const struct mx_program *p) {
	struct mx_program *owner = (struct mx_program *)p;
	struct mx_face *faces = atomic_load(&owner->faces), *none = NULL;
	if (faces)
		return faces;
	faces = malloc((p->n + 1) * sizeof *faces);
	for (size_t i = 0; faces && i < p->n; i++)
		mx_face_make(&p->inst[i], &faces[i]);
	if (atomic_compare_exchange_strong(&owner->faces, &none, faces))
		return faces;
	free(faces); /* another thread was first */
	return none;
}

static const struct mx_meetings *known_meetings(const struct mx_meetings *m, uint64_t entry) {
	while (m && m->entry != entry)
		m = m->next;
	return m;
}

const struct mx_meetings *mx_program_meetings(const struct mx_program *p, uint64_t entry) {
	struct mx_program *owner = (struct mx_program *)p;
	struct mx_meetings *head = atomic_load(&owner->meetings);
	const struct mx_meetings *known = known_meetings(head, entry);
	struct mx_meetings *m = known ? NULL : calloc(1, sizeof *m + p->n + 1);
	if (!m)
		return known;
	m->entry = entry;
	if (!mx_find_meetings(p, m)) {
		free(m);
		return NULL;
	}
	do
		m->next = head;
	while (!atomic_compare_exchange_weak(&owner->meetings, &head, m));
	return m;
}
