#include "jvmti-agent/sample_timers.h"

#include "common/recorder/clock.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define MARK 0x6865646cu /* in the value of our signals, above the number of the timer */

static struct {
  pthread_mutex_t lock; /* for beginning; never in a handler */
  struct sample_timer timers[SAMPLE_TIMERS_MOST];
  _Atomic uint32_t used; /* all from here on were never begun */
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* The processor time of a thread, as the kernel's timers name it. */
static clockid_t clock_of(pid_t thread)
{
  const clockid_t per_thread = 4, scheduled = 2;
  return (clockid_t)((~(unsigned)thread << 3) | (unsigned)(per_thread | scheduled));
}

static struct timespec time_of(uint64_t ns)
{
  return (struct timespec){.tv_sec = (time_t)(ns / 1000000000u), .tv_nsec = (long)(ns % 1000000000u)};
}

/*
 * One of the kernel's looks at the clock in the first period. If threads live shorter than a period, as many have a
 * sample as their time is worth, even if they meet one look at most. What is due between two looks is seen at the
 * second, so the begin of such a time represents all of it.
 */
static uint64_t first_of(uint64_t period)
{
  static uint64_t random, tick;
  if (tick == 0)
    tick = clock_kernel_tick_ns();
  random = (random ^ clock_ticks()) * 0xd6e8feb86659fd93ull;
  random ^= random >> 32;
  uint64_t first = random % period;
  first -= tick > 0 ? first % tick : 0;
  return first > 0 ? first : 1;
}

static struct sample_timer *free_timer(uint32_t *number)
{
  uint32_t used = atomic_load(&all.used);
  for (*number = 0; *number < used; ++*number)
    if (atomic_load(&all.timers[*number].of) == 0)
      return &all.timers[*number];
  if (used == SAMPLE_TIMERS_MOST)
    return NULL;
  atomic_store(&all.used, used + 1);
  return &all.timers[used];
}

static int create_timer(pid_t thread, int signal, uint64_t period_ns, void *context)
{
  uint32_t number;
  int id;
  struct sample_timer *timer = free_timer(&number);
  if (!timer)
    return EAGAIN;
  struct sigevent event;
  memset(&event, 0, sizeof event);
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = signal;
  event.sigev_value.sival_ptr = (void *)((uintptr_t)MARK << 32 | number);
  event._sigev_un._tid = thread;
  if (syscall(SYS_timer_create, clock_of(thread), &event, &id) != 0)
    return errno;
  timer->context = context;
  atomic_store(&timer->id, id + 1);
  atomic_store(&timer->of, thread);
  struct itimerspec times = {.it_value = time_of(first_of(period_ns)), .it_interval = time_of(period_ns)};
  if (syscall(SYS_timer_settime, id, 0, &times, NULL) == 0)
    return 0;
  int error = errno;
  sample_timers_drop(timer);
  return error;
}

int sample_timers_begin(pid_t thread, int signal, uint64_t period_ns, void *context)
{
  pthread_mutex_lock(&all.lock);
  int error = create_timer(thread, signal, period_ns, context);
  pthread_mutex_unlock(&all.lock);
  return error;
}

static struct sample_timer *timer_of(pid_t thread)
{
  uint32_t used = atomic_load(&all.used);
  for (uint32_t i = 0; i < used; i++)
    if (atomic_load_explicit(&all.timers[i].of, memory_order_relaxed) == thread)
      return &all.timers[i];
  return NULL;
}

bool sample_timers_has(pid_t thread)
{
  return timer_of(thread) != NULL;
}

/* The thread that takes the id ends the timer: the kernel may give the id to the program then. */
static void end_timer(struct sample_timer *timer)
{
  int id = atomic_exchange(&timer->id, 0);
  if (id > 0)
    syscall(SYS_timer_delete, id - 1);
}

void sample_timers_drop(struct sample_timer *timer)
{
  end_timer(timer);
  atomic_store(&timer->of, 0);
}

void sample_timers_end(pid_t thread)
{
  struct sample_timer *timer = timer_of(thread);
  if (timer)
    sample_timers_drop(timer);
}

void sample_timers_end_all(void)
{
  uint32_t used = atomic_load(&all.used);
  for (uint32_t i = 0; i < used; i++)
    sample_timers_drop(&all.timers[i]);
}

struct sample_timer *sample_timers_of(const siginfo_t *info, bool *foreign)
{
  uintptr_t value = (uintptr_t)info->si_value.sival_ptr;
  uint32_t number = (uint32_t)value;
  *foreign = info->si_code != SI_TIMER || value >> 32 != MARK || number >= SAMPLE_TIMERS_MOST;
  if (*foreign || atomic_load(&all.timers[number].of) != (pid_t)syscall(SYS_gettid))
    return NULL;
  return &all.timers[number];
}
