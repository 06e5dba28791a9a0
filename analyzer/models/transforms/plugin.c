#include "analyzer/models/sequences/pes.h"
#include "analyzer/models/transforms/heddle-transform.h"
#include "analyzer/models/transforms/stage.h"
#include "base/vector.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Services for a plug-in. All arguments are checked. */
struct plugin_host {
  struct heddle_transform_host face;
  const struct pes_program *program;
  struct pes_states *states;
  VECTOR(uint32_t) aggregates; /* added by the plug-in */
  char *name;                  /* the last name that the plug-in got */
  bool counted;                /* the sequence was read once */
  bool failed;                 /* `reason` says why */
  struct error reason;
};

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

static void plugin_host_init(struct plugin_host *host, const struct pes_stream *source)
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

/* Begins the sequence again; counts of an unfinished reading are removed. */
static void plugin_host_restart(struct plugin_host *host)
{
  for (size_t i = 0; i < host->aggregates.count && !host->counted; i++)
    pes_states_clear_runs(host->states, host->aggregates.items[i]);
}

static void plugin_host_free(struct plugin_host *host)
{
  vector_free(&host->aggregates);
  free(host->name);
}

/*
 * Plug-in FILE[,ARGUMENTS]: a transform in a shared library. Its result is checked before others read it. Entries
 * ascend, states are known, the end is not before the last entry, and each reading gives the same.
 */

enum { MADE_OF_NOTHING_MAX = 1 << 20 }; /* records that a plug-in may make in a row without taking one */

struct plugin {
  struct stage stage;
  struct plugin_host host;
  char *path;
  void *library;
  const struct heddle_transform *transform;
  void *self;
  struct heddle_transform_record in[PES_BATCH], out[PES_BATCH];
  uint64_t last; /* entry */
  uint64_t digest, first_digest;
  size_t made_of_nothing;
};

static bool plugin_fail(const struct plugin *plugin, struct error *error, const char *what)
{
  if (plugin->host.failed)
    return error_set(error, "the plug-in %s: %s", plugin->path, plugin->host.reason.message);
  return error_set(error, "the plug-in %s %s", plugin->path, what);
}

static uint64_t mix(uint64_t digest, uint64_t value)
{
  digest = (digest ^ value) * 0xff51afd7ed558ccdu;
  return digest ^ digest >> 32;
}

static bool put_records(struct plugin *plugin, size_t made, struct error *error)
{
  uint32_t known = pes_states_count(plugin->stage.stream.states);
  for (size_t i = 0; i < made; i++) {
    const struct heddle_transform_record *record = &plugin->out[i];
    if (record->entry < plugin->last)
      return plugin_fail(plugin, error, "returned records whose entry times decrease");
    if (record->state >= known)
      return plugin_fail(plugin, error, "returned a record with an unknown state");
    plugin->last = record->entry;
    plugin->digest = mix(mix(plugin->digest, record->entry), record->state);
    stage_put(&plugin->stage, record->entry, record->state);
  }
  return true;
}

/*
 * Calls the plug-in once. `end` NULL: it gets the rest of the batch. *full: it made as many records as there is room
 * for.
 */
static bool work(struct plugin *plugin, struct heddle_transform_end *end, bool *full, struct error *error)
{
  struct stage *stage = &plugin->stage;
  struct heddle_transform_batch batch = {.in = plugin->in + stage->in_at,
                                         .in_count = end ? 0 : stage->in_count - stage->in_at,
                                         .out = plugin->out,
                                         .out_size = PES_BATCH - stage->out_count,
                                         .end = end};
  if (plugin->transform->work(plugin->self, &batch) != 0)
    return plugin_fail(plugin, error, "failed");
  if (batch.taken > batch.in_count || batch.made > batch.out_size)
    return plugin_fail(plugin, error, "reports more records than it got or has room for");
  if (!end && batch.taken == 0 && batch.made == 0)
    return plugin_fail(plugin, error, "makes no progress: it takes no record and makes none");
  plugin->made_of_nothing = batch.taken > 0 ? 0 : plugin->made_of_nothing + batch.made;
  if (plugin->made_of_nothing > MADE_OF_NOTHING_MAX)
    return plugin_fail(plugin, error, "makes records without end");
  *full = batch.made == batch.out_size;
  stage->in_at += batch.taken;
  return put_records(plugin, batch.made, error);
}

static bool plugin_take(struct stage *stage, struct error *error)
{
  struct plugin *plugin = (struct plugin *)stage;
  bool full;
  if (stage->in_at == 0)
    for (size_t i = 0; i < stage->in_count; i++)
      plugin->in[i] = (struct heddle_transform_record){stage->in[i].entry, stage->in[i].state};
  while (stage->in_at < stage->in_count && stage_has_room(stage))
    if (!work(plugin, NULL, &full, error))
      return false;
  return true;
}

static bool plugin_finish(struct stage *stage, struct error *error)
{
  struct plugin *plugin = (struct plugin *)stage;
  struct heddle_transform_end end = {stage->source->end.time, stage->source->end.terminal};
  bool full;
  if (!work(plugin, &end, &full, error))
    return false;
  stage->over = !full;
  if (full)
    return true;
  if (end.time < plugin->last)
    return plugin_fail(plugin, error, "returned an end before the last entry");
  if (end.terminal != PES_NONE && end.terminal >= pes_states_count(stage->stream.states))
    return plugin_fail(plugin, error, "returned an unknown terminal state");
  stage->stream.end = (struct pes_end){end.time, end.terminal};
  uint64_t digest = mix(mix(plugin->digest, end.time), end.terminal);
  if (plugin->host.counted && digest != plugin->first_digest)
    return plugin_fail(plugin, error, "made a different sequence when it read the same one again");
  plugin->host.counted = true;
  plugin->first_digest = digest;
  return true;
}

static bool plugin_restart(struct stage *stage, struct error *error)
{
  struct plugin *plugin = (struct plugin *)stage;
  plugin->last = plugin->digest = 0;
  plugin->made_of_nothing = 0;
  plugin_host_restart(&plugin->host);
  return plugin->transform->rewind(plugin->self) == 0 || plugin_fail(plugin, error, "can't begin again");
}

static void plugin_destroy(struct stage *stage)
{
  struct plugin *plugin = (struct plugin *)stage;
  if (plugin->self)
    plugin->transform->close(plugin->self);
  plugin_host_free(&plugin->host);
  if (plugin->library)
    dlclose(plugin->library);
  free(plugin->path);
  free(plugin);
}

static bool plugin_check(const char *argument, struct error *error)
{
  return (*argument && *argument != ',') || error_set(error, "no file is given");
}

/* A file without a folder is one here, not one of the system's libraries. */
static bool load(struct plugin *plugin, struct error *error)
{
  char *file = NULL;
  if (asprintf(&file, "%s%s", strchr(plugin->path, '/') ? "" : "./", plugin->path) < 0)
    return error_set(error, "out of memory");
  plugin->library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  free(file);
  if (!plugin->library)
    return error_set(error, "the plug-in cannot be loaded: %s", dlerror());
  plugin->transform = dlsym(plugin->library, "heddle_transform");
  if (!plugin->transform)
    return plugin_fail(plugin, error, "does not define heddle_transform");
  if (plugin->transform->version != HEDDLE_TRANSFORM_VERSION)
    return error_set(error, "the plug-in %s is of version %u, this is %d: compile it with this heddle-transform.h",
                     plugin->path, plugin->transform->version, HEDDLE_TRANSFORM_VERSION);
  if (!plugin->transform->open || !plugin->transform->work || !plugin->transform->rewind || !plugin->transform->close)
    return plugin_fail(plugin, error, "lacks a function");
  return true;
}

static bool plugin_set_up(struct plugin *plugin, const char *argument, struct error *error)
{
  const char *comma = strchrnul(argument, ',');
  plugin->path = strndup(argument, (size_t)(comma - argument));
  if (!plugin->path)
    return error_set(error, "out of memory");
  if (!load(plugin, error))
    return false;
  plugin->self = plugin->transform->open(&plugin->host.face, *comma ? comma + 1 : "");
  return plugin->self || plugin_fail(plugin, error, "can't be opened");
}

static struct pes_stream *open_plugin(struct pes_stream *source, const char *argument, struct error *error)
{
  static const struct stage_class class = {plugin_take, plugin_finish, plugin_restart, plugin_destroy};
  if (!stage_read_through(source, NULL, error))
    return NULL;
  struct plugin *plugin = calloc(1, sizeof *plugin);
  if (!plugin) {
    error_set(error, "out of memory");
    return NULL;
  }
  stage_init(&plugin->stage, &class, source, 1);
  plugin_host_init(&plugin->host, source);
  if (plugin_set_up(plugin, argument, error))
    return &plugin->stage.stream;
  plugin_destroy(&plugin->stage);
  return NULL;
}

const struct transform_type transform_plugin = {"plugin", false, plugin_check, open_plugin};
