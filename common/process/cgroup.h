/*
 * Limit of processor time in the process' control group, versions 1 and 2; containers set one. Any thread; no
 * allocation. errno is not kept.
 */
#ifndef HEDDLE_COMMON_PROCESS_CGROUP_H
#define HEDDLE_COMMON_PROCESS_CGROUP_H

#include <stdbool.h>
#include <stdint.h>

struct cgroup_limit {
  uint64_t quota_us, period_us; /* processor time of all threads of the group per period */
  uint64_t throttled_us;        /* time that the limit kept threads from processors since the group exists */
};

/*
 * Finds the tightest limit of the group and of the groups around it, as far as they can be seen. process: a directory
 * such as /proc/self. False: there is no limit, or it cannot be read.
 */
bool cgroup_limit_read(const char *process, struct cgroup_limit *limit);

#endif
