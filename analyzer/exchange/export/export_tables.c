#include "analyzer/exchange/export/export_tables.h"

#include "analyzer/analyses/events/events_list.h"
#include "analyzer/analyses/intervals/intervals_show.h"
#include "analyzer/command/spec_options.h"
#include "analyzer/trace/attributes.h"
#include "analyzer/trace/output.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef bool export_tables_put_table(const struct analysis_run *run, const void *what, struct error *error);

static bool export_tables_put_events(const struct analysis_run *run, const void *what, struct error *error)
{
  static const struct point_selection selection = {.origin = POINTS_OF_USER};
  (void)what;
  return events_list_put(run, &selection, error);
}

static bool export_tables_put_intervals(const struct analysis_run *run, const void *what, struct error *error)
{
  const struct specified *specified = what;
  struct intervals_list list = {.run = run};
  const struct intervals_options options = {.spec = specified->spec,
                                            .plan = specified->plan,
                                            .work = SPEC_WORK_DEFAULT,
                                            .sink = intervals_list_put,
                                            .context = &list};
  struct intervals intervals;
  intervals_list_begin(&list);
  bool good = analysis_find(&intervals_analysis, run->trace, run->pool, &options, &intervals, error);
  intervals_list_end(&list);
  analysis_free(&intervals_analysis, &intervals);
  return good;
}

/* `lu.csv` and `lu.states.csv` become `lu.NAME.csv`. The caller frees it. NULL: no memory. */
static char *path_beside(const char *file, const char *name)
{
  static const char *const endings[] = {".states.csv", ".csv", ""};
  size_t length = strlen(file), i = 0;
  while (length < strlen(endings[i]) || strcmp(file + length - strlen(endings[i]), endings[i]) != 0)
    i++;
  char *path;
  return asprintf(&path, "%.*s.%s.csv", (int)(length - strlen(endings[i])), file, name) < 0 ? NULL : path;
}

static bool write_table(struct trace *trace, const char *file, const char *name, export_tables_put_table *put,
                        const void *what, struct error *error)
{
  struct output output;
  struct analysis_run run = {.trace = trace, .format = PRINT_CSV, .pool = pool_create(0)};
  char *path = path_beside(file, name);
  bool good = (run.pool && path) || error_set(error, "out of memory");
  if (good && (good = output_open(&output, path, error))) {
    run.print = print_open(PRINT_CSV, output.file, trace->ticks_per_second);
    bool put_all = run.print ? put(&run, what, error) : error_set(error, "out of memory");
    bool printed = run.print && print_close(run.print); /* says itself why not */
    if (put_all && !printed)
      error->message[0] = '\0';
    good = output_close(&output, put_all && printed, error);
  }
  free(path);
  pool_destroy(run.pool);
  return good;
}

static bool has_events(const struct trace *trace)
{
  bool found = false;
  for (uint32_t i = 0; !found && i < trace->region_count; i++)
    found = trace_region_is_user_event(&trace->regions[i]);
  return found;
}

bool export_tables(struct trace *trace, const char *file, const char *spec, struct error *error)
{
  struct stat status;
  if (strcmp(file, "-") == 0 || (stat(file, &status) == 0 && !S_ISREG(status.st_mode)))
    return true;
  bool good = !has_events(trace) || write_table(trace, file, "events", export_tables_put_events, NULL, error);
  if (!good || !spec)
    return good;
  struct specified specified;
  good = specified_read(&(struct spec_asked){.file = spec}, &specified, error) &&
         write_table(trace, file, "intervals", export_tables_put_intervals, &specified, error);
  specified_free(&specified);
  return good;
}
