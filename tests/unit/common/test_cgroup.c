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

/* What the process sees: its groups, and mounts as lines of "root point type options", with points below the root.
 */
static bool read_of(const char *membership, const char *mounts, struct cgroup_limit *limit)
{
  char lines[4 * PATH_MAX] = "1 0 8:1 / / rw,relatime - ext4 /dev/sda rw\n";
  size_t used = strlen(lines);
  for (const char *at = mounts; *at; at += strcspn(at, "\n"), at += *at == '\n') {
    char inside[256], point[256], type[64], options[64];
    assert_int_equal(sscanf(at, "%255s %255s %63s %63s", inside, point, type, options), 4);
    used +=
        (size_t)snprintf(lines + used, sizeof lines - used, "2 1 0:29 %s %s%s rw,relatime shared:3 - %s none rw,%s\n",
                         inside, root, strcmp(point, "/") == 0 ? "" : point, type, options);
  }
  put("cgroup", membership);
  put("mountinfo", lines);
  return cgroup_limit_read(root, limit);
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

#define UNIFIED "/ / cgroup2 nsdelegate\n"
#define OLD     "/ /cpu,cpuacct cgroup cpu,cpuacct\n"

static void assert_limit(const char *membership, const char *mounts, uint64_t quota, uint64_t period,
                         uint64_t throttled)
{
  struct cgroup_limit limit = {0};
  assert_true(read_of(membership, mounts, &limit));
  assert_int_equal(limit.quota_us, quota);
  assert_int_equal(limit.period_us, period);
  assert_int_equal(limit.throttled_us, throttled);
}

/* A group with a limit of version 2; this process is in it if `member`. */
static void put_group(const char *path, const char *limit, bool member)
{
  char name[PATH_MAX], pids[64];
  snprintf(pids, sizeof pids, "1\n%d\n77\n", member ? (int)getpid() : 2);
  snprintf(name, sizeof name, "%s/cgroup.procs", path);
  put(name, pids);
  snprintf(name, sizeof name, "%s/cpu.max", path);
  put(name, limit);
}

static void version_2(void **state)
{
  (void)state;
  put_group(".", "max 100000\n", false);
  put_group("a/b", "150000 100000\n", true);
  put_group("a/b/c", "max 100000\n", true);
  put("a/b/cpu.stat", "usage_usec 9\nnr_throttled 5\nthrottled_usec 2100000\n");
  assert_limit("0::/a/b\n", UNIFIED, 150000, 100000, 2100000);
  assert_limit("0::/a/b/c\n", UNIFIED, 150000, 100000, 2100000); /* the group around it */
}

static void version_1(void **state)
{
  (void)state;
  put("cpu,cpuacct/a/cgroup.procs", "");
  put("cpu,cpuacct/a/cpu.cfs_quota_us", "50000\n");
  put("cpu,cpuacct/a/cpu.cfs_period_us", "100000\n");
  put("cpu,cpuacct/a/cpu.stat", "nr_periods 1\nthrottled_time 7000000\n");
  put_group("unified/a", "1 1\n", true);
  assert_limit("3:cpuset:/x\n2:cpu,cpuacct:/a\n0::/a\n", "/ /cpuset cgroup cpuset\n/ /unified cgroup2 rw\n" OLD, 50000,
               100000, 7000);
}

static void the_tightest_counts(void **state)
{
  (void)state;
  put_group(".", "100000 100000\n", false);
  put_group("a", "400000 100000\n", false);
  put_group("a/b", "max 100000\n", true);
  assert_limit("0::/a/b\n", UNIFIED, 100000, 100000, 0);
}

/* A container's mount has the container's group as its root, whatever its path outside. */
static void a_container_sees_its_own_group(void **state)
{
  (void)state;
  put_group(".", "200000 100000\n", false);
  put_group("own", "100000 100000\n", true);
  assert_limit("0::/\n", UNIFIED, 200000, 100000, 0);                            /* a namespace, with its own mount */
  assert_limit("0::/pod/1234\n", "/pod/1234 / cgroup2 rw\n", 200000, 100000, 0); /* a part of the machine's */
  assert_limit("0::/pod/1234/own\n", "/pod/1234 / cgroup2 rw\n", 100000, 100000, 0);
  assert_limit("0::/pod/1234\n", "/pod/12 /own cgroup2 rw\n" UNIFIED, 200000, 100000,
               0);                                                       /* the first one shows others */
  assert_limit("0::/../own\n", "/.. / cgroup2 rw\n", 100000, 100000, 0); /* moved to a group beside the namespace's */
  struct cgroup_limit limit;
  assert_false(read_of("0::/../own\n", UNIFIED, &limit)); /* that cannot be seen */
}

/* A namespace without a mount of its own: the groups are there, but the process does not know its name. */
static void a_group_is_found_by_its_process(void **state)
{
  (void)state;
  put_group(".", "900000 100000\n", false);
  put_group("other/group", "1000 100000\n", false);
  put_group("pod with space", "200000 100000\n", false);
  put_group("pod with space/one", "300000 100000\n", false);
  put_group("pod with space/two", "max 100000\n", true);
  put_group("pod with space/two/three", "150000 100000\n", true);
  assert_limit("0::/\n", "/../.. / cgroup2 rw\n", 200000, 100000, 0);
  assert_limit("0::/three\n", "/../.. / cgroup2 rw\n", 150000, 100000, 0);
  struct cgroup_limit limit;
  assert_false(read_of("0::/\n", "/../../beside / cgroup2 rw\n", &limit));
  assert_limit("0::/\n", "/.. /pod\\040with\\040space cgroup2 rw\n", 200000, 100000, 0);
  assert_limit("0::/\n", "/../../../.. / cgroup2 rw\n", 900000, 100000, 0); /* not found: what holds for all counts */
  assert_limit("0::/\n", "/../../../../../../../../.. / cgroup2 rw\n", 900000, 100000, 0);
  assert_limit("0::/\n", "/.. /nowhere cgroup2 rw\n/../.. / cgroup2 rw\n/ /other/group cgroup2 rw\n", 1000, 100000, 0);
}

static void no_limit(void **state)
{
  struct cgroup_limit limit;
  (void)state;
  static const char *const memberships[] = {
      "",       "0::/a\n",         "0:/a\n", "::\n", "0::\n", "0::a\n", "1:cpus:/b\n", "1:cpuset,cpuacct:/b\n",
      "1:cpu:", "1:cpu:/b\n0::/b", "\n\n\n",
  };
  put_group("a", "max 100000\n", true);
  put_group("b", "-1 0\n", true);
  put("cpuset,cpuacct/b/cgroup.procs", "");
  put("cpuset,cpuacct/b/cpu.cfs_quota_us", "1\n");
  put("cpu/b/cgroup.procs", "");
  put("cpu/b/cpu.cfs_quota_us", "-1\n");
  for (size_t i = 0; i < sizeof memberships / sizeof *memberships; i++)
    assert_false(
        read_of(memberships[i], UNIFIED "/ /cpu cgroup cpu\n/ /cpuset,cpuacct cgroup cpuset,cpuacct\n", &limit));
  put("b/cpu.max", "100000\n"); /* no period */
  assert_false(read_of("0::/b\n", UNIFIED, &limit));
  put("b/cpu.max", "1 1\n");
  assert_false(read_of("0::/b\n", "", &limit));
  assert_false(read_of("0::/b\n", "/ / tmpfs cpu\n/ / cgroup memory\n", &limit));
  assert_false(cgroup_limit_read("/nowhere", &limit));
}

/* Lines of mounts that are cut off, longer than anything, or not the kernel's. */
static void mounts_that_are_damaged(void **state)
{
  struct cgroup_limit limit = {0};
  (void)state;
  static char lines[3 * 8192];
  put("cgroup", "0::/b\n");
  put_group("b", "1 1\n", true);
  static const char *const damaged[] = {"",
                                        "\n",
                                        " - ",
                                        " - cgroup2",
                                        "1 0 0:29 / - cgroup2 none rw",
                                        "1 0 0:29 / - cgroup2 none rw\n",
                                        "- cgroup2 none rw / /\n",
                                        "1 0 0:29 \\ \\04 rw - cgroup2 none rw\n"};
  for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++) {
    put("mountinfo", damaged[i]);
    assert_false(cgroup_limit_read(root, &limit));
  }
  memset(lines, 'x', sizeof lines - 1); /* a line that is too long does not count, nor does its end */
  size_t length =
      (size_t)snprintf(lines + 9000, 4000, " - cgroup2 none rw\n1 0 0:29 / %s rw - cgroup2 none rw\n", root);
  lines[9000 + length] = 'x';
  put("mountinfo", lines);
  assert_true(cgroup_limit_read(root, &limit));
  assert_int_equal(limit.quota_us, 1);
}

UNIT_TEST(cgroup)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(version_2, begin, end),
      cmocka_unit_test_setup_teardown(version_1, begin, end),
      cmocka_unit_test_setup_teardown(the_tightest_counts, begin, end),
      cmocka_unit_test_setup_teardown(a_container_sees_its_own_group, begin, end),
      cmocka_unit_test_setup_teardown(a_group_is_found_by_its_process, begin, end),
      cmocka_unit_test_setup_teardown(no_limit, begin, end),
      cmocka_unit_test_setup_teardown(mounts_that_are_damaged, begin, end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
