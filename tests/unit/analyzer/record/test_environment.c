/* The environment that a program gets, and words for a shell. */
#include "analyzer/command/print/escape.h"
#include "analyzer/record/launch/environment.h"
#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define GOMP "/opt/lib/libheddle-gomp.so"

static void the_place_in_LD_PRELOAD(void **state)
{
  (void)state;
  static const struct {
    const char *users, *all; /* NULL: it is the user's */
  } cases[] = {
      {NULL, GOMP},
      {"", GOMP},
      {"/x/libasan.so.8", "/x/libasan.so.8:" GOMP},
      {"libjemalloc.so.2 libasan.so", "libjemalloc.so.2 libasan.so:" GOMP},
      {"libgomp.so.1", GOMP ":libgomp.so.1"},
      {"/a/libasan.so:/b/libgomp.so.1:/c/libz.so", "/a/libasan.so:" GOMP ":/b/libgomp.so.1:/c/libz.so"},
      {"libz.so libomp.so.5", "libz.so " GOMP ":libomp.so.5"},
      {"/libgomp/libz.so", "/libgomp/libz.so:" GOMP},
      {"/elsewhere/libheddle-gomp.so", NULL},
      {"libz.so:" GOMP, NULL},
      {"libheddle-gomp.so.old", "libheddle-gomp.so.old:" GOMP},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct environment environment = {0};
    if (cases[i].users)
      setenv("LD_PRELOAD", cases[i].users, 1);
    else
      unsetenv("LD_PRELOAD");
    bool good = environment_preload(&environment, GOMP);
    const char *all = environment_get(&environment, "LD_PRELOAD");
    unsetenv("LD_PRELOAD");
    assert_true(good);
    if (cases[i].all)
      assert_string_equal(all, cases[i].all);
    else
      assert_int_equal(environment.changes.count, 0);
    environment_free(&environment);
  }
  struct environment environment = {0};
  assert_false(environment_preload(&environment, "/my lib/libheddle-gomp.so"));
  assert_false(environment_preload(&environment, "/my:lib/libheddle-gomp.so"));
  assert_int_equal(environment.changes.count, 0);
}

static void changes_do_not_touch_this_process(void **state)
{
  (void)state;
  struct environment environment = {0};
  setenv("HEDDLE_TEST", "users", 1);
  unsetenv("HEDDLE_NEW");
  environment_prepend(&environment, "HEDDLE_TEST", "first", ':');
  environment_append(&environment, "HEDDLE_TEST", "last", ' ');
  environment_set(&environment, "HEDDLE_NEW", "1");
  environment_set(&environment, "HEDDLE_NEW", "2");
  environment_set(&environment, "HEDDLE_NE", "=");
  assert_false(environment.failed);
  assert_string_equal(getenv("HEDDLE_TEST"), "users");
  assert_null(getenv("HEDDLE_NEW"));
  char **all = environment_make(&environment);
  size_t count = 0, before = 0, found = 0;
  for (; all[count]; count++)
    found += strcmp(all[count], "HEDDLE_TEST=first:users last") == 0 || strcmp(all[count], "HEDDLE_NEW=2") == 0 ||
             strcmp(all[count], "HEDDLE_NE==") == 0;
  while (environ[before])
    before++;
  assert_int_equal(found, 3);
  assert_int_equal(count, before + 2);
  free(all);
  environment_free(&environment);
}

/* A shell reads the word as the text. */
static void words_for_a_shell(void **state)
{
  (void)state;
  static const char *const texts[] = {"plain-word_1.2/x:y,z@%+",
                                      "",
                                      "a b",
                                      "it's",
                                      "$HOME `x` \"y\" \\ *",
                                      "a=b",
                                      "~",
                                      "tab\there",
                                      "line\nbreak's \\1",
                                      "\x1b[31mred",
                                      "caf\xc3\xa9",
                                      "not \xff utf-8",
                                      "\0011"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    char *word = escape_shell(texts[i]), line[256], out[256];
    assert_non_null(word);
    for (const char *at = word; *at; at++)
      assert_true((unsigned char)*at >= 0x20 && *at != 0x7f);
    snprintf(line, sizeof line, "bash -c \"$(cat <<'HEDDLE'\nprintf %%s %s\nHEDDLE\n)\"", word);
    FILE *shell = popen(line, "r");
    size_t size = fread(out, 1, sizeof out - 1, shell);
    out[size] = '\0';
    assert_int_equal(pclose(shell), 0);
    assert_string_equal(out, texts[i]);
    free(word);
  }
  char *word = escape_shell("plain-word");
  assert_string_equal(word, "plain-word");
  free(word);
}

UNIT_TEST(environment)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_place_in_LD_PRELOAD),
      cmocka_unit_test(changes_do_not_touch_this_process),
      cmocka_unit_test(words_for_a_shell),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
