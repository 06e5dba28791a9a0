#include "analyzer/models/transforms/projection.h"

#include "analyzer/models/transforms/arguments.h"
#include "analyzer/models/transforms/stage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Map from the states of a sequence to the states of its projection. */
struct translation {
  uint32_t *map; /* PES_NONE: it does not occur */
  uint32_t count;
};

static uint32_t translation_of(const struct translation *translation, uint32_t state)
{
  return state < translation->count ? translation->map[state] : PES_NONE;
}

bool projection_begin(struct projection *projection, const struct pes_program *of)
{
  *projection = (struct projection){.merge = true};
  projection->sets = malloc((of->set_count + 1) * sizeof *projection->sets);
  if (!projection->sets)
    return false;
  memset(projection->sets, 0xff, of->set_count * sizeof *projection->sets);
  projection->program = pes_program_create(of->name, of->ticks_per_second);
  if (!projection->program)
    return false;
  for (uint32_t i = 0; i < of->parameter_count; i++)
    if (!pes_program_set_parameter(projection->program, of->parameters[i].name, of->parameters[i].value))
      return false;
  return true;
}

void projection_free(struct projection *projection)
{
  for (size_t i = 0; i < projection->parts.count; i++) {
    struct projection_part *part = &projection->parts.items[i];
    vector_free(&part->sources);
    free(part->values);
    pes_states_free(part->tuples);
  }
  vector_free(&projection->parts);
  free(projection->sets);
  pes_program_free(projection->program);
  *projection = (struct projection){0};
}

struct projection_part *projection_add(struct projection *projection, const struct pes_program *of, uint32_t component,
                                       uint32_t set)
{
  if (!vector_push(&projection->parts, (struct projection_part){0}))
    return NULL;
  struct projection_part *part = &projection->parts.items[projection->parts.count - 1];
  bool good = vector_push(&part->sources, component) &&
              pes_program_add_component(projection->program, of->components[component].name, set) != PES_NONE;
  return good ? part : NULL;
}

/* Copies a set of the source, once. PES_NONE: out of memory. */
static uint32_t projection_set(struct projection *projection, const struct pes_program *of, uint32_t set)
{
  if (projection->sets[set] != PES_NONE)
    return projection->sets[set];
  uint32_t added = pes_program_add_set(projection->program);
  for (uint32_t i = 0; i < of->sets[set].count && added != PES_NONE; i++) {
    const struct pes_value *value = &of->sets[set].values[i];
    if (pes_program_add_value(projection->program, added, value->id, value->name, value->code) == PES_NONE)
      return PES_NONE;
  }
  return projection->sets[set] = added;
}

bool projection_keep(struct projection *projection, const struct pes_program *of, uint32_t component)
{
  uint32_t set = projection_set(projection, of, of->components[component].set);
  return set != PES_NONE && projection_add(projection, of, component, set);
}

/* "2" or "0-2". */
static bool is_range(const char *name, uint64_t *first, uint64_t *last)
{
  char text[48];
  if (words_number(name, first)) {
    *last = *first;
    return true;
  }
  if (strlen(name) >= sizeof text)
    return false;
  strcpy(text, name);
  char *dash = strchr(text, '-');
  if (!dash)
    return false;
  *dash = '\0';
  return words_number(text, first) && words_number(dash + 1, last);
}

static bool choose(const struct pes_program *program, const char *name, bool *chosen, struct error *error)
{
  uint64_t first, last;
  uint32_t count = program->component_count;
  bool found = false;
  if (is_range(name, &first, &last)) {
    if (count == 0)
      return error_set(error, "the sequence has no components");
    if (first > last || last >= count)
      return error_set(error, "there are no components %s; their numbers are 0 to %u", name, count - 1);
    memset(chosen + first, true, last - first + 1);
    return true;
  }
  for (uint32_t i = 0; i < count; i++)
    if (strcmp(name, "*") == 0 || strcmp(name, program->components[i].name) == 0)
      chosen[i] = found = true;
  return found || error_set(error, "there is no component %s", name);
}

bool projection_choose(const struct pes_program *program, const struct words *names, bool **chosen, struct error *error)
{
  *chosen = calloc(program->component_count + 1, sizeof **chosen);
  if (!*chosen)
    return error_set(error, "out of memory");
  for (size_t i = 0; i < names->list.count; i++)
    if (!choose(program, names->list.items[i], *chosen, error))
      return false;
  return true;
}

char *projection_argument(const char *argument, bool *merge, struct error *error)
{
  static const char flag[] = " --no-merge";
  char *copy = strdup(argument);
  size_t length = strlen(argument);
  if (!copy) {
    error_set(error, "out of memory");
    return NULL;
  }
  *merge = length < sizeof flag || strcmp(argument + length - (sizeof flag - 1), flag) != 0;
  if (!*merge)
    copy[length - (sizeof flag - 1)] = '\0';
  return copy;
}

/* State of a translation. */
struct work {
  struct translation *translation;
  const struct pes_program *program; /* of the source */
  const struct pes_states *from;
  struct pes_states *to;
  struct projection *projection;
  bool *used;       /* states of the source that are translated */
  uint32_t *vector; /* room for one of the result, */
  uint32_t *tuple;  /* and for the components that one part combines */
  uint32_t run[PES_RUN_LENGTH_MAX];
};

static bool mark(bool *used, uint32_t state, uint32_t by, struct error *error)
{
  if (state == PES_NONE)
    return true;
  if (state >= by)
    return error_set(error, "the aggregate #%u consists of states with higher numbers", by);
  used[state] = true;
  return true;
}

/* Aggregates are made of states before them, so one pass from the end finds all that are needed. */
static bool mark_constituents(const struct work *work, struct error *error)
{
  for (uint32_t i = work->translation->count; i-- > 0;) {
    const struct pes_state *state = pes_state(work->from, i);
    if (!work->used[i] || state->kind == PES_BASIC)
      continue;
    if (!mark(work->used, state->before, i, error) || !mark(work->used, state->after, i, error))
      return false;
    for (uint32_t run = 0; run < state->run_count; run++)
      for (uint32_t at = 0; at < state->runs[run].length; at++)
        if (!mark(work->used, state->runs[run].states[at], i, error))
          return false;
  }
  return true;
}

/* Names of a combination: names with / between them, codes side by side. */
static char *join(const struct work *work, const struct projection_part *part, bool codes)
{
  char *text = NULL;
  size_t size;
  FILE *file = open_memstream(&text, &size);
  if (!file)
    return NULL;
  for (uint32_t i = 0; i < part->sources.count; i++) {
    const struct pes_component *component = &work->program->components[part->sources.items[i]];
    const struct pes_value *value = &work->program->sets[component->set].values[work->tuple[i]];
    if (i > 0 && !codes)
      fputc('/', file);
    fputs(codes ? value->code : value->name, file);
  }
  bool good = !ferror(file);
  if (fclose(file) != 0 || !good) {
    free(text);
    return NULL;
  }
  return text;
}

/*
 * Returns the value of a part that combines components, a new one if the combination is new. PES_NONE: out of memory.
 */
static uint32_t combine(const struct work *work, uint32_t part_index, const uint32_t *vector)
{
  struct projection_part *part = &work->projection->parts.items[part_index];
  struct pes_program *program = work->projection->program;
  for (uint32_t i = 0; i < part->sources.count; i++)
    work->tuple[i] = vector[part->sources.items[i]];
  uint32_t known = pes_states_count(part->tuples);
  uint32_t value = pes_states_intern(part->tuples, work->tuple);
  if (value == PES_NONE || value < known)
    return value;
  char *name = join(work, part, false);
  char *code = join(work, part, true);
  if (!name || !code ||
      pes_program_add_value(program, program->components[part_index].set, value, name, code) == PES_NONE)
    value = PES_NONE;
  free(name);
  free(code);
  return value;
}

static uint32_t translate_basic(const struct work *work, const uint32_t *vector)
{
  for (uint32_t i = 0; i < work->projection->parts.count; i++) {
    const struct projection_part *part = &work->projection->parts.items[i];
    uint32_t value = vector[part->sources.items[0]];
    if (part->tuples)
      value = combine(work, i, vector);
    else if (part->values)
      value = part->values[value];
    if (value == PES_NONE)
      return PES_NONE;
    work->vector[i] = value;
  }
  return pes_states_intern(work->to, work->vector);
}

/* The sequences that an aggregate stands for, as the projected sequence would show them. */
static bool translate_runs(struct work *work, uint32_t state, uint32_t aggregate)
{
  const struct pes_state *from = pes_state(work->from, state);
  for (uint32_t i = 0; i < from->run_count; i++) {
    const struct pes_run *run = &from->runs[i];
    uint32_t length = 0;
    for (uint32_t at = 0; at < run->length && at < PES_RUN_LENGTH_MAX; at++) {
      uint32_t next = work->translation->map[run->states[at]];
      bool repeated = length > 0 && work->run[length - 1] == next && pes_state(work->to, next)->kind == PES_BASIC;
      if (!repeated || !work->projection->merge)
        work->run[length++] = next;
    }
    if (!pes_states_add_run(work->to, aggregate, work->run, length, run->count))
      return false;
  }
  pes_states_add_other_runs(work->to, aggregate, from->other_runs);
  return true;
}

static uint32_t translate(struct work *work, uint32_t state)
{
  const struct pes_state *from = pes_state(work->from, state);
  const uint32_t *map = work->translation->map;
  uint32_t aggregate;
  if (from->kind == PES_BASIC)
    return translate_basic(work, from->vector);
  if (from->kind == PES_FILTER)
    aggregate = pes_states_add_filter(work->to, from->name, from->before == PES_NONE ? PES_NONE : map[from->before],
                                      from->after == PES_NONE ? PES_NONE : map[from->after]);
  else
    aggregate = pes_states_add_pattern(work->to, from->name);
  return aggregate != PES_NONE && translate_runs(work, state, aggregate) ? aggregate : PES_NONE;
}

static bool translation_set_up(struct work *work, const struct pes_state_totals *totals, uint32_t terminal,
                               struct error *error)
{
  uint32_t count = totals->states.count;
  work->translation->count = count;
  work->translation->map = malloc((count + 1) * sizeof *work->translation->map);
  work->used = calloc(count + 1, sizeof *work->used);
  work->vector = calloc(work->projection->parts.count + 1, sizeof *work->vector);
  work->tuple = calloc(work->program->component_count + 1, sizeof *work->tuple);
  if (!work->translation->map || !work->used || !work->vector || !work->tuple)
    return error_set(error, "out of memory");
  for (uint32_t i = 0; i < count; i++)
    work->used[i] = totals->states.items[i].count > 0 || i == terminal;
  return true;
}

static bool translate_all(struct work *work, struct error *error)
{
  uint32_t *map = work->translation->map;
  for (uint32_t i = 0; i < work->translation->count; i++) {
    map[i] = work->used[i] ? translate(work, i) : PES_NONE;
    if (work->used[i] && map[i] == PES_NONE)
      return error_set(error, "out of memory");
  }
  return true;
}

/*
 * Reads the source once, rewinds it, and adds the states to the table. May add values to the projection's program.
 * False: an error; free the translation also then.
 */
static bool translation_make(struct translation *translation, struct pes_stream *source, struct projection *projection,
                             struct pes_states *to, struct error *error)
{
  struct pes_state_totals totals;
  struct work *work = calloc(1, sizeof *work);
  *translation = (struct translation){0};
  if (!work)
    return error_set(error, "out of memory");
  *work = (struct work){.translation = translation,
                        .program = source->program,
                        .from = source->states,
                        .to = to,
                        .projection = projection};
  bool good = pes_state_totals_read(&totals, source, error) &&
              translation_set_up(work, &totals, source->end.terminal, error) && mark_constituents(work, error) &&
              translate_all(work, error) && pes_rewind(source, error);
  pes_state_totals_free(&totals);
  free(work->used);
  free(work->vector);
  free(work->tuple);
  free(work);
  return good;
}

static void translation_free(struct translation *translation)
{
  free(translation->map);
  translation->map = NULL;
}

/*
 * All states of the source and those in its aggregates are translated when the stream is opened; then a record costs
 * one look-up. Aggregates keep their names; the states around them and in their sequences are translated. Only basic
 * states are merged: two occurrences of an aggregate stay two.
 */

struct projected {
  struct stage stage;
  struct projection projection;
  struct translation translation;
  uint32_t last; /* the state that was put last */
};

static bool is_repeated(const struct projected *projected, uint32_t state)
{
  return projected->projection.merge && state == projected->last &&
         pes_state(projected->stage.stream.states, state)->kind == PES_BASIC;
}

static bool projected_stream_take(struct stage *stage, struct error *error)
{
  struct projected *projected = (struct projected *)stage;
  for (; stage->in_at < stage->in_count && stage_has_room(stage); stage->in_at++) {
    const struct pes_record *record = &stage->in[stage->in_at];
    uint32_t state = translation_of(&projected->translation, record->state);
    if (state == PES_NONE)
      return error_set(error, "the sequence has changed since it was read first");
    if (is_repeated(projected, state))
      continue;
    stage_put(stage, record->entry, state);
    projected->last = state;
  }
  return true;
}

/* If the terminal state equals the last one, that state goes on, and the terminal state is unknown. */
static bool projected_stream_finish(struct stage *stage, struct error *error)
{
  struct projected *projected = (struct projected *)stage;
  struct pes_end *end = &stage->stream.end;
  (void)error;
  if (end->terminal != PES_NONE)
    end->terminal = translation_of(&projected->translation, end->terminal);
  if (end->terminal != PES_NONE && is_repeated(projected, end->terminal))
    end->terminal = PES_NONE;
  return true;
}

static bool projected_stream_restart(struct stage *stage, struct error *error)
{
  (void)error;
  ((struct projected *)stage)->last = PES_NONE;
  return true;
}

static void projected_stream_destroy(struct stage *stage)
{
  struct projected *projected = (struct projected *)stage;
  pes_states_free(stage->stream.states);
  projection_free(&projected->projection);
  translation_free(&projected->translation);
  free(projected);
}

struct pes_stream *projected_stream_open(struct pes_stream *source, struct projection *projection, struct error *error)
{
  static const struct stage_class class = {projected_stream_take, projected_stream_finish, projected_stream_restart,
                                           projected_stream_destroy};
  struct projected *projected = calloc(1, sizeof *projected);
  struct pes_states *states = projected ? pes_states_create((uint32_t)projection->parts.count) : NULL;
  if (!states) {
    projection_free(projection);
    free(projected);
    error_set(error, "out of memory");
    return NULL;
  }
  stage_init(&projected->stage, &class, source, 1);
  projected->projection = *projection;
  projected->last = PES_NONE;
  projected->stage.stream.program = projection->program;
  projected->stage.stream.states = states;
  if (translation_make(&projected->translation, source, &projected->projection, states, error))
    return &projected->stage.stream;
  projected_stream_destroy(&projected->stage);
  return NULL;
}
