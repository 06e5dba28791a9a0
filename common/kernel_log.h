/*
 * What the kernel told `heddle record` about the program's threads: DIR/kernel/<host>.<pid>.log, beside the raw trace.
 * `heddle record` writes it, heddle-convert reads it. Native byte order; all of it is for the machine that recorded.
 *
 * The file is a header, and then records. A round is what was taken from the kernel's buffers at one time: it begins
 * with KERNEL_ROUND and KERNEL_CLOCKS, the switches follow in no order. Each event that happened before the begin of a
 * round, less KERNEL_LATE_NS, stands in that round or in one before it.
 */
#ifndef HEDDLE_COMMON_KERNEL_LOG_H
#define HEDDLE_COMMON_KERNEL_LOG_H

#include <stdint.h>

#define KERNEL_LOG_DIRECTORY "kernel"
#define KERNEL_LOG_MAGIC     "heddle-kernel 2\n"
#define KERNEL_LOG_MAGIC_1   "heddle-kernel 1\n" /* without samples; read, too */
#define KERNEL_LATE_NS       1000000u
#define KERNEL_LONG_NS       10000000u /* a thread without a processor is asked for its call after that */

struct kernel_log_header {
  char magic[16];
  char boot_id[40];       /* of the machine; ends with a zero */
  uint64_t pid_namespace; /* inode of the one that the ids are of */
};

enum kernel_kind {
  KERNEL_ROUND = 1,     /* who: time-stamp counter, 0: there is none */
  KERNEL_CLOCKS,        /* of the same moment; who: CLOCK_MONOTONIC, ns */
  KERNEL_OUT,           /* the thread leaves its processor: it waits for something */
  KERNEL_OUT_PREEMPTED, /* the same, but it could go on; also where it yields */
  KERNEL_IN,            /* the thread gets a processor */
  KERNEL_CALL,          /* a thread that has had no processor for long was in this system call at `time` */
  KERNEL_LOST,          /* who: so many events did not fit into the buffer of the processor */
  KERNEL_NAME,          /* of a thing that calls are about: a file, a socket; who: its number, from 1. `processor` bytes
                           of text follow, and zeros up to a multiple of the size of a record */
  KERNEL_SAMPLER,       /* samples are taken; who: one after so many ns of a thread's processor time */
  KERNEL_STACK,         /* who: its number, from 1. `processor` addresses follow: where the thread was, and the return
                           addresses of its callers, as far as they were asked for; then zeros as above */
  KERNEL_SAMPLE         /* the thread ran code of its own at `time`; processor: number of a stack, 0: not kept */
};
#define KERNEL_STACK_MOST  127u       /* addresses of a stack */
#define KERNEL_STACKS_MOST (1u << 20) /* of a log */
#define KERNEL_NAME_MOST   512u       /* bytes of a text, without a zero */
#define KERNEL_NAMES_MOST  512u       /* of a log */

#define KERNEL_NAME_AT 16
#define KERNEL_CALL_OF ((1u << KERNEL_NAME_AT) - 1)
struct kernel_record {
  uint64_t time;      /* CLOCK_MONOTONIC_RAW, ns */
  uint64_t who;       /* process << 32 | thread, unless said above */
  uint32_t kind;      /* enum kernel_kind */
  uint32_t processor; /* CALL: number of the system call | number of a name, 0 none, << KERNEL_NAME_AT */
};

#endif
