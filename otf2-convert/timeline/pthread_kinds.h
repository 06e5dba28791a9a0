/* What the details of records of POSIX threads mean; the scan and the timeline must agree. */
#ifndef HEDDLE_OTF2_CONVERT_TIMELINE_PTHREAD_KINDS_H
#define HEDDLE_OTF2_CONVERT_TIMELINE_PTHREAD_KINDS_H

#include "common/raw/raw_trace.h"

#include <stdbool.h>

/* Whether a wait ended with a lock that the thread holds now. detail: of RAW_PTHREAD_WAITED. */
static inline bool pthread_acquires(unsigned detail)
{
  unsigned kind = detail & RAW_PTHREAD_KIND;
  return (detail & (RAW_PTHREAD_TIMED_OUT | RAW_PTHREAD_FAILED)) == 0 && kind >= RAW_PTHREAD_MUTEX &&
         kind <= RAW_PTHREAD_SPIN;
}

/* What is woken (enum raw_pthread); 0: one of several kinds. */
static inline unsigned pthread_kind_of_wake(unsigned wake)
{
  static const unsigned char kinds[] = {[RAW_PTHREAD_SIGNAL] = RAW_PTHREAD_CONDITION,
                                        [RAW_PTHREAD_BROADCAST] = RAW_PTHREAD_CONDITION,
                                        [RAW_PTHREAD_POST] = RAW_PTHREAD_SEMAPHORE,
                                        [RAW_PTHREAD_ARRIVAL] = RAW_PTHREAD_BARRIER,
                                        [RAW_PTHREAD_END] = RAW_PTHREAD_JOIN};
  return wake < sizeof kinds ? kinds[wake] : 0;
}

#endif
