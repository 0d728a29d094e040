build-asan/ref/isa/lanes_dot.o: ref/isa/lanes_dot.c ref/isa/lane_macros.h \
 ref/isa/lanes.h ref/isa/../mxref.h
ref/isa/lane_macros.h:
ref/isa/lanes.h:
ref/isa/../mxref.h:
