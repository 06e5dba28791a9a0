/*
 * Finds the process' control group for processor time in the file system. Containers show groups in several ways:
 * all groups of the machine, or the container's own one as the root. In a cgroup namespace without mounts of its own
 * all groups are there, but the process does not know its group's name. Any thread; no allocation. errno is not kept.
 */
#ifndef HEDDLE_COMMON_PROCESS_CGROUP_PLACE_H
#define HEDDLE_COMMON_PROCESS_CGROUP_PLACE_H

#include <stdbool.h>
#include <stddef.h>

#define CGROUP_PATH_MOST 2048u

struct cgroup_place {
  bool version1;
  size_t root;                 /* length of the mount point: groups around it lie between it and the path's end */
  char path[CGROUP_PATH_MOST]; /* directory of the group, without a slash at its end */
};

/* process: a directory such as /proc/self, of this process. False: no group can be seen. */
bool cgroup_place_find(const char *process, struct cgroup_place *place);

#endif
