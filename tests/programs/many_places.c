/*
 * More places than a profile's table has rows: a lock is set at 5,000 of them, ROUNDS times each. The first thousand
 * come first, as in a program that has long begun.
 */
#include <omp.h>
#include <stdio.h>

enum { ROUNDS = 3 };

static omp_lock_t lock;
static long sums[6]; /* so that no two functions are alike, or gcc would make one of them */

#define ONE                                                                                                            \
  do {                                                                                                                 \
    omp_set_lock(&lock);                                                                                               \
    sums[PART]++;                                                                                                      \
    omp_unset_lock(&lock);                                                                                             \
  } while (0);
#define TEN      ONE ONE ONE ONE ONE ONE ONE ONE ONE ONE
#define HUNDRED  TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN
#define THOUSAND HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED

/* clang-format off */
static void first(void) { enum { PART = 1 }; THOUSAND }
static void second(void) { enum { PART = 2 }; THOUSAND }
static void third(void) { enum { PART = 3 }; THOUSAND }
static void fourth(void) { enum { PART = 4 }; THOUSAND }
static void fifth(void) { enum { PART = 5 }; THOUSAND }
/* clang-format on */

int main(void)
{
  omp_init_lock(&lock);
  for (int round = 0; round < ROUNDS; round++) {
    first();
    second();
    third();
    fourth();
    fifth();
  }
  omp_destroy_lock(&lock);
  long sum = 0;
  for (int part = 1; part <= 5; part++)
    sum += sums[part];
  printf("truth: locks=%ld\n", sum);
  return sum == 5000 * ROUNDS ? 0 : 1;
}
