#include "common/recorder/live_observers.h"

#include "common/process/process_dir.h"
#include "common/recorder/signals_blocked.h"

#include <fcntl.h>
#include <unistd.h>

uint32_t live_observers_need(const struct live_observer observers[LIVE_OBSERVERS])
{
  uint64_t needs = 0;
  for (unsigned i = 0; i < LIVE_OBSERVERS; i++)
    needs |= __atomic_load_n(&observers[i].needs, __ATOMIC_ACQUIRE);
  return (uint32_t)needs & (LIVE_NEED_ALL | LIVE_NEED_OFFERED);
}

static bool is_locked(int fd, unsigned slot)
{
  struct flock lock = {
      .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = (off_t)(LIVE_CONTROL_SIZE + slot), .l_len = 1};
  return fcntl(fd, F_OFD_GETLK, &lock) != 0 || lock.l_type != F_UNLCK;
}

/* An observer writes its slot once it has the lock: what was there before and has not changed since is not its. */
static bool clean(int fd, struct live_observer observers[LIVE_OBSERVERS])
{
  bool any = false;
  for (unsigned i = 0; i < LIVE_OBSERVERS; i++) {
    uint64_t needs = __atomic_load_n(&observers[i].needs, __ATOMIC_ACQUIRE);
    if ((needs & (LIVE_NEED_ALL | LIVE_NEED_OFFERED)) != 0 && !is_locked(fd, i))
      any |= __atomic_compare_exchange_n(&observers[i].needs, &needs, 0, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
  }
  return any;
}

bool live_observers_clean(struct live_observer observers[LIVE_OBSERVERS])
{
  int error;
  if (live_observers_need(observers) == 0)
    return false;
  struct signals_blocked blocked = signals_block(); /* a handler that jumps out of it would leave a descriptor open */
  int fd = process_dir_file(LIVE_CONTROL_FILE, O_RDWR, &error);
  bool any = fd >= 0 && clean(fd, observers);
  if (fd >= 0)
    close(fd);
  signals_unblock(&blocked);
  return any;
}
