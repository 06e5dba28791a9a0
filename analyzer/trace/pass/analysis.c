#include "analyzer/trace/pass/analysis.h"

#include "analyzer/trace/pass/in_order.h"
#include "analyzer/trace/pass/locations.h"

#include <stdlib.h>
#include <string.h>

bool running_analysis_begin(struct running_analysis *running, const struct analysis *analysis,
                            const struct trace *trace, struct pool *pool, const void *options, struct error *error)
{
  const struct analysis_input input = {trace, pool, options};
  *running = (struct running_analysis){
      .analysis = analysis, .subscriber = analysis->lanes, .trace = trace, .state = calloc(1, analysis->state_size)};
  running->subscriber.context = running->state;
  if (running->state && analysis->begin(running->state, &input)) {
    if (analysis->adapt)
      analysis->adapt(running->state, &running->subscriber);
    return true;
  }
  running_analysis_drop(running, NULL);
  return error_set(error, "%s: out of memory", trace->anchor);
}

bool running_analysis_end(struct running_analysis *running, void *result, struct error *error)
{
  struct error own = {""};
  memset(result, 0, running->analysis->result_size);
  bool good = running->analysis->end(running->state, result, &own);
  if (!good && own.message[0])
    *error = own;
  else if (!good)
    error_set(error, "%s: out of memory", running->trace->anchor);
  running_analysis_drop(running, NULL);
  return good;
}

void running_analysis_drop(struct running_analysis *running, struct error *error)
{
  if (running->state && error && running->analysis->explain)
    running->analysis->explain(running->state, error);
  if (running->state && running->analysis->drop)
    running->analysis->drop(running->state);
  free(running->state);
  running->state = NULL;
}

/* A pass in order of time costs more; who needs none gets none. */
static bool pass(const struct trace *trace, struct pool *pool, const struct subscriber *const *subscribers,
                 unsigned count, struct error *error)
{
  bool ordered = false;
  for (unsigned i = 0; i < count; i++)
    ordered |= subscribers[i]->queue != NULL;
  return (ordered ? pass_in_order : pass_locations)(trace, pool, subscribers, count, error);
}

static bool analysis_exists(const struct analysis *analysis, const struct trace *trace)
{
  return !analysis->exists || analysis->exists(trace);
}

/* running[i] is that of tasks[i]; without a state: it has nothing to find. */
static bool analyses_pass(const struct trace *trace, struct pool *pool, const struct analysis_task *tasks,
                          unsigned count, struct running_analysis *running, const struct subscriber **subscribers,
                          struct error *error)
{
  unsigned subscriber_count = 0;
  for (unsigned i = 0; i < count; i++) {
    if (!analysis_exists(tasks[i].analysis, trace))
      continue;
    if (!running_analysis_begin(&running[i], tasks[i].analysis, trace, pool, tasks[i].options, error))
      return false;
    subscribers[subscriber_count++] = &running[i].subscriber;
  }
  return subscriber_count == 0 || pass(trace, pool, subscribers, subscriber_count, error);
}

bool analyses_find(const struct trace *trace, struct pool *pool, const struct analysis_task *tasks, unsigned count,
                   struct error *error)
{
  for (unsigned i = 0; i < count; i++)
    memset(tasks[i].result, 0, tasks[i].analysis->result_size);
  struct running_analysis *running = calloc((size_t)count + 1, sizeof *running);
  const struct subscriber **subscribers = (const struct subscriber **)calloc((size_t)count + 1, sizeof *subscribers);
  bool good = (running && subscribers) || error_set(error, "%s: out of memory", trace->anchor);
  good = good && analyses_pass(trace, pool, tasks, count, running, subscribers, error);
  for (unsigned i = 0; running && i < count; i++) {
    if (!running[i].state)
      continue;
    if (good)
      good = running_analysis_end(&running[i], tasks[i].result, error);
    else
      running_analysis_drop(&running[i], error);
  }
  free(running);
  free((void *)subscribers);
  return good;
}

void analyses_free(const struct analysis_task *tasks, unsigned count)
{
  for (unsigned i = 0; i < count; i++)
    analysis_free(tasks[i].analysis, tasks[i].result);
}

bool analysis_find(const struct analysis *analysis, const struct trace *trace, struct pool *pool, const void *options,
                   void *result, struct error *error)
{
  const struct analysis_task task = {analysis, options, result};
  return analyses_find(trace, pool, &task, 1, error);
}

void analysis_free(const struct analysis *analysis, void *result)
{
  if (analysis->free && result)
    analysis->free(result);
}

bool analysis_merge(const struct analysis *analysis, void *into, void *from)
{
  bool good = analysis->merge(into, from);
  analysis_free(analysis, from);
  return good;
}
