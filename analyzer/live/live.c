#include "analyzer/live/live.h"

#include "analyzer/launch/siblings.h"
#include "analyzer/live/reader.h"
#include "common/live_words.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

struct live {
  pid_t server; /* 0: none */
  FILE *to, *from;
  char *line; /* getline()'s */
  size_t room;
  uint64_t pid;
  char *name;
  struct live_reader reader;
};

static bool get_line(struct live *live, struct error *error)
{
  ssize_t length = getline(&live->line, &live->room, live->from);
  if (length <= 0 || live->line[length - 1] != '\n')
    return error_set(error, "process %llu can no longer be watched: its files cannot be read",
                     (unsigned long long)live->pid);
  live->line[length - 1] = '\0';
  return true;
}

/* Starts the program that reads the files. Its errors go to our stderr. */
static bool start(struct live *live, const char *directory, struct error *error)
{
  int asks[2] = {-1, -1}, answers[2] = {-1, -1};
  char *path = sibling_path(SIBLING_CONVERT);
  posix_spawn_file_actions_t actions;
  if (!path || pipe2(asks, O_CLOEXEC) != 0 || pipe2(answers, O_CLOEXEC) != 0 ||
      posix_spawn_file_actions_init(&actions) != 0) {
    free(path);
    return error_set(error, "cannot start " SIBLING_CONVERT ": %s", strerror(errno));
  }
  posix_spawn_file_actions_adddup2(&actions, asks[0], 0);
  posix_spawn_file_actions_adddup2(&actions, answers[1], 1);
  char *arguments[] = {(char *)SIBLING_CONVERT, (char *)"--live", (char *)directory, NULL};
  int failure = posix_spawn(&live->server, path, &actions, NULL, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  close(asks[0]);
  close(answers[1]);
  live->to = fdopen(asks[1], "w");
  live->from = fdopen(answers[0], "r");
  if (failure != 0) {
    live->server = 0;
    error_set(error, "%s: cannot be started: %s; is the installation complete?", path, strerror(failure));
  }
  free(path);
  return failure == 0 && ((live->to && live->from) || error_set(error, "out of memory"));
}

struct live *live_open(const char *directory, struct error *error)
{
  struct live *live = calloc(1, sizeof *live);
  uint64_t ticks_per_second;
  if (!live) {
    error_set(error, "out of memory");
    return NULL;
  }
  bool good = start(live, directory, error) && (get_line(live, error) || (error->message[0] = '\0'));
  char *rest = good ? live->line : NULL;
  const char *word = rest ? strsep(&rest, "\t") : NULL, *version = strsep(&rest, "\t"), *ticks = strsep(&rest, "\t"),
             *pid = strsep(&rest, "\t"), *name = rest;
  if (good && (!name || strcmp(word, LIVE_HEAD) != 0 || strcmp(version, LIVE_VERSION) != 0 ||
               !live_number(ticks, &ticks_per_second) || !live_number(pid, &live->pid)))
    good = error_set(error, SIBLING_CONVERT " is of another version of Heddle");
  if (good)
    good = (live->name = strdup(name)) && live_reader_begin(&live->reader, ticks_per_second, name);
  if (!good) {
    live_close(live);
    return NULL;
  }
  return live;
}

void live_close(struct live *live)
{
  if (!live)
    return;
  if (live->to)
    fclose(live->to);
  if (live->from)
    fclose(live->from);
  if (live->server > 0)
    waitpid(live->server, NULL, 0);
  live_reader_end(&live->reader);
  free(live->line);
  free(live->name);
  free(live);
}

uint64_t live_pid(const struct live *live)
{
  return live->pid;
}

const char *live_name(const struct live *live)
{
  return live->name;
}

bool live_read(struct live *live, struct live_reading *reading, struct error *error)
{
  enum live_line taken = LIVE_GOES_ON;
  if (putc('\n', live->to) == EOF || fflush(live->to) != 0)
    return error_set(error, "process %llu can no longer be watched: %s", (unsigned long long)live->pid,
                     strerror(errno));
  while (taken == LIVE_GOES_ON)
    if (!get_line(live, error) || (taken = live_reader_take(&live->reader, live->line)) == LIVE_WRONG)
      return taken != LIVE_WRONG || error_set(error, SIBLING_CONVERT " says what makes no sense");
  return live_reader_result(&live->reader, reading) || error_set(error, "out of memory");
}
