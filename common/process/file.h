/*
 * Small whole files, read without an allocation. Safe in any thread and after fork.
 */
#ifndef HEDDLE_COMMON_PROCESS_FILE_H
#define HEDDLE_COMMON_PROCESS_FILE_H

#include <stddef.h>
#include <sys/types.h>

/* Reads at most size - 1 bytes of a file and ends them with a zero. Returns their number, or -1 (errno says why). */
ssize_t file_read(const char *path, char *buffer, size_t size);

#endif
