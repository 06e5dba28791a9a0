#include "tests/unit/otf2-convert/trace_test.h"

#include "otf2-convert/convert.h"
#include "otf2-convert/describe/describe.h"
#include "tests/unit/otf2-convert/archive_text.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void trace_test_begin(struct trace_test *trace)
{
  strcpy(trace->path, "/tmp/heddle-test-XXXXXX");
  assert_non_null(mkdtemp(trace->path));
  snprintf(trace->anchor, sizeof trace->anchor, "%s/traces.otf2", trace->path);
}

void trace_test_end(struct trace_test *trace)
{
  char command[64];
  snprintf(command, sizeof command, "rm -rf %s", trace->path);
  assert_int_equal(system(command), 0);
}

int trace_test_set_up(void **state)
{
  struct trace_test *trace = calloc(1, sizeof *trace);
  assert_non_null(trace);
  trace_test_begin(trace);
  *state = trace;
  return 0;
}

int trace_test_tear_down(void **state)
{
  trace_test_end(*state);
  free(*state);
  return 0;
}

void trace_test_convert(const struct trace_test *trace)
{
  static struct definitions definitions;
  struct plan plan;
  struct error error;
  struct archive archive;
  struct converted converted;
  int fd = open(trace->path, O_RDONLY | O_DIRECTORY);
  const struct convert_settings settings = {.jobs = 2, .slice_bytes = 1, .trace_fd = fd};
  assert_int_equal(plan_open(&plan, fd, trace->path, PLAN_LIVE_REFUSE, &error), PLAN_READY);
  definitions_begin(&definitions, &plan);
  assert_int_equal(archive_open(&archive, trace->path, fd, plan.location_count), 0);
  assert_int_equal(convert_events(&converted, &plan, &archive, &definitions, &settings), 0);
  assert_int_equal(describe_archive(&plan, &converted, &definitions, &archive, fd), 0);
  assert_int_equal(describe_samples(&plan, &converted, &definitions, fd), 0);
  assert_int_equal(archive_finish(&archive), 0);
  converted_free(&converted);
  definitions_free(&definitions);
  plan_close(&plan);
  close(fd);
}

enum plan_result trace_test_plan(const struct trace_test *trace)
{
  struct plan plan;
  struct error error;
  int fd = open(trace->path, O_RDONLY | O_DIRECTORY);
  enum plan_result result = plan_open(&plan, fd, trace->path, PLAN_LIVE_REFUSE, &error);
  plan_close(&plan);
  close(fd);
  return result;
}

void trace_test_events(const struct trace_test *trace, uint64_t location, const char *events)
{
  char *text = archive_text(trace->anchor, location);
  assert_non_null(text);
  assert_string_equal(text, events);
  free(text);
}

void trace_test_definitions(const struct trace_test *trace, const char *kind, const char *lines)
{
  char *text = archive_definitions_text(trace->anchor, kind);
  assert_non_null(text);
  assert_string_equal(text, lines);
  free(text);
}

void trace_test_property(const struct trace_test *trace, const char *name, const char *value)
{
  char *text = archive_property(trace->anchor, name);
  assert_non_null(text);
  assert_string_equal(text, value);
  free(text);
}
