#include "common/process/kept_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define LOWEST 16 /* where there are fewer, the program needs them all */

/* The file itself, whether it has a name or not. */
static bool is_open(const struct kept_file *file, struct stat *status)
{
  int fd = atomic_load(&file->fd);
  return fd >= 0 && fstat(fd, status) == 0 && status->st_dev == file->device && status->st_ino == file->inode;
}

int kept_file_keep(struct kept_file *file, int fd)
{
  struct rlimit limit;
  struct stat status, now;
  int highest = KEPT_FILE_HIGHEST - 1;
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < KEPT_FILE_HIGHEST)
    highest = (int)limit.rlim_cur - 1;
  while (highest > LOWEST && fcntl(highest, F_GETFD) >= 0)
    highest--;
  int high = highest < LOWEST ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, highest);
  if (high < 0 && fd >= LOWEST)
    high = fd; /* the last one that there is */
  int error = high < 0 ? EMFILE : fstat(high, &status) != 0 ? errno : 0;
  if (high != fd)
    close(fd);
  if (error)
    return error;
  struct kept_file before = {.fd = atomic_load(&file->fd), .device = file->device, .inode = file->inode};
  int number = atomic_load(&before.fd);
  bool same = number == high; /* the number that the program has closed is the highest again */
  bool another =
      !same && is_open(file, &now) && now.st_dev == status.st_dev && now.st_ino == status.st_ino; /* thread */
  file->device = status.st_dev;
  file->inode = status.st_ino;
  file->linked = status.st_nlink > 0;
  if (another || !atomic_compare_exchange_strong(&file->fd, &number, high))
    close(high);
  else if (!same)
    kept_file_let_go(&before);
  return 0;
}

bool kept_file_is_there(const struct kept_file *file)
{
  struct stat status;
  return is_open(file, &status) && (status.st_nlink > 0 || !file->linked);
}

void kept_file_let_go(struct kept_file *file)
{
  struct stat status;
  if (is_open(file, &status))
    close(atomic_load(&file->fd));
  atomic_store(&file->fd, -1);
}

/* If the program has closed some of 0 to 2, directories take these numbers meanwhile: nothing can be written to them.
 */
int kept_file_open(int at, const char *path, int flags)
{
  int stand_ins[3], n = 0, fd;
  while ((fd = openat(at, ".", O_PATH | O_CLOEXEC)) >= 0 && fd <= STDERR_FILENO && n < 3)
    stand_ins[n++] = fd;
  if (fd >= 0)
    close(fd);
  fd = openat(at, path, flags | O_CLOEXEC, 0600);
  int error = errno;
  while (n)
    close(stand_ins[--n]);
  if (fd >= 0 && fd <= STDERR_FILENO) { /* closed by another thread just now */
    close(fd);
    fd = -1;
    error = EAGAIN;
  }
  errno = error;
  return fd;
}

bool file_limit_allows(uint64_t size)
{
  struct rlimit limit;
  return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || size <= limit.rlim_cur;
}

void file_limit_guard_begin(struct file_limit_guard *guard)
{
  sigset_t one, pending;
  sigemptyset(&one);
  sigaddset(&one, SIGXFSZ);
  pthread_sigmask(SIG_BLOCK, &one, &guard->before);
  guard->was_pending =
      sigismember(&guard->before, SIGXFSZ) && sigpending(&pending) == 0 && sigismember(&pending, SIGXFSZ);
}

void file_limit_guard_end(const struct file_limit_guard *guard, bool exceeded)
{
  int kept = errno;
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, SIGXFSZ);
  if (exceeded && !guard->was_pending)
    sigtimedwait(&one, NULL, &(struct timespec){0, 0});
  pthread_sigmask(SIG_SETMASK, &guard->before, NULL);
  errno = kept;
}
