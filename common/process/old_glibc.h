/*
 * Replacements of functions that glibc 2.17 does not have, for builds with -DHEDDLE_OLD_GLIBC=ON, which include this
 * file before all else. They are safe in signal handlers, and set errno as glibc's do.
 */
#ifndef HEDDLE_COMMON_PROCESS_OLD_GLIBC_H
#define HEDDLE_COMMON_PROCESS_OLD_GLIBC_H

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* For x86-64: the kernel's struct stat is glibc's there. */
#define gettid()                         ((pid_t)syscall(SYS_gettid))
#define getrandom(bytes, size, flags)    ((ssize_t)syscall(SYS_getrandom, bytes, size, flags))
#define fstat(fd, status)                ((int)syscall(SYS_fstat, fd, status))
#define fstatat(fd, name, status, flags) ((int)syscall(SYS_newfstatat, fd, name, status, flags))
#define strerrordesc_np(error)           old_glibc_error(error)

/* The errors of files; NULL: another one. */
static inline const char *old_glibc_error(int error)
{
  static const struct {
    int error;
    const char *text;
  } texts[] = {{EPERM, "Operation not permitted"},   {ENOENT, "No such file or directory"},
               {EIO, "Input/output error"},          {ENOMEM, "Cannot allocate memory"},
               {EACCES, "Permission denied"},        {EEXIST, "File exists"},
               {ENOTDIR, "Not a directory"},         {EISDIR, "Is a directory"},
               {EINVAL, "Invalid argument"},         {ENFILE, "Too many open files in system"},
               {EMFILE, "Too many open files"},      {EFBIG, "File too large"},
               {ENOSPC, "No space left on device"},  {EROFS, "Read-only file system"},
               {ENAMETOOLONG, "File name too long"}, {ELOOP, "Too many levels of symbolic links"},
               {EDQUOT, "Disk quota exceeded"}};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    if (texts[i].error == error)
      return texts[i].text;
  return NULL;
}

#endif
