#include "analyzer/live/readings/reader.h"

#include "base/count_of.h"
#include "common/raw/archive_names.h"
#include "common/raw/live_control.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MOST_THREADS (1u << 20)
#define MOST_REGIONS (1u << 20)

bool live_number(const char *text, uint64_t *number)
{
  char *end;
  if (!text || *text < '0' || *text > '9')
    return false;
  errno = 0;
  *number = strtoull(text, &end, 10);
  return *end == '\0' && errno == 0;
}

/* The next field; NULL: there is none. */
static char *field(char **rest)
{
  return *rest ? strsep(rest, "\t") : NULL;
}

static bool number_field(char **rest, uint64_t most, uint64_t *number)
{
  return live_number(field(rest), number) && *number <= most;
}

/* A text that the trace owns; NULL: no memory, or no text. */
static const char *keep(struct live_reader *reader, const char *text)
{
  char *copy = text ? strdup(text) : NULL;
  if (copy && vector_push(&reader->texts, copy))
    return copy;
  free(copy);
  return NULL;
}

/* The same of a text that comes again and again. */
static const char *known(struct live_reader *reader, const char *text)
{
  uint64_t key = text ? hash_text(0, text) : 0;
  const uint64_t *number;
  for (; text && (number = hash_find(&reader->text_of, key)) != NULL; key++)
    if (strcmp(reader->texts.items[*number], text) == 0)
      return reader->texts.items[*number];
  const char *kept = keep(reader, text);
  return kept && hash_add(&reader->text_of, key, reader->texts.count - 1) ? kept : NULL;
}

bool live_reader_begin(struct live_reader *reader, uint64_t ticks_per_second, const char *name)
{
  *reader = (struct live_reader){
      .trace = {.ticks_per_second = ticks_per_second, .machine = "", .weight = OTF2_UNDEFINED_ATTRIBUTE}};
  reader->trace.processes = calloc(1, sizeof *reader->trace.processes);
  reader->trace.anchor = strdup(name);
  if (!reader->trace.processes || !reader->trace.anchor)
    return false;
  reader->trace.processes[0].name = reader->trace.anchor;
  reader->trace.process_count = 1;
  return true;
}

void live_reader_end(struct live_reader *reader)
{
  for (size_t i = 0; i < reader->texts.count; i++)
    free(reader->texts.items[i]);
  for (size_t i = 0; i < reader->lanes.count; i++) {
    vector_free(&reader->lanes.items[i].rows);
    vector_free(&reader->lanes.items[i].metrics);
  }
  vector_free(&reader->texts);
  vector_free(&reader->lanes);
  vector_free(&reader->regions);
  vector_free(&reader->codes);
  vector_free(&reader->locations);
  hash_free(&reader->location_of);
  hash_free(&reader->text_of);
  free(reader->trace.processes);
  free(reader->trace.anchor);
}

/* The arrays may have moved. */
static void show_in_trace(struct live_reader *reader)
{
  reader->trace.regions = reader->regions.items;
  reader->trace.region_count = (uint32_t)reader->regions.count;
  reader->trace.locations = reader->locations.items;
  reader->trace.location_count = (uint32_t)reader->locations.count;
}

static bool take_region(struct live_reader *reader, char *rest)
{
  uint64_t number, role, paradigm, line;
  if (!number_field(&rest, MOST_REGIONS, &number) || number != reader->regions.count ||
      !number_field(&rest, UINT8_MAX, &role) || !number_field(&rest, UINT8_MAX, &paradigm) ||
      !number_field(&rest, UINT32_MAX, &line))
    return false;
  struct trace_region region = {
      .line = (uint32_t)line, .role = (OTF2_RegionRole)role, .paradigm = (OTF2_Paradigm)paradigm};
  region.name = keep(reader, field(&rest));
  region.function = keep(reader, field(&rest));
  region.description = keep(reader, field(&rest));
  region.file = keep(reader, field(&rest));
  return region.name && region.function && region.description && region.file && vector_push(&reader->regions, region);
}

static bool take_code(struct live_reader *reader, char *rest)
{
  uint64_t region, code;
  return number_field(&rest, MOST_REGIONS, &region) && region < reader->regions.count &&
         number_field(&rest, UINT64_MAX, &code) &&
         vector_push(&reader->codes, ((struct live_code){(uint32_t)region, code}));
}

static enum trace_thread_type type_of(const char *type)
{
  return strcmp(type, VALUE_THREAD_WORKER) == 0                                                ? TRACE_THREAD_WORKER
         : strcmp(type, VALUE_THREAD_INITIAL) == 0                                             ? TRACE_THREAD_INITIAL
         : strcmp(type, VALUE_THREAD_JVM) == 0                                                 ? TRACE_THREAD_JVM
         : strcmp(type, VALUE_THREAD_JAVA_VIRTUAL) == 0                                        ? TRACE_THREAD_VIRTUAL
         : strcmp(type, VALUE_THREAD_JAVA) == 0 || strcmp(type, VALUE_THREAD_JAVA_DAEMON) == 0 ? TRACE_THREAD_JAVA
                                                                                               : TRACE_THREAD_OTHER;
}

/* The location of a thread, which is new or known. NULL: no memory, or too many. */
static const uint64_t *location_of(struct live_reader *reader, uint64_t number)
{
  const uint64_t *known = hash_find(&reader->location_of, number);
  if (known)
    return known;
  struct trace_location location = {
      .ref = number, .name = "", .kind = OTF2_LOCATION_TYPE_CPU_THREAD, .type = TRACE_THREAD_UNKNOWN};
  if (reader->locations.count >= MOST_THREADS || !vector_push(&reader->locations, location) ||
      !vector_push(&reader->lanes, ((struct live_lane){.inside = UINT64_MAX})))
    return NULL;
  return hash_add(&reader->location_of, number, reader->locations.count - 1);
}

static bool take_thread(struct live_reader *reader, char *rest)
{
  uint64_t number, tid;
  if (!number_field(&rest, UINT32_MAX, &number) || !number_field(&rest, UINT64_MAX, &tid))
    return false;
  const char *type = field(&rest), *name = keep(reader, field(&rest));
  const char *start = rest ? known(reader, field(&rest)) : NULL;
  const uint64_t *location = name ? location_of(reader, number) : NULL;
  if (!location)
    return false;
  reader->lanes.items[*location].thread.start = start && *start ? start : NULL;
  reader->locations.items[*location].name = name;
  reader->locations.items[*location].type = type_of(type);
  reader->lanes.items[*location].thread.tid = tid;
  return true;
}

static struct live_lane *known_lane(struct live_reader *reader, char **rest, uint32_t *location)
{
  uint64_t number;
  if (!number_field(rest, UINT32_MAX, &number))
    return NULL;
  const uint64_t *known = hash_find(&reader->location_of, number);
  *location = known ? (uint32_t)*known : TRACE_NONE;
  return known ? &reader->lanes.items[*known] : NULL;
}

static bool take_look(struct live_reader *reader, char *rest)
{
  uint32_t location;
  struct live_lane *lane = known_lane(reader, &rest, &location);
  const char *life = field(&rest);
  if (!lane || !life || !number_field(&rest, UINT64_MAX, &lane->life.first) ||
      !number_field(&rest, UINT64_MAX, &lane->life.last) || !number_field(&rest, UINT64_MAX, &lane->seen) || !rest)
    return false;
  lane->thread.over = strcmp(life, LIVE_HAS_ENDED) == 0;
  lane->rows.count = lane->metrics.count = 0;
  if (*rest != '\0')
    return (lane->thread.over || strcmp(life, LIVE_LIVES) == 0) && live_number(rest, &lane->inside);
  lane->inside = UINT64_MAX;
  return lane->thread.over || strcmp(life, LIVE_LIVES) == 0;
}

/* "k:n" */
static bool take_duration(char *text, struct profile_row *row)
{
  uint64_t power, count;
  const char *first = strsep(&text, ":");
  if (!live_number(first, &power) || power >= PROFILE_POWERS || !live_number(text, &count))
    return false;
  row->durations[power] = count;
  return true;
}

/* "k:n", or the number in the team. */
static bool take_more(char *text, struct profile_row *row)
{
  uint64_t number;
  if (strncmp(text, LIVE_MEMBER, strlen(LIVE_MEMBER)) != 0)
    return take_duration(text, row);
  if (!live_number(text + strlen(LIVE_MEMBER), &number) || number >= PROFILE_NO_MEMBER)
    return false;
  row->member = (uint32_t)number;
  return true;
}

/* The number of a region that has a line already; empty: none. */
static bool take_region_number(const struct live_reader *reader, char **rest, uint32_t *region)
{
  uint64_t number;
  const char *text = field(rest);
  if (!text || *text == '\0')
    return text != NULL;
  if (!live_number(text, &number) || number >= reader->regions.count)
    return false;
  *region = (uint32_t)number;
  return true;
}

static bool take_row(struct live_reader *reader, char *rest)
{
  struct profile_row row = {.region = TRACE_NONE, .member = PROFILE_NO_MEMBER};
  struct live_lane *lane = known_lane(reader, &rest, &row.location);
  const char *kind = field(&rest);
  uint64_t inclusive, self, waiting, since_begin;
  if (!lane || !take_region_number(reader, &rest, &row.region) || !number_field(&rest, UINT64_MAX, &row.executions) ||
      !number_field(&rest, UINT64_MAX, &inclusive) || !number_field(&rest, UINT64_MAX, &self) ||
      !number_field(&rest, UINT64_MAX, &row.longest) || !number_field(&rest, UINT64_MAX, &row.contended) ||
      !number_field(&rest, UINT64_MAX, &waiting) || !number_field(&rest, UINT64_MAX, &since_begin))
    return false;
  row.kind = profiled_kind(kind);
  row.inclusive = inclusive;
  row.self = self;
  row.waiting = waiting;
  row.since_begin = since_begin;
  while (rest)
    if (!take_more(field(&rest), &row))
      return false;
  return vector_push(&lane->rows, row);
}

static bool signed_field(char **rest, int64_t *number)
{
  const char *text = field(rest);
  uint64_t size;
  bool minus = text && *text == '-';
  if (!live_number(text + minus, &size) || size > (uint64_t)INT64_MAX + minus)
    return false;
  *number = (int64_t)(minus ? 0 - size : size);
  return true;
}

static bool real_field(char **rest, double *number)
{
  char *text = field(rest), *end = text;
  if (text)
    *number = strtod(text, &end);
  return end != text && *end == '\0';
}

/* The sum and the last value. */
static bool take_values(char **rest, struct profile_metric *metric)
{
  const char *type = field(rest);
  metric->is_real = type && strcmp(type, LIVE_REAL) == 0;
  if (!type || (!metric->is_real && *type != '\0'))
    return false;
  return metric->is_real ? real_field(rest, &metric->real_sum) && real_field(rest, &metric->real_last)
                         : signed_field(rest, &metric->sum) && signed_field(rest, &metric->last);
}

/* The row of a metric; there is none if the field is empty. */
static bool take_around(const struct live_lane *lane, const char *text, struct profile_metric *metric)
{
  uint64_t around;
  if (!text || *text == '\0')
    return text != NULL;
  if (!live_number(text, &around) || around >= lane->rows.count)
    return false;
  metric->around = lane->rows.items[around].region;
  metric->member = lane->rows.items[around].member;
  return true;
}

static bool reader_take_metric(struct live_reader *reader, char *rest)
{
  struct profile_metric metric = {.region = TRACE_NONE, .around = TRACE_NONE, .member = PROFILE_NO_MEMBER};
  struct live_lane *lane = known_lane(reader, &rest, &metric.location);
  const char *kind = field(&rest);
  uint64_t ticks, waiting, held;
  if (!lane || !take_region_number(reader, &rest, &metric.region) || !take_around(lane, field(&rest), &metric))
    return false;
  metric.object = known(reader, field(&rest));
  metric.attribute = known(reader, field(&rest));
  if (!metric.object || !metric.attribute || !number_field(&rest, UINT64_MAX, &metric.count) ||
      !number_field(&rest, UINT64_MAX, &metric.contended) || !number_field(&rest, UINT64_MAX, &ticks) ||
      !number_field(&rest, UINT64_MAX, &waiting) || !number_field(&rest, UINT64_MAX, &held) ||
      !number_field(&rest, UINT64_MAX, &metric.longest) || !take_values(&rest, &metric) || rest)
    return false;
  metric.kind = profile_metric_kind(kind);
  metric.ticks = ticks;
  metric.waiting = waiting;
  metric.held = held;
  return vector_push(&lane->metrics, metric);
}

static bool take_reading(struct live_reader *reader, char *rest)
{
  bool begins = !reader->reading;
  reader->reading = true;
  return begins && number_field(&rest, UINT64_MAX, &reader->now);
}

enum live_line live_reader_take(struct live_reader *reader, char *line)
{
  static const struct {
    const char *word;
    bool (*take)(struct live_reader *reader, char *rest);
  } lines[] = {{LIVE_ROW, take_row},   {LIVE_METRIC, reader_take_metric},
               {LIVE_LOOK, take_look}, {LIVE_REGION, take_region},
               {LIVE_CODE, take_code}, {LIVE_THREAD, take_thread}};
  char *rest = line;
  const char *word = field(&rest);
  if (strcmp(word, LIVE_OVER) == 0 && !rest && reader->reading)
    return reader->over = true, LIVE_GOES_ON;
  if (strcmp(word, LIVE_END) == 0 && !rest && reader->reading)
    return reader->reading = false, LIVE_READ;
  if (strcmp(word, LIVE_READING) == 0)
    return rest && take_reading(reader, rest) ? LIVE_GOES_ON : LIVE_WRONG;
  for (size_t i = 0; i < COUNT_OF(lines) && reader->reading; i++)
    if (strcmp(word, lines[i].word) == 0)
      return rest && lines[i].take(reader, rest) ? LIVE_GOES_ON : LIVE_WRONG;
  return LIVE_WRONG;
}

/* Gives the time between the rows and the look to the row that the thread is in: now the rows have its life. */
static void give_rest(wide_total seen, struct profile_row *rows, size_t count, struct profile_row *inside,
                      struct profile_life *life)
{
  wide_total until = life->first;
  for (size_t i = 0; i < count; i++)
    until += rows[i].self;
  if (inside && seen > until) {
    inside->self += seen - until;
    until = seen;
  }
  life->last = until < UINT64_MAX ? (uint64_t)until : UINT64_MAX;
}

static void put_lane(const struct live_reader *reader, uint32_t location, struct live_reading *reading)
{
  const struct live_lane *lane = &reader->lanes.items[location];
  struct live_thread *thread = &reading->threads[location];
  struct profile_life *life = &reading->profile.lives[location];
  struct profile_row *rows = &reading->profile.rows[reading->profile.count], *inside = NULL;
  *thread = lane->thread;
  thread->region = TRACE_NONE;
  thread->over |= reader->over;
  *life = lane->life;
  for (size_t i = 0; i < lane->rows.count; i++)
    rows[i] = lane->rows.items[i];
  reading->profile.count += lane->rows.count;
  for (size_t i = 0; i < lane->metrics.count; i++)
    reading->profile.metrics[reading->profile.metric_count++] = lane->metrics.items[i];
  if (!thread->over && lane->inside < lane->rows.count) {
    inside = &rows[lane->inside];
    thread->is_inside = true;
    thread->kind = inside->kind;
    thread->region = inside->region;
  }
  give_rest(lane->seen, rows, lane->rows.count, inside, life);
}

/* Leaves in a profile what is in the focus, apart by number in a team. */
static bool keep_focus(const struct live_reader *reader, struct live_reading *reading, struct profiled *profile)
{
  bool *has = calloc(reading->location_count + 1u, sizeof *has);
  for (uint32_t i = 0; has && i < reading->location_count; i++) {
    has[i] = profile_focus_has_thread(reader->focus, &reader->trace, i, reading->threads[i].start);
    reading->threads[i].hidden = !has[i];
  }
  bool good = has && profile_focus_apply(reader->focus, &reader->trace, has, profile);
  free(has);
  return good;
}

/* A copy, before what differs in the number in a team alone is added up. */
static bool keep_apart(const struct live_reader *reader, struct live_reading *reading)
{
  if (!live_copy_sums(&reading->profile, &reading->apart) ||
      !profiled_complete_apart(&reader->trace, &reading->apart) ||
      (reader->focus && !keep_focus(reader, reading, &reading->apart)))
    return false;
  reading->apart.metric_count = profile_metrics_merge_apart(reading->apart.metrics, reading->apart.metric_count);
  return true;
}

/* Leaves what is in the focus; a thread's life becomes its time there. */
static bool apply_focus(const struct live_reader *reader, struct live_reading *reading)
{
  reading->focused = true;
  if (!profiled_complete_apart(&reader->trace, &reading->profile) || !keep_focus(reader, reading, &reading->profile))
    return false;
  profiled_merge(&reading->profile);
  for (uint32_t i = 0, at = 0; i < reading->location_count; i++) {
    bool rows = at < reading->profile.count && reading->profile.rows[at].location == i;
    while (at < reading->profile.count && reading->profile.rows[at].location == i)
      at++;
    if (!rows)
      reading->profile.lives[i] = (struct profile_life){0, 0};
  }
  live_fit(&reading->profile);
  return true;
}

bool live_reader_result(struct live_reader *reader, struct live_reading *reading)
{
  size_t rows = 0, metrics = 0, count = reader->lanes.count;
  for (size_t i = 0; i < count; i++) {
    rows += reader->lanes.items[i].rows.count;
    metrics += reader->lanes.items[i].metrics.count;
  }
  show_in_trace(reader);
  *reading = (struct live_reading){
      .trace = &reader->trace, .now = reader->now, .over = reader->over, .location_count = (uint32_t)count};
  reading->profile.rows = calloc(rows + 1, sizeof *reading->profile.rows);
  reading->profile.metrics = calloc(metrics + 1, sizeof *reading->profile.metrics);
  reading->profile.lives = calloc(count + 1, sizeof *reading->profile.lives);
  reading->threads = calloc(count + 1, sizeof *reading->threads);
  bool good = reading->profile.rows && reading->profile.metrics && reading->profile.lives && reading->threads;
  for (uint32_t i = 0; good && i < count; i++)
    put_lane(reader, i, reading);
  good = good && (!reader->apart || keep_apart(reader, reading));
  if (good && (reader->focus ? apply_focus(reader, reading) : profiled_complete(&reader->trace, &reading->profile)))
    return true;
  live_reading_free(reading);
  return false;
}
