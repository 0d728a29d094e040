/* L3: rows that pad a group are not stored. The correct twin is kernels/quantise/mxfp8_dual.c,
 * which differs in ROWS_STORED alone. */
#define ROWS_STORED(t) ((t)->rows)
#include "../quantise/mxfp8_dual.c"
