#include "analyzer/command/progress.h"

#include <stdio.h>
#include <unistd.h>

struct progress progress_begin(const char *command, unsigned steps)
{
  return (struct progress){.command = command, .steps = steps, .shown = isatty(STDERR_FILENO) == 1};
}

bool progress_step(struct progress *progress, const char *what)
{
  progress->step++;
  if (progress->shown)
    fprintf(stderr, "\r\033[Kheddle %s: %u of %u: %s", progress->command, progress->step, progress->steps, what);
  return true;
}

void progress_end(struct progress *progress)
{
  if (progress->shown && progress->step > 0)
    fputs("\r\033[K", stderr);
  progress->shown = false;
}
