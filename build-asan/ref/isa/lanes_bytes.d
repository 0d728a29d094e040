build-asan/ref/isa/lanes_bytes.o: ref/isa/lanes_bytes.c \
 ref/isa/lane_macros.h ref/isa/lanes.h ref/isa/../mxref.h
ref/isa/lane_macros.h:
ref/isa/lanes.h:
ref/isa/../mxref.h:
