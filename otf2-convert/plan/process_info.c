#include "otf2-convert/plan/process_info.h"

#include "base/count_of.h"
#include "common/raw/archive_names.h"
#include "otf2-convert/text_fields.h"

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

static bool process_info_add_anchor(struct process_info *info, char *value)
{
  struct anchor anchor = {.ticks = field_next_number(&value, 10)};
  anchor.monotonic_ns = field_next_number(&value, 10);
  anchor.realtime_ns = field_next_number(&value, 10);
  anchor.width = field_next_number(&value, 10);
  if (info->anchors++ == 0)
    info->first = anchor;
  info->last = anchor;
  return info->all_anchors.count >= PROCESS_INFO_LIST_MAX || vector_push(&info->all_anchors, anchor);
}

/* The first line is of the begin, the next one of the end. */
static void add_cpu_limit(struct process_info *info, char *value)
{
  bool first = info->cpu_limit.period_us == 0;
  info->cpu_limit.quota_us = field_next_number(&value, 10);
  info->cpu_limit.period_us = field_next_number(&value, 10);
  info->cpu_limit.last_us = field_next_number(&value, 10);
  info->cpu_limit.ended = !first;
  if (first)
    info->cpu_limit.first_us = info->cpu_limit.last_us;
}

/* Likewise. */
static void add_stolen(struct process_info *info, char *value)
{
  bool first = info->stolen.last_of == 0;
  info->stolen.last = field_next_number(&value, 10);
  info->stolen.last_of = field_next_number(&value, 10);
  if (!first)
    return;
  info->stolen.first = info->stolen.last;
  info->stolen.first_of = info->stolen.last_of;
}

static void add_timer_samples(struct process_info *info, char *value)
{
  info->timers.wanted = true;
  info->timers.lost[RAW_SAMPLE_BUSY] = field_next_number(&value, 10);
  info->timers.lost[RAW_SAMPLE_LATE] = field_next_number(&value, 10);
  info->timers.lost[RAW_SAMPLE_OFF] = field_next_number(&value, 10);
  info->timers.missing = field_next_number(&value, 10);
}

static bool set_counted(uint64_t *number, char **text, char *value)
{
  *number = field_next_number(&value, 10);
  field_unescape(value);
  return set_text(text, value + strspn(value, " "));
}

static bool set_key(struct process_info *info, const char *key, char *value)
{
  const struct {
    const char *key;
    uint64_t *number;
  } numbers[] = {{"pid", &info->pid},
                 {"ppid", &info->ppid},
                 {"start", &info->start_ns},
                 {"start-jiffies", &info->start_jiffies},
                 {"began", &info->began_ns},
                 {"pid-namespace", &info->pid_namespace},
                 {"events-lost", &info->events_lost},
                 {"processors", &info->processors},
                 {"record-ticks", &info->record_ticks},
                 {"live", &info->live},
                 {"java-sampling", &info->java_calls.period},
                 {"counter-ticks", &info->counter_ticks}};
  const struct {
    const char *key;
    char **text;
  } texts[] = {{"runtime", &info->runtime},
               {"host", &info->host},
               {"boot-id", &info->boot_id},
               {"exe", &info->exe},
               {"cwd", &info->cwd},
               {"parent", &info->parent},
               {"clock-why", &info->clock_why},
               {"limit", &info->limit},
               {"budget", &info->budget},
               {"profile", &info->profile},
               {"counters", &info->counters}};
  const struct {
    const char *key;
    string_list *list;
  } lists[] = {{"tool", &info->tools}, {"arg", &info->arguments}, {"env", &info->environment}};

  for (size_t i = 0; i < COUNT_OF(numbers); i++)
    if (strcmp(key, numbers[i].key) == 0) {
      *numbers[i].number = field_next_number(&value, 10);
      return true;
    }
  if (strcmp(key, "anchor") == 0)
    return process_info_add_anchor(info, value);
  if (strcmp(key, "cpu-limit") == 0)
    return add_cpu_limit(info, value), true;
  if (strcmp(key, "stolen") == 0)
    return add_stolen(info, value), true;
  if (strcmp(key, "modules") == 0)
    return module_list_listing(&info->modules, value);
  if (strcmp(key, "module") == 0)
    return module_list_module(&info->modules, value);
  if (strcmp(key, "gone") == 0)
    return module_list_gone(&info->modules, value), true;
  if (strcmp(key, "timer-samples") == 0)
    return add_timer_samples(info, value), true;
  if (strcmp(key, "class") == 0)
    return java_names_add_class(&info->java, value);
  if (strcmp(key, "place") == 0)
    return java_names_add_place(&info->java, value);
  if (strcmp(key, "stuck") == 0)
    return java_names_add_stuck(&info->java, value);
  if (strcmp(key, "waiting") == 0)
    return java_names_add_waiting(&info->java, value);
  if (strcmp(key, "field") == 0)
    return java_names_add_field(&info->java, value);
  if (strcmp(key, "call") == 0)
    return java_calls_add(&info->java_calls, value);
  if (strcmp(key, "java-samples") == 0)
    return java_calls_add_counts(&info->java_calls, value), true;
  if (strcmp(key, "name") == 0)
    return user_names_add(&info->names, value);
  if (strcmp(key, "threads-lost") == 0)
    return set_counted(&info->threads_lost, &info->lost_reason, value);
  if (strcmp(key, "counters-lost") == 0)
    return info->counters_lost = field_next_number(&value, 10), true;
  if (strcmp(key, "chunks-lost") == 0)
    return set_counted(&info->chunks_lost, &info->lost_reason, value);
  if (strcmp(key, "lock") == 0) {
    info->lock_inode = field_next_number(&value, 10);
    info->lock_local = strcmp(value + strspn(value, " "), "local") == 0;
    return true;
  }
  if (strcmp(key, "ended") == 0) {
    info->ended = true;
    return set_counted(&info->ended_ticks, &info->ended_how, value);
  }
  field_unescape(value);
  if (strcmp(key, "clock") == 0)
    info->clock_is_tsc = strcmp(value, "tsc") == 0;
  for (size_t i = 0; i < COUNT_OF(texts); i++)
    if (strcmp(key, texts[i].key) == 0)
      return set_text(texts[i].text, value);
  for (size_t i = 0; i < COUNT_OF(lists); i++)
    if (strcmp(key, lists[i].key) == 0)
      return lists[i].list->count >= PROCESS_INFO_LIST_MAX || string_list_add(lists[i].list, value);
  return true;
}

/* Reads a whole file of bounded size; NULL with errno. */
static char *read_whole(int directory, const char *name, size_t *size, bool *cut)
{
  struct stat status;
  int fd = openat(directory, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0)
    return NULL;
  char *text = NULL;
  *size = 0;
  if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode)) {
    *cut = status.st_size > PROCESS_INFO_BYTES_MAX;
    size_t room = *cut ? PROCESS_INFO_BYTES_MAX : (size_t)status.st_size;
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
  uint64_t number = field_next_number(&value, 10);
  return number > UINT32_MAX ? UINT32_MAX : (uint32_t)number;
}

bool process_info_read(struct process_info *info, int directory, const char *name)
{
  size_t size;
  *info = (struct process_info){0};
  char *text = read_whole(directory, name, &size, &info->cut);
  if (text == NULL)
    return false;
  bool good = true;
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
      good = set_key(info, line, colon + 2);
    }
  }
  free(text);
  info->libgomp = info->runtime != NULL && strstr(info->runtime, "libgomp") != NULL &&
                  strstr(info->runtime, RAW_RUNTIME_WITH_TOOLS) == NULL;
  good = good && module_list_finish(&info->modules, info->ended);
  if (good)
    return true;
  process_info_free(info);
  errno = ENOMEM;
  return false;
}

bool process_info_has_tool(const struct process_info *info, const char *tool)
{
  for (size_t i = 0; i < info->tools.count; i++)
    if (strcmp(info->tools.items[i], tool) == 0)
      return true;
  return false;
}

void process_info_free(struct process_info *info)
{
  char *texts[] = {info->counters,  info->budget,      info->profile, info->exit_status, info->runtime,
                   info->host,      info->boot_id,     info->exe,     info->cwd,         info->parent,
                   info->ended_how, info->lost_reason, info->limit,   info->clock_why};
  for (size_t i = 0; i < COUNT_OF(texts); i++)
    free(texts[i]);
  vector_free(&info->all_anchors);
  string_list_free(&info->tools);
  string_list_free(&info->arguments);
  string_list_free(&info->environment);
  module_list_free(&info->modules);
  java_names_free(&info->java);
  java_calls_free(&info->java_calls);
  user_names_free(&info->names);
  *info = (struct process_info){0};
}

bool process_info_has_openmp(const struct process_info *info)
{
  for (size_t i = 0; i < info->tools.count; i++)
    if (strcmp(info->tools.items[i], "user") != 0 && strcmp(info->tools.items[i], TOOL_PTHREAD) != 0 &&
        strcmp(info->tools.items[i], TOOL_CALLS) != 0)
      return true;
  return info->tools.count == 0;
}

bool user_names_add(struct user_names *names, char *value)
{
  uint64_t id = field_next_number(&value, 10);
  if (*value != ' ' || id < 1 || id > USER_NAMES_MAX)
    return true;
  while (names->items.count < id)
    if (!vector_push(&names->items, (char *)NULL))
      return false;
  if (names->items.items[id - 1] != NULL)
    return true;
  field_unescape(++value);
  return (names->items.items[id - 1] = strdup(value)) != NULL;
}

void user_names_free(struct user_names *names)
{
  for (size_t i = 0; i < names->items.count; i++)
    free(names->items.items[i]);
  vector_free(&names->items);
}

const char *user_name(const struct user_names *names, uint64_t id)
{
  return id - 1 < names->items.count ? names->items.items[id - 1] : NULL;
}

bool user_name_is_built(const struct user_names *names, uint64_t id)
{
  const char *name = user_name(names, id);
  return name != NULL && strncmp(name, NAME_BUILT, strlen(NAME_BUILT)) == 0;
}
