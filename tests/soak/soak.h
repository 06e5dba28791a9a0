/*
 * The stress program: actions, drawn at random from a table, that a program may do and that Heddle must neither change
 * nor miss. Its output and its end follow from its seed alone.
 *
 * An action is a line of the table in actions.c and a function. It draws all its decisions from the given random
 * numbers, prints what follows from them, and counts what it does (emit_event and the rest below). To add one: write
 * the function, declare it here, add its line.
 */
#ifndef HEDDLE_TESTS_SOAK_SOAK_H
#define HEDDLE_TESTS_SOAK_SOAK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Random numbers: a stream that can be split, so that what one action draws has no effect on another's. */
struct draw {
  uint64_t state;
};
uint64_t draw_number(struct draw *draw);
/* 0 to n - 1 */
unsigned draw_below(struct draw *draw, unsigned n);
/* from `least` to `most` */
unsigned draw_between(struct draw *draw, unsigned least, unsigned most);
/* A stream of its own, for part `n` of what this stream decides. */
struct draw draw_split(const struct draw *draw, uint64_t n);

/* What a process is, as far as it decides on what it can do. Bits. */
enum condition {
  IS_ROOT_PROCESS = 1, /* a process that the driver started, or that exec or spawn made: nothing may be changed in it */
  IS_FORKED = 2,       /* a child of fork */
  IS_RAW = 4,          /* a child of _Fork or clone: no handlers of fork ran, libraries are as they were */
  IS_CROWDED = 8,      /* other threads are at work */
  IS_OPENMP = 16,      /* the process, or one that it was forked from, has used OpenMP */
  IS_AWAY = 32,        /* files cannot be reached by their paths any more, or not executed */
  IS_BOUND = 64,       /* limits keep it from beginning threads or processes, or from opening files */
  IS_SILENT = 128,     /* some of descriptors 0 to 2 are closed */
  IS_NO_ROOT = 256,    /* it has not the rights of root */
  IS_CLOSED = 512      /* it has closed descriptors that it did not open: ours, too */
};

struct action {
  const char *name;
  unsigned weight;                /* how often it is drawn; 0: only when it is asked for */
  void (*run)(struct draw *draw); /* prints only what follows from the seed */
  unsigned not_if;                /* conditions that it can't be combined with */
};
extern const struct action actions[];
extern const unsigned actions_count;

/* The conditions of this process. */
extern unsigned conditions;
/* What the process' conditions may keep from its trace is excused: for one that begins with them. */
void excuse_conditions(void);
/* One more; where its files can't be opened again that it has closed, something may be missing. */
void become(enum condition condition);
/* How deep in processes of processes. */
extern unsigned depth;

/* Draws and executes n actions. */
void actions_run(struct draw *draw, unsigned n);
/* The actions that the user wants: --only and --without; false: there is no such action. */
bool actions_choose(const char *names, bool without);
/* The root process omits action number `n`, counted from 0. */
void actions_leave_out(unsigned n);
/* Arguments for an image of this program that chooses the same ones; ends with NULL. */
void actions_pass_on(char **arguments, unsigned most);

/* Prints a line with one write: nothing is buffered that a fork's child could print once more. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* One event, counted. In a signal handler: only after the thread has emitted one (heddle.h). */
void emit_event(void);
void emit_events(unsigned n);
/* For threads that emit until something happens: about 2 us an event, partly inside the call. */
void emit_slowly(void);
void emit_from_handler(void);
/* A region of the user's, with so many events in it. */
void emit_in_region(const char *name, unsigned events);

/* A thread that can only fail where the program would fail without Heddle, too. */
#include <pthread.h>
bool begin_thread(pthread_t *thread, size_t stack, void *(*body)(void *), void *argument);
/* Whether a region has to be in a thread of its own: in a child of fork (openmp.c). */
bool openmp_needs_thread(void);
/* The threads that work beside everything else. */
void crowd_stop(void);

/* A child does `body` and ends in a way that is drawn; the parent waits, and says how it ended. */
enum fork_by { BY_FORK, BY_FORK_ONLY, BY_CLONE, FORK_WAYS };
void child_does(struct draw *draw, enum fork_by by, const char *name, void (*body)(struct draw *draw));
/* For a child: its conditions and counts. */
void child_begins(enum fork_by by);
/* Waits for a child and says how it ended. */
void child_ended(const char *name, pid_t pid);
/* Ends the process in a way that is drawn. */
void end(struct draw *draw) __attribute__((noreturn));

/* The actions, by file. */
/* threads.c */
void act_threads(struct draw *draw);
void act_small_stacks(struct draw *draw);
void act_generations(struct draw *draw);
void act_detached(struct draw *draw);
void act_destructors(struct draw *draw);
void act_cancel(struct draw *draw);
void act_cancel_any_time(struct draw *draw);
void act_crowd(struct draw *draw);
void act_names(struct draw *draw);
/* signals.c */
void act_handlers(struct draw *draw);
void act_nested_handlers(struct draw *draw);
void act_altstack(struct draw *draw);
void act_longjmp(struct draw *draw);
void act_siglongjmp(struct draw *draw);
void act_fault(struct draw *draw);
void act_timer(struct draw *draw);
/* openmp.c */
void act_regions(struct draw *draw);
void act_tasks(struct draw *draw);
void act_locks(struct draw *draw);
void act_nested(struct draw *draw);
void act_roots(struct draw *draw);
void act_signals_in_regions(struct draw *draw);
/* processes.c */
void act_fork(struct draw *draw);
void act_fork_only(struct draw *draw);
void act_clone(struct draw *draw);
void act_forks(struct draw *draw);
void act_fork_in_thread(struct draw *draw);
void act_vfork(struct draw *draw);
void act_exec(struct draw *draw);
void act_spawn(struct draw *draw);
void act_shell(struct draw *draw);
void act_daemon(struct draw *draw);
void act_kill(struct draw *draw);
void act_early_signals(struct draw *draw);
/* descriptors.c */
void act_close_standard(struct draw *draw);
void act_close_error(struct draw *draw);
void act_closefrom(struct draw *draw);
void act_close_range(struct draw *draw);
void act_take_descriptors(struct draw *draw);
/* identity.c */
void act_setuid(struct draw *draw);
void act_setgid(struct draw *draw);
void act_chdir(struct draw *draw);
void act_chroot(struct draw *draw);
void act_unshare(struct draw *draw);
void act_masks(struct draw *draw);
void act_session(struct draw *draw);
/* limits.c */
void act_limit_file_size(struct draw *draw);
void act_limit_files(struct draw *draw);
void act_limit_memory(struct draw *draw);
void act_limit_data(struct draw *draw);
void act_limit_processes(struct draw *draw);
void act_limit_stack(struct draw *draw);
void act_limit_time(struct draw *draw);
/* libraries.c */
void act_plugins(struct draw *draw);
void act_plugins_in_turn(struct draw *draw);
void act_plugin_threads(struct draw *draw);

/* The directory of this program, and an empty one that everybody may write to. */
extern char program_path[];
extern char scratch[];

#endif
