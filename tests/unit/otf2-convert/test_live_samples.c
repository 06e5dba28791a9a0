/* Samples by function out of the file `samples`: known ones add up, and nothing in it makes the reader fail. */
#include "otf2-convert/live/live_look.h"
#include "tests/unit/unit.h"

#include "common/raw/archive_names.h"
#include "common/raw/live_control.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define WHO(thread, call) ((uint64_t)(thread) << 32 | (call))

static char directory[] = "/tmp/heddle-live-samples-XXXXXX";
static int directory_fd;
static struct live_samples file;
static struct java_names names;
static struct java_calls calls;

static void add_place(const char *line)
{
  char copy[256];
  snprintf(copy, sizeof copy, "%s", line);
  assert_true(java_names_add_place(&names, copy));
}

static void add_call(const char *line)
{
  char copy[256];
  snprintf(copy, sizeof copy, "%s", line);
  assert_true(java_calls_add(&calls, copy));
}

/* main, from which outer is called, which calls itself and inner, in two lines. */
static int begin(void **state)
{
  (void)state;
  assert_non_null(mkdtemp(directory));
  directory_fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  add_place("1 0 3 App main App.java");
  add_place("2 0 7 App outer App.java");
  add_place("3 0 11 App inner App.java");
  add_place("4 0 12 App inner App.java");
  add_call("2 0 1");
  add_call("3 2 2");
  add_call("4 3 2");
  add_call("5 4 3");
  add_call("6 4 4");
  add_call("7 4 0");
  return directory_fd < 0;
}

static int end(void **state)
{
  (void)state;
  java_names_free(&names);
  java_calls_free(&calls);
  unlinkat(directory_fd, LIVE_SAMPLES_FILE, 0);
  close(directory_fd);
  return rmdir(directory);
}

static void write_file(const void *bytes, size_t size)
{
  int fd = openat(directory_fd, LIVE_SAMPLES_FILE, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  assert_int_equal(write(fd, bytes, size), size);
  close(fd);
}

static struct live_sampled_functions read_file(bool over)
{
  struct live_sampled_functions samples = {.file = NULL};
  assert_true(live_samples_take(&samples, directory_fd));
  assert_true(live_samples_sum(&samples, &calls, &names, over));
  return samples;
}

static void expect(const struct live_sampled_functions *samples, uint32_t thread, const char *name, uint64_t self,
                   uint64_t total)
{
  size_t count;
  const struct live_function *of = live_samples_of(samples, thread, &count), *found = NULL;
  for (size_t i = 0; i < count; i++)
    if (strcmp(samples->functions.items.items[of[i].function], name) == 0)
      found = &of[i];
  assert_non_null(found);
  assert_int_equal(found->self, self);
  assert_int_equal(found->total, total);
}

static size_t functions_of(const struct live_sampled_functions *samples, uint32_t thread)
{
  size_t count;
  live_samples_of(samples, thread, &count);
  return count;
}

static void samples_add_up_by_function(void **state)
{
  (void)state;
  file = (struct live_samples){.places = {[3] = {WHO(1, 5), 10},
                                          [4] = {WHO(1, 6), 5},
                                          [9] = {WHO(1, 4), 2},
                                          [70] = {WHO(8, 2), 1},
                                          [71] = {WHO(8, 7), 4},
                                          [99] = {WHO(8, 4), 0}}};
  file.without_room[8] = 6;
  write_file(&file, sizeof file);
  struct live_sampled_functions samples = read_file(false);
  expect(&samples, 1, "App.inner", 15, 15);
  expect(&samples, 1, "App.outer", 2, 17); /* it is twice on the way */
  expect(&samples, 1, "App.main", 0, 17);
  assert_int_equal(functions_of(&samples, 1), 3);
  expect(&samples, 8, "App.main", 1, 5);
  expect(&samples, 8, "App.outer", 0, 4);
  expect(&samples, 8, NAME_METHOD_UNKNOWN, 4, 4);
  expect(&samples, 8, LIVE_WITHOUT_ROOM, 6, 6);
  assert_int_equal(functions_of(&samples, 8), 4);
  assert_int_equal(functions_of(&samples, 0), 0);
  assert_true(live_samples_sum(&samples, &calls, &names, false)); /* again: nothing is added to what was */
  expect(&samples, 1, "App.outer", 2, 17);
  live_samples_free(&samples);
}

static void calls_without_a_name_wait(void **state)
{
  (void)state;
  file = (struct live_samples){.places = {{WHO(2, 5), 1}, {WHO(2, 1000), 3}}};
  write_file(&file, sizeof file);
  struct live_sampled_functions samples = read_file(false);
  assert_true(live_samples_wait(&samples, 2));
  assert_false(live_samples_wait(&samples, 1));
  assert_false(live_samples_wait(&samples, UINT32_MAX));
  expect(&samples, 2, "App.inner", 1, 1);
  assert_int_equal(functions_of(&samples, 2), 3);
  assert_true(live_samples_sum(&samples, &calls, &names, true));
  assert_false(live_samples_wait(&samples, 2));
  expect(&samples, 2, NAME_METHOD_UNKNOWN, 3, 3);
  live_samples_free(&samples);
}

static void no_file_and_a_short_one_are_none(void **state)
{
  (void)state;
  unlinkat(directory_fd, LIVE_SAMPLES_FILE, 0);
  struct live_sampled_functions samples = read_file(true);
  assert_int_equal(samples.all.count, 0);
  live_samples_free(&samples);
  file = (struct live_samples){.places = {{WHO(2, 5), 1}}};
  file.without_room[0] = 3;
  write_file(&file, 12);
  samples = read_file(true);
  expect(&samples, 0, LIVE_WITHOUT_ROOM, 3, 3);
  assert_int_equal(samples.all.count, 1);
  live_samples_free(&samples);
}

static void any_contents_are_read(void **state)
{
  (void)state;
  uint64_t random = 1, *words = (uint64_t *)(void *)&file;
  for (unsigned round = 0; round < 4; round++) {
    for (size_t i = 0; i < sizeof file / sizeof *words; i++) {
      random = random * 0x5851f42d4c957f2dull + 0x14057b7ef767814full;
      words[i] = round == 0 ? UINT64_MAX
                 : round == 1
                     ? random
                     : random >> (random >> 58 & 31) & 0xffff0000000full; /* some are of calls that there are */
    }
    write_file(&file, sizeof file - 8 * round);
    for (unsigned over = 0; over < 2; over++) {
      struct live_sampled_functions samples = read_file(over);
      for (uint32_t thread = 0; thread < LIVE_THREADS; thread += 100)
        functions_of(&samples, thread);
      live_samples_free(&samples);
    }
  }
}

UNIT_TEST(live_samples)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(samples_add_up_by_function), cmocka_unit_test(calls_without_a_name_wait),
      cmocka_unit_test(no_file_and_a_short_one_are_none), cmocka_unit_test(any_contents_are_read)};
  return cmocka_run_group_tests(tests, begin, end);
}
