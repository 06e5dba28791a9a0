/* Which places of Java a text of HEDDLE_KEEP names. */
#include "common/java/keep_java.h"
#include "tests/unit/unit.h"

static const struct keep_java step = {"com.acme.Solver", "step", "Solver.java", 42},
                              inner = {"com.acme.Solver$Mesh", "step", "Solver.java", 90},
                              plain = {"Solver", "main", "Solver.java", 7}, unknown = {"Solver", "main", "-", 0},
                              none = {"Solver", "main", NULL, 0};

static void test_texts_of_the_place(void **state)
{
  (void)state;
  static const char *const texts[] = {
      "Solver.java",          "Solver.java:42",           "Solver.java:40-60",
      "Solver.java:42-42",    "acme/Solver.java",         "com/acme/Solver.java:42",
      "Solver.step",          "src/com/acme/Solver.java", "/x/com/acme/Solver.java:1-42",
      "com.acme.Solver.step", "acme.Solver.step"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    assert_true(keep_java_is(&step, texts[i]));
  assert_true(keep_java_is(&inner, "Solver$Mesh.step"));
  assert_true(keep_java_is(&inner, "Mesh.step"));
  assert_true(keep_java_is(&plain, "src/Solver.java:7"));
  assert_true(keep_java_is(&unknown, "Solver.main"));
}

static void test_texts_of_other_places(void **state)
{
  (void)state;
  static const char *const texts[] = {"Solver.java:41",
                                      "Solver.java:43-60",
                                      "Solver.java:42-41",
                                      "Solver.java:",
                                      "olver.java",
                                      "MySolver.java",
                                      "me/Solver.java",
                                      "acme/com/Solver.java",
                                      "step",
                                      ".step",
                                      "olver.step",
                                      "Solver.ste",
                                      "org.acme.Solver.step",
                                      "x.com.acme.Solver.step",
                                      "",
                                      "Solver.java:4x",
                                      "Solver.java:18446744073709551658"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    assert_false(keep_java_is(&step, texts[i]));
  assert_false(keep_java_is(&inner, "Solver.step"));
  assert_false(keep_java_is(&unknown, "Solver.java:7"));
  assert_false(keep_java_is(&none, "Solver.java"));
}

static void test_files_of_java(void **state)
{
  (void)state;
  assert_true(keep_java_source("Solver.java"));
  assert_true(keep_java_source("src/Solver.kt:40-60"));
  assert_false(keep_java_source("solver.c:42"));
  assert_false(keep_java_source(".java"));
  assert_false(keep_java_source("Solver.java:"));
  assert_false(keep_java_source(""));
}

UNIT_TEST(keep_java)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_texts_of_the_place),
                                     cmocka_unit_test(test_texts_of_other_places),
                                     cmocka_unit_test(test_files_of_java)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
