#include "pthread-layer/waiting.h"

struct waiting waiting_table[1u << WAITING_BITS];

void waiting_forget(void)
{
  memset((void *)waiting_table, 0, sizeof waiting_table);
}
