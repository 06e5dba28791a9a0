#include "otf2-convert/plan/end_seen.h"

#include "common/raw/archive_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool end_seen_parse(const char *text, struct end_seen *end)
{
  char *at;
  *end = (struct end_seen){.pid = strtoull(text, &at, 10)};
  end->killed = strncmp(at, ":signal:", 8) == 0;
  if (*text < '1' || *text > '9' || (!end->killed && strncmp(at, ":status:", 8) != 0) || at[8] < '0' || at[8] > '9')
    return false;
  end->number = (unsigned)strtoul(at + 8, &at, 10);
  return *at == 0 && end->number <= 255;
}

bool end_seen_note(struct plan *plan, const struct end_seen *end)
{
  struct process *newest = NULL;
  for (uint32_t i = 0; i < plan->processes.count; i++) {
    struct process *process = &plan->processes.items[i];
    if (process->info.pid == end->pid && (newest == NULL || process->info.start_ns >= newest->info.start_ns))
      newest = process;
  }
  if (end->pid == 0 || newest == NULL || (newest->info.ended && !end->killed))
    return true;
  const char *name = end->killed ? sigabbrev_np((int)end->number) : NULL;
  char *text;
  int size = !end->killed ? asprintf(&text, "%s %u", VALUE_ENDED_EXIT, end->number)
             : name       ? asprintf(&text, "%s %u (SIG%s)", VALUE_ENDED_SIGNAL, end->number, name)
                          : asprintf(&text, "%s %u", VALUE_ENDED_SIGNAL, end->number);
  if (size < 0)
    return false;
  free(newest->info.end_seen);
  newest->info.end_seen = text;
  return true;
}
