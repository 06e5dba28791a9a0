#include "analyzer/analyses/locks/deadlocks/deadlocks.h"

#include "analyzer/analyses/locks/deadlocks/graph.h"
#include "analyzer/analyses/locks/deadlocks/thread.h"

#include <stdlib.h>

struct deadlocks_analysis {
  const struct trace *trace;
  uint8_t *rules;
  struct thread_end *ends; /* by location */
};

static bool deadlocks_begin_lane(void *context, void *lane, const struct pass_location *location, struct error *error)
{
  (void)error;
  const struct deadlocks_analysis *analysis = context;
  thread_lane_begin(lane, analysis->trace, location, analysis->rules, &analysis->ends[location->number]);
  return true;
}

static bool deadlocks_begin(void *state, const struct analysis_input *input)
{
  struct deadlocks_analysis *analysis = state;
  analysis->trace = input->trace;
  analysis->rules = thread_rules(input->trace);
  analysis->ends = calloc((size_t)input->trace->location_count + 1, sizeof *analysis->ends);
  return analysis->rules && analysis->ends;
}

static bool deadlocks_end(void *state, void *result, struct error *error)
{
  (void)error;
  const struct deadlocks_analysis *analysis = state;
  return graph_find(analysis->trace, analysis->ends, result);
}

static void deadlocks_drop(void *state)
{
  struct deadlocks_analysis *analysis = state;
  for (uint32_t i = 0; analysis->ends && i < analysis->trace->location_count; i++)
    thread_end_free(&analysis->ends[i]);
  free(analysis->ends);
  free(analysis->rules);
}

static void deadlocks_free(void *result)
{
  struct deadlocks *deadlocks = result;
  free(deadlocks->list);
  free(deadlocks->others);
  *deadlocks = (struct deadlocks){0};
}

const struct analysis deadlocks_analysis = {.name = "deadlocks",
                                            .state_size = sizeof(struct deadlocks_analysis),
                                            .result_size = sizeof(struct deadlocks),
                                            .begin = deadlocks_begin,
                                            .lanes = {.stateless = true,
                                                      .before = true,
                                                      .others = true,
                                                      .lane_size = sizeof(struct thread_lane),
                                                      .begin = deadlocks_begin_lane,
                                                      .event = thread_lane_event,
                                                      .close = thread_lane_close},
                                            .end = deadlocks_end,
                                            .drop = deadlocks_drop,
                                            .free = deadlocks_free};
