/* L10: the MFMA gets from each lane the scale of the block whose weights the lane has first, instead
 * of the block with the lane's number. The correct twin is attention/mx_attention. */
#define SCALE_OF_LANE(scale, y) ((void)(y), (scale)[0])
#include "../attention/mx_attention.c"
