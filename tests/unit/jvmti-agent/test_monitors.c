/* Hooks at monitors: which methods get them, that all that is moved stays in order, and that no damaged class file
 * harms. That the JVM takes the result, and that programs do what they did, is for tests/end-to-end/java.py. */
#include "jvmti-agent/weaver/monitor_hooks.h"
#include "tests/unit/jvmti-agent/held_class.h"
#include "tests/unit/unit.h"

#include <stdlib.h>

struct seen {
  unsigned count, lines[8];
};

static int32_t see(void *context, const struct weave_match *match)
{
  struct seen *seen = context;
  seen->lines[seen->count % 8] = class_line(match->file, match->method, match->pc);
  return (int32_t)seen->count++;
}

static int32_t refuse(void *context, const struct weave_match *match)
{
  (void)context, (void)match;
  return -1;
}

static struct buffer weave_held(struct seen *seen)
{
  unsigned unchanged;
  *seen = (struct seen){0};
  struct buffer woven = monitor_hooks_weave(held_class, sizeof held_class, see, seen, &unchanged);
  assert_non_null(woven.bytes);
  assert_int_equal(unchanged, 0);
  return woven;
}

static void each_monitor_is_seen_where_it_is_taken(void **state)
{
  (void)state;
  struct seen seen;
  struct buffer woven = weave_held(&seen);
  assert_int_equal(seen.count, 4);
  assert_int_equal(seen.lines[0], 6);
  assert_int_equal(seen.lines[1], 14);
  assert_int_equal(seen.lines[2], 24);
  assert_int_equal(seen.lines[3], 27);
  free(woven.bytes);
}

/* How often a method calls each hook; that its instructions can be read to the end. */
struct calls {
  unsigned acquired, released;
};

static struct calls calls_in(const struct class_file *file, const struct class_method *method)
{
  struct calls calls = {0};
  struct class_method_ref ref;
  uint32_t pc = 0, length;
  for (; (length = class_instruction(file, method, pc)) > 0; pc += length)
    if (file->bytes[method->code + pc] == 184 &&
        class_method_ref(file, class_u2(file->bytes + method->code + pc + 1), &ref)) {
      assert_true(span_is(ref.owner, "java/lang/HeddleHook"));
      calls.acquired += span_is(ref.name, "acquired");
      calls.released += span_is(ref.name, "released");
    }
  assert_int_equal(pc, method->code_size);
  return calls;
}

static void each_way_out_tells(void **state)
{
  (void)state;
  static const struct {
    const char *name;
    struct calls calls;
  } wanted[] = {{"<init>", {0, 0}}, {"blocks", {2, 7}}, {"method", {1, 2}}, {"ofClass", {1, 2}}, {"nothing", {0, 0}}};
  struct seen seen;
  struct class_file file;
  struct buffer woven = weave_held(&seen);
  assert_true(class_file_read(&file, woven.bytes, woven.size));
  assert_int_equal(file.method_count, 5);
  for (unsigned i = 0; i < 5; i++) {
    assert_true(span_is(class_utf8(&file, file.methods[i].name), wanted[i].name));
    struct calls calls = calls_in(&file, &file.methods[i]);
    assert_int_equal(calls.acquired, wanted[i].calls.acquired);
    assert_int_equal(calls.released, wanted[i].calls.released);
  }
  /* The last line of the loop's method is where it was in the source. */
  assert_int_equal(class_line(&file, &file.methods[1], file.methods[1].code_size - 1), 20);
  class_file_free(&file);
  free(woven.bytes);
}

static void what_is_refused_stays_as_it_is(void **state)
{
  (void)state;
  unsigned unchanged;
  assert_null(monitor_hooks_weave(held_class, sizeof held_class, refuse, NULL, &unchanged).bytes);
  assert_int_equal(unchanged, 3);
}

/* Every prefix, and every byte replaced by others: whatever comes out can be read. */
static void damage_harms_nobody(void **state)
{
  (void)state;
  static const uint8_t values[] = {0, 1, 0x7f, 0xc2, 0xc3, 0xff};
  uint8_t bytes[sizeof held_class];
  struct seen seen = {0};
  struct class_file file;
  unsigned unchanged;
  for (size_t n = 0; n < sizeof held_class; n++) {
    uint8_t *prefix = malloc(n + 1);
    memcpy(prefix, held_class, n);
    assert_null(monitor_hooks_weave(prefix, n, see, &seen, &unchanged).bytes);
    free(prefix);
    for (size_t i = 0; i < sizeof values; i++) {
      memcpy(bytes, held_class, sizeof bytes);
      bytes[n] = values[i];
      struct buffer woven = monitor_hooks_weave(bytes, sizeof bytes, see, &seen, &unchanged);
      if (woven.bytes) {
        assert_true(class_file_read(&file, woven.bytes, woven.size));
        class_file_free(&file);
      }
      free(woven.bytes);
    }
  }
}

UNIT_TEST(monitors)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_monitor_is_seen_where_it_is_taken),
      cmocka_unit_test(each_way_out_tells),
      cmocka_unit_test(what_is_refused_stays_as_it_is),
      cmocka_unit_test(damage_harms_nobody),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
