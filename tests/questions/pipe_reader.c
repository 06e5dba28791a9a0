// question: my program waits, but for what?
// answer: nothing,blocked,outside,serial; .
// compilers: gcc
// Its threads get each item from a pipe that another program writes slowly.
#include "tests/questions/work.h"
#include <pthread.h>
#include <unistd.h>
static int ends[2];
static void *reader(void *unused)
{
  char item;
  while (read(ends[0], &item, 1) == 1)
    work_ms(2);
  return unused;
}
int main(void)
{
  pthread_t threads[2];
  if (pipe(ends) != 0)
    return 1;
  if (fork() == 0) {
    for (int i = 0; i < 60; i++) {
      sleep_ms(20);
      if (write(ends[1], "x", 1) != 1)
        return 1;
    }
    return 0;
  }
  close(ends[1]);
  for (int i = 0; i < 2; i++)
    pthread_create(&threads[i], NULL, reader, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], NULL);
  puts("done");
}
