#include "analyzer/models/markov/simulate.h"

#include "analyzer/models/markov/higher_order.h"
#include "analyzer/models/markov/draw.h"
#include "analyzer/models/markov/pool.h"

#include <stdlib.h>

enum { STILL_MAX = 1000000 }; /* records in a row without any time */

struct simulate_result {
  struct pes_stream stream;
  struct markov_drawer *drawer;
  struct pes_program *program;
  struct markov_simulation simulation;
  struct markov_random random;
  uint64_t time, records, still;
  uint32_t state;    /* the one that comes next; PES_NONE: none */
  uint32_t *present; /* by state: what the stream delivers of it */
};

static bool simulate_begin_again(struct pes_stream *stream, struct error *error)
{
  struct simulate_result *simulated = (struct simulate_result *)stream;
  (void)error;
  markov_random_seed(&simulated->random, simulated->simulation.seed);
  simulated->time = simulated->records = simulated->still = 0;
  simulated->state = markov_draw_start(simulated->drawer, &simulated->random);
  return true;
}

static bool is_over(const struct simulate_result *simulated)
{
  return simulated->state == PES_NONE || simulated->time >= simulated->simulation.ticks ||
         simulated->records >= simulated->simulation.records;
}

static bool simulate_next(struct pes_stream *stream, struct pes_record *records, size_t *count, struct error *error)
{
  struct simulate_result *simulated = (struct simulate_result *)stream;
  for (*count = 0; *count < PES_BATCH && !is_over(simulated); ++*count) {
    uint32_t state = simulated->state;
    records[*count] = (struct pes_record){.entry = simulated->time, .state = simulated->present[state]};
    uint64_t ticks = markov_draw_ticks(simulated->drawer, state, &simulated->random);
    if (__builtin_add_overflow(simulated->time, ticks, &simulated->time))
      return error_set(error, "the simulated sequence lasts 2^64 ticks or more; give a shorter --length");
    simulated->still = ticks > 0 ? 0 : simulated->still + 1;
    if (simulated->still > STILL_MAX && simulated->simulation.ticks != UINT64_MAX)
      return error_set(error, "the model reached states in which no time passes; use --records instead of --length");
    simulated->state = markov_draw_next(simulated->drawer, state, &simulated->random);
    simulated->records++;
  }
  if (*count == 0)
    stream->end =
        (struct pes_end){.time = simulated->time,
                         .terminal = simulated->state == PES_NONE ? PES_NONE : simulated->present[simulated->state]};
  return true;
}

static void simulate_close_simulated(struct pes_stream *stream)
{
  struct simulate_result *simulated = (struct simulate_result *)stream;
  markov_drawer_free(simulated->drawer);
  pes_program_free(simulated->program);
  free(simulated->present);
  pes_states_free(stream->states);
  free(simulated);
}

/* Does the state stand for states below `count` alone? */
static bool stands_for_those_below(const struct pes_state *state, uint32_t count)
{
  bool below = state->kind != PES_FILTER || ((state->before == PES_NONE || state->before < count) &&
                                             (state->after == PES_NONE || state->after < count));
  for (uint32_t i = 0; below && i < state->run_count; i++) {
    for (uint32_t k = 0; below && k < state->runs[i].length; k++)
      below = state->runs[i].states[k] < count;
  }
  return below;
}

uint32_t markov_count_delivered(const struct markov_model *model)
{
  uint32_t count = pes_states_count(model->states), first = 0;
  if (model->order <= 1)
    return count;
  while (first < model->count && !markov_state_is_used(model, first))
    first++;
  bool enough = true;
  for (uint32_t i = 0; enough && i < first; i++)
    enough = stands_for_those_below(pes_state(model->states, i), first);
  for (uint32_t i = first; enough && i < model->count; i++)
    enough = !markov_state_is_used(model, i) || markov_present_state(model, i) < first;
  return enough ? first : count;
}

struct pes_stream *markov_simulate(const struct markov_model *model, const struct markov_simulation *simulation,
                                   struct error *error)
{
  static const struct pes_class class = {simulate_next, simulate_begin_again, simulate_close_simulated};
  struct simulate_result *simulated = calloc(1, sizeof *simulated);
  if (!simulated) {
    error_set(error, "out of memory");
    return NULL;
  }
  simulated->simulation = *simulation;
  simulated->drawer = markov_drawer_create(model);
  simulated->program = pes_program_copy(model->program);
  simulated->stream = (struct pes_stream){.class = &class, .program = simulated->program};
  simulated->stream.states = markov_copy_first_states(model->states, markov_count_delivered(model));
  simulated->present = calloc((size_t)model->count + 1, sizeof *simulated->present);
  for (uint32_t i = 0; simulated->present && i < model->count; i++)
    simulated->present[i] = markov_present_state(model, i);
  if (!simulated->drawer || !simulated->program || !simulated->present || !simulated->stream.states) {
    error_set(error, "out of memory");
    pes_close(&simulated->stream);
    return NULL;
  }
  simulate_begin_again(&simulated->stream, error);
  return &simulated->stream;
}
