/*
 * Code that threads ran, or in which they waited, by samples: for the account. A sample stands for the time before it,
 * back to the sample before, but not far. What it says is an estimate.
 */
#ifndef HEDDLE_ANALYZER_ANALYSES_ACCOUNT_RUNNING_CODE_H
#define HEDDLE_ANALYZER_ANALYSES_ACCOUNT_RUNNING_CODE_H

#include "analyzer/trace/samples.h"

struct running_code;
/* NULL: the run has no samples of time, or they cannot be read: then the account does without. */
struct running_code *running_code_open(const struct trace *trace);
void running_code_close(struct running_code *code); /* NULL is allowed */

/* The code tests a value again and again until another thread changes it. */
bool code_spins(const struct running_code *code, uint32_t context);
/* ... in the OpenMP runtime, for an iteration that is before it in order. */
bool code_is_ordered(const struct running_code *code, uint32_t context);
/* A module of MPI, or of what it stands on: a path or its end. */
bool code_module_is_of_mpi(const char *module);
/* The code is in MPI, or MPI has called it. */
bool code_is_of_mpi(const struct running_code *code, uint32_t context);
/* The code is in a library that the program's own code has called. */
bool code_is_of_library(const struct running_code *code, uint32_t context);

/* ... and it has called the kernel for a lock: to wait, or to wake who waits. */
bool code_is_at_lock_of_library(const struct running_code *code, uint32_t context);

/* The program's own code, which runs or has called what runs. */
struct code_place {
  const char *function, *file;
  uint32_t line;
  const char *library; /* the function that it called; NULL: it is no library's */
  bool atomic;         /* an atomic instruction runs */
};
/* False: unknown. */
bool code_place(const struct running_code *code, uint32_t context, struct code_place *place);
/* A number of the function of code_place(), for sums. */
uint32_t code_function(const struct running_code *code, uint32_t context);

/* What samples of one kind say about a thread over time. */
struct code_track {
  struct samples_stream *stream; /* NULL: none */
  uint32_t context;              /* at the time that was reached; TRACE_NONE: unknown */
  bool looks;                    /* at threads that wait; else samples of time */
  bool futex;                    /* ... for a futex, at that time */
  bool inside;                   /* a sample stands for this time */
  uint64_t end;                  /* ... up to here */
  uint32_t kernel;               /* the newest one that had called the kernel; TRACE_NONE: none */
  uint64_t kernel_until;
  struct samples_event next;
  bool found;
};

/* The samples of a thread. */
struct code_reader {
  const struct running_code *code;
  struct code_track ran, waited;
  uint64_t next; /* ticks: nothing changes before */
};
/* code NULL: no samples. False: an error. */
bool code_reader_open(struct code_reader *reader, const struct trace *trace, const struct running_code *code,
                      uint32_t location, struct error *error);
void code_reader_close(struct code_reader *reader);
/* Goes on from *at to the next change of a context, which is before `until`. False: there is none, and `next` says
 * until when. */
bool code_reader_next(struct code_reader *reader, uint64_t until, uint64_t *at);
/* True if the samples cannot be read further; the error of code_reader_open() says why. */
bool code_reader_failed(const struct code_reader *reader);

#endif
