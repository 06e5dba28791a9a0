#include "common/java/java_calls.h"

#include <stddef.h>

const struct java_calls *_Atomic java_calls;
