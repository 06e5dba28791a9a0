#include "otf2-convert/scan/call_names.h"

#include "base/count_of.h"

#include <stddef.h>
#include <sys/syscall.h>

static const char *const call_names_calls[] = {
#define CALL(name) [SYS_##name] = "blocked in " #name,
#include "otf2-convert/system_calls.inc" /* made from <sys/syscall.h> */
#undef CALL
};

const char *call_name(uint64_t number)
{
  return number > 0 && number <= COUNT_OF(call_names_calls) ? call_names_calls[number - 1] : NULL;
}
