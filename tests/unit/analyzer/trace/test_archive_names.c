/* Every name of common/raw/archive_names.h: what the converter writes with it, the analyzer reads. See write_names.c.
 */
#include "analyzer/analyses/imbalance/imbalance.h"
#include "analyzer/analyses/loops/schedule.h"
#include "analyzer/trace/definitions.h"
#include "analyzer/trace/states/state.h"
#include "analyzer/trace/stream.h"
#include "common/raw/archive_names.h"
#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct fixture {
  char directory[32];
  struct trace *trace;
};

/* What regions and attributes are numbered by, as write_names.c does. */
enum region_number {
#define X(constant, ...) R_##constant,
  REGIONS(X)
#undef X
      REGIONS_PLAIN
};
enum attribute_number {
#define X(constant, ...) A_##constant,
  ATTRIBUTES(X)
#undef X
      ATTRIBUTE_NUMBERS
};

static int set_up(void **state)
{
  static struct fixture f;
  struct error error;
  char command[128];
  strcpy(f.directory, "/tmp/heddle-names-XXXXXX");
  assert_non_null(mkdtemp(f.directory));
  snprintf(command, sizeof command, "%s %s", HEDDLE_WRITE_NAMES, f.directory);
  assert_int_equal(system(command), 0);
  f.trace = trace_open(f.directory, &error);
  if (!f.trace)
    fail_msg("%s", error.message);
  *state = &f;
  return 0;
}

static int tear_down(void **state)
{
  struct fixture *f = *state;
  char command[64];
  trace_close(f->trace);
  snprintf(command, sizeof command, "rm -rf %s", f->directory);
  return system(command);
}

static bool has_property(const struct trace *trace, enum trace_owner owner, uint32_t count, const char *name)
{
  for (uint32_t i = 0; i < count; i++)
    if (trace_property(trace, owner, i, name))
      return true;
  return false;
}

static void properties_are_read(void **state)
{
  const struct trace *trace = ((struct fixture *)*state)->trace;
#define X(constant, name, ...)                                                                                         \
  if (!has_property(trace, OWNER, COUNT, name))                                                                        \
    fail_msg("no %s", name);
#define OWNER TRACE_OF_ARCHIVE
#define COUNT 1
  ARCHIVE_PROPERTIES(X)
#undef OWNER
#undef COUNT
#define OWNER TRACE_OF_LOCATION
#define COUNT trace->location_count
  LOCATION_PROPERTIES(X)
#undef X
#undef OWNER
#undef COUNT
#define X(constant, name)                                                                                              \
  if (!has_property(trace, TRACE_OF_PROCESS, trace->process_count, name))                                              \
    fail_msg("no %s", name);
  PROCESS_PROPERTIES(X)
#undef X
  assert_memory_equal(PROCESS_MAX_RATE, NAME_ENV, strlen(NAME_ENV));
  assert_string_equal(trace_property(trace, TRACE_OF_PROCESS, 0, PROCESS_MAX_RATE), "5");
  assert_memory_equal(PROCESS_KEEP, NAME_ENV, strlen(NAME_ENV));
}

static void values_of_properties_are_read(void **state)
{
  const struct trace *trace = ((struct fixture *)*state)->trace;
  static const char *const values[] = {
#define X(constant, text) text,
      PROPERTY_VALUES(X)
#undef X
  };
  for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
    bool found = false; /* a number may follow */
    for (uint32_t k = 0; k < trace->property_count; k++) {
      const char *value = trace->properties[k].value;
      size_t length = strlen(values[i]);
      found |= strncmp(value, values[i], length) == 0 && (value[length] == '\0' || value[length] == ' ');
    }
    if (!found)
      fail_msg("no value %s", values[i]);
  }
  const char *lost = trace_property(trace, TRACE_OF_ARCHIVE, 0, ARCHIVE_SAMPLES_LOST_WHY);
#define X(constant, text)                                                                                              \
  if (!strstr(lost, " " text))                                                                                         \
    fail_msg("no value %s in %s", text, lost);
  SAMPLE_VALUES(X)
#undef X
  assert_string_equal(trace_property(trace, TRACE_OF_ARCHIVE, 0, ARCHIVE_SAMPLES_LOST), "85");
  const enum trace_thread_type types[] = {TRACE_THREAD_INITIAL, TRACE_THREAD_WORKER, TRACE_THREAD_OTHER,
                                          TRACE_THREAD_JVM,     TRACE_THREAD_JAVA,   TRACE_THREAD_JAVA};
  for (uint32_t i = 0; i < sizeof types / sizeof *types; i++)
    assert_int_equal(trace->locations[ref_map_get(&trace->location_of, i)].type, types[i]);
}

static const struct trace_region *region_of(const struct trace *trace, uint32_t ref)
{
  uint32_t index = ref_map_get(&trace->region_of, ref);
  assert_int_not_equal(index, REF_MAP_NONE);
  return &trace->regions[index];
}

static OTF2_Paradigm paradigm_of(enum region_number number)
{
  return number < R_TRACEFLUSH      ? OTF2_PARADIGM_OPENMP
         : number < R_CALL          ? OTF2_PARADIGM_MEASUREMENT_SYSTEM
         : number < R_USER_REGION   ? OTF2_PARADIGM_COMPILER
         : number < R_PTHREAD_MUTEX ? OTF2_PARADIGM_USER
                                    : OTF2_PARADIGM_PTHREAD;
}

static void regions_are_read(void **state)
{
  const struct trace *trace = ((struct fixture *)*state)->trace;
  static const struct {
    const char *name, *description;
    OTF2_RegionRole role;
  } rows[] = {
#define X(constant, name, role, description) {name, description, OTF2_REGION_ROLE_##role},
      REGIONS(X)
#undef X
  };
  for (uint32_t i = 0; i < REGIONS_PLAIN; i++) {
    const struct trace_region *region = region_of(trace, i);
    assert_string_equal(region->name, rows[i].name);
    assert_string_equal(region->description, rows[i].description);
    assert_int_equal(region->role, rows[i].role);
    assert_int_equal(region->paradigm, paradigm_of(i));
    bool plain = (region->paradigm == OTF2_PARADIGM_OPENMP && region->role == OTF2_REGION_ROLE_FUNCTION) ||
                 i == R_CALL ||       /* it has the state around it */
                 i == R_ON_PROCESSOR; /* a thread's name, on a line that is no thread */
    if (!plain && state_rule_of(region) == RULE_INHERIT)
      fail_msg("%s has no state", region->name);
  }
}

static void regions_mean_what_they_are_called(void **state)
{
  const struct trace *trace = ((struct fixture *)*state)->trace;
  static const struct {
    enum region_number region;
    enum rule rule;
  } rows[] = {{R_CHUNK, RULE_CHUNK},
              {R_LOOP, RULE_LOOP},
              {R_SET_LOCK, RULE_SET_LOCK},
              {R_SET_NEST_LOCK, RULE_SET_NEST_LOCK},
              {R_TEST_LOCK, RULE_TEST_LOCK},
              {R_TEST_NEST_LOCK, RULE_TEST_LOCK},
              {R_REDUCTION, RULE_REDUCTION},
              {R_TRACEFLUSH, RULE_TRACEFLUSH},
              {R_SKIPPED, RULE_OMITTED},
              {R_SKIPPED_INSTANCES, RULE_OMITTED},
              {R_PROFILE_ROW, RULE_PROFILE_ROW},
              {R_THREAD_START, RULE_STATE_INIT},
              {R_MONITOR_ENTER, RULE_STATE_BLOCKED_MUTEX},
              {R_PARK, RULE_STATE_BLOCKED_CONDVAR},
              {R_IDLE, RULE_STATE_IDLE},
              {R_YIELD, RULE_STATE_SPIN},
              {R_GC, RULE_STATE_GC},
              {R_PTHREAD_MUTEX, RULE_PTHREAD_MUTEX},
              {R_PTHREAD_READ, RULE_PTHREAD_RWLOCK},
              {R_PTHREAD_WRITE, RULE_PTHREAD_RWLOCK},
              {R_PTHREAD_SPIN, RULE_PTHREAD_MUTEX},
              {R_PTHREAD_CONDITION, RULE_PTHREAD_CONDITION},
              {R_PTHREAD_SEMAPHORE, RULE_SEMAPHORE},
              {R_PTHREAD_BARRIER, RULE_PTHREAD_BARRIER},
              {R_PTHREAD_JOIN, RULE_JOIN},
              {R_PTHREAD_START, RULE_STATE_INIT},
              {R_PTHREAD_UNLOCK, RULE_NOTE},
              {R_UNPARK, RULE_NOTE}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    assert_int_equal(state_rule_of(region_of(trace, rows[i].region)), rows[i].rule);
  assert_int_equal(state_rule_of(region_of(trace, REGIONS_PLAIN)), RULE_JAVA_REDUCTION);
  assert_true(trace_region_is_directive(region_of(trace, REGIONS_PLAIN), REGION_REDUCTION));
  assert_true(trace_region_is_directive(region_of(trace, R_REDUCTION), REGION_REDUCTION));
  assert_false(trace_region_is_directive(region_of(trace, R_TASK), REGION_TASKGROUP));
  assert_false(trace_region_is_directive(region_of(trace, R_CHUNK), REGION_TASKGROUP));
}

/* What stands in names beside the construct's. */
static void parts_of_names_are_there(void **state)
{
  const struct trace *trace = ((struct fixture *)*state)->trace;
  static const char *const parts[] = {
#define X(constant, text) text,
      NAME_PARTS(X)
#undef X
  };
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    bool found = false;
    for (uint32_t k = 0; k < trace->region_count; k++)
      found |= strstr(trace->regions[k].name, parts[i]) != NULL;
    if (!found)
      fail_msg("no name has %s", parts[i]);
  }
}

static bool is_said(const struct trace *trace, const char *key, const char *value)
{
  for (uint32_t i = 0; i < trace->region_count; i++)
    if (trace_region_says(&trace->regions[i], key, value))
      return true;
  return false;
}

static void facts_are_read(void **state)
{
  const struct trace *trace = ((struct fixture *)*state)->trace;
#define X(constant, text) {#constant, text},
  static const struct {
    const char *constant, *text;
  } keys[] = {FACTS(X)}, values[] = {FACT_VALUES(X)};
#undef X
  for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
    size_t k = 0; /* SCHEDULE_STATIC is a value of SCHEDULE */
    while (strncmp(values[i].constant, keys[k].constant, strlen(keys[k].constant)) != 0)
      assert_true(++k < sizeof keys / sizeof *keys);
    if (!is_said(trace, keys[k].text, values[i].text))
      fail_msg("no %s: %s", keys[k].text, values[i].text);
  }
  assert_null(trace_region_fact(region_of(trace, R_PARALLEL), FACT_SCHEDULE));
  assert_false(is_said(trace, FACT_STATE, "blocked in"));
  assert_int_equal(imbalance_schedule(region_of(trace, R_PARALLEL)), SCHEDULE_NONE);
  assert_int_equal(imbalance_schedule(region_of(trace, R_LOOP_STATIC)), SCHEDULE_STATIC);
  assert_int_equal(imbalance_schedule(region_of(trace, R_LOOP_DYNAMIC)), SCHEDULE_DYNAMIC);
  assert_int_equal(imbalance_schedule(region_of(trace, R_LOOP_GUIDED)), SCHEDULE_GUIDED);
  assert_int_equal(imbalance_schedule(region_of(trace, R_LOOP_OTHER)), SCHEDULE_OTHER);
  assert_int_equal(imbalance_schedule(region_of(trace, R_LOOP)), SCHEDULE_OTHER);
}

static void attributes_are_known(void **state)
{
  const struct trace *trace = ((struct fixture *)*state)->trace;
  const OTF2_AttributeRef known[][2] = {{trace->first_iteration, A_FIRST},
                                        {trace->iterations, A_ITERATIONS},
                                        {trace->chunks, A_CHUNKS},
                                        {trace->derived, A_DERIVED},
                                        {trace->omitted_construct, A_CONSTRUCT},
                                        {trace->instances, A_INSTANCES},
                                        {trace->joined, A_JOINED},
                                        {trace->time, A_TIME},
                                        {trace->object_class, A_OBJECT_CLASS},
                                        {trace->object, A_OBJECT},
                                        {trace->owner, A_OWNER},
                                        {trace->owner_place, A_OWNER_PLACE},
                                        {trace->thread, A_THREAD},
                                        {trace->virtual_thread, A_VIRTUAL_THREAD},
                                        {trace->row, A_ROW},
                                        {trace->self, A_SELF},
                                        {trace->longest, A_LONGEST},
                                        {trace->contended, A_CONTENDED},
                                        {trace->waiting, A_WAITING},
                                        {trace->since_begin, A_SINCE_BEGIN},
                                        {trace->metric, A_METRIC},
                                        {trace->number, A_NUMBER},
                                        {trace->about, A_ABOUT},
                                        {trace->value_of, A_VALUE_OF},
                                        {trace->around, A_AROUND},
                                        {trace->held, A_HELD},
                                        {trace->sum, A_SUM},
                                        {trace->last, A_LAST},
                                        {trace->real_sum, A_REAL_SUM},
                                        {trace->real_last, A_REAL_LAST},
                                        {trace->timed_out, A_TIMED_OUT},
                                        {trace->interrupted, A_INTERRUPTED},
                                        {trace->uncontended, A_UNCONTENDED},
                                        {trace->lock, A_LOCK},
                                        {trace->callers, A_CALLERS},
                                        {trace->closed, A_CLOSED}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    assert_int_equal(known[i][0], known[i][1]);
}

struct values {
  const struct trace *trace;
  size_t enters;
};

static void expect_attribute(const struct trace *trace, const struct trace_event *event, uint32_t ref, OTF2_Type type)
{
  if (type == OTF2_TYPE_INT64)
    assert_int_equal(trace_attribute_signed(event, ref, 0), -1000 - (int64_t)ref);
  else if (type == OTF2_TYPE_DOUBLE) {
    double real = 0;
    assert_true(trace_attribute_real(event, ref, &real));
    assert_true(real == -1000.5 - (double)ref);
  } else if (type == OTF2_TYPE_STRING)
    assert_string_equal(trace_attribute_text(trace, event, ref), "not left");
  else if (type == OTF2_TYPE_REGION)
    assert_string_equal(trace->regions[trace_attribute_region(trace, event, ref)].name, REGION_MONITOR_OWNER);
  else
    assert_int_equal(trace_attribute(event, ref, 0), type == OTF2_TYPE_UINT8 ? 1 : 1000 + ref);
}

/* The first event has all attributes; the others one of the texts each. */
static bool take_event(void *context, const struct trace_event *event)
{
  static const OTF2_Type types[] = {
#define X(constant, name, type, description) OTF2_TYPE_##type,
      ATTRIBUTES(X)
#undef X
  };
  static const struct {
    uint32_t ref;
    const char *text;
  } texts[] = {
#define X(constant, text) {A_CLOSED, text},
      CLOSED_VALUES(X)
#undef X
#define X(constant, text) {A_CANCEL, text},
          CANCEL_VALUES(X)
#undef X
#define X(constant, text) {A_ROW, text},
              ROW_VALUES(X)
#undef X
#define X(constant, text) {A_METRIC, text},
                  METRIC_VALUES(X)
#undef X
  };
  struct values *values = context;
  if (event->kind != TRACE_Enter)
    return true;
  size_t number = values->enters++;
  assert_true(number <= sizeof texts / sizeof *texts);
  for (uint32_t i = 0; number == 0 && i < ATTRIBUTE_NUMBERS; i++)
    expect_attribute(values->trace, event, i, types[i]);
  if (number > 0)
    assert_string_equal(trace_attribute_text(values->trace, event, texts[number - 1].ref), texts[number - 1].text);
  return true;
}

static void attributes_are_read(void **state)
{
  struct values values = {((struct fixture *)*state)->trace, 0};
  struct error error;
  uint64_t events;
  uint32_t location = ref_map_get(&values.trace->location_of, 0);
  struct trace_stream *stream = trace_stream_open(values.trace, location, take_event, &values, &error);
  if (!stream || !trace_stream_read(stream, UINT64_MAX, &events))
    fail_msg("%s", error.message);
  trace_stream_close(stream);
  assert_int_equal(values.enters, 29);
}

UNIT_TEST(archive_names)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(properties_are_read),      cmocka_unit_test(values_of_properties_are_read),
      cmocka_unit_test(regions_are_read),         cmocka_unit_test(regions_mean_what_they_are_called),
      cmocka_unit_test(parts_of_names_are_there), cmocka_unit_test(facts_are_read),
      cmocka_unit_test(attributes_are_known),     cmocka_unit_test(attributes_are_read),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
