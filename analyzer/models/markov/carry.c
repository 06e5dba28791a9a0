#include "analyzer/models/markov/carry.h"

#include "analyzer/models/markov/histories.h"
#include "analyzer/models/markov/pool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct carrying {
  struct pes_stream stream;
  struct pes_stream *source;
  unsigned order;
  struct markov_histories histories;
  VECTOR(uint32_t) numbers[MARKOV_ORDER_MOST + 1]; /* by length and history: its state, or PES_NONE */
  uint32_t carried;
};

static bool carry_out_of_memory(struct error *error)
{
  return error_set(error, "out of memory");
}

/* "B.D.A"; "^.A" if the run began so. The caller frees it. */
static char *name_history(const struct carrying *carrying, const uint32_t *states, unsigned length)
{
  char *text = NULL;
  size_t size;
  FILE *file = open_memstream(&text, &size);
  if (!file)
    return NULL;
  if (length < carrying->order)
    fputs("^.", file);
  for (unsigned i = 0; i < length; i++) {
    char *name = pes_state_name(carrying->stream.program, carrying->stream.states, states[i]);
    fprintf(file, "%s%s", i > 0 ? "." : "", name ? name : "");
    free(name);
  }
  return fclose(file) == 0 ? text : NULL;
}

static uint32_t add_history(struct carrying *carrying, unsigned length, uint32_t history)
{
  uint32_t states[MARKOV_ORDER_MOST];
  markov_history_states(&carrying->histories, length, history, states);
  char *name = name_history(carrying, states, length);
  uint32_t number = name ? pes_states_add_pattern(carrying->stream.states, name) : PES_NONE;
  free(name);
  if (number != PES_NONE && !pes_states_add_run(carrying->stream.states, number, states, length, 1))
    return PES_NONE;
  return number;
}

/* The state with its history. False: no memory, or too many. */
static bool carry(struct carrying *carrying, uint32_t state, uint32_t *carried, struct error *error)
{
  struct markov_histories *histories = &carrying->histories;
  if (!markov_histories_add(histories, state))
    return carry_out_of_memory(error);
  unsigned length = histories->seen;
  if (histories->most < carrying->order || carrying->carried > MARKOV_CARRIED_MOST)
    return error_set(error, "there are more than %d different histories of %u states; give a lower --order",
                     MARKOV_CARRIED_MOST, carrying->order);
  uint32_t history = histories->current[length];
  size_t known = carrying->numbers[length].count;
  if (history >= known) {
    if (!vector_resize(&carrying->numbers[length], (size_t)history + 1))
      return carry_out_of_memory(error);
    for (size_t i = known; i <= history; i++)
      carrying->numbers[length].items[i] = PES_NONE;
  }
  uint32_t *number = &carrying->numbers[length].items[history];
  if (*number == PES_NONE) {
    *number = add_history(carrying, length, history);
    carrying->carried++;
  }
  *carried = *number;
  return *number != PES_NONE || carry_out_of_memory(error);
}

static bool carry_next(struct pes_stream *stream, struct pes_record *records, size_t *count, struct error *error)
{
  struct carrying *carrying = (struct carrying *)stream;
  bool good = pes_next(carrying->source, records, count, error);
  for (size_t i = 0; good && i < *count; i++)
    good = carry(carrying, records[i].state, &records[i].state, error);
  if (good && *count == 0) {
    stream->end = carrying->source->end;
    if (stream->end.terminal != PES_NONE)
      good = carry(carrying, stream->end.terminal, &stream->end.terminal, error);
  }
  return good;
}

static bool carry_begin_again(struct pes_stream *stream, struct error *error)
{
  struct carrying *carrying = (struct carrying *)stream;
  carrying->histories.seen = 0;
  return pes_rewind(carrying->source, error);
}

static void close_carrying(struct pes_stream *stream)
{
  struct carrying *carrying = (struct carrying *)stream;
  for (unsigned i = 0; i <= MARKOV_ORDER_MOST; i++)
    vector_free(&carrying->numbers[i]);
  markov_histories_free(&carrying->histories);
  pes_states_free(stream->states);
  free(carrying);
}

/* After that the source's table has all its states. */
static bool read_through(struct pes_stream *source, struct error *error)
{
  struct pes_record *records = malloc(PES_BATCH * sizeof *records);
  size_t count = 1;
  bool good = records ? pes_rewind(source, error) : carry_out_of_memory(error);
  while (good && count > 0)
    good = pes_next(source, records, &count, error);
  free(records);
  return good && pes_rewind(source, error);
}

struct pes_stream *markov_carry(struct pes_stream *source, unsigned order, struct error *error)
{
  static const struct pes_class class = {carry_next, carry_begin_again, close_carrying};
  if (!read_through(source, error))
    return NULL;
  struct carrying *carrying = calloc(1, sizeof *carrying);
  if (!carrying) {
    carry_out_of_memory(error);
    return NULL;
  }
  carrying->source = source;
  carrying->order = order;
  carrying->stream = (struct pes_stream){.class = &class, .program = source->program};
  carrying->stream.states = markov_copy_states(source->states);
  if (!markov_histories_begin(&carrying->histories, order) || !carrying->stream.states) {
    carry_out_of_memory(error);
    close_carrying(&carrying->stream);
    return NULL;
  }
  return &carrying->stream;
}

uint32_t markov_present_state(const struct markov_model *model, uint32_t state)
{
  const struct pes_state *of = pes_state(model->states, state);
  if (model->order <= 1 || !markov_state_is_used(model, state) || of->run_count == 0 || of->runs[0].length == 0)
    return state;
  return of->runs[0].states[of->runs[0].length - 1];
}
