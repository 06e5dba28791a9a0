#include "common/process/process_dir.h"

#include "common/process/kept_file.h"
#include "common/process/own_directory.h"
#include "common/process/text.h"
#include "common/raw/live_control.h"
#include "common/raw/raw_calls.h"
#include "common/raw/raw_trace.h"
#include "common/recorder/signals_blocked.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LOGS_MOST  16u
#define AHEAD_MOST (32u << 20)  /* bytes */
#define AHEAD_FREE (1ull << 30) /* bytes that the disk keeps free: they may be the program's */

static struct {
  char path[PATH_MAX]; /* absolute */
  /* "../<name of the directory>/": leads from the directory to itself, and nowhere from others. */
  char within[NAME_MAX + 8];
  struct kept_file directory, process, windows, calls, logs[LOGS_MOST];
  atomic_uint_fast64_t calls_end;
  atomic_uint_fast64_t log_ends[LOGS_MOST];
  atomic_uint_fast64_t log_allocated[LOGS_MOST]; /* up to there the log has blocks; UINT64_MAX: don't ask for more */
  atomic_bool log_failed[LOGS_MOST];
  unsigned log_count;
  uint64_t log_begin;
  struct process_dir_lock lock;
  void *lock_page;
  struct raw_header *head; /* of chunks-0.log; NULL: none */
} dir = {.directory = KEPT_FILE_NONE, .process = KEPT_FILE_NONE, .windows = KEPT_FILE_NONE, .calls = KEPT_FILE_NONE};

static size_t page_size(void)
{
  return (size_t)sysconf(_SC_PAGESIZE);
}

int process_dir_open_other(const char *path)
{
  return kept_file_open(AT_FDCWD, path, O_RDONLY);
}

/* Opens the directory by its path, if it is still the directory that was opened first. */
static int open_again(void)
{
  struct stat status;
  int fd = kept_file_open(AT_FDCWD, dir.path, OWN_DIRECTORY_FLAGS);
  if (fd < 0)
    return errno;
  if (fstat(fd, &status) != 0 || status.st_dev != dir.directory.device || status.st_ino != dir.directory.inode) {
    close(fd);
    return ENOENT;
  }
  return kept_file_keep(&dir.directory, fd);
}

#define WITHIN_SIZE (sizeof dir.within + 32)

/* The path of a file of the directory, from its descriptor on. */
static void path_within(char path[WITHIN_SIZE], const char *name)
{
  struct text text = {.bytes = path, .size = WITHIN_SIZE};
  text_add(&text, dir.within);
  text_add(&text, name);
}

int process_dir_file(const char *name, int flags, int *error)
{
  char path[WITHIN_SIZE];
  path_within(path, name);
  int fd = kept_file_open(atomic_load(&dir.directory.fd), path, flags | O_NOFOLLOW);
  if (fd >= 0)
    return fd;
  *error = errno;
  if (kept_file_is_there(&dir.directory) || open_again() != 0)
    return -1;
  fd = kept_file_open(atomic_load(&dir.directory.fd), path, flags | O_NOFOLLOW);
  if (fd < 0)
    *error = errno;
  return fd;
}

#define APPEND (-1)

/*
 * Writes all of it, at an offset, or, where that is APPEND, to the file's end. Not by libc's pwrite, because a
 * sanitizer in the program has its own. It would report a race: one thread made the window, another one writes it.
 */
static int write_unguarded(int fd, const char *at, size_t n, off_t offset)
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

static int write_all(int fd, const char *at, size_t n, off_t offset)
{
  struct file_limit_guard guard;
  file_limit_guard_begin(&guard);
  int error = write_unguarded(fd, at, n, offset);
  file_limit_guard_end(&guard, error == EFBIG);
  return error;
}

int process_dir_write(int fd, const void *bytes, size_t n, uint64_t offset)
{
  return file_limit_allows(offset + n) ? write_all(fd, bytes, n, (off_t)offset) : EFBIG;
}

int process_dir_allocate(int fd, uint64_t offset, size_t n)
{
  struct file_limit_guard guard;
  if (!file_limit_allows(offset + n))
    return EFBIG;
  file_limit_guard_begin(&guard);
  int error = fallocate(fd, 0, (off_t)offset, (off_t)n) == 0 ? 0 : errno;
  file_limit_guard_end(&guard, error == EFBIG);
  return error;
}

/* A descriptor of a file that is kept; -1 with *error. */
static int kept(struct kept_file *file, const char *name, int flags, int *error)
{
  if (kept_file_is_there(file))
    return atomic_load(&file->fd);
  struct signals_blocked blocked = signals_block(); /* a handler that jumps out of it would leave a descriptor open */
  int fd = process_dir_file(name, flags, error);
  if (fd >= 0)
    *error = kept_file_keep(file, fd);
  signals_unblock(&blocked);
  return fd < 0 || *error ? -1 : atomic_load(&file->fd);
}

int process_dir_append(const void *bytes, size_t n)
{
  int error;
  struct stat status;
  int fd = kept(&dir.process, "process", O_WRONLY | O_APPEND, &error);
  if (fd < 0)
    return error;
  if (fstat(fd, &status) != 0)
    return errno;
  if (!file_limit_allows((uint64_t)status.st_size + n))
    return EFBIG;
  return write_all(fd, bytes, n, APPEND);
}

int process_dir_windows(int *error)
{
  return kept(&dir.windows, "windows", O_RDWR | O_CREAT | O_NOFOLLOW, error);
}

int process_dir_calls(size_t n, uint64_t *offset, int *error)
{
  int fd = kept(&dir.calls, RAW_CALLS_FILE, O_RDWR | O_CREAT | O_NOFOLLOW, error);
  if (fd >= 0)
    *offset = atomic_fetch_add(&dir.calls_end, n);
  return fd;
}

static void log_name(struct text *name, unsigned log)
{
  text_add(name, "chunks-");
  text_add_number(name, log);
  text_add(name, ".log");
}

static int log_file(unsigned log, int *error)
{
  char name[32];
  struct text text = TEXT_OVER(name);
  log_name(&text, log);
  return kept(&dir.logs[log], name, O_RDWR | O_CREAT | O_NOFOLLOW, error);
}

/* The first log takes what others can't. These are not tried again, because a program that closes descriptors may need
 * all. */
int process_dir_log(uint32_t thread, unsigned *log, int *error)
{
  *log = thread % dir.log_count;
  if (!atomic_load(&dir.log_failed[*log])) {
    int fd = log_file(*log, error);
    if (fd >= 0 || !*log)
      return fd;
    atomic_store(&dir.log_failed[*log], true);
  }
  *log = 0;
  return log_file(0, error);
}

uint64_t process_dir_log_begin(void)
{
  return dir.log_begin;
}

/* True if a file's disk has more than enough room, and a file system on which blocks cost nothing until they are used.
 */
static bool may_allocate_ahead(int fd)
{
  struct statfs status;
  if (fstatfs(fd, &status) != 0 || (status.f_type != EXT4_SUPER_MAGIC && status.f_type != XFS_SUPER_MAGIC))
    return false;
  return (uint64_t)status.f_bavail * (uint64_t)status.f_bsize >= AHEAD_FREE;
}

/*
 * Blocks that a log gets many at a time cost less than some at each write. They are at most as many as it has, so that
 * small traces stay small. One thread asks; the others go on.
 */
static void allocate_ahead(int fd, unsigned log, uint64_t end)
{
  uint64_t from = atomic_load_explicit(&dir.log_allocated[log], memory_order_relaxed);
  if (end <= from)
    return;
  uint64_t ahead = end < AHEAD_MOST ? end : AHEAD_MOST;
  if (!atomic_compare_exchange_strong(&dir.log_allocated[log], &from, UINT64_MAX))
    return;
  if (may_allocate_ahead(fd) && fallocate(fd, FALLOC_FL_KEEP_SIZE, (off_t)end, (off_t)ahead) == 0)
    atomic_store(&dir.log_allocated[log], end + ahead);
}

uint64_t process_dir_log_room(int fd, unsigned log, size_t n, bool ahead)
{
  uint64_t place = atomic_fetch_add(&dir.log_ends[log], n);
  if (ahead)
    allocate_ahead(fd, log, place + n);
  return place;
}

/* As many threads write at once as there are processors, and each file takes one write after the other. */
static unsigned logs_wanted(void)
{
  cpu_set_t set;
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur < KEPT_FILE_HIGHEST)
    return 1;
  int processors = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : LOGS_MOST;
  return processors<1 ? 1 : processors>(int) LOGS_MOST ? LOGS_MOST : (unsigned)processors;
}

/*
 * The lock lives as long as its open file, and the file as long as this mapping. So nothing that the program closes
 * ends it, and no child has it.
 */
static int make_process_file(void)
{
  int error;
  struct stat status;
  int fd = process_dir_file("process", O_RDWR | O_CREAT | O_EXCL, &error);
  if (fd < 0)
    return error;
  dir.lock = (struct process_dir_lock){0};
  dir.lock_page = MAP_FAILED; /* a parent's was not inherited */
  if (fstat(fd, &status) == 0 && flock(fd, LOCK_EX | LOCK_NB) == 0)
    dir.lock_page = mmap(NULL, page_size(), PROT_NONE, MAP_SHARED, fd, 0);
  if (dir.lock_page != MAP_FAILED && madvise(dir.lock_page, page_size(), MADV_DONTFORK) == 0)
    dir.lock = (struct process_dir_lock){.held = true, .local = file_system_is_local(fd), .inode = status.st_ino};
  close(fd);
  fd = process_dir_file("process", O_WRONLY | O_APPEND, &error);
  return fd < 0 ? error : kept_file_keep(&dir.process, fd);
}

/* The head of chunks-0.log, on disk, so that counting never meets a full one. NULL: there is no room. */
static struct raw_header *map_head(int fd, uint32_t window_size)
{
  if (process_dir_allocate(fd, 0, page_size()) != 0)
    return NULL;
  struct raw_header *head = mmap(NULL, page_size(), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (head == MAP_FAILED)
    return NULL;
  madvise(head, page_size(), MADV_DONTFORK);
  head->version = RAW_VERSION;
  head->window_size = window_size;
  head->magic = RAW_MAGIC;
  return head;
}

/* The directory's descriptor is there: makes its files, all of them now, when the program is not yet at work. */
static int open_files(uint32_t window_size)
{
  int error;
  dir.head = NULL;
  atomic_store(&dir.calls_end, 0);
  dir.log_count = logs_wanted();
  dir.log_begin = (page_size() + window_size - 1) / window_size * window_size;
  if ((error = make_process_file()) != 0 || process_dir_windows(&error) < 0)
    return error;
  for (unsigned i = 0; i < dir.log_count; i++) {
    atomic_store(&dir.logs[i].fd, -1);
    atomic_store(&dir.log_ends[i], dir.log_begin);
    atomic_store(&dir.log_allocated[i], dir.log_begin);
    int fd = log_file(i, &error);
    atomic_store(&dir.log_failed[i], fd < 0 && i);
    if (fd < 0 && i == 0)
      return error;
    if (i == 0)
      dir.head = map_head(fd, window_size);
  }
  return 0;
}

void *process_dir_map(const char *name, size_t size, int *error)
{
  static const char zeros[LIVE_CONTROL_SIZE];
  int fd = process_dir_file(name, O_RDWR | O_CREAT | O_EXCL, error);
  if (fd < 0)
    return NULL;
  void *map = MAP_FAILED;
  *error = 0;
  for (size_t done = 0; !*error && done < size; done += sizeof zeros)
    *error = process_dir_write(fd, zeros, size - done < sizeof zeros ? size - done : sizeof zeros, done);
  if (!*error && (map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)) == MAP_FAILED)
    *error = errno;
  close(fd);
  if (map == MAP_FAILED)
    return NULL;
  madvise(map, size, MADV_DONTFORK);
  return map;
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

/* The descriptor of a new directory; -1 with errno. */
static int make_directory(int at, const char *path)
{
  return mkdirat(at, path, 0700) != 0 ? -1 : kept_file_open(at, path, OWN_DIRECTORY_FLAGS);
}

int process_dir_open(int raw, const char *path, uint32_t window_size)
{
  process_dir_leave(); /* the parent may have been here when this process was forked */
  const char *slash = strrchr(path, '/');
  size_t n = slash ? (size_t)(slash + 1 - path) : 0;
  int error = set_path(path, n, path + n);
  int fd = error ? -1 : make_directory(raw, path + n);
  if (!error)
    error = fd < 0 ? errno : kept_file_keep(&dir.directory, fd);
  return error ? error : open_files(window_size);
}

int process_dir_open_beside(const char *name, uint32_t window_size)
{
  char path[NAME_MAX + 8];
  struct text text = TEXT_OVER(path);
  text_add(&text, "../");
  text_add(&text, name);
  if (!kept_file_is_there(&dir.directory) && open_again() != 0)
    return ENOENT;
  int parent = atomic_load(&dir.directory.fd), fd = make_directory(parent, path);
  if (fd < 0)
    return errno;
  close(parent);
  int error = kept_file_keep(&dir.directory, fd);
  /* The path of the parent's directory becomes the child's: what stands before its last part stays. */
  static char above[PATH_MAX];
  size_t n = (size_t)(strrchr(dir.path, '/') + 1 - dir.path);
  memcpy(above, dir.path, n);
  if (!error)
    error = set_path(above, n, name);
  return error ? error : open_files(window_size);
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
  return dir.head ? (_Atomic uint64_t *)&dir.head->not_measured : NULL;
}

static void remove_file(const char *name, int flags)
{
  char path[WITHIN_SIZE];
  path_within(path, name);
  unlinkat(atomic_load(&dir.directory.fd), path, flags);
}

void process_dir_remove(void)
{
  remove_file("process", 0);
  remove_file("windows", 0);
  remove_file(RAW_CALLS_FILE, 0);
  remove_file(LIVE_CONTROL_FILE, 0);
  remove_file(LIVE_ALLOCATED_FILE, 0);
  remove_file(LIVE_SAMPLES_FILE, 0);
  remove_file(RAW_JVM_LOG_FILE, 0);
  remove_file(RAW_JVM_LOG_FILE ".0", 0);
  for (unsigned i = 0; i < dir.log_count; i++) {
    char name[32];
    struct text text = TEXT_OVER(name);
    log_name(&text, i);
    remove_file(name, 0);
  }
  remove_file("", AT_REMOVEDIR);
  process_dir_leave();
}

int process_dir_process(void)
{
  char path[64];
  struct stat status;
  struct text text = TEXT_OVER(path);
  int fd = atomic_load(&dir.process.fd);
  if (fd < 0 || fstat(fd, &status) != 0 || status.st_ino != dir.process.inode) /* the program has closed it */
    return -1;
  text_add(&text, "/proc/self/fd/");
  text_add_number(&text, (uint64_t)fd);
  return process_dir_open_other(path);
}

void process_dir_close(void)
{
  if (dir.head)
    munmap(dir.head, page_size());
  if (dir.lock_page && dir.lock_page != MAP_FAILED)
    munmap(dir.lock_page, page_size());
  dir.lock_page = NULL;
  process_dir_leave();
  kept_file_let_go(&dir.directory);
}

void process_dir_leave(void)
{
  dir.head = NULL;
  kept_file_let_go(&dir.process);
  kept_file_let_go(&dir.windows);
  kept_file_let_go(&dir.calls);
  for (unsigned i = 0; i < dir.log_count; i++)
    kept_file_let_go(&dir.logs[i]);
}

#define NAMES_MOST 100 /* tries of new names */

/* False: errno says why. */
static bool make_trace(char *trace, size_t size, bool is_new)
{
  size_t length = strlen(trace);
  char random[OWN_RANDOM + 1];
  int made = mkdir(trace, 0700);
  for (int tries = 0; made != 0 && errno == EEXIST && is_new && tries < NAMES_MOST; tries++) {
    struct text path = {.bytes = trace, .size = size, .used = length};
    own_random(random);
    text_add(&path, "-");
    text_add(&path, random);
    made = path.cut ? -1 : mkdir(trace, 0700);
  }
  return made == 0 || (!is_new && errno == EEXIST);
}

/* Opens a directory to which no other user may write. */
static int open_own(int at, const char *name, const char **objection)
{
  int fd = kept_file_open(at, name, OWN_DIRECTORY_FLAGS);
  *objection = fd < 0 ? own_directory_refusal(at, name) : own_directory_objection(fd);
  if (fd < 0 || !*objection)
    return fd;
  close(fd);
  errno = EPERM;
  return -1;
}

int trace_dir_open_raw(char *trace, size_t size, bool is_new, const char **objection)
{
  *objection = NULL;
  int directory = make_trace(trace, size, is_new) ? open_own(AT_FDCWD, trace, objection) : -1, raw = -1;
  if (directory >= 0 && (mkdirat(directory, "raw", 0700) == 0 || errno == EEXIST))
    raw = open_own(directory, "raw", objection);
  int error = errno;
  if (directory >= 0)
    close(directory);
  errno = error;
  return raw;
}
