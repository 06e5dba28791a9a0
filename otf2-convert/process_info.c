#include "otf2-convert/process_info.h"

#include "otf2-convert/words.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool set_text(char **text, const char *value)
{
  char *copy = strdup(value);
  if (copy == NULL)
    return false;
  free(*text);
  *text = copy;
  return true;
}

bool string_list_add(string_list *list, const char *text)
{
  char *copy = strdup(text);
  if (copy != NULL && vector_push(list, copy))
    return true;
  free(copy);
  return false;
}

void string_list_free(string_list *list)
{
  for (size_t i = 0; i < list->count; i++)
    free(list->items[i]);
  vector_free(list);
}

static void add_anchor(struct process_info *info, char *value)
{
  struct anchor anchor = {.ticks = words_number(&value, 10)};
  anchor.monotonic_ns = words_number(&value, 10);
  anchor.realtime_ns = words_number(&value, 10);
  if (info->anchors++ == 0)
    info->first = anchor;
  info->last = anchor;
}

/* Where modules are, as listed. */
typedef VECTOR(struct module_range) module_ranges;

static bool add_module(struct process_info *info, module_ranges *ranges, char *value)
{
  char *ticks = words_next(&value), *base = words_next(&value), *start = words_next(&value), *end = words_next(&value),
       *id = words_next(&value);
  (void)ticks; /* seen loaded at */
  if (id == NULL || *value == 0 || info->modules.count >= PROCESS_INFO_LIST_MAX)
    return true;
  words_unescape(value);
  struct module module = {.base = words_number(&base, 16), .build_id = strdup(id), .path = strdup(value)};
  struct module_range range = {
      .start = words_number(&start, 16), .end = words_number(&end, 16), .module = (uint32_t)info->modules.count};
  if (module.build_id == NULL || module.path == NULL || !vector_push(&info->modules, module)) {
    free(module.build_id);
    free(module.path);
    return false;
  }
  return vector_push(ranges, range);
}

static bool set_counted(uint64_t *number, char **text, char *value)
{
  *number = words_number(&value, 10);
  words_unescape(value);
  return set_text(text, value + strspn(value, " "));
}

static bool set_key(struct process_info *info, module_ranges *ranges, const char *key, char *value)
{
  const struct {
    const char *key;
    uint64_t *number;
  } numbers[] = {{"pid", &info->pid},
                 {"ppid", &info->ppid},
                 {"start", &info->start_ns},
                 {"start-jiffies", &info->start_jiffies},
                 {"pid-namespace", &info->pid_namespace},
                 {"events-lost", &info->events_lost},
                 {"record-ticks", &info->record_ticks}};
  const struct {
    const char *key;
    char **text;
  } texts[] = {{"runtime", &info->runtime}, {"host", &info->host},     {"boot-id", &info->boot_id}, {"exe", &info->exe},
               {"cwd", &info->cwd},         {"parent", &info->parent}, {"limit", &info->limit}};
  const struct {
    const char *key;
    string_list *list;
  } lists[] = {{"tool", &info->tools}, {"arg", &info->arguments}, {"env", &info->environment}};

  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    if (strcmp(key, numbers[i].key) == 0) {
      *numbers[i].number = words_number(&value, 10);
      return true;
    }
  if (strcmp(key, "anchor") == 0)
    return add_anchor(info, value), true;
  if (strcmp(key, "module") == 0)
    return add_module(info, ranges, value);
  if (strcmp(key, "class") == 0)
    return java_names_add_class(&info->java, value);
  if (strcmp(key, "place") == 0)
    return java_names_add_place(&info->java, value);
  if (strcmp(key, "name") == 0)
    return user_names_add(&info->names, value);
  if (strcmp(key, "threads-lost") == 0)
    return set_counted(&info->threads_lost, &info->lost_reason, value);
  if (strcmp(key, "chunks-lost") == 0)
    return set_counted(&info->chunks_lost, &info->lost_reason, value);
  if (strcmp(key, "lock") == 0) {
    info->lock_inode = words_number(&value, 10);
    info->lock_local = strcmp(value + strspn(value, " "), "local") == 0;
    return true;
  }
  if (strcmp(key, "ended") == 0) {
    info->ended = true;
    return set_counted(&info->ended_ticks, &info->ended_how, value);
  }
  words_unescape(value);
  if (strcmp(key, "clock") == 0)
    info->clock_is_tsc = strcmp(value, "tsc") == 0;
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    if (strcmp(key, texts[i].key) == 0)
      return set_text(texts[i].text, value);
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
    if (strcmp(key, lists[i].key) == 0)
      return lists[i].list->count >= PROCESS_INFO_LIST_MAX || string_list_add(lists[i].list, value);
  return true;
}

/* Reads a whole file of bounded size; NULL with errno. */
static char *read_whole(int directory, const char *name, size_t *size)
{
  struct stat status;
  int fd = openat(directory, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0)
    return NULL;
  char *text = NULL;
  *size = 0;
  if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode)) {
    size_t room = status.st_size > PROCESS_INFO_BYTES_MAX ? PROCESS_INFO_BYTES_MAX : (size_t)status.st_size;
    text = malloc(room + 1);
    ssize_t n = 0;
    while (text != NULL && *size < room && (n = read(fd, text + *size, room - *size)) > 0)
      *size += (size_t)n;
  } else {
    errno = EINVAL;
  }
  int saved = errno;
  close(fd);
  errno = saved;
  return text;
}

/* 0 when it is none. */
static uint32_t version_of(char *value)
{
  uint64_t number = words_number(&value, 10);
  return number > UINT32_MAX ? UINT32_MAX : (uint32_t)number;
}

int process_info_read(struct process_info *info, int directory, const char *name)
{
  size_t size;
  *info = (struct process_info){0};
  char *text = read_whole(directory, name, &size);
  if (text == NULL)
    return -1;
  bool good = true;
  module_ranges ranges = {0};
  char *line = text, *limit = text + size, *end;
  for (; good && line < limit && (end = memchr(line, '\n', (size_t)(limit - line))) != NULL; line = end + 1) {
    *end = 0;
    char *colon = strstr(line, ": ");
    if (colon == NULL)
      continue;
    *colon = 0;
    if (info->version == 0) { /* the first line decides whether this is a process file */
      info->version = strcmp(line, "heddle-raw") == 0 ? version_of(colon + 2) : 0;
      if (info->version == 0)
        break;
    } else {
      good = set_key(info, &ranges, line, colon + 2);
    }
  }
  free(text);
  info->libgomp = info->runtime != NULL && strstr(info->runtime, "libgomp") != NULL;
  good = good && module_map_make(&info->module_map, ranges.items, (uint32_t)ranges.count);
  vector_free(&ranges);
  if (good)
    return 0;
  process_info_free(info);
  errno = ENOMEM;
  return -1;
}

void process_info_free(struct process_info *info)
{
  char *texts[] = {info->runtime, info->host,      info->boot_id,     info->exe,  info->cwd,
                   info->parent,  info->ended_how, info->lost_reason, info->limit};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    free(texts[i]);
  string_list_free(&info->tools);
  string_list_free(&info->arguments);
  string_list_free(&info->environment);
  for (size_t i = 0; i < info->modules.count; i++) {
    free(info->modules.items[i].path);
    free(info->modules.items[i].build_id);
  }
  vector_free(&info->modules);
  module_map_free(&info->module_map);
  java_names_free(&info->java);
  user_names_free(&info->names);
  *info = (struct process_info){0};
}
