/*
 * The table of actions. A line: name, weight, function, and the conditions that it can't be combined with.
 */
#include "tests/soak/soak.h"

#include "tests/soak/counts.h"

#include <stdio.h>
#include <string.h>

/* What changes the process for good is not for the root process, whose other actions would never be the same. */
#define CHANGES IS_ROOT_PROCESS
/* A child without a report by a handler of fork uses neither threads nor OpenMP. */
#define THREADS  (IS_RAW | IS_BOUND)
#define FORKS    (IS_RAW | IS_BOUND)
#define EXECUTES (IS_RAW | IS_BOUND | IS_AWAY | IS_SILENT)

const struct action actions[] = {
    {"threads", 6, act_threads, THREADS},
    {"small_stacks", 3, act_small_stacks, THREADS},
    {"generations", 3, act_generations, THREADS},
    {"detached", 3, act_detached, THREADS},
    {"destructors", 3, act_destructors, THREADS},
    {"cancel", 3, act_cancel, THREADS},
    {"cancel_any_time", 3, act_cancel_any_time, THREADS},
    {"crowd", 4, act_crowd, THREADS | IS_CROWDED},
    {"names", 2, act_names, THREADS},

    {"handlers", 4, act_handlers, THREADS},
    {"nested_handlers", 3, act_nested_handlers, THREADS},
    {"altstack", 3, act_altstack, 0},
    {"longjmp", 2, act_longjmp, 0},
    {"siglongjmp", 4, act_siglongjmp, THREADS},
    {"fault", 3, act_fault, 0},
    {"timer", 3, act_timer, IS_RAW},

    {"regions", 5, act_regions, THREADS},
    {"tasks", 4, act_tasks, THREADS},
    {"locks", 4, act_locks, THREADS},
    {"nested", 2, act_nested, THREADS},
    {"roots", 3, act_roots, THREADS},
    {"signals_in_regions", 3, act_signals_in_regions, THREADS},

    {"fork", 8, act_fork, FORKS},
    {"fork_only", 5, act_fork_only, FORKS},
    {"clone", 5, act_clone, FORKS},
    {"forks", 2, act_forks, FORKS},
    {"fork_in_thread", 3, act_fork_in_thread, FORKS | IS_FORKED},
    {"vfork", 3, act_vfork, EXECUTES},
    {"exec", 4, act_exec, EXECUTES},
    {"spawn", 3, act_spawn, EXECUTES},
    {"shell", 1, act_shell, EXECUTES},
    {"daemon", 2, act_daemon, FORKS},
    {"kill", 6, act_kill, FORKS},
    {"early_signals", 2, act_early_signals, FORKS},

    {"close_standard", 4, act_close_standard, CHANGES},
    {"close_error", 4, act_close_error, CHANGES},
    {"closefrom", 5, act_closefrom, CHANGES},
    {"close_range", 4, act_close_range, CHANGES},
    {"take_descriptors", 3, act_take_descriptors, CHANGES},

    /* glibc informs all threads of a new user; a child unaware of the fork waits for its parent's threads. */
    {"setuid", 4, act_setuid, CHANGES | IS_NO_ROOT | IS_RAW},
    {"setgid", 3, act_setgid, CHANGES | IS_NO_ROOT | IS_RAW},
    {"chdir", 4, act_chdir, CHANGES},
    {"chroot", 4, act_chroot, CHANGES | IS_NO_ROOT},
    {"unshare", 4, act_unshare, CHANGES | IS_NO_ROOT | IS_CROWDED},
    {"masks", 2, act_masks, CHANGES},
    {"session", 2, act_session, CHANGES},

    {"limit_file_size", 4, act_limit_file_size, CHANGES | IS_BOUND},
    {"limit_files", 3, act_limit_files, CHANGES | IS_BOUND},
    {"limit_memory", 3, act_limit_memory, CHANGES | IS_BOUND},
    {"limit_data", 3, act_limit_data, CHANGES | IS_BOUND},
    {"limit_processes", 2, act_limit_processes, CHANGES | IS_BOUND | IS_NO_ROOT | IS_RAW},
    {"limit_stack", 2, act_limit_stack, CHANGES},
    {"limit_time", 1, act_limit_time, FORKS},

    {"plugins", 5, act_plugins, THREADS | IS_AWAY},
    {"plugins_in_turn", 3, act_plugins_in_turn, THREADS | IS_AWAY},
    {"plugin_threads", 3, act_plugin_threads, FORKS | IS_AWAY | IS_CROWDED},
};
const unsigned actions_count = sizeof actions / sizeof *actions;
_Static_assert(sizeof actions / sizeof *actions <= MOST_ACTIONS, "counts.h has no room for so many actions");

unsigned conditions = IS_ROOT_PROCESS;
unsigned depth;

void excuse_conditions(void)
{
  if (conditions & IS_NO_ROOT)
    counts_excuse(EXCUSE_IN_MEMORY);
  if ((conditions & IS_CLOSED) && (conditions & (IS_NO_ROOT | IS_AWAY)))
    counts_excuse(EXCUSE_SAID);
}

void become(enum condition condition)
{
  conditions |= condition;
  excuse_conditions();
}

static bool unwanted[MOST_ACTIONS];
static bool left_out[1024];
static char *passed_on[4]; /* --only and --without as they were given */

void actions_leave_out(unsigned n)
{
  if (n < sizeof left_out / sizeof *left_out)
    left_out[n] = true;
}

static unsigned number_of(const char *name, size_t length)
{
  unsigned i = 0;
  while (i < actions_count && (strncmp(actions[i].name, name, length) != 0 || actions[i].name[length] != '\0'))
    i++;
  return i;
}

bool actions_choose(const char *names, bool without)
{
  bool named[MOST_ACTIONS] = {false};
  passed_on[without ? 2 : 0] = without ? "--without" : "--only";
  passed_on[without ? 3 : 1] = (char *)names;
  for (const char *at = names; *at;) {
    size_t length = strcspn(at, ",");
    unsigned number = number_of(at, length);
    if (number == actions_count)
      return false;
    named[number] = true;
    at += length + (at[length] == ',');
  }
  for (unsigned i = 0; i < actions_count; i++)
    unwanted[i] |= named[i] == without;
  return true;
}

void actions_pass_on(char **arguments, unsigned most)
{
  unsigned n = 0;
  for (unsigned i = 0; i < 4 && n + 1 < most; i++)
    if (passed_on[i])
      arguments[n++] = passed_on[i];
  arguments[n] = NULL;
}

/*
 * An action by its weight. If this process can't do an action, another one is drawn, so later ones do not depend on
 * earlier ones; actions_count: there is none.
 */
static unsigned drawn(struct draw *draw)
{
  unsigned sum = 0;
  for (unsigned i = 0; i < actions_count; i++)
    sum += actions[i].weight;
  for (unsigned tries = 0; sum && tries < 1000; tries++) {
    unsigned at = draw_below(draw, sum), i = 0;
    for (; at >= actions[i].weight; i++)
      at -= actions[i].weight;
    if (!unwanted[i] && !(actions[i].not_if & conditions))
      return i;
  }
  return actions_count;
}

void actions_run(struct draw *draw, unsigned n)
{
  for (unsigned i = 0; i < n; i++) {
    struct draw own = draw_split(draw, i);
    if (depth == 0 && i < sizeof left_out / sizeof *left_out && left_out[i])
      continue;
    unsigned number = drawn(&own);
    if (number == actions_count)
      return;
    atomic_fetch_add(&counts->actions[number], 1);
    say("%*s%u: %s\n", (int)(2 * depth), "", i, actions[number].name);
    actions[number].run(&own);
  }
}
