/* What a hypervisor took, as the kernel writes it and as it does not. */
#include "common/process/steal_time.h"
#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool read_of(const char *text, struct steal_time *stolen)
{
  char path[] = "/tmp/heddle-stolen-XXXXXX";
  int fd = mkstemp(path);
  assert_true(fd >= 0);
  assert_int_equal(write(fd, text, strlen(text)), strlen(text));
  close(fd);
  bool good = steal_time_read(path, stolen);
  unlink(path);
  return good;
}

/* What is run by guests counts as user and nice already. */
static void test_the_eighth_number_of_the_first_line(void **state)
{
  struct steal_time stolen;
  (void)state;
  assert_true(read_of("cpu  10 20 30 40 50 60 70 80 5 5\ncpu0 1 2 3 4 5 6 7 8 0 0\n", &stolen));
  assert_int_equal(stolen.taken, 80);
  assert_int_equal(stolen.all, 360);
  assert_true(read_of("cpu  1 1 1 1 1 1 1 0\n", &stolen));
  assert_int_equal(stolen.taken, 0);
}

static void test_other_texts_tell_nothing(void **state)
{
  static const char *const texts[] = {"",
                                      "cpu",
                                      "cpu ",
                                      "cpu  1 2 3 4 5 6 7\n",
                                      "cpu  1 2 3 x 5 6 7 8\n",
                                      "cpu0 1 2 3 4 5 6 7 8 9\n",
                                      "intr 1 2 3 4 5 6 7 8\n"};
  struct steal_time stolen;
  (void)state;
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    assert_false(read_of(texts[i], &stolen));
  assert_false(steal_time_read("/nonexistent/stat", &stolen));
}

UNIT_TEST(steal_time)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_eighth_number_of_the_first_line),
      cmocka_unit_test(test_other_texts_tell_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
