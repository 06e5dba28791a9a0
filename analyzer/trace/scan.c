#include "analyzer/trace/scan.h"

#include <stdlib.h>

struct scan {
  trace_scan_work *work;
  void *context;
  uint32_t *order;      /* locations */
  struct error *errors; /* a worker */
};

static int compare_length(const void *a, const void *b, void *context)
{
  const struct trace_location *locations = context;
  uint32_t left = *(const uint32_t *)a;
  uint32_t right = *(const uint32_t *)b;
  if (locations[left].events != locations[right].events)
    return locations[left].events < locations[right].events ? 1 : -1;
  return (left > right) - (left < right);
}

static bool do_item(void *context, unsigned worker, uint32_t item)
{
  const struct scan *scan = context;
  return scan->work(scan->context, worker, scan->order[item], &scan->errors[worker]);
}

bool trace_scan(const struct trace *trace, struct pool *pool, trace_scan_work *work, void *context, struct error *error)
{
  uint32_t count = trace->location_count;
  unsigned workers = pool_workers(pool);
  struct scan scan = {.work = work,
                      .context = context,
                      .order = malloc((count + 1) * sizeof *scan.order),
                      .errors = calloc(workers, sizeof *scan.errors)};
  bool good = scan.order && scan.errors;
  if (!good)
    error_set(error, "%s: out of memory", trace->anchor);
  for (uint32_t i = 0; good && i < count; i++)
    scan.order[i] = i;
  if (good)
    qsort_r(scan.order, count, sizeof *scan.order, compare_length, trace->locations);
  if (good && !pool_run(pool, count, do_item, &scan)) {
    good = false;
    for (unsigned i = 0; i < workers; i++) {
      if (scan.errors[i].message[0])
        *error = scan.errors[i];
    }
  }
  free(scan.order);
  free(scan.errors);
  return good;
}
