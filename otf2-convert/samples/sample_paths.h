/*
 * Paths of samples: the code from a thread's first function to the innermost one, as programmers see it. The code that
 * starts programs and threads is omitted, and the OpenMP runtime between two functions of the program, too.
 *
 * One thread at a time, in the pauses of the conversion.
 */
#ifndef HEDDLE_OTF2_CONVERT_SAMPLES_SAMPLE_PATHS_H
#define HEDDLE_OTF2_CONVERT_SAMPLES_SAMPLE_PATHS_H

#include "base/hash.h"
#include "otf2-convert/samples/stacks.h"
#include "otf2-convert/scan/location.h"
#include "otf2-convert/symbols/symbols.h"
#include "otf2-convert/timeline/definitions.h"

#define SAMPLE_DEPTH_MOST 512u /* functions; deeper stacks lose the outermost ones */

struct sample_step {
  uint64_t code;     /* number of module_map_code for a return address, or for 1 + the address that ran */
  uint64_t outlined; /* key of the function if its code was outlined for a construct, else 0 */
  bool java;         /* code is the id of a place (java_names.h); 0: unknown */
};

struct sample_path {
  uint32_t depth;
  bool whole;                                  /* false: the callers of the first step are unknown */
  struct sample_step steps[SAMPLE_DEPTH_MOST]; /* outermost first */
};

struct sample_home;
struct sample_paths {
  struct definitions *definitions;
  struct kernel_blocks blocks;
  struct kernel_stack stack; /* the current one */
  struct hash home_of;       /* process and module -> index */
  VECTOR(struct sample_home) homes;
  struct hash facts; /* process and code, mixed -> kind of the code */
  bool strayed;      /* some code was in no known module */
};

void sample_paths_begin(struct sample_paths *paths, struct definitions *definitions);
void sample_paths_free(struct sample_paths *paths);

/* Returns the module of code of a process; *code becomes its address there. NULL: no known module, or out of memory.
 * Valid until the next call. */
const struct code_home *sample_paths_home(struct sample_paths *paths, const struct process *process, uint64_t *code);

/* Finds the path of a stack, by its number in a log. ticks: of the process' clock. False: the stack is unknown. The
 * path is empty if memory is short. */
bool sample_paths_find(struct sample_paths *paths, const struct kernel_log *log, uint32_t number,
                       const struct process *process, uint64_t ticks, struct sample_path *path);

/* Finds the path of a thread that waits. Empty: unknown. */
void sample_paths_of_wait(struct sample_paths *paths, const struct stack_note *wait, const struct process *process,
                          struct sample_path *path);

/* Writes the name of a sample's function. path: of its module; NULL: unknown. construct: name of the construct that it
 * was outlined for; NULL: unknown or none, then the name is `function (omp @file:line)`. */
void sample_name(const char *path, const struct code_function *function, const char *construct, char *name,
                 size_t size);

#endif
