/*
 * File systems that no other machine can have mounted at the same time: a lock on them that is free here is free for
 * all. The recorder and the converter ask each for itself, for a file system may be local to the host of a virtual
 * machine, and not to the machine.
 */
#ifndef HEDDLE_COMMON_PROCESS_LOCAL_FILE_SYSTEM_H
#define HEDDLE_COMMON_PROCESS_LOCAL_FILE_SYSTEM_H

#include "base/count_of.h"

#include <linux/magic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/vfs.h>

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
