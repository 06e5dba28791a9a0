#include "analyzer/import/intervals_archive.h"

#include "analyzer/import/archive.h"

#include <stdlib.h>

static int compare(uint64_t a, uint64_t b)
{
  return (a > b) - (a < b);
}

/* Those of a location become neighbours, in order of time. */
static int by_location(const void *a, const void *b)
{
  const struct interval_taken *x = a, *y = b;
  int order = compare(x->kind, y->kind);
  order = order ? order : compare(x->from, y->from);
  order = order ? order : compare(x->lane, y->lane);
  order = order ? order : compare(x->begin, y->begin);
  order = order ? order : compare(x->end, y->end);
  return order ? order : compare(x->to, y->to);
}

/* Each gets the first lane that is free when it begins. */
static bool find_lanes(struct intervals_taken *archive, const struct trace *trace, const struct spec *spec,
                       struct error *error)
{
  uint64_t ends[INTERVALS_ARCHIVE_LANES];
  uint32_t lanes = 0;
  for (size_t i = 0; i < archive->list.count; i++) {
    struct interval_taken *taken = &archive->list.items[i];
    if (i == 0 || taken[-1].kind != taken->kind || taken[-1].from != taken->from)
      lanes = 0;
    while (taken->lane < lanes && ends[taken->lane] > taken->begin)
      taken->lane++;
    if (taken->lane == INTERVALS_ARCHIVE_LANES) {
      const struct spec_interval *interval = spec->intervals;
      while (interval->index != taken->kind)
        interval = interval->next;
      return error_set(error,
                       "more than %d intervals %.100s of the thread %u (%.100s) are open at a time, which no viewer "
                       "shows: bound them by `within`, or add `consume`",
                       INTERVALS_ARCHIVE_LANES, interval->name, taken->from, trace->locations[taken->from].name);
    }
    ends[taken->lane] = taken->end;
    lanes = taken->lane == lanes ? lanes + 1 : lanes;
  }
  return true;
}

static bool write_one(struct import_archive *archive, const struct trace *trace, const char *kind,
                      const struct interval_taken *taken, const char *location, struct error *error)
{
  const struct import_value values[] = {{.name = "to", .type = SPEC_TEXT, .text = trace->locations[taken->to].name},
                                        {.name = "to_location", .type = SPEC_INTEGER, .integer = taken->to}};
  const struct import_event event = {
      .thread = location, .name = kind, .time = taken->begin, .end = taken->end, .count = 2, .values = values};
  return import_archive_take(archive, &event, error);
}

/* "Transit: 0 main thread", "Transit: 0 main thread (2)": Heddle's tables have the number. */
static char *name_location(const struct trace *trace, const char *kind, const struct interval_taken *taken)
{
  char *name = NULL;
  const char *thread = trace->locations[taken->from].name;
  int size = taken->lane > 0 ? asprintf(&name, "%s: %u %s (%u)", kind, taken->from, thread, taken->lane + 1)
                             : asprintf(&name, "%s: %u %s", kind, taken->from, thread);
  return size < 0 ? NULL : name;
}

static bool write_all(const struct intervals_taken *intervals, struct import_archive *archive,
                      const struct trace *trace, const struct spec *spec, struct error *error)
{
  bool good = true;
  const struct spec_interval *interval = spec->intervals;
  char *location = NULL;
  for (size_t i = 0; good && i < intervals->list.count; i++) {
    const struct interval_taken *taken = &intervals->list.items[i];
    while (interval->index != taken->kind)
      interval = interval->next;
    if (i == 0 || taken[-1].kind != taken->kind || taken[-1].from != taken->from || taken[-1].lane != taken->lane) {
      free(location);
      location = name_location(trace, interval->name, taken);
      good = (location || error_set(error, "out of memory")) && import_archive_end_threads(archive, error);
    }
    good = good && write_one(archive, trace, interval->name, taken, location, error);
  }
  free(location);
  return good;
}

bool intervals_archive_write(struct intervals_taken *intervals, const struct trace *trace, const struct spec *spec,
                             const char *directory, struct error *error)
{
  if (intervals->list.count == 0)
    return error_set(error, "--otf2: there are no intervals to write");
  qsort(intervals->list.items, intervals->list.count, sizeof *intervals->list.items, by_location);
  if (!find_lanes(intervals, trace, spec, error))
    return false;
  qsort(intervals->list.items, intervals->list.count, sizeof *intervals->list.items, by_location);
  const struct import_form form = {.process = "intervals",
                                   .ticks_per_second = trace->ticks_per_second ? trace->ticks_per_second : 1000000000};
  struct import_archive *archive = import_archive_open(&form, directory, error);
  return archive && import_archive_close(archive, write_all(intervals, archive, trace, spec, error), error);
}
