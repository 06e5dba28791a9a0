#include "analyzer/models/transforms/plugin_host.h"

#include <stdlib.h>
#include <string.h>

static const struct pes_set *set_of(const struct plugin_host *host, unsigned component)
{
  if (component >= host->program->component_count)
    return NULL;
  return &host->program->sets[host->program->components[component].set];
}

static const char *component_name(const struct heddle_transform_host *face, unsigned component)
{
  const struct plugin_host *host = face->internal;
  return component < host->program->component_count ? host->program->components[component].name : NULL;
}

static const char *value_name(const struct heddle_transform_host *face, unsigned component, uint32_t value)
{
  const struct pes_set *set = set_of(face->internal, component);
  return set && value < set->count ? set->values[value].name : NULL;
}

static uint32_t state_count(const struct heddle_transform_host *face)
{
  const struct plugin_host *host = face->internal;
  return pes_states_count(host->states);
}

static const char *state_name(const struct heddle_transform_host *face, uint32_t state)
{
  struct plugin_host *host = face->internal;
  free(host->name);
  host->name = state < pes_states_count(host->states) ? pes_state_name(host->program, host->states, state) : NULL;
  return host->name;
}

static const uint32_t *state_vector(const struct heddle_transform_host *face, uint32_t state)
{
  const struct plugin_host *host = face->internal;
  if (state >= pes_states_count(host->states) || pes_state(host->states, state)->kind != PES_BASIC)
    return NULL;
  return pes_state(host->states, state)->vector;
}

static uint32_t find_state(const struct heddle_transform_host *face, const char *name)
{
  const struct plugin_host *host = face->internal;
  uint32_t count;
  return pes_states_find(host->program, host->states, name, &count);
}

static uint32_t state_of(const struct heddle_transform_host *face, const uint32_t *vector)
{
  struct plugin_host *host = face->internal;
  for (uint32_t i = 0; i < host->program->component_count; i++)
    if (vector[i] >= set_of(host, i)->count)
      return PES_NONE;
  return pes_states_intern(host->states, vector);
}

static bool is_own(const struct plugin_host *host, uint32_t state)
{
  for (size_t i = 0; i < host->aggregates.count; i++)
    if (host->aggregates.items[i] == state)
      return true;
  return false;
}

static uint32_t add_aggregate(const struct heddle_transform_host *face, const char *name)
{
  struct plugin_host *host = face->internal;
  uint32_t count;
  if (!name || !*name || *name == '#')
    return PES_NONE;
  uint32_t known = pes_states_find(host->program, host->states, name, &count);
  if (count > 0)
    return is_own(host, known) ? known : PES_NONE;
  uint32_t state = pes_states_add_pattern(host->states, name);
  return state != PES_NONE && vector_push(&host->aggregates, state) ? state : PES_NONE;
}

static int count_run(const struct heddle_transform_host *face, uint32_t aggregate, const uint32_t *states,
                     uint32_t length)
{
  struct plugin_host *host = face->internal;
  if (!is_own(host, aggregate) || length == 0)
    return 1;
  for (uint32_t i = 0; i < length; i++)
    if (states[i] >= aggregate)
      return 1;
  if (host->counted)
    return 0;
  if (length <= PES_RUN_LENGTH_MAX)
    return !pes_states_add_run(host->states, aggregate, states, length, 1);
  pes_states_add_other_runs(host->states, aggregate, 1);
  return 0;
}

static void plugin_host_fail(const struct heddle_transform_host *face, const char *message)
{
  struct plugin_host *host = face->internal;
  host->failed = true;
  error_set(&host->reason, "%s", message ? message : "it gives no reason");
}

void plugin_host_init(struct plugin_host *host, const struct pes_stream *source)
{
  *host = (struct plugin_host){.program = source->program, .states = source->states};
  host->face = (struct heddle_transform_host){.version = HEDDLE_TRANSFORM_VERSION,
                                              .component_count = source->program->component_count,
                                              .ticks_per_second = source->program->ticks_per_second,
                                              .internal = host,
                                              .component_name = component_name,
                                              .value_name = value_name,
                                              .state_count = state_count,
                                              .state_name = state_name,
                                              .state_vector = state_vector,
                                              .find_state = find_state,
                                              .state_of = state_of,
                                              .add_aggregate = add_aggregate,
                                              .count_run = count_run,
                                              .fail = plugin_host_fail};
}

void plugin_host_restart(struct plugin_host *host)
{
  for (size_t i = 0; i < host->aggregates.count && !host->counted; i++)
    pes_states_clear_runs(host->states, host->aggregates.items[i]);
}

void plugin_host_free(struct plugin_host *host)
{
  vector_free(&host->aggregates);
  free(host->name);
}
