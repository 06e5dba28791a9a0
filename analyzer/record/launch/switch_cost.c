#include "analyzer/record/launch/switch_cost.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define HAND_OVERS    50u /* of a turn: two switches each */
#define TIMED_TURNS   24u /* with reports and without, alternately; the fastest of each counts */
#define PARTNER_PAGES 8u  /* room for the reports of a turn */
#define NS_MOST       1e5 /* a switch that takes longer was no hand-over alone */

/* One of the two threads. */
struct partner {
  int from, to; /* pipes' ends */
  int event;
  struct perf_event_mmap_page *ring;
};

struct partners {
  struct partner of[2];
  struct perf_event_attr attributes;
  double fastest[2]; /* ns a turn: without reports, with them; 0: none */
  int processor;
  bool failed;
};

static double partner_now(void)
{
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static size_t partner_bytes(void)
{
  return (PARTNER_PAGES + 1) * (size_t)sysconf(_SC_PAGESIZE);
}

/* The calling thread's own event, on the processor that both threads have. */
static bool open_partner(struct partners *pair, struct partner *partner)
{
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(pair->processor, &one);
  if (sched_setaffinity(0, sizeof one, &one) != 0)
    return false;
  partner->event = (int)syscall(SYS_perf_event_open, &pair->attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
  if (partner->event < 0)
    return false;
  partner->ring = mmap(NULL, partner_bytes(), PROT_READ | PROT_WRITE, MAP_SHARED, partner->event, 0);
  return partner->ring != MAP_FAILED;
}

/* The reader that does nothing: it only makes room. */
static void begin_timed_turn(struct partners *pair, bool reports)
{
  for (unsigned i = 0; i < 2; i++) {
    __atomic_store_n(&pair->of[i].ring->data_tail, __atomic_load_n(&pair->of[i].ring->data_head, __ATOMIC_ACQUIRE),
                     __ATOMIC_RELEASE);
    ioctl(pair->of[i].event, reports ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
  }
}

static bool hand_over(const struct partner *partner)
{
  char byte = 0;
  return write(partner->to, &byte, 1) == 1;
}

static bool wait_for_turn(const struct partner *partner)
{
  char byte;
  return read(partner->from, &byte, 1) == 1;
}

/* Ends when the other one does, or with an error. */
static void *partner_follow(void *context)
{
  struct partners *pair = context;
  bool good = open_partner(pair, &pair->of[1]);
  pair->failed = !good;
  while (hand_over(&pair->of[1]) && wait_for_turn(&pair->of[1]) && good)
    ;
  return NULL;
}

static void *partner_lead(void *context)
{
  struct partners *pair = context;
  bool good = open_partner(pair, &pair->of[0]) && wait_for_turn(&pair->of[0]) && !pair->failed;
  for (unsigned turn = 0; good && turn < TIMED_TURNS; turn++) {
    begin_timed_turn(pair, turn % 2);
    double begin = partner_now(), *fastest = &pair->fastest[turn % 2];
    for (unsigned i = 0; good && i < HAND_OVERS; i++)
      good = hand_over(&pair->of[0]) && wait_for_turn(&pair->of[0]);
    double took = partner_now() - begin;
    *fastest = *fastest == 0 || took < *fastest ? took : *fastest;
  }
  pair->failed |= !good;
  close(pair->of[0].to); /* the other one reads the end */
  pair->of[0].to = -1;
  return NULL;
}

static void run_pair(struct partners *pair)
{
  pthread_t threads[2];
  if (pthread_create(&threads[1], NULL, partner_follow, pair) != 0) {
    pair->failed = true;
    return;
  }
  partner_lead(pair);
  pthread_join(threads[1], NULL);
}

static void *run_pair_aside(void *context)
{
  run_pair(context); /* on a thread of its own: its processor is fixed */
  return NULL;
}

double switch_cost_measure(const struct perf_event_attr *event)
{
  int pipes[2][2] = {{-1, -1}, {-1, -1}};
  pthread_t aside;
  struct partners pair = {.attributes = *event, .processor = sched_getcpu(), .of = {{.event = -1}, {.event = -1}}};
  pair.attributes.disabled = 1;
  pair.attributes.read_format = 0;
  pair.attributes.inherit = pair.attributes.enable_on_exec = 0;
  pair.failed = pair.processor < 0 || pipe2(pipes[0], O_CLOEXEC) != 0 || pipe2(pipes[1], O_CLOEXEC) != 0;
  for (unsigned i = 0; i < 2; i++) {
    pair.of[i].from = pipes[i][0];
    pair.of[i].to = pipes[!i][1];
  }
  if (!pair.failed && pthread_create(&aside, NULL, run_pair_aside, &pair) == 0)
    pthread_join(aside, NULL);
  for (unsigned i = 0; i < 2; i++) {
    if (pair.of[i].ring && pair.of[i].ring != MAP_FAILED)
      munmap(pair.of[i].ring, partner_bytes());
    int descriptors[] = {pair.of[i].event, pair.of[i].from, pair.of[i].to};
    for (unsigned k = 0; k < 3; k++)
      if (descriptors[k] >= 0)
        close(descriptors[k]);
  }
  double cost = (pair.fastest[1] - pair.fastest[0]) / (2.0 * HAND_OVERS);
  return !pair.failed && pair.fastest[0] > 0 && cost > 0 && cost < NS_MOST ? cost : 0;
}
