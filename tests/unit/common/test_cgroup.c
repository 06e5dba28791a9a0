/* Limits of processor time of control groups, as the kernel writes them and as it does not. */
#include "common/process/cgroup.h"
#include "tests/unit/unit.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[] = "/tmp/heddle-cgroup-XXXXXX";

/* Writes a file below the root, and the directories that it is in. */
static void put(const char *name, const char *text)
{
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/%s", root, name);
  for (char *slash = path + strlen(root) + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
    *slash = '\0';
    mkdir(path, 0700);
  }
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  assert_true(fputs(text, file) >= 0);
  assert_int_equal(fclose(file), 0);
}

static bool read_of(const char *membership, struct cgroup_limit *limit)
{
  char path[PATH_MAX];
  put("membership", membership);
  snprintf(path, sizeof path, "%s/membership", root);
  return cgroup_limit_read(path, root, limit);
}

static int begin(void **state)
{
  (void)state;
  strcpy(strrchr(root, '-') + 1, "XXXXXX");
  return mkdtemp(root) ? 0 : -1;
}

static int end(void **state)
{
  char command[PATH_MAX];
  (void)state;
  snprintf(command, sizeof command, "rm -r '%s'", root);
  return system(command);
}

static void assert_limit(const char *membership, uint64_t quota, uint64_t period, uint64_t throttled)
{
  struct cgroup_limit limit = {0};
  assert_true(read_of(membership, &limit));
  assert_int_equal(limit.quota_us, quota);
  assert_int_equal(limit.period_us, period);
  assert_int_equal(limit.throttled_us, throttled);
}

static void version_2(void **state)
{
  (void)state;
  put("a/b/cpu.max", "150000 100000\n");
  put("a/b/cpu.stat", "usage_usec 9\nnr_throttled 5\nthrottled_usec 2100000\n");
  assert_limit("0::/a/b\n", 150000, 100000, 2100000);
  assert_limit("0::/a/b/c\n", 150000, 100000, 2100000); /* the group around it */
}

static void version_1(void **state)
{
  (void)state;
  put("cpu,cpuacct/a/cpu.cfs_quota_us", "50000\n");
  put("cpu,cpuacct/a/cpu.cfs_period_us", "100000\n");
  put("cpu,cpuacct/a/cpu.stat", "nr_periods 1\nthrottled_time 7000000\n");
  put("a/cpu.max", "1 1\n");
  assert_limit("3:cpuset:/x\n2:cpu,cpuacct:/a\n0::/a\n", 50000, 100000, 7000);
}

/* In a container, the root is the container's group, whatever its path outside. */
static void the_tightest_counts(void **state)
{
  (void)state;
  put("cpu.max", "100000 100000\n");
  put("a/cpu.max", "400000 100000\n");
  put("a/b/cpu.max", "max 100000\n");
  assert_limit("0::/a/b\n", 100000, 100000, 0);
  assert_limit("0::/docker/1234\n", 100000, 100000, 0);
}

static void no_limit(void **state)
{
  struct cgroup_limit limit;
  (void)state;
  static const char *const memberships[] = {
      "",       "0::/a\n",         "0:/a\n", "::\n", "0::\n", "0::a\n", "1:cpus:/b\n", "1:cpuset,cpuacct:/b\n",
      "1:cpu:", "1:cpu:/b\n0::/b", "\n\n\n",
  };
  put("a/cpu.max", "max 100000\n");
  put("b/cpu.max", "-1 0\n");
  put("cpuset,cpuacct/b/cpu.cfs_quota_us", "1\n");
  put("cpu/b/cpu.cfs_quota_us", "-1\n");
  for (size_t i = 0; i < sizeof memberships / sizeof *memberships; i++)
    assert_false(read_of(memberships[i], &limit));
  put("b/cpu.max", "100000\n"); /* no period */
  assert_false(read_of("0::/b\n", &limit));
  assert_false(cgroup_limit_read("/nowhere", root, &limit));
}

UNIT_TEST(cgroup)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(version_2, begin, end),
      cmocka_unit_test_setup_teardown(version_1, begin, end),
      cmocka_unit_test_setup_teardown(the_tightest_counts, begin, end),
      cmocka_unit_test_setup_teardown(no_limit, begin, end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
