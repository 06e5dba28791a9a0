/*
 * Directories and files that others may reach, too. Other users may have prepared names: these functions open
 * directories and make files safely; after that use the descriptor only. Other machines may have mounted the file
 * system: then locks here say nothing about them.
 *
 * For the recorder, the converter and the analyzer: libc only, no allocation, any thread.
 */
#ifndef HEDDLE_COMMON_PROCESS_OWN_DIRECTORY_H
#define HEDDLE_COMMON_PROCESS_OWN_DIRECTORY_H

#include "base/count_of.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

/* Flags for openat to open a directory: follows no link. */
#define OWN_DIRECTORY_FLAGS (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

/* Mode of a new directory, before the umask: others can't write there, even with the umask 002. */
#define OWN_DIRECTORY_MODE 0755

/*
 * Returns the reason why a directory must not be written to; NULL: there is none. It must belong to the caller or to
 * root, and nobody else may write there. A group may only if it is the caller's private group, which has the caller's
 * number. With the sticky bit others may write, because they can't replace the caller's files.
 */
static inline const char *own_directory_objection(int fd)
{
  struct stat status;
  uid_t user = geteuid();
  if (fstat(fd, &status) != 0)
    return "it cannot be looked at";
  if (status.st_uid != user && status.st_uid != 0)
    return "it belongs to another user";
  bool writable = (status.st_mode & S_IWOTH) != 0 || ((status.st_mode & S_IWGRP) != 0 && status.st_gid != user);
  return writable && (status.st_mode & S_ISVTX) == 0 ? "other users can write there (chmod go-w)" : NULL;
}

/* Returns the reason why openat failed with these flags; NULL: errno has it. Keeps errno. */
static inline const char *own_directory_refusal(int at, const char *name)
{
  int kept = errno;
  struct stat status;
  bool link = (kept == ELOOP || kept == ENOTDIR) && fstatat(at, name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
              S_ISLNK(status.st_mode);
  errno = kept;
  return link ? "it is a symbolic link: name the directory itself" : kept == ENOTDIR ? "it is not a directory" : NULL;
}

/* Opens a directory to write to. -1: *why has the reason, or is NULL and errno has it. */
static inline int own_directory_open(int at, const char *name, const char **why)
{
  char plain[PATH_MAX]; /* without a slash at the end, which would follow a link */
  size_t n = strlen(name);
  while (n > 1 && name[n - 1] == '/')
    n--;
  if (n >= sizeof plain) {
    errno = ENAMETOOLONG;
    *why = NULL;
    return -1;
  }
  memcpy(plain, name, n);
  plain[n] = '\0';
  name = plain;
  int fd = openat(at, name, OWN_DIRECTORY_FLAGS);
  *why = fd < 0 ? own_directory_refusal(at, name) : own_directory_objection(fd);
  if (fd < 0 || !*why)
    return fd;
  close(fd);
  errno = EPERM;
  return -1;
}

/* The same; makes the directory if it is missing. */
static inline int own_directory_below(int at, const char *name, mode_t mode, const char **why)
{
  *why = NULL;
  if (mkdirat(at, name, mode) != 0 && errno != EEXIST)
    return -1;
  return own_directory_open(at, name, why);
}

enum { OWN_RANDOM = 8 }; /* characters */

/* Returns random characters for names that others cannot guess. */
static inline void own_random(char text[OWN_RANDOM + 1])
{
  static const char letters[] = "abcdefghijklmnopqrstuvwxyz234567";
  unsigned char bytes[OWN_RANDOM] = {0};
  ssize_t ignored = getrandom(bytes, sizeof bytes, GRND_NONBLOCK);
  (void)ignored;
  for (size_t i = 0; i < OWN_RANDOM; i++)
    text[i] = letters[bytes[i] % 32];
  text[OWN_RANDOM] = '\0';
}

/* Makes a new file to be written. Fails if the name exists; follows no link. -1 with errno. */
static inline int own_file_make(int at, const char *name, mode_t mode)
{
  return openat(at, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
}

/* Writes a file under another name, and renames it. False: errno says why; nothing has changed. */
static inline bool own_file_put(int at, const char *name, mode_t mode, const char *bytes, size_t size)
{
  char part[64], random[OWN_RANDOM + 1];
  own_random(random);
  snprintf(part, sizeof part, ".heddle-%s", random);
  int fd = own_file_make(at, part, mode);
  if (fd < 0)
    return false;
  size_t done = 0;
  for (ssize_t n; done < size && (n = write(fd, bytes + done, size - done)) != 0; done += n > 0 ? (size_t)n : 0)
    if (n < 0 && errno != EINTR)
      break;
  bool good = (close(fd) == 0) & (done == size) && renameat(at, part, at, name) == 0;
  int kept = errno;
  if (!good)
    unlinkat(at, part, 0);
  errno = kept;
  return good;
}

/*
 * True if no other machine can have mounted the file system at the same time: then a free lock is free everywhere. The
 * recorder and the converter both ask, because a file system may be local to the host of a virtual machine only.
 */
static inline bool file_system_is_local(int fd)
{
  static const unsigned long local[] = {EXT4_SUPER_MAGIC, XFS_SUPER_MAGIC,   BTRFS_SUPER_MAGIC,
                                        TMPFS_MAGIC,      F2FS_SUPER_MAGIC,  OVERLAYFS_SUPER_MAGIC,
                                        RAMFS_MAGIC,      MSDOS_SUPER_MAGIC, 0x2fc12fc1 /* ZFS */};
  struct statfs status;
  if (fstatfs(fd, &status) != 0)
    return false;
  for (size_t i = 0; i < COUNT_OF(local); i++)
    if ((unsigned long)status.f_type == local[i])
      return true;
  return false;
}

#endif
