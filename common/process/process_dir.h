/*
 * Directory of this process in the trace, and its files. Files that are written often stay open, at descriptors far
 * above the programs' usual ones (kept_file.h). So the recorder reaches them even if the program changes its root,
 * working directory, user or mounts. The program's own descriptors have the same numbers as without Heddle. A file that
 * the program has closed is opened again.
 *
 * A living process holds a lock (flock) on `process`; children do not inherit it. The converter tries the lock to find
 * out whether the process still records.
 *
 * Any thread may call all functions except process_dir_open, _open_beside, _leave and trace_dir_open_raw; no
 * allocation, no lock of libc. Functions return 0 or an errno value unless they say otherwise. A write beyond
 * RLIMIT_FSIZE would kill the program; it is not made, and the result is EFBIG.
 */
#ifndef HEDDLE_COMMON_PROCESS_PROCESS_DIR_H
#define HEDDLE_COMMON_PROCESS_PROCESS_DIR_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Makes the directory `path` (absolute) and its files, and takes the lock. raw: descriptor of its parent. */
int process_dir_open(int raw, const char *path, uint32_t window_size);
/* In a child of fork: makes and opens a directory beside the parent's. */
int process_dir_open_beside(const char *name, uint32_t window_size);
/* Returns the path of the open directory; "": none is open yet. */
const char *process_dir_path(void);
/* In a child of fork: closes the parent's files. The parent's directory stays, for process_dir_open_beside. */
void process_dir_leave(void);

/* The lock that this process holds on `process`. */
struct process_dir_lock {
  bool held;      /* false: the file system has none */
  bool local;     /* no other machine can mount the file system, so a free lock is free everywhere */
  uint64_t inode; /* of `process`; a copy of the file has another */
};
struct process_dir_lock process_dir_lock(void);

/* Closes and unmaps all files; this releases the lock. */
void process_dir_close(void);
/* Returns a new descriptor to read `process`, even if the file was removed; -1: there is none. */
int process_dir_process(void);

/* Removes the open directory with its files: this process does not record. */
void process_dir_remove(void);

/* Opens a file of the directory. Returns a descriptor above 2; -1: *error has the errno value. */
int process_dir_file(const char *name, int flags, int *error);

/* Opens another file for reading. Returns a descriptor above 2; -1 with errno. */
int process_dir_open_other(const char *path);

/* Appends to `process`. Less than a page is written completely or not at all. */
int process_dir_append(const void *bytes, size_t n);

/*
 * Returns the counter in the head of chunks-0.log. It is mapped, so it survives any end of the process. NULL: there is
 * none. Not in children.
 */
_Atomic uint64_t *process_dir_counter(void);

/* Makes a file of zeros on disk (live_control.h) and maps it, except in children. NULL: *error has the errno value.
 * Once per directory and name. */
void *process_dir_map(const char *name, size_t size, int *error);

/* Returns the descriptor of `windows`; -1: *error has the errno value. The caller must not close it. */
int process_dir_windows(int *error);
/* The same for `calls` (raw_calls.h). *offset: begin of n bytes for the caller alone. */
int process_dir_calls(size_t n, uint64_t *offset, int *error);
/* The same for the log of a thread's chunks; *log: its number. */
int process_dir_log(uint32_t thread, unsigned *log, int *error);
/* Returns the offset of the first chunk in a log, behind the head. */
uint64_t process_dir_log_begin(void);
/*
 * Returns the offset of n bytes of a log for the caller alone. ahead: similar calls will follow, so blocks may be
 * allocated in advance.
 */
uint64_t process_dir_log_room(int fd, unsigned log, size_t n, bool ahead);

/* Writes n bytes at an offset of an open file. */
int process_dir_write(int fd, const void *bytes, size_t n, uint64_t offset);
/* Allocates blocks on the disk for a part of an open file. EOPNOTSUPP and others: the file system can't. */
int process_dir_allocate(int fd, uint64_t offset, size_t n);

/*
 * Makes <trace>/raw, and <trace> if it is missing. Returns a descriptor above 2; -1: *objection has the reason, or is
 * NULL and errno has it. Other users must not be able to write to either (own_directory.h). is_new: the user did not
 * choose <trace>, so it must be new; if the name is taken, characters are added to it in the buffer.
 */
int trace_dir_open_raw(char *trace, size_t size, bool is_new, const char **objection);

#endif
