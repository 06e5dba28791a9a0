/* The name of a thread in the archive. */
#ifndef HEDDLE_OTF2_CONVERT_DESCRIBE_THREAD_NAME_H
#define HEDDLE_OTF2_CONVERT_DESCRIBE_THREAD_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What names a thread. Texts may be NULL or empty: there is none. */
struct thread_names {
  const char *user;    /* that the program gave it with heddle.h */
  const char *java;    /* of a Java thread */
  const char *system;  /* set with pthread_setname_np */
  const char *started; /* its start function, and which of the threads with this function it is */
  uint64_t java_id;
  uint64_t pthread_number; /* among the threads that the program created itself; 0: it is none of them */
  uint32_t number;         /* roots count from 1; workers: in their first team */
  bool is_java, is_virtual, is_root;
  bool openmp; /* of the process */
};

/* The number of a thread, for its name. */
struct thread_number {
  bool is_root;
  uint32_t in_team; /* its number in its first team; 0, UINT32_MAX: it has none, or it is unknown */
  uint32_t number;  /* by thread_numbers() */
};

/* Numbers all threads of a process, in the order in which they began, so that no two workers have the same: the first
 * one with a number in a team has that, and others have the next that is free. False: no memory; all have numbers. */
bool thread_numbers(struct thread_number *threads, size_t count);

void thread_name(const struct thread_names *names, char *name, size_t size);

/* THREAD_TYPE of a thread. type: ompt_thread_t; flags: enum raw_java_thread. */
const char *thread_type_name(bool is_java, unsigned type, unsigned flags);

#endif
