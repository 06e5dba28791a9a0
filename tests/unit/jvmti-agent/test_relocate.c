/* What is put into code of sizes and shapes that a compiler seldom makes. Methods that can't have hooks are left as
 * they are and counted, all others are right. The class is made here, with one method whose code each test gives. */
#include "jvmti-agent/weaver/class_output.h"
#include "jvmti-agent/weaver/rewrite.h"
#include "jvmti-agent/weaver/weave.h"
#include "tests/unit/unit.h"

#include <stdlib.h>

enum { NOP = 0, LDC_W = 19, GOTO = 167, TABLESWITCH = 170, RETURN = 177, GOTO_W = 200 };
#define HOOK_BYTES 6u /* ldc_w, invokestatic */
#define LAST_BYTES 7u /* ldc_w, invokestatic, athrow */

static int32_t one(void *context, const struct weave_target *target, const struct weave_match *match)
{
  (void)context, (void)target, (void)match;
  return 1;
}

/* Class Made extends Base { void go() { code } }, of version 45.3, which has no stack maps. */
static struct buffer make(const struct buffer *code, const char *attribute, const struct buffer *content)
{
  struct constants constants;
  struct buffer file = {0};
  constants_init(&constants, 1);
  uint16_t this_class = constants_class(&constants, (struct span){"Made", 4});
  uint16_t super = constants_class(&constants, (struct span){"Base", 4});
  uint16_t name = constants_text(&constants, "go"), type = constants_text(&constants, "()V");
  uint16_t code_name = constants_text(&constants, "Code"), extra = constants_text(&constants, attribute);
  buffer_u4(&file, 0xcafebabe);
  buffer_u4(&file, 3 << 16 | 45);
  buffer_u2(&file, constants.count);
  buffer_add(&file, constants.bytes.bytes, constants.bytes.size);
  buffer_u2(&file, ACC_SUPER);
  buffer_u2(&file, this_class);
  buffer_u2(&file, super);
  buffer_u4(&file, 0); /* interfaces, fields */
  buffer_u2(&file, 1);
  buffer_u2(&file, 0);
  buffer_u2(&file, name);
  buffer_u2(&file, type);
  buffer_u2(&file, 1);
  buffer_u2(&file, code_name);
  buffer_u4(&file, (uint32_t)(12 + code->size + 6 + content->size));
  buffer_u4(&file, 1 << 16 | 1); /* stack, locals */
  buffer_u4(&file, (uint32_t)code->size);
  buffer_add(&file, code->bytes, code->size);
  buffer_u2(&file, 0);
  buffer_u2(&file, 1);
  buffer_u2(&file, extra);
  buffer_u4(&file, (uint32_t)content->size);
  buffer_add(&file, content->bytes, content->size);
  buffer_u2(&file, 0);
  free(constants.bytes.bytes);
  return file;
}

/* The class woven; *unchanged as weave() says it. What is woven is taken back. */
static struct buffer weave_code(const struct buffer *code, const char *attribute, const struct buffer *content,
                                unsigned *unchanged)
{
  static const struct weave_target target = {WEAVE_INHERITED, "Base", "go", .hooks = HOOK_BOTH};
  static const struct weave_target *const targets[] = {&target};
  struct weave_plan plan = {.targets = targets, .count = 1, .site = one};
  struct buffer made = make(code, attribute, content);
  struct buffer woven = weave(made.bytes, made.size, &plan, unchanged);
  if (woven.bytes) {
    struct buffer back = rewrite_undo(woven.bytes, woven.size);
    assert_int_equal(back.size, made.size);
    assert_memory_equal(back.bytes, made.bytes, made.size);
    free(back.bytes);
  }
  free(made.bytes);
  return woven;
}

static void add_nops(struct buffer *code, size_t n)
{
  for (size_t i = 0; i < n; i++)
    buffer_u1(code, NOP);
}

/* Whether a method of `size` bytes gets hooks. If not, it is counted. */
static bool is_hooked(size_t size)
{
  struct buffer code = {0}, nothing = {0};
  unsigned unchanged;
  add_nops(&code, size - 1);
  buffer_u1(&code, RETURN);
  struct buffer woven = weave_code(&code, "Nothing", &nothing, &unchanged);
  bool hooked = woven.bytes != NULL;
  assert_int_equal(unchanged, !hooked);
  free(woven.bytes);
  free(code.bytes);
  return hooked;
}

static void no_method_becomes_too_long_to_be_compiled(void **state)
{
  const size_t added = HOOK_BYTES + HOOK_BYTES + LAST_BYTES;
  (void)state;
  assert_true(is_hooked(1));
  assert_true(is_hooked(8000 - added));
  assert_false(is_hooked(8000 - added + 1));
  assert_false(is_hooked(8000));
  assert_true(is_hooked(8001)); /* it was never compiled */
}

static void no_method_becomes_longer_than_methods_are(void **state)
{
  const size_t added = HOOK_BYTES + HOOK_BYTES + LAST_BYTES;
  (void)state;
  assert_true(is_hooked(65535 - added));
  assert_false(is_hooked(65535 - added + 1));
  assert_false(is_hooked(65535));
}

/* goto to the end over a return in the middle: the hook in front of that is in the way. */
static struct buffer weave_jump(size_t distance, bool wide, unsigned *unchanged)
{
  struct buffer code = {0}, nothing = {0};
  buffer_u1(&code, wide ? GOTO_W : GOTO);
  if (wide)
    buffer_u4(&code, (uint32_t)distance);
  else
    buffer_u2(&code, (unsigned)distance);
  buffer_u1(&code, RETURN);
  add_nops(&code, distance - code.size);
  buffer_u1(&code, RETURN);
  struct buffer woven = weave_code(&code, "Nothing", &nothing, unchanged);
  free(code.bytes);
  return woven;
}

static void a_jump_that_becomes_too_long_is_left_alone(void **state)
{
  (void)state;
  static const struct {
    size_t distance;
    bool wide, hooked;
  } cases[] = {{32767 - HOOK_BYTES, false, true}, {32767 - HOOK_BYTES + 1, false, false}, {32767, true, true}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct class_file file;
    unsigned unchanged;
    struct buffer woven = weave_jump(cases[i].distance, cases[i].wide, &unchanged);
    assert_int_equal(unchanged, !cases[i].hooked);
    assert_int_equal(woven.bytes != NULL, cases[i].hooked);
    if (woven.bytes) {
      assert_true(class_file_read(&file, woven.bytes, woven.size));
      const uint8_t *jump = woven.bytes + file.methods[0].code + HOOK_BYTES; /* behind the enter */
      uint32_t to = cases[i].wide ? class_u4(jump + 1) : class_u2(jump + 1);
      assert_int_equal(to, cases[i].distance + HOOK_BYTES);
      assert_int_equal(jump[to], LDC_W); /* with which the hook of the last return begins */
      class_file_free(&file);
    }
    free(woven.bytes);
  }
}

/* A switch at each alignment. */
static void switches_keep_their_cases(void **state)
{
  (void)state;
  for (unsigned front = 0; front < 4; front++) {
    struct buffer code = {0}, nothing = {0};
    struct class_file file;
    unsigned unchanged;
    add_nops(&code, front);
    uint32_t at = (uint32_t)code.size;
    buffer_u1(&code, TABLESWITCH);
    add_nops(&code, 3 - at % 4);
    uint32_t end = (uint32_t)code.size + 20 - at;
    const uint32_t words[] = {end, 5, 6, end + 1, end + 2};
    for (size_t i = 0; i < 5; i++)
      buffer_u4(&code, words[i]);
    for (size_t i = 0; i < 3; i++)
      buffer_u1(&code, RETURN);
    struct buffer woven = weave_code(&code, "Nothing", &nothing, &unchanged);
    assert_true(class_file_read(&file, woven.bytes, woven.size));
    at += HOOK_BYTES;
    const uint8_t *new_code = woven.bytes + file.methods[0].code, *operands = new_code + ((at + 4) & ~3u);
    assert_int_equal(new_code[at], TABLESWITCH);
    assert_int_equal(class_u4(operands + 4), 5);
    assert_int_equal(class_u4(operands + 8), 6);
    const unsigned places[] = {0, 12, 16};
    for (unsigned i = 0; i < 3; i++)
      assert_int_equal(at + class_u4(operands + places[i]), operands + 20 - new_code + i * (HOOK_BYTES + 1));
    class_file_free(&file);
    free(woven.bytes);
    free(code.bytes);
  }
}

/* Annotations of types: on a variable, on a catch, and on an instruction with a value in a value. */
static void annotations_of_types_are_moved(void **state)
{
  (void)state;
  static const uint8_t annotations[] = {
      0,    3,                                                    /* of them */
      0x40, 0, 1, 0, 1, 0, 2, 0,   0, 0, 0, 1,   0, 0,            /* a variable: from 1 on, 2 long; no path, no pairs */
      0x42, 0, 7, 1, 3, 0, 0, 1,   0, 0,                          /* a catch; a path of one step */
      0x47, 0, 2, 1, 0, 0, 1, 0,   1, 0, 2, '[', 0, 2, 'I', 0, 1, /* a cast at 2, with an array of two: a number ... */
      '@',  0, 1, 0, 1, 0, 2, 'e', 0, 1, 0, 2};                   /* ... and an annotation with a constant of an enum */
  struct buffer code = {0}, content = {0};
  struct class_file file;
  unsigned unchanged;
  add_nops(&code, 3);
  buffer_u1(&code, RETURN);
  buffer_add(&content, annotations, sizeof annotations);
  struct buffer woven = weave_code(&code, "RuntimeVisibleTypeAnnotations", &content, &unchanged);
  assert_int_equal(unchanged, 0);
  assert_true(class_file_read(&file, woven.bytes, woven.size));
  uint8_t wanted[sizeof annotations];
  memcpy(wanted, annotations, sizeof wanted);
  wanted[6] += HOOK_BYTES;
  wanted[28] += HOOK_BYTES;
  const uint8_t *attributes = woven.bytes + file.methods[0].attributes;
  assert_int_equal(class_u2(attributes), 1);
  assert_int_equal(class_u4(attributes + 4), sizeof wanted);
  assert_memory_equal(attributes + 8, wanted, sizeof wanted);
  class_file_free(&file);
  free(woven.bytes);
  /* Cut off anywhere, they can't be moved. */
  for (content.size = 0; content.size < sizeof annotations; content.size++) {
    assert_null(weave_code(&code, "RuntimeVisibleTypeAnnotations", &content, &unchanged).bytes);
    assert_int_equal(unchanged, 1);
  }
  free(content.bytes);
  free(code.bytes);
}

UNIT_TEST(relocate)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_method_becomes_too_long_to_be_compiled),
      cmocka_unit_test(no_method_becomes_longer_than_methods_are),
      cmocka_unit_test(a_jump_that_becomes_too_long_is_left_alone),
      cmocka_unit_test(switches_keep_their_cases),
      cmocka_unit_test(annotations_of_types_are_moved),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
