// question: I have a lock for each bucket; why do my threads still wait for locks?
// answer: synchronization; hot_bucket\.c
// compilers: gcc clang
// Nine of ten items fall into one bucket.
#include "tests/questions/work.h"
#include <omp.h>
enum { BUCKETS = 64 };
static omp_lock_t locks[BUCKETS];
int main(void)
{
  for (int i = 0; i < BUCKETS; i++)
    omp_init_lock(&locks[i]);
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < 500; i++) {
#ifdef MENDED
    int bucket = i % BUCKETS;
#else
    int bucket = i % 10 ? 0 : i % BUCKETS;
#endif
    omp_set_lock(&locks[bucket]);
    work_ms(1.5);
    omp_unset_lock(&locks[bucket]);
  }
  puts("done");
}
