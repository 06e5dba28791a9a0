#include "common/recorder/live.h"

#include "common/process/diag.h"
#include "common/process/process_dir.h"
#include "common/raw/live_control.h"
#include "common/recorder/clock.h"
#include "common/recorder/measured_groups.h"
#include "common/recorder/recording.h"
#include "common/recorder/signals_blocked.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define STACK_SIZE  (64u * 1024)
#define LOOK_NS     250000000 /* whether the program's first thread has ended */
#define BREAK_NS    2000000   /* between two requests: an observer that writes them without end costs little */
#define NUMBER_MASK (~0u << LIVE_NUMBER_AT)

static struct {
  struct live_control *_Atomic control; /* NULL: there is none */
  _Atomic uint32_t seen;                /* the request that was acted upon last */
  atomic_bool threaded;                 /* a thread acts; else live_poll does */
  _Atomic uint64_t cleaned_ns;          /* when a thread that records looked after observers last */
  bool verbose;
  _Atomic uint32_t offered, asked; /* LIVE_NEED_OFFERED: what can be counted, and what observers need */
  _Atomic uint32_t deferred, done; /* LIVE_NEED_...: what others begin and end, and what they have begun */
  void (*_Atomic changed)(void);
} live;

static uint32_t request_of(const struct live_control *control)
{
  return __atomic_load_n(&control->request, __ATOMIC_ACQUIRE);
}

static void wake(uint32_t *word)
{
  syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

static uint32_t state_now(void)
{
  if (!recording_goes_on())
    return LIVE_ENDED;
  return (recording_measures() ? LIVE_MEASURES : 0) | (recording_traces() ? LIVE_TRACES : 0);
}

static uint32_t wanted(void)
{
  return needs_mask(needs_now()) | (atomic_load(&live.asked) & atomic_load(&live.offered) & ~LIVE_NEED_LOCK_COUNTS);
}

/* Several threads may: each goes on until nothing has changed. */
static void tell_measured(struct live_control *control)
{
  uint32_t want, done, deferred;
  do {
    deferred = atomic_load(&live.deferred);
    want = wanted();
    done = atomic_load(&live.done);
    __atomic_store_n(&control->pending, want & deferred & ~done, __ATOMIC_RELEASE);
    __atomic_store_n(&control->measured, (want & ~deferred) | done, __ATOMIC_RELEASE);
  } while (want != wanted() || done != atomic_load(&live.done) || deferred != atomic_load(&live.deferred));
}

/* What is to be recorded, or counted in its place. */
static uint32_t recorded_of(uint32_t needs, uint32_t asked)
{
  return (needs & LIVE_NEED_ALL) | (needs & LIVE_NEED_LOCKS ? 0 : asked & LIVE_NEED_LOCK_COUNTS);
}

/* Measures what the observers need. */
static void follow_observers(struct live_control *control)
{
  uint32_t needs = live_observers_need(control->observers), asked = needs & atomic_load(&live.offered);
  recording_observe(recorded_of(needs, asked));
  bool changes = atomic_exchange(&live.asked, asked) != asked;
  void (*changed)(void) = changes ? atomic_load(&live.changed) : NULL;
  if (changed)
    changed();
  tell_measured(control);
}

bool live_asks(uint32_t need)
{
  return (atomic_load(&live.asked) & need) != 0;
}

bool live_has_thread(void)
{
  return atomic_load(&live.threaded);
}

void live_report_callbacks(uint32_t count)
{
  struct live_control *control = atomic_load(&live.control);
  if (control)
    __atomic_store_n(&control->callbacks, count, __ATOMIC_RELEASE);
}

_Atomic uint32_t live_stretches;

static void answer(struct live_control *control, uint32_t number)
{
  __atomic_store_n(&control->answer, (number & NUMBER_MASK) | state_now(), __ATOMIC_RELEASE);
  wake(&control->answer);
}

static void tell_if_open(void)
{
  struct live_control *control = atomic_load(&live.control);
  if (control)
    tell_measured(control);
}

static void tell_offers(void)
{
  struct live_control *control = atomic_load(&live.control);
  if (!control)
    return;
  __atomic_store_n(&control->offers, atomic_load(&live.offered), __ATOMIC_RELEASE);
  tell_measured(control);
}

void live_offer(uint32_t need)
{
  atomic_fetch_or(&live.offered, need);
  tell_offers();
}

void live_withdraw(uint32_t need)
{
  atomic_fetch_and(&live.offered, ~need);
  tell_offers();
}

void live_watch_asks(void (*changed)(void))
{
  atomic_store(&live.changed, changed);
}

void live_defer(uint32_t needs)
{
  atomic_fetch_or(&live.deferred, needs);
  tell_if_open();
}

void live_report_done(uint32_t needs, bool on)
{
  if (on)
    atomic_fetch_or(&live.done, needs);
  else
    atomic_fetch_and(&live.done, ~needs);
  tell_if_open();
}

void live_report_java(uint32_t events, uint32_t hooks, uint32_t classes)
{
  struct live_control *control = atomic_load(&live.control);
  if (!control)
    return;
  __atomic_store_n(&control->java_events, events, __ATOMIC_RELEASE);
  __atomic_store_n(&control->java_hooks, hooks, __ATOMIC_RELEASE);
  __atomic_store_n(&control->java_classes, classes, __ATOMIC_RELEASE);
}

/* If operations contradict each other, switching off counts. */
static void obey(struct live_control *control, uint32_t request)
{
  if (request & LIVE_MEASURE_OFF)
    recording_pause();
  else if (request & LIVE_MEASURE_ON)
    recording_resume();
  bool traced = recording_traces();
  if (request & LIVE_TRACE_OFF)
    recording_trace(false);
  else if (request & LIVE_TRACE_ON) {
    recording_choose_threads(request & LIVE_TRACE_CHOSEN ? control->chosen : NULL);
    recording_choose_constructs(request & LIVE_TRACE_CODES ? control->codes : NULL,
                                __atomic_load_n(&control->code_count, __ATOMIC_RELAXED));
    atomic_fetch_add(&live_stretches, 1);
    recording_trace(true);
  }
  if (!traced && recording_traces())
    __atomic_fetch_add(&control->stretches, 1, __ATOMIC_RELAXED);
  follow_observers(control);
  __atomic_fetch_add(&control->requests, 1, __ATOMIC_RELAXED);
  answer(control, request);
}

/* One of several threads that see a new request acts upon it. False: there is none. */
static bool act(struct live_control *control)
{
  uint32_t seen = atomic_load(&live.seen), request = request_of(control);
  if (request == seen || !atomic_compare_exchange_strong(&live.seen, &seen, request))
    return false;
  obey(control, request);
  return true;
}

/* Observers that have died need nothing any more. */
static void look_after_observers(struct live_control *control)
{
  if (live_observers_clean(control->observers))
    follow_observers(control);
}

void live_poll(void)
{
  struct live_control *control = atomic_load_explicit(&live.control, memory_order_acquire);
  if (!control || atomic_load_explicit(&live.threaded, memory_order_relaxed))
    return;
  uint64_t now = clock_monotonic_ns(), last = atomic_load(&live.cleaned_ns);
  if (!act(control) && now - last >= LOOK_NS && atomic_compare_exchange_strong(&live.cleaned_ns, &last, now))
    look_after_observers(control);
}

/* True if the program's first thread is still there; its memory can be read then. Unknown: false. */
static bool first_thread_is_there(void)
{
  char from = 0, to;
  struct iovec local = {&to, 1}, remote = {&from, 1};
  return syscall(SYS_process_vm_readv, getpid(), &local, 1ul, &remote, 1ul, 0ul) == 1;
}

static void *serve(void *argument)
{
  struct live_control *control = argument;
  struct timespec look = {0, LOOK_NS}, rest = {0, BREAK_NS};
  prctl(PR_SET_NAME, "heddle-live");
  while (recording_goes_on() && first_thread_is_there()) {
    if (act(control)) {
      syscall(SYS_nanosleep, &rest, NULL);
      continue;
    }
    syscall(SYS_futex, &control->request, FUTEX_WAIT, atomic_load(&live.seen), &look, NULL, 0);
    look_after_observers(control);
  }
  answer(control, atomic_load(&live.seen));
  atomic_store(&live.threaded, false);
  recording_report_needs();
  return NULL;
}

/*
 * libc's own function: one that a library has put in its place would record the thread. A race detector needs its own.
 */
static int (*thread_maker(void))(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *)
{
  int (*found)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) = NULL;
  void *libc = dlsym(RTLD_DEFAULT, "__tsan_init") ? NULL : dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
  if (libc) {
    *(void **)&found = dlsym(libc, "pthread_create");
    dlclose(libc);
  }
  return found ? found : pthread_create;
}

static bool make_thread(struct live_control *control)
{
  pthread_t thread;
  pthread_attr_t attributes;
  if (!first_thread_is_there() || pthread_attr_init(&attributes) != 0)
    return false;
  struct signals_blocked blocked = signals_block(); /* the thread inherits the mask */
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize(&attributes, STACK_SIZE);
  atomic_store(&live.threaded, true);
  int error = thread_maker()(&thread, &attributes, serve, control);
  if (error) { /* the program's own static variables of threads may take more than that stack */
    pthread_attr_setstacksize(&attributes, STACK_SIZE * 16);
    error = thread_maker()(&thread, &attributes, serve, control);
  }
  atomic_store(&live.threaded, error == 0);
  signals_unblock(&blocked);
  pthread_attr_destroy(&attributes);
  return error == 0;
}

/* A first record may come in a handler, where no thread can be made; then a signal is blocked, as a rule. */
static bool may_be_in_handler(void)
{
  sigset_t blocked;
  return pthread_sigmask(SIG_SETMASK, NULL, &blocked) != 0 || !sigisemptyset(&blocked);
}

void live_start(bool child)
{
  static atomic_bool said;
  struct live_control *control = atomic_load(&live.control);
  if (!control || atomic_load(&live.threaded) || (child && may_be_in_handler()))
    return;
  bool made = make_thread(control);
  recording_report_needs();
  if (!made && live.verbose && diag_first(&said))
    diag_say("there is no thread that waits for `heddle start`, `stop` and `snapshot`: requests wait until the "
             "program's threads record",
             NULL);
}

void live_open_page(bool switched, bool verbose)
{
  int error;
  struct live_control *control = process_dir_map(LIVE_CONTROL_FILE, LIVE_CONTROL_SIZE, &error);
  live.verbose = verbose;
  if (!control) {
    diag_say("cannot create ", process_dir_path(), "/" LIVE_CONTROL_FILE ": ", diag_reason(error),
             "; `heddle start` and `stop` cannot reach this process", NULL);
    return;
  }
  control->version = LIVE_CONTROL_VERSION;
  control->live = switched;
  control->begun = control->answer = state_now();
  control->offers = atomic_load(&live.offered);
  tell_measured(control);
  __atomic_store_n(&control->magic, LIVE_CONTROL_MAGIC, __ATOMIC_RELEASE);
  atomic_store(&live.seen, 0);
  atomic_store(&live.control, control);
}

static void forget(void)
{
  atomic_store(&live.offered, 0);
  atomic_store(&live.asked, 0);
  atomic_store(&live.deferred, 0);
  atomic_store(&live.done, 0);
}

void live_leave(void)
{
  atomic_store(&live.control, NULL);
  atomic_store(&live.threaded, false);
  forget();
  recording_report_needs();
}

void live_close_page(void)
{
  struct live_control *control = atomic_exchange(&live.control, NULL);
  if (control)
    munmap(control, LIVE_CONTROL_SIZE);
  forget();
}

void live_end(void)
{
  struct live_control *control = atomic_load(&live.control);
  if (!control)
    return;
  answer(control, atomic_load(&live.seen));
  wake(&control->request);
}

uint32_t live_observers_need(const struct live_observer observers[LIVE_OBSERVERS])
{
  uint64_t needs = 0;
  for (unsigned i = 0; i < LIVE_OBSERVERS; i++)
    needs |= __atomic_load_n(&observers[i].needs, __ATOMIC_ACQUIRE);
  return (uint32_t)needs & (LIVE_NEED_ALL | LIVE_NEED_OFFERED);
}

static bool is_locked(int fd, unsigned slot)
{
  struct flock lock = {
      .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = (off_t)(LIVE_CONTROL_SIZE + slot), .l_len = 1};
  return fcntl(fd, F_OFD_GETLK, &lock) != 0 || lock.l_type != F_UNLCK;
}

/* An observer writes its slot once it has the lock: what was there before and has not changed since is not its. */
static bool clean(int fd, struct live_observer observers[LIVE_OBSERVERS])
{
  bool any = false;
  for (unsigned i = 0; i < LIVE_OBSERVERS; i++) {
    uint64_t needs = __atomic_load_n(&observers[i].needs, __ATOMIC_ACQUIRE);
    if ((needs & (LIVE_NEED_ALL | LIVE_NEED_OFFERED)) != 0 && !is_locked(fd, i))
      any |= __atomic_compare_exchange_n(&observers[i].needs, &needs, 0, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
  }
  return any;
}

bool live_observers_clean(struct live_observer observers[LIVE_OBSERVERS])
{
  int error;
  if (live_observers_need(observers) == 0)
    return false;
  struct signals_blocked blocked = signals_block(); /* a handler that jumps out of it would leave a descriptor open */
  int fd = process_dir_file(LIVE_CONTROL_FILE, O_RDWR, &error);
  bool any = fd >= 0 && clean(fd, observers);
  if (fd >= 0)
    close(fd);
  signals_unblock(&blocked);
  return any;
}
