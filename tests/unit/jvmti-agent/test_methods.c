/* Hooks of exact calls: which methods get them, and where; and that no damaged class file harms. That the JVM takes the
 * result, and that programs do what they did, is for tests/end-to-end/java_exact_calls.py. */
#include "jvmti-agent/weaver/call_hooks.h"
#include "tests/unit/jvmti-agent/held_class.h"
#include "tests/unit/unit.h"

#include <stdlib.h>

static int32_t take(void *context, const struct weave_match *match)
{
  unsigned *count = context;
  assert_int_equal(match->pc, 0);
  return (int32_t)++*count;
}

static int32_t take_constructor(void *context, const struct weave_match *match)
{
  return span_is(class_utf8(match->file, match->method->name), "<init>") ? take(context, match) : -1;
}

/* How often a method calls each hook; that its instructions can be read to the end. */
struct calls {
  unsigned called, left, caught, returns;
};

static struct calls calls_in(const struct class_file *file, const struct class_method *method)
{
  struct calls calls = {0};
  struct class_method_ref ref;
  uint32_t pc = 0, length;
  for (; (length = class_instruction(file, method, pc)) > 0; pc += length) {
    uint8_t op = file->bytes[method->code + pc];
    calls.returns += op >= 172 && op <= 177;
    if (op != 184 || !class_method_ref(file, class_u2(file->bytes + method->code + pc + 1), &ref))
      continue;
    assert_true(span_is(ref.owner, "java/lang/HeddleHook"));
    calls.called += span_is(ref.name, "called");
    calls.left += span_is(ref.name, "left");
    calls.caught += span_is(ref.name, "caught");
  }
  assert_int_equal(pc, method->code_size);
  return calls;
}

/* A constructor has a second handler; handlers of synchronized blocks lead back to themselves, and get no hook. */
static void each_method_reports_its_begin_and_its_ends(void **state)
{
  (void)state;
  unsigned count = 0, unchanged;
  struct class_file file;
  struct buffer woven = call_hooks_weave(held_class, sizeof held_class, take, &count, &unchanged);
  assert_int_equal(unchanged, 0);
  assert_int_equal(count, 5);
  assert_true(class_file_read(&file, woven.bytes, woven.size));
  for (unsigned i = 0; i < 5; i++) {
    bool constructs = span_is(class_utf8(&file, file.methods[i].name), "<init>");
    struct calls calls = calls_in(&file, &file.methods[i]);
    assert_int_equal(calls.called, 1);
    assert_int_equal(calls.left, calls.returns + (constructs ? 2 : 1));
    assert_int_equal(calls.caught, 0);
  }
  class_file_free(&file);
  free(woven.bytes);
}

static void others_stay_as_they_are(void **state)
{
  (void)state;
  unsigned count = 0, unchanged;
  struct class_file file;
  struct buffer woven = call_hooks_weave(held_class, sizeof held_class, take_constructor, &count, &unchanged);
  assert_int_equal(count, 1);
  assert_true(class_file_read(&file, woven.bytes, woven.size));
  for (unsigned i = 0; i < 5; i++)
    if (!span_is(class_utf8(&file, file.methods[i].name), "<init>"))
      assert_int_equal(calls_in(&file, &file.methods[i]).called, 0);
  class_file_free(&file);
  free(woven.bytes);
}

/* Every prefix, and every byte replaced by others: whatever comes out can be read. */
static void damage_harms_nobody(void **state)
{
  (void)state;
  static const uint8_t values[] = {0, 1, 0x7f, 0xb7, 0xbb, 0xff};
  uint8_t bytes[sizeof held_class];
  struct class_file file;
  unsigned count = 0, unchanged;
  for (size_t n = 0; n < sizeof held_class; n++) {
    uint8_t *prefix = malloc(n + 1);
    memcpy(prefix, held_class, n);
    assert_null(call_hooks_weave(prefix, n, take, &count, &unchanged).bytes);
    free(prefix);
    for (size_t i = 0; i < sizeof values; i++) {
      memcpy(bytes, held_class, sizeof bytes);
      bytes[n] = values[i];
      struct buffer woven = call_hooks_weave(bytes, sizeof bytes, take, &count, &unchanged);
      if (woven.bytes) {
        assert_true(class_file_read(&file, woven.bytes, woven.size));
        class_file_free(&file);
      }
      free(woven.bytes);
    }
  }
}

UNIT_TEST(methods)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_method_reports_its_begin_and_its_ends),
      cmocka_unit_test(others_stay_as_they_are),
      cmocka_unit_test(damage_harms_nobody),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
