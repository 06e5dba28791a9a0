/* Projections to some of the components: COMPONENT,... that are kept, or that are dropped. */
#include "analyzer/models/transforms/projection.h"
#include "analyzer/models/transforms/types.h"
#include "analyzer/models/transforms/words.h"

#include <stdlib.h>

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
