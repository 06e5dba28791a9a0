/*
 * Private to export/. Stacks of a run for formats of profilers: its samples, or its exact calls in the form of samples
 * (calls/exact.h). Memory depends on the number of different stacks.
 */
#ifndef HEDDLE_ANALYZER_EXCHANGE_EXPORT_STACKS_H
#define HEDDLE_ANALYZER_EXCHANGE_EXPORT_STACKS_H

#include "analyzer/analyses/calls/calls.h"
#include "analyzer/analyses/calls/figures.h"
#include "analyzer/analyses/calls/source.h"
#include "analyzer/exchange/export/formats.h"
#include "base/pool.h"

#define STACK_MOST 4096 /* frames; a deeper stack keeps its innermost ones below a frame with this name: */
#define STACK_CUT  "[more callers]"

/* Samples of one stack. Threads, constructs and states are 0 unless the format distinguishes them. */
struct stack_row {
  uint32_t node; /* of the tree: the code that ran */
  uint32_t location, construct, state;
  uint32_t trigger;
  uint64_t samples;
};

struct stacks {
  const struct trace *trace;
  struct samples *samples;
  struct exact_calls *archive; /* the source of `samples`, for exact calls; NULL: for samples */
  const struct samples_trigger *triggers;
  uint32_t trigger_count;
  struct calls_tree tree;
  struct stack_row *rows; /* by node, location, construct, state, trigger; each once */
  size_t count;
};

struct stacks_wish {
  enum calls_unit unit;
  enum calls_use use;
  bool locations, constructs, states; /* to distinguish */
};

/* Reads the stacks. False: an error. Call stacks_close() in both cases. */
bool stacks_open(const struct trace *trace, struct stacks_wish wish, struct stacks *stacks, struct error *error);
void stacks_close(struct stacks *stacks);

/* Fills in the nodes of a stack, the outermost first, at most STACK_MOST; *cut: it has more. Returns their number. */
size_t stacks_path(const struct stacks *stacks, uint32_t node, uint32_t path[STACK_MOST], bool *cut);
/* Fills in the frames of process and thread that come first, if the format has them. Returns their number. */
size_t stacks_roots(const struct stacks *stacks, const struct stack_row *row, enum export_root root,
                    const char *names[2]);

#endif
