#include "common/process/cgroup.h"

#include "common/process/cgroup_place.h"
#include "common/process/text.h"

#include <stdlib.h>
#include <string.h>

#define FILE_MOST 4096u

/* Reads a file of the group. False: there is none. */
static bool read_file(const struct cgroup_place *group, const char *name, char bytes[FILE_MOST])
{
  char path[CGROUP_PATH_MOST + 32];
  struct text text = TEXT_OVER(path);
  text_add(&text, group->path);
  text_add(&text, "/");
  text_add(&text, name);
  return !text.cut && file_read(path, bytes, FILE_MOST) > 0;
}

/* The number behind a key at the begin of a line; 0: there is none. */
static uint64_t number_of(const char *lines, const char *key)
{
  size_t length = strlen(key);
  for (const char *line = lines; *line; line += strcspn(line, "\n"), line += *line == '\n')
    if (strncmp(line, key, length) == 0 && line[length] == ' ')
      return strtoull(line + length, NULL, 10);
  return 0;
}

/* The group's own limit. False: it has none. */
static bool read_limit(const struct cgroup_place *group, struct cgroup_limit *limit)
{
  char bytes[FILE_MOST], *end = bytes;
  if (!read_file(group, group->version1 ? "cpu.cfs_quota_us" : "cpu.max", bytes) || bytes[0] < '0' || bytes[0] > '9')
    return false; /* "max", or -1 */
  limit->quota_us = strtoull(bytes, &end, 10);
  if (group->version1 && !read_file(group, "cpu.cfs_period_us", end = bytes))
    return false;
  limit->period_us = strtoull(end, NULL, 10);
  limit->throttled_us = 0;
  if (read_file(group, "cpu.stat", bytes))
    limit->throttled_us =
        group->version1 ? number_of(bytes, "throttled_time") / 1000u : number_of(bytes, "throttled_usec");
  return limit->quota_us > 0 && limit->period_us > 0;
}

static bool is_tighter(const struct cgroup_limit *a, const struct cgroup_limit *b)
{
  return (double)a->quota_us / (double)a->period_us < (double)b->quota_us / (double)b->period_us;
}

bool cgroup_limit_read(const char *process, struct cgroup_limit *limit)
{
  struct cgroup_place group;
  struct cgroup_limit one;
  bool found = false;
  if (!cgroup_place_find(process, &group))
    return false;
  for (;;) {
    if (read_limit(&group, &one) && (!found || is_tighter(&one, limit))) {
      *limit = one;
      found = true;
    }
    char *last = strrchr(group.path + group.root, '/');
    if (!last)
      return found;
    *last = '\0'; /* the group around it, up to the mount's root */
  }
}
