/*
 * libFuzzer target: any bytes as a class file, woven as a JVM's classes are. What is woven must be a class file again
 * and have no other methods. Weaving must end, and read nothing but the input. The woven class is taken back to the
 * input, to the byte.
 */
#include "jvmti-agent/weaver/lock_code.h"
#include "jvmti-agent/weaver/monitor_hooks.h"
#include "jvmti-agent/weaver/rewrite.h"
#include "jvmti-agent/weaver/weave.h"

#include <stdlib.h>

static void look_for_fields(const uint8_t *data, size_t size)
{
  struct class_file file;
  struct lock_field field;
  if (!class_file_read(&file, data, size))
    return;
  for (unsigned i = 0; i < file.method_count; i++)
    for (uint32_t pc = 0; pc < file.methods[i].code_size && pc < 64; pc++)
      if (lock_field_find(&file, &file.methods[i], pc, &field) && (!field.owner.bytes || !field.name.bytes))
        abort();
  class_file_free(&file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* These are in corpus/classes/sample, the class of tests/unit/jvmti-agent/Sample.java. */
static const struct weave_target calls = {WEAVE_CALLS, "Runtime", "ticket", .hooks = HOOK_BOTH | HOOK_VALUES};
static const struct weave_target inherited = {WEAVE_INHERITED, "Base", "go", .hooks = HOOK_BOTH | HOOK_VALUES};
static const struct weave_target method = {WEAVE_METHOD, "Sample", "mixed", .query = "count", .hooks = HOOK_BOTH};
/* ... and this one in corpus/classes/locked. */
static const struct weave_target locks = {WEAVE_CALLS, "Locks", "of", .hooks = HOOK_EXIT | HOOK_VALUES | HOOK_LOCK,
                                          .guard = GUARD_LOCK};
static const struct weave_target *const targets[] = {&calls, &inherited, &method, &locks};

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

static int32_t any_site(void *context, const struct weave_match *match)
{
  class_line(match->file, match->method, match->pc);
  (void)context;
  return 2;
}

static void require(bool holds)
{
  if (!holds)
    abort();
}

/* What was made of an input; frees it. */
static void check(struct buffer woven, const uint8_t *data, size_t size)
{
  struct class_file before, after;
  if (!woven.bytes)
    return;
  require(class_file_read(&before, data, size));
  require(class_file_read(&after, woven.bytes, woven.size));
  require(after.method_count == before.method_count);
  struct buffer back = rewrite_undo(woven.bytes, woven.size), first = rewrite_undo(data, size);
  /* An input may itself be woven: then both lead to what was there before. */
  const uint8_t *wanted = first.bytes ? first.bytes : data;
  size_t wanted_size = first.bytes ? first.size : size;
  require(back.size == wanted_size && memcmp(back.bytes, wanted, wanted_size) == 0);
  free(back.bytes);
  free(first.bytes);
  class_file_free(&before);
  class_file_free(&after);
  free(woven.bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  struct weave_plan plan = {.targets = targets, .count = sizeof targets / sizeof *targets, .site = look_at};
  unsigned left_out;
  struct buffer woven = weave(data, size, &plan, &left_out);
  if (woven.bytes)
    check(monitor_hooks_weave(woven.bytes, woven.size, any_site, NULL, &left_out), data, size);
  check(woven, data, size);
  check(monitor_hooks_weave(data, size, any_site, NULL, &left_out), data, size);
  look_for_fields(data, size);
  struct buffer undone = rewrite_undo(data, size);
  free(undone.bytes);
  return 0;
}
