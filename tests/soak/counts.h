/*
 * Counts of the program's deeds, made without Heddle. They are in a file that all its processes map, and that the
 * driver reads after their end (truth.py). An event begins before the call of Heddle and is done after the call has
 * returned. So after any end, also SIGKILL, a trace has at least the finished events and at most the begun ones.
 */
#ifndef HEDDLE_TESTS_SOAK_COUNTS_H
#define HEDDLE_TESTS_SOAK_COUNTS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* What is counted. truth.py has the same names in the same order, and how each is counted in an archive. */
enum counted {
  EVENT,    /* heddle_event */
  ENTERED,  /* heddle_enter */
  LEFT,     /* heddle_leave */
  PARALLEL, /* parallel regions */
  CRITICAL, /* critical sections */
  LOCK,     /* omp_set_lock */
  TASK,     /* explicit tasks, created */
  PLUGIN_A, /* parallel regions in plugin_a, whichever is loaded where */
  PLUGIN_B,
  COUNTED
};

enum { MOST_PROCESSES = 4096, MOST_ACTIONS = 128 };

/* What may be missing in the trace of a process, and why. Bits. */
enum excuse {
  EXCUSE_SAID = 1,     /* what the process did to itself may keep us from writing: then that is counted and said */
  EXCUSE_NO_TRACE = 2, /* its trace would begin as another user: there may be none, if that is said */
  EXCUSE_MUTE = 4,     /* standard error is closed: no line can be printed. By itself it excuses nothing */
  EXCUSE_IN_MEMORY = 8 /* it can make no files: what a thread recorded last is lost with it, if that is said */
};

/* One process image; after exec it is another one. */
struct process_counts {
  _Atomic int64_t pid; /* as the process sees it; 0: not used */
  _Atomic int64_t excuses;
  _Atomic int64_t ended;  /* it came to end by itself: return, exit, quick_exit */
  _Atomic int64_t exited; /* and did, as its parent saw */
  _Atomic int64_t begun[COUNTED], done[COUNTED];
};

struct counts {
  _Atomic int64_t processes;             /* used so far */
  _Atomic int64_t actions[MOST_ACTIONS]; /* how often each was executed, by its number in the table */
  struct process_counts process[MOST_PROCESSES];
};

extern struct counts *counts;       /* of the run */
extern struct process_counts *mine; /* of this process */

/* Maps the file of SOAK_COUNTS, and begins this process. False: that is not possible. */
bool counts_open(void);
/* This process is a new one: in the child of any fork, before it does anything that is counted. */
void counts_new_process(void);
/* From here on only the calling thread's events have to be in the trace: it ends the process. */
void counts_ending(void);
void counts_excuse(enum excuse excuse);

/* The serial number of an event that begins. */
int64_t counts_begin(enum counted what);
void counts_done(enum counted what);
/* In a signal handler: once the process ends, nobody knows whether its recording has ended before. */
void counts_done_by_handler(enum counted what);
/* A process without an event so far begins its trace as somebody who may have no place for it. */
void counts_became_another_user(void);
/* A child has exited; its id as its parent sees it. */
void counts_exited(int64_t pid);

/* Number of this process in the run. */
int64_t counts_process(void);

#endif
