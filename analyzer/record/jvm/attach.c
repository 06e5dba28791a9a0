#include "analyzer/record/jvm/attach.h"

#include "base/count_of.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define ANSWER_SECONDS 60
#define OPEN_SECONDS   20
#define OPEN_LOOKS     400

/* Facts about the process before the first request. */
struct target {
  pid_t pid;
  long inner_pid; /* in its own namespace */
  uid_t user;
  gid_t group;
  bool catches_quit, has_jvm;
};

static FILE *open_proc(pid_t pid, const char *name)
{
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
  return fopen(path, "re");
}

static void read_status(struct target *target, FILE *status)
{
  char line[512];
  unsigned long long caught;
  unsigned user, group;
  while (fgets(line, sizeof line, status)) {
    if (sscanf(line, "SigCgt: %llx", &caught) == 1)
      target->catches_quit = (caught >> (SIGQUIT - 1) & 1) != 0;
    else if (sscanf(line, "Uid: %*u %u", &user) == 1)
      target->user = user;
    else if (sscanf(line, "Gid: %*u %u", &group) == 1)
      target->group = group;
    else if (strncmp(line, "NSpid:", 6) == 0)
      target->inner_pid = strtol(strrchr(line, '\t') ? strrchr(line, '\t') : line + 6, NULL, 10);
  }
}

static bool look_at(struct target *target, pid_t pid, char message[JVM_ATTACH_MESSAGE])
{
  *target = (struct target){.pid = pid, .inner_pid = pid};
  FILE *status = open_proc(pid, "status");
  if (!status)
    return jvm_talk_fail(message, "there is no process %d", (int)pid);
  read_status(target, status);
  fclose(status);
  FILE *maps = open_proc(pid, "maps");
  char line[4400];
  while (maps && !target->has_jvm && fgets(line, sizeof line, maps))
    target->has_jvm = strstr(line, "/libjvm.so") != NULL;
  bool readable = maps != NULL;
  if (maps)
    fclose(maps);
  if (!readable)
    return jvm_talk_fail(message, "process %d belongs to another user: attach as that user", (int)pid);
  return target->has_jvm || jvm_talk_fail(message, "process %d is not a JVM (it has no libjvm.so)", (int)pid);
}

/* True if the JVM refuses by option: a request for its socket would print a thread dump. Options in files are unknown.
 */
static bool refuses(pid_t pid)
{
  char arguments[65536];
  FILE *file = open_proc(pid, "cmdline");
  size_t n = file ? fread(arguments, 1, sizeof arguments, file) : 0;
  if (file)
    fclose(file);
  static const char option[] = "-XX:+DisableAttachMechanism";
  return memmem(arguments, n, option, sizeof option) != NULL;
}

static void pause_ms(long ms)
{
  struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
  nanosleep(&time, NULL);
}

static void socket_path_of(const struct target *target, char *path, size_t size)
{
  snprintf(path, size, "/proc/%d/root/tmp/.java_pid%ld", (int)target->pid, target->inner_pid);
}

/* Everybody may write where it lies: it is the JVM's only if it belongs to the JVM's user. */
static bool is_socket(const struct target *target, const char *path)
{
  struct stat status;
  return lstat(path, &status) == 0 && S_ISSOCK(status.st_mode) && status.st_uid == target->user;
}

static bool may_attach(const struct target *target, char message[JVM_ATTACH_MESSAGE])
{
  return (target->catches_quit && !refuses(target->pid)) ||
         jvm_talk_fail(message,
                       "the JVM %d was started with -Xrs or -XX:+DisableAttachMechanism, which prevent attaching",
                       (int)target->pid);
}

/*
 * Makes a file that asks the JVM to open its socket: in its working directory, where it looks first, or else in /tmp.
 * One of another user, which the JVM ignores, may be there. False: `message` says why.
 */
static bool make_request(const struct target *target, char *file, size_t size, char message[JVM_ATTACH_MESSAGE])
{
  static const char *const places[] = {"cwd", "root/tmp"};
  struct stat status;
  for (size_t i = 0; i < COUNT_OF(places); i++) {
    snprintf(file, size, "/proc/%d/%s/.attach_pid%ld", (int)target->pid, places[i], target->inner_pid);
    int fd = open(file, O_CREAT | O_WRONLY | O_CLOEXEC | O_EXCL | O_NOFOLLOW, 0600);
    if (fd >= 0) {
      close(fd);
      return true;
    }
    int why = errno;
    if (why == EEXIST && lstat(file, &status) == 0 && status.st_uid == target->user && S_ISREG(status.st_mode))
      return true; /* file of an attach that was ended, or that goes on */
    if (why == EEXIST)
      return jvm_talk_fail(message, "%s belongs to another user (uid %u), so the JVM %d ignores it: remove it", file,
                           (unsigned)status.st_uid, (int)target->pid);
    if (i + 1 == COUNT_OF(places))
      return jvm_talk_fail(message, "%s: cannot write: %s", file, strerror(why));
  }
  return false;
}

/* The JVM opens its socket when it gets SIGQUIT and a certain file is there. */
static bool wake(const struct target *target, const char *socket_path, char message[JVM_ATTACH_MESSAGE])
{
  char file[128];
  struct stat status;
  if (is_socket(target, socket_path))
    return true;
  if (lstat(socket_path, &status) == 0)
    return jvm_talk_fail(message, "%s is not the socket of the JVM %d: it belongs to uid %u: remove it", socket_path,
                         (int)target->pid, (unsigned)status.st_uid);
  if (!may_attach(target, message) || !make_request(target, file, sizeof file, message))
    return false;
  /* It is asked again only once, and late: a JVM that opens its socket between the two answers the second by a thread
   * dump. */
  bool open = true;
  for (int i = 0; open && i < OPEN_LOOKS && !is_socket(target, socket_path); i++) {
    if (i == 0 || i == OPEN_LOOKS / 2)
      open = kill(target->pid, SIGQUIT) == 0;
    pause_ms(OPEN_SECONDS * 1000 / OPEN_LOOKS);
  }
  unlink(file);
  return is_socket(target, socket_path) || jvm_talk_fail(message, "the JVM %d does not answer", (int)target->pid);
}

static bool talk(const struct target *target, const char *agent, const char *options, char message[JVM_ATTACH_MESSAGE])
{
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  socket_path_of(target, address.sun_path, sizeof address.sun_path);
  if (!wake(target, address.sun_path, message))
    return false;
  double until = jvm_talk_clock() + ANSWER_SECONDS;
  int fd = jvm_talk_connect(&address, until);
  if (fd < 0)
    return jvm_talk_fail(message, "cannot connect to the JVM %d: %s", (int)target->pid, strerror(errno));
  bool good = jvm_talk_load(fd, target->pid, agent, options, until, message);
  close(fd);
  return good;
}

bool jvm_attach_can(pid_t pid, const char *agent, char message[JVM_ATTACH_MESSAGE])
{
  struct target target;
  struct stat there;
  char path[PATH_MAX + 32], socket_path[64];
  if (!look_at(&target, pid, message))
    return false;
  snprintf(path, sizeof path, "/proc/%d/root%s", (int)pid, agent);
  if (stat(path, &there) != 0 && errno == ENOENT)
    return jvm_talk_fail(
        message, "the JVM %d has another file system, as in a container: make %s visible to it under the same path",
        (int)pid, agent);
  socket_path_of(&target, socket_path, sizeof socket_path);
  return is_socket(&target, socket_path) || may_attach(&target, message);
}

bool jvm_attach_sees(pid_t pid, const char *directory, char message[JVM_ATTACH_MESSAGE])
{
  struct stat here, there;
  char path[PATH_MAX + 32];
  snprintf(path, sizeof path, "/proc/%d/root%s", (int)pid, directory);
  bool gone = stat(path, &there) != 0;
  bool other = gone ? errno == ENOENT
                    : stat(directory, &here) == 0 && (here.st_dev != there.st_dev || here.st_ino != there.st_ino);
  return !other || jvm_talk_fail(message,
                                 "the JVM %d has another file system, as in a container, without the directory %s: "
                                 "choose one with -o that has the same path there",
                                 (int)pid, directory);
}

bool jvm_attach_load(pid_t pid, const char *agent, const char *options, char message[JVM_ATTACH_MESSAGE])
{
  struct target target;
  if (!look_at(&target, pid, message))
    return false;
  /* The JVM talks to its own user only: root becomes that meanwhile. */
  uid_t user = geteuid();
  gid_t group = getegid();
  bool other = user == 0 && target.user != 0;
  if (other && (setegid(target.group) != 0 || seteuid(target.user) != 0))
    return jvm_talk_fail(message, "cannot become the user of process %d: %s", (int)pid, strerror(errno));
  bool good = talk(&target, agent, options, message);
  if (other && (seteuid(user) != 0 || setegid(group) != 0))
    return jvm_talk_fail(message, "cannot become root again: %s", strerror(errno));
  return good;
}

bool jvm_attach_user(pid_t pid, uid_t *user, gid_t *group)
{
  struct target target = {.pid = pid};
  FILE *status = open_proc(pid, "status");
  if (!status)
    return false;
  read_status(&target, status);
  fclose(status);
  *user = target.user;
  *group = target.group;
  return true;
}

char *jvm_attach_trace(pid_t pid)
{
  FILE *maps = open_proc(pid, "maps");
  char *line = NULL, *trace = NULL;
  size_t room = 0;
  while (maps && !trace && getline(&line, &room, maps) > 0) {
    char *path = strchr(line, '/'), *window = path ? strstr(path, "/windows\n") : NULL, *raw = NULL;
    if (!window)
      continue;
    *window = 0;
    for (char *at = path; (at = strstr(at, "/raw/")) != NULL; at++)
      raw = at;
    if (raw) {
      *raw = 0;
      trace = strdup(path);
    }
  }
  free(line);
  if (maps)
    fclose(maps);
  return trace;
}
