#include "analyzer/models/sequences/sequence.h"

#include "analyzer/models/sequences/state_vector.h"
#include "analyzer/trace/restriction.h"
#include "common/raw/archive_names.h"

#include <stdlib.h>
#include <string.h>

/* Vectors of very many threads, each different, would fill any memory: 1 GiB of them is the limit. */
#define SEQUENCE_VECTORS_LIMIT (UINT64_C(1) << 28)

static bool out_of_memory(const struct sequence *sequence, struct error *error)
{
  return error_set(error, "%s: out of memory", sequence->trace->anchor);
}

/* The table of states has vectors as wide as they are now. */
static bool widen_states(struct sequence *sequence)
{
  uint32_t width = state_vector_width(sequence->vector);
  if (pes_states_components(sequence->states) == width)
    return true;
  struct pes_states *wider = pes_states_arranged(sequence->states, width, NULL);
  if (!wider)
    return false;
  pes_states_free(sequence->states);
  sequence->states = wider;
  return true;
}

static bool sequence_intern(struct sequence *sequence, uint32_t *state, struct error *error)
{
  uint32_t components = sequence->program->component_count;
  *state =
      widen_states(sequence) ? pes_states_intern(sequence->states, state_vector_values(sequence->vector)) : PES_NONE;
  if (*state == PES_NONE)
    return out_of_memory(sequence, error);
  if ((uint64_t)pes_states_count(sequence->states) * components > SEQUENCE_VECTORS_LIMIT)
    return error_set(error,
                     "%s: more than %u different vectors of %u components: follow fewer (--vector counts, roles or "
                     "select=LIST)",
                     sequence->trace->anchor, pes_states_count(sequence->states), components);
  return true;
}

/* All changes of the moment have come. */
static bool end_moment(struct sequence *sequence, struct error *error)
{
  struct pes_record record = {.entry = sequence->moment};
  sequence->in_moment = false;
  if (!sequence_intern(sequence, &record.state, error))
    return false;
  if (sequence->holds && record.state == sequence->held.state)
    return true;
  bool passed = sequence->holds && sequence->held.entry < record.entry; /* else it is what was before all began */
  if (passed && !sequence->sink(sequence->context, &sequence->held, error))
    return false;
  sequence->held = record;
  sequence->holds = true;
  return true;
}

/* The next change of a location. False: an error. */
static bool sequence_change(struct sequence *sequence, uint32_t location, const struct lane_change *change,
                            struct error *error)
{
  uint64_t time = trace_time_from(sequence->trace, change->time); /* what was before is as it is at the begin */
  if (sequence->in_moment && time != sequence->moment && !end_moment(sequence, error))
    return false;
  sequence->in_moment = true;
  sequence->moment = time;
  return state_vector_change(sequence->vector, location, change) || out_of_memory(sequence, error);
}

/* Components and states as they are shown. */
static bool arrange(struct sequence *sequence)
{
  uint32_t count = sequence->program->component_count;
  if (!state_vector_grows(&sequence->options))
    return true;
  uint32_t *from = calloc(count + 1, sizeof *from);
  struct pes_states *states = NULL;
  if (from && state_vector_arrange(sequence->vector, from))
    states = pes_states_arranged(sequence->states, count, from);
  free(from);
  if (!states)
    return false;
  pes_states_free(sequence->states);
  sequence->states = states;
  return true;
}

/* The last record of threads is the end, because all threads have ended. */
bool sequence_end(struct sequence *sequence, struct error *error)
{
  if (sequence->in_moment && !end_moment(sequence, error))
    return false;
  const struct pes_record *held = &sequence->held;
  sequence->end = (struct pes_end){sequence->holds ? held->entry : 0, sequence->holds ? held->state : PES_NONE};
  if (!pes_follows_threads(sequence->options.component)) {
    uint64_t end = trace_time_to(sequence->trace, sequence->trace->first_tick + sequence->trace->length);
    sequence->end = (struct pes_end){end > held->entry ? end : held->entry, PES_NONE};
    if (!sequence->sink(sequence->context, held, error))
      return false;
  }
  return arrange(sequence) || out_of_memory(sequence, error);
}

bool sequence_begin(struct sequence *sequence)
{
  struct error ignored;
  state_vector_reset(sequence->vector);
  sequence->in_moment = sequence->holds = false;
  if (pes_follows_threads(sequence->options.component))
    return true;
  sequence->held.entry = trace_time_from(sequence->trace, sequence->trace->first_tick);
  sequence->holds = true;
  return sequence_intern(sequence, &sequence->held.state, &ignored);
}

/* The settings of OpenMP, if all processes of the archive agree on them. */
static bool sequence_take_parameters(struct pes_program *program, const struct trace *trace)
{
  for (uint32_t i = 0; i < trace->property_count; i++) {
    const struct trace_property *property = &trace->properties[i];
    if (property->owner != TRACE_OF_PROCESS || strncmp(property->name, NAME_ENV, sizeof NAME_ENV - 1) != 0)
      continue;
    const char *name = property->name + sizeof NAME_ENV - 1;
    const char *known = pes_program_parameter(program, name);
    bool ours = strncmp(name, "OMP_", 4) == 0 && strncmp(name, "OMP_TOOL", 8) != 0;
    const char *value = known && strcmp(known, property->value) != 0 ? "several" : property->value;
    if (ours && !pes_program_set_parameter(program, name, value))
      return false;
  }
  return true;
}

/* Length of a process' name without its number, ` [4711]`, by which each run would be another program's. */
static size_t name_length(const char *name)
{
  size_t length = strlen(name), at = length;
  if (at < 2 || name[--at] != ']')
    return length;
  while (at > 0 && name[at - 1] >= '0' && name[at - 1] <= '9')
    at--;
  bool numbered = at + 1 < length && at > 2 && name[at - 1] == '[' && name[at - 2] == ' ';
  return numbered ? at - 2 : length;
}

/* Returns the first process within the restriction. */
static uint32_t first_process(const struct trace *trace)
{
  uint32_t first = trace->process_count;
  for (uint32_t i = 0; trace->restriction.locations && i < trace->location_count; i++)
    if (!trace->locations[i].excluded && trace->locations[i].process < first)
      first = trace->locations[i].process;
  return first < trace->process_count ? first : 0;
}

struct pes_program *sequence_program(const struct trace *trace)
{
  const char *process = trace->process_count > 0 ? trace->processes[first_process(trace)].name : "";
  char *name = strndup(process, name_length(process));
  struct pes_program *program = name ? pes_program_create(name, trace->ticks_per_second) : NULL;
  free(name);
  if (program && sequence_take_parameters(program, trace))
    return program;
  pes_program_free(program);
  return NULL;
}

static bool sequence_prepare(struct sequence *sequence, const struct pes_trace_options *options)
{
  uint32_t *selected = calloc(options->selected_count + 1, sizeof *selected);
  sequence->options = *options;
  sequence->options.selected = selected;
  if (!selected)
    return false;
  if (options->selected_count > 0)
    memcpy(selected, options->selected, options->selected_count * sizeof *selected);
  sequence->program = sequence_program(sequence->trace);
  sequence->vector =
      sequence->program ? state_vector_create(sequence->trace, &sequence->options, sequence->program) : NULL;
  sequence->states = sequence->vector ? pes_states_create(state_vector_width(sequence->vector)) : NULL;
  return sequence->states && sequence_begin(sequence);
}

static void sequence_destroy(struct sequence *sequence)
{
  if (!sequence)
    return;
  state_vector_free(sequence->vector);
  pes_program_free(sequence->program);
  pes_states_free(sequence->states);
  free((uint32_t *)sequence->options.selected);
  free(sequence);
}

struct sequence *sequence_create(const struct trace *trace, const struct pes_trace_options *options,
                                 sequence_sink *sink, void *context)
{
  struct sequence *sequence = calloc(1, sizeof *sequence);
  if (!sequence)
    return NULL;
  *sequence = (struct sequence){.trace = trace, .sink = sink, .context = context};
  if (sequence_prepare(sequence, options))
    return sequence;
  sequence_destroy(sequence);
  return NULL;
}

static void *open_lane(void *context, const struct pass_location *location, struct error *error)
{
  const struct sequence_feed *changes = context;
  struct lane *lane = lane_open(changes->trace, changes->kind, location, &changes->wanted);
  if (!lane)
    error_set(error, "%s: out of memory", changes->trace->anchor);
  return lane;
}

static bool end_lane(void *lane)
{
  return lane_end(lane);
}

static void close_lane(void *context, void *lane)
{
  (void)context;
  lane_close(lane);
}

static void drop(struct sequence_feed *changes, unsigned index)
{
  sequence_destroy(changes->sequences[index]);
  changes->sequences[index] = NULL;
  changes->wanted = false;
  for (unsigned i = 0; i < PES_SEQUENCES_MOST; i++)
    changes->wanted |= changes->sequences[i] != NULL;
}

static bool has_too_many(const struct sequence_feed *changes, unsigned index)
{
  return changes->states_most > 0 && pes_states_count(changes->sequences[index]->states) > changes->states_most;
}

static bool take(void *context, uint32_t location, void *item)
{
  struct sequence_feed *changes = context;
  for (unsigned i = 0; i < PES_SEQUENCES_MOST; i++) {
    if (!changes->sequences[i])
      continue;
    if (!sequence_change(changes->sequences[i], location, item, &changes->error))
      return false;
    if (has_too_many(changes, i))
      drop(changes, i);
  }
  return true;
}

void sequence_feed_begin(struct sequence_feed *changes, const struct trace *trace, enum pes_component_kind kind,
                         uint32_t states_most)
{
  bool threads = pes_follows_threads(kind);
  *changes = (struct sequence_feed){.trace = trace, .kind = kind, .states_most = states_most};
  /* The owner of a lock or the last measurement may be known from before the restriction. */
  changes->subscriber = (struct subscriber){.context = changes,
                                            .before = !threads,
                                            .others = kind == PES_OF_LOCKS,
                                            .open = open_lane,
                                            .event = threads ? NULL : lane_event,
                                            .interval = threads ? lane_interval : NULL,
                                            .end = end_lane,
                                            .close = close_lane,
                                            .queue = lane_queue,
                                            .reached = lane_reached,
                                            .take = take};
}

void sequence_feed_add(struct sequence_feed *changes, unsigned index, struct sequence *sequence)
{
  changes->sequences[index] = sequence;
  changes->wanted = true;
}

bool sequence_feed_end(struct sequence_feed *changes, struct error *error)
{
  for (unsigned i = 0; i < PES_SEQUENCES_MOST; i++) {
    if (!changes->sequences[i])
      continue;
    if (!sequence_end(changes->sequences[i], error))
      return false;
    if (has_too_many(changes, i))
      drop(changes, i);
  }
  return true;
}

void sequence_feed_drop(struct sequence_feed *changes)
{
  for (unsigned i = 0; i < PES_SEQUENCES_MOST; i++)
    drop(changes, i);
}
