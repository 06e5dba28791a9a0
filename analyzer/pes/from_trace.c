#include "analyzer/pes/from_trace.h"

#include "analyzer/pes/merge.h"
#include "analyzer/pes/vector.h"
#include "common/archive_names.h"

#include <stdlib.h>
#include <string.h>

/* Vectors of very many threads, each different, would fill any memory: 1 GiB of them is the limit. */
#define VECTORS_LIMIT (UINT64_C(1) << 28)

struct source {
  struct pes_stream stream;
  const struct trace *trace;
  struct pes_trace_options options;
  struct pes_program *program;
  struct vector *vector;
  struct merge *merge; /* NULL: not begun, or at the end */
  struct trace_error merge_error;
  struct pes_record held; /* the last record: it may be the terminal one */
  bool holds, begun;
};

static bool intern(struct source *source, uint32_t *state, struct trace_error *error)
{
  uint32_t components = source->program->component_count;
  *state = pes_states_intern(source->stream.states, vector_values(source->vector));
  if (*state == PES_NONE)
    return trace_fail(error, "%s: out of memory", source->trace->anchor);
  if ((uint64_t)pes_states_count(source->stream.states) * components > VECTORS_LIMIT)
    return trace_fail(error,
                      "%s: more than %u different vectors of %u components: follow fewer (--vector counts, roles or "
                      "select=LIST)",
                      source->trace->anchor, pes_states_count(source->stream.states), components);
  return true;
}

/* Takes all changes of the next moment. *changed: the program state is another one than before. */
static bool take_moment(struct source *source, struct pes_record *record, bool *changed, struct trace_error *error)
{
  uint32_t location;
  const struct lane_change *change = merge_peek(source->merge, &location);
  record->entry = change->time;
  for (; change && change->time == record->entry; change = merge_peek(source->merge, &location)) {
    if (!vector_change(source->vector, location, change))
      return trace_fail(error, "%s: out of memory", source->trace->anchor);
    if (!merge_advance(source->merge)) {
      *error = source->merge_error;
      return false;
    }
  }
  if (!intern(source, &record->state, error))
    return false;
  *changed = !source->holds || record->state != source->held.state;
  return true;
}

/* Of threads the last record is the end: all have ended. */
static size_t finish(struct source *source, struct pes_record *records, size_t count)
{
  merge_close(source->merge);
  source->merge = NULL;
  source->stream.end =
      (struct pes_end){source->holds ? source->held.entry : 0, source->holds ? source->held.state : PES_NONE};
  if (!pes_follows_threads(source->options.component) && source->holds) {
    uint64_t end = source->trace->first_tick + source->trace->length;
    source->stream.end = (struct pes_end){end > source->held.entry ? end : source->held.entry, PES_NONE};
    records[count++] = source->held;
  }
  return count;
}

static bool begin(struct source *source, struct trace_error *error)
{
  source->begun = true;
  source->holds = false;
  vector_reset(source->vector);
  source->merge = merge_open(source->trace, source->options.component, &source->merge_error);
  if (!source->merge) {
    *error = source->merge_error;
    return false;
  }
  if (pes_follows_threads(source->options.component))
    return true;
  source->held.entry = source->trace->first_tick;
  source->holds = true;
  return intern(source, &source->held.state, error);
}

static bool next(struct pes_stream *stream, struct pes_record *records, size_t *count, struct trace_error *error)
{
  struct source *source = (struct source *)stream;
  uint32_t location;
  if (!source->begun && !begin(source, error))
    return false;
  while (*count < PES_BATCH && source->merge) {
    if (!merge_peek(source->merge, &location)) {
      *count = finish(source, records, *count);
      break;
    }
    struct pes_record record;
    bool changed = false;
    if (!take_moment(source, &record, &changed, error))
      return false;
    if (!changed)
      continue;
    if (source->holds && source->held.entry < record.entry) /* else it is what was before anything happened */
      records[(*count)++] = source->held;
    source->held = record;
    source->holds = true;
  }
  return true;
}

static bool begin_again(struct pes_stream *stream, struct trace_error *error)
{
  struct source *source = (struct source *)stream;
  (void)error;
  merge_close(source->merge);
  source->merge = NULL;
  source->begun = false;
  return true;
}

static void close_source(struct pes_stream *stream)
{
  struct source *source = (struct source *)stream;
  merge_close(source->merge);
  vector_free(source->vector);
  pes_program_free(source->program);
  pes_states_free(stream->states);
  free((uint32_t *)source->options.selected);
  free(source);
}

/* The settings of OpenMP, if all processes of the archive agree on them. */
static bool take_parameters(struct pes_program *program, const struct trace *trace)
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

/* The program of the archive's first process. To be freed. NULL: no memory. */
static char *name_of(const struct trace *trace)
{
  const char *name = trace->process_count > 0 ? trace->processes[0].name : "";
  return strndup(name, name_length(name));
}

struct pes_stream *pes_from_trace(const struct trace *trace, const struct pes_trace_options *options,
                                  struct trace_error *error)
{
  static const struct pes_class class = {next, begin_again, close_source};
  struct source *source = calloc(1, sizeof *source);
  if (!source) {
    trace_fail(error, "%s: out of memory", trace->anchor);
    return NULL;
  }
  source->stream.class = &class;
  source->trace = trace;
  source->options = *options;
  uint32_t *selected = calloc(options->selected_count + 1, sizeof *selected);
  if (selected && options->selected_count > 0)
    memcpy(selected, options->selected, options->selected_count * sizeof *selected);
  source->options.selected = selected;
  char *name = name_of(trace);
  source->program = name ? pes_program_create(name, trace->ticks_per_second) : NULL;
  free(name);
  source->stream.program = source->program;
  bool good = selected && source->program && take_parameters(source->program, trace);
  if (!good)
    trace_fail(error, "%s: out of memory", trace->anchor);
  source->vector = good ? vector_create(trace, &source->options, source->program, error) : NULL;
  if (source->vector) {
    source->stream.states = pes_states_create(source->program->component_count);
    if (source->stream.states)
      return &source->stream;
    trace_fail(error, "%s: out of memory", trace->anchor);
  }
  close_source(&source->stream);
  return NULL;
}
