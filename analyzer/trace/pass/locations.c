#include "analyzer/trace/pass/locations.h"

#include "analyzer/trace/pass/lanes.h"
#include "analyzer/trace/scan.h"

#include <stdlib.h>

struct job {
  const struct trace *trace;
  const struct subscriber *const *subscribers;
  unsigned count;
  uint8_t *rules;
};

static bool read_location(void *context, unsigned worker, uint32_t location, struct error *error)
{
  const struct job *job = context;
  struct lanes lanes;
  bool good = lanes_open(&lanes, job->trace, job->rules, location, job->subscribers, job->count, error);
  do
    good = good && lanes_read(&lanes, worker, TRACE_BATCH);
  while (good && lanes.stream);
  lanes_close(&lanes);
  return good;
}

bool pass_locations(const struct trace *trace, struct pool *pool, const struct subscriber *const *subscribers,
                    unsigned count, struct error *error)
{
  struct job job = {trace, subscribers, count, machine_rules(trace)};
  bool good = job.rules || error_set(error, "%s: out of memory", trace->anchor);
  good = good && trace_scan(trace, pool, read_location, &job, error);
  free(job.rules);
  return good;
}

bool pass_location(const struct trace *trace, uint32_t location, const struct subscriber *const *subscribers,
                   unsigned count, struct error *error)
{
  struct job job = {trace, subscribers, count, machine_rules(trace)};
  struct error own = {""};
  bool good =
      (job.rules || error_set(&own, "%s: out of memory", trace->anchor)) && read_location(&job, 0, location, &own);
  free(job.rules);
  if (!good)
    *error = own;
  return good;
}
