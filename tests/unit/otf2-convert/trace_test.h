/*
 * A raw trace that a test composes in a directory of its own, its conversion, and checks of the result. For cmocka: a
 * difference fails the test.
 */
#ifndef HEDDLE_TESTS_TRACE_TEST_H
#define HEDDLE_TESTS_TRACE_TEST_H

#include "otf2-convert/plan/plan.h"
#include "tests/unit/otf2-convert/raw_writer.h"
#include "tests/unit/unit.h"

struct trace_test {
  char path[32];   /* the trace directory; raw_write_process puts processes into it */
  char anchor[64]; /* of the archive that will be in it */
};

void trace_test_begin(struct trace_test *trace);
void trace_test_end(struct trace_test *trace);
/* The same for cmocka, where the state is a trace_test and nothing else. */
int trace_test_set_up(void **state);
int trace_test_tear_down(void **state);

/* Converts, in slices so small that every chunk is one. The raw trace stays. */
void trace_test_convert(const struct trace_test *trace);
/* What plan_open returns instead. */
enum plan_result trace_test_plan(const struct trace_test *trace);

/* The events of a location, as archive_text has them. */
void trace_test_events(const struct trace_test *trace, uint64_t location, const char *events);
/* The definitions of one kind, as archive_definitions has them; for a property of the archive, one. */
void trace_test_definitions(const struct trace_test *trace, const char *kind, const char *lines);
void trace_test_property(const struct trace_test *trace, const char *name, const char *value);

#endif
