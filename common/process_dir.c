#include "common/process_dir.h"

#include "common/local_file_system.h"
#include "common/raw_trace.h"
#include "common/text.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Descriptors of ours are the highest below this, or below the limit where that is lower: the kernel's table, which
 * each fork copies, is as long as the highest descriptor in use. */
#define HIGHEST 1024
#define LOWEST  16 /* where there are fewer, the program needs them all */

/* A descriptor that is kept. The program may have closed it, and have its number for something else. */
struct held {
  atomic_int fd; /* -1: none */
  dev_t device;
  ino_t inode;
};

static struct {
  char path[PATH_MAX]; /* absolute */
  /* "../<name of the directory>/": leads from the directory to itself, and nowhere from others. */
  char within[NAME_MAX + 8];
  struct held directory, process, spare;
  atomic_uint_fast64_t spare_end;
  struct process_dir_lock lock;
  void *lock_page;
  struct raw_header *head; /* of spare.log; NULL: none */
} dir = {.directory.fd = -1, .process.fd = -1, .spare.fd = -1};

static size_t page_size(void)
{
  return (size_t)sysconf(_SC_PAGESIZE);
}

/* Keeps fd at the highest number that is free instead; fd itself is closed. EMFILE: all that are left are the
 * program's. */
static int hold(struct held *held, int fd)
{
  struct rlimit limit;
  struct stat status;
  int least = HIGHEST - 1, high;
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < HIGHEST)
    least = (int)limit.rlim_cur - 1;
  while ((high = fcntl(fd, F_DUPFD_CLOEXEC, least)) < 0 && (errno == EMFILE || errno == EINVAL) && least > LOWEST)
    least--;
  int error = high < 0 ? EMFILE : fstat(high, &status) != 0 ? errno : 0;
  close(fd);
  if (error)
    return error;
  held->device = status.st_dev;
  held->inode = status.st_ino;
  atomic_store(&held->fd, high);
  return 0;
}

static bool is_held(const struct held *held)
{
  struct stat status;
  int fd = atomic_load(&held->fd);
  return fd >= 0 && fstat(fd, &status) == 0 && status.st_dev == held->device && status.st_ino == held->inode;
}

static void let_go(struct held *held)
{
  if (is_held(held))
    close(atomic_load(&held->fd));
  atomic_store(&held->fd, -1);
}

/*
 * openat, but never one of the descriptors 0 to 2: where the program has closed some, directories stand there
 * meanwhile, to which nothing can be written.
 */
static int open_above_standard(int at, const char *name, int flags)
{
  int stand_ins[3], n = 0, fd;
  while ((fd = openat(at, ".", O_PATH | O_CLOEXEC)) >= 0 && fd <= STDERR_FILENO && n < 3)
    stand_ins[n++] = fd;
  if (fd >= 0)
    close(fd);
  fd = openat(at, name, flags | O_CLOEXEC, 0600);
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

int process_dir_open_other(const char *path)
{
  return open_above_standard(AT_FDCWD, path, O_RDONLY);
}

/* Opens the directory by its path. verify: it must be the one that was opened first. */
static int open_directory(bool verify)
{
  struct stat status;
  int fd = open_above_standard(AT_FDCWD, dir.path, O_RDONLY | O_DIRECTORY);
  if (fd < 0)
    return errno;
  if (verify &&
      (fstat(fd, &status) != 0 || status.st_dev != dir.directory.device || status.st_ino != dir.directory.inode)) {
    close(fd);
    return ENOENT;
  }
  return hold(&dir.directory, fd);
}

int process_dir_file(const char *name, int flags, int *error)
{
  char path[sizeof dir.within + 32];
  struct text text = TEXT_OVER(path);
  text_add(&text, dir.within);
  text_add(&text, name);
  int fd = open_above_standard(atomic_load(&dir.directory.fd), path, flags | O_NOFOLLOW);
  if (fd >= 0)
    return fd;
  *error = errno;
  if (is_held(&dir.directory) || open_directory(true) != 0)
    return -1;
  fd = open_above_standard(atomic_load(&dir.directory.fd), path, flags | O_NOFOLLOW);
  if (fd < 0)
    *error = errno;
  return fd;
}

bool process_dir_may_reach(uint64_t size)
{
  struct rlimit limit;
  return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || size <= limit.rlim_cur;
}

#define APPEND (-1)

/*
 * Writes all of it, at an offset, or, where that is APPEND, to the file's end. Not by libc's pwrite: a sanitizer in the
 * program has its own, which would hold it against us that one thread made the window which another one writes.
 */
static int write_all(int fd, const char *at, size_t n, off_t offset)
{
  while (n) {
    ssize_t done = offset == APPEND ? write(fd, at, n) : syscall(SYS_pwrite64, fd, at, n, offset);
    if (done < 0 && errno == EINTR)
      continue;
    if (done <= 0)
      return done < 0 ? errno : EIO;
    at += done;
    n -= (size_t)done;
    if (offset != APPEND)
      offset += done;
  }
  return 0;
}

int process_dir_write(int fd, const void *bytes, size_t n, uint64_t offset)
{
  return process_dir_may_reach(offset + n) ? write_all(fd, bytes, n, (off_t)offset) : EFBIG;
}

/* A descriptor of a file that is kept; -1 with *error. */
static int held_file(struct held *held, const char *name, int flags, int *error)
{
  if (!is_held(held)) {
    int fd = process_dir_file(name, flags, error);
    if (fd < 0 || (*error = hold(held, fd)) != 0)
      return -1;
  }
  return atomic_load(&held->fd);
}

int process_dir_append(const void *bytes, size_t n)
{
  int error;
  struct stat status;
  int fd = held_file(&dir.process, "process", O_WRONLY | O_APPEND, &error);
  if (fd < 0)
    return error;
  if (fstat(fd, &status) != 0)
    return errno;
  if (!process_dir_may_reach((uint64_t)status.st_size + n))
    return EFBIG;
  return write_all(fd, bytes, n, APPEND);
}

int process_dir_spare(const void *bytes, size_t n, uint64_t offset)
{
  int error;
  int fd = held_file(&dir.spare, "spare.log", O_WRONLY, &error);
  return fd < 0 ? error : process_dir_write(fd, bytes, n, offset);
}

uint64_t process_dir_spare_room(size_t n)
{
  return atomic_fetch_add(&dir.spare_end, n);
}

/*
 * The lock lives as long as its open file, and that as long as this mapping: nothing that the program closes ends it,
 * and no child has it.
 */
static int make_process_file(void)
{
  int error;
  struct stat status;
  int fd = process_dir_file("process", O_RDWR | O_CREAT | O_EXCL, &error);
  if (fd < 0)
    return error;
  dir.lock = (struct process_dir_lock){0};
  dir.lock_page = MAP_FAILED;
  if (fstat(fd, &status) == 0 && flock(fd, LOCK_EX | LOCK_NB) == 0)
    dir.lock_page = mmap(NULL, page_size(), PROT_NONE, MAP_SHARED, fd, 0);
  if (dir.lock_page != MAP_FAILED && madvise(dir.lock_page, page_size(), MADV_DONTFORK) == 0)
    dir.lock = (struct process_dir_lock){.held = true, .local = file_system_is_local(fd), .inode = status.st_ino};
  close(fd);
  fd = process_dir_file("process", O_WRONLY | O_APPEND, &error);
  return fd < 0 ? error : hold(&dir.process, fd);
}

/* The head of spare.log, on disk, so that counting never meets a full one. NULL: there is no room. */
static struct raw_header *map_head(int fd)
{
  if (!process_dir_may_reach(page_size()) || fallocate(fd, 0, 0, (off_t)page_size()) != 0)
    return NULL;
  struct raw_header *head = mmap(NULL, page_size(), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (head == MAP_FAILED)
    return NULL;
  madvise(head, page_size(), MADV_DONTFORK);
  head->version = RAW_VERSION;
  head->magic = RAW_MAGIC;
  return head;
}

/* The directory's descriptor is there: makes its files. */
static int open_files(void)
{
  dir.head = NULL;
  atomic_store(&dir.spare_end, 0);
  int error = make_process_file(), fd;
  if (!error && (fd = process_dir_file("spare.log", O_RDWR | O_CREAT | O_EXCL, &error)) >= 0) {
    dir.head = map_head(fd);
    error = hold(&dir.spare, fd);
  }
  return error;
}

/* Takes note of the directory's name, its last part in particular. */
static int set_path(const char *above, size_t n, const char *name)
{
  struct text within = TEXT_OVER(dir.within), path = TEXT_OVER(dir.path);
  text_add(&within, "../");
  text_add(&within, name);
  text_add(&within, "/");
  text_add_bytes(&path, above, n);
  text_add(&path, name);
  return path.cut || within.cut ? ENAMETOOLONG : 0;
}

int process_dir_open(const char *path)
{
  const char *slash = strrchr(path, '/');
  size_t n = slash ? (size_t)(slash + 1 - path) : 0;
  int error = set_path(path, n, path + n);
  if (!error)
    error = open_directory(false);
  return error ? error : open_files();
}

int process_dir_open_beside(const char *name)
{
  char path[NAME_MAX + 8];
  struct text text = TEXT_OVER(path);
  text_add(&text, "../");
  text_add(&text, name);
  if (!is_held(&dir.directory) && open_directory(true) != 0)
    return ENOENT;
  int parent = atomic_load(&dir.directory.fd);
  if (mkdirat(parent, path, 0700) != 0)
    return errno;
  int fd = open_above_standard(parent, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  if (fd < 0)
    return errno;
  close(parent);
  int error = hold(&dir.directory, fd);
  /* The path of the parent's directory becomes the child's: what stands before its last part stays. */
  static char above[PATH_MAX];
  size_t n = (size_t)(strrchr(dir.path, '/') + 1 - dir.path);
  memcpy(above, dir.path, n);
  if (!error)
    error = set_path(above, n, name);
  return error ? error : open_files();
}

const char *process_dir_path(void)
{
  return dir.path;
}

struct process_dir_lock process_dir_lock(void)
{
  return dir.lock;
}

_Atomic uint64_t *process_dir_counter(void)
{
  return dir.head ? (_Atomic uint64_t *)&dir.head->skipped : NULL;
}

void process_dir_leave(void)
{
  dir.head = NULL;
  let_go(&dir.spare);
  let_go(&dir.process);
}
