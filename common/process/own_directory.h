/*
 * Directories to write into, and new files in them, where other users may have prepared names. Whoever has opened a
 * directory here goes on from the descriptor alone. For the recorder, the converter and the analyzer: libc alone, no
 * allocation, any thread.
 */
#ifndef HEDDLE_COMMON_PROCESS_OWN_DIRECTORY_H
#define HEDDLE_COMMON_PROCESS_OWN_DIRECTORY_H

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

/* The flags of a directory, for openat: no link is followed. */
#define OWN_DIRECTORY_FLAGS (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

/* The rights of a new directory, before the umask: others never write there, also with the umask 002. */
#define OWN_DIRECTORY_MODE 0755

/*
 * Why a directory must not be written into; NULL: it may. It belongs to the caller or to root, and nobody else may
 * write there: neither all users nor a group, but for the caller's private group, which has the caller's number. With
 * the sticky bit others may: what they make there they can't put in the place of something else.
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

/* After openat has failed with those flags: why; NULL: errno says it. Keeps errno. */
static inline const char *own_directory_refusal(int at, const char *name)
{
  int kept = errno;
  struct stat status;
  bool link = (kept == ELOOP || kept == ENOTDIR) && fstatat(at, name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
              S_ISLNK(status.st_mode);
  errno = kept;
  return link ? "it is a symbolic link: name the directory itself" : kept == ENOTDIR ? "it is not a directory" : NULL;
}

/* Opens a directory to write into. -1: *why has the reason, or is NULL, and errno says it. */
static inline int own_directory_open(int at, const char *name, const char **why)
{
  char plain[PATH_MAX]; /* behind a slash at the end a link would be followed */
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

/* The same of one that is made if it is not there. */
static inline int own_directory_below(int at, const char *name, mode_t mode, const char **why)
{
  *why = NULL;
  if (mkdirat(at, name, mode) != 0 && errno != EEXIST)
    return -1;
  return own_directory_open(at, name, why);
}

enum { OWN_RANDOM = 8 }; /* characters */

/* Characters that nobody can guess, for names. */
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

/* A new file of a directory, to be written: nothing that has the name is opened, and no link is followed. -1: errno. */
static inline int own_file_make(int at, const char *name, mode_t mode)
{
  return openat(at, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
}

/* Writes a whole file beside its place, and puts it there. False: errno says why, and there is nothing new. */
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

#endif
