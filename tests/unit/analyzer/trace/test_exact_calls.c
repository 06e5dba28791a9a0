/* The reader of exact calls, on archives that are written here: sums, lines of calls, parents, and damage. */
#include "analyzer/trace/exact_calls.h"
#include "tests/unit/unit.h"

#include <otf2/otf2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CALLS, INCLUSIVE, SELF, SITE, BELOW_64, FOREIGN, ATTRIBUTES_HERE };

static char directory[64], anchor[96];
static struct trace_location locations[3] = {
    {.name = "first"}, {.name = "second", .ref = 1}, {.name = "third", .ref = 2}};

static OTF2_FlushType flush(void *data, OTF2_FileType type, OTF2_LocationRef location, void *caller, bool final)
{
  (void)data, (void)type, (void)location, (void)caller, (void) final;
  return OTF2_FLUSH;
}

static void write_definitions(OTF2_GlobalDefWriter *writer)
{
  static const char *const strings[] = {"",
                                        "main",
                                        "work",
                                        "w.c",
                                        "/bin/w",
                                        "calls",
                                        "inclusive",
                                        "self",
                                        "called at",
                                        "shorter than 2^6",
                                        "something else"};
  static const OTF2_Type types[] = {OTF2_TYPE_UINT64, OTF2_TYPE_UINT64,
                                    OTF2_TYPE_UINT64, OTF2_TYPE_SOURCE_CODE_LOCATION,
                                    OTF2_TYPE_UINT64, OTF2_TYPE_UINT64};
  OTF2_GlobalDefWriter_WriteClockProperties(writer, 1000000, 0, 100, OTF2_UNDEFINED_TIMESTAMP);
  for (uint32_t i = 0; i < sizeof strings / sizeof *strings; i++)
    OTF2_GlobalDefWriter_WriteString(writer, i, strings[i]);
  for (uint32_t i = 0; i < ATTRIBUTES_HERE; i++)
    OTF2_GlobalDefWriter_WriteAttribute(writer, i, 5 + i, 0, types[i]);
  OTF2_GlobalDefWriter_WriteSystemTreeNode(writer, 0, 0, 0, OTF2_UNDEFINED_SYSTEM_TREE_NODE);
  OTF2_GlobalDefWriter_WriteLocationGroup(writer, 0, 0, OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
                                          OTF2_UNDEFINED_LOCATION_GROUP);
  for (uint32_t i = 0; i < 3; i++)
    OTF2_GlobalDefWriter_WriteLocation(writer, i, 0, OTF2_LOCATION_TYPE_CPU_THREAD, i < 2, 0);
  for (uint32_t i = 0; i < 2; i++)
    OTF2_GlobalDefWriter_WriteRegion(writer, 10 + i, 1 + i, 1 + i, 4, OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_COMPILER,
                                     OTF2_REGION_FLAG_NONE, 3, 20 * (i + 1), 0);
  OTF2_GlobalDefWriter_WriteSourceCodeLocation(writer, 7, 3, 20);
  OTF2_GlobalDefWriter_WriteSourceCodeLocation(writer, 8, 3, 25);
  OTF2_GlobalDefWriter_WriteCallingContext(writer, 100, 10, 7, OTF2_UNDEFINED_CALLING_CONTEXT);
  OTF2_GlobalDefWriter_WriteCallingContext(writer, 101, 11, OTF2_UNDEFINED_SOURCE_CODE_LOCATION, 100);
}

static void write_sums(OTF2_EvtWriter *writer, uint32_t context, const uint64_t *numbers, uint32_t site)
{
  OTF2_AttributeList *list = OTF2_AttributeList_New();
  OTF2_AttributeList_AddUint64(list, CALLS, numbers[0]);
  OTF2_AttributeList_AddUint64(list, INCLUSIVE, numbers[1]);
  OTF2_AttributeList_AddUint64(list, SELF, numbers[2]);
  OTF2_AttributeList_AddUint64(list, BELOW_64, numbers[0]);
  OTF2_AttributeList_AddUint64(list, FOREIGN, 12345);
  if (site != 0)
    OTF2_AttributeList_AddSourceCodeLocationRef(list, SITE, site);
  assert_int_equal(OTF2_EvtWriter_CallingContextSample(writer, list, 50, context, 1, 0), OTF2_SUCCESS);
  OTF2_AttributeList_Delete(list);
}

static int write_archive(void **state)
{
  (void)state;
  static const OTF2_FlushCallbacks callbacks = {.otf2_pre_flush = flush};
  strcpy(directory, "/tmp/heddle-exact-XXXXXX");
  assert_non_null(mkdtemp(directory));
  snprintf(anchor, sizeof anchor, "%s/traces.otf2", directory);
  OTF2_Archive *archive = OTF2_Archive_Open(directory, "calls", OTF2_FILEMODE_WRITE, 1 << 20, 1 << 20,
                                            OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
  OTF2_Archive_SetFlushCallbacks(archive, &callbacks, NULL);
  OTF2_Archive_SetSerialCollectiveCallbacks(archive);
  OTF2_Archive_OpenEvtFiles(archive);
  OTF2_EvtWriter *first = OTF2_Archive_GetEvtWriter(archive, 0), *second = OTF2_Archive_GetEvtWriter(archive, 1);
  write_sums(first, 100, (uint64_t[]){1, 40, 10}, 0);
  write_sums(first, 101, (uint64_t[]){3, 30, 30}, 8);
  write_sums(second, 101, (uint64_t[]){2, 5, 5}, 8);
  write_sums(second, 999, (uint64_t[]){1, 1, 1}, 0);
  OTF2_Archive_CloseEvtFiles(archive);
  OTF2_Archive_OpenDefFiles(archive);
  for (uint32_t i = 0; i < 2; i++)
    OTF2_Archive_CloseDefWriter(archive, OTF2_Archive_GetDefWriter(archive, i));
  OTF2_Archive_CloseDefFiles(archive);
  write_definitions(OTF2_Archive_GetGlobalDefWriter(archive));
  return OTF2_Archive_Close(archive) == OTF2_SUCCESS ? 0 : -1;
}

static int remove_archive(void **state)
{
  (void)state;
  char command[128];
  snprintf(command, sizeof command, "rm -r %s", directory);
  return system(command);
}

/* A trace whose run has calls, or has none. */
static struct trace make_trace(bool calls)
{
  static char name[] = "HEDDLE::CALLS", value[] = "3";
  static struct trace_property property = {.name = name, .value = value, .next = TRACE_NONE};
  struct trace trace = {.anchor = anchor, .properties = &property};
  if (calls)
    assert_true(ref_map_set(&trace.first_property, trace_owner_key(TRACE_OF_ARCHIVE, 0), 0));
  return trace;
}

static bool add(void *list, const struct exact_calls_sums *sums)
{
  struct exact_calls_sums **next = list;
  *(*next)++ = *sums;
  return true;
}

static void contexts_have_functions_lines_and_parents(void **state)
{
  (void)state;
  struct error error = {0};
  struct trace trace = make_trace(true);
  bool none;
  struct exact_calls *calls = exact_calls_open(&trace, &none, &error);
  assert_non_null(calls);
  const struct samples *paths = calls->paths;
  assert_int_equal(paths->context_count, 2);
  assert_string_equal(paths->functions[paths->contexts[0].function].name, "main");
  assert_string_equal(paths->functions[paths->contexts[0].function].module, "/bin/w");
  assert_int_equal(paths->contexts[0].line, 20);
  assert_int_equal(paths->contexts[0].parent, TRACE_NONE);
  assert_string_equal(paths->functions[paths->contexts[1].function].name, "work");
  assert_int_equal(paths->functions[paths->contexts[1].function].line, 40);
  assert_int_equal(paths->contexts[1].parent, 0);
  assert_string_equal(paths->contexts[1].file, "");
  exact_calls_close(calls);
  ref_map_free(&trace.first_property);
}

static void sums_are_those_of_the_location(void **state)
{
  (void)state;
  struct error error = {0};
  struct trace trace = make_trace(true);
  bool none;
  struct exact_calls *calls = exact_calls_open(&trace, &none, &error);
  struct exact_calls_sums sums[4], *next = sums;
  assert_non_null(calls);
  assert_true(exact_calls_read(calls, &locations[0], add, &next, &error));
  assert_int_equal(next - sums, 2);
  assert_int_equal(sums[0].context, 0);
  assert_int_equal(sums[0].inclusive, 40);
  assert_int_equal(sums[0].self, 10);
  assert_int_equal(sums[0].line, TRACE_NONE);
  assert_int_equal(sums[1].context, 1);
  assert_int_equal(sums[1].calls, 3);
  assert_int_equal(sums[1].durations[6], 3);
  assert_int_equal(calls->paths->lines[sums[1].line].line, 25);
  assert_string_equal(calls->paths->lines[sums[1].line].file, "w.c");
  assert_true(exact_calls_read(calls, &locations[2], add, &next, &error));
  assert_int_equal(next - sums, 2); /* it called nothing */
  assert_false(exact_calls_read(calls, &locations[1], add, &next, &error));
  assert_int_equal(next - sums, 3);
  assert_int_equal(sums[2].calls, 2);
  assert_non_null(strstr(error.message, "calls of second: some are in an undefined calling context"));
  exact_calls_close(calls);
  ref_map_free(&trace.first_property);
}

static bool stop(void *count, const struct exact_calls_sums *sums)
{
  (void)sums;
  ++*(int *)count;
  return false;
}

static void a_visitor_may_end_the_reading(void **state)
{
  (void)state;
  struct error error = {0};
  struct trace trace = make_trace(true);
  bool none;
  int count = 0;
  struct exact_calls *calls = exact_calls_open(&trace, &none, &error);
  assert_non_null(calls);
  assert_true(exact_calls_read(calls, &locations[0], stop, &count, &error));
  assert_int_equal(count, 1);
  exact_calls_close(calls);
  ref_map_free(&trace.first_property);
}

static void a_run_without_calls_has_none(void **state)
{
  (void)state;
  struct error error = {0};
  struct trace trace = make_trace(false);
  bool none = false;
  assert_null(exact_calls_open(&trace, &none, &error));
  assert_true(none);
}

static void what_is_missing_is_said(void **state)
{
  (void)state;
  struct error error = {0};
  struct trace trace = make_trace(true);
  bool none = true;
  char path[128], moved[128];
  snprintf(path, sizeof path, "%s/calls.otf2", directory);
  snprintf(moved, sizeof moved, "%s/moved", directory);
  assert_int_equal(rename(path, moved), 0);
  assert_null(exact_calls_open(&trace, &none, &error));
  assert_false(none);
  assert_non_null(strstr(error.message, "copy them with the trace"));
  assert_int_equal(rename(moved, path), 0);
  ref_map_free(&trace.first_property);
}

UNIT_TEST(exact_calls)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(contexts_have_functions_lines_and_parents), cmocka_unit_test(sums_are_those_of_the_location),
      cmocka_unit_test(a_visitor_may_end_the_reading), cmocka_unit_test(a_run_without_calls_has_none),
      cmocka_unit_test(what_is_missing_is_said)};
  return cmocka_run_group_tests_name("exact_calls", tests, write_archive, remove_archive);
}
