/* The hostcall buffer, by which waves call the host while they run [ROCm-Device-Libs
 * ockl/src/hostcall_impl.cl; clr rocclr/device/devhostcall.cpp, devhcmessages.cpp].
 *
 * A wave takes a packet from the free stack, writes a service and 8 words for each lane, puts the
 * packet on the ready stack, adds to the doorbell and spins until the host has cleared the packet's
 * ready flag. A link of a stack is an index below a tag. Here the host answers when the doorbell
 * rings, before the next instruction of any wave. */
#define _GNU_SOURCE
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "hostcall.h"

enum {
	MOST_PACKETS = 1 << 14,
	LANES = 64,
	WORDS = 8, /* of a lane */
	READY = 1, /* of control */
};

enum service { FUNCTION_CALL = 1, PRINTF = 2, DEVICE_MEMORY = 3 };

struct header {
	uint64_t next, active;
	uint32_t service, control;
};

/* amd_signal_t. Without a mailbox no interrupt is sent. */
struct signal {
	int64_t kind, value;
	uint64_t mailbox;
	uint32_t event, rest[9];
};

/* Headers and payloads follow it. */
struct buffer {
	uint64_t headers, payloads, doorbell, free_stack, ready_stack, mask;
	uint64_t rest[2];
	struct signal signal;
};

typedef uint64_t payload[LANES][WORDS];

/* Words of a lane's call of printf, which several packets send. */
struct message {
	bool live;
	uint64_t *word;
	size_t n;
};

struct mx_hostcall {
	struct buffer *buffer; /* of the device, as the next two */
	struct header *header;
	payload *payload;
	uint64_t packets;
	struct mx_doorbell doorbell;
	struct message *message;
	size_t n;
	FILE *to, *nowhere; /* to: instead of the stream that the kernel names, or NULL */
	bool asserted;
};

/* ---- messages: descriptor and words ---- */

enum { BEGIN = 1, END = 2, COUNT_AT = 5, COUNT_MASK = 7, ID_AT = 8, MOST_WORDS = 1 << 20 };

/* The id of a message that begins; h->n if memory is short. */
static size_t begin(struct mx_hostcall *h) {
	size_t i = 0;
	while (i < h->n && h->message[i].live)
		i++;
	if (i == h->n) {
		struct message *grown = realloc(h->message, (h->n + 1) * sizeof *grown);
		if (!grown)
			return h->n;
		h->message = grown;
		grown[h->n++] = (struct message){ 0 };
	}
	h->message[i].live = true;
	return i;
}

static bool append(struct message *m, const uint64_t *words, size_t n) {
	uint64_t *grown = m->n + n < MOST_WORDS ? realloc(m->word, (m->n + n + 1) * 8) : NULL;
	if (!grown)
		return false;
	memcpy(grown + m->n, words, n * 8);
	m->word = grown;
	m->n += n;
	return true;
}

/* Whether it is the message of HIP's assert, or of Triton's: "Device-side assertion `%s' failed",
 * "device assertion failed". The kernel traps after it. */
static bool is_assertion(const struct message *m) {
	static const char word[] = " assertion ";
	return m->word[0] == 1 && memmem(m->word + 1, (m->n - 1) * 8, word, sizeof word - 1);
}

/* The first word is the stream: 0 standard output, 1 standard error. */
static uint64_t print(struct mx_hostcall *h, const struct message *m) {
	if (!m->n || m->word[0] > 1)
		return (uint64_t)-1;
	h->asserted |= is_assertion(m);
	FILE *to = h->to ? h->to : m->word[0] ? stderr : stdout;
	return (uint64_t)(int64_t)mx_device_printf(to, m->word + 1, m->n - 1);
}

static void serve_printf(struct mx_hostcall *h, uint64_t *word) {
	uint64_t descriptor = word[0];
	size_t id = descriptor & BEGIN ? begin(h) : descriptor >> ID_AT;
	struct message *m = id < h->n && h->message[id].live ? &h->message[id] : NULL;
	word[0] = (uint64_t)-1;
	if (!m || !append(m, word + 1, descriptor >> COUNT_AT & COUNT_MASK))
		return;
	word[0] = (descriptor & ~(uint64_t)BEGIN & ((1 << ID_AT) - 1)) | (uint64_t)id << ID_AT;
	if (descriptor & END) {
		word[0] = print(h, m);
		free(m->word);
		*m = (struct message){ 0 };
	}
}

/* ---- services ---- */

/* A function of the host, by address. */
static void serve_call(uint64_t *word) {
	void (*function)(uint64_t * out, const uint64_t *in) =
		(void (*)(uint64_t *, const uint64_t *))(uintptr_t)word[0];
	uint64_t out[2] = { 0 };
	function(out, word + 1);
	memcpy(word, out, sizeof out);
}

/* The address of memory to free, or 0 and the bytes to allocate. */
static void serve_memory(uint64_t *word) {
	if (word[0])
		mx_device_heap_give(word[0]);
	else
		word[0] = mx_device_heap_take(word[1]);
}

static void serve(struct mx_hostcall *h, uint32_t service, uint64_t *word) {
	switch (service) {
	case FUNCTION_CALL: serve_call(word); return;
	case PRINTF: serve_printf(h, word); return;
	case DEVICE_MEMORY: serve_memory(word); return;
	default: word[0] = word[1] = 0;
	}
}

/* ---- packets ---- */

static void serve_packet(struct mx_hostcall *h, uint64_t i) {
	struct header *p = &h->header[i];
	for (unsigned lane = 0; lane < LANES; lane++)
		if (p->active >> lane & 1)
			serve(h, p->service, h->payload[i][lane]);
	p->control &= ~(uint32_t)READY;
}

/* The stack has each packet once, unless the kernel has spoilt it. */
static void ring(void *context) {
	struct mx_hostcall *h = context;
	uint64_t link = h->buffer->ready_stack;
	h->buffer->ready_stack = 0;
	for (uint64_t n = 0; link && n < h->packets; n++) {
		uint64_t i = link & (h->packets - 1);
		link = h->header[i].next;
		serve_packet(h, i);
	}
}

/* ---- the buffer ---- */

static uint64_t address(const void *p) {
	return (uint64_t)(uintptr_t)p;
}

/* All packets are free. A link is not 0, so the one to packet 0 has a tag. */
static void fill(struct mx_hostcall *h) {
	struct buffer *b = h->buffer;
	b->headers = address(h->header);
	b->payloads = address(h->payload);
	b->doorbell = address(&b->signal);
	b->mask = h->packets - 1;
	b->signal.kind = 1;
	b->free_stack = h->packets;
	for (uint64_t i = 1; i < h->packets; i++) {
		h->header[i].next = b->free_stack;
		b->free_stack = i;
	}
	mx_hip_mark(address(b), sizeof *b + h->packets * sizeof *h->header, MX_WRITTEN);
}

/* Device code does not expect that the free stack is empty: each wave that can be resident has a
 * packet. Their number is a power of two. */
static uint64_t packets_for(uint64_t waves) {
	uint64_t n = 2;
	while (n < waves && n < MOST_PACKETS)
		n *= 2;
	return n;
}

struct mx_hostcall *mx_hostcall_new(uint64_t waves) {
	struct mx_hostcall *h = calloc(1, sizeof *h);
	if (!h)
		return NULL;
	h->packets = packets_for(waves);
	h->buffer = mx_hip_allocate(sizeof *h->buffer +
	                                    h->packets * (sizeof *h->header + sizeof *h->payload),
	                            (struct mx_allocation){ .internal = true });
	if (!h->buffer) {
		free(h);
		return NULL;
	}
	h->header = (struct header *)(h->buffer + 1);
	h->payload = (payload *)(h->header + h->packets);
	fill(h);
	h->doorbell = (struct mx_doorbell){ address(&h->buffer->signal.value), ring, h };
	return h;
}

void mx_hostcall_free(struct mx_hostcall *h) {
	if (!h)
		return;
	for (size_t i = 0; i < h->n; i++)
		free(h->message[i].word);
	free(h->message);
	if (h->nowhere)
		fclose(h->nowhere);
	mx_hip_retire(h->buffer);
	free(h);
}

uint64_t mx_hostcall_address(const struct mx_hostcall *h) {
	return address(h->buffer);
}

const struct mx_doorbell *mx_hostcall_doorbell(struct mx_hostcall *h) {
	return &h->doorbell;
}

bool mx_hostcall_asserted(const struct mx_hostcall *h) {
	return h && h->asserted;
}

void mx_hostcall_silence(struct mx_hostcall *h) {
	if (h && !h->nowhere)
		h->to = h->nowhere = fopen("/dev/null", "w");
}

void mx_hostcall_to_stderr(struct mx_hostcall *h) {
	if (h)
		h->to = stderr;
}
