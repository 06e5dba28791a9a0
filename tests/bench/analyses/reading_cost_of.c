/*
 * Runs a command of heddle in this process, without its output. Then it prints events decoded, bytes kept aside, bytes
 * fetched again, and seconds of processor time in zlib.
 *   reading-cost-of COMMAND [ARGUMENT]...
 */
#include "analyzer/table.h"
#include "analyzer/trace/stream.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

static _Atomic uint64_t deflating; /* ns */

static uint64_t thread_time(void)
{
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* The linker puts it in the place of zlib's (--wrap). */
int __real_deflate(z_streamp stream, int flush);
int __wrap_deflate(z_streamp stream, int flush);
int __wrap_deflate(z_streamp stream, int flush)
{
  uint64_t begin = thread_time();
  int status = __real_deflate(stream, flush);
  deflating += thread_time() - begin;
  return status;
}

int main(int argc, char **argv)
{
  int out = dup(STDOUT_FILENO), null = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (argc < 2 || out < 0 || null < 0 || dup2(null, STDOUT_FILENO) < 0)
    return EXIT_USAGE;
  for (size_t i = 0; i < command_table_size; i++) {
    if (strcmp(argv[1], command_table[i]->name) != 0)
      continue;
    int status = command_table[i]->run(command_table[i], argc - 1, argv + 1);
    struct reading_cost work = reading_cost_so_far();
    dprintf(out, "%" PRIu64 " %" PRIu64 " %" PRIu64 " %.3f\n", work.events, work.written, work.read,
            (double)deflating / 1e9);
    return status;
  }
  fprintf(stderr, "reading-cost-of: there is no command %s\n", argv[1]);
  return EXIT_USAGE;
}
