/* Text of each status. */
#include "exact.h"

const char *exact_strerror(enum exact_status s) {
	switch (s) {
	case EXACT_OK: return "no error";
	case EXACT_BAD_FORMAT: return "unknown element format";
	case EXACT_BAD_SHAPE: return "row stride too short, or sizes out of range";
	case EXACT_BAD_PROFILE: return "unknown accumulation profile";
	case EXACT_NO_MEMORY: return "out of memory";
	}
	return "unknown status";
}
