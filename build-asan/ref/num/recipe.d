build-asan/ref/num/recipe.o: ref/num/recipe.c ref/num/quantize.h \
 ref/num/f32.h ref/num/../mxref.h ref/num/round.h ref/num/recipes.def
ref/num/quantize.h:
ref/num/f32.h:
ref/num/../mxref.h:
ref/num/round.h:
ref/num/recipes.def:
