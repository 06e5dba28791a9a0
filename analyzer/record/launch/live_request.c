#include "analyzer/record/launch/live_request.h"

#include "base/count_of.h"
#include "common/raw/kernel_log.h"
#include "common/raw/live_control.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ANSWER_MOST_MS  3000
#define TURN_MS         50
#define PENDING_MS      2
#define PENDING_MOST_MS 1500
#define ENDED_MS                                                                                                       \
  (4 * TURN_MS) /* who has written nonsense into the page may have written that; the program corrects it */
#define OPERATIONS ((1u << LIVE_NUMBER_AT) - 1)

/* The file of a process that another user owns may be a link to any file: nothing but a plain control file is opened.
 */
static bool is_control(int fd, long pid)
{
  char path[48];
  struct stat file, owner;
  snprintf(path, sizeof path, "/proc/%ld", pid);
  return fstat(fd, &file) == 0 && stat(path, &owner) == 0 && S_ISREG(file.st_mode) && file.st_nlink == 1 &&
         file.st_uid == owner.st_uid && file.st_size >= (off_t)LIVE_CONTROL_SIZE;
}

static uint32_t answer_of(const struct live_control *control)
{
  return __atomic_load_n(&control->answer, __ATOMIC_ACQUIRE);
}

/* Operations that are requested and not answered yet, without operations that contradict `more`. */
static uint32_t joined(uint32_t pending, uint32_t more)
{
  static const uint32_t pairs[] = {LIVE_MEASURE_ON | LIVE_MEASURE_OFF,
                                   LIVE_TRACE_ON | LIVE_TRACE_OFF | LIVE_TRACE_CHOSEN | LIVE_TRACE_CODES};
  for (size_t i = 0; i < COUNT_OF(pairs); i++)
    if (more & pairs[i])
      pending &= ~pairs[i];
  return pending | more;
}

/* Returns the number of the request. */
static uint32_t put_request(struct live_control *control, uint32_t operations)
{
  uint32_t old = __atomic_load_n(&control->request, __ATOMIC_ACQUIRE), number, wanted;
  do {
    bool pending = answer_of(control) >> LIVE_NUMBER_AT != old >> LIVE_NUMBER_AT;
    number = (old >> LIVE_NUMBER_AT) + 1;
    wanted = number << LIVE_NUMBER_AT | joined(pending ? old & OPERATIONS : 0, operations);
  } while (!__atomic_compare_exchange_n(&control->request, &old, wanted, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
  syscall(SYS_futex, &control->request, FUTEX_WAKE, 1, NULL, NULL, 0);
  return wanted >> LIVE_NUMBER_AT;
}

/* Somebody else may have written nonsense there: a number that nobody wrote yet is a new one. */
static void write_slot(struct live_requests *requests, uint32_t needs)
{
  struct live_observer *observer = &requests->control->observers[requests->slot];
  uint64_t old = __atomic_load_n(&observer->needs, __ATOMIC_RELAXED);
  __atomic_store_n(&observer->pid, (uint64_t)getpid(), __ATOMIC_RELAXED);
  __atomic_store_n(&observer->needs, ((old >> 32) + 1) << 32 | needs, __ATOMIC_RELEASE);
}

void live_requests_close(struct live_requests *requests)
{
  if (requests->control && requests->slot >= 0) {
    write_slot(requests, 0);
    put_request(requests->control, 0);
  }
  if (requests->control)
    munmap(requests->control, LIVE_CONTROL_SIZE);
  if (requests->fd >= 0)
    close(requests->fd);
  *requests = (struct live_requests){.pid = requests->pid, .fd = -1, .slot = -1};
}

static bool map_file(struct live_requests *requests, const char *path, struct error *error)
{
  int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0 && errno == ENOENT)
    return error_set(error,
                     "process %ld takes no requests: it was started neither with `heddle record --live` nor with "
                     "--paused",
                     requests->pid);
  if (fd < 0)
    return error_set(error, "%s: cannot be opened: %s", path, strerror(errno));
  void *map = MAP_FAILED;
  if (is_control(fd, requests->pid))
    map = mmap(NULL, LIVE_CONTROL_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (map == MAP_FAILED) {
    close(fd);
    return error_set(error, "%s: is not a control file", path);
  }
  requests->control = map;
  requests->fd = fd;
  if (__atomic_load_n(&requests->control->magic, __ATOMIC_ACQUIRE) == LIVE_CONTROL_MAGIC &&
      requests->control->version == LIVE_CONTROL_VERSION)
    return true;
  live_requests_close(requests);
  return error_set(error, "%s: is of another version of Heddle: use the `heddle` that was installed with the recorder",
                   path);
}

/* `heddle record` writes a log of samples for a program that is for observers, or none. */
static bool has_samples_log(const char *directory)
{
  char *path = NULL;
  bool found = false;
  DIR *list = asprintf(&path, "%s/../../" KERNEL_LOG_DIRECTORY, directory) < 0 ? NULL : opendir(path);
  for (struct dirent *entry; list && !found && (entry = readdir(list));) {
    size_t length = strlen(entry->d_name);
    found = length > 4 && strcmp(entry->d_name + length - 4, ".log") == 0;
  }
  if (list)
    closedir(list);
  free(path);
  return found;
}

bool live_requests_open(struct live_requests *requests, const struct live_process *process, struct error *error)
{
  char *path;
  *requests = (struct live_requests){.pid = process->pid, .fd = -1, .slot = -1};
  if (asprintf(&path, "%s/" LIVE_CONTROL_FILE, process->directory) < 0)
    return error_set(error, "out of memory");
  bool good = map_file(requests, path, error);
  requests->sampled = good && live_requests_can_trace(requests) && has_samples_log(process->directory);
  free(path);
  return good;
}

bool live_requests_can_trace(const struct live_requests *requests)
{
  return requests->control->live != 0;
}

uint32_t live_requests_begun(const struct live_requests *requests)
{
  return requests->control->begun;
}

/* Numbers begin again after the largest. */
static bool is_answered(uint32_t answer, uint32_t number, unsigned ms)
{
  return (int32_t)((answer & ~OPERATIONS) - (number << LIVE_NUMBER_AT)) >= 0 &&
         (!(answer & LIVE_ENDED) || ms >= ENDED_MS);
}

/* Threads other than the answering one begin a little later. */
static void wait_for_pending(const struct live_requests *requests)
{
  const struct timespec moment = {0, PENDING_MS * 1000000};
  const struct live_control *control = requests->control;
  for (unsigned ms = 0; ms < PENDING_MOST_MS && !(answer_of(control) & LIVE_ENDED); ms += PENDING_MS) {
    if (__atomic_load_n(&control->pending, __ATOMIC_ACQUIRE) == 0)
      return;
    nanosleep(&moment, NULL);
  }
}

bool live_requests_ask(struct live_requests *requests, uint32_t operations, uint32_t *state, struct error *error)
{
  struct live_control *control = requests->control;
  struct timespec turn = {0, TURN_MS * 1000000};
  uint32_t number = put_request(control, operations), answer;
  for (unsigned ms = 0; !is_answered(answer = answer_of(control), number, ms); ms += TURN_MS) {
    if ((answer & LIVE_ENDED && ms >= ENDED_MS) || (kill((pid_t)requests->pid, 0) != 0 && errno == ESRCH))
      return error_set(error, "process %ld has ended its recording", requests->pid);
    if (ms >= ANSWER_MOST_MS)
      return error_set(error,
                       "process %ld has not answered within %d s: it is stopped, or its threads record nothing now; it "
                       "follows the request when it continues",
                       requests->pid, ANSWER_MOST_MS / 1000);
    syscall(SYS_futex, &control->answer, FUTEX_WAIT, answer, &turn, NULL, 0);
  }
  *state = answer & OPERATIONS;
  wait_for_pending(requests);
  return !(answer & LIVE_ENDED) || error_set(error, "process %ld has ended its recording", requests->pid);
}

/* The kernel gives the lock of a slot back when its observer dies. */
static bool take_slot(struct live_requests *requests, struct error *error)
{
  for (int slot = 0; slot < (int)LIVE_OBSERVERS; slot++) {
    struct flock lock = {
        .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = (off_t)LIVE_CONTROL_SIZE + slot, .l_len = 1};
    if (fcntl(requests->fd, F_OFD_SETLK, &lock) == 0) {
      requests->slot = slot;
      return true;
    }
    if (errno != EAGAIN && errno != EACCES)
      return error_set(error, "cannot request measurements from process %ld: its control file cannot be locked: %s",
                       requests->pid, strerror(errno));
  }
  return error_set(error, "process %ld has %u observers already", requests->pid, LIVE_OBSERVERS);
}

/* The groups to request from the process. `heddle record` samples native code; a JVM also takes its own samples. If
 * locks can't be counted alone, they are measured. */
static uint32_t asked_of_process(const struct live_requests *requests, uint32_t needs)
{
  uint32_t offers = __atomic_load_n(&requests->control->offers, __ATOMIC_ACQUIRE);
  if (needs & LIVE_NEED_LOCK_COUNTS & ~offers)
    needs = (needs & ~LIVE_NEED_LOCK_COUNTS) | LIVE_NEED_LOCKS;
  return requests->sampled ? needs & ~(LIVE_NEED_SAMPLES & ~offers) : needs;
}

bool live_requests_offer(const struct live_requests *requests, uint32_t needs, struct error *error)
{
  uint32_t offers = __atomic_load_n(&requests->control->offers, __ATOMIC_ACQUIRE);
  uint32_t missing = asked_of_process(requests, needs) & LIVE_NEED_OFFERED & ~offers;
  if (missing & LIVE_NEED_SAMPLES)
    return error_set(error, "process %ld takes no samples: start it with `heddle record --live --sample`",
                     requests->pid);
  return missing == 0 || error_set(error,
                                   "process %ld does not count the bytes that its threads allocate: JVMs with Heddle's "
                                   "agent do (JDK 17 and 25), if they have java.management",
                                   requests->pid);
}

bool live_requests_observe(struct live_requests *requests, uint32_t needs, struct error *error)
{
  uint32_t state;
  if (!live_requests_offer(requests, needs, error))
    return false;
  if (requests->slot < 0 && !take_slot(requests, error))
    return false;
  write_slot(requests, asked_of_process(requests, needs));
  return live_requests_ask(requests, 0, &state, error) && live_requests_offer(requests, needs, error);
}

void live_requests_choose(struct live_requests *requests, const uint64_t *numbers, size_t count)
{
  uint64_t chosen[LIVE_THREADS / 64] = {0};
  for (size_t i = 0; i < count; i++)
    if (numbers[i] < LIVE_THREADS)
      chosen[numbers[i] / 64] |= 1ull << numbers[i] % 64;
  for (size_t i = 0; i < LIVE_THREADS / 64; i++)
    __atomic_store_n(&requests->control->chosen[i], chosen[i], __ATOMIC_RELAXED);
}

void live_requests_choose_codes(struct live_requests *requests, const uint64_t *codes, size_t count)
{
  for (size_t i = 0; i < count && i < LIVE_CODES; i++)
    __atomic_store_n(&requests->control->codes[i], codes[i], __ATOMIC_RELAXED);
  __atomic_store_n(&requests->control->code_count, (uint32_t)count, __ATOMIC_RELAXED);
}

uint32_t live_requests_state(const struct live_requests *requests)
{
  return answer_of(requests->control) & OPERATIONS;
}

uint32_t live_requests_measured(const struct live_requests *requests)
{
  return __atomic_load_n(&requests->control->measured, __ATOMIC_ACQUIRE);
}

/* The operations that lead from one state to another. */
static uint32_t operations(unsigned from, unsigned to)
{
  unsigned on = to & ~from, off = from & ~to;
  return (on & INSERT_SUMS ? LIVE_MEASURE_ON : 0) | (on & INSERT_EVENTS ? LIVE_TRACE_ON : 0) |
         (off & INSERT_SUMS ? LIVE_MEASURE_OFF : 0) | (off & INSERT_EVENTS ? LIVE_TRACE_OFF : 0);
}

static bool live_insert_ask(struct insert *insert, uint32_t asked, struct error *error)
{
  uint32_t state;
  if (!live_requests_ask(&insert->requests, asked, &state, error))
    return false;
  insert->now = (state & LIVE_MEASURES ? INSERT_SUMS : 0) | (state & LIVE_TRACES ? INSERT_EVENTS : 0);
  return true;
}

/* Waits for this process' end; the last byte that came has the operations that take back what is inserted. */
static void watch_over(struct insert *insert, int from)
{
  struct error error;
  uint32_t state;
  uint8_t back = 0;
  ssize_t got;
  setsid(); /* a signal to the whole group is not for the guard */
  int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int fd = 0; fd < 3; fd++)
    dup2(nothing, fd);
  while ((got = read(from, &back, 1)) == 1 || (got < 0 && errno == EINTR))
    ;
  if (back)
    live_requests_ask(&insert->requests, back, &state, &error);
  _exit(0);
}

static bool start_guard(struct insert *insert, struct error *error)
{
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return error_set(error, "cannot begin the search: %s", strerror(errno));
  insert->guard = fork();
  if (insert->guard == 0) {
    close(ends[1]);
    watch_over(insert, ends[0]);
  }
  close(ends[0]);
  insert->to_guard = ends[1];
  if (insert->guard > 0)
    return true;
  close(ends[1]);
  return error_set(error, "cannot begin the search: %s", strerror(errno));
}

static void end_guard(struct insert *insert)
{
  close(insert->to_guard);
  while (waitpid(insert->guard, NULL, 0) < 0 && errno == EINTR)
    ;
}

static bool tell_guard(struct insert *insert, unsigned state, struct error *error)
{
  uint8_t back = (uint8_t)operations(state | insert->before, insert->before);
  ssize_t put;
  while ((put = write(insert->to_guard, &back, 1)) < 0 && errno == EINTR)
    ;
  return put == 1 || error_set(error, "cannot go on with the search: %s", strerror(errno));
}

static bool has_control(const struct live_process *process)
{
  char *path;
  if (asprintf(&path, "%s/" LIVE_CONTROL_FILE, process->directory) < 0)
    return true; /* opening it says that there is no memory */
  bool has = access(path, F_OK) == 0;
  free(path);
  return has;
}

bool insert_begin(struct insert *insert, const struct live_process *process, struct error *error)
{
  *insert = (struct insert){.before = INSERT_SUMS, .now = INSERT_SUMS};
  if (!has_control(process))
    return true;
  if (!live_requests_open(&insert->requests, process, error))
    return false;
  bool good =
      live_requests_can_trace(&insert->requests) ||
      error_set(error, "process %ld adds up nothing: start it with `heddle record --live PROGRAM`", process->pid);
  if (good && live_insert_ask(insert, 0, error) && start_guard(insert, error)) {
    insert->before = insert->now;
    return true;
  }
  live_requests_close(&insert->requests);
  return false;
}

bool insert_can_trace(const struct insert *insert)
{
  return insert->requests.control != NULL;
}

bool insert_set(struct insert *insert, unsigned wanted, struct error *error)
{
  wanted |= insert->before;
  return wanted == insert->now ||
         (tell_guard(insert, wanted | insert->now, error) &&
          live_insert_ask(insert, operations(insert->now, wanted), error) && tell_guard(insert, wanted, error));
}

bool insert_end(struct insert *insert, struct error *error)
{
  if (!insert->requests.control)
    return true;
  bool good = live_insert_ask(insert, operations(insert->now, insert->before), error) &&
              tell_guard(insert, insert->before, error);
  end_guard(insert);
  live_requests_close(&insert->requests);
  return good && (insert->now == insert->before || error_set(error, "another command has switched what is recorded"));
}
