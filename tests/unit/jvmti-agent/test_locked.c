/* Hooks at blocks that lock what a call gave: where they are put, beside all monitors' hooks, and that no damaged class
 * file harms. That the JVM takes the result, and that programs do what they did, is for tests/end-to-end/jomp.py.
 */
#include "jvmti-agent/weaver/class_file.h"
#include "jvmti-agent/weaver/hooks.h"
#include "jvmti-agent/weaver/monitor_hooks.h"
#include "jvmti-agent/weaver/rewrite.h"
#include "jvmti-agent/weaver/weave.h"
#include "tests/unit/jvmti-agent/locked_class.h"
#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>

static const struct weave_target of = {WEAVE_CALLS, "Locks", "of", .hooks = HOOK_EXIT | HOOK_VALUES | HOOK_LOCK,
                                       .guard = GUARD_LOCK};
static const struct weave_target *const all[] = {&of};

struct seen {
  unsigned count, lines[8];
  bool locks[8];
};

static int32_t see(void *context, const struct weave_target *target, const struct weave_match *match)
{
  struct seen *seen = context;
  (void)target;
  seen->lines[seen->count % 8] = class_line(match->file, match->method, match->pc);
  seen->locks[seen->count % 8] = match->locks;
  return (int32_t)(seen->count++ % 8);
}

static struct buffer weave_bytes(const uint8_t *bytes, size_t size, struct seen *seen)
{
  unsigned unchanged;
  struct weave_plan plan = {.targets = all, .count = 1, .site = see, .context = seen};
  *seen = (struct seen){0};
  return weave(bytes, size, &plan, &unchanged);
}

/* Which hook is called at pc; "": none. */
static struct span hook_at(const struct class_file *file, const struct class_method *method, uint32_t pc)
{
  struct class_method_ref ref;
  const uint8_t *at = file->bytes + method->code + pc;
  bool calls = *at == OP_INVOKESTATIC && class_method_ref(file, class_u2(at + 1), &ref);
  return calls && span_is(ref.owner, HOOK_CLASS) ? ref.name : (struct span){"", 0};
}

static unsigned count(const struct class_file *file, const struct class_method *method, const char *hook)
{
  unsigned found = 0;
  uint32_t pc = 0, length;
  for (; (length = class_instruction(file, method, pc)) > 0; pc += length)
    found += span_is(hook_at(file, method, pc), hook);
  assert_int_equal(pc, method->code_size);
  return found;
}

static void a_block_is_seen_that_locks_at_once(void **state)
{
  (void)state;
  static const struct seen wanted = {4, {4, 12, 22, 24}, {true, true, false, false}};
  struct seen seen;
  struct buffer woven = weave_bytes(locked_class, sizeof locked_class, &seen);
  assert_non_null(woven.bytes);
  assert_memory_equal(&seen, &wanted, sizeof seen);
  free(woven.bytes);
}

static const struct class_method *method_of(const struct class_file *file, const char *name)
{
  for (unsigned i = 0; i < file->method_count; i++)
    if (span_is(class_utf8(file, file->methods[i].name), name))
      return &file->methods[i];
  fail_msg("there is no %s", name);
  return NULL;
}

/* Each hook of `block` in order: its name's first letters, and the number of its site. */
static void describe(const struct class_file *file, const struct class_method *method, char *text, size_t size)
{
  size_t used = 0;
  for (uint32_t pc = 0, length, before = 0; (length = class_instruction(file, method, pc)) > 0; pc += length) {
    const uint8_t *at = file->bytes + method->code;
    struct span hook = hook_at(file, method, pc);
    int more = 0;
    if (at[pc] == OP_MONITORENTER || at[pc] == OP_MONITOREXIT)
      more = snprintf(text + used, size - used, "%s ", at[pc] == OP_MONITORENTER ? "enter" : "exit");
    else if (hook.size > 0)
      more = snprintf(text + used, size - used, "%.*s(%u) ", (int)hook.size, hook.bytes,
                      (unsigned)class_u4(file->bytes + file->pool[class_u2(at + before + 1)] + 1));
    used += (size_t)more;
    before = pc;
  }
}

static void each_way_out_is_told(void **state)
{
  (void)state;
  char text[1024] = "";
  struct seen seen;
  struct class_file file;
  struct buffer woven = weave_bytes(locked_class, sizeof locked_class, &seen);
  assert_true(class_file_read(&file, woven.bytes, woven.size));
  describe(&file, method_of(&file, "block"), text, sizeof text);
  assert_string_equal(text, "exitOfLock(0) enter lockedOfLock(0) unlockedOfLock(0) exit " /* return 1 */
                            "exitOfLock(1) enter lockedOfLock(1) unlockedOfLock(1) exit " /* break */
                            "unlockedOfLock(1) exit exit unlockedOfLock(1) "              /* the end, and a handler */
                            "unlockedOfLock(0) exit exit unlockedOfLock(0) ");
  assert_int_equal(count(&file, method_of(&file, "later"), "lockedOfLock"), 0);
  assert_int_equal(count(&file, method_of(&file, "later"), "unlockedOfLock"), 0);
  assert_int_equal(count(&file, method_of(&file, "later"), "exitOfLock"), 0);
  assert_int_equal(count(&file, method_of(&file, "later"), "exitIfOn"), 2);
  class_file_free(&file);
  free(woven.bytes);
}

static int32_t any(void *context, const struct weave_match *match)
{
  (void)match;
  return ++*(int32_t *)context;
}

/* Hooks of all monitors can be put into a class that has these, and all of them be taken back. */
static void hooks_of_monitors_go_beside(void **state)
{
  (void)state;
  struct seen seen;
  struct class_file file;
  int32_t sites = 0;
  unsigned unchanged;
  struct buffer woven = weave_bytes(locked_class, sizeof locked_class, &seen);
  struct buffer both = monitor_hooks_weave(woven.bytes, woven.size, any, &sites, &unchanged);
  assert_non_null(both.bytes);
  assert_int_equal(unchanged, 0);
  assert_int_equal(sites, 3);
  assert_true(class_file_read(&file, both.bytes, both.size));
  assert_int_equal(count(&file, method_of(&file, "block"), "acquired"), 2);
  assert_int_equal(count(&file, method_of(&file, "block"), "released"), 6);
  assert_int_equal(count(&file, method_of(&file, "block"), "unlockedOfLock"), 6);
  class_file_free(&file);
  struct buffer back = rewrite_undo(both.bytes, both.size);
  assert_int_equal(back.size, sizeof locked_class);
  assert_memory_equal(back.bytes, locked_class, sizeof locked_class);
  free(back.bytes);
  free(both.bytes);
  free(woven.bytes);
}

/* Every prefix, and every byte replaced by others: whatever comes out can be read. */
static void damage_harms_nobody(void **state)
{
  (void)state;
  static const uint8_t values[] = {0, 1, 0x2a, 0x3a, 0xc2, 0xc3, 0xff};
  struct seen seen;
  struct class_file file;
  for (size_t n = 0; n < sizeof locked_class; n++)
    for (size_t i = 0; i <= sizeof values; i++) {
      size_t size = i == sizeof values ? n : sizeof locked_class;
      uint8_t *bytes = malloc(size + 1);
      memcpy(bytes, locked_class, size);
      if (i < sizeof values)
        bytes[n] = values[i];
      struct buffer woven = weave_bytes(bytes, size, &seen);
      if (woven.bytes) {
        assert_true(class_file_read(&file, woven.bytes, woven.size));
        class_file_free(&file);
      }
      free(woven.bytes);
      free(bytes);
    }
}

UNIT_TEST(locked)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_block_is_seen_that_locks_at_once), cmocka_unit_test(each_way_out_is_told),
      cmocka_unit_test(hooks_of_monitors_go_beside), cmocka_unit_test(damage_harms_nobody)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
