/* A2: the rows that a group has left are negative in tiles of padding alone, and wrap to about 4
 * billion. So the tile has rows of the next group instead of zeros. The correct twin is
 * kernels/quantise/mxfp8_dual.c, which differs in ROWS_LEFT alone. */
#define ROWS_LEFT(rows, in_group) ((rows) - (in_group))
#include "../quantise/mxfp8_dual.c"
