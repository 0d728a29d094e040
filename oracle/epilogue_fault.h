/* Known faults of epilogues, as what one element would be. */
#ifndef MX_EPILOGUE_TWIST_H
#define MX_EPILOGUE_TWIST_H

#include "exact/exact.h"

/* One element of rows x cols: its right accumulator and the right epilogue of all. */
struct mx_epilogue_element {
	const struct exact_epilogue *whole;
	size_t row, col, rows, cols;
	uint32_t acc;
};

/* What the element would be, a code of the output; false: it does not apply. `parameter` is below
 * the number of names, or 0. */
struct mx_epilogue_fault {
	const char *text; /* printf format, of the parameter's name if there are any */
	bool (*apply)(const struct mx_epilogue_element *x, unsigned parameter, uint32_t *code);
	const char *const *names; /* of parameters, to NULL; or NULL */
};
extern const struct mx_epilogue_fault mx_epilogue_faults[];
extern const size_t mx_n_epilogue_faults;

#endif
