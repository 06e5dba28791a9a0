/*
 * The limit of processor time that the process' control group has (containers set one): versions 1 and 2. Allocates
 * nothing; any thread may call it. errno is not kept.
 */
#ifndef HEDDLE_COMMON_PROCESS_CGROUP_H
#define HEDDLE_COMMON_PROCESS_CGROUP_H

#include <stdbool.h>
#include <stdint.h>

struct cgroup_limit {
  uint64_t quota_us, period_us; /* the group's threads may use so much time on processors in each period, together */
  uint64_t throttled_us;        /* how long threads were kept from their processors for that, since the group exists */
};

/*
 * Finds the tightest limit of the group and of those it lies in. membership: a file such as /proc/self/cgroup; root:
 * where groups are mounted, /sys/fs/cgroup. False: there is no limit, or it cannot be read.
 */
bool cgroup_limit_read(const char *membership, const char *root, struct cgroup_limit *limit);

#endif
