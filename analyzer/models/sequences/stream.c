#include "analyzer/models/sequences/stream.h"

#include "analyzer/trace/states/state.h"
#include "base/statistics.h"

#include <stdlib.h>
#include <string.h>

bool pes_next(struct pes_stream *stream, struct pes_record *records, size_t *count, struct error *error)
{
  *count = 0;
  return stream->class->next(stream, records, count, error);
}

bool pes_read_through(struct pes_stream *stream, struct error *error)
{
  struct pes_record records[PES_BATCH];
  size_t count;
  do
    if (!pes_next(stream, records, &count, error))
      return false;
  while (count > 0);
  return true;
}

bool pes_rewind(struct pes_stream *stream, struct error *error)
{
  return stream->class->rewind(stream, error);
}

void pes_close(struct pes_stream *stream)
{
  if (stream)
    stream->class->close(stream);
}

bool pes_set_parameter(struct pes_stream *stream, const char *name, const char *value)
{
  /* The opener of a stream owns its program; the program is constant for readers of the stream. */
  return pes_program_set_parameter((struct pes_program *)stream->program, name, value);
}

/* A sequence in memory. */

struct memory_stream {
  struct pes_stream stream;
  struct pes_program *program;
  size_t count, at;
  struct pes_record records[];
};

static bool from_memory_next(struct pes_stream *stream, struct pes_record *records, size_t *count, struct error *error)
{
  struct memory_stream *stored = (struct memory_stream *)stream;
  size_t left = stored->count - stored->at;
  (void)error;
  *count = left < PES_BATCH ? left : PES_BATCH;
  memcpy(records, stored->records + stored->at, *count * sizeof *records);
  stored->at += *count;
  return true;
}

static bool from_memory_begin_again(struct pes_stream *stream, struct error *error)
{
  (void)error;
  ((struct memory_stream *)stream)->at = 0;
  return true;
}

static void from_memory_close_stream(struct pes_stream *stream)
{
  struct memory_stream *stored = (struct memory_stream *)stream;
  pes_program_free(stored->program);
  pes_states_free(stream->states);
  free(stored);
}

struct pes_stream *pes_from_memory(struct pes_program *program, struct pes_states *states,
                                   const struct pes_record *records, size_t count, struct pes_end end,
                                   struct error *error)
{
  static const struct pes_class class = {from_memory_next, from_memory_begin_again, from_memory_close_stream};
  struct memory_stream *stored = malloc(sizeof *stored + count * sizeof *records);
  if (!stored) {
    pes_program_free(program);
    pes_states_free(states);
    error_set(error, "out of memory");
    return NULL;
  }
  *stored = (struct memory_stream){.stream = {&class, program, states, true, end}, .program = program, .count = count};
  memcpy(stored->records, records, count * sizeof *records);
  return &stored->stream;
}

bool pes_state_totals_add(struct pes_state_totals *totals, const struct pes_stream *stream,
                          const struct pes_record *records, size_t count)
{
  size_t known = pes_states_count(stream->states);
  if (known > totals->states.count && !vector_resize(&totals->states, known))
    return false;
  if (count == 0)
    return true;
  if (totals->records == 0)
    totals->last = (struct pes_record){totals->begin = records[0].entry, records[0].state};
  struct pes_state_total *states = totals->states.items;
  struct pes_record last = totals->last;
  for (size_t i = 0; i < count; i++) {
    states[last.state].time += records[i].entry - last.entry;
    states[records[i].state].count++;
    last = records[i];
  }
  totals->last = last;
  totals->records += count;
  return true;
}

void pes_state_totals_end(struct pes_state_totals *totals, const struct pes_end *end)
{
  if (totals->records == 0)
    totals->begin = end->time;
  else
    totals->states.items[totals->last.state].time += end->time - totals->last.entry;
  totals->duration = end->time - totals->begin;
}

bool pes_state_totals_read(struct pes_state_totals *totals, struct pes_stream *stream, struct error *error)
{
  struct pes_record records[PES_BATCH];
  size_t count;
  *totals = (struct pes_state_totals){0};
  if (!pes_rewind(stream, error))
    return false;
  do {
    if (!pes_next(stream, records, &count, error))
      return false;
    if (!pes_state_totals_add(totals, stream, records, count))
      return error_set(error, "out of memory");
  } while (count > 0);
  pes_state_totals_end(totals, &stream->end);
  return true;
}

void pes_state_totals_clear(struct pes_state_totals *totals)
{
  totals->states.count = 0; /* the room stays */
  totals->records = totals->begin = totals->duration = 0;
}

void pes_state_totals_free(struct pes_state_totals *totals)
{
  vector_free(&totals->states);
}

/* True if the name is a state's name, or the name of a state in a construct. */
static bool is_of(const char *name, enum state state)
{
  size_t length = strlen(state_name(state));
  return strncmp(name, state_name(state), length) == 0 &&
         (name[length] == '\0' || strncmp(name + length, " in ", 4) == 0);
}

static bool is_state(const char *name)
{
  bool any = false;
  for (unsigned i = 0; i < STATES && !any; i++)
    any = is_of(name, (enum state)i);
  return any;
}

static bool has_any(const struct pes_program *program)
{
  bool any = false;
  for (uint32_t i = 0; i < program->component_count && !any; i++)
    any = is_of(program->components[i].name, STATE_UNMEASURED);
  for (uint32_t i = 0; i < program->set_count && !any; i++)
    for (uint32_t k = 0; k < program->sets[i].count && !any; k++)
      any = is_of(program->sets[i].values[k].name, STATE_UNMEASURED);
  return any;
}

/* Threads that a component is, or counts. */
struct threads {
  uint64_t not_measured, all;
};

static struct threads threads_of(const struct pes_component *component, const struct pes_value *value)
{
  bool counts = is_state(component->name);
  uint64_t all = counts ? strtoull(value->name, NULL, 10) : is_state(value->name);
  bool not_measured = is_of(counts ? component->name : value->name, STATE_UNMEASURED);
  return (struct threads){not_measured ? all : 0, all};
}

double pes_not_measured_percent(const struct pes_program *program, const struct pes_states *states,
                                pes_ticks_of *ticks_of, const void *context)
{
  wide_total not_measured = 0, all = 0;
  uint32_t count = has_any(program) ? pes_states_count(states) : 0;
  for (uint32_t i = 0; i < count; i++) {
    const struct pes_state *state = pes_state(states, i);
    uint64_t ticks = state->kind == PES_BASIC ? ticks_of(context, i) : 0;
    for (uint32_t k = 0; ticks > 0 && k < program->component_count; k++) {
      const struct pes_component *component = &program->components[k];
      struct threads threads = threads_of(component, &program->sets[component->set].values[state->vector[k]]);
      not_measured += (wide_total)threads.not_measured * ticks;
      all += (wide_total)threads.all * ticks;
    }
  }
  return all > 0 ? 100 * (double)not_measured / (double)all : 0;
}
