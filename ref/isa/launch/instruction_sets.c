/* The instruction sets of the emulator, by name. */
#include <string.h>

#include "../encoding/instruction_set.h"
#include "../isa.h"

const struct mx_isa *mx_isa_by_name(const char *name) {
	static const struct mx_isa *const sets[] = { &mx_gfx950, &mx_gfx1250 };
	for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
		if (!strcmp(sets[i]->name, name))
			return sets[i];
	return NULL;
}

bool mx_isa_executes(const struct mx_isa *isa) {
	return isa->handlers;
}

size_t mx_op_count(const struct mx_isa *isa) {
	return isa->n_ops;
}

size_t mx_counter_count(const struct mx_isa *isa) {
	return isa->n_counters;
}

const char *mx_counter_name(const struct mx_isa *isa, size_t i) {
	return isa->counter[i].name;
}

const char *mx_matrix_name(const struct mx_isa *isa) {
	return isa->matrix;
}

const char *mx_op_name(const struct mx_isa *isa, size_t i) {
	return isa->ops[i].name;
}

unsigned mx_isa_wave_size(const struct mx_isa *isa) {
	return isa->wave_size;
}
