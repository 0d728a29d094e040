/* Kernels for mxcheck probe --assumptions. */
#include "question.h"

#define MX_QUESTION_KERNEL QUESTION
#include "questions.def"
