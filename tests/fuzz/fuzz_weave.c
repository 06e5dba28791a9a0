/*
 * libFuzzer target: any bytes as a class file, woven as a JVM's classes are. What is woven must be a class file again,
 * and weaving must end without reading anything that is not the input's.
 */
#include "jvmti-agent/weaver/weave.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* These are in corpus/classes/sample, the class of tests/unit/jvmti-agent/Sample.java. */
static const struct weave_target calls = {WEAVE_CALLS, "Runtime", "ticket", .hooks = HOOK_EXIT};
static const struct weave_target inherited = {WEAVE_INHERITED, "Base", "go", .hooks = HOOK_BOTH};
static const struct weave_target method = {WEAVE_METHOD, "Sample", "mixed", .query = "count", .hooks = HOOK_BOTH};
static const struct weave_target *const targets[] = {&calls, &inherited, &method};

/* Asks all that a table's rows may ask about a match. */
static int32_t look_at(void *context, const struct weave_target *target, const struct weave_match *match)
{
  uint32_t cases[256];
  (void)context, (void)target;
  class_line(match->file, match->method, match->pc);
  class_is_compared_with_zero(match->file, match->method, match->next);
  unsigned n = class_switch(match->file, match->method, match->next, cases, 256);
  for (unsigned i = 0; i < n; i++)
    class_line(match->file, match->method, cases[i]);
  return 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  struct weave_plan plan = {.targets = targets, .count = 3, .site = look_at};
  struct buffer woven = weave(data, size, &plan);
  struct class_file file;
  if (woven.bytes && !class_file_read(&file, woven.bytes, woven.size))
    abort();
  if (woven.bytes)
    class_file_free(&file);
  free(woven.bytes);
  return 0;
}
