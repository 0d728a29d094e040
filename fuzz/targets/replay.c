/* Runs a fuzz target without libFuzzer, on files and on spoilt copies of each.
 *
 *   TARGET [-n N] [-s SEED] FILE ...     N copies of each file, spoilt by the seed */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "target.h"

static uint64_t seed = 1;

static uint64_t draw(void) { /* SplitMix64 */
	uint64_t z = seed += 0x9e3779b97f4a7c15u;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

static uint8_t *read_file(const char *path, size_t *size) {
	FILE *f = fopen(path, "rb");
	uint8_t *data = NULL;
	if (f && !fseek(f, 0, SEEK_END)) {
		long end = ftell(f);
		rewind(f);
		*size = end > 0 ? (size_t)end : 0;
		data = malloc(*size + 1);
		if (data && fread(data, 1, *size, f) != *size) {
			free(data);
			data = NULL;
		}
	}
	if (f)
		fclose(f);
	return data;
}

/* Changes a few bytes, each in one of several ways; sometimes cuts off the end. */
static size_t spoil(uint8_t *data, size_t size) {
	static const uint8_t extremes[] = { 0, 1, 0x7f, 0x80, 0xff };
	for (uint64_t n = 1 + draw() % 4; n && size; n--) {
		uint8_t *at = data + draw() % size;
		switch (draw() % 4) {
		case 0: *at ^= (uint8_t)(1u << draw() % 8); break;
		case 1: *at = extremes[draw() % sizeof extremes]; break;
		case 2: *at = (uint8_t)draw(); break;
		default: *at = data[draw() % size];
		}
	}
	return draw() % 8 ? size : draw() % (size + 1);
}

/* Each input in memory of exactly its size, so that a sanitizer detects a read past the end. */
static void call(const uint8_t *data, size_t size, int spoilt) {
	uint8_t *copy = malloc(size + !size);
	if (!copy)
		exit(2);
	memcpy(copy, data, size);
	size_t n = spoilt ? spoil(copy, size) : size;
	copy = realloc(copy, n + !n);
	LLVMFuzzerTestOneInput(copy, n);
	free(copy);
}

int main(int argc, char **argv) {
	unsigned long copies = 0, inputs = 0;
	for (int i = 1; i < argc; i++) {
		size_t size;
		if (i + 1 < argc && !strcmp(argv[i], "-n"))
			copies = strtoul(argv[++i], NULL, 10);
		else if (i + 1 < argc && !strcmp(argv[i], "-s"))
			seed = strtoull(argv[++i], NULL, 10);
		else {
			uint8_t *data = read_file(argv[i], &size);
			if (!data) {
				fprintf(stderr, "%s: cannot be read\n", argv[i]);
				return 2;
			}
			call(data, size, 0);
			for (unsigned long c = 0; c < copies; c++)
				call(data, size, 1);
			inputs += 1 + copies;
			free(data);
		}
	}
	printf("%lu inputs\n", inputs);
	return 0;
}
