/* Facts of hip-tests: a call, and the error with which it ends. */
#ifndef FACTS_TEST_H
#define FACTS_TEST_H

#include "runtime_test.h"

/* The error is named without hipError. */
#define is(call, want)                                                                             \
	do {                                                                                       \
		hipError_t is_e = (call);                                                          \
		if (!ok(is_e == hipError##want, "%s: hipError%s", #call, #want))                   \
			diag("got %s", hipGetErrorName(is_e));                                     \
	} while (0)
#define works(call)                                                                                \
	do {                                                                                       \
		hipError_t works_e = (call);                                                       \
		if (!ok(works_e == hipSuccess, "%s", #call))                                       \
			diag("got %s: %s", hipGetErrorName(works_e), mxhipErrorDetail());          \
	} while (0)

#endif
