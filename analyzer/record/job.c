#include "analyzer/record/job.h"

#include "analyzer/command/values.h"
#include "common/process/launchers.h"
#include "common/raw/archive_names.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef SYS_pidfd_getfd
#define SYS_pidfd_getfd 438 /* Linux 5.6; glibc 2.31 does not know it */
#endif

enum {
  IDENTITY_MOST = 1024,
  TURN_MS = 50,
  COMING_MS = 5000,   /* a rank that has not come after the end of all others has another program */
  ORPHANED_MS = 2000, /* likewise, once the launcher has ended: another machine has a launcher of its own */
  KEPT_MOST = 8,      /* descriptors of a companion */
  DESCRIPTORS_MOST = 65536,
  LAUNCHERS_MOST = 8 /* above each other */
};

static bool number_of(const char *variable, unsigned *number)
{
  const char *text = getenv(variable);
  uint64_t value;
  if (!text || !value_number(text, 0, UINT32_MAX - 1, &value))
    return false;
  *number = (unsigned)value;
  return true;
}

/* Hydra's proxies are given the address of the one mpiexec; its ranks know nothing of it. */
static char *hydra_identity(pid_t proxy)
{
  char path[40], line[8192], *identity = NULL;
  snprintf(path, sizeof path, "/proc/%d/cmdline", (int)proxy);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t size = fd < 0 ? 0 : read(fd, line, sizeof line - 1);
  if (fd >= 0)
    close(fd);
  line[size > 0 ? size : 0] = '\0';
  for (ssize_t at = 0; at < size && !identity; at += (ssize_t)strlen(line + at) + 1) {
    const char *value = line + at + strlen(line + at) + 1;
    if (strcmp(line + at, "--control-port") == 0 && value < line + size &&
        asprintf(&identity, "hydra %.*s", IDENTITY_MOST / 2, value) < 0)
      identity = NULL;
  }
  return identity;
}

/* A launcher that says nothing of its job: its process on this machine. */
static char *process_identity(pid_t launcher)
{
  char path[40], *identity = NULL;
  struct stat status;
  snprintf(path, sizeof path, "/proc/%d", (int)launcher);
  if (stat(path, &status) == 0 && asprintf(&identity, "process %d %" PRId64 ".%09ld", (int)launcher,
                                           (int64_t)status.st_ctim.tv_sec, status.st_ctim.tv_nsec) < 0)
    identity = NULL;
  return identity;
}

/* The identity from two variables; the second one may be missing. NULL: the first one is missing. */
static char *variable_identity(const char *kind, const char *first, const char *second)
{
  const char *a = getenv(first), *b = second ? getenv(second) : NULL;
  char *identity;
  if (!a || !*a || asprintf(&identity, "%s %.*s %.*s", kind, IDENTITY_MOST / 4, a, IDENTITY_MOST / 2, b ? b : "") < 0)
    return NULL;
  for (char *at = identity; (at = strpbrk(at, "\n\r")) != NULL;)
    *at = ' ';
  return identity;
}

/* The step of Slurm that the rank is one of. */
static char *step_identity(struct job *job)
{
  bool step = getenv("SLURM_STEP_ID") && number_of("SLURM_PROCID", &job->rank) &&
              (number_of("SLURM_STEP_NUM_TASKS", &job->size) || number_of("SLURM_NTASKS", &job->size));
  return step ? variable_identity("slurm", "SLURM_JOB_ID", "SLURM_STEP_ID") : NULL;
}

/* True if a rank's number in PMI is its number in Slurm: srun itself speaks PMI. */
static bool is_pmi_of_slurm(const struct job *job)
{
  unsigned rank, size;
  return number_of("SLURM_PROCID", &rank) && rank == job->rank && number_of("SLURM_STEP_NUM_TASKS", &size) &&
         size == job->size;
}

/* Inner launchers come first: mpiexec in a job of Slurm. */
static char *find_identity(struct job *job)
{
  if (number_of("OMPI_COMM_WORLD_RANK", &job->rank) && number_of("OMPI_COMM_WORLD_SIZE", &job->size)) {
    char *identity = variable_identity("pmix", "PMIX_NAMESPACE", "OMPI_MCA_orte_hnp_uri");
    return identity ? identity : process_identity(job->launcher);
  }
  if (number_of("PMI_RANK", &job->rank) && number_of("PMI_SIZE", &job->size) && getenv("PMI_FD")) {
    char *identity = hydra_identity(job->launcher);
    if (!identity && is_pmi_of_slurm(job))
      identity = step_identity(job);
    return identity ? identity : process_identity(job->launcher);
  }
  return step_identity(job);
}

void job_find(struct job *job)
{
  *job = (struct job){.launcher = getppid()};
  job->identity = find_identity(job);
  if (job->size < 2 || job->rank >= job->size)
    job_free(job);
}

void job_free(struct job *job)
{
  free(job->identity);
  job->identity = NULL;
}

static void lock_directory(int directory)
{
  while (flock(directory, LOCK_EX) < 0 && errno == EINTR)
    continue;
}

void job_leave_lock(int directory)
{
  flock(directory, LOCK_UN);
}

static int open_job(int directory)
{
  return openat(directory, ARCHIVE_JOB, O_RDWR | O_APPEND | O_NOFOLLOW | O_CLOEXEC);
}

/* The file's text, at most `size` - 1 characters. */
static void read_job(int file, char *text, size_t size)
{
  ssize_t n = pread(file, text, size - 1, 0);
  text[n > 0 ? n : 0] = '\0';
}

enum job_joined job_look(const struct job *job, int directory)
{
  char text[IDENTITY_MOST + 1];
  lock_directory(directory);
  int file = open_job(directory);
  if (file < 0)
    return JOB_FIRST;
  read_job(file, text, sizeof text);
  size_t length = strlen(job->identity);
  bool same = strncmp(text, job->identity, length) == 0 && text[length] == '\n';
  bool ended = !same && flock(file, LOCK_EX | LOCK_NB) == 0;
  close(file);
  return same ? JOB_SAME : ended ? JOB_FIRST : JOB_OTHER;
}

bool job_begin(const struct job *job, int directory)
{
  unlinkat(directory, ARCHIVE_JOB, 0);
  int file = openat(directory, ARCHIVE_JOB, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  bool good = file >= 0 && dprintf(file, "%s\n", job->identity) > 0;
  int error = errno;
  if (file >= 0)
    close(file);
  if (file >= 0 && !good)
    unlinkat(directory, ARCHIVE_JOB, 0);
  errno = error;
  return good;
}

int job_join(const struct job *job, int directory)
{
  int file = open_job(directory);
  if (file >= 0 && flock(file, LOCK_SH | LOCK_NB) == 0 && dprintf(file, "%u\n", job->rank) > 0)
    return file;
  int error = errno;
  if (file >= 0)
    close(file);
  errno = error;
  return -1;
}

/* Ranks that joined: a line each, behind the identity. */
static unsigned count_joined(int file)
{
  char bytes[4096];
  unsigned lines = 0;
  ssize_t n;
  for (off_t at = 0; (n = pread(file, bytes, sizeof bytes, at)) > 0; at += n)
    for (ssize_t i = 0; i < n; i++)
      lines += bytes[i] == '\n';
  return lines > 0 ? lines - 1 : 0;
}

static bool lives(pid_t pid)
{
  return kill(pid, 0) == 0 || errno == EPERM;
}

/* Who is not alone loses the shared lock by asking for the exclusive one. Between two looks it is shared again, so a
 * companion that ends meanwhile is not the last one. */
bool job_is_last(const struct job *job, int directory, int file)
{
  struct timespec turn = {0, TURN_MS * 1000000};
  for (unsigned turns = 0, orphaned = 0;; turns++) {
    orphaned += !lives(job->launcher);
    bool waits = orphaned < ORPHANED_MS / TURN_MS && turns < COMING_MS / TURN_MS;
    lock_directory(directory);
    bool alone = flock(file, LOCK_EX | LOCK_NB) == 0, last = alone && (!waits || count_joined(file) >= job->size);
    if (alone && !last)
      flock(file, LOCK_SH);
    job_leave_lock(directory);
    if (!alone || last)
      return last;
    nanosleep(&turn, NULL);
  }
}

bool job_is_alone(int directory, int file)
{
  lock_directory(directory);
  bool alone = file >= 0 && flock(file, LOCK_EX | LOCK_NB) == 0;
  job_leave_lock(directory);
  return alone;
}

void job_end(int directory)
{
  unlinkat(directory, ARCHIVE_JOB, 0);
}

/* Name of a process, and its parent. False: there is no such process. */
static bool process_of(pid_t pid, char *name, size_t size, pid_t *parent)
{
  char path[40], line[256], *end;
  snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t n = fd < 0 ? 0 : read(fd, line, sizeof line - 1);
  if (fd >= 0)
    close(fd);
  line[n > 0 ? n : 0] = '\0';
  char *begin = strchr(line, '(');
  int number;
  if (!begin || !(end = strrchr(line, ')')) || sscanf(end + 1, " %*c %d", &number) != 1)
    return false;
  snprintf(name, size, "%.*s", (int)(end - begin - 1), begin + 1);
  *parent = number;
  return true;
}

/* Standard error of a process, at its own position in a file where the kernel permits that. At another position, the
 * process would write over our lines. */
static int open_errors_of(pid_t pid)
{
  char path[40];
  int process = (int)syscall(SYS_pidfd_open, pid, 0);
  int fd = process < 0 ? -1 : (int)syscall(SYS_pidfd_getfd, process, STDERR_FILENO, 0);
  if (process >= 0)
    close(process);
  snprintf(path, sizeof path, "/proc/%d/fd/2", (int)pid);
  return fd >= 0 ? fd : open(path, O_WRONLY | O_APPEND | O_NOCTTY | O_CLOEXEC);
}

/* Standard error of the launcher that the user started: a rank's own would keep the job from ending. -1: it is another
 * user's. */
static int open_messages(pid_t launcher)
{
  char name[64];
  pid_t parent, first = launcher;
  for (unsigned i = 0; i < LAUNCHERS_MOST && process_of(launcher, name, sizeof name, &parent); i++) {
    if (!process_is_launcher(name))
      break;
    first = launcher;
    launcher = parent;
  }
  return open_errors_of(first);
}

bool job_has_messages(const struct job *job)
{
  int fd = open_messages(job->launcher);
  return fd >= 0 && close(fd) == 0;
}

/* What the launcher gave this process is the program's: it waits for the ends of pipes and sockets. */
static void close_all_but(const int *kept, unsigned count, int messages)
{
  int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  dup2(null, STDIN_FILENO);
  dup2(null, STDOUT_FILENO);
  dup2(messages >= 0 ? messages : null, STDERR_FILENO);
  long most = sysconf(_SC_OPEN_MAX);
  for (int fd = STDERR_FILENO + 1; fd < (most > 0 && most < DESCRIPTORS_MOST ? most : DESCRIPTORS_MOST); fd++) {
    bool keep = false;
    for (unsigned i = 0; i < count; i++)
      keep |= kept[i] == fd;
    if (!keep)
      close(fd);
  }
}

int job_companion(const struct job *job, const int *kept, unsigned count, int ready[2])
{
  if (pipe2(ready, O_CLOEXEC) != 0)
    return -1;
  pid_t between = fork();
  if (between == 0) { /* the companion is nobody's child */
    setsid();
    pid_t companion = fork();
    if (companion != 0)
      _exit(companion < 0);
    int all[KEPT_MOST] = {ready[1]};
    for (unsigned i = 0; i < count && i + 1 < KEPT_MOST; i++)
      all[i + 1] = kept[i];
    close_all_but(all, count + 1, open_messages(job->launcher));
    return 0;
  }
  int status = 1;
  while (between > 0 && waitpid(between, &status, 0) < 0 && errno == EINTR)
    continue;
  close(ready[1]);
  if (between > 0 && status == 0)
    return 1;
  close(ready[0]);
  return -1;
}

void job_go(int ready[2])
{
  close(ready[1]);
}

void job_wait(int ready[2])
{
  char none;
  while (read(ready[0], &none, 1) < 0 && errno == EINTR)
    continue;
  close(ready[0]);
}

void job_wait_for(pid_t pid)
{
  struct timespec turn = {0, TURN_MS * 1000000};
  int fd = (int)syscall(SYS_pidfd_open, pid, 0);
  struct pollfd polled = {.fd = fd, .events = POLLIN};
  while (fd >= 0 && poll(&polled, 1, -1) < 0 && errno == EINTR)
    continue;
  while (fd < 0 && lives(pid)) /* Linux before 5.3 */
    nanosleep(&turn, NULL);
  if (fd >= 0)
    close(fd);
}
