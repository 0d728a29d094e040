/* Memory of which few pages are written. */
#define _GNU_SOURCE
#include "case.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void *reserve(size_t bytes) {
	void *p = mmap(NULL, bytes ? bytes : 1, PROT_READ | PROT_WRITE,
	               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p == MAP_FAILED)
		return NULL;
	madvise(p, bytes, MADV_NOHUGEPAGE);
	return p;
}

void *mx_sparse_new(size_t bytes) {
	return reserve(bytes);
}

void mx_sparse_free(void *p, size_t bytes) {
	if (p)
		munmap(p, bytes ? bytes : 1);
}

/* ---- poison: one piece of a file, mapped again and again ---- */

enum {
	PIECE = 1 << 20,       /* bytes; a power of two of pages */
	MOST_PIECES = 1 << 10, /* a process may have 65,530 mappings [Linux, vm.max_map_count] */
};

static bool is_mapped(size_t bytes) {
	return bytes >= 4 * (size_t)PIECE;
}

/* A file of so many bytes of poison; -1: none. */
static int poison_file(size_t bytes) {
	int file = memfd_create("poison", MFD_CLOEXEC);
	void *p = file < 0 || ftruncate(file, (off_t)bytes)
	                  ? MAP_FAILED
	                  : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	if (p != MAP_FAILED) {
		memset(p, MX_POISON, bytes);
		munmap(p, bytes);
		return file;
	}
	if (file >= 0)
		close(file);
	return -1;
}

/* Copies of the file's pages replace those that are written. */
static bool map_pieces(int file, size_t piece, uint8_t *to, size_t bytes) {
	for (size_t at = 0; at < bytes; at += piece) {
		size_t n = bytes - at < piece ? bytes - at : piece;
		if (mmap(to + at, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, file, 0) ==
		    MAP_FAILED)
			return false;
	}
	return true;
}

void *mx_poison_new(size_t bytes) {
	size_t piece = PIECE;
	if (!is_mapped(bytes)) {
		void *p = malloc(bytes + 1);
		return p ? memset(p, MX_POISON, bytes) : NULL;
	}
	while (bytes / piece >= MOST_PIECES)
		piece *= 2;
	void *p = reserve(bytes);
	int file = poison_file(piece);
	bool done = p && file >= 0 && map_pieces(file, piece, p, bytes);
	if (file >= 0)
		close(file);
	if (done)
		return p;
	mx_sparse_free(p, bytes); /* a piece that failed may have left a hole */
	p = reserve(bytes);
	return p ? memset(p, MX_POISON, bytes) : NULL;
}

void mx_poison_free(void *p, size_t bytes) {
	if (is_mapped(bytes))
		mx_sparse_free(p, bytes);
	else
		free(p);
}
