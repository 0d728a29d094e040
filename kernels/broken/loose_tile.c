/* S4: the wait for a tile of K and V is too loose by one.
 * The correct twin is attention/mx_attention. */
#define WAIT_TILE() WAIT_VMCNT(1)
#include "../attention/mx_attention.c"
