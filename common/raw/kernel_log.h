/*
 * Log of the kernel's events on the program's threads: DIR/kernel/<host>.<pid>.log, beside the raw trace. `heddle
 * record` writes it, heddle-convert reads it on the same machine: the byte order is native.
 *
 * Records follow a header. A round is one read of the kernel's buffers: it begins with KERNEL_ROUND and KERNEL_CLOCKS,
 * and switches follow in no order. Each event up to KERNEL_LATE_NS before the begin of a round is in that round or in
 * an earlier one.
 *
 * The writer holds an exclusive flock() on the log from before it writes the header until the log is complete. A log of
 * samples only is written to the file at each round, because observers read it, too.
 */
#ifndef HEDDLE_COMMON_RAW_KERNEL_LOG_H
#define HEDDLE_COMMON_RAW_KERNEL_LOG_H

#include <stdint.h>

#define KERNEL_LOG_DIRECTORY "kernel"
#define KERNEL_LOG_MAGIC     "heddle-kernel 2\n"
#define KERNEL_LATE_NS       1000000u
#define KERNEL_LONG_NS       10000000u /* the system call of a thread without a processor is read after this time */

struct kernel_log_header {
  char magic[16];
  char boot_id[40];       /* of the machine; ends with a zero */
  uint64_t pid_namespace; /* inode of the namespace of the ids */
};

enum kernel_kind {
  KERNEL_ROUND = 1,     /* who: time-stamp counter, 0: there is none */
  KERNEL_CLOCKS,        /* of the same moment; who: CLOCK_MONOTONIC, ns */
  KERNEL_OUT,           /* the thread leaves its processor: it waits for something */
  KERNEL_OUT_PREEMPTED, /* likewise, but it could continue; also if it yields */
  KERNEL_IN,            /* the thread gets a processor */
  KERNEL_CALL,          /* a thread that had no processor for long was in this system call at `time` */
  KERNEL_LOST,          /* who: number of events that did not fit into the processor's buffer */
  KERNEL_NAME,          /* name of the object of a call: a file, a socket; who: its number, from 1. `processor` bytes
                           of text follow, and zeros up to a multiple of the size of a record */
  KERNEL_SAMPLER,       /* trigger of samples, from 0; who: its period, in events; processor: number of its name; |
                           KERNEL_SAMPLER_TIME: the period is ns of a thread's processor time */
  KERNEL_STACK,         /* who: its number. `processor` addresses follow: where the thread was, and the return
                           addresses of its callers, if they were recorded; then zeros as above */
  KERNEL_BLOCK,  /* a part of some threads' stacks; who: its number, from 1; time: its first address, a multiple of
                    KERNEL_BLOCK_BYTES. KERNEL_BLOCK_BYTES bytes follow */
  KERNEL_COPY,   /* a copy of a thread's stack; who: its number; time: the stack pointer; processor: bytes from
                    there on. A struct kernel_registers and the numbers of the blocks that have the bytes, each
                    an uint32_t, follow; then zeros as above */
  KERNEL_SAMPLE, /* the thread ran code of its own at `time`; processor: number of a stack, 0: not kept, | number of
                    the trigger << KERNEL_TRIGGER_AT */
  KERNEL_SAMPLES_LOST, /* who: number of samples among the lost events; processor: the trigger */
  KERNEL_ALONE,        /* the log has samples only, no switches */
  KERNEL_COST          /* who: ns of processor time that recording all of this took, in the kernel and in the writer */
};
#define KERNEL_LAST         KERNEL_COST
#define KERNEL_LOG_MOST     (4ull << 30) /* bytes; events beyond are lost, and counted (KERNEL_LOST) */
#define KERNEL_STACK_MOST   127u         /* addresses of a stack */
#define KERNEL_NAME_MOST    512u         /* bytes of a text, without a zero */
#define KERNEL_NAMES_MOST   512u         /* of a log */
#define KERNEL_SAMPLER_TIME (1u << 16)

/* Stacks of both kinds are numbered from 1, without gaps. */
#define KERNEL_TRIGGER_AT    24
#define KERNEL_STACKS_MOST   (1u << 22)
#define KERNEL_TRIGGERS_MOST 8u
#define KERNEL_BLOCKS_MOST   (1u << 22)
#define KERNEL_BLOCK_BYTES   384u   /* a multiple of the size of a record */
#define KERNEL_COPY_MOST     65528u /* bytes of a copy */

/* Registers of x86-64 that the unwinder needs. */
struct kernel_registers {
  uint64_t bx, bp, sp, ip, r10, r12, r13, r14, r15;
};

#define KERNEL_NAME_AT 16
#define KERNEL_CALL_OF ((1u << KERNEL_NAME_AT) - 1)
struct kernel_record {
  uint64_t time;      /* CLOCK_MONOTONIC_RAW, ns */
  uint64_t who;       /* process << 32 | thread, unless said above */
  uint32_t kind;      /* enum kernel_kind */
  uint32_t processor; /* CALL: number of the system call | number of a name, 0 none, << KERNEL_NAME_AT */
};

/* Returns the number of blocks that a copy has bytes of. */
static inline uint32_t kernel_copy_blocks(uint64_t address, uint32_t bytes)
{
  uint64_t last = address + bytes - (bytes > 0);
  return (uint32_t)(last / KERNEL_BLOCK_BYTES - address / KERNEL_BLOCK_BYTES) + 1;
}

#endif
