/* The archive's own doings: what fits into it, and what is left of it when it fails. */
#include "otf2-convert/messages.h"
#include "otf2-convert/plan/plan.h"
#include "otf2-convert/timeline/archive.h"
#include "tests/unit/otf2-convert/trace_test.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

static unsigned count_entries(const char *path)
{
  unsigned count = 0;
  DIR *list = opendir(path);
  while (readdir(list) != NULL)
    count++;
  closedir(list);
  return count - 2; /* . and .. */
}

/* A team of all threads that a plan may have is one definition. */
static void the_largest_group_fits(void **state)
{
  const struct trace_test *trace = *state;
  static struct archive archive;
  uint64_t *members = calloc(PLAN_LOCATIONS_MAX, sizeof *members);
  int fd = open(trace->path, O_RDONLY | O_DIRECTORY);
  for (uint32_t i = 0; i < PLAN_LOCATIONS_MAX; i++)
    members[i] = PLAN_LOCATIONS_MAX - i;
  assert_int_equal(archive_open(&archive, trace->path, fd, PLAN_LOCATIONS_MAX), 0);
  OTF2_GlobalDefWriter *writer = archive_definitions(&archive);
  archive_check(&archive, OTF2_GlobalDefWriter_WriteString(writer, 0, ""));
  archive_check(&archive,
                OTF2_GlobalDefWriter_WriteGroup(writer, 0, 0, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_OPENMP,
                                                OTF2_GROUP_FLAG_NONE, PLAN_LOCATIONS_MAX, members));
  assert_int_equal(archive_finish(&archive), 0);
  assert_true(archive_exists(fd));
  close(fd);
  free(members);
}

/* An archive that could not be finished leaves nothing, and what was there before stays. */
static void a_failed_archive_leaves_nothing(void **state)
{
  const struct trace_test *trace = *state;
  static struct archive archive;
  int fd = open(trace->path, O_RDONLY | O_DIRECTORY);
  close(openat(fd, "traces.otf2", O_WRONLY | O_CREAT, 0600));
  assert_int_equal(archive_open(&archive, trace->path, fd, 1), 0);
  assert_non_null(archive_writer(&archive, 0));
  errno = ENOSPC;
  archive_fail(&archive, OTF2_ERROR_ENOSPC);
  errno = EIO;
  archive_fail(&archive, OTF2_ERROR_EIO); /* the first failure counts */
  assert_int_equal(count_entries(trace->path), 2);
  assert_int_equal(archive_finish(&archive), ENOSPC);
  archive_abandon(&archive);
  assert_int_equal(count_entries(trace->path), 1);
  assert_true(archive_exists(fd));
  close(fd);
}

UNIT_TEST(archive)
{
  message_set_quiet(true);
  const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, trace_test_set_up, trace_test_tear_down)
      TEST(the_largest_group_fits),
      TEST(a_failed_archive_leaves_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
