/*
 * Descriptors that are kept while the program runs, at numbers far above those that programs count on. The program may
 * close them, and open something else under their numbers: each is verified before use, and can be put there again. Any
 * thread may call all of this; no allocation, no lock.
 */
#ifndef HEDDLE_COMMON_PROCESS_KEPT_FILE_H
#define HEDDLE_COMMON_PROCESS_KEPT_FILE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <sys/types.h>

struct kept_file {
  atomic_int fd; /* -1: none */
  dev_t device;
  ino_t inode;
  bool linked; /* it had a name when it was opened, as files have on most file systems */
};

#define KEPT_FILE_NONE {.fd = -1}

/* The descriptors are the highest that are free below this, or below the limit where that is lower: the kernel's table,
 * which each fork copies, is as long as the highest descriptor in use. */
#define KEPT_FILE_HIGHEST 1024

/* Keeps fd; fd itself is closed. 0, or an errno value; EMFILE: all descriptors that are left are the program's. */
int kept_file_keep(struct kept_file *file, int fd);

/* Whether it is still there: open, and not removed meanwhile. */
bool kept_file_is_there(const struct kept_file *file);

/* Closes it, unless the program has done so. */
void kept_file_let_go(struct kept_file *file);

/* openat, but never one of the descriptors 0 to 2, not even for a moment: what the program writes to them would end up
 * in the file. -1 with errno. */
int kept_file_open(int at, const char *path, int flags);

#endif
