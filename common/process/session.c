#include "common/process/session.h"

#include "common/budget/keep.h"
#include "common/process/convert.h"
#include "common/process/diag.h"
#include "common/process/fork_lock.h"
#include "common/process/modules.h"
#include "common/process/process_dir.h"
#include "common/process/process_file.h"
#include "common/process/process_lines.h"
#include "common/process/text.h"
#include "common/profile/live_profile.h"
#include "common/raw/kernel_log.h"
#include "common/recorder/clock_choice.h"
#include "common/recorder/construct_filter.h"
#include "common/recorder/counters.h"
#include "common/recorder/interruption.h"
#include "common/recorder/live.h"
#include "common/recorder/own_stack.h"
#include "common/recorder/recorder.h"
#include "common/recorder/recording.h"
#include "common/recorder/recording_restart.h"
#include "common/recorder/stack_record.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define RENEWAL_NS 20000000000u /* a tool that asks for another session waits a minute */

static struct {
  struct settings settings, environment; /* as they are for this session, and as they were read */
  char trace[PATH_MAX];                  /* absolute, once it is chosen */
  bool chosen;
  bool unnamed;                /* nobody has given a name: the directory must be a new one */
  const char *objection;       /* to the trace's directory */
  char converter[PATH_MAX];    /* HEDDLE_CONVERTER as it was at the begin */
  char process_name[NAME_MAX]; /* of the process directory */
  char parent_name[NAME_MAX];  /* the parent's process directory, after a fork */
  char tool[16], runtime[128], host[65];
  const char *_Atomic layer; /* a tool that joins when it has something to record; NULL: none */
  struct recording_config recorder;
  pid_t pid;      /* whose session it is */
  bool fork_told; /* it is a child of fork, whose handlers were called: threads can be made in it */
  struct fork_lock opening;
  _Atomic uint32_t number; /* how many sessions lead to this one, itself included */
  atomic_bool open, ended;
  bool joined;  /* by another tool */
  bool watched; /* handlers of fork and exit are there */
  void (*_Atomic ending[SESSION_ENDINGS])(void);
} session;

static bool exists(const char *directory, const char *name)
{
  char path[PATH_MAX + 32];
  struct text text = TEXT_OVER(path);
  text_add(&text, directory);
  text_add(&text, "/");
  text_add(&text, name);
  return !text.cut && access(path, F_OK) == 0;
}

/* <trace>: HEDDLE_DIR, or a name in the working directory that no other run has. */
static bool choose_trace_directory(uint64_t start_ns)
{
  struct text path = TEXT_OVER(session.trace);
  const char *given = session.settings.directory;
  if (!given || given[0] != '/') {
    char cwd[PATH_MAX];
    if (!getcwd(cwd, sizeof cwd))
      return false;
    text_add(&path, cwd);
    text_add(&path, "/");
  }
  if (given) {
    text_add(&path, given);
  } else {
    text_add(&path, "heddle-");
    text_add(&path, program_invocation_short_name);
    text_add(&path, "-");
    text_add_number(&path, start_ns / 1000000000u);
    text_add(&path, "-");
    text_add_number(&path, (uint64_t)getpid());
  }
  while (path.used > 1 && session.trace[path.used - 1] == '/') /* behind a slash a link would be followed */
    session.trace[--path.used] = '\0';
  session.unnamed = !given;
  return session.chosen = !path.cut;
}

/*
 * <trace>/raw/<host>.<pid>.<start>, and all above it that is missing but the trace's own parent. A fork's child makes
 * its own beside its parent's, which it finds wherever its root is now.
 */
static int make_directories(uint64_t start_ns)
{
  struct text name = TEXT_OVER(session.process_name);
  text_add(&name, session.host);
  text_add(&name, ".");
  text_add_number(&name, (uint64_t)getpid());
  text_add(&name, ".");
  text_add_number(&name, start_ns);
  if (*session.parent_name && process_dir_open_beside(session.process_name, session.recorder.window_size) == 0)
    return 0;

  int raw = trace_dir_open_raw(session.trace, sizeof session.trace, session.unnamed, &session.objection);
  if (raw < 0)
    return errno;
  session.unnamed = false; /* for children of fork, which have the same one */
  static char bytes[PATH_MAX];
  struct text path = TEXT_OVER(bytes);
  text_add(&path, session.trace);
  text_add(&path, "/raw/");
  text_add(&path, session.process_name);
  int error = path.cut ? ENAMETOOLONG : process_dir_open(raw, bytes, session.recorder.window_size);
  close(raw);
  return error;
}

static bool is_converted(void)
{
  if (!exists(session.trace, "traces.otf2"))
    return false;
  diag_say(session.trace,
           " already holds a trace; nothing is recorded. Remove it, or set HEDDLE_DIR to another directory", NULL);
  return true;
}

static void before_chunk(void)
{
  modules_turn();
  anchor_lines_write_due();
}

/* Creates this process image's directory and opens the recorder on it. */
static bool begin_process(void)
{
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  uint64_t start_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
  if (!session.chosen && !choose_trace_directory(start_ns)) {
    diag_say("the name of the trace directory is too long, or there is no working directory; nothing is recorded",
             NULL);
    return false;
  }
  if (is_converted())
    return false;
  int error = make_directories(start_ns);
  bool made = !error;
  /* An archive that came meanwhile may be without this process; the process that puts one there looks for newcomers
   * after it. */
  if (!error && is_converted()) {
    process_dir_remove();
    return false;
  }
  struct process_facts facts = {.tool = session.tool,
                                .runtime = *session.runtime ? session.runtime : NULL,
                                .host = session.host,
                                .parent = *session.parent_name ? session.parent_name : NULL,
                                .start_ns = start_ns};
  if (!error)
    error = process_file_begin(&facts, &session.settings, session.recorder.ring_slots);
  if (!error && atomic_load(&session.layer))
    process_file_add_tool(atomic_load(&session.layer), NULL);
  if (!error)
    error = kept_names_write();
  if (error) {
    diag_say("cannot write to the trace directory ", session.trace, ": ",
             session.objection ? session.objection : diag_reason(error),
             "; nothing is recorded. Set HEDDLE_DIR to a writable directory", NULL);
    if (made) /* nobody shall take it for a trace */
      process_dir_remove();
    return false;
  }
  session.recorder.reads =
      session.settings.switches && !session.settings.profile && !exists(session.trace, KERNEL_LOG_DIRECTORY);
  session.pid = getpid();
  atomic_fetch_add(&session.number, 1);
  atomic_store(&session.open, true); /* other threads record from recording_open on: what they name must find it open */
  recording_open(&session.recorder, session.settings.paused);
  if (session.settings.live || session.settings.paused)
    live_open_page(session.recorder.skip != NULL, session.settings.verbose);
  if (session.settings.verbose)
    diag_say("recording into ", process_dir_path(), NULL);
  return true;
}

/* The child has nothing of its parent's; its directory is made when it has something to record. */
static void leave_parent(void)
{
  session.fork_told = false;
  fork_lock_give_back(&session.opening); /* of a thread that the child has not */
  if (atomic_load(&session.ended))
    return;
  memcpy(session.parent_name, session.process_name, sizeof session.parent_name);
  modules_abandon();
  live_leave();
  process_dir_leave();
  recorder_abandon();
  timer_samples_forked();
  atomic_store(&session.open, false);
}

static void begin_on_own_stack(void *began)
{
  *(bool *)began = begin_process();
}

static bool reopen(void)
{
  bool began = false;
  if (!own_stack_call(begin_on_own_stack, &began))
    diag_say("not enough memory to record; the program continues and is not recorded", NULL);
  if (began && session.fork_told)
    live_start(true);
  return began;
}

/* A child of _Fork, vfork or a raw clone has the parent's session in its memory, but not for its own. */
static bool is_ours(void)
{
  return atomic_load(&session.open) && getpid() == session.pid && recording_is_ours();
}

/* A runtime's own handlers report its new begin in the child. They come first: a child that does nothing else, as
 * before an exec, is no process of the trace. */
static void before_fork(void)
{
  recorder_fork(true);
}

static void after_fork(void)
{
  recorder_fork(false);
}

static void after_fork_in_child(void)
{
  recorder_fork(false);
  leave_parent();
  session.fork_told = true;
}

static void end_on_own_stack(void *how)
{
  struct recording_losses losses = recording_losses();
  timer_samples_describe();
  process_file_end(how, &losses);
}

static void call_endings(void)
{
  for (unsigned i = 0; i < SESSION_ENDINGS; i++)
    if (session.ending[i])
      session.ending[i]();
}

/* Nothing is recorded from here on, and the raw trace is complete. False: it was so already. */
static bool end_recording(const char *how)
{
  if (!is_ours() || atomic_exchange(&session.ended, true))
    return false;
  call_endings();
  recording_stop();
  live_end();
  own_stack_call(end_on_own_stack, (void *)how); /* no memory: it looks as if the process had been killed now */
  return true;
}

/* The process ends. */
static void finish(void *unused)
{
  (void)unused;
  if (end_recording("exit") && session.settings.convert)
    convert_start(session.trace, session.converter);
}

static void finish_quickly(void)
{
  finish(NULL);
}

/*
 * The runtime's own destructor, which delivers the last events, runs after this library's destructor, because this
 * library was loaded later. A handler that is registered while destructors run is called after all of them, if it
 * belongs to no library.
 */
extern int __cxa_atexit(void (*handler)(void *), void *argument, void *library);

__attribute__((destructor)) static void at_unload(void)
{
  if (is_ours() && __cxa_atexit(finish, NULL, NULL) != 0)
    finish(NULL);
}

/* A profile has no borders at which counters could be distinguished. */
static void choose_counters(void)
{
  const char *text = secure_getenv("HEDDLE_COUNTERS");
  if (session.settings.on && text && *text && !session.settings.profile && !counters_choose(text))
    diag_say("HEDDLE_COUNTERS=", text,
             " is not a list of counters, and none are read: `heddle counters --setting` prints such lists", NULL);
}

/* The environment is read once: what is wrong in it is said once. */
static void read_settings(void)
{
  static bool done;
  if (!done) {
    diag_begin();
    session.settings = session.environment = settings_read();
    if (session.settings.on)
      keep_begin(session.settings.keep);
    choose_counters();
  }
  done = true;
}

bool session_is_off(void)
{
  read_settings();
  return !session.settings.on;
}

const struct budget_settings *session_budget(void)
{
  return &session.settings.budget;
}

bool session_profiles(void)
{
  return session.settings.profile;
}

bool session_fold_profiles(void)
{
  if (!session_profiles())
    return true;
  if (atomic_load(&session.open))
    return false;
  session.settings.profile = false;
  session.settings.beside = session.settings.folded = true;
  session.settings.budget = (struct budget_settings){0}; /* sums are exact */
  return true;
}

bool session_is_switched(void)
{
  return session.settings.live || session.settings.paused;
}

bool session_profiles_beside(void)
{
  return session.recorder.fold != NULL;
}

/* A tool's name and what it runs on go into the process file, and into the file of a fork's child. */
static void set_tool(const char *tool, const char *runtime)
{
  struct text text = TEXT_OVER(session.tool);
  text_add(&text, tool);
  text = TEXT_OVER(session.runtime);
  text_add(&text, runtime);
}

static void configure_recorder(void)
{
  session.recorder = (struct recording_config){0};
  session.recorder.window_size = session.settings.window;
  if (session.settings.ring) {
    uint64_t slots = session.settings.ring / session.settings.window;
    session.recorder.ring_slots = slots < 1 ? 1 : slots > UINT32_MAX ? UINT32_MAX : (uint32_t)slots;
  }
  session.recorder.max_size = session.settings.max_size;
  session.recorder.before_chunk = before_chunk;
  session.recorder.forked = leave_parent;
  session.recorder.reopen = reopen;
  if (session.settings.beside && live_profile_begin())
    session.recorder.fold = live_profile_fold;
  if (session.settings.live && session.recorder.fold) {
    session.recorder.skip = live_profile_skip;
    session.recorder.chosen = &construct_filter_ops;
  }
  session.recorder.sums_only = session.settings.folded;
  bool sums = session.settings.profile || session.settings.folded;
  wait_stacks_begin(sums ? 0 : session.settings.wait_stacks);
  timer_samples_begin(sums ? 0 : session.settings.sample_timer);
}

static bool open_first(const char *tool, const char *runtime)
{
  clock_choose();
  set_tool(tool, runtime);
  struct text text = TEXT_OVER(session.converter);
  if (session.settings.converter)
    text_add(&text, session.settings.converter);
  if (gethostname(session.host, sizeof session.host - 1) != 0 || !*session.host)
    strcpy(session.host, "localhost");
  for (char *c = session.host; *c; c++)
    if (*c == '/')
      *c = '_';
  configure_recorder();
  if (!begin_process())
    return false;
  keep_find_sections();
  if (!session.watched) {
    pthread_atfork(before_fork, after_fork, after_fork_in_child);
    at_quick_exit(finish_quickly);
  }
  return session.watched = true;
}

/* The session is open: the tool joins it. */
static void join(const char *tool, const char *runtime)
{
  process_file_add_tool(tool, *runtime ? runtime : NULL);
  session.joined = true;
  if (!*session.runtime)
    set_tool(tool, runtime);
}

void session_has_layer(const char *tool)
{
  atomic_store(&session.layer, tool);
  if (atomic_load(&session.open))
    process_file_add_tool(tool, NULL);
}

/* Arguments and result of session_open. */
struct opening {
  const char *tool, *runtime;
  bool good, first;
};

static void open_on_own_stack(void *argument)
{
  struct opening *opening = argument;
  opening->good = true;
  if (atomic_load(&session.open))
    join(opening->tool, opening->runtime);
  else
    opening->good = opening->first = open_first(opening->tool, opening->runtime);
}

/* One thread at a time; a signal handler that interrupts the opening does without. */
bool session_open(const char *tool, const char *runtime)
{
  if (session_is_off() || atomic_load(&session.ended))
    return false;
  struct opening opening = {.tool = tool, .runtime = runtime};
  interruption_hold(); /* a thread that is cancelled in there would leave others waiting */
  if (fork_lock_take(&session.opening)) {
    if (!own_stack_call(open_on_own_stack, &opening))
      diag_say("not enough memory to record; the program continues and is not recorded", NULL);
    fork_lock_give_back(&session.opening);
    if (opening.first)
      live_start(false);
  }
  interruption_release();
  return opening.good;
}

bool session_describe(const char *line, size_t size)
{
  static atomic_bool said;
  int kept = errno;
  bool entered = recording_enter();
  int error = entered && is_ours() ? process_dir_append(line, size) : ECHILD;
  if (entered)
    recording_leave();
  if (error && error != ECHILD && diag_first(&said))
    diag_say("cannot write names into ", process_dir_path(), ": ", diag_reason(error),
             "; the program continues, events that need new names are not recorded", NULL);
  errno = kept;
  return error == 0;
}

void session_at_end(void (*ending)(void))
{
  for (unsigned i = 0; i < SESSION_ENDINGS; i++) {
    void (*none)(void) = NULL;
    if (atomic_compare_exchange_strong(&session.ending[i], &none, ending) || none == ending)
      return;
  }
}

void session_thread_ends(void)
{
  if (gettid() == getpid())
    call_endings();
}

uint32_t session_number(void)
{
  return recording_is_ours() ? atomic_load_explicit(&session.number, memory_order_relaxed) : UINT32_MAX;
}

void session_end(void)
{
  end_recording("detached");
}

/* Left from a former session, or from one that could not be opened. */
static void forget_settings(void)
{
  session.settings = session.environment;
  session.chosen = false;
}

bool session_renew(void)
{
  if (!atomic_load(&session.ended)) {
    if (atomic_load(&session.open))
      return false;
    forget_settings();
    return true;
  }
  if (getpid() != session.pid || session.joined || !recording_restart(RENEWAL_NS))
    return false;
  kept_names_hold();
  modules_abandon();
  live_close_page();
  process_dir_close();
  timer_samples_forked();
  forget_settings();
  session.parent_name[0] = '\0';
  atomic_store(&session.open, false);
  atomic_store(&session.ended, false);
  return true;
}

void session_set_directory(const char *directory)
{
  struct text text = TEXT_OVER(session.trace);
  text_add(&text, directory);
  session.chosen = true;
  session.unnamed = false;
}

void session_set_live(void)
{
  read_settings();
  settings_set_live(&session.settings);
}
