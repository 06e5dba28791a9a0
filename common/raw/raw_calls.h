/*
 * Exact call graphs in a raw trace: the file `calls` of a process directory (raw_trace.h). HEDDLE_CALLS switches it on.
 *
 * Each thread has a tree of the functions that it called, with a node for each path. The tree consists of segments. A
 * segment begins at a multiple of RAW_CALLS_UNIT with struct raw_calls_segment; `used` nodes follow. Node n of the
 * thread has the number n - `first` in its segment. Node 0 is the thread itself. A parent has a smaller number than its
 * children.
 *
 * The thread updates its nodes in a shared mapping, so a killed process leaves all of it. `begin` of a function that
 * has not returned is not 0; the sums do not include its time from `begin` on.
 */
#ifndef HEDDLE_COMMON_RAW_RAW_CALLS_H
#define HEDDLE_COMMON_RAW_RAW_CALLS_H

#include <stdint.h>

#define RAW_CALLS_FILE      "calls"
#define RAW_CALLS_MAGIC     0x31534c4c41434448ull /* "HDCALLS1", little endian */
#define RAW_CALLS_VERSION   1u
#define RAW_CALLS_UNIT      16384u     /* bytes */
#define RAW_CALLS_MOST      (1u << 18) /* nodes of a thread */
#define RAW_CALLS_LARGEST   (4u << 20) /* bytes of a segment */
#define RAW_CALLS_DURATIONS 31u
#define RAW_CALLS_POWER     5u /* durations[0] is below 2^6 ticks, durations[k] from 2^(k + 5) on, the last without end */

/* 128 bytes. Members not marked "of each" are valid in the thread's first segment only. */
struct raw_calls_segment {
  uint64_t magic;   /* of each */
  uint32_t version; /* of each */
  uint32_t size;    /* of each: bytes, this header included; a multiple of RAW_CALLS_UNIT */
  uint32_t thread;  /* of each: its number in the raw trace */
  uint32_t first;   /* of each: number of its first node */
  uint32_t used;    /* of each: nodes */
  uint32_t most;    /* HEDDLE_CALLS_DEPTH; 0: no limit */
  uint64_t begun;   /* ticks of the first call */
  uint64_t ended;   /* ticks of the thread's end or the process'; 0: it was killed */
  /* Calls without a node; their time counts as the caller's. */
  uint64_t full;         /* there was no room */
  uint64_t deep;         /* deeper than `most` */
  uint64_t not_measured; /* in a handler that interrupted a call or return */
  uint64_t left;         /* functions left without a return: by longjmp, an exception, a switch of coroutines */
  uint64_t unmatched;    /* returns of functions whose call was not recorded */
  uint64_t before;       /* of each: address of the one before it in the writer's memory */
  uint64_t newest;       /* ticks of the newest return */
  uint64_t on_virtual;   /* calls of Java methods by virtual threads that ran on the thread; they have no node either */
  uint64_t unused[2];
};

/* Numbers are ticks unless said otherwise. 384 bytes. */
struct raw_calls_node {
  uint64_t function; /* address of its entry; of a Java method its place (RAW_CODE_PLACE) less 1; 0: the thread */
  uint64_t site;     /* return address in the caller, if RAW_CALLS_SITE */
  uint64_t begin;    /* it runs since then; 0: it does not run */
  uint64_t frame;    /* the stack pointer of its call, for the writer */
  uint64_t above;    /* addresses in the writer's memory: the parent, ... */
  uint64_t last;     /* ... and the child that was called last */
  uint64_t inclusive;
  uint64_t children;          /* the part of it that is the children's */
  uint64_t shortest, longest; /* UINT64_MAX, 0: none returned */
  uint64_t at;                /* where the call was reported, for the writer */
  uint32_t parent;            /* number */
  uint32_t depth_and_flags;   /* depth << 8 | flags */
  uint64_t first;             /* ticks of its first call */
  uint64_t blocked;           /* the part of it in which the thread waited and no child ran */
  uint64_t wait_begin;        /* the newest such wait, ... */
  uint64_t wait_children;     /* ... and `children` then */
  uint64_t number;
  uint64_t durations[RAW_CALLS_DURATIONS]; /* number of calls that returned, by duration */
};

#define RAW_CALLS_ANY_SITE 1u /* calls from all sites are one node: the function is called recursively, or ... */
#define RAW_CALLS_INLINED  2u /* ... it is part of its caller's code, so its site is the caller's */
#define RAW_CALLS_DEPTH_AT 8u

_Static_assert(sizeof(struct raw_calls_segment) == 128 && sizeof(struct raw_calls_node) == 384,
               "the format has no gaps");

static inline unsigned raw_calls_duration(uint64_t ticks)
{
  unsigned power = 63u - (unsigned)__builtin_clzll(ticks | 1u << RAW_CALLS_POWER) - RAW_CALLS_POWER;
  return power < RAW_CALLS_DURATIONS ? power : RAW_CALLS_DURATIONS - 1;
}

#endif
