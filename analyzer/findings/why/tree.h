/* Tree of hypotheses as it grows, and the kinds of reasons. Private to why/. */
#ifndef HEDDLE_ANALYZER_FINDINGS_WHY_TREE_H
#define HEDDLE_ANALYZER_FINDINGS_WHY_TREE_H

#include "analyzer/analyses/account/account.h"
#include "analyzer/findings/why/nodes.h"
#include "analyzer/findings/why/windows.h"

/* The kinds of reasons. */

enum why_kind {
  KIND_DEADLOCK,
  KIND_SYNCHRONIZATION,
  KIND_IMBALANCE,
  KIND_GRAIN,
  KIND_TASKS,
  KIND_SERIAL,
  KIND_PROCESSORS,
  KIND_RUNTIME,
  KIND_BLOCKED,
  KIND_THREADS,
  KIND_COLLECTION,
  KIND_MEMORY,
  KIND_MEASUREMENT,
  KIND_POSIX, /* only where it is unknown: else its findings are synchronization */
  KINDS
};

struct tree {
  const struct trace *trace;
  const struct findings *findings;
  const enum why_kind *kinds; /* one a finding */
  const bool *guesses;        /* one a finding: it may as well be of another kind; NULL: none */
  const char *lacks[KINDS];   /* what the trace lacks for a kind; NULL: nothing */
  double recording;           /* ticks that the measurement took, if no finding says so */
  bool (*refine)(struct tree *tree, const struct why_node *place); /* adds the children of a place */
  struct why *why;
  /* For traces with events alone. */
  const struct analysis_results *of;
  struct windows windows;
  const struct account *account; /* NULL: none */
};

/* Adds a node with a text, in the order of the tree. False: no memory. */
__attribute__((format(printf, 3, 4))) bool tree_add(struct tree *tree, const struct why_node *node, const char *format,
                                                    ...);

/* The verdict on a figure, with its interval. */
enum why_verdict why_verdict_of(double threshold, double low, double percent, double high);

/* True if a better schedule of a loop would hand out more iterations at a time than the recorded one. */
bool tree_has_small_chunks(const struct tree *tree, uint32_t region);

/* Ticks in percent of the run, at most 100. */
double tree_percent(const struct tree *tree, double ticks);

/* Adds the children of a true kind's finding. `place` is its node. False: no memory. */
bool refine(struct tree *tree, const struct why_node *place);

/* Adds all kinds, with what is below them. False: no memory. */
bool kinds_add(struct tree *tree);

/* The same of a trace: finds the kinds, and what the trace lacks. */
bool kinds_of_trace(struct tree *tree);

/* What a trace or profile lacks for KIND_POSIX; NULL: nothing. */
const char *tree_lacks_posix(const struct trace *trace);

/* Adds the root: what of the threads' measured time is not the program's work. False: no memory. */
bool tree_add_root(struct tree *tree, const struct states_sums *sums);

#endif
