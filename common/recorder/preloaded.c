#include "common/recorder/preloaded.h"

const struct waits_watcher *_Atomic waits_watcher;
