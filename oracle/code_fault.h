/* Known faults of outputs, as what one element's code would be. */
#ifndef MX_CODE_TWIST_H
#define MX_CODE_TWIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One element. Codes are of the format: "FP32", "BF16" or "FP16". */
struct mx_code_element {
	const char *format;
	uint32_t got, want;
	uint32_t before; /* what was there before the launch */
	bool unwritten;  /* the launch did not write it, or not all of it */
	bool has_right;
	uint32_t right; /* then: the f32 that is right, before it is narrowed */
};

struct mx_code_fault {
	const char *text; /* printf format, of the parameter if `powers` */
	bool (*fits)(const struct mx_code_element *x, long parameter);
	double bits;  /* that one element says in its favour */
	bool symptom; /* something seen, not a cause: right elements say nothing against it */
	bool powers;  /* tried with powers of two as parameter */
};
extern const struct mx_code_fault mx_code_faults[];
extern const size_t mx_n_code_faults;
enum { MX_MOST_POWER = 64 };

#endif
