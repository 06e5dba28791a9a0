#include "analyzer/exchange/import/intervals_archive.h"

#include "analyzer/analyses/intervals/endpoint_attributes.h"
#include "analyzer/exchange/import/archive.h"
#include "base/hash.h"
#include "base/vector.h"

#include <stdlib.h>

/* A location, and the end of its last interval. */
struct lane {
  char *name;
  uint64_t end;
};

/* Intervals of a kind that begin on one thread. */
struct lanes {
  VECTOR(struct lane) list;
};

struct intervals_archive {
  const struct trace *trace;
  const struct spec *spec;
  struct import_archive *out;
  struct end_columns *columns; /* by kind */
  struct hash at;              /* kind << 32 | thread -> index in `lanes` */
  VECTOR(struct lanes) lanes;
  VECTOR(struct import_value) values; /* of the next interval */
  struct error error;                 /* of putting */
};

struct intervals_archive *intervals_archive_open(const struct trace *trace, const struct spec *spec,
                                                 const char *directory, struct error *error)
{
  struct intervals_archive *archive = calloc(1, sizeof *archive);
  const struct import_form form = {.process = "intervals",
                                   .ticks_per_second = trace->ticks_per_second ? trace->ticks_per_second : 1000000000,
                                   .sorted = true};
  if (!archive) {
    error_set(error, "out of memory");
    return NULL;
  }
  *archive = (struct intervals_archive){.trace = trace, .spec = spec};
  archive->columns = calloc(spec->interval_count + 1, sizeof *archive->columns);
  bool good = archive->columns;
  for (const struct spec_interval *interval = spec->intervals; good && interval; interval = interval->next)
    good = ends_columns(spec, interval, &archive->columns[interval->index]);
  good = (good || error_set(error, "out of memory")) && (archive->out = import_archive_open(&form, directory, error));
  if (good)
    return archive;
  intervals_archive_close(archive, false, error);
  return NULL;
}

static struct lanes *lanes_of(struct intervals_archive *archive, const struct spec_interval *interval, uint32_t thread)
{
  uint64_t key = (uint64_t)interval->index << 32 | thread, *at = hash_find(&archive->at, key);
  if (at)
    return &archive->lanes.items[*at];
  if (!hash_add(&archive->at, key, archive->lanes.count) || !vector_push(&archive->lanes, (struct lanes){0}))
    return NULL;
  return &archive->lanes.items[archive->lanes.count - 1];
}

/* "Transit: 0 main thread", "Transit: 0 main thread (2)": Heddle's tables have the number. */
static char *name_lane(const struct trace *trace, const char *kind, uint32_t thread, size_t lane)
{
  char *name = NULL;
  const char *of = trace->locations[thread].name;
  int size = lane > 0 ? asprintf(&name, "%s: %u %s (%zu)", kind, thread, of, lane + 1)
                      : asprintf(&name, "%s: %u %s", kind, thread, of);
  return size < 0 ? NULL : name;
}

/*
 * Returns the lane that has been free for the shortest time when the interval begins. Intervals come in order of their
 * ends, so the number of lanes is the largest number of open intervals. NULL: an error.
 */
static struct lane *find_lane(struct intervals_archive *archive, const struct spec_interval *interval,
                              const struct match_point *start)
{
  struct lanes *lanes = lanes_of(archive, interval, start->thread);
  struct lane *best = NULL;
  for (size_t i = 0; lanes && i < lanes->list.count; i++) {
    struct lane *lane = &lanes->list.items[i];
    if (lane->end <= start->time && (!best || lane->end > best->end))
      best = lane;
  }
  if (best)
    return best;
  if (lanes && lanes->list.count == INTERVALS_ARCHIVE_LANES) {
    error_set(&archive->error,
              "--otf2: more than %d intervals %.100s of the thread %u (%.100s) are open at a time, too many for "
              "viewers: use `within` or `consume`",
              INTERVALS_ARCHIVE_LANES, interval->name, start->thread, archive->trace->locations[start->thread].name);
    return NULL;
  }
  struct lane made = {0};
  if (lanes)
    made.name = name_lane(archive->trace, interval->name, start->thread, lanes->list.count);
  if (made.name && vector_push(&lanes->list, made))
    return &lanes->list.items[lanes->list.count - 1];
  free(made.name);
  error_set(&archive->error, "out of memory");
  return NULL;
}

static bool intervals_archive_add_value(struct intervals_archive *archive, const char *name,
                                        const struct spec_value *value)
{
  struct import_value one = {.name = name, .type = value->type};
  if (value->type == SPEC_INTEGER)
    one.integer = value->integer;
  else if (value->type == SPEC_REAL)
    one.real = value->real;
  else if (value->type == SPEC_TEXT)
    one.text = value->text;
  else
    return true;
  return vector_push(&archive->values, one);
}

/* Adds the end's location, then the attributes of both ends. False: out of memory. */
static bool add_values(struct intervals_archive *archive, const struct spec_interval *interval,
                       const struct match_point *start, const struct match_point *end)
{
  const struct end_columns *columns = &archive->columns[interval->index];
  const struct spec_value to = {.type = SPEC_TEXT, .text = archive->trace->locations[end->thread].name},
                          location = {.type = SPEC_INTEGER, .integer = end->thread};
  archive->values.count = 0;
  bool good =
      intervals_archive_add_value(archive, "to", &to) && intervals_archive_add_value(archive, "to_location", &location);
  for (uint32_t i = 0; good && i < columns->count; i++) {
    struct spec_value value = end_value(&columns->list[i], start, end);
    good = intervals_archive_add_value(archive, columns->list[i].name, &value);
  }
  return good;
}

bool intervals_archive_put(void *into, const struct spec_interval *interval, const struct match_point *start,
                           const struct match_point *end)
{
  struct intervals_archive *archive = into;
  struct lane *lane = find_lane(archive, interval, start);
  if (!lane || (!add_values(archive, interval, start, end) && !error_set(&archive->error, "out of memory")))
    return false;
  lane->end = end->time;
  const struct import_event event = {.thread = lane->name,
                                     .name = interval->name,
                                     .time = start->time,
                                     .end = end->time,
                                     .count = archive->values.count,
                                     .values = archive->values.items};
  return import_archive_take(archive->out, &event, &archive->error);
}

static void free_archive(struct intervals_archive *archive)
{
  for (uint32_t i = 0; archive->columns && i < archive->spec->interval_count; i++)
    ends_columns_free(&archive->columns[i]);
  for (size_t i = 0; i < archive->lanes.count; i++) {
    for (size_t k = 0; k < archive->lanes.items[i].list.count; k++)
      free(archive->lanes.items[i].list.items[k].name);
    vector_free(&archive->lanes.items[i].list);
  }
  free(archive->columns);
  hash_free(&archive->at);
  vector_free(&archive->lanes);
  vector_free(&archive->values);
  free(archive);
}

bool intervals_archive_close(struct intervals_archive *archive, bool good, struct error *error)
{
  if (archive->error.message[0])
    *error = archive->error;
  else if (good && archive->lanes.count == 0)
    good = error_set(error, "--otf2: there are no intervals to write");
  if (archive->out)
    good = import_archive_close(archive->out, good && !archive->error.message[0], error);
  free_archive(archive);
  return good;
}
