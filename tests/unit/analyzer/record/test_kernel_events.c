/* Reports of the kernel about a process that switches often, with buffers that are large enough, and with smaller
 * ones. */
#include "analyzer/record/launch/kernel_events.h"
#include "common/raw/kernel_log.h"
#include "tests/unit/unit.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define TURNS 20000 /* each is two switches of the child's, at least */

struct counts {
  uint64_t rounds, out, in, lost, others, samples;
  uint64_t last_round, late; /* events older than the round before theirs, by more than the log promises */
};

/* Two processes hand a byte to and fro; the kernel's reports begin with exec. `stop`: this process stands still
 * meanwhile. */
static pid_t ping_pong(const int go[2], bool stop)
{
  pid_t child = fork();
  if (child != 0)
    return child;
  char byte, command[512];
  close(go[1]);
  ssize_t got = read(go[0], &byte, 1);
  (void)got;
  snprintf(command, sizeof command,
           "import os\na,b=os.pipe()\nc,d=os.pipe()\np=os.getppid()\ns=%d\n"
           "if s: os.kill(p,19)\n"
           "if os.fork()==0:\n for i in range(%d):\n  os.read(a,1); os.write(d,b'x')\n os._exit(0)\n"
           "for i in range(%d):\n os.write(b,b'x'); os.read(c,1)\nos.wait()\n"
           "if s: os.kill(p,18)\n",
           stop, TURNS, TURNS);
  execl("/usr/bin/python3", "python3", "-c", command, (char *)NULL);
  _exit(127);
}

static struct counts read_log(const char *trace)
{
  char directory[128];
  snprintf(directory, sizeof directory, "%s/" KERNEL_LOG_DIRECTORY, trace);
  struct counts counts = {0};
  struct kernel_log_header header;
  struct kernel_record record;
  char path[512] = "";
  DIR *list = opendir(directory);
  assert_non_null(list);
  for (struct dirent *entry; (entry = readdir(list));)
    if (entry->d_name[0] != '.')
      snprintf(path, sizeof path, "%s/%s", directory, entry->d_name);
  closedir(list);
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  assert_int_equal(fread(&header, sizeof header, 1, file), 1);
  assert_memory_equal(header.magic, KERNEL_LOG_MAGIC, sizeof header.magic);
  uint64_t before = 0;
  while (fread(&record, sizeof record, 1, file) == 1) {
    if (record.kind == KERNEL_ROUND) {
      assert_true(record.time >= counts.last_round);
      before = counts.last_round;
      counts.last_round = record.time;
      counts.rounds++;
    }
    counts.out += record.kind == KERNEL_OUT || record.kind == KERNEL_OUT_PREEMPTED;
    counts.in += record.kind == KERNEL_IN;
    counts.samples += record.kind == KERNEL_SAMPLE;
    counts.lost += record.kind == KERNEL_LOST ? record.who : 0;
    counts.late += record.kind > KERNEL_CLOCKS && record.kind < KERNEL_LOST && record.time + KERNEL_LATE_NS < before;
  }
  fclose(file);
  unlink(path);
  rmdir(directory);
  return counts;
}

static bool record_with(unsigned pages, struct kernel_sampling *sampling, bool stop, struct counts *counts)
{
  char directory[] = "/tmp/heddle-kernel-XXXXXX";
  int go[2], status;
  assert_non_null(mkdtemp(directory));
  assert_int_equal(pipe(go), 0);
  pid_t child = ping_pong(go, stop);
  int trace = open(directory, O_RDONLY | O_DIRECTORY);
  struct kernel_events *events =
      kernel_events_begin(trace, child, &(struct kernel_wants){.pages = pages, .sampling = sampling});
  int error = errno;
  close(go[1]);
  close(go[0]);
  assert_int_equal(waitpid(child, &status, 0), child);
  if (events) {
    uint64_t lost;
    assert_int_equal(kernel_events_end(events, &lost), 0);
    assert_int_equal(lost, 0);
    *counts = read_log(directory);
  }
  close(trace);
  rmdir(directory);
  if (!events)
    print_message("the kernel does not report context switches here: %s\n", strerror(error));
  return events;
}

static void every_switch_is_told(void **state)
{
  (void)state;
  struct counts counts;
  if (!record_with(128, NULL, false, &counts))
    skip();
  assert_int_equal(counts.late, 0);
  /* A process that got a processor leaves it again; each may begin on one, or end without a report. */
  int64_t more = (int64_t)(counts.out - counts.in);
  if (counts.lost == 0 && (more < -2 || more > 2))
    fail_msg("%lu times a processor was left, %lu times one was got", counts.out, counts.in);
  assert_true(counts.out >= TURNS / 4 || counts.lost > 0);
}

static void what_does_not_fit_is_counted(void **state)
{
  (void)state;
  struct counts counts;
  if (!record_with(1, NULL, true, &counts))
    skip();
  assert_int_equal(counts.late, 0);
  assert_true(counts.lost > 0);
}

/* One event reports both. */
static void samples_come_with_the_switches(void **state)
{
  (void)state;
  struct counts counts;
  struct kernel_sampling sampling = {.beside = false};
  kernel_samples_default(&sampling);
  sampling.stacks = KERNEL_STACKS_NONE;
  if (!record_with(128, &sampling, false, &counts))
    skip();
  assert_int_equal(sampling.triggers.list[0].refused, 0);
  assert_true(counts.out >= TURNS / 4 || counts.lost > 0);
  assert_true(counts.samples > 0 || counts.lost > 0);
}

/* A trigger that some processors take, and another one refuses, has no number in the log: its samples would count for
 * the next trigger. */
static void samples_of_refused_triggers_are_none(void **state)
{
  (void)state;
  char directory[] = "/tmp/heddle-kernel-XXXXXX";
  struct kernel_sampling sampling = {
      .triggers = {.list = {{.name = "a", .period = 1, .refused = ENOENT}, {.name = "b", .period = 1}}, .count = 2}};
  struct {
    struct perf_event_header header;
    uint64_t id, ip;
    uint32_t pid, tid;
    uint64_t time;
    uint32_t cpu, reserved;
  } sample = {.ip = 4711, .pid = 1, .tid = 1, .time = 99};
  struct kernel_writer writer = {0};
  assert_non_null(mkdtemp(directory));
  int trace = open(directory, O_RDONLY | O_DIRECTORY);
  assert_true(kernel_writer_open(&writer, trace));
  close(trace);
  kernel_samples_begin(&sampling, &writer);
  assert_int_equal(kernel_samples_take(&sampling, 0, &sample, sizeof sample, &writer), 0);
  assert_int_equal(kernel_samples_take(&sampling, 1, &sample, sizeof sample, &writer), 99);
  assert_int_equal(kernel_writer_end(&writer), 0);
  kernel_writer_close(&writer);
  read_log(directory);
  rmdir(directory);
}

UNIT_TEST(kernel_events)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_switch_is_told), cmocka_unit_test(what_does_not_fit_is_counted),
      cmocka_unit_test(samples_come_with_the_switches), cmocka_unit_test(samples_of_refused_triggers_are_none)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
