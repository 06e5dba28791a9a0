/* Names as the JVM gives them: classes' signatures, and modified UTF-8 with whatever a class file may have in it. */
#include "jvmti-agent/core/names.h"
#include "tests/unit/unit.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static void class_is(const char *signature, const char *name)
{
  char is[100];
  name_of_signature(signature, is, sizeof is);
  assert_string_equal(is, name);
}

static void signatures_become_the_names_of_the_language(void **state)
{
  (void)state;
  class_is("Ljava/util/Map$Entry;", "java.util.Map$Entry");
  class_is("LMain;", "Main");
  class_is("[Ljava/lang/String;", "java.lang.String[]");
  class_is("[[I", "int[][]");
  class_is("Z", "boolean");
  class_is("B", "byte");
  class_is("C", "char");
  class_is("S", "short");
  class_is("J", "long");
  class_is("F", "float");
  class_is("D", "double");
  class_is("V", "void");
}

/* As java.lang.Class.getName has them. */
static void hidden_classes_keep_their_number(void **state)
{
  (void)state;
  class_is("Lapp/Main$$Lambda.0x00007f0001;", "app.Main$$Lambda/0x00007f0001");
}

static void damaged_signatures_are_no_danger(void **state)
{
  (void)state;
  class_is("", "?");
  class_is("[", "?[]");
  class_is("Q", "?");
  class_is("L", "");
  class_is("L;", "");
  class_is("Lopen/Ended", "open.Ended");
}

static void a_name_that_does_not_fit_is_cut(void **state)
{
  (void)state;
  char is[8];
  memset(is, 'x', sizeof is);
  name_of_signature("Ljava/util/Map;", is, sizeof is - 1);
  assert_string_equal(is, "java.u");
  assert_int_equal(is[7], 'x');
  name_of_signature("[[[[[[[[I", is, sizeof is - 1);
  assert_string_equal(is, "int[][");
  /* A character that was cut in two is none. */
  name_of_signature("Labcde\xc3\xa4;", is, sizeof is - 1);
  assert_string_equal(is, "abcde?");
}

static void text_is(const char *modified, const char *utf8)
{
  char is[100];
  strcpy(is, modified);
  name_to_utf8(is);
  assert_string_equal(is, utf8);
}

static void modified_utf8_becomes_utf8(void **state)
{
  (void)state;
  text_is("", "");
  text_is("plain", "plain");
  text_is("\xc3\xa4\xe2\x82\xac", "\xc3\xa4\xe2\x82\xac");
  text_is("a\xed\xa0\xbd\xed\xb8\x80z", "a\xf0\x9f\x98\x80z"); /* U+1F600 as a pair of surrogates */
  text_is("\xed\xa0\x80\xed\xb0\x80", "\xf0\x90\x80\x80");     /* the first of the pairs */
  text_is("\xed\xaf\xbf\xed\xbf\xbf", "\xf4\x8f\xbf\xbf");     /* the last one */
  text_is("\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80");             /* some tools write it as it is */
}

static void what_is_no_character_becomes_a_question_mark(void **state)
{
  (void)state;
  text_is("a\xc0\x80z", "a?z");              /* zero */
  text_is("\xed\xa0\xbdz", "?z");            /* half a pair */
  text_is("\xed\xb8\x80\xed\xa0\xbd", "??"); /* in the wrong order */
  text_is("\x80\xbfz", "??z");               /* continues nothing */
  text_is("\xff\xfe", "??");
  text_is("z\xc3", "z?"); /* ends too early */
  text_is("z\xe2\x82", "z??");
  text_is("\xc3z", "?z");
  text_is("\xe0\x80\xafz", "?z");     /* '/' in more bytes than it needs */
  text_is("\xf4\x90\x80\x80z", "?z"); /* beyond U+10FFFF */
}

/* Whether text is UTF-8 as RFC 3629 has it; not the way that the agent decides it. */
static bool is_utf8(const unsigned char *c)
{
  while (*c) {
    static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};
    unsigned more = *c < 0x80 ? 0 : *c >> 5 == 6 ? 1 : *c >> 4 == 14 ? 2 : *c >> 3 == 30 ? 3 : 9;
    if (more == 9)
      return false;
    uint32_t code = more ? *c & (0x3fu >> more) : *c;
    c++;
    for (unsigned i = 0; i < more; i++, c++) {
      if (*c >> 6 != 2)
        return false;
      code = code << 6 | (*c & 0x3fu);
    }
    if (code < least[more] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
      return false;
  }
  return true;
}

/* Every sequence of four of the bytes that mean something: what comes out is UTF-8, and not longer. */
static void whatever_bytes_come_utf8_goes(void **state)
{
  (void)state;
  static const char bytes[] = "a\x80\x8f\x90\xa0\xb0\xbf\xc0\xc1\xc2\xdf\xe0\xed\xef\xf0\xf4\xf5\xff";
  enum { N = sizeof bytes - 1 };
  for (unsigned i = 0; i < N * N * N * N; i++) {
    char *text = test_malloc(5); /* its end is watched */
    for (unsigned at = 0, rest = i; at < 4; at++, rest /= N)
      text[at] = bytes[rest % N];
    text[4] = '\0';
    name_to_utf8(text);
    if (!is_utf8((const unsigned char *)text) || strlen(text) > 4)
      fail_msg("sequence %u is not UTF-8 after it", i);
    test_free(text);
  }
}

UNIT_TEST(names)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(signatures_become_the_names_of_the_language),
      cmocka_unit_test(hidden_classes_keep_their_number),
      cmocka_unit_test(damaged_signatures_are_no_danger),
      cmocka_unit_test(a_name_that_does_not_fit_is_cut),
      cmocka_unit_test(modified_utf8_becomes_utf8),
      cmocka_unit_test(what_is_no_character_becomes_a_question_mark),
      cmocka_unit_test(whatever_bytes_come_utf8_goes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
