/*
 * The directory of this process in the trace, and the files in it. They are found again whatever the program does to
 * itself: a new root, working directory or user, other mounts, closed descriptors. Three descriptors are kept, far
 * above those that programs count on: of the directory, of the file `process`, and of `spare.log`, where chunks go when
 * no file can be opened any more (the user has changed, no descriptor is left, ...). Each is verified before use and
 * opened again where the program has closed it. Nothing here ever has one of the descriptors 0 to 2, not even for a
 * moment, so that what the program writes to them never ends up in a trace.
 *
 * While the process lives, it holds a lock (flock) on `process`; no child has it. The converter asks for it to find out
 * whether the process still records.
 *
 * Any thread may call all but process_dir_open, _open_beside and _leave; no allocation, no lock of libc's. Functions
 * return 0 or an errno value unless they say otherwise. A write that would exceed RLIMIT_FSIZE, which kills, is not
 * made: EFBIG.
 */
#ifndef HEDDLE_COMMON_PROCESS_DIR_H
#define HEDDLE_COMMON_PROCESS_DIR_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Opens the directory `path` (absolute; it exists and is empty), makes its files, and takes the lock. */
int process_dir_open(const char *path);
/* In a fork's child: makes a directory of that name beside the parent's, and opens it. */
int process_dir_open_beside(const char *name);
/* Of the directory that is open; "" before. */
const char *process_dir_path(void);
/* In a child of fork: lets go of the parent's files. Its directory is kept for process_dir_open_beside. */
void process_dir_leave(void);

/* What lock this process holds on `process`. */
struct process_dir_lock {
  bool held;      /* false: the file system has none */
  bool local;     /* the file system belongs to this machine alone: a lock that is free is free for all */
  uint64_t inode; /* of `process`: a copy of the file has another */
};
struct process_dir_lock process_dir_lock(void);

/* Opens a file of the directory by name: its descriptor, above 2; or -1, and *error has the errno value. */
int process_dir_file(const char *name, int flags, int *error);

/* Opens a file that is elsewhere to be read: its descriptor, above 2; or -1 with errno. */
int process_dir_open_other(const char *path);

/* Appends to `process`. Fewer bytes than a page are written whole or not at all. */
int process_dir_append(const void *bytes, size_t n);

/*
 * A counter in the head of `spare.log`, mapped, so that it is there however the process ends; NULL: there is none. Not
 * in children.
 */
_Atomic uint64_t *process_dir_counter(void);

/* Writes to `spare.log`. */
int process_dir_spare(const void *bytes, size_t n, uint64_t offset);
/* Room in it that nobody else gets: its offset. */
uint64_t process_dir_spare_room(size_t n);

/* Writes n bytes at an offset of an open file. */
int process_dir_write(int fd, const void *bytes, size_t n, uint64_t offset);
/* Whether a file may become so long. */
bool process_dir_may_reach(uint64_t size);

#endif
