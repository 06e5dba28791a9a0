/*
 * Files that stay open while the program runs, and the limit of their size. Any thread; no allocation, no lock.
 *
 * Descriptors have numbers far above the programs' usual ones. The program may close them and reuse their numbers, so
 * each is verified before use, and can be replaced.
 */
#ifndef HEDDLE_COMMON_PROCESS_KEPT_FILE_H
#define HEDDLE_COMMON_PROCESS_KEPT_FILE_H

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct kept_file {
  atomic_int fd; /* -1: none */
  dev_t device;
  ino_t inode;
  bool linked; /* it had a name when it was opened, as files have on most file systems */
};

#define KEPT_FILE_NONE {.fd = -1}

/* Descriptors are the highest free ones below this number or the limit. The kernel's table, which each fork copies, is
 * as long as the highest descriptor in use. */
#define KEPT_FILE_HIGHEST 1024

/* Keeps a duplicate of fd, and closes fd. Returns 0 or an errno value; EMFILE: the program needs the descriptors that
 * are left. */
int kept_file_keep(struct kept_file *file, int fd);

/* True if the file is still open, and was not removed. */
bool kept_file_is_there(const struct kept_file *file);

/* Closes the file, unless the program has done so. */
void kept_file_let_go(struct kept_file *file);

/* openat that never uses the descriptors 0 to 2, not even for a moment: the program's output would go to the file. -1
 * with errno. */
int kept_file_open(int at, const char *path, int flags);

/*
 * Limit of a file's size (ulimit -f): a write beyond it kills the program by SIGXFSZ. The recorder checks the limit
 * before it writes, and also blocks the signal, because another thread may change the limit meanwhile.
 */

/* True if the limit allows a file of this size. */
bool file_limit_allows(uint64_t size);

/* State of signals before a write. */
struct file_limit_guard {
  sigset_t before;
  bool was_pending; /* the program's */
};

void file_limit_guard_begin(struct file_limit_guard *guard);
/* exceeded: a write failed with EFBIG; its signal is discarded. Keeps errno. */
void file_limit_guard_end(const struct file_limit_guard *guard, bool exceeded);

#endif
