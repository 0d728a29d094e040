/* The loader with bad input: each time an error and a line of detail, never a crash. */
#define _GNU_SOURCE
#include "runtime_test.h"

#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MACH_GFX942 = 0x4C };

static char path[32]; /* of a file in memory: thousands of files on a disk take half a minute */
static uint8_t *good;
static size_t size;

/* Loads bytes as from a file, and unloads the module. */
static hipError_t load(const void *bytes, size_t n) {
	hipModule_t m;
	FILE *f = fopen(path, "wb");
	if (!f || fwrite(bytes, 1, n, f) != n || fclose(f)) {
		printf("Bail out! %s: cannot be written\n", path);
		exit(1);
	}
	hipError_t e = hipModuleLoad(&m, path);
	if (e == hipSuccess)
		must(hipModuleUnload(m));
	return e;
}

static bool one_line(void) {
	return mxhipErrorDetail()[0] && !strchr(mxhipErrorDetail(), '\n');
}

/* Whether a load failed with this error, and with this text in its one line of detail. */
static bool refused(hipError_t got, hipError_t want, const char *detail) {
	if (got == want && one_line() && strstr(mxhipErrorDetail(), detail))
		return true;
	diag("got %s: %s", hipGetErrorName(got), mxhipErrorDetail());
	return false;
}

static Elf64_Ehdr *header(uint8_t *file) {
	return (Elf64_Ehdr *)file;
}

static Elf64_Phdr *segment(uint8_t *file, uint32_t type) {
	Elf64_Phdr *p = (Elf64_Phdr *)(file + header(file)->e_phoff);
	for (unsigned i = 0; i < header(file)->e_phnum; i++)
		if (p[i].p_type == type)
			return &p[i];
	printf("Bail out! the probe has no segment of type %u\n", type);
	exit(1);
}

static uint8_t *copy_of_good(void) {
	uint8_t *copy = malloc(size);
	if (!copy)
		exit(1);
	return memcpy(copy, good, size);
}

/* ---- other files ---- */

static void test_other_files(void) {
	size_t n;
	uint8_t *self = read_whole("/proc/self/exe", &n);
	ok(refused(load(self, n), hipErrorInvalidImage, "ELF of machine 62, not of an AMD GPU"),
	   "a program of the host is refused, with its machine");
	free(self);
	ok(refused(load("hello", 5), hipErrorInvalidImage, "64-bit little-endian ELF file"),
	   "a text is refused");
	ok(refused(load("", 0), hipErrorInvalidImage, "64-bit little-endian ELF file"),
	   "an empty file is refused");
	ok(hipModuleLoadData(&(hipModule_t){ 0 }, "hello, world") == hipErrorInvalidImage &&
	           one_line(),
	   "so is a text in memory");
	uint8_t *object = read_whole(built("tests/hip/probe.gpu.elf"), &n);
	ok(refused(load(object, n), hipErrorInvalidImage, "link it with ld.lld -shared"),
	   "an object that was not linked is refused, with what is missing");
	free(object);
}

static void test_other_architecture(void) {
	uint8_t *f = copy_of_good();
	header(f)->e_flags = (header(f)->e_flags & ~0xFFu) | MACH_GFX942;
	ok(refused(load(f, size), hipErrorNoBinaryForGpu, "built for gfx942, the device is gfx950"),
	   "a code object for gfx942 is refused, with both architectures");
	header(f)->e_flags = (header(f)->e_flags & ~0xFFu) | 0xFFu;
	ok(refused(load(f, size), hipErrorNoBinaryForGpu,
	           "built for an unknown target (EF_AMDGPU_MACH 0xff), the device is gfx950"),
	   "so is one for a target that LLVM does not name");
	free(f);
}

/* ---- contradictory structures ---- */

static void test_contradictions(void) {
	uint8_t *f = copy_of_good();
	Elf64_Phdr *stack = segment(f, PT_GNU_STACK), *data = segment(f, PT_LOAD);
	*stack = *segment(f, PT_NOTE);
	ok(refused(load(f, size), hipErrorInvalidImage, "metadata: two notes"),
	   "metadata given twice is refused");
	free(f);
	f = copy_of_good();
	data = segment(f, PT_LOAD);
	data->p_memsz = 1ull << 31;
	ok(refused(load(f, size), hipErrorInvalidImage, "1 GiB"), "an image of 2 GiB is refused");
	data->p_memsz = data->p_filesz - 1;
	ok(refused(load(f, size), hipErrorInvalidImage, "larger in the file"),
	   "a segment larger in the file than in memory is refused");
	*data = *segment(good, PT_LOAD);
	data->p_offset = UINT64_MAX - 8;
	ok(refused(load(f, size), hipErrorInvalidImage, "ends past the file"),
	   "a segment whose end wraps around is refused");
	free(f);
}

/* ---- every length, every byte ---- */

static void test_truncation(void) {
	size_t n = 0, bad = 0;
	for (; n < size; n += n < 0x1000 ? 1 : 7)
		if (load(good, n) == hipSuccess || !one_line())
			if (!bad++)
				diag("first wrong: cut off at %zu of %zu: %s", n, size,
				     mxhipErrorDetail());
	ok(!bad, "cut off anywhere, it is refused with a line of detail");
}

/* Changes one byte after the other, in the short tier one of seven; unloads what still loads. */
static void test_changed_bytes(const char *what, size_t from, size_t to) {
	static const uint8_t changes[] = { 0x01, 0x80, 0xFF };
	uint8_t *f = copy_of_good();
	size_t tried = 0, mute = 0, refusals = 0;
	for (size_t at = from; at < to; at += is_long() ? 1 : 7, tried++) {
		f[at] ^= changes[at % COUNT(changes)];
		bool failed = load(f, size) != hipSuccess;
		refusals += failed;
		if (failed && !one_line() && !mute++)
			diag("first wrong: byte 0x%zx as 0x%02x has no detail", at, f[at]);
		f[at] = good[at];
	}
	ok(!mute, "%zu bytes of %s, changed one by one: %zu loads refused, each with a detail",
	   tried, what, refusals);
	free(f);
}

/* A descriptor's bytes decide how a kernel starts. A launch must end with any of them. */
static void test_changed_descriptor(void) {
	size_t bytes, at, changed = 0;
	uint8_t *f = copy_of_good();
	hipDeviceptr_t kd;
	hipFunction_t k;
	hipModule_t m;
	uint32_t *p = device_bytes(256);
	must(hipModuleLoadData(&m, good));
	must(hipModuleGetGlobal(&kd, &bytes, m, "copy.kd"));
	for (at = 0; at + 64 <= size && memcmp(good + at, kd, 64);)
		at += 64;
	must(hipModuleUnload(m));
	must(hipMemset(p, 0, 256));
	for (size_t i = 0; at + 64 <= size && i < 8 * 64; i++) {
		f[at + i / 8] ^= 1 << i % 8;
		if (hipModuleLoadData(&m, f) == hipSuccess) {
			must(hipModuleGetFunction(&k, m, "copy"));
			hipModuleLaunchKernel(k, 1, 1, 1, 64, 1, 1, 0, NULL, (void *[]){ &p, &p },
			                      NULL);
			hipDeviceSynchronize();
			must(hipModuleUnload(m));
			changed++;
		}
		f[at + i / 8] = good[at + i / 8];
	}
	ok(changed > 400, "a kernel ends with each bit of its descriptor changed (%zu launches)",
	   changed);
	must(hipFree(p));
	free(f);
}

int main(void) {
	int fd = memfd_create("codeobject", 0);
	if (fd < 0)
		return 1;
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	good = read_whole(built("tests/hip/probe.gpu.co"), &size);
	ok(load(good, size) == hipSuccess, "the probe is loaded as it is");
	test_other_files();
	test_other_architecture();
	test_contradictions();
	test_truncation();
	Elf64_Phdr *note = segment(good, PT_NOTE);
	size_t headers = header(good)->e_phoff + header(good)->e_phnum * sizeof *note;
	size_t sections = header(good)->e_shoff;
	test_changed_bytes("the ELF header and program headers", 0, headers);
	test_changed_bytes("the metadata note", note->p_offset, note->p_offset + note->p_filesz);
	test_changed_bytes("the symbols and the rest up to the code",
	                   note->p_offset + note->p_filesz, 0x1500);
	test_changed_bytes("the section headers", sections, size);
	test_changed_descriptor();
	free(good);
	close(fd);
	return done_testing();
}
