/* What the converter makes of a Java thread's records, event by event. Ticks are nanoseconds. */
#include "otf2-convert/timeline/record_details.h"
#include "tests/unit/otf2-convert/trace_test.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct fixture {
  struct trace_test trace;
  struct raw_thread *threads[3];
};

/* Ids of classes and places in the process file. */
enum { OBJECT_CLASS = 1, LOCK_CLASS, POOL_CLASS, LATCH_CLASS, NASTY_CLASS };
#define CODE(place)         (RAW_CODE_PLACE | (place))
#define OBJECT(class, hash) ((uint64_t)(class) << 32 | (hash))
#define ID(n)               ((1ull << RAW_ID_BLOCK_SHIFT) + (n))

#define NAMES                                                                                                          \
  "class: 1 java.lang.Object\nclass: 2 java.util.concurrent.locks.ReentrantLock$NonfairSync\n"                         \
  "class: 3 java.util.concurrent.ForkJoinPool\nclass: 4 java.util.concurrent.CountDownLatch$Sync\n"                    \
  "class: 5 a\\x20b\\x0ac\nplace: 1 0 40 app.LU run LU.java\nplace: 2 1 7 app.LU <init> LU.java\n"                     \
  "place: 3 0 0 app.Native call -\nplace: 4 0 40 app.LU run LU.java\nplace: 5 2 9 app.LU step LU.java\n"               \
  "place: 6 6 3 app.A a A.java\nplace: 7 9 3 app.A b A.java\n"                                                         \
  "class: 6 socket\\x2010.0.0.7\nclass: 7 file\\x20/tmp/x\n"                                                           \
  "stuck: 50 41 1 800000000001 100000004 42 800000000005\nstuck: 50 42 3 800000000005 200000005 41 800000000001\n"

static int set_up(void **state)
{
  struct fixture *f = calloc(1, sizeof *f);
  trace_test_begin(&f->trace);
  char *directory = raw_write_process(f->trace.path, "h.1.1", RAW_PLAIN_PROCESS NAMES);
  for (uint32_t i = 0; i < 3; i++)
    f->threads[i] = raw_thread_open(directory, i, 4096, 0);
  free(directory);
  *state = f;
  return 0;
}

static int tear_down(void **state)
{
  struct fixture *f = *state;
  trace_test_end(&f->trace);
  free(f);
  return 0;
}

static void run(struct fixture *f)
{
  for (int i = 0; i < 3; i++)
    raw_thread_close(f->threads[i]);
  trace_test_convert(&f->trace);
}

static void expect(const struct fixture *f, uint64_t location, const char *events)
{
  trace_test_events(&f->trace, location, events);
}

static void put_text(struct raw_thread *thread, enum raw_text kind, const char *text, uint64_t time)
{
  uint64_t words[64] = {0};
  unsigned elements = (unsigned)(strlen(text) + 15) / 16;
  memcpy(words, text, strlen(text));
  raw_put(thread, RAW_THREAD_TEXT, elements, strlen(text) | (uint64_t)kind << 16, time, elements * RAW_EXTRA, words);
}

static void begin(struct raw_thread *thread, unsigned flags, uint64_t id, uint64_t time, uint64_t started)
{
  RAW0(thread, RAW_THREAD_BEGIN, 0, 100 + id, time);
  RAW1(thread, RAW_JAVA_THREAD, flags, id, time, started);
}

static void threads(void **state)
{
  struct fixture *f = *state;
  begin(f->threads[0], RAW_JAVA_LATE, 1, 10, 0);
  put_text(f->threads[0], RAW_TEXT_NAME, "main", 10);
  put_text(f->threads[0], RAW_TEXT_GROUP, "system", 10);
  put_text(f->threads[0], RAW_TEXT_CLASS, "app.Main$Work", 10);
  RAW1(f->threads[0], RAW_JAVA_START, 0, CODE(1), 20, 7);
  put_text(f->threads[0], RAW_TEXT_NAME, "a name longer than the sixteen bytes of the kernel\n", 30);
  begin(f->threads[1], RAW_JAVA_DAEMON, 7, 25, 20);
  RAW0(f->threads[1], RAW_THREAD_END, 0, 0, 90);
  begin(f->threads[2], RAW_JAVA_INTERNAL | RAW_JAVA_DAEMON, 8, 26, 0);
  RAW0(f->threads[2], RAW_THREAD_END, 0, 0, 91);
  RAW1(f->threads[0], RAW_JAVA_THREAD, RAW_JAVA_INTERNAL | RAW_JAVA_DAEMON, 9, 95, 0); /* main() has returned */
  put_text(f->threads[0], RAW_TEXT_NAME, "DestroyJavaVM", 95);
  RAW0(f->threads[0], RAW_THREAD_END, 0, 0, 100);
  run(f);
  expect(f, 0,
         "10 thread-begin\n20 enter Thread.start @LU.java:40 thread=7\n20 leave Thread.start @LU.java:40\n"
         "100 thread-end\n");
  expect(f, 1, "20 thread-begin\n20 enter thread start\n25 leave thread start\n90 thread-end\n");
  expect(f, 2, "26 thread-begin\n91 thread-end\n");
  trace_test_definitions(&f->trace, "location",
                         "location 0 a name longer than the sixteen bytes of the kernel\\x0a in 0\n"
                         "location 1 Java thread 7 in 0\nlocation 2 Java thread 8 in 0\n");
  trace_test_definitions(
      &f->trace, "location-property",
      "location-property 0 HEDDLE::THREAD_TYPE=java\nlocation-property 0 HEDDLE::THREAD_GROUP=system\n"
      "location-property 0 HEDDLE::JAVA_CLASS=app.Main$Work\n"
      "location-property 0 HEDDLE::JAVA_ID=1\nlocation-property 0 HEDDLE::TID=101\n"
      "location-property 1 HEDDLE::THREAD_TYPE=java daemon\nlocation-property 1 HEDDLE::JAVA_ID=7\n"
      "location-property 1 HEDDLE::TID=107\n"
      "location-property 2 HEDDLE::THREAD_TYPE=jvm\nlocation-property 2 HEDDLE::JAVA_ID=8\n"
      "location-property 2 HEDDLE::TID=108\n");
}

/* A start that lies before the process, or after the thread's first record, is none. */
static void starts_that_cannot_be(void **state)
{
  struct fixture *f = *state;
  char *directory = raw_write_process(f->trace.path, "h.2.2",
                                      "pid: 2\nstart: 2\nclock: monotonic\nanchor: 50 50 50\nended: 200 exit\n");
  struct raw_thread *thread = raw_thread_open(directory, 0, 4096, 0);
  free(directory);
  begin(f->threads[0], 0, 1, 10, 11);
  begin(f->threads[1], 0, 2, 10, UINT64_MAX);
  begin(thread, 0, 3, 60, 49);
  RAW0(thread, RAW_THREAD_END, 0, 0, 70);
  raw_thread_close(thread);
  run(f);
  expect(f, 0, "10 thread-begin\n1000000 thread-end closed=ended\n");
  expect(f, 1, "10 thread-begin\n1000000 thread-end closed=ended\n");
  expect(f, 2, "60 thread-begin\n70 thread-end\n");
}

static void block(struct raw_thread *thread, enum raw_block kind, uint64_t object, uint64_t from, uint64_t to,
                  unsigned flags)
{
  RAW1(thread, RAW_BLOCK_BEGIN, kind, CODE(1), from, object);
  RAW1(thread, RAW_BLOCK_END, kind | flags, 0, to, 0);
}

static void waits(void **state)
{
  struct fixture *f = *state;
  struct raw_thread *t = f->threads[0];
  begin(t, 0, 1, 10, 0);
  RAW1(t, RAW_BLOCK_BEGIN, RAW_BLOCK_ENTER, CODE(1), 20, OBJECT(OBJECT_CLASS, 99));
  RAW1(t, RAW_BLOCK_OWNER, 0, CODE(2), 20, 12);
  RAW1(t, RAW_BLOCK_END, RAW_BLOCK_ENTER, 0, 30, 0);
  block(t, RAW_BLOCK_WAIT, OBJECT(OBJECT_CLASS, 99), 40, 50, RAW_BLOCK_TIMED_OUT);
  block(t, RAW_BLOCK_PARK, OBJECT(LOCK_CLASS, 5), 60, 70, 0);
  block(t, RAW_BLOCK_PARK, OBJECT(POOL_CLASS, 6), 80, 90, 0);
  block(t, RAW_BLOCK_PARK, OBJECT(LATCH_CLASS, 7), 100, 110, RAW_BLOCK_INTERRUPTED);
  block(t, RAW_BLOCK_PARK, 0, 120, 130, 0);
  block(t, RAW_BLOCK_SLEEP, 0, 140, 150, 0);
  block(t, RAW_BLOCK_JOIN, OBJECT(NASTY_CLASS, 8), 160, 170, 0);
  block(t, RAW_BLOCK_WAIT, OBJECT(77, 9), 180, 190, 0); /* there is no such class */
  RAW0(t, RAW_THREAD_END, 0, 0, 200);
  run(f);
  expect(f, 0,
         "10 thread-begin\n"
         "20 enter monitor enter @LU.java:40 object class=java.lang.Object object=99 owner=12 owner at=monitor owner "
         "@LU.java:7\n30 leave monitor enter @LU.java:40\n"
         "40 enter Object.wait @LU.java:40 object class=java.lang.Object object=99\n"
         "50 leave Object.wait @LU.java:40 timed out=1\n"
         "60 enter lock @LU.java:40 object class=java.util.concurrent.locks.ReentrantLock$NonfairSync object=5\n"
         "70 leave lock @LU.java:40\n"
         "80 enter idle @LU.java:40 object class=java.util.concurrent.ForkJoinPool object=6\n"
         "90 leave idle @LU.java:40\n"
         "100 enter park @LU.java:40 object class=java.util.concurrent.CountDownLatch$Sync object=7\n"
         "110 leave park @LU.java:40 interrupted=1\n"
         "120 enter park @LU.java:40\n130 leave park @LU.java:40\n"
         "140 enter Thread.sleep @LU.java:40\n150 leave Thread.sleep @LU.java:40\n"
         "160 enter Thread.join @LU.java:40 object class=a b\\x0ac object=8\n170 leave Thread.join @LU.java:40\n"
         "180 enter Object.wait @LU.java:40 object=9\n190 leave Object.wait @LU.java:40\n"
         "200 thread-end\n");
  trace_test_property(&f->trace, "HEDDLE::ENDS_FORCED", "0");
  trace_test_property(&f->trace, "HEDDLE::ENDS_UNMATCHED", "0");
}

/* What the end says about the begin is put there, also over a slice's end and a stall of the tool's. */
static void ends_that_know_more(void **state)
{
  struct fixture *f = *state;
  struct raw_thread *t = f->threads[0];
  begin(t, 0, 1, 10, 0);
  RAW1(t, RAW_BLOCK_BEGIN, RAW_BLOCK_PARK, 0, 20, 0);
  raw_thread_flush(t);
  RAW1(t, RAW_STALL, 0, 0, 25, 22);
  RAW1(f->threads[1], RAW_THREAD_BEGIN, 0, 5, 40, 0);
  raw_thread_flush(f->threads[1]);
  RAW1(t, RAW_BLOCK_END, RAW_BLOCK_PARK, CODE(2), 60, OBJECT(LOCK_CLASS, 5));
  raw_thread_flush(t);
  RAW1(t, RAW_BLOCK_BEGIN, RAW_BLOCK_PARK, CODE(1), 70, 0);
  RAW1(t, RAW_BLOCK_END, RAW_BLOCK_PARK, CODE(2), 80, 0); /* the begin knew */
  RAW0(t, RAW_THREAD_END, 0, 0, 90);
  run(f);
  expect(f, 0,
         "10 thread-begin\n"
         "20 enter lock @LU.java:7 object class=java.util.concurrent.locks.ReentrantLock$NonfairSync object=5 "
         "callers=app.LU.run (LU.java:40)\n"
         "22 enter TRACEFLUSH\n25 leave TRACEFLUSH\n60 leave lock @LU.java:7\n"
         "70 enter park @LU.java:40\n80 leave park @LU.java:40\n90 thread-end\n");
}

/* Callers of a place: two, one that calls itself, one that there is not. */
static void callers(void **state)
{
  struct fixture *f = *state;
  struct raw_thread *t = f->threads[0];
  begin(t, 0, 1, 10, 0);
  for (uint64_t i = 5; i <= 7; i++) {
    RAW1(t, RAW_BLOCK_BEGIN, RAW_BLOCK_SLEEP, CODE(i), 10 * i, 0);
    RAW1(t, RAW_BLOCK_END, RAW_BLOCK_SLEEP, 0, 10 * i + 5, 0);
  }
  RAW0(t, RAW_THREAD_END, 0, 0, 90);
  run(f);
#define ITSELF "app.A.a (A.java:3)"
#define FOUR   " < " ITSELF " < " ITSELF " < " ITSELF " < " ITSELF
  expect(f, 0,
         "10 thread-begin\n"
         "50 enter Thread.sleep @LU.java:9 callers=app.LU.<init> (LU.java:7) < app.LU.run (LU.java:40)\n"
         "55 leave Thread.sleep @LU.java:9\n"
         "60 enter Thread.sleep @A.java:3 callers=" ITSELF FOUR FOUR FOUR " < " ITSELF " < " ITSELF " < " ITSELF
         "\n65 leave Thread.sleep @A.java:3\n70 enter Thread.sleep @A.java:3\n75 leave Thread.sleep @A.java:3\n"
         "90 thread-end\n");
}

/* Sockets have ports, paths have none; what was ready is no wait, but where something else began in it. */
static void input_and_output(void **state)
{
  enum { SOCKET_CLASS = 6, FILE_CLASS = 7 };
  struct fixture *f = *state;
  struct raw_thread *t = f->threads[0];
  begin(t, 0, 1, 10, 0);
  block(t, RAW_BLOCK_READ, OBJECT(SOCKET_CLASS, 5432), 20, 30, 0);
  block(t, RAW_BLOCK_WRITE, OBJECT(SOCKET_CLASS, 5432), 31, 32, RAW_BLOCK_NONE);
  block(t, RAW_BLOCK_FILE_WRITE, OBJECT(FILE_CLASS, 0), 40, 50, 0);
  block(t, RAW_BLOCK_SELECT, 0, 60, 70, 0);
  block(t, RAW_BLOCK_LOOKUP, 0, 80, 90, 0);
  RAW1(t, RAW_BLOCK_BEGIN, RAW_BLOCK_READ, CODE(1), 100, 0);
  RAW1(t, RAW_STALL, 0, 0, 104, 102);
  RAW1(t, RAW_BLOCK_END, RAW_BLOCK_READ | RAW_BLOCK_NONE, 0, 105, 0);
  RAW1(t, RAW_BLOCK_BEGIN, RAW_BLOCK_ACCEPT, CODE(1), 110, 0);
  block(t, RAW_BLOCK_ENTER, 0, 120, 130, 0);
  RAW1(t, RAW_BLOCK_END, RAW_BLOCK_ACCEPT | RAW_BLOCK_NONE, 0, 140, 0);
  RAW1(t, RAW_BLOCK_BEGIN, RAW_BLOCK_CONNECT, CODE(1), 150, OBJECT(SOCKET_CLASS, 80));
  run(f);
  expect(f, 0,
         "10 thread-begin\n20 enter socket read @LU.java:40 object class=socket 10.0.0.7 object=5432\n"
         "30 leave socket read @LU.java:40\n"
         "40 enter file write @LU.java:40 object class=file /tmp/x object=0\n50 leave file write @LU.java:40\n"
         "60 enter select @LU.java:40\n70 leave select @LU.java:40\n"
         "80 enter host lookup @LU.java:40\n90 leave host lookup @LU.java:40\n"
         "102 enter TRACEFLUSH\n104 leave TRACEFLUSH\n"
         "110 enter accept @LU.java:40\n120 enter monitor enter @LU.java:40\n130 leave monitor enter @LU.java:40\n"
         "140 leave accept @LU.java:40\n"
         "150 enter connect @LU.java:40 object class=socket 10.0.0.7 object=80\n"
         "1000000 leave connect @LU.java:40 closed=ended\n1000000 thread-end closed=ended\n");
}

/* A wait inside another; one without end; an end without begin; kinds that there are not. */
/* A thread that calls System.gc() waits for the collection. */
static void collections_that_are_asked_for(void **state)
{
  struct fixture *f = *state;
  begin(f->threads[0], 0, 1, 10, 0);
  block(f->threads[0], RAW_BLOCK_COLLECT, 0, 20, 30, 0);
  RAW0(f->threads[0], RAW_THREAD_END, 0, 0, 40);
  run(f);
  expect(f, 0, "10 thread-begin\n20 enter System.gc @LU.java:40\n30 leave System.gc @LU.java:40\n40 thread-end\n");
}

static void waits_out_of_order(void **state)
{
  struct fixture *f = *state;
  struct raw_thread *t = f->threads[0];
  begin(t, 0, 1, 10, 0);
  RAW1(t, RAW_BLOCK_END, RAW_BLOCK_SLEEP, 0, 15, 0);
  RAW1(t, RAW_BLOCK_BEGIN, RAW_BLOCK_WAIT, 0, 20, 0);
  block(t, RAW_BLOCK_ENTER, 0, 30, 40, 0);
  RAW1(t, RAW_BLOCK_END, RAW_BLOCK_WAIT, CODE(2), 50, 0); /* comes too late to say where */
  RAW1(t, RAW_BLOCK_BEGIN, 0, 0, 60, 0);
  RAW1(t, RAW_BLOCK_END, 0, 0, 61, 0);
  RAW1(t, RAW_BLOCK_OWNER, 0, 0, 62, 3);
  RAW1(t, RAW_BLOCK_BEGIN, RAW_BLOCK_PARK, 0, 70, 0);
  run(f);
  expect(f, 0,
         "10 thread-begin\n20 enter Object.wait\n30 enter monitor enter @LU.java:40\n"
         "40 leave monitor enter @LU.java:40\n50 leave Object.wait\n"
         "70 enter park\n1000000 leave park closed=ended\n1000000 thread-end closed=ended\n");
  trace_test_property(&f->trace, "HEDDLE::ENDS_UNMATCHED", "1");
}

static void notes_and_yields(void **state)
{
  struct fixture *f = *state;
  struct raw_thread *t = f->threads[0];
  begin(t, 0, 1, 10, 0);
  RAW1(t, RAW_JAVA_NOTE, RAW_NOTE_NOTIFY, CODE(3), 20, OBJECT(OBJECT_CLASS, 4));
  RAW1(t, RAW_JAVA_NOTE, RAW_NOTE_NOTIFY_ALL, 0, 21, 0);
  RAW1(t, RAW_JAVA_NOTE, RAW_NOTE_INTERRUPT, 0, 22, 12);
  RAW1(t, RAW_JAVA_NOTE, RAW_NOTE_UNPARK, 0, 23, 13);
  RAW1(t, RAW_JAVA_NOTE, 200, 0, 24, 13);
  raw_put(t, RAW_SPIN, 0, CODE(1), 50, 2, (uint64_t[]){30, 1000});
  RAW0(t, RAW_THREAD_END, 0, 0, 60);
  run(f);
  expect(f, 0,
         "10 thread-begin\n20 enter notify @app.Native.call object class=java.lang.Object object=4\n"
         "20 leave notify @app.Native.call\n21 enter notifyAll\n21 leave notifyAll\n"
         "22 enter interrupt thread=12\n22 leave interrupt\n23 enter unpark thread=13\n23 leave unpark\n"
         "30 enter Thread.yield @LU.java:40 count=1000\n50 leave Thread.yield @LU.java:40\n60 thread-end\n");
}

/* The pause of 30 to 50 on a thread that runs, on one that waits, and on the reporting thread. */
static void garbage_collection(void **state)
{
  struct fixture *f = *state;
  begin(f->threads[0], 0, 1, 10, 0);
  begin(f->threads[1], 0, 2, 10, 0);
  begin(f->threads[2], RAW_JAVA_INTERNAL, 3, 10, 0);
  RAW0(f->threads[2], RAW_GC_BEGIN, 0, 0, 30);
  RAW0(f->threads[2], RAW_GC_END, 0, 0, 50);
  RAW0(f->threads[2], RAW_GC_BEGIN, 0, 0, 100);
  RAW0(f->threads[2], RAW_GC_END, 0, 0, 120);
  RAW0(f->threads[2], RAW_THREAD_END, 0, 0, 190);
  block(f->threads[0], RAW_BLOCK_SLEEP, 0, 60, 70, 0);
  RAW1(f->threads[0], RAW_JAVA_NOTE, RAW_NOTE_UNPARK, 0, 110, 13); /* it was not stopped after all */
  RAW0(f->threads[0], RAW_THREAD_END, 0, 0, 200);
  block(f->threads[1], RAW_BLOCK_SLEEP, 0, 20, 90, 0);
  RAW0(f->threads[1], RAW_THREAD_END, 0, 0, 210);
  run(f);
  expect(f, 0,
         "10 thread-begin\n30 enter garbage collection\n50 leave garbage collection\n"
         "60 enter Thread.sleep @LU.java:40\n70 leave Thread.sleep @LU.java:40\n"
         "100 enter garbage collection\n110 leave garbage collection\n110 enter unpark thread=13\n110 leave unpark\n"
         "200 thread-end\n");
  expect(f, 1,
         "10 thread-begin\n20 enter Thread.sleep @LU.java:40\n90 leave Thread.sleep @LU.java:40\n"
         "100 enter garbage collection\n120 leave garbage collection\n210 thread-end\n");
  expect(f, 2,
         "10 thread-begin\n30 enter garbage collection\n50 leave garbage collection\n"
         "100 enter garbage collection\n120 leave garbage collection\n190 thread-end\n");
}

/* The pauses of 30 to 50 and 100 to 120. */
static void pause_twice(struct fixture *f)
{
  begin(f->threads[2], RAW_JAVA_INTERNAL, 3, 10, 0);
  for (uint64_t from = 30; from <= 100; from += 70) {
    RAW0(f->threads[2], RAW_GC_BEGIN, 0, 0, from);
    RAW0(f->threads[2], RAW_GC_END, 0, 0, from + 20);
  }
  RAW0(f->threads[2], RAW_THREAD_END, 0, 0, 190);
}

/* What a thread reads of its processor is no event that the pause before it comes too late for. */
static void garbage_collection_before_a_reading(void **state)
{
  struct fixture *f = *state;
  pause_twice(f);
  begin(f->threads[0], 0, 1, 10, 0);
  raw_put(f->threads[0], RAW_READING, 0, 70, 80, 2, (uint64_t[]){20, 0});
  RAW1(f->threads[0], RAW_JAVA_NOTE, RAW_NOTE_UNPARK, 0, 80, 13);
  RAW0(f->threads[0], RAW_THREAD_END, 0, 0, 200);
  run(f);
  expect(f, 0,
         "10 thread-begin\n30 enter garbage collection\n50 leave garbage collection\n"
         "80 enter unpark thread=13\n80 leave unpark\n80 metric 20 0 70\n"
         "100 enter garbage collection\n120 leave garbage collection\n200 thread-end\n");
}

/* A thread whose measurement was switched off is not known to stand still. */
static void garbage_collection_after_measurement(void **state)
{
  struct fixture *f = *state;
  pause_twice(f);
  begin(f->threads[0], 0, 1, 10, 0);
  block(f->threads[0], RAW_BLOCK_SLEEP, 0, 60, 70, 0);
  f->threads[0]->lost_after = RAW_PAUSED_AFTER;
  run(f);
  expect(f, 0,
         "10 thread-begin\n30 enter garbage collection\n50 leave garbage collection\n"
         "60 enter Thread.sleep @LU.java:40\n70 leave Thread.sleep @LU.java:40\n70 measurement off\n"
         "70 thread-end closed=lost\n");
}

/* Pauses are known slice by slice; what nobody needs any more is dropped, and nothing is shown twice. */
static void garbage_collection_in_slices(void **state)
{
  struct fixture *f = *state;
  char expected[8192] = "5 thread-begin\n";
  begin(f->threads[0], 0, 1, 5, 0);
  raw_thread_flush(f->threads[0]);
  begin(f->threads[1], RAW_JAVA_INTERNAL, 2, 6, 0);
  for (uint64_t time = 10; time < 500; time += 10) {
    f->threads[1]->anchor = time;
    RAW0(f->threads[1], RAW_GC_BEGIN, 0, 0, time);
    raw_thread_flush(f->threads[1]);
    f->threads[1]->anchor = time + 5;
    RAW0(f->threads[1], RAW_GC_END, 0, 0, time + 5);
    raw_thread_flush(f->threads[1]);
    sprintf(expected + strlen(expected), "%d enter garbage collection\n%d leave garbage collection\n", (int)time,
            (int)time + 5);
  }
  f->threads[0]->anchor = 600;
  RAW0(f->threads[0], RAW_THREAD_END, 0, 0, 600);
  run(f);
  strcat(expected, "600 thread-end\n");
  expect(f, 0, expected);
}

/* A virtual thread in a deadlock, as another thread recorded it. */
static void put_stuck(struct raw_thread *thread, uint64_t id, uint64_t since, uint64_t time)
{
  RAW0(thread, RAW_THREAD_BEGIN, 0, 7, time);
  RAW1(thread, RAW_JAVA_THREAD, RAW_JAVA_VIRTUAL | RAW_JAVA_BY_OTHER | RAW_JAVA_LATE, id, time, since);
  RAW0(thread, RAW_THREAD_END, 0, 0, time + 1);
}

/* It waits from its begin to the run's end, or until it runs again: a run before it was reported is none. */
static void virtual_threads_that_are_stuck(void **state)
{
  struct fixture *f = *state;
  begin(f->threads[0], RAW_JAVA_DAEMON, 20, 10, 0);
  RAW1(f->threads[0], RAW_VIRTUAL_MOUNT, 0, 0, 15, 41);
  RAW1(f->threads[0], RAW_VIRTUAL_UNMOUNT, 0, 0, 21, 41);
  RAW1(f->threads[0], RAW_VIRTUAL_MOUNT, 0, 0, 60, 42);
  RAW1(f->threads[0], RAW_VIRTUAL_UNMOUNT, 0, 0, 70, 42);
  RAW0(f->threads[0], RAW_THREAD_END, 0, 0, 90);
  put_stuck(f->threads[1], 41, 20, 51);
  put_stuck(f->threads[2], 42, 25, 51);
  run(f);
  expect(f, 1,
         "20 thread-begin\n20 enter monitor enter @LU.java:40 object class=java.lang.Object object=4 owner=42 owner "
         "at=monitor owner @LU.java:9\n"
         "1000000 leave monitor enter @LU.java:40 closed=ended\n1000000 thread-end closed=ended\n");
  expect(f, 2,
         "25 thread-begin\n25 enter lock @LU.java:9 object "
         "class=java.util.concurrent.locks.ReentrantLock$NonfairSync object=5 owner=41 owner at=monitor owner "
         "@LU.java:40 callers=app.LU.<init> (LU.java:7) < app.LU.run (LU.java:40)\n"
         "60 leave lock @LU.java:9\n60 thread-end closed=unmounted\n");
  trace_test_definitions(
      &f->trace, "location-property",
      "location-property 0 HEDDLE::THREAD_TYPE=java daemon\nlocation-property 0 HEDDLE::JAVA_ID=20\n"
      "location-property 0 HEDDLE::TID=120\n"
      "location-property 1 HEDDLE::THREAD_TYPE=java virtual\nlocation-property 1 HEDDLE::JAVA_ID=41\n"
      "location-property 2 HEDDLE::THREAD_TYPE=java virtual\nlocation-property 2 HEDDLE::JAVA_ID=42\n");
}

static void virtual_threads(void **state)
{
  struct fixture *f = *state;
  struct raw_thread *t = f->threads[0];
  begin(t, RAW_JAVA_DAEMON, 20, 10, 0);
  RAW1(t, RAW_JAVA_START, 1, CODE(1), 15, 31); /* of a virtual one */
  RAW1(t, RAW_VIRTUAL_MOUNT, 0, 0, 20, 31);
  RAW1(t, RAW_BLOCK_BEGIN, RAW_BLOCK_ENTER, CODE(1), 25, OBJECT(OBJECT_CLASS, 4));
  RAW1(t, RAW_VIRTUAL_UNMOUNT, 0, 0, 30, 31); /* it leaves its carrier while it waits */
  RAW1(t, RAW_VIRTUAL_MOUNT, 0, 0, 40, 32);
  RAW1(t, RAW_VIRTUAL_MOUNT, 0, 0, 50, 33);   /* an unmount was lost */
  RAW1(t, RAW_VIRTUAL_UNMOUNT, 1, 0, 60, 33); /* it has ended */
  RAW1(t, RAW_VIRTUAL_UNMOUNT, 0, 0, 65, 33);
  RAW1(t, RAW_VIRTUAL_MOUNT, 0, 0, 66, 34);
  RAW1(t, RAW_BLOCK_BEGIN, RAW_BLOCK_SLEEP, CODE(1), 67, 0);
  RAW1(t, RAW_BLOCK_END, RAW_BLOCK_SLEEP | RAW_BLOCK_UNMOUNTED, 0, 67, 0); /* the same, said by the agent */
  RAW1(t, RAW_VIRTUAL_UNMOUNT, 0, 0, 67, 34);
  RAW0(t, RAW_THREAD_END, 0, 0, 70);
  run(f);
  expect(f, 0,
         "10 thread-begin\n15 enter Thread.start @LU.java:40 virtual thread=31\n15 leave Thread.start @LU.java:40\n"
         "20 enter virtual thread virtual thread=31\n"
         "25 enter monitor enter @LU.java:40 object class=java.lang.Object object=4\n"
         "30 leave monitor enter @LU.java:40 closed=unmounted\n30 leave virtual thread\n"
         "40 enter virtual thread virtual thread=32\n50 leave virtual thread\n"
         "50 enter virtual thread virtual thread=33\n60 leave virtual thread ended=1\n"
         "66 enter virtual thread virtual thread=34\n67 enter Thread.sleep @LU.java:40\n"
         "67 leave Thread.sleep @LU.java:40 closed=unmounted\n67 leave virtual thread\n70 thread-end\n");
  trace_test_property(&f->trace, "HEDDLE::ENDS_FORCED", "0");
  trace_test_property(&f->trace, "HEDDLE::ENDS_UNMATCHED", "1");
}

/* The last barrier of a region, in one record or in two. */
static void begin_barrier(struct raw_thread *thread, bool in_one, uint64_t time)
{
  RAW0(thread, in_one ? RAW_BARRIER_BEGIN : RAW_SYNC_BEGIN, SYNC_BARRIER_IMPLICIT_PARALLEL, CODE(1), time);
  if (!in_one)
    RAW0(thread, RAW_WAIT_BEGIN, SYNC_BARRIER_IMPLICIT_PARALLEL, 0, time);
}

static void end_barrier(struct raw_thread *thread, bool in_one, uint64_t time)
{
  RAW0(thread, in_one ? RAW_BARRIER_END : RAW_WAIT_END, SYNC_BARRIER_IMPLICIT_PARALLEL, 0, time);
  if (!in_one)
    RAW0(thread, RAW_SYNC_END, SYNC_BARRIER_IMPLICIT_PARALLEL, 0, time);
}

/* A parallel region of two Java threads: OpenMP's regions at Java places; a worker's late end as with OpenMP. */
static void two_threads_in_a_region(struct fixture *f, bool in_one)
{
  struct raw_thread *master = f->threads[0], *worker = f->threads[1];
  begin(master, 0, 1, 1, 0);
  RAW0(master, RAW_ID_BLOCK_TAKEN, 0, 1, 1);
  RAW1(master, RAW_PARALLEL_BEGIN, RAW_PARALLEL_RUNTIME, CODE(1), 10, 2ull << 48 | ID(0));
  RAW1(master, RAW_IMPLICIT_BEGIN, 2, ID(0), 11, 2);
  begin(worker, RAW_JAVA_WORKER | RAW_JAVA_DAEMON, 2, 2, 0);
  RAW1(worker, RAW_IMPLICIT_BEGIN, 2, ID(0), 12, 1ull << 32 | 2);
  RAW1(worker, RAW_WORK_BEGIN, WORK_LOOP_DYNAMIC, CODE(2), 13, 10);
  RAW0(worker, RAW_CHUNK, DISPATCH_LOOP_CHUNK, 5ull << 16 | 4, 14);
  RAW0(worker, RAW_WORK_END, WORK_LOOP_DYNAMIC, 0, 18);
  begin_barrier(worker, in_one, 20);
  raw_put(worker, RAW_SPIN, 0, CODE(2), 500, 2, (uint64_t[]){21, 1000});
  block(worker, RAW_BLOCK_WAIT, 0, 510, 520, 0);
  end_barrier(worker, in_one, 530);
  RAW0(worker, RAW_IMPLICIT_END, 2, 0, 530);
  RAW0(worker, RAW_THREAD_END, 0, 0, 540);
  begin_barrier(master, in_one, 30);
  end_barrier(master, in_one, 33);
  RAW0(master, RAW_IMPLICIT_END, 2, 0, 35);
  RAW0(master, RAW_PARALLEL_END, RAW_PARALLEL_RUNTIME, ID(0), 36);
  RAW0(master, RAW_THREAD_END, 0, 0, 550);
  run(f);
  expect(f, 1,
         "2 thread-begin\n12 team-begin 0\n12 enter //omp parallel @LU.java:40\n13 enter //omp for @LU.java:7\n"
         "14 enter chunk @LU.java:7 first iteration=5 iterations=4\n18 leave chunk @LU.java:7\n"
         "18 leave //omp for @LU.java:7\n20 enter //omp implicit barrier @LU.java:40\n"
         "20 enter //omp implicit barrier wait @LU.java:40\n30 leave //omp implicit barrier wait @LU.java:40\n"
         "30 leave //omp implicit barrier @LU.java:40\n30 leave //omp parallel @LU.java:40\n30 team-end 0\n"
         "540 thread-end\n");
}

static void parallel_region(void **state)
{
  two_threads_in_a_region(*state, false);
}

static void parallel_region_with_fewer_records(void **state)
{
  two_threads_in_a_region(*state, true);
}

/* The same place is one region, whatever its id, and in whichever process. */
static void regions(void **state)
{
  struct fixture *f = *state;
  char *directory = raw_write_process(f->trace.path, "h.2.2",
                                      "pid: 2\nstart: 2\nclock: monotonic\nanchor: 0 0 0\nended: 200 exit\n"
                                      "place: 9 0 40 app.LU run LU.java\nplace: 4 0 2 a\\x20 b\\x0a c\n");
  struct raw_thread *other = raw_thread_open(directory, 0, 4096, 0);
  free(directory);
  begin(f->threads[0], 0, 1, 10, 0);
  block(f->threads[0], RAW_BLOCK_SLEEP, 0, 20, 30, 0);
  RAW1(f->threads[0], RAW_BLOCK_BEGIN, RAW_BLOCK_SLEEP, CODE(4), 40, 0);
  RAW1(f->threads[0], RAW_BLOCK_END, RAW_BLOCK_SLEEP, 0, 50, 0);
  RAW0(f->threads[0], RAW_THREAD_END, 0, 0, 60);
  begin(other, 0, 1, 70, 0);
  RAW1(other, RAW_BLOCK_BEGIN, RAW_BLOCK_SLEEP, CODE(9), 80, 0);
  RAW1(other, RAW_BLOCK_END, RAW_BLOCK_SLEEP, 0, 90, 0);
  RAW1(other, RAW_BLOCK_BEGIN, RAW_BLOCK_SLEEP, CODE(4), 100, 0);
  RAW1(other, RAW_BLOCK_END, RAW_BLOCK_SLEEP, 0, 110, 0);
  RAW1(other, RAW_BLOCK_BEGIN, RAW_BLOCK_SLEEP, CODE(1000), 120, 0); /* there is no such place */
  RAW1(other, RAW_BLOCK_END, RAW_BLOCK_SLEEP, 0, 130, 0);
  RAW0(other, RAW_THREAD_END, 0, 0, 140);
  raw_thread_close(other);
  run(f);
  expect(f, 1,
         "70 thread-begin\n80 enter Thread.sleep @LU.java:40\n90 leave Thread.sleep @LU.java:40\n"
         "100 enter Thread.sleep @c:2\n110 leave Thread.sleep @c:2\n120 enter Thread.sleep\n130 leave Thread.sleep\n"
         "140 thread-end\n");
  trace_test_definitions(&f->trace, "region",
                         "region Thread.sleep @LU.java:40; app.LU.run; state: blocked in condvar; LU.java:40 Java\n"
                         "region Thread.sleep @c:2; a .b\\x0a; state: blocked in condvar; c:2 Java\n"
                         "region Thread.sleep; Thread.sleep; state: blocked in condvar; :0 Java\n");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

UNIT_TEST(java)
{
  const struct CMUnitTest tests[] = {TEST(threads),
                                     TEST(starts_that_cannot_be),
                                     TEST(waits),
                                     TEST(ends_that_know_more),
                                     TEST(callers),
                                     TEST(input_and_output),
                                     TEST(collections_that_are_asked_for),
                                     TEST(waits_out_of_order),
                                     TEST(notes_and_yields),
                                     TEST(garbage_collection),
                                     TEST(garbage_collection_before_a_reading),
                                     TEST(garbage_collection_after_measurement),
                                     TEST(garbage_collection_in_slices),
                                     TEST(virtual_threads),
                                     TEST(virtual_threads_that_are_stuck),
                                     TEST(parallel_region),
                                     TEST(parallel_region_with_fewer_records),
                                     TEST(regions)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
