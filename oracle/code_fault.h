/* Known faults of the output: predicates on one element's code. */
#ifndef MX_CODE_FAULT_H
#define MX_CODE_FAULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One element. Codes are of the format: "FP32", "BF16" or "FP16". */
struct mx_code_element {
	const char *format;
	uint32_t got, want;
	uint32_t before; /* code before the launch */
	bool unwritten;  /* the launch did not write all of it */
	bool has_right;
	uint32_t right; /* then: the right f32, before it is narrowed */
};

struct mx_code_fault {
	const char *text; /* printf format; the parameter is its argument if `powers` */
	bool (*fits)(const struct mx_code_element *x, long parameter);
	double bits;  /* evidence of one element, in bits */
	bool symptom; /* right elements do not contradict it */
	bool powers;  /* the parameter is an exponent of two */
};
extern const struct mx_code_fault mx_code_faults[];
extern const size_t mx_n_code_faults;
enum { MX_MOST_POWER = 64 };

#endif
