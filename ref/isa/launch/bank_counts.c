/* The watcher that counts the bank conflicts of each instruction that accesses LDS. */
#include "bank_counts.h"

#include <stdlib.h>

#include "../schedule/inflight.h"

static void operation(void *context, struct mx_wave *w, struct mx_memop *m) {
	const struct mx_run *run = w->group->run;
	const struct mx_launch *l = run->launch;
	struct mx_bank_use *use = &run->report->stats.banks[m->in->offset / 4];
	unsigned cycles;
	(void)context;
	if (!run->isa->bank_conflicts(m, &cycles))
		return;
	use->pc = mx_program_base(l->program) + m->in->offset - l->kernel->entry;
	use->op = m->in->op->id;
	use->accesses++;
	use->cycles += cycles;
}

/* Launches of one report may have several code objects; only those of one length are counted. */
static bool begin(void *context, struct mx_run *run) {
	struct mx_stats *s = &run->report->stats;
	(void)context;
	if (!s->banks) {
		s->n_banks = mx_program_dwords(run->launch->program);
		s->banks = calloc(s->n_banks, sizeof *s->banks);
	}
	return s->banks;
}

bool mx_count_banks(struct mx_run *run) {
	if (!(run->launch->analysis & MX_ANALYSE_BANKS) || !run->isa->bank_conflicts)
		return true;
	if (!begin(NULL, run))
		return false;
	if (run->report->stats.n_banks == mx_program_dwords(run->launch->program))
		run->watchers[MX_WATCHER_BANKS] =
			(struct mx_watcher){ .part_begin = begin, .operation = operation };
	return true;
}

void mx_add_banks(struct mx_stats *to, const struct mx_stats *part) {
	for (size_t i = 0; part->banks && i < part->n_banks; i++)
		if (part->banks[i].accesses) {
			to->banks[i].pc = part->banks[i].pc;
			to->banks[i].op = part->banks[i].op;
			to->banks[i].accesses += part->banks[i].accesses;
			to->banks[i].cycles += part->banks[i].cycles;
		}
}
