build-asan/ref/isa/lanes_int16.o: ref/isa/lanes_int16.c \
 ref/isa/lane_macros.h ref/isa/lanes.h ref/isa/../mxref.h
ref/isa/lane_macros.h:
ref/isa/lanes.h:
ref/isa/../mxref.h:
