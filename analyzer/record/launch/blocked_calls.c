#include "analyzer/record/launch/blocked_calls.h"

#include "analyzer/record/launch/blocked_on.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define ASKED_AT_ONCE 256u

void blocked_calls_out(struct blocked_calls *calls, uint64_t who, uint64_t time)
{
  (void)hash_put(&calls->waiting, who, time);
}

void blocked_calls_in(struct blocked_calls *calls, uint64_t who)
{
  if (hash_find(&calls->waiting, who))
    hash_remove(&calls->waiting, who);
}

/* The call that the thread is in, and its first argument. False: it is in none, or not there any more, or it may not be
 * asked. */
static bool read_call(uint64_t who, uint32_t *call, uint64_t *argument)
{
  char path[64], text[128], *end;
  snprintf(path, sizeof path, "/proc/%u/task/%u/syscall", (unsigned)(who >> 32), (unsigned)who);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t got = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
  if (fd >= 0)
    close(fd);
  if (got <= 0)
    return false;
  text[got] = '\0';
  long number = strtol(text, &end, 10);
  *call = (uint32_t)number;
  *argument = end != text ? strtoull(end, NULL, 16) : 0;
  return end != text && *end == ' ' && number >= 0 && number < 4096;
}

void blocked_calls_ask(struct blocked_calls *calls, uint64_t before, blocked_calls_taker *taker, void *context)
{
  struct hash_entry asked[ASKED_AT_ONCE];
  size_t count = 0;
  for (size_t i = 0; i < calls->waiting.room && count < ASKED_AT_ONCE; i++)
    if (calls->waiting.entries[i].used && calls->waiting.entries[i].value <= before)
      asked[count++] = calls->waiting.entries[i];
  for (size_t i = 0; i < count; i++) {
    uint32_t call;
    uint64_t argument;
    char on[BLOCKED_ON_SIZE];
    hash_remove(&calls->waiting, asked[i].key);
    if (read_call(asked[i].key, &call, &argument))
      taker(context, asked[i].key, call, blocked_on((uint32_t)(asked[i].key >> 32), call, argument, on) ? on : NULL);
  }
}

void blocked_calls_free(struct blocked_calls *calls)
{
  hash_free(&calls->waiting);
}
