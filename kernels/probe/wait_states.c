/* Kernels for mxcheck probe --assumptions that lack wait states: mxcheck lint has a finding or a
 * note for each. */
#include "question.h"

#define CLOBBERS "v60", "v61", "v62", "v63"

#define MX_QUESTION_KERNEL(...)
#define MX_QUESTION_WAITS QUESTION
#include "questions.def"
