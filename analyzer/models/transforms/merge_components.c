/*
 * COMPONENT,...=NAME: several components become one, at the place of the first, whose values are the combinations that
 * occur. No state is lost by it, so it is for what comes after: values can be merged then that concern both.
 */
#include "analyzer/models/transforms/projection.h"
#include "analyzer/models/transforms/types.h"
#include "analyzer/models/transforms/words.h"

#include <stdlib.h>
#include <string.h>

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

/* A component of its own set, made of the chosen ones; `first` is where it stands. False: no memory. */
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
