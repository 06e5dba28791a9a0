/*
 * soak SEED [--actions N] [--depth N] [--only NAME,...] [--without NAME,...] [--leave-out N]... [--as NAME] [--list]
 * The program of the soak: see README.md. SOAK_COUNTS names the file that it counts in, SOAK_SCRATCH an empty
 * directory.
 */
#include "tests/soak/soak.h"

#include "tests/soak/counts.h"

#include <execinfo.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char program_path[PATH_MAX];
char scratch[PATH_MAX];

static void list(void)
{
  for (unsigned i = 0; i < actions_count; i++)
    puts(actions[i].name);
}

static int usage(const char *what)
{
  fprintf(stderr,
          "soak: %s\nusage: soak SEED [--actions N] [--depth N] [--only NAME,...] [--without NAME,...] [--leave-out "
          "N]...\n",
          what);
  return 2;
}

/* Takes the options; NULL, or what is wrong with them. */
static const char *take(int argc, char **argv, unsigned *n)
{
  for (int i = 2; i < argc; i += 2) {
    const char *value = i + 1 < argc ? argv[i + 1] : NULL;
    if (!value)
      return "an option has no value";
    if (strcmp(argv[i], "--actions") == 0)
      *n = (unsigned)atoi(value);
    else if (strcmp(argv[i], "--depth") == 0)
      depth = (unsigned)atoi(value);
    else if (strcmp(argv[i], "--leave-out") == 0)
      actions_leave_out((unsigned)atoi(value));
    else if (strcmp(argv[i], "--only") == 0 || strcmp(argv[i], "--without") == 0) {
      if (!actions_choose(value, argv[i][4] == 't'))
        return "there is no such action; --list names them";
    } else {
      return "there is no such option";
    }
  }
  return NULL;
}

int main(int argc, char **argv)
{
  unsigned n = 10;
  if (argc == 2 && strcmp(argv[1], "--list") == 0) {
    list();
    return 0;
  }
  if (argc < 2)
    return usage("give a seed");
  const char *wrong = take(argc, argv, &n);
  if (wrong)
    return usage(wrong);
  const char *at = getenv("SOAK_SCRATCH");
  if (!at || !counts_open() || !realpath("/proc/self/exe", program_path))
    return usage("SOAK_COUNTS and SOAK_SCRATCH name a file and a directory");
  snprintf(scratch, sizeof scratch, "%s", at);
  if (geteuid() != 0)
    conditions |= IS_NO_ROOT;
  /* glibc loads libgcc_s when the first thread ends by pthread_exit, as libgomp's threads do, and aborts where it
   * can't. This happens under a limit of memory, while threads of the last region are still ending. */
  void *frame;
  backtrace(&frame, 1);

  struct draw draw = {strtoull(argv[1], NULL, 10)};
  /* The first process emits at once: else the first child that ends makes the archive, as nobody else records then. */
  if (draw_below(&draw, 4) > 0 || depth == 0)
    emit_event();
  actions_run(&draw, n);
  crowd_stop();
  complain("soak: at the end\n");
  struct draw ending = draw_split(&draw, n);
  end(&ending);
}
