#include "otf2-convert/plan/process.h"

#include "base/count_of.h"
#include "common/process/own_directory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* The shift is taken out before the map is asked, and added behind it. */
static uint64_t ns_of(const struct process *process, uint64_t time)
{
  __int128 ns = (__int128)time - process->shift;
  return ns < 0 ? 0 : ns > INT64_MAX ? INT64_MAX : (uint64_t)ns;
}

static bool is_broken(const struct process *process)
{
  return process->clock != NULL && clock_map_is_broken(process->clock);
}

uint64_t process_time_after(const struct process *process, uint64_t ticks, uint64_t since)
{
  if (!is_broken(process))
    return process_time(process, ticks);
  return process_time_of_ns(process, clock_map_time_after(process->clock, ticks, ns_of(process, since)));
}

uint64_t process_time_before(const struct process *process, uint64_t ticks, uint64_t until)
{
  if (!is_broken(process))
    return process_time(process, ticks);
  return process_time_of_ns(process, clock_map_time_before(process->clock, ticks, ns_of(process, until)));
}

uint64_t process_duration(const struct process *process, uint64_t from, uint64_t ticks)
{
  if (process->clock == NULL)
    return ticks;
  if (is_broken(process)) {
    double ns = (double)ticks / process->clock->rate;
    return ns < 0x1p63 ? (uint64_t)ns : INT64_MAX;
  }
  return process_time(process, from + ticks) - process_time(process, from);
}

uint64_t process_ticks(const struct process *process, uint64_t time)
{
  if (time == UINT64_MAX || is_broken(process))
    return UINT64_MAX;
  uint64_t ns = ns_of(process, time);
  return process->clock == NULL ? ns : clock_map_ticks(process->clock, ns);
}

static bool read_small(const char *path, char *buffer, size_t size)
{
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t n = fd < 0 ? -1 : read(fd, buffer, size - 1);
  if (fd >= 0)
    close(fd);
  buffer[n > 0 ? n : 0] = 0;
  buffer[strcspn(buffer, "\n")] = 0;
  return n > 0;
}

struct here here_now(void)
{
  struct here here = {0};
  char link[64];
  read_small("/proc/sys/kernel/random/boot_id", here.boot_id, sizeof here.boot_id);
  ssize_t n = readlink("/proc/self/ns/pid", link, sizeof link - 1);
  link[n > 0 ? n : 0] = 0;
  const char *number = strchr(link, '[');
  here.pid_namespace = number == NULL ? 0 : strtoull(number + 1, NULL, 10);
  return here;
}

bool process_same_boot(const struct process_info *info, const struct here *here)
{
  return info->boot_id != NULL && here->boot_id[0] != 0 && strcmp(info->boot_id, here->boot_id) == 0;
}

/* The start time of a process that lives, in jiffies since boot; 0: there is none. */
static uint64_t start_of_living(uint64_t pid)
{
  char path[64], text[1024];
  snprintf(path, sizeof path, "/proc/%llu/stat", (unsigned long long)pid);
  if (!read_small(path, text, sizeof text))
    return 0;
  char *at = strrchr(text, ')'); /* the name before it may hold anything */
  if (at == NULL || strlen(at) < 3 || at[2] == 'Z' || at[2] == 'X')
    return 0;
  for (int field = 2; field < 22 && at != NULL; field++)
    at = strchr(at + 1, ' ');
  return at == NULL ? 0 : strtoull(at, NULL, 10);
}

/* The lock that a process holds on its file as long as it lives says more than all else, where it can be asked. */
static enum process_life life_by_lock(const struct process_info *info, int directory, bool same_boot)
{
  struct stat status;
  int fd = openat(directory, "process", O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0)
    return LIFE_UNKNOWN;
  enum process_life life = LIFE_UNKNOWN;
  if (fstat(fd, &status) != 0 || status.st_ino != info->lock_inode)
    life = LIFE_UNKNOWN; /* a copy; its process writes to another file */
  else if (flock(fd, LOCK_SH | LOCK_NB) != 0)
    life = errno == EWOULDBLOCK ? LIFE_GOES_ON : LIFE_UNKNOWN;
  else if (same_boot || (info->lock_local && file_system_is_local(fd)))
    life = LIFE_OVER; /* free for everybody who could have it */
  close(fd);
  return life;
}

enum process_life process_life_of(const struct process_info *info, int directory, const struct here *here)
{
  bool same_boot = process_same_boot(info, here);
  if (info->ended)
    return LIFE_OVER;
  enum process_life life = info->lock_inode != 0 ? life_by_lock(info, directory, same_boot) : LIFE_UNKNOWN;
  if (life != LIFE_UNKNOWN)
    return life;
  if (!same_boot || info->start_jiffies == 0 || info->pid_namespace == 0 || info->pid_namespace != here->pid_namespace)
    return LIFE_UNKNOWN;
  return start_of_living(info->pid) == info->start_jiffies ? LIFE_GOES_ON : LIFE_OVER;
}

static const char *without_folder(const char *path)
{
  const char *slash = strrchr(path, '/');
  return slash != NULL && slash[1] != '\0' ? slash + 1 : path;
}

/* Options of java whose value is the next argument. Options of the form --option=value have it in themselves. */
static bool takes_a_value(const char *option)
{
  static const char *const list[] = {"-cp",
                                     "-classpath",
                                     "--class-path",
                                     "-p",
                                     "--module-path",
                                     "--upgrade-module-path",
                                     "--add-modules",
                                     "--limit-modules",
                                     "--add-reads",
                                     "--add-exports",
                                     "--add-opens",
                                     "--patch-module",
                                     "--enable-native-access",
                                     "--source",
                                     "--describe-module",
                                     "-d"};
  for (size_t i = 0; i < COUNT_OF(list); i++)
    if (strcmp(option, list[i]) == 0)
      return true;
  return false;
}

/* Returns the program of a java command line; NULL: unknown. */
static const char *java_name(const string_list *arguments)
{
  for (size_t i = 1; i < arguments->count; i++) {
    const char *argument = arguments->items[i], *next = i + 1 < arguments->count ? arguments->items[i + 1] : NULL;
    if (strcmp(argument, "-jar") == 0)
      return next != NULL ? without_folder(next) : NULL;
    if (strcmp(argument, "-m") == 0 || strcmp(argument, "--module") == 0)
      return next != NULL ? without_folder(next) : NULL; /* module/class, or a module */
    if (strncmp(argument, "--module=", 9) == 0)
      return without_folder(argument + 9);
    if (takes_a_value(argument))
      i++;
    else if (*argument != '-' && *argument != '@' && *argument != '\0')
      return without_folder(argument);
  }
  return NULL;
}

const char *process_name(const struct process_info *info)
{
  if (info->exe == NULL)
    return NULL;
  const char *name = without_folder(info->exe), *java = NULL;
  if (strcmp(name, "java") == 0)
    java = java_name(&info->arguments);
  return java != NULL && *java != '\0' ? java : name;
}

uint64_t process_rank(const struct process_info *info)
{
  static const char *const variables[] = {"OMPI_COMM_WORLD_RANK=", "PMIX_RANK=", "PMI_RANK=", "SLURM_PROCID="};
  for (unsigned i = 0; i < sizeof variables / sizeof *variables; i++)
    for (size_t k = 0; k < info->environment.count; k++) {
      const char *entry = info->environment.items[k];
      size_t length = strlen(variables[i]),
             digits = strspn(entry + (strlen(entry) < length ? 0 : length), "0123456789");
      if (strncmp(entry, variables[i], length) == 0 && digits > 0 && digits < 10 && entry[length + digits] == '\0')
        return strtoull(entry + length, NULL, 10);
    }
  return PROCESS_NO_RANK;
}
