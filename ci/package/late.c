/* Libraries that few runs need, loaded by the first call of one of their functions, so that all
 * other runs start sooner. mxcheck is linked with this file in place of them. Code that calls them,
 * and the programs of the tests, are compiled as always. LATE in the Makefile names the libraries.
 *
 * late.def, which late.sh writes, lists the functions. Each is a stub here: a jump to what its
 * entry holds. At first that is the stub's own second half, which has mx_late_bind look the
 * function up, with all registers that can hold arguments saved [System V ABI for AMD64, 3.2.3],
 * and goes on there. A library that is missing ends the process with a line that names it, as the
 * loader does for libraries that are loaded at the start; there it would be every run. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

enum { CANNOT_RUN = 2 }; /* exit status */

struct mx_late {
	void *target; /* of the stub's jump */
	const char *function, *library;
};

void *mx_late_bind(struct mx_late *l) {
	void *library = dlopen(l->library, RTLD_LAZY | RTLD_LOCAL);
	void *function = library ? dlsym(library, l->function) : NULL;
	if (!function) {
		fprintf(stderr, "mxcheck: %s: %s\n", l->function, dlerror());
		_exit(CANNOT_RUN);
	}
	return l->target = function;
}

#define MX_LATE(name, soname)                                                                      \
	__asm__(".text\n"                                                                          \
	        ".globl " #name "\n"                                                               \
	        ".hidden " #name "\n"                                                              \
	        ".type " #name ", @function\n" #name ":\n"                                         \
	        "\tendbr64\n"                                                                      \
	        "\tjmp *1f(%rip)\n"                                                                \
	        "0:\tendbr64\n"                                                                    \
	        "\tlea 1f(%rip), %r11\n"                                                           \
	        "\tjmp mx_late_call\n"                                                             \
	        ".size " #name ", . - " #name "\n"                                                 \
	        ".data\n"                                                                          \
	        ".balign 8\n"                                                                      \
	        "1:\t.quad 0b, 2f, 3f\n"                                                           \
	        ".section .rodata.str1.1, \"aMS\", @progbits, 1\n"                                 \
	        "2:\t.string \"" #name "\"\n"                                                      \
	        "3:\t.string \"" soname "\"\n"                                                     \
	        ".text\n");

/* Packagers' tools read here what DT_NEEDED does not have [UAPI Group, "ELF dlopen metadata"]. */
#define MX_LATE_LIBRARY(soname)                                                                    \
	__asm__(".section .note.dlopen, \"a\", @note\n"                                            \
	        ".balign 4\n"                                                                      \
	        ".long 4, 1f - 0f, 0x407c0c0a\n"                                                   \
	        ".string \"FDO\"\n"                                                                \
	        "0:\n"                                                                             \
	        ".string \"[{\\\"soname\\\":[\\\"" #soname                                         \
	        "\\\"],\\\"priority\\\":\\\"required\\\"}]\"\n"                                    \
	        "1:\n"                                                                             \
	        ".balign 4\n"                                                                      \
	        ".text\n");
#include "late.def"

/* r11: the entry. No argument is in r10 or r11. */
__asm__(".text\n"
        "mx_late_call:\n"
        "\tpush %rax\n"
        "\tpush %rdi\n"
        "\tpush %rsi\n"
        "\tpush %rdx\n"
        "\tpush %rcx\n"
        "\tpush %r8\n"
        "\tpush %r9\n"
        "\tsub $128, %rsp\n"
        "\tmovaps %xmm0, (%rsp)\n"
        "\tmovaps %xmm1, 16(%rsp)\n"
        "\tmovaps %xmm2, 32(%rsp)\n"
        "\tmovaps %xmm3, 48(%rsp)\n"
        "\tmovaps %xmm4, 64(%rsp)\n"
        "\tmovaps %xmm5, 80(%rsp)\n"
        "\tmovaps %xmm6, 96(%rsp)\n"
        "\tmovaps %xmm7, 112(%rsp)\n"
        "\tmov %r11, %rdi\n"
        "\tcall mx_late_bind\n"
        "\tmov %rax, %r11\n"
        "\tmovaps (%rsp), %xmm0\n"
        "\tmovaps 16(%rsp), %xmm1\n"
        "\tmovaps 32(%rsp), %xmm2\n"
        "\tmovaps 48(%rsp), %xmm3\n"
        "\tmovaps 64(%rsp), %xmm4\n"
        "\tmovaps 80(%rsp), %xmm5\n"
        "\tmovaps 96(%rsp), %xmm6\n"
        "\tmovaps 112(%rsp), %xmm7\n"
        "\tadd $128, %rsp\n"
        "\tpop %r9\n"
        "\tpop %r8\n"
        "\tpop %rcx\n"
        "\tpop %rdx\n"
        "\tpop %rsi\n"
        "\tpop %rdi\n"
        "\tpop %rax\n"
        "\tjmp *%r11\n");
