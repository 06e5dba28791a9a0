#include "common/recorder/waits.h"

const struct waits_watcher *_Atomic waits_watcher;
