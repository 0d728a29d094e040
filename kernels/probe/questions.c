/* Kernels for mxcheck probe --assumptions. */
#include "question.h"

#define CLOBBERS "a4", "a8"

#define MX_QUESTION_KERNEL QUESTION
#include "questions.def"
