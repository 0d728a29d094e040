build-asan/ref/mma/profile.o: ref/mma/profile.c ref/mma/step.h \
 ref/mma/../mxref.h ref/mma/wide.h ref/mma/profiles.def
ref/mma/step.h:
ref/mma/../mxref.h:
ref/mma/wide.h:
ref/mma/profiles.def:
