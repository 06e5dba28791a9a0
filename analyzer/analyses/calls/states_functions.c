#include "analyzer/analyses/calls/states_functions.h"

#include "analyzer/analyses/calls/key_sums.h"

#include <stdlib.h>

struct states_functions {
  const struct trace *trace;
  const struct samples *samples;
  struct samples_stream *stream; /* NULL: no samples of this thread */
  struct error *error;
  uint64_t *counts;           /* by function, of this interval; else 0 */
  VECTOR(uint32_t) functions; /* that have a count */
  struct key_sums sums;       /* by state and function */
};

struct states_functions *states_functions_open(const struct trace *trace, const struct samples *samples,
                                               uint32_t location, struct error *error)
{
  struct states_functions *functions = calloc(1, sizeof *functions);
  if (functions)
    *functions = (struct states_functions){.trace = trace, .samples = samples, .error = error};
  if (!functions || !(functions->counts = calloc(samples->function_count + 1, sizeof *functions->counts)))
    error_set(error, "%s: out of memory", trace->anchor);
  else if (samples_stream_of(trace, samples, location, &functions->stream, error))
    return functions;
  states_functions_close(functions);
  return NULL;
}

static bool count_one(struct states_functions *functions, const struct samples_event *event)
{
  uint32_t function = functions->samples->contexts[event->context].function;
  uint64_t before = functions->counts[function];
  functions->counts[function] += event->weight;
  return before > 0 || event->weight == 0 || vector_push(&functions->functions, function);
}

/* Empties the counts into the sums of the state. */
static bool take_most(struct states_functions *functions, enum state state, uint32_t *most)
{
  uint64_t highest = 0;
  bool good = true;
  for (size_t i = 0; i < functions->functions.count; i++) {
    uint32_t function = functions->functions.items[i];
    uint64_t count = functions->counts[function];
    if (count > highest) { /* the first of several */
      highest = count;
      *most = function;
    }
    struct key_sum sum = {.key = {state, function}, .values = {count}};
    good = good && key_sums_add(&functions->sums, &sum);
    functions->counts[function] = 0;
  }
  functions->functions.count = 0;
  return good;
}

bool states_functions_next(struct states_functions *functions, const struct state_interval *interval,
                           uint32_t *function)
{
  const struct samples_event *event;
  bool good = true;
  *function = TRACE_NONE;
  if (!functions->stream)
    return true;
  while (good && (event = samples_stream_peek(functions->stream)) != NULL && event->time < interval->end) {
    if (event->time >= interval->start)
      good = count_one(functions, event);
    samples_stream_take(functions->stream);
  }
  if (samples_stream_failed(functions->stream))
    return false;
  return (take_most(functions, interval->state, function) && good) ||
         error_set(functions->error, "%s: out of memory", functions->trace->anchor);
}

uint32_t states_functions_of(const struct states_functions *functions, enum state state)
{
  uint32_t most = TRACE_NONE;
  wide_total highest = 0;
  for (size_t i = 0; i < functions->sums.items.count; i++) {
    const struct key_sum *sum = &functions->sums.items.items[i];
    if (sum->key[0] == state && sum->values[0] > highest) {
      highest = sum->values[0];
      most = sum->key[1];
    }
  }
  return most;
}

void states_functions_close(struct states_functions *functions)
{
  if (!functions)
    return;
  if (functions->stream)
    samples_stream_close(functions->stream);
  free(functions->counts);
  vector_free(&functions->functions);
  key_sums_free(&functions->sums);
  free(functions);
}
