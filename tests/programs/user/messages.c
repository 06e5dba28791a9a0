/*
 * A thread sends 200 messages to another one, through a box that holds one, and answers come back by a second box for
 * every tenth. Each event has its sender and number. tests/end-to-end/intervals.py and docs/intervals.md use it.
 */
#include "user-events/include/heddle.h"

#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

enum { MESSAGES = 200, ANSWERED = 10, SLOW = 50 };

/* Holds the number of one message, or none. */
struct box {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  int message;
};

static struct box messages = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, -1};
static struct box answers = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, -1};

static void put(struct box *box, int sender, int message)
{
  pthread_mutex_lock(&box->lock);
  while (box->message >= 0)
    pthread_cond_wait(&box->changed, &box->lock);
  heddle_event("Sendmsg", heddle_integer("src", sender), heddle_integer("seq", message));
  box->message = message;
  pthread_cond_broadcast(&box->changed);
  pthread_mutex_unlock(&box->lock);
}

static void take(struct box *box, int sender, int message)
{
  pthread_mutex_lock(&box->lock);
  while (box->message != message)
    pthread_cond_wait(&box->changed, &box->lock);
  heddle_event("Recvmsg", heddle_integer("src", sender), heddle_integer("seq", message));
  box->message = -1;
  pthread_cond_broadcast(&box->changed);
  pthread_mutex_unlock(&box->lock);
}

static void *receive(void *unused)
{
  for (int i = 0; i < MESSAGES; i++) {
    if (i % SLOW == 0)
      usleep(20000); /* the message waits in its box */
    take(&messages, 0, i);
    if (i % ANSWERED == 0)
      put(&answers, 1, i);
  }
  return unused;
}

int main(void)
{
  pthread_t receiver;
  if (pthread_create(&receiver, NULL, receive, NULL) != 0)
    return 1;
  for (int i = 0; i < MESSAGES; i++) {
    put(&messages, 0, i);
    if (i % ANSWERED == 0)
      take(&answers, 1, i);
  }
  pthread_join(receiver, NULL);
  puts("done");
  return 0;
}
