/*
 * Requests from outside (live_control.h): a page that observers map, and a thread of ours, "heddle-live". The thread
 * sleeps until an observer asks, and then switches measurement and tracing. The thread has all signals blocked and
 * calls nothing of the program's. It is no thread of the program: nothing is recorded of it. It ends when the program's
 * first thread has ended, because a process lasts as long as its last thread.
 *
 * Where there is no such thread, threads that record look at the request now and then (live_poll).
 */
#ifndef HEDDLE_COMMON_RECORDER_LIVE_H
#define HEDDLE_COMMON_RECORDER_LIVE_H

#include "common/raw/live_control.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Makes the page in the process directory, which is open. live: tracing can be switched. After recording_open. Without
 * room there is no control, which is said once. */
void live_open_page(bool live, bool verbose);

/* Starts the thread, if there is a page. Not in a handler of a signal; on the program's own stack. child: of fork. */
void live_start(bool child);

/* In a child of fork: lets go of the parent's page. */
void live_leave(void);
/* The recording has stopped, the thread has ended, and no other one records: nothing stays mapped, and
 * nothing is offered or deferred any more. */
void live_close_page(void);

/* The recording has ended: the thread does, too. */
void live_end(void);

/* Acts upon a request, where no thread does. Any thread, while it is busy; rarely. */
void live_poll(void);

/* Requests to trace so far. */
extern _Atomic uint32_t live_stretches __attribute__((visibility("hidden")));

/* True if a thread of ours acts. Else the program's own have to record something now and then. */
bool live_has_thread(void);

/* This process can count these (LIVE_NEED_OFFERED), from now on, or no longer. Not in children of fork. */
void live_offer(uint32_t need);
void live_withdraw(uint32_t need);
/* `changed` is called when observers begin or end to need what is offered, on the thread that acts. One caller. */
void live_watch_asks(void (*changed)(void));
/* True if an observer needs one of these that is offered. */
bool live_asks(uint32_t need);

/* Others than who acts upon requests begin and end to measure these (LIVE_NEED_...), a little later: observers wait. */
void live_defer(uint32_t needs);
/* They have begun, or have ended. */
void live_report_done(uint32_t needs, bool on);

/* So many callbacks of a runtime are registered for what is measured: for observers. */
void live_report_callbacks(uint32_t count);
/* The same of events of the JVM, of hooks in Java classes, and of classes that have hooks, also such as are not on. */
void live_report_java(uint32_t events, uint32_t hooks, uint32_t classes);

/* Slots of observers in the page of requests (live_control.h): anybody may write anything there, at any time. Any
 * thread of the program. */

/* Returns what all of them need together. */
uint32_t live_observers_need(const struct live_observer observers[LIVE_OBSERVERS]);

/* Empties the slots of observers that have died. True: there were some. It opens and closes the file, if any has a
 * slot. If the file cannot be opened (the program has become another user), nothing is known, and all stay. */
bool live_observers_clean(struct live_observer observers[LIVE_OBSERVERS]);

#endif
