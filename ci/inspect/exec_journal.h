/* The journals of watched programs, which libmxhip.so writes: ref/hip/watch.c has their form. */
#ifndef MX_EXEC_JOURNAL_H
#define MX_EXEC_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../cases/case.h"
#include "../../ref/isa/isa.h"

/* One finding of a kernel, a race of two streams, or a result that another schedule changed. Texts
 * belong to the journal. */
struct mx_exec_journal_finding {
	mx_finding_kind kind;              /* MX_FINDINGS: another schedule changed the result */
	uint64_t id;                       /* in its process */
	const char *kernel, *grid, *block; /* "1,1,1" */
	const char *work;                  /* of a race of streams, instead of the kernel */
	const char *text;
	const char *object; /* the file that has the code, in the folder; or NULL */
	uint64_t address;   /* of the instruction in it */
	uint64_t launch;    /* the first in which it was found, from 1 */
	uint64_t launches;  /* in which it was found; 0: not known, the process did not end */
};

struct mx_exec_journal {
	struct mx_exec_journal_finding *findings;
	size_t n, room;
	uint64_t launches, watched, proved, repeated, unrepeated;
	uint64_t recorded, unrecorded; /* launches that have a case, and those that cannot */
	const char *unrecorded_kernel, *unrecorded_launch, *unrecorded_why; /* of the first */
	uint64_t refused;            /* code objects that were not loaded */
	const char *refused_why;     /* of the first */
	unsigned processes, unended; /* that started the runtime; and of these, that did not end */
	char **texts;
	size_t n_texts;
};

/* Reads the journals of a folder in the order of their names. On an error, *j has what was read
 * until then; mx_exec_journal_free frees it in any case. */
int mx_exec_journal_read(const char *folder, struct mx_exec_journal *j, struct mx_error *err);
void mx_exec_journal_free(struct mx_exec_journal *j);

#endif
