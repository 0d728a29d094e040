/* N10: when the maximum of a query grows, what O has summed is not rescaled to it.
 * The correct twin is attention/mx_attention. */
#define RESCALE(x, by) (x)
#include "../attention/mx_attention.c"
