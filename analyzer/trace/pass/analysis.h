/*
 * An analysis: what it does in a pass, and with its results. Passes, merging, dropping and freeing are the same for
 * all. An analysis is one file with one `const struct analysis`; what it finds is a struct of its own.
 *
 * Threads: begin(), end(), drop(), merge() and free() are called by one thread; the lanes as in subscriber.h.
 */
#ifndef HEDDLE_ANALYZER_TRACE_PASS_ANALYSIS_H
#define HEDDLE_ANALYZER_TRACE_PASS_ANALYSIS_H

#include "analyzer/trace/pass/subscriber.h"

/* All of it outlives the analysis. */
struct analysis_input {
  const struct trace *trace;
  struct pool *pool;
  const void *options; /* a struct of the analysis; NULL: the usual ones */
};

/* All functions but begin() and end() may be NULL. False without a message in `error`: no memory. */
struct analysis {
  const char *name;
  size_t state_size;  /* of what it needs during the pass; zeroed before begin() */
  size_t result_size; /* of what it finds; zeroed before end() */

  /* True if the trace can have any. Else there is no pass for it, and the result stays zero. */
  bool (*exists)(const struct trace *trace);
  /* False: no memory. */
  bool (*begin)(void *state, const struct analysis_input *input);
  struct subscriber lanes; /* its context is the state */
  /* After begin(), in a copy of `lanes`: clears or exchanges functions that do not suit this trace. */
  void (*adapt)(const void *state, struct subscriber *lanes);
  /* After the pass. The result is freed in any case. */
  bool (*end)(void *state, void *result, struct error *error);
  /* Puts the reason into `error`, if the analysis itself made the pass fail. */
  void (*explain)(const void *state, struct error *error);
  /* Frees what the state has, also after a begin() that failed. */
  void (*drop)(void *state);

  /* Adds the result of other locations of the same trace. What they must be (any, or whole processes), the analysis
   * says. It may take parts of `from`, which is freed then. False: no memory; `into` can only be freed. */
  bool (*merge)(void *into, void *from);
  /* Frees what the result has. It may be all zero. */
  void (*free)(void *result);
};

/* One analysis of a pass. */
struct analysis_task {
  const struct analysis *analysis;
  const void *options; /* NULL: the usual ones */
  void *result;        /* of its result_size */
};

/*
 * Makes all analyses of the list in one pass. They end in the order of the list: a later one can use the results of
 * earlier ones. False: an error. analyses_free() in any case.
 */
bool analyses_find(const struct trace *trace, struct pool *pool, const struct analysis_task *tasks, unsigned count,
                   struct error *error);
void analyses_free(const struct analysis_task *tasks, unsigned count);

/* The same of one. False: an error. analysis_free() in any case. */
bool analysis_find(const struct analysis *analysis, const struct trace *trace, struct pool *pool, const void *options,
                   void *result, struct error *error);
void analysis_free(const struct analysis *analysis, void *result);

/* Adds the result `from` to `into`, and frees it. False: no memory. */
bool analysis_merge(const struct analysis *analysis, void *into, void *from);

/* For passes of other kinds: an analysis that runs. */
struct running_analysis {
  const struct analysis *analysis;
  struct subscriber subscriber; /* valid after a good begin; it must not move during the pass */
  const struct trace *trace;
  void *state;
};

/* False: an error; then nothing is to be dropped. After the pass running_analysis_end(), or running_analysis_drop(). */
bool running_analysis_begin(struct running_analysis *running, const struct analysis *analysis,
                            const struct trace *trace, struct pool *pool, const void *options, struct error *error);
/* False: an error. The result is to be freed in any case. */
bool running_analysis_end(struct running_analysis *running, void *result, struct error *error);
/* For a pass that failed; `error` gets the reason, if an analysis caused it. All zero is allowed. */
void running_analysis_drop(struct running_analysis *running, struct error *error);

#endif
