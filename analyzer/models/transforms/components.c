/* Projections: keep or drop components, merge components, merge values. */
#include "analyzer/models/transforms/arguments.h"
#include "analyzer/models/transforms/projection.h"
#include "analyzer/models/transforms/stage.h"

#include <stdlib.h>
#include <string.h>

enum { COMPONENTS_NAMES_MAX = 1 << 16 };

static bool components_parse(const char *argument, struct words *names, bool *merge, struct error *error)
{
  *names = (struct words){0};
  char *copy = projection_argument(argument, merge, error);
  const char *at = copy;
  bool good = copy && words_list(&at, ',', '\0', COMPONENTS_NAMES_MAX, names, error);
  free(copy);
  return good;
}

static bool components_check(const char *argument, struct error *error)
{
  struct words names;
  bool merge;
  bool good = components_parse(argument, &names, &merge, error);
  words_free(&names);
  return good;
}

static bool keep(struct projection *projection, const struct pes_program *of, const bool *kept)
{
  for (uint32_t i = 0; i < of->component_count; i++)
    if (kept[i] && !projection_keep(projection, of, i))
      return false;
  return true;
}

static struct pes_stream *open_kept(struct pes_stream *source, const bool *kept, bool merge, struct error *error)
{
  struct projection projection;
  if (!projection_begin(&projection, source->program) || !keep(&projection, source->program, kept)) {
    projection_free(&projection);
    error_set(error, "out of memory");
    return NULL;
  }
  if (projection.parts.count == 0) {
    projection_free(&projection);
    error_set(error, "no component is left");
    return NULL;
  }
  projection.merge = merge;
  return projected_stream_open(source, &projection, error);
}

static struct pes_stream *open_some(struct pes_stream *source, const char *argument, bool drop, struct error *error)
{
  struct words names;
  bool merge;
  bool *chosen = NULL;
  struct pes_stream *stream = NULL;
  if (components_parse(argument, &names, &merge, error) && projection_choose(source->program, &names, &chosen, error)) {
    for (uint32_t i = 0; i < source->program->component_count; i++)
      chosen[i] = chosen[i] != drop;
    stream = open_kept(source, chosen, merge, error);
  }
  words_free(&names);
  free(chosen);
  return stream;
}

static struct pes_stream *open_project(struct pes_stream *source, const char *argument, struct error *error)
{
  return open_some(source, argument, false, error);
}

static struct pes_stream *open_drop(struct pes_stream *source, const char *argument, struct error *error)
{
  return open_some(source, argument, true, error);
}

const struct transform_type transform_project = {"project", true, components_check, open_project};
const struct transform_type transform_drop = {"drop", true, components_check, open_drop};

/*
 * COMPONENT,...=NAME: several components become one, at the place of the first; its values are the combinations that
 * occur. No state is lost. Then values that concern several components can be merged.
 */

enum { MERGE_COMPONENTS_NAMES_MAX = 1 << 16 };

struct merge_components_wish {
  struct words names;
  char *name;
  bool merge;
};

static bool merge_components_parse(const char *argument, struct merge_components_wish *wish, struct error *error)
{
  *wish = (struct merge_components_wish){0};
  char *copy = projection_argument(argument, &wish->merge, error);
  const char *at = copy;
  if (copy && words_list(&at, ',', '=', MERGE_COMPONENTS_NAMES_MAX, &wish->names, error) &&
      words_expect(&at, '=', error))
    wish->name = words_next(&at, "", error);
  free(copy);
  return wish->name != NULL;
}

static void merge_components_free_wish(struct merge_components_wish *wish)
{
  words_free(&wish->names);
  free(wish->name);
}

static bool merge_components_check(const char *argument, struct error *error)
{
  struct merge_components_wish wish;
  bool good = merge_components_parse(argument, &wish, error);
  merge_components_free_wish(&wish);
  return good;
}

/* Adds a component with its own set, made of the chosen ones; `first` is its place. False: out of memory. */
static bool add_combined(struct projection *projection, const struct pes_program *of, const bool *chosen,
                         uint32_t first, const char *name)
{
  uint32_t set = pes_program_add_set(projection->program);
  struct projection_part *part = set == PES_NONE ? NULL : projection_add(projection, of, first, set);
  if (!part)
    return false;
  for (uint32_t i = first + 1; i < of->component_count; i++)
    if (chosen[i] && !vector_push(&part->sources, i))
      return false;
  part->tuples = pes_states_create((uint32_t)part->sources.count);
  char **own = &projection->program->components[projection->parts.count - 1].name;
  free(*own);
  *own = strdup(name);
  return part->tuples && *own;
}

static bool add_all(struct projection *projection, const struct pes_program *of, const bool *chosen, const char *name)
{
  bool combined = false;
  for (uint32_t i = 0; i < of->component_count; i++) {
    if (!chosen[i] && !projection_keep(projection, of, i))
      return false;
    if (chosen[i] && !combined && !add_combined(projection, of, chosen, i, name))
      return false;
    combined |= chosen[i];
  }
  return true;
}

static struct pes_stream *open_combined(struct pes_stream *source, const char *argument, struct error *error)
{
  struct merge_components_wish wish;
  bool *chosen = NULL;
  struct projection projection;
  struct pes_stream *stream = NULL;
  if (merge_components_parse(argument, &wish, error) &&
      projection_choose(source->program, &wish.names, &chosen, error)) {
    if (projection_begin(&projection, source->program) && add_all(&projection, source->program, chosen, wish.name)) {
      projection.merge = wish.merge;
      stream = projected_stream_open(source, &projection, error);
    } else {
      projection_free(&projection);
      error_set(error, "out of memory");
    }
  }
  merge_components_free_wish(&wish);
  free(chosen);
  return stream;
}

const struct transform_type transform_merge_components = {"merge-components", true, merge_components_check,
                                                          open_combined};

/* COMPONENT,...:VALUE+VALUE+...=NAME[,CODE]: several values of the components become one. */

enum { MERGE_VALUES_NAMES_MAX = 1 << 16 };

struct merge_values_wish {
  struct words components, values;
  char *name, *code; /* code NULL: none given */
  bool merge;
};

static bool parse_words(const char *at, struct merge_values_wish *wish, struct error *error)
{
  if (!words_list(&at, ',', ':', MERGE_VALUES_NAMES_MAX, &wish->components, error) || !words_expect(&at, ':', error))
    return false;
  if (!words_list(&at, '+', '=', MERGE_VALUES_NAMES_MAX, &wish->values, error) || !words_expect(&at, '=', error))
    return false;
  wish->name = words_next(&at, ",", error);
  if (!wish->name || *at == '\0')
    return wish->name;
  at++;
  wish->code = words_next(&at, "", error);
  return wish->code;
}

static bool merge_values_parse(const char *argument, struct merge_values_wish *wish, struct error *error)
{
  *wish = (struct merge_values_wish){0};
  char *copy = projection_argument(argument, &wish->merge, error);
  bool good = copy && parse_words(copy, wish, error);
  free(copy);
  return good;
}

static void merge_values_free_wish(struct merge_values_wish *wish)
{
  words_free(&wish->components);
  words_free(&wish->values);
  free(wish->name);
  free(wish->code);
}

static bool merge_values_check(const char *argument, struct error *error)
{
  struct merge_values_wish wish;
  bool good = merge_values_parse(argument, &wish, error);
  merge_values_free_wish(&wish);
  return good;
}

/* Finds the values of a set to merge, by name or code. The caller frees *merged. */
static bool find_values(const struct pes_set *set, const struct words *names, bool **merged, struct error *error)
{
  *merged = calloc(set->count + 1, sizeof **merged);
  if (!*merged)
    return error_set(error, "out of memory");
  for (size_t i = 0; i < names->list.count; i++) {
    bool found = false;
    for (uint32_t j = 0; j < set->count; j++)
      if (strcmp(set->values[j].name, names->list.items[i]) == 0 ||
          strcmp(set->values[j].code, names->list.items[i]) == 0)
        (*merged)[j] = found = true;
    if (!found)
      return error_set(error, "a component that was chosen has no value %s", names->list.items[i]);
  }
  return true;
}

/*
 * Adds the values of the new set: the merged value has the place and the id of the first one. `map`: from old values to
 * new ones.
 */
static uint32_t add_merged_set(struct projection *projection, const struct pes_set *set, const bool *merged,
                               const struct merge_values_wish *wish, uint32_t *map)
{
  uint32_t added = pes_program_add_set(projection->program);
  uint32_t first = PES_NONE, count = 0;
  for (uint32_t i = 0; i < set->count && added != PES_NONE; i++) {
    const struct pes_value *value = &set->values[i];
    map[i] = merged[i] && first != PES_NONE ? first : count++;
    if (merged[i] && first != PES_NONE)
      continue;
    if (merged[i])
      first = map[i];
    const char *name = merged[i] ? wish->name : value->name;
    const char *code = !merged[i] ? value->code : wish->code ? wish->code : wish->name;
    if (pes_program_add_value(projection->program, added, value->id, name, code) == PES_NONE)
      return PES_NONE;
  }
  return added;
}

static bool is_taken(const struct pes_set *set, const bool *merged, const char *name)
{
  for (uint32_t i = 0; i < set->count; i++)
    if (!merged[i] && (strcmp(set->values[i].name, name) == 0 || strcmp(set->values[i].code, name) == 0))
      return true;
  return false;
}

/* New sets of the chosen components. */
struct merged_sets {
  uint32_t *numbers; /* a set: its new number; PES_NONE: not merged yet */
  uint32_t **maps;
  uint32_t count;
};

static bool merge_set(struct merged_sets *sets, struct projection *projection, const struct pes_program *of,
                      uint32_t number, const struct merge_values_wish *wish, struct error *error)
{
  const struct pes_set *set = &of->sets[number];
  bool *merged;
  if (sets->maps[number])
    return true;
  bool good = find_values(set, &wish->values, &merged, error);
  if (good && is_taken(set, merged, wish->code ? wish->code : wish->name))
    good = error_set(error, "another value has the name %s", wish->code ? wish->code : wish->name);
  if (good && is_taken(set, merged, wish->name))
    good = error_set(error, "another value has the name %s", wish->name);
  if (good) {
    sets->maps[number] = malloc((set->count + 1) * sizeof *sets->maps[number]);
    if (sets->maps[number])
      sets->numbers[number] = add_merged_set(projection, set, merged, wish, sets->maps[number]);
    good = sets->numbers[number] != PES_NONE || error_set(error, "out of memory");
  }
  free(merged);
  return good;
}

static bool add_component(struct merged_sets *sets, struct projection *projection, const struct pes_program *of,
                          uint32_t component, const struct merge_values_wish *wish, struct error *error)
{
  uint32_t number = of->components[component].set;
  if (!merge_set(sets, projection, of, number, wish, error))
    return false;
  struct projection_part *part = projection_add(projection, of, component, sets->numbers[number]);
  size_t size = (of->sets[number].count + 1) * sizeof *part->values;
  if (part)
    part->values = malloc(size);
  if (!part || !part->values)
    return error_set(error, "out of memory");
  memcpy(part->values, sets->maps[number], size);
  return true;
}

static bool add_components(struct projection *projection, const struct pes_program *of, const bool *chosen,
                           const struct merge_values_wish *wish, struct error *error)
{
  struct merged_sets sets = {.count = of->set_count};
  sets.numbers = malloc((sets.count + 1) * sizeof *sets.numbers);
  sets.maps = calloc(sets.count + 1, sizeof *sets.maps);
  bool good = (sets.numbers && sets.maps) || error_set(error, "out of memory");
  if (good)
    memset(sets.numbers, 0xff, sets.count * sizeof *sets.numbers);
  for (uint32_t i = 0; i < of->component_count && good; i++) {
    if (chosen[i])
      good = add_component(&sets, projection, of, i, wish, error);
    else
      good = projection_keep(projection, of, i) || error_set(error, "out of memory");
  }
  for (uint32_t i = 0; i < sets.count && sets.maps; i++)
    free(sets.maps[i]);
  free(sets.maps);
  free(sets.numbers);
  return good;
}

static struct pes_stream *open_merged(struct pes_stream *source, const char *argument, struct error *error)
{
  const struct pes_program *program = source->program;
  struct merge_values_wish wish;
  bool *chosen = NULL;
  struct projection projection = {0};
  struct pes_stream *stream = NULL;
  bool good =
      merge_values_parse(argument, &wish, error) && projection_choose(program, &wish.components, &chosen, error);
  if (good && !projection_begin(&projection, program))
    good = error_set(error, "out of memory");
  if (good && add_components(&projection, program, chosen, &wish, error)) {
    projection.merge = wish.merge;
    stream = projected_stream_open(source, &projection, error);
  } else
    projection_free(&projection);
  merge_values_free_wish(&wish);
  free(chosen);
  return stream;
}

const struct transform_type transform_merge_values = {"merge-values", true, merge_values_check, open_merged};
