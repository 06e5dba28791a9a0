#include "otf2-convert/java_samples.h"

#include "common/archive_names.h"

#include <inttypes.h>
#include <stdio.h>

uint32_t java_samples_path(const struct java_calls *calls, uint32_t id, uint64_t *path)
{
  uint64_t inner[JAVA_DEPTH_MOST]; /* innermost first */
  uint32_t depth = 0, n = 0;
  const struct java_call *call = java_call(calls, id);
  for (; call != NULL && depth < JAVA_DEPTH_MOST; call = java_call(calls, id = call->caller))
    inner[depth++] = SAMPLE_JAVA | call->place;
  if (depth == 0)
    inner[depth++] = SAMPLE_JAVA; /* the process ended before it said what the call is */
  else if (id != 0)
    path[n++] = SAMPLE_CALLERS_UNKNOWN;
  while (depth > 0)
    path[n++] = inner[--depth];
  return n;
}

static bool is_unnamed(const uint64_t *path, uint32_t depth)
{
  uint32_t i = 0;
  while (i < depth && path[i] != SAMPLE_JAVA)
    i++;
  return i < depth;
}

bool java_samples_merge(struct samples *samples, const struct plan *plan, struct location *locations, uint32_t count)
{
  uint64_t path[JAVA_DEPTH_MOST + 1];
  bool good = true;
  for (size_t i = 0; i < plan->processes.count && good; i++)
    good = samples_ask(samples, plan->processes.items[i].info.java_calls.period, count);
  for (uint32_t i = 0; i < count && good; i++) {
    struct location *location = &locations[i];
    const struct java_calls *java = &location->process->info.java_calls;
    for (size_t k = 0; k < location->sample_notes.count && good && samples->open; k++) {
      struct java_sample sample = location->sample_notes.items[k];
      uint32_t depth = java_samples_path(java, sample.call, path);
      samples->unnamed += is_unnamed(path, depth);
      good = samples_add(samples, location, sample.time, path, depth);
    }
    location->sample_notes.count = 0;
  }
  return good;
}

uint64_t java_samples_lost(const struct plan *plan, char *reasons, size_t size)
{
  static const char *const names[RAW_SAMPLE_REASONS] = {[RAW_SAMPLE_LATE] = VALUE_SAMPLE_LATE,
                                                        [RAW_SAMPLE_BUSY] = VALUE_SAMPLE_BUSY,
                                                        [RAW_SAMPLE_OFF] = VALUE_SAMPLE_OFF,
                                                        [RAW_SAMPLE_NO_ROOM] = VALUE_SAMPLE_NO_ROOM,
                                                        [RAW_SAMPLE_NO_JAVA] = VALUE_SAMPLE_NO_JAVA,
                                                        [RAW_SAMPLE_GC] = VALUE_SAMPLE_GC,
                                                        [RAW_SAMPLE_NATIVE] = VALUE_SAMPLE_NATIVE,
                                                        [RAW_SAMPLE_UNKNOWN] = VALUE_SAMPLE_UNKNOWN,
                                                        [RAW_SAMPLE_UNWALKABLE] = VALUE_SAMPLE_UNWALKABLE,
                                                        [RAW_SAMPLE_EXIT] = VALUE_SAMPLE_EXIT,
                                                        [RAW_SAMPLE_DEOPT] = VALUE_SAMPLE_DEOPT,
                                                        [RAW_SAMPLE_REFUSED] = VALUE_SAMPLE_REFUSED};
  uint64_t all = 0;
  size_t used = 0;
  reasons[0] = 0;
  for (unsigned reason = 0; reason < RAW_SAMPLE_REASONS; reason++) {
    uint64_t lost = 0;
    for (size_t i = 0; i < plan->processes.count; i++)
      lost += plan->processes.items[i].info.java_calls.lost[reason];
    if (lost == 0 || used >= size)
      continue;
    int n = snprintf(reasons + used, size - used, "%s%" PRIu64 " %s", used > 0 ? ", " : "", lost, names[reason]);
    used += n < 0 ? 0 : (size_t)n;
    all += lost;
  }
  return all;
}
