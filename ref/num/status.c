/* The text of each status code, and the version. */
#include "../mxref.h"

const char *mx_strerror(mx_status s) {
	switch (s) {
	case MX_OK: return "no error";
	case MX_BAD_POINTER: return "a null pointer where there must be none";
	case MX_BAD_FORMAT: return "no such element format, or not for this operation";
	case MX_BAD_SHAPE: return "a size that overflows, or that the function does not take";
	case MX_BAD_STRIDE:
		return "elements of an output would overlap, or a stride splits an element";
	case MX_BAD_RECIPE: return "no such scale recipe";
	case MX_BAD_PROFILE:
		return "no such accumulation profile, or fields that contradict each other";
	case MX_BAD_OPTION: return "an argument out of its range";
	case MX_NO_MEMORY: return "out of memory";
	}
	return "unknown status";
}

const char *mx_version(void) {
	return MXREF_VERSION;
}
