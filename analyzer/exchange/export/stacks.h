/* Private to export/: the samples of a run, or its exact calls in the form of samples (calls/exact.h), as stacks, for
 * formats of profilers. Memory depends on how many stacks differ. */
#ifndef HEDDLE_ANALYZER_EXCHANGE_EXPORT_STACKS_H
#define HEDDLE_ANALYZER_EXCHANGE_EXPORT_STACKS_H

#include "analyzer/analyses/calls/calls.h"
#include "analyzer/analyses/calls/exact.h"
#include "analyzer/analyses/calls/figures.h"
#include "analyzer/exchange/export/writer.h"
#include "base/pool.h"

#define STACK_MOST 4096 /* frames; of a deeper stack those that ran last remain, below a frame with this name: */
#define STACK_CUT  "[more callers]"

/* Samples of one stack. Threads, constructs and states are told apart where the format asks for it; else they are 0. */
struct stack_row {
  uint32_t node; /* of the tree: the code that ran */
  uint32_t location, construct, state;
  uint32_t trigger;
  uint64_t samples;
};

struct stacks {
  const struct trace *trace;
  struct samples *samples;
  struct exact_calls *archive; /* which has the `samples`, of exact calls; NULL: of samples */
  const struct samples_trigger *triggers;
  uint32_t trigger_count;
  struct calls_tree tree;
  struct stack_row *rows; /* by node, location, construct, state, trigger; each once */
  size_t count;
};

struct stacks_wish {
  enum calls_unit unit;
  enum calls_use use;
  bool locations, constructs, states; /* that are told apart */
};

/* False: an error. stacks_close() in any case. */
bool stacks_open(const struct trace *trace, struct stacks_wish wish, struct stacks *stacks, struct error *error);
void stacks_close(struct stacks *stacks);

/* The nodes of a stack, the one that ran first; at most STACK_MOST. *cut: it has more. Returns how many. */
size_t stacks_path(const struct stacks *stacks, uint32_t node, uint32_t path[STACK_MOST], bool *cut);
const char *stacks_name(const struct stacks *stacks, uint32_t node);

/* The frames of process and thread that come first, if they are wished. Returns how many. */
size_t stacks_roots(const struct stacks *stacks, const struct stack_row *row, enum export_root root,
                    const char *names[2]);

#endif
