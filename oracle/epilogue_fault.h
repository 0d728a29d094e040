/* Known faults of epilogues: the code that each gives for one element. */
#ifndef MX_EPILOGUE_FAULT_H
#define MX_EPILOGUE_FAULT_H

#include "exact/exact.h"

/* One element of rows x cols, its right accumulator, and the right epilogue of the whole output. */
struct mx_epilogue_element {
	const struct exact_epilogue *whole;
	size_t row, col, rows, cols;
	uint32_t acc;
};

/* Gives the code of the output; false: the fault does not apply. `parameter` is an index into
 * `names`, or 0. */
struct mx_epilogue_fault {
	const char
		*text; /* printf format; its argument is the parameter's name, if there are names */
	bool (*apply)(const struct mx_epilogue_element *x, unsigned parameter, uint32_t *code);
	const char *const *names; /* of the parameters, ended by NULL; or NULL */
};
extern const struct mx_epilogue_fault mx_epilogue_faults[];
extern const size_t mx_n_epilogue_faults;

#endif
