/*
 * From a sampled stack to a path: the code from a thread's first function to the one that ran, as programmers see it.
 * What starts programs and threads, and the OpenMP runtime between two functions of the program, is left out.
 *
 * One thread at a time, in the pauses of the conversion.
 */
#ifndef HEDDLE_OTF2_CONVERT_SAMPLES_SAMPLE_PATHS_H
#define HEDDLE_OTF2_CONVERT_SAMPLES_SAMPLE_PATHS_H

#include "base/hash.h"
#include "otf2-convert/samples/stacks.h"
#include "otf2-convert/scan/location.h"
#include "otf2-convert/timeline/definitions.h"

#define SAMPLE_DEPTH_MOST 512u /* functions; of deeper stacks the innermost */

struct sample_step {
  uint64_t code;     /* as module_map_code has it: of a return address, or behind the first byte of what ran */
  uint64_t outlined; /* of code that was outlined for a construct a key of its function, else 0 */
  bool java;         /* code is the id of a place of the process (java_names.h); 0: it is unknown */
};

struct sample_path {
  uint32_t depth;
  bool whole;                                  /* false: the callers of the first step are not known */
  struct sample_step steps[SAMPLE_DEPTH_MOST]; /* outermost first */
};

struct sample_home;
struct sample_paths {
  struct definitions *definitions;
  struct kernel_blocks blocks;
  struct kernel_stack stack; /* the one at work */
  struct hash home_of;       /* process and module -> index */
  VECTOR(struct sample_home) homes;
  struct hash facts; /* process and code, mixed -> what the code is */
  bool strayed;      /* there was code in no known module */
};

void sample_paths_begin(struct sample_paths *paths, struct definitions *definitions);
void sample_paths_free(struct sample_paths *paths);

/* The module of code of a process, whose address there it becomes; NULL: in no known module, or memory is short. Good
 * until the next call. */
const struct code_home *sample_paths_home(struct sample_paths *paths, const struct process *process, uint64_t *code);

/* The path of a stack with a number in a log. ticks: by the process' clock. False: the stack is not known; the path is
 * empty if memory is short. */
bool sample_paths_find(struct sample_paths *paths, const struct kernel_log *log, uint32_t number,
                       const struct process *process, uint64_t ticks, struct sample_path *path);

/* The path of a thread that waits. Empty: nothing of it is known. */
void sample_paths_of_wait(struct sample_paths *paths, const struct stack_note *wait, const struct process *process,
                          struct sample_path *path);

#endif
