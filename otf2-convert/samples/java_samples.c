#include "otf2-convert/samples/java_samples.h"

#include "common/raw/archive_names.h"

void java_samples_path(const struct java_calls *calls, uint32_t id, struct sample_path *path)
{
  uint64_t inner[SAMPLE_DEPTH_MOST]; /* innermost first */
  uint32_t depth = 0;
  const struct java_call *call = java_call(calls, id);
  for (; call != NULL && depth < SAMPLE_DEPTH_MOST; call = java_call(calls, id = call->caller))
    inner[depth++] = call->place;
  path->whole = depth == 0 || id == 0;
  if (depth == 0)
    inner[depth++] = 0; /* the process ended before it said what the call is */
  path->depth = 0;
  while (depth > 0)
    path->steps[path->depth++] = (struct sample_step){.code = inner[--depth], .java = true};
}

static bool is_unnamed(const struct sample_path *path)
{
  uint32_t i = 0;
  while (i < path->depth && path->steps[i].code != 0)
    i++;
  return i < path->depth;
}

static bool java_samples_trigger_of(struct samples *samples, const struct java_calls *calls, uint32_t *number)
{
  return sample_archive_trigger(samples, NAME_TRIGGER_CPU, true, calls->period, number);
}

bool java_samples_open(struct samples *samples, const struct plan *plan, uint32_t locations)
{
  uint32_t number;
  bool good = true;
  for (size_t i = 0; i < plan->processes.count && good; i++) {
    const struct java_calls *calls = &plan->processes.items[i].info.java_calls;
    good = calls->period == 0 ||
           (sample_archive_open(samples, locations) && java_samples_trigger_of(samples, calls, &number));
  }
  return good;
}

/* Of equal stacks the path is looked up once. */
static bool java_samples_add(struct samples *samples, struct sample_moment moment, uint32_t id)
{
  const struct process *process = moment.location->process;
  struct java_call unknown = {.leaf = 0}, *call = java_call(&process->info.java_calls, id);
  if (call == NULL)
    call = &unknown;
  if (call->leaf == 0) {
    java_samples_path(&process->info.java_calls, id, &samples->path);
    uint32_t node = sample_archive_node(samples, process, &samples->path);
    if (node == SAMPLES_NONE)
      return false;
    call->leaf = node + 1;
    call->cut = !samples->path.whole;
    call->unnamed = is_unnamed(&samples->path);
  }
  samples->unnamed += call->unnamed;
  return sample_archive_add(samples, moment, call->leaf - 1, call->cut);
}

bool java_samples_until(struct samples *samples, struct location *location, uint64_t time)
{
  const struct java_calls *calls = &location->process->info.java_calls;
  struct sample_moment moment = {.location = location, .weight = 1};
  if (calls->period == 0 || location->samples_next == location->sample_notes.count)
    return true;
  if (!java_samples_trigger_of(samples, calls, &moment.trigger))
    return false;
  for (; location->samples_next < location->sample_notes.count; location->samples_next++) {
    struct java_sample sample = location->sample_notes.items[location->samples_next];
    moment.time = sample.time;
    if (sample.time > time)
      break;
    if (!java_samples_add(samples, moment, sample.call))
      return false;
  }
  return true;
}

bool java_samples_rest(struct samples *samples, struct location *locations, uint32_t count)
{
  bool good = true;
  for (uint32_t i = 0; i < count && good; i++) {
    good = java_samples_until(samples, &locations[i], UINT64_MAX);
    locations[i].sample_notes.count = locations[i].samples_next = 0;
  }
  return good;
}

bool java_samples_cover(const struct location *location, uint64_t time)
{
  const struct thread_facts *facts = &location->facts;
  return location->process->info.java_calls.period != 0 && facts->is_java && facts->java_id != 0 &&
         time >= facts->java_since;
}
