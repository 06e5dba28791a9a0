#include "common/process/cgroup.h"

#include "common/process/text.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define FILE_MOST 4096u
#define PATH_MOST 4096u

/* Finds the group of the controller `cpu`: a line `<n>:<controllers>:<path>`, in version 2 `0::<path>`. */
struct group {
  bool version1;
  char controllers[64]; /* as mounted, in version 1 */
  char path[PATH_MOST];
};

static bool has_cpu(const char *controllers, size_t length)
{
  for (size_t at = 0; at < length; at += strcspn(controllers + at, ",:") + 1)
    if (strncmp(controllers + at, "cpu", 3) == 0 && strchr(",:", controllers[at + 3]))
      return true;
  return false;
}

static bool copy(char *into, size_t size, const char *from, size_t length)
{
  if (length >= size)
    return false;
  memcpy(into, from, length);
  into[length] = '\0';
  return true;
}

/* A line of version 1 goes before a line of version 2, which may be mounted beside it, without controllers. */
static bool find_group(const char *lines, struct group *group)
{
  bool found = false;
  for (const char *line = lines; *line && !(found && group->version1);) {
    size_t length = strcspn(line, "\n");
    const char *controllers = memchr(line, ':', length);
    const char *path = controllers ? memchr(controllers + 1, ':', length - (size_t)(controllers + 1 - line)) : NULL;
    size_t names = path ? (size_t)(path - controllers) - 1 : 0;
    if (path && (names == 0 || has_cpu(controllers + 1, names)) &&
        copy(group->controllers, sizeof group->controllers, controllers + 1, names) &&
        copy(group->path, sizeof group->path, path + 1, length - (size_t)(path + 1 - line))) {
      group->version1 = names > 0;
      found = true;
    }
    line += length + (line[length] == '\n');
  }
  return found && group->path[0] == '/';
}

/* Reads a file of the group. False: there is none. */
static bool read_file(const char *root, const struct group *group, const char *name, char bytes[FILE_MOST])
{
  char path[PATH_MOST + 128];
  struct text text = TEXT_OVER(path);
  text_add(&text, root);
  if (group->version1) {
    text_add(&text, "/");
    text_add(&text, group->controllers);
  }
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
static bool read_limit(const char *root, const struct group *group, struct cgroup_limit *limit)
{
  char bytes[FILE_MOST], *end = bytes;
  if (!read_file(root, group, group->version1 ? "cpu.cfs_quota_us" : "cpu.max", bytes) || bytes[0] < '0' ||
      bytes[0] > '9')
    return false; /* "max", or -1 */
  limit->quota_us = strtoull(bytes, &end, 10);
  if (group->version1 && !read_file(root, group, "cpu.cfs_period_us", end = bytes))
    return false;
  limit->period_us = strtoull(end, NULL, 10);
  limit->throttled_us = 0;
  if (read_file(root, group, "cpu.stat", bytes))
    limit->throttled_us =
        group->version1 ? number_of(bytes, "throttled_time") / 1000u : number_of(bytes, "throttled_usec");
  return limit->quota_us > 0 && limit->period_us > 0;
}

static bool is_tighter(const struct cgroup_limit *a, const struct cgroup_limit *b)
{
  return (double)a->quota_us / (double)a->period_us < (double)b->quota_us / (double)b->period_us;
}

bool cgroup_limit_read(const char *membership, const char *root, struct cgroup_limit *limit)
{
  char lines[FILE_MOST];
  struct group group;
  struct cgroup_limit one;
  bool found = false;
  if (file_read(membership, lines, sizeof lines) <= 0 || !find_group(lines, &group))
    return false;
  for (;;) {
    if (read_limit(root, &group, &one) && (!found || is_tighter(&one, limit))) {
      *limit = one;
      found = true;
    }
    char *last = strrchr(group.path, '/');
    if (!last || !group.path[0])
      return found;
    *last = '\0'; /* the group around it; in the end the root, which in a container is the container's own group */
  }
}
