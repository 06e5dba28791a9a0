/*
 * Private to export/. Slices of Chrome's JSON and Perfetto's trace: regions as slices, edges as flows between slices.
 * Each process and state has a counter of the threads in this state. A form writes them in its format.
 */
#ifndef HEDDLE_ANALYZER_EXCHANGE_EXPORT_SLICES_H
#define HEDDLE_ANALYZER_EXCHANGE_EXPORT_SLICES_H

#include "analyzer/exchange/export/items.h"
#include "analyzer/exchange/export/sink.h"

/* Flow at the end of its edge; `number` counts from 1. Times are ns. */
struct slices_flow {
  uint64_t number, begin, end;
  uint32_t from; /* location of its begin; the call has the location of its end */
  enum edge_kind kind;
};

/* New number of a process' threads in a state. */
struct slices_change {
  uint32_t process; /* process_count: threads without a process */
  enum state state;
  uint64_t threads;
};

/* Calls of a form. Slices and counters come in order of time, flows up to the next event of the thread late. */
struct slices_form {
  /* Called first, when the begin of the trace is known. False: out of memory. */
  bool (*head)(void *context);
  /* `flow` ends with the begin of this slice; NULL: none does. */
  void (*begin)(void *context, uint32_t location, const struct item *item, uint64_t ns, const struct slices_flow *flow);
  void (*end)(void *context, uint32_t location, uint64_t ns);
  /* An attribute of the program's event, or the callers of the wait, whose slice begins next on this thread. False: no
   * memory. */
  bool (*value)(void *context, uint32_t location, const struct trace_value *value);
  /* A thread changes its state; STATES: it is in none any more. NULL: not wanted. */
  void (*state)(void *context, uint32_t location, unsigned state, uint64_t ns);
  /* A flow that ends where no slice begins. */
  void (*flow)(void *context, uint32_t location, const struct slices_flow *flow);
  /* After all other calls of its time; `location` was the last of the process to change its state. */
  void (*counter)(void *context, uint32_t location, const struct slices_change *change, uint64_t ns);
};

struct slices;

/* NULL: an error. */
struct slices *slices_open(const struct trace *trace, struct error *error);
void slices_close(struct slices *slices);

/* Writes the whole trace, until the sink fails. False: an error. */
bool slices_write(struct slices *slices, const struct slices_form *form, void *context, const struct sink *sink,
                  struct error *error);

/*
 * For forms that write counters with slices: gets the process' next changed counter and marks it as written. False:
 * there is none.
 */
bool slices_take_change(struct slices *slices, uint32_t process, struct slices_change *change);

/* Returns the name of a category of regions: "openmp", "user" and so on; NULL: there is no such number. */
const char *slices_category(unsigned number);
unsigned slices_category_of(const struct trace_region *region);

#endif
