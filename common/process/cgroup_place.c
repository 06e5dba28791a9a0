#include "common/process/cgroup_place.h"

#include "common/process/text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LINE_MOST        4096u
#define NAMES_MOST       8u   /* of unknown names in a path */
#define DIRECTORIES_MOST 4096 /* that are searched for them */

/* How well a mount shows the group. */
enum fit {
  FIT_NONE,
  FIT_ROOT,   /* the group is below its root, and not to be found */
  FIT_UNSAID, /* it shows the group, under a name that the process does not know */
  FIT_WHOLE
};

struct search {
  bool found, version1;
  char path[CGROUP_PATH_MOST]; /* as the process sees its group */
  enum fit fit;
  struct cgroup_place *place;
  int directories; /* that may yet be looked at */
};

typedef bool line_visitor(void *context, char *line);

/* Hands on each line of a file, until the visitor returns true: then true. Lines that are too long do not count. */
static bool any_line(const char *path, line_visitor *visit, void *context)
{
  char bytes[LINE_MOST];
  size_t have = 0;
  ssize_t got;
  bool cut = false, done = false;
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return false;
  while (!done && ((got = read(fd, bytes + have, sizeof bytes - have)) > 0 || (got < 0 && errno == EINTR))) {
    have += got > 0 ? (size_t)got : 0;
    char *line = bytes, *end;
    for (; !done && (end = memchr(line, '\n', have - (size_t)(line - bytes))); line = end + 1) {
      *end = '\0';
      done = !cut && visit(context, line);
      cut = false;
    }
    have -= (size_t)(line - bytes);
    memmove(bytes, line, have);
    if (have == sizeof bytes) {
      cut = true;
      have = 0;
    }
  }
  close(fd);
  return done;
}

static bool has_cpu(const char *controllers)
{
  for (const char *at = controllers; *at; at += strcspn(at, ","), at += *at == ',')
    if (strncmp(at, "cpu", 3) == 0 && (at[3] == ',' || at[3] == '\0'))
      return true;
  return false;
}

/*
 * `<n>:<controllers>:<path>`, in version 2 `0::<path>`. A line of version 1 goes before one of version 2, which may be
 * mounted beside it, without controllers.
 */
static bool take_membership(void *context, char *line)
{
  struct search *search = context;
  char *controllers = strchr(line, ':'), *path = controllers ? strchr(controllers + 1, ':') : NULL;
  if (!path || path[1] != '/' || strlen(path + 1) >= sizeof search->path)
    return false;
  *path++ = '\0';
  controllers++;
  if (*controllers && !has_cpu(controllers))
    return false;
  strcpy(search->path, strcmp(path, "/") == 0 ? "" : path);
  search->found = true;
  search->version1 = *controllers != '\0';
  return search->version1;
}

/* The next word of a line; spaces in it are \040. "": there is none. */
static char *take_word(char **at)
{
  char *word = *at + strspn(*at, " "), *to = word, *from = word;
  for (; *from && *from != ' '; to++) {
    bool octal = from[0] == '\\' && from[1] >= '0' && from[1] <= '3' && from[2] >= '0' && from[2] <= '7' &&
                 from[3] >= '0' && from[3] <= '7';
    *to = *from;
    if (octal)
      *to = (char)((from[1] - '0') << 6 | (from[2] - '0') << 3 | (from[3] - '0'));
    from += octal ? 4 : 1;
  }
  *at = from + (*from == ' ');
  *to = '\0';
  return word;
}

static bool is_this_process(void *context, char *line)
{
  return strtoull(line, NULL, 10) == *(const uint64_t *)context;
}

/* Takes root + path if a group is there; if `own`, this process has to be a member. */
static bool take_place(struct search *search, enum fit fit, const char *root, const char *path, bool own)
{
  char full[CGROUP_PATH_MOST], members[CGROUP_PATH_MOST + 16];
  struct text text = TEXT_OVER(full), file = TEXT_OVER(members);
  uint64_t pid = (uint64_t)getpid();
  text_add(&text, root);
  text_add(&text, path);
  text_add(&file, full);
  text_add(&file, "/cgroup.procs");
  if (text.cut || (own ? !any_line(members, is_this_process, &pid) : access(members, F_OK) != 0))
    return false;
  search->fit = fit;
  search->place->version1 = search->version1;
  memcpy(search->place->path, full, text.used + 1);
  return true;
}

/* Looks for the group `depth` directories with unknown names below; `below` is the path up to there. */
static bool find_unsaid(struct search *search, struct text *below, unsigned depth)
{
  if (depth == 0)
    return take_place(search, FIT_UNSAID, below->bytes, search->path, true);
  int fd = open(below->bytes, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  _Alignas(struct dirent64) char entries[1024];
  long got = 0;
  bool found = false;
  size_t used = below->used;
  while (fd >= 0 && !found && (got = syscall(SYS_getdents64, fd, entries, sizeof entries)) > 0)
    for (long at = 0; at < got && !found && search->directories > 0;) {
      const struct dirent64 *entry = (const struct dirent64 *)(entries + at);
      at += entry->d_reclen;
      if (entry->d_type != DT_DIR || entry->d_name[0] == '.')
        continue;
      search->directories--;
      text_add(below, "/");
      text_add(below, entry->d_name);
      found = !below->cut && find_unsaid(search, below, depth - 1);
      below->used = used;
      below->bytes[used] = '\0';
      below->cut = false;
    }
  if (fd >= 0)
    close(fd);
  return found;
}

/* The number of "/.." that the path is made of; 0: it has something else in it. */
static unsigned count_ups(const char *path)
{
  unsigned ups = 0;
  for (; strncmp(path, "/..", 3) == 0 && (path[3] == '/' || path[3] == '\0'); path += 3)
    ups++;
  return *path == '\0' ? ups : 0;
}

/* What of a path is behind a group that it is in. NULL: it is not in that group. */
static const char *behind(const char *path, const char *group)
{
  size_t length = strlen(group);
  return strncmp(path, group, length) == 0 && (path[length] == '/' || path[length] == '\0') ? path + length : NULL;
}

/* `id parent device root point options field... - type source options` */
static bool take_mount(void *context, char *line)
{
  struct search *search = context;
  char *after = strstr(line, " - ");
  if (!after)
    return false;
  char *at = after + 3, *type = take_word(&at);
  take_word(&at); /* the source */
  const char *options = take_word(&at);
  if (search->version1 ? strcmp(type, "cgroup") != 0 || !has_cpu(options) : strcmp(type, "cgroup2") != 0)
    return false;
  at = line;
  for (int i = 0; i < 3; i++)
    take_word(&at);
  char *root = take_word(&at), *point = take_word(&at);
  const char *path = behind(search->path, strcmp(root, "/") == 0 ? "" : root);
  unsigned ups = path ? 0 : count_ups(root);
  enum fit before = search->fit;
  char names[CGROUP_PATH_MOST];
  struct text unsaid = TEXT_OVER(names);
  text_add(&unsaid, point);
  bool within = path ? strncmp(path, "/..", 3) != 0 : ups > 0;
  if (!within || unsaid.cut) /* it shows other groups */
    return false;
  bool found = path ? take_place(search, FIT_WHOLE, point, path, false)
                    : search->fit < FIT_UNSAID && ups <= NAMES_MOST && find_unsaid(search, &unsaid, ups);
  if (!found && search->fit < FIT_ROOT)
    take_place(search, FIT_ROOT, point, "", false);
  if (search->fit > before)
    search->place->root = strlen(point);
  return search->fit == FIT_WHOLE;
}

bool cgroup_place_find(const char *process, struct cgroup_place *place)
{
  char name[256];
  struct search search = {.place = place, .directories = DIRECTORIES_MOST};
  struct text membership = TEXT_OVER(name);
  text_add(&membership, process);
  text_add(&membership, "/cgroup");
  any_line(name, take_membership, &search);
  struct text mounts = TEXT_OVER(name);
  text_add(&mounts, process);
  text_add(&mounts, "/mountinfo");
  if (search.found)
    any_line(name, take_mount, &search);
  return search.fit != FIT_NONE;
}
