/*
 * The directory of this process in the trace, and the files in it. All that is written often is open all the time, at
 * descriptors far above those that programs count on (kept_file.h): so it is found whatever the program does to itself
 * (a new root, working directory or user, other mounts), and a descriptor that the program opens meanwhile has the
 * number that it has without us. Those that the program has closed are opened again.
 *
 * While the process lives, it holds a lock (flock) on `process`; no child has it. The converter asks for it to find out
 * whether the process still records.
 *
 * Any thread may call all but process_dir_open, _open_beside and _leave; no allocation, no lock of libc's. Functions
 * return 0 or an errno value unless they say otherwise. A write that would exceed RLIMIT_FSIZE, which kills, is not
 * made: EFBIG.
 */
#ifndef HEDDLE_COMMON_PROCESS_PROCESS_DIR_H
#define HEDDLE_COMMON_PROCESS_PROCESS_DIR_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Makes the directory `path` (absolute), by its last part below `raw`, a descriptor; its files; and takes the lock. */
int process_dir_open(int raw, const char *path, uint32_t window_size);
/* In a fork's child: makes a directory of that name beside the parent's, and opens it. */
int process_dir_open_beside(const char *name, uint32_t window_size);
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

/* Lets go of all files; the lock is free then, and nothing of the directory stays mapped. */
void process_dir_close(void);
/* A descriptor of its own of `process`, to be read, also when the file was removed; -1: there is none. */
int process_dir_process(void);

/* Removes the directory that is open, with its files: this process does not record. */
void process_dir_remove(void);

/* Opens a file of the directory by name: its descriptor, above 2; or -1, and *error has the errno value. */
int process_dir_file(const char *name, int flags, int *error);

/* Opens a file that is elsewhere to be read: its descriptor, above 2; or -1 with errno. */
int process_dir_open_other(const char *path);

/* Appends to `process`. Fewer bytes than a page are written whole or not at all. */
int process_dir_append(const void *bytes, size_t n);

/*
 * A counter in the head of chunks-0.log, mapped, so that it is there however the process ends; NULL: there is none. Not
 * in children.
 */
_Atomic uint64_t *process_dir_counter(void);

/* Makes a file of zeros (live_control.h), on disk, and maps it; children don't have it. NULL: *error has the errno
 * value. Once a directory and name. */
void *process_dir_map(const char *name, size_t size, int *error);

/* The descriptor of `windows`; or -1, and *error has the errno value. It is not to be closed. */
int process_dir_windows(int *error);
/* The same of `calls` (raw_calls.h), in which *offset is the place of n bytes that nobody else gets. */
int process_dir_calls(size_t n, uint64_t *offset, int *error);
/* The descriptor of the log for a thread's chunks, and which log it is; likewise. */
int process_dir_log(uint32_t thread, unsigned *log, int *error);
/* Where chunks may stand in a log, behind its head. */
uint64_t process_dir_log_begin(void);
/*
 * Room for n bytes of a log that nobody else gets: its offset. ahead: more like it will follow, so blocks may be
 * allocated for them, too.
 */
uint64_t process_dir_log_room(int fd, unsigned log, size_t n, bool ahead);

/* Writes n bytes at an offset of an open file. */
int process_dir_write(int fd, const void *bytes, size_t n, uint64_t offset);
/* Gives a part of an open file blocks on the disk. EOPNOTSUPP and others: the file system can't. */
int process_dir_allocate(int fd, uint64_t offset, size_t n);

#endif
