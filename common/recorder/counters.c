#include "common/recorder/counters.h"

#include "common/process/diag.h"
#include "common/recorder/clock.h"
#include "common/recorder/counter_events.h"
#include "common/recorder/recorder_slots.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#define TEXT_MOST 1024u
#define TRIES     5u /* of measuring the price: the least of them was not interrupted */

/* Of a thread; a page each, which is used again, also in children: so each descriptor is known that was opened. */
struct thread_counters {
  struct thread_counters *next;
  atomic_uint taken;
  struct counter_events events;
};

static struct {
  char text[TEXT_MOST];
  struct counter_list list;
  _Atomic(struct thread_counters *) all;
  _Atomic uint64_t price; /* ticks; 0: not measured yet */
  _Atomic uint64_t lost;
  atomic_int error;
  atomic_bool said;
} counters;

bool counters_choose(const char *text)
{
  size_t size = strlen(text) + 1;
  bool good = size <= sizeof counters.text && counter_list_read(&counters.list, text);
  if (good)
    memcpy(counters.text, text, size);
  else
    counters.list.count = 0;
  return good;
}

const char *counters_chosen(void)
{
  return *counters.text ? counters.text : NULL;
}

unsigned counters_words(void)
{
  return counters.list.count > 0 ? 2 + counters.list.count * RAW_EXTRA : 0;
}

uint64_t counters_lost(int *error)
{
  *error = atomic_load(&counters.error);
  return atomic_load(&counters.lost);
}

uint64_t counters_price(void)
{
  return atomic_load(&counters.price);
}

static void lose(struct recorder *self, int error)
{
  int none = 0;
  self->counters_due = UINT64_MAX;
  atomic_fetch_add(&counters.lost, 1);
  atomic_compare_exchange_strong(&counters.error, &none, error);
  if (diag_first(&counters.said))
    diag_say("the counters of a thread are not read: ",
             error == EBADF ? "the program has closed their descriptors" : diag_reason(error), NULL);
}

static struct thread_counters *take_page(void)
{
  for (struct thread_counters *page = atomic_load(&counters.all); page; page = page->next) {
    unsigned is_free = 0;
    if (atomic_compare_exchange_strong(&page->taken, &is_free, 1))
      return page;
  }
  struct thread_counters *page = mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED)
    return NULL;
  atomic_store(&page->taken, 1);
  page->next = atomic_load(&counters.all);
  while (!atomic_compare_exchange_weak(&counters.all, &page->next, page))
    ;
  return page;
}

/* All that a reading takes, as the first thread finds it. */
static bool measure(struct counter_events *events)
{
  uint64_t least = UINT64_MAX;
  for (unsigned i = 0; i < TRIES; i++) {
    uint64_t begin = clock_ticks();
    if (!counter_events_read(events, &counters.list))
      return false;
    uint64_t took = clock_ticks() - begin;
    least = took < least ? took : least;
  }
  atomic_store(&counters.price, least > 0 ? least : 1);
  return true;
}

static uint64_t apart(void)
{
  return COUNTERS_APART * atomic_load_explicit(&counters.price, memory_order_relaxed);
}

/* One reading of those that the thread has the right to is spent. */
static void spend(struct recorder *self, uint64_t now)
{
  uint64_t ahead = COUNTERS_AHEAD * apart(), least = now > ahead ? now - ahead : 0;
  self->counters_due = (self->counters_due > least ? self->counters_due : least) + apart();
}

static void put(struct recorder *self, const struct counter_events *events, uint64_t now)
{
  uint64_t *at = self->cursor;
  unsigned n = counters.list.count, words = 2 + n * RAW_EXTRA;
  at[1] = now;
  for (unsigned i = 0; i < n; i++) {
    at[2 + i * RAW_EXTRA] = events->value[i];
    at[3 + i * RAW_EXTRA] = events->share[i];
  }
  at[words] = 0;
  __atomic_store_n(at, raw_head(RAW_COUNTERS, n, 0), __ATOMIC_RELEASE);
  self->cursor = at + words;
}

/* Out of line: threads that are not counted need no stack for it. */
static __attribute__((noinline)) void begin(struct recorder *self, uint64_t now)
{
  struct thread_counters *page = take_page();
  int error = page ? counter_events_open(&page->events, &counters.list) : ENOMEM;
  self->counters = page;
  if (error) {
    counters_end_thread(self);
    lose(self, error);
    return;
  }
  bool priced = atomic_load(&counters.price) != 0 || measure(&page->events);
  if (!priced || !counter_events_start(&page->events, &counters.list)) {
    counters_end_thread(self);
    lose(self, EBADF);
    return;
  }
  self->counters_due = 0;
  spend(self, now);
  put(self, &page->events, now);
}

void counters_begin_thread(struct recorder *self, uint64_t now)
{
  int kept = errno;
  self->counters = NULL;
  self->counters_due = UINT64_MAX;
  if (counters.list.count > 0)
    begin(self, now);
  errno = kept;
}

void counters_put(struct recorder *self, uint64_t now)
{
  int kept = errno;
  uint64_t before = clock_ticks();
  if (counter_events_read(&self->counters->events, &counters.list)) {
    spend(self, now);
    put(self, &self->counters->events, now);
    self->stalled += clock_ticks() - before;
  } else {
    counters_end_thread(self);
    lose(self, EBADF);
  }
  errno = kept;
}

void counters_end_thread(struct recorder *self)
{
  struct thread_counters *page = self->counters;
  if (!page)
    return;
  int kept = errno;
  counter_events_close(&page->events);
  self->counters = NULL;
  self->counters_due = UINT64_MAX;
  atomic_store(&page->taken, 0);
  errno = kept;
}

void counters_leave(void)
{
  for (struct thread_counters *page = atomic_load(&counters.all); page; page = page->next) {
    if (atomic_load(&page->taken))
      counter_events_close(&page->events);
    atomic_store(&page->taken, 0);
  }
  atomic_store(&counters.lost, 0);
  atomic_store(&counters.error, 0);
}
