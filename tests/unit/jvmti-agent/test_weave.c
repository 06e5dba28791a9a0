/* The weaver: what it makes of a class, and that no damaged class file harms it. That the JVM takes what it makes, and
 * that woven programs do what they did, is for tests/end-to-end/jomp.py. */
#include "jvmti-agent/weaver/class_file.h"
#include "jvmti-agent/weaver/hooks.h"
#include "jvmti-agent/weaver/rewrite.h"
#include "jvmti-agent/weaver/weave.h"
#include "tests/unit/jvmti-agent/held_class.h"
#include "tests/unit/jvmti-agent/sample_class.h"
#include "tests/unit/unit.h"

#include <stdlib.h>

static const struct weave_target ticket = {WEAVE_CALLS, "Runtime", "ticket", "(I)J", .hooks = HOOK_BOTH | HOOK_VALUES};
static const struct weave_target go = {WEAVE_INHERITED, "Base", "go", .hooks = HOOK_BOTH};
static const struct weave_target mixed = {WEAVE_METHOD, "Sample", "mixed", .query = "count", .hooks = HOOK_BOTH};
static const struct weave_target *const all[] = {&ticket, &go, &mixed};

struct seen {
  unsigned calls, methods, unchanged, lines[8], sections[8];
  bool zero[8];
};

static int32_t see(void *context, const struct weave_target *target, const struct weave_match *match)
{
  struct seen *seen = context;
  uint32_t cases[16];
  if (target->where != WEAVE_CALLS) {
    seen->methods++;
    return 1000;
  }
  unsigned n = seen->calls++ % 8;
  seen->lines[n] = class_line(match->file, match->method, match->pc);
  seen->sections[n] = class_switch(match->file, match->method, match->next, cases, 16);
  seen->zero[n] = class_is_compared_with_zero(match->file, match->method, match->next);
  return (int32_t)n;
}

static struct buffer weave_all(const uint8_t *bytes, size_t size, struct seen *seen)
{
  struct weave_plan plan = {.targets = all, .count = 3, .site = see, .context = seen};
  *seen = (struct seen){0};
  return weave(bytes, size, &plan, &seen->unchanged);
}

static const struct class_method *find(const struct class_file *file, const char *name)
{
  for (unsigned i = 0; i < file->method_count; i++)
    if (span_is(class_utf8(file, file->methods[i].name), name))
      return &file->methods[i];
  return NULL;
}

static void reads_what_javac_wrote(void **state)
{
  (void)state;
  struct class_file file;
  assert_true(class_file_read(&file, sample_class, sizeof sample_class));
  assert_int_equal(file.major, 52);
  assert_true(span_is(class_name(&file, file.this_class), "Sample"));
  assert_true(span_is(class_name(&file, file.super_class), "Base"));
  assert_true(span_is(class_utf8(&file, file.source_file), "Sample.java"));
  assert_int_equal(file.method_count, 7);
  const struct class_method *single = find(&file, "single");
  assert_non_null(single);
  assert_int_equal(class_line(&file, single, 0), 30);
  class_file_free(&file);
}

/* The call sites are seen with their lines and with the switch that the result goes to. */
static void sees_calls_and_switches(void **state)
{
  (void)state;
  struct seen seen;
  struct buffer woven = weave_all(sample_class, sizeof sample_class, &seen);
  assert_non_null(woven.bytes);
  assert_int_equal(seen.calls, 3);
  assert_int_equal(seen.lines[0], 8);
  assert_int_equal(seen.lines[1], 21);
  assert_int_equal(seen.lines[2], 30);
  assert_int_equal(seen.sections[0], 3);
  assert_int_equal(seen.sections[1], 1);
  assert_int_equal(seen.sections[2], 0);
  assert_false(seen.zero[0]);
  assert_false(seen.zero[1]);
  assert_true(seen.zero[2]);
  assert_int_equal(seen.methods, 2);
  free(woven.bytes);
}

/* How often a method calls each hook; that its instructions can be read to the end. */
struct calls {
  unsigned enter, exit, thrown, others;
};

static struct calls calls_in(const struct class_file *file, const struct class_method *method)
{
  struct calls calls = {0};
  struct class_method_ref ref;
  uint32_t pc = 0, length;
  for (; (length = class_instruction(file, method, pc)) > 0; pc += length)
    if (file->bytes[method->code + pc] == 184) {
      assert_true(class_method_ref(file, class_u2(file->bytes + method->code + pc + 1), &ref));
      bool hook = span_is(ref.owner, HOOK_CLASS);
      calls.enter +=
          hook && (span_is(ref.name, "enter") || span_is(ref.name, "begin") || span_is(ref.name, "number") ||
                   span_is(ref.name, "object") || span_is(ref.name, "hashed") || span_is(ref.name, "classed"));
      calls.exit +=
          hook && (span_is(ref.name, "exit") || span_is(ref.name, "end") || span_is(ref.name, "result") ||
                   span_is(ref.name, "fields") || span_is(ref.name, "locked") || span_is(ref.name, "unlocked"));
      calls.thrown += hook && span_is(ref.name, "thrown");
      calls.others += !hook;
    }
  assert_int_equal(pc, method->code_size);
  return calls;
}

/* A call of an object's method has a hook on each side. */
static void calls_of_objects_have_both_sides(void **state)
{
  (void)state;
  static const struct weave_target length = {WEAVE_VIRTUAL, "java/lang/String", "length", "()I", .hooks = HOOK_BOTH};
  static const struct weave_target *const only[] = {&length};
  struct seen seen = {0};
  struct weave_plan plan = {.targets = only, .count = 1, .site = see, .context = &seen};
  struct buffer woven = weave(sample_class, sizeof sample_class, &plan, &seen.unchanged);
  struct class_file file;
  assert_non_null(woven.bytes);
  assert_true(class_file_read(&file, woven.bytes, woven.size));
  struct calls calls = calls_in(&file, find(&file, "mixed")), wanted = {.enter = 1, .exit = 1};
  assert_memory_equal(&calls, &wanted, sizeof calls);
  class_file_free(&file);
  free(woven.bytes);
}

/* Whether there is a class of the JDK above is not known to the weaver: that directly above is none. */
static void a_method_below_some_class_has_hooks(void **state)
{
  (void)state;
  static const struct weave_target below = {WEAVE_BELOW, "java/util/Far", "go", .hooks = HOOK_BOTH},
                                   none = {WEAVE_BELOW, "java/util/Far", "mixed", .hooks = HOOK_BOTH};
  static const struct weave_target *const both[] = {&none, &below};
  struct seen seen = {0};
  struct class_file file;
  struct weave_plan plan = {.targets = both, .count = 2, .site = see, .context = &seen};
  struct buffer woven = weave(sample_class, sizeof sample_class, &plan, &seen.unchanged);
  assert_true(class_file_read(&file, woven.bytes, woven.size));
  assert_int_equal(seen.methods, 1); /* mixed is static: it overrides nothing */
  assert_int_equal(calls_in(&file, find(&file, "go")).enter, 1);
  class_file_free(&file);
  free(woven.bytes);
  assert_null(weave(held_class, sizeof held_class, &plan, &seen.unchanged).bytes); /* below Object */
  static const struct weave_target nothing = {WEAVE_BELOW, "java/util/Far", "nothing", .hooks = HOOK_BOTH};
  static const struct weave_target *const only[] = {&nothing};
  plan = (struct weave_plan){.targets = only, .count = 1, .site = see, .context = &seen};
  assert_null(weave(held_class, sizeof held_class, &plan, &seen.unchanged).bytes);
}

static void hooks_are_put_into_the_methods_that_are_there(void **state)
{
  (void)state;
  static const struct {
    const char *method;
    struct calls calls;
  } wanted[] = {{"<init>", {0, 0, 0, 0}},   {"mixed", {1, 1, 1, 1}}, /* asks count() */
                {"sections", {1, 1, 0, 1}}, {"one", {1, 1, 0, 1}},   {"single", {1, 1, 0, 1}},
                {"go", {1, 1, 1, 0}},       {"count", {0, 0, 0, 0}}};
  struct seen seen;
  struct class_file before, after;
  struct buffer woven = weave_all(sample_class, sizeof sample_class, &seen);
  assert_int_equal(seen.unchanged, 0);
  assert_true(class_file_read(&before, sample_class, sizeof sample_class));
  assert_true(class_file_read(&after, woven.bytes, woven.size));
  assert_int_equal(after.method_count, before.method_count);
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
    const struct class_method *method = find(&after, wanted[i].method);
    struct calls calls = calls_in(&after, method);
    assert_memory_equal(&calls, &wanted[i].calls, sizeof calls);
    assert_int_equal(method->access, find(&before, wanted[i].method)->access);
    assert_int_equal(class_line(&after, method, 0), class_line(&before, find(&before, wanted[i].method), 0));
  }
  class_file_free(&before);
  class_file_free(&after);
  free(woven.bytes);
}

/* Arguments and static methods distinguish the methods of one name. */
static void methods_of_one_name_are_told_apart(void **state)
{
  (void)state;
  static const struct weave_target no_arguments = {WEAVE_INHERITED, "Base", "go", "()", .hooks = HOOK_ENTER},
                                   one_argument = {WEAVE_INHERITED, "Base", "go", "(I)", .hooks = HOOK_ENTER},
                                   of_no_object = {WEAVE_INHERITED, "Base", "count", .hooks = HOOK_ENTER},
                                   in_its_class = {WEAVE_METHOD, "Sample", "count", "()", .hooks = HOOK_ENTER};
  static const struct {
    const struct weave_target *target;
    unsigned methods;
  } cases[] = {{&no_arguments, 0}, {&one_argument, 1}, {&of_no_object, 0}, {&in_its_class, 1}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct seen seen = {0};
    struct weave_plan plan = {.targets = &cases[i].target, .count = 1, .site = see, .context = &seen};
    struct buffer woven = weave(sample_class, sizeof sample_class, &plan, &seen.unchanged);
    assert_int_equal(seen.methods, cases[i].methods);
    free(woven.bytes);
  }
}

/* The hook is given the object whose hash is wanted: `this`, or the last argument that is an object. */
static void hashes_are_asked_of_the_right_object(void **state)
{
  (void)state;
  static const struct weave_target of_this = {WEAVE_METHOD, "Sample", "go",
                                              .hooks = HOOK_ENTER | HOOK_THIS | HOOK_HASH | HOOK_CLASS_HASH},
                                   of_last = {WEAVE_METHOD, "Sample", "mixed",
                                              .hooks = HOOK_ENTER | HOOK_VALUES | HOOK_HASH};
  static const struct {
    const struct weave_target *target;
    const char *method;
    uint8_t variable;
  } cases[] = {{&of_this, "go", 0}, {&of_last, "mixed", 7}}; /* int, long, float, double and an array come before */
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct seen seen = {0};
    struct class_file file;
    struct weave_plan plan = {.targets = &cases[i].target, .count = 1, .site = see, .context = &seen};
    struct buffer woven = weave(sample_class, sizeof sample_class, &plan, &seen.unchanged);
    assert_true(class_file_read(&file, woven.bytes, woven.size));
    const uint8_t *code = file.bytes + find(&file, cases[i].method)->code;
    assert_int_equal(code[0], 25); /* aload */
    assert_int_equal(code[1], cases[i].variable);
    class_file_free(&file);
    free(woven.bytes);
  }
}

static void a_class_can_be_woven_back(void **state)
{
  (void)state;
  struct seen seen;
  struct buffer once = weave_all(sample_class, sizeof sample_class, &seen);
  struct buffer twice = weave_all(once.bytes, once.size, &seen);
  const struct buffer *const woven[] = {&once, &twice};
  for (size_t i = 0; i < 2; i++) {
    assert_true(rewrite_is_done(woven[i]->bytes, woven[i]->size));
    struct buffer back = rewrite_undo(woven[i]->bytes, woven[i]->size);
    assert_int_equal(back.size, sizeof sample_class);
    assert_memory_equal(back.bytes, sample_class, sizeof sample_class);
    free(back.bytes);
  }
  assert_null(rewrite_undo(sample_class, sizeof sample_class).bytes);
  assert_false(rewrite_is_done(sample_class, sizeof sample_class));
  free(once.bytes);
  free(twice.bytes);
}

/* Whatever was changed after us: it is not taken for what it was before us. */
static void a_class_that_was_changed_is_not_woven_back(void **state)
{
  (void)state;
  struct seen seen;
  struct buffer woven = weave_all(sample_class, sizeof sample_class, &seen);
  for (size_t at = 0; at < woven.size; at++) {
    woven.bytes[at] ^= 0x11;
    struct buffer back = rewrite_undo(woven.bytes, woven.size);
    /* Constants and methods of ours may be changed: they go, and nothing else may. */
    assert_true(!back.bytes || (back.size == sizeof sample_class && !memcmp(back.bytes, sample_class, back.size)));
    free(back.bytes);
    woven.bytes[at] ^= 0x11;
  }
  free(woven.bytes);
}

static int32_t decline(void *context, const struct weave_target *target, const struct weave_match *match)
{
  (void)context, (void)target, (void)match;
  return -1;
}

static void leaves_other_classes_alone(void **state)
{
  (void)state;
  struct seen seen;
  struct buffer hooks = hook_class(&(struct hook_memory){0});
  assert_false(hooks.failed);
  assert_null(weave_all(hooks.bytes, hooks.size, &seen).bytes);
  free(hooks.bytes);
  struct weave_plan plan = {.targets = all, .count = 3, .site = decline};
  unsigned unchanged;
  assert_null(weave(sample_class, sizeof sample_class, &plan, &unchanged).bytes);
}

static void hook_class_is_a_class(void **state)
{
  (void)state;
  struct class_file file;
  static const struct guard_slot slots[GUARD_SLOTS];
  struct buffer hooks = hook_class(
      &(struct hook_memory){.switches = (const uint8_t *)slots, .slots = slots, .omits = true, .hash_bits = 0xff00});
  assert_true(class_file_read(&file, hooks.bytes, hooks.size));
  assert_true(span_is(class_name(&file, file.this_class), HOOK_CLASS));
  static const char *const natives[] = {"begin",  "end",    "number", "result",   "enter",    "exit",
                                        "fields", "object", "thrown", "acquired", "released", "called",
                                        "left",   "caught", "locked", "unlocked"};
  static const char *const hashing[] = {"hashed", "classed"}; /* ask for hashes, and call enter */
  static const char *const guarded[] = {
      "beginIfOn",         "endIfOn",           "numberIfOn",       "resultIfOn",        "enterIfOn",
      "exitIfOn",          "fieldsIfOn",        "objectIfOn",       "beginUnlessQuiet",  "endUnlessQuiet",
      "numberUnlessQuiet", "resultUnlessQuiet", "enterUnlessQuiet", "exitUnlessQuiet",   "beginOfBarrier",
      "endOfBarrier",      "beginOfCall",       "numberOfRegion",   "endOfRegion",       "thrownOfRegion",
      "numberOfBody",      "resultOfBody",      "thrownOfBody",     "fieldsOfLoop",      "hashedIfOn",
      "classedIfOn",       "lockedIfOn",        "unlockedIfOn",     "exitOfLock",        "lockedOfLock",
      "unlockedOfLock",    "classedOfFork",     "beginOfExec",      "hashedOfTask",      "endOfTask",
      "thrownOfTask",      "hashedOfTaskBelow", "endOfTaskBelow",   "thrownOfTaskBelow", "beginOfWait",
      "endOfWait",         "thrownOfWait",      "beginOfInvoke",    "objectOfInvoke",    "endOfInvoke",
      "thrownOfInvoke"};
  for (size_t i = 0; i < sizeof natives / sizeof *natives; i++)
    assert_int_equal(find(&file, natives[i])->access, ACC_PUBLIC | ACC_STATIC | ACC_NATIVE);
  for (size_t i = 0; i < sizeof guarded / sizeof *guarded; i++) {
    const struct class_method *method = find(&file, guarded[i]);
    assert_int_equal(method->access, ACC_PUBLIC | ACC_STATIC);
    struct calls calls = calls_in(&file, method); /* its native twin, where the guard knows nothing */
    assert_int_equal(calls.enter + calls.exit + calls.thrown, 1);
  }
  for (size_t i = 0; i < sizeof hashing / sizeof *hashing; i++) {
    const struct class_method *method = find(&file, hashing[i]);
    assert_int_equal(method->access, ACC_PUBLIC | ACC_STATIC);
    struct calls calls = calls_in(&file, method), wanted = {.enter = 1, .others = (unsigned)i + 1};
    assert_memory_equal(&calls, &wanted, sizeof calls);
  }
  const struct class_method *table = find(&file, "table");
  assert_int_equal(table->access, ACC_PUBLIC | ACC_STATIC);
  assert_int_equal(file.method_count, sizeof natives / sizeof *natives + sizeof guarded / sizeof *guarded +
                                          sizeof hashing / sizeof *hashing + 1);
  class_file_free(&file);
  free(hooks.bytes);
}

/* What is woven of garbage must at least be readable again. Bytes are copied: a sanitizer sees reads behind them. */
static void weave_garbage(const uint8_t *bytes, size_t size)
{
  struct seen seen;
  struct class_file file;
  uint8_t *copy = malloc(size ? size : 1);
  assert_non_null(copy);
  memcpy(copy, bytes, size);
  struct buffer woven = weave_all(copy, size, &seen);
  if (woven.bytes) {
    struct buffer back = rewrite_undo(woven.bytes, woven.size);
    assert_int_equal(back.size, size);
    assert_memory_equal(back.bytes, copy, size);
    free(back.bytes);
    assert_true(class_file_read(&file, woven.bytes, woven.size));
    class_file_free(&file);
  }
  free(woven.bytes);
  free(copy);
}

static void refuses_truncated_classes(void **state)
{
  (void)state;
  struct seen seen;
  for (size_t size = 0; size < sizeof sample_class; size++) {
    weave_garbage(sample_class, size);
    assert_null(weave_all(sample_class, size, &seen).bytes);
  }
}

static void survives_damaged_classes(void **state)
{
  (void)state;
  static const uint8_t values[] = {0, 1, 0x7f, 0x80, 0xff, 0xaa, 0xab, 0xc4, 0xb8};
  uint8_t damaged[sizeof sample_class];
  for (size_t at = 0; at < sizeof sample_class; at++)
    for (size_t i = 0; i < sizeof values; i++) {
      memcpy(damaged, sample_class, sizeof damaged);
      damaged[at] = values[i];
      weave_garbage(damaged, sizeof damaged);
      if (at + 1 < sizeof damaged) {
        damaged[at + 1] = values[i];
        weave_garbage(damaged, sizeof damaged);
      }
    }
}

static void survives_random_damage(void **state)
{
  (void)state;
  uint8_t damaged[sizeof sample_class];
  unsigned seed = 1;
  for (unsigned round = 0; round < 20000; round++) {
    memcpy(damaged, sample_class, sizeof damaged);
    for (unsigned n = 1 + round % 6; n > 0; n--) {
      seed = seed * 1664525 + 1013904223;
      damaged[(seed >> 8) % sizeof damaged] = (uint8_t)(seed >> 24);
    }
    weave_garbage(damaged, sizeof damaged);
  }
}

/* True if the class is woven with two bytes in place of the bytes at an offset. */
static bool is_woven_with(size_t at, unsigned value)
{
  struct seen seen;
  uint8_t bytes[sizeof sample_class];
  memcpy(bytes, sample_class, sizeof bytes);
  bytes[at] = (uint8_t)(value >> 8);
  bytes[at + 1] = (uint8_t)value;
  struct buffer woven = weave_all(bytes, sizeof bytes, &seen);
  bool is = woven.bytes != NULL;
  free(woven.bytes);
  return is;
}

/* Woven, the class has more constants and more room for variables: what the JVM refuses would be good then. */
static void what_the_jvm_refuses_is_not_woven(void **state)
{
  (void)state;
  struct class_file file;
  uint32_t length;
  assert_true(class_file_read(&file, sample_class, sizeof sample_class));
  assert_true(is_woven_with(8, file.pool_count));
  for (unsigned i = 0; i < file.method_count; i++) {
    const struct class_method *method = &file.methods[i];
    const uint8_t *code = file.bytes + method->code;
    if (method->code == 0)
      continue;
    assert_false(is_woven_with(method->code - 6, 0) && code[0] >= OP_ALOAD_0 && code[0] <= OP_ALOAD_0 + 3);
    assert_false(is_woven_with(method->code - 14, file.pool_count)); /* the name of the attribute Code */
    for (uint32_t pc = 0; (length = class_instruction(&file, method, pc)) > 0; pc += length)
      if (code[pc] >= OP_GETSTATIC && code[pc] <= OP_NEW) {
        assert_true(is_woven_with(method->code + pc + 1, class_u2(code + pc + 1)));
        assert_false(is_woven_with(method->code + pc + 1, file.pool_count + 1u));
      }
  }
  class_file_free(&file);
}

static void a_full_pool_is_noticed(void **state)
{
  (void)state;
  struct constants constants;
  constants_init(&constants, UINT16_MAX - 1);
  assert_int_equal(constants_integer(&constants, 7), UINT16_MAX - 1);
  assert_true(constants_are_sound(&constants));
  constants_integer(&constants, 8);
  assert_false(constants_are_sound(&constants));
  free(constants.bytes.bytes);
}

/* A class woven twice has both hooks: nobody is harmed when two agents weave. */
static void a_woven_class_can_be_woven(void **state)
{
  (void)state;
  struct seen seen;
  struct buffer once = weave_all(sample_class, sizeof sample_class, &seen);
  struct buffer twice = weave_all(once.bytes, once.size, &seen);
  struct class_file file;
  assert_non_null(twice.bytes);
  assert_true(class_file_read(&file, twice.bytes, twice.size));
  class_file_free(&file);
  free(once.bytes);
  free(twice.bytes);
}

UNIT_TEST(weave)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reads_what_javac_wrote),
      cmocka_unit_test(sees_calls_and_switches),
      cmocka_unit_test(calls_of_objects_have_both_sides),
      cmocka_unit_test(a_method_below_some_class_has_hooks),
      cmocka_unit_test(hooks_are_put_into_the_methods_that_are_there),
      cmocka_unit_test(methods_of_one_name_are_told_apart),
      cmocka_unit_test(hashes_are_asked_of_the_right_object),
      cmocka_unit_test(a_class_can_be_woven_back),
      cmocka_unit_test(a_class_that_was_changed_is_not_woven_back),
      cmocka_unit_test(leaves_other_classes_alone),
      cmocka_unit_test(hook_class_is_a_class),
      cmocka_unit_test(refuses_truncated_classes),
      cmocka_unit_test(survives_damaged_classes),
      cmocka_unit_test(survives_random_damage),
      cmocka_unit_test(what_the_jvm_refuses_is_not_woven),
      cmocka_unit_test(a_full_pool_is_noticed),
      cmocka_unit_test(a_woven_class_can_be_woven),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
