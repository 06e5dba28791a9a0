#include "analyzer/models/transforms/projection.h"

#include "analyzer/models/transforms/words.h"

#include <stdlib.h>
#include <string.h>

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

uint32_t projection_set(struct projection *projection, const struct pes_program *of, uint32_t set)
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
