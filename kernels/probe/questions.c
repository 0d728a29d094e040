/* Kernels for mxcheck probe --assumptions. */
#include "question.h"

#define CLOBBERS "a4", "a8", "v60", "v61", "v62", "v63", "v64", "v65", "v66", "v67"

#define MX_QUESTION_KERNEL QUESTION
#include "questions.def"
