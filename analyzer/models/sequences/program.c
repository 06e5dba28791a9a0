#include "analyzer/models/sequences/program.h"

#include "base/vector.h"

#include <stdlib.h>
#include <string.h>

struct pes_program *pes_program_create(const char *name, uint64_t ticks_per_second)
{
  struct pes_program *program = calloc(1, sizeof *program);
  if (!program)
    return NULL;
  program->ticks_per_second = ticks_per_second;
  program->name = strdup(name);
  if (!program->name) {
    free(program);
    return NULL;
  }
  return program;
}

void pes_program_free(struct pes_program *program)
{
  if (!program)
    return;
  for (uint32_t i = 0; i < program->set_count; i++) {
    for (uint32_t j = 0; j < program->sets[i].count; j++) {
      free(program->sets[i].values[j].name);
      free(program->sets[i].values[j].code);
    }
    free(program->sets[i].values);
  }
  for (uint32_t i = 0; i < program->component_count; i++)
    free(program->components[i].name);
  for (uint32_t i = 0; i < program->parameter_count; i++) {
    free(program->parameters[i].name);
    free(program->parameters[i].value);
  }
  free(program->sets);
  free(program->components);
  free(program->parameters);
  free(program->name);
  free(program);
}

uint32_t pes_program_add_set(struct pes_program *program)
{
  if (program->set_count == PES_NONE || !array_make_room(program->sets, program->set_count))
    return PES_NONE;
  program->sets[program->set_count] = (struct pes_set){0};
  return program->set_count++;
}

bool pes_code_delimits_itself(const char *code)
{
  size_t length = strlen(code);
  if (length > 2 && code[0] == '(' && code[length - 1] == ')')
    return strcspn(code, ",)") == length - 1;
  if (length > 0 && (*code < 'A' || *code > 'Z'))
    return false;
  return length == 0 || code[1 + strspn(code + 1, "0123456789")] == '\0';
}

uint32_t pes_program_add_value(struct pes_program *program, uint32_t set, int64_t id, const char *name,
                               const char *code)
{
  struct pes_set *to = &program->sets[set];
  if (to->count == PES_NONE || !array_make_room(to->values, to->count))
    return PES_NONE;
  struct pes_value value = {.id = id, .name = strdup(name), .code = strdup(code)};
  if (!value.name || !value.code) {
    free(value.name);
    free(value.code);
    return PES_NONE;
  }
  uint32_t at = to->count++;
  for (; at > 0 && to->values[at - 1].id > id; at--)
    to->values[at] = to->values[at - 1];
  to->values[at] = value;
  program->has_open_codes |= !pes_code_delimits_itself(code);
  return at;
}

uint32_t pes_program_add_component(struct pes_program *program, const char *name, uint32_t set)
{
  if (program->component_count == PES_NONE || !array_make_room(program->components, program->component_count))
    return PES_NONE;
  char *own = strdup(name);
  if (!own)
    return PES_NONE;
  program->components[program->component_count] = (struct pes_component){.name = own, .set = set};
  return program->component_count++;
}

bool pes_program_arrange(struct pes_program *program, const uint32_t *from)
{
  uint32_t count = program->component_count, sets = 0;
  struct pes_component *components = calloc(count + 1, sizeof *components);
  struct pes_set *ordered = calloc(program->set_count + 1, sizeof *ordered);
  uint32_t *place = malloc((program->set_count + 1) * sizeof *place); /* of a set */
  bool good = components && ordered && place;
  if (good)
    memset(place, 0xff, (program->set_count + 1) * sizeof *place); /* PES_NONE */
  for (uint32_t i = 0; good && i < count; i++) {
    components[i] = program->components[from[i]];
    uint32_t *to = &place[components[i].set];
    if (*to == PES_NONE) {
      *to = sets;
      ordered[sets++] = program->sets[components[i].set];
    }
    components[i].set = *to;
  }
  if (good) { /* in the places that have room for more */
    memcpy(program->components, components, count * sizeof *components);
    memcpy(program->sets, ordered, sets * sizeof *ordered);
  }
  free(components);
  free(ordered);
  free(place);
  return good;
}

/* Returns the index of the parameter, or the index at which to insert it. */
static uint32_t place_of(const struct pes_program *program, const char *name, bool *there)
{
  uint32_t at = 0;
  int order = -1;
  while (at < program->parameter_count && (order = strcmp(program->parameters[at].name, name)) < 0)
    at++;
  *there = at < program->parameter_count && order == 0;
  return at;
}

bool pes_program_set_parameter(struct pes_program *program, const char *name, const char *value)
{
  bool there;
  uint32_t at = place_of(program, name, &there);
  struct pes_parameter parameter = {.name = strdup(name), .value = strdup(value)};
  if (!parameter.name || !parameter.value ||
      (!there && !array_make_room(program->parameters, program->parameter_count))) {
    free(parameter.name);
    free(parameter.value);
    return false;
  }
  if (there) {
    free(program->parameters[at].name);
    free(program->parameters[at].value);
  } else {
    memmove(&program->parameters[at + 1], &program->parameters[at],
            (program->parameter_count++ - at) * sizeof *program->parameters);
  }
  program->parameters[at] = parameter;
  return true;
}

const char *pes_program_parameter(const struct pes_program *program, const char *name)
{
  bool there;
  uint32_t at = place_of(program, name, &there);
  return there ? program->parameters[at].value : NULL;
}

uint32_t pes_set_find(const struct pes_set *set, int64_t id)
{
  uint32_t low = 0, high = set->count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (set->values[middle].id < id)
      low = middle + 1;
    else
      high = middle;
  }
  return low < set->count && set->values[low].id == id ? low : PES_NONE;
}

static bool copy_into(struct pes_program *copy, const struct pes_program *program)
{
  for (uint32_t i = 0; i < program->set_count; i++) {
    if (pes_program_add_set(copy) == PES_NONE)
      return false;
    for (uint32_t j = 0; j < program->sets[i].count; j++) {
      const struct pes_value *value = &program->sets[i].values[j];
      if (pes_program_add_value(copy, i, value->id, value->name, value->code) == PES_NONE)
        return false;
    }
  }
  for (uint32_t i = 0; i < program->component_count; i++)
    if (pes_program_add_component(copy, program->components[i].name, program->components[i].set) == PES_NONE)
      return false;
  for (uint32_t i = 0; i < program->parameter_count; i++)
    if (!pes_program_set_parameter(copy, program->parameters[i].name, program->parameters[i].value))
      return false;
  return true;
}

struct pes_program *pes_program_copy(const struct pes_program *program)
{
  struct pes_program *copy = pes_program_create(program->name, program->ticks_per_second);
  if (copy && !copy_into(copy, program)) {
    pes_program_free(copy);
    return NULL;
  }
  return copy;
}

static bool same_values(const struct pes_set *left, const struct pes_set *right)
{
  if (left->count != right->count)
    return false;
  for (uint32_t i = 0; i < left->count; i++)
    if (strcmp(left->values[i].name, right->values[i].name) != 0)
      return false;
  return true;
}

bool pes_program_same_shape(const struct pes_program *left, const struct pes_program *right)
{
  if (left->component_count != right->component_count)
    return false;
  for (uint32_t i = 0; i < left->component_count; i++) {
    const struct pes_component *a = &left->components[i], *b = &right->components[i];
    if (strcmp(a->name, b->name) != 0 || !same_values(&left->sets[a->set], &right->sets[b->set]))
      return false;
  }
  return true;
}
