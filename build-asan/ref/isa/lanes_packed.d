build-asan/ref/isa/lanes_packed.o: ref/isa/lanes_packed.c \
 ref/isa/lane_macros.h ref/isa/lanes.h ref/isa/../mxref.h
ref/isa/lane_macros.h:
ref/isa/lanes.h:
ref/isa/../mxref.h:
