#include "otf2-convert/describe/describe.h"

#include "base/count_of.h"
#include "otf2-convert/text_fields.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

OTF2_StringRef describer_string(struct describer *d, const char *text)
{
  char plain[DEFINITIONS_TEXT_MAX];
  escape_control(text, plain, sizeof plain);
  size_t known = d->strings.items.count;
  uint32_t ref = string_table_number(&d->strings, plain);
  if (ref == STRING_TABLE_NONE) {
    d->error = ENOMEM;
    return STRING_EMPTY;
  }
  if (ref == known)
    archive_check(d->archive, OTF2_GlobalDefWriter_WriteString(d->writer, ref, plain));
  return ref;
}

OTF2_StringRef describer_format(struct describer *d, const char *format, ...)
{
  char text[DEFINITIONS_TEXT_MAX];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return describer_string(d, text);
}

void describer_attribute(struct describer *d, OTF2_AttributeRef ref, OTF2_StringRef name, const char *description,
                         OTF2_Type type)
{
  OTF2_StringRef text = describer_string(d, description);
  archive_check(d->archive, OTF2_GlobalDefWriter_WriteAttribute(d->writer, ref, name, text, type));
}

void describer_begin(struct describer *d)
{
  for (size_t i = 0; i < d->definitions->strings.items.count; i++)
    describer_string(d, d->definitions->strings.items.items[i]);
}

void describer_end(struct describer *d)
{
  string_table_free(&d->strings);
}

static const char *describer_base_of(const char *path)
{
  const char *slash = strrchr(path, '/');
  return slash == NULL || slash[1] == 0 ? path : slash + 1;
}

void describer_function(const struct code_place *code, char *name, size_t size)
{
  const struct code_function *function = &code->function;
  if (code->java && function->name != NULL)
    snprintf(name, size, "%s", function->name);
  else if (code->home.path == NULL)
    snprintf(name, size, "%s", NAME_CODE_UNKNOWN);
  else if (function->name == NULL || function->name[0] == 0)
    snprintf(name, size, "[%s+0x%" PRIx64 "]", describer_base_of(code->home.path), code->offset - 1);
  else if (function->construct != 0)
    snprintf(name, size, "%s (omp%s%s:%" PRIu32 ")", function->name, NAME_AT, describer_base_of(function->file),
             function->construct);
  else
    snprintf(name, size, "%s", function->name);
}

const char *describer_construct(struct describer *d, const struct code_home *home, const struct code_function *function)
{
  const struct region *region =
      definitions_outlined(d->definitions, home->module, function->begin, function->file, function->construct);
  OTF2_StringRef name = region != NULL ? describer_region(d, region) : STRING_TABLE_NONE;
  return name != STRING_TABLE_NONE ? d->strings.items.items[name] : NULL;
}

void describer_clock(struct describer *d)
{
  const struct converted *converted = d->converted;
  archive_check(d->archive,
                OTF2_GlobalDefWriter_WriteClockProperties(d->writer, PROCESS_TICKS_A_SECOND, converted->first_time,
                                                          converted->last_time - converted->first_time,
                                                          plan_realtime(d->plan, converted->first_time)));
}

static bool has_region(const struct describer *d, bool (*is_such)(enum construct))
{
  for (size_t i = 0; i < d->definitions->regions.count; i++)
    if (is_such(d->definitions->regions.items[i].construct))
      return true;
  return false;
}

static void write_paradigms(struct describer *d)
{
  OTF2_StringRef openmp = describer_string(d, "OpenMP"), measurement = describer_string(d, "Measurement system");
  archive_check(d->archive, OTF2_GlobalDefWriter_WriteParadigm(d->writer, OTF2_PARADIGM_OPENMP, openmp,
                                                               OTF2_PARADIGM_CLASS_THREAD_FORK_JOIN));
  archive_check(d->archive, OTF2_GlobalDefWriter_WriteParadigm(d->writer, OTF2_PARADIGM_MEASUREMENT_SYSTEM, measurement,
                                                               OTF2_PARADIGM_CLASS_PROCESS));
  if (has_region(d, construct_is_user))
    archive_check(d->archive,
                  OTF2_GlobalDefWriter_WriteParadigm(d->writer, OTF2_PARADIGM_USER, describer_string(d, "User"),
                                                     OTF2_PARADIGM_CLASS_PROCESS));
  if (has_region(d, construct_is_call))
    archive_check(d->archive,
                  OTF2_GlobalDefWriter_WriteParadigm(d->writer, OTF2_PARADIGM_COMPILER, describer_string(d, NAME_CALLS),
                                                     OTF2_PARADIGM_CLASS_PROCESS));
  bool java = has_region(d, construct_is_java);
  if (java || has_region(d, construct_is_pthread))
    archive_check(d->archive, OTF2_GlobalDefWriter_WriteParadigm(d->writer, OTF2_PARADIGM_PTHREAD,
                                                                 describer_string(d, java ? "Java" : "POSIX threads"),
                                                                 OTF2_PARADIGM_CLASS_THREAD_CREATE_WAIT));
}

static void describe_write_attributes(struct describer *d)
{
  static const struct {
    const char *name, *description;
    OTF2_Type type;
  } facts[ATTRIBUTE_COUNT] = {
#define DESCRIBE_X(constant, name, type, description) [ATTRIBUTE_##constant] = {name, description, OTF2_TYPE_##type},
      ATTRIBUTES(DESCRIBE_X)
#undef DESCRIBE_X
  };
  for (uint32_t i = 0; i < ATTRIBUTE_COUNT; i++)
    describer_attribute(d, i, describer_string(d, facts[i].name), facts[i].description, facts[i].type);
  for (uint32_t i = 0; i < d->definitions->depend_count; i++) {
    struct depend depend = d->definitions->depends[i];
    describer_attribute(d, depend.ref,
                        describer_format(d, "%s %s %u", NAME_DEPEND, depend_names[depend.kind], depend.number),
                        "address of a task dependence", OTF2_TYPE_UINT64);
  }
  uint32_t duration = atomic_load(&d->definitions->first_duration);
  for (unsigned i = 0; duration != 0 && i < RAW_ROW_BUCKETS; i++)
    describer_attribute(
        d, duration + i, describer_format(d, "%s%u", NAME_DURATION, i + 1 + RAW_ROW_FIRST_POWER),
        "instances shorter than that power of 2, in ticks, but not than half of it; the last: all longer",
        OTF2_TYPE_UINT64);
  for (size_t i = 0; i < d->definitions->user_attributes.count; i++) {
    struct user_attribute attribute = d->definitions->user_attributes.items[i];
    describer_attribute(d, attribute.ref, describer_string(d, attribute.name), DESCRIPTION_USER_ATTRIBUTE,
                        attribute.type);
  }
}

/* They are of one class, number 0. */
static void write_metrics(struct describer *d)
{
  static const struct {
    const char *name, *unit, *description;
    int64_t exponent;
    OTF2_MetricMode mode;
  } facts[] = {
#define DESCRIBE_X(constant, name, mode, unit, exponent, description)                                                  \
  {name, unit, description, exponent, OTF2_METRIC_##mode},
      METRICS(DESCRIBE_X)
#undef DESCRIBE_X
  };
  OTF2_MetricMemberRef members[COUNT_OF(facts)];
  if (d->converted->counts.readings == 0 && d->converted->counts.counters == 0)
    return; /* the refs of counters follow */
  for (uint32_t i = 0; i < COUNT_OF(facts); i++) {
    OTF2_StringRef name = describer_string(d, facts[i].name), unit = describer_string(d, facts[i].unit);
    members[i] = i;
    archive_check(d->archive, OTF2_GlobalDefWriter_WriteMetricMember(
                                  d->writer, i, name, describer_string(d, facts[i].description), OTF2_METRIC_TYPE_OTHER,
                                  facts[i].mode, OTF2_TYPE_UINT64, OTF2_BASE_DECIMAL, facts[i].exponent, unit));
  }
  archive_check(d->archive, OTF2_GlobalDefWriter_WriteMetricClass(d->writer, 0, COUNT_OF(facts), members,
                                                                  OTF2_METRIC_ASYNCHRONOUS, OTF2_RECORDER_KIND_CPU));
}

/* Group 0 has all threads; the team with number c has group c + 1, whose members are ranks in group 0. */
static void write_teams(struct describer *d)
{
  const struct converted *converted = d->converted;
  uint64_t *members = calloc((size_t)converted->location_count + 1, sizeof *members);
  uint32_t *ranks = calloc((size_t)converted->location_count + 1, sizeof *ranks), count = 0;
  if (members == NULL || ranks == NULL) {
    d->error = ENOMEM;
    free(members);
    free(ranks);
    return;
  }
  for (uint32_t i = 0; i < converted->location_count; i++)
    if (converted->locations[i].facts.any) {
      ranks[i] = count;
      members[count++] = i;
    }
  OTF2_StringRef all = describer_string(d, "OpenMP threads"), none = describer_string(d, "");
  archive_check(d->archive,
                OTF2_GlobalDefWriter_WriteGroup(d->writer, 0, all, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_OPENMP,
                                                OTF2_GROUP_FLAG_NONE, count, members));
  for (size_t c = 0; c < converted->teams.comms.count; c++) {
    const struct comm *comm = &converted->teams.comms.items[c];
    uint32_t n = 0;
    for (size_t i = 0; i < comm->members.count && n <= converted->location_count; i++)
      members[n++] = ranks[comm->members.items[i].location];
    archive_check(d->archive,
                  OTF2_GlobalDefWriter_WriteGroup(d->writer, (OTF2_GroupRef)c + 1, none, OTF2_GROUP_TYPE_COMM_GROUP,
                                                  OTF2_PARADIGM_OPENMP, OTF2_GROUP_FLAG_NONE, n, members));
    OTF2_StringRef name = describer_format(d, "OpenMP team of %" PRIu32, comm->size);
    archive_check(d->archive, OTF2_GlobalDefWriter_WriteComm(d->writer, (OTF2_CommRef)c, name, (OTF2_GroupRef)c + 1,
                                                             OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
  }
  free(members);
  free(ranks);
}

static void set_number(struct describer *d, const char *name, uint64_t number)
{
  char text[32];
  snprintf(text, sizeof text, "%" PRIu64, number);
  archive_set_property(d->archive, name, text);
}

static void describe_add_reason(char *reasons, size_t size, const char *reason)
{
  size_t used = strlen(reasons);
  if (reason != NULL && reason[0] != 0 && strstr(reasons, reason) == NULL)
    snprintf(reasons + used, size - used, "%s%s", used == 0 ? "" : "; ", reason);
}

static void set_machine_name(struct describer *d, const char *host)
{
  char plain[1024];
  if (host == NULL)
    return;
  escape_control(host, plain, sizeof plain);
  archive_check(d->archive, OTF2_Archive_SetMachineName(d->archive->otf2, plain));
}

static bool has_profiles(const struct plan *plan)
{
  for (uint32_t i = 0; i < plan->processes.count; i++)
    if (plan->processes.items[i].raw.profile_count > 0)
      return true;
  return false;
}

/* True if nobody asked for a trace of any process, which have sums. */
static bool is_untraced(const struct describer *d)
{
  for (uint32_t i = 0; i < d->plan->processes.count; i++)
    if (d->plan->processes.items[i].info.live == 0)
      return false;
  for (uint32_t i = 0; i < d->converted->location_count; i++)
    if (d->converted->locations[i].facts.has_program_events)
      return false;
  return has_profiles(d->plan);
}

/* True if the run has only sums. */
static bool is_profile(const struct describer *d)
{
  const struct converted *converted = d->converted;
  for (uint32_t i = 0; i < d->plan->processes.count; i++)
    if (d->plan->processes.items[i].info.profile != NULL)
      return true;
  for (uint32_t i = 0; i < converted->location_count; i++)
    if (converted->locations[i].facts.profile_last != 0)
      return true;
  return is_untraced(d);
}

static uint64_t samples_lost(const struct describer *d, unsigned reason)
{
  uint64_t lost = 0;
  if (reason == RAW_SAMPLE_REASONS)
    return d->converted->samples.lost;
  for (uint32_t i = 0; i < d->plan->processes.count; i++) {
    const struct process_info *info = &d->plan->processes.items[i].info;
    lost += info->java_calls.lost[reason] + info->timers.lost[reason];
  }
  return lost;
}

/* Samples that were due and are nowhere, and why. */
static void set_lost_samples(struct describer *d)
{
  static const char *const reasons[] = {[RAW_SAMPLE_LATE] = VALUE_SAMPLE_LATE,
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
                                        [RAW_SAMPLE_REFUSED] = VALUE_SAMPLE_REFUSED,
                                        [RAW_SAMPLE_REASONS] = VALUE_SAMPLE_KERNEL};
  char why[1024] = "";
  uint64_t all = 0;
  size_t used = 0;
  for (unsigned i = 0; i < COUNT_OF(reasons); i++) {
    uint64_t lost = samples_lost(d, i);
    all += lost;
    if (lost == 0 || used >= sizeof why)
      continue;
    int n = snprintf(why + used, sizeof why - used, "%s%" PRIu64 " %s", used > 0 ? ", " : "", lost, reasons[i]);
    used += n < 0 ? 0 : (size_t)n;
  }
  set_number(d, ARCHIVE_SAMPLES_LOST, all);
  if (why[0] != 0)
    archive_set_property(d->archive, ARCHIVE_SAMPLES_LOST_WHY, why);
}

/* Threads that should have had a timer. */
static void set_timers(struct describer *d)
{
  uint64_t without = 0;
  bool any = false;
  for (uint32_t i = 0; i < d->plan->processes.count; i++) {
    any |= d->plan->processes.items[i].info.timers.wanted;
    without += d->plan->processes.items[i].info.timers.missing;
  }
  if (any)
    set_number(d, ARCHIVE_SAMPLES_NO_TIMER, without);
}

static void set_samples(struct describer *d)
{
  const struct samples *samples = &d->converted->samples;
  if (!samples->open)
    return;
  set_number(d, ARCHIVE_SAMPLES, samples->count);
  set_number(d, ARCHIVE_SAMPLES_LEFT_OUT, samples->ignored);
  set_number(d, ARCHIVE_SAMPLES_CUT, samples->cut);
  set_number(d, ARCHIVE_SAMPLES_UNNAMED, samples->unnamed);
  set_lost_samples(d);
  set_timers(d);
}

static void set_calls(struct describer *d)
{
  const struct calls *calls = &d->converted->calls;
  if (!calls->open)
    return;
  set_number(d, ARCHIVE_CALLS, calls->contexts.count);
  set_number(d, ARCHIVE_CALLS_FULL, calls->full);
  set_number(d, ARCHIVE_CALLS_DEEP, calls->deep);
  set_number(d, ARCHIVE_CALLS_SKIPPED, calls->not_measured);
  set_number(d, ARCHIVE_CALLS_LEFT, calls->left);
  set_number(d, ARCHIVE_CALLS_UNMATCHED, calls->unmatched);
  set_number(d, ARCHIVE_CALLS_ON_VIRTUAL, calls->on_virtual);
  set_number(d, ARCHIVE_CALLS_DAMAGED, calls->damaged);
}

/* Writes the accuracy of times. */
static void set_clock(struct describer *d)
{
  const struct plan_clocks *clocks = &d->plan->clocks;
  uint64_t anchors = 0, apart = 0, width = 0, jumps = 0;
  char list[CLOCK_MAP_JUMPS * 72] = "";
  size_t used = 0;
  for (size_t i = 0; i < clocks->list.count; i++) {
    const struct clock_map *map = &clocks->list.items[i].map;
    if (!(map->rate > 0))
      continue;
    anchors += map->anchors.count;
    apart = map->apart > apart ? map->apart : apart;
    width = map->width > width ? map->width : width;
    for (size_t k = 0; k < map->jump_count && jumps + k < CLOCK_MAP_JUMPS; k++)
      used += (size_t)snprintf(list + used, sizeof list - used, "%s%" PRIu64 ":%" PRIu64 ":%" PRId64,
                               used > 0 ? " " : "", plan_clock_time(clocks, i, map->jumps[k].from),
                               plan_clock_time(clocks, i, map->jumps[k].to), map->jumps[k].ahead);
    jumps += map->jump_count;
  }
  if (anchors == 0)
    return;
  set_number(d, ARCHIVE_CLOCK_ANCHORS, anchors);
  set_number(d, ARCHIVE_CLOCK_APART, apart);
  set_number(d, ARCHIVE_CLOCK_WIDTH, width);
  set_number(d, ARCHIVE_CLOCK_JUMPS, jumps);
  if (jumps > 0)
    archive_set_property(d->archive, ARCHIVE_CLOCK_JUMP, list);
}

static void set_totals(struct describer *d)
{
  const struct converted *converted = d->converted;
  uint64_t events_lost = 0, chunks_lost = 0, not_measured = 0, threads_lost = 0, bad = 0;
  char reasons[1024] = "", text[64];
  for (uint32_t i = 0; i < converted->location_count; i++) {
    const struct thread_facts *facts = &converted->locations[i].facts;
    events_lost += facts->events_lost + facts->lost_after;
    chunks_lost += facts->chunks_lost;
    not_measured += facts->not_measured;
    bad += facts->bad_chunks;
  }
  for (uint32_t i = 0; i < d->plan->processes.count; i++) {
    threads_lost += d->plan->processes.items[i].info.threads_lost;
    events_lost += d->plan->processes.items[i].info.events_lost + d->plan->processes.items[i].raw.events_lost;
    describe_add_reason(reasons, sizeof reasons, d->plan->processes.items[i].info.lost_reason);
    describe_add_reason(reasons, sizeof reasons, d->plan->processes.items[i].info.limit);
  }
  snprintf(text, sizeof text, "%" PRIu64 " chunks missing", chunks_lost);
  describe_add_reason(reasons, sizeof reasons, chunks_lost > 0 ? text : NULL);
  snprintf(text, sizeof text, "%" PRIu64 " chunks damaged", bad);
  describe_add_reason(reasons, sizeof reasons, bad > 0 ? text : NULL);
  set_machine_name(d, d->plan->processes.items[0].info.host);
  archive_set_property(d->archive, ARCHIVE_VERSION, HEDDLE_VERSION);
  set_number(d, ARCHIVE_EVENTS_LOST, events_lost);
  set_number(d, ARCHIVE_EVENTS_SKIPPED, not_measured);
  set_number(d, ARCHIVE_CHUNKS_DERIVED, converted->counts.chunks_derived);
  set_number(d, ARCHIVE_SINKS_UNTIMED, converted->counts.sinks_not_measured);
  set_number(d, ARCHIVE_SINKS_AT_MOST, converted->counts.sinks_at_most);
  set_number(d, ARCHIVE_CHUNKS_SUMMED, converted->counts.chunks_summed);
  set_number(d, ARCHIVE_LEFT_OUT, converted->counts.omitted_by_weight);
  set_number(d, ARCHIVE_INSTANCES_SKIPPED, converted->counts.instances_omitted);
  set_number(d, ARCHIVE_ENDS_CORRECTED, converted->counts.ends_corrected);
  set_number(d, ARCHIVE_ENDS_FORCED, converted->counts.ends_forced);
  set_number(d, ARCHIVE_ENDS_UNMATCHED, converted->counts.ends_unmatched);
  set_number(d, ARCHIVE_USER_NOT_LEFT, converted->counts.user_not_left);
  set_number(d, ARCHIVE_USER_UNMATCHED, converted->counts.user_unmatched);
  set_number(d, ARCHIVE_THREADS_LOST, threads_lost);
  if (converted->switches != SWITCHES_UNKNOWN) {
    set_number(d, ARCHIVE_SWITCHES, converted->switches);
    set_number(d, ARCHIVE_SWITCHES_LOST, converted->switches_lost);
    if (converted->switches_cost > 0)
      set_number(d, ARCHIVE_SWITCHES_COST, converted->switches_cost);
  }
  set_samples(d);
  set_calls(d);
  for (uint32_t i = 0; i < d->plan->processes.count; i++)
    if (process_info_has_tool(&d->plan->processes.items[i].info, TOOL_PTHREAD))
      archive_set_property(d->archive, ARCHIVE_PTHREADS, "1");
  if (converted->counts.readings > 0)
    set_number(d, ARCHIVE_READINGS, converted->counts.readings);
  if (is_profile(d))
    archive_set_property(d->archive, ARCHIVE_PROFILE, "1");
  else if (has_profiles(d->plan))
    archive_set_property(d->archive, ARCHIVE_PROFILE, VALUE_PROFILE_BESIDE);
  if (reasons[0] != 0) {
    char plain[sizeof reasons];
    escape_control(reasons, plain, sizeof plain);
    archive_set_property(d->archive, ARCHIVE_LOST_REASON, plain);
  }
}

int describe_archive(const struct plan *plan, const struct converted *converted, struct definitions *definitions,
                     struct archive *archive, int trace_fd)
{
  struct describer d = {.plan = plan, .converted = converted, .definitions = definitions, .archive = archive};
  d.writer = archive_definitions(archive);
  if (d.writer == NULL)
    return EIO;
  errno = 0;
  describer_clock(&d);
  describer_begin(&d);
  write_paradigms(&d);
  describe_write_attributes(&d);
  d.location_names = calloc((size_t)converted->location_count + 1, sizeof *d.location_names);
  write_metrics(&d);
  describe_counters(&d);
  describe_machine(&d, trace_fd);
  describe_processors(&d);
  describe_locks(&d);
  describe_objects(&d);
  describe_regions(&d);
  free(d.location_names);
  write_teams(&d);
  set_clock(&d);
  set_totals(&d);
  describer_end(&d);
  return d.error;
}
