/* The files that have chunks: what the reader of raw traces needs of them. Private to raw_reader.c. */
#ifndef HEDDLE_COMMON_RAW_RAW_FILES_H
#define HEDDLE_COMMON_RAW_RAW_FILES_H

#include "common/raw/raw_trace.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define RAW_WINDOW_MIN   4096u /* bytes */
#define RAW_WINDOWS_FILE "windows"

bool raw_header_is_sane(const struct raw_header *header);

/* Reads all of it, or as much as there is; -1 with errno. */
ssize_t raw_read_at(int fd, void *buffer, size_t size, uint64_t offset);

/* Opens a file to read; its size, or -1. */
int raw_open_sized(int at, const char *name, uint64_t *size);

/* The first place from `at` on where something may be written. */
uint64_t raw_skip_hole(int fd, uint64_t at, uint64_t size, uint64_t step);

/*
 * Copies the windows of a process that goes on into memory, each with its header as they were at one moment. `copy`
 * becomes a descriptor, or -1: there are no windows. 0, or -1 with errno.
 */
int raw_copy_windows(int directory, int *copy);

#endif
