/* Names of regions and threads in the archive. */
#ifndef HEDDLE_OTF2_CONVERT_DESCRIBE_NAMES_H
#define HEDDLE_OTF2_CONVERT_DESCRIBE_NAMES_H

#include "otf2-convert/timeline/definitions.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Writes `construct @file:line`, or the known part of it. Not for calls and C_ON_PROCESSOR. */
void region_name(const struct definitions *definitions, const struct region *region, char *name, size_t size);

#define REGION_DESCRIPTION_SIZE 512u
/* Writes the facts on a construct for analysis. */
void region_description(const struct region *region, char *text, size_t size);

/* Sources of a thread's name. Strings may be NULL or empty: none. */
struct thread_names {
  const char *user;    /* set by the program with heddle.h */
  const char *java;    /* of a Java thread */
  const char *system;  /* set with pthread_setname_np */
  const char *started; /* start function, and its number among the threads with this function */
  uint64_t java_id;
  uint64_t pthread_number; /* among the threads that the program created itself; 0: the program did not create it */
  uint32_t number;         /* roots count from 1; workers: number in their first team */
  bool is_java, is_virtual, is_root;
  bool openmp; /* the process uses OpenMP */
};

/* Number of a thread, for its name. */
struct thread_number {
  bool is_root;
  uint32_t in_team; /* its number in its first team; 0, UINT32_MAX: none, or unknown */
  uint32_t number;  /* set by thread_numbers() */
};

/* Numbers the threads of a process in the order of their begins. No two workers get the same number: the first thread
 * with a number in a team keeps it, others get the next free one. False: out of memory; all have numbers. */
bool thread_numbers(struct thread_number *threads, size_t count);

void thread_name(const struct thread_names *names, char *name, size_t size);

/* Returns THREAD_TYPE of a thread. type: ompt_thread_t; flags: enum raw_java_thread. */
const char *thread_type_name(bool is_java, unsigned type, unsigned flags);

#endif
