/*
 * Writes small OTF2 archives by hand, event by event, as docs/otf2.md says or as other tools do. Times are ticks of
 * 1 us. Any failure ends the test.
 */
#ifndef HEDDLE_TESTS_ANALYZER_FIXTURE_H
#define HEDDLE_TESTS_ANALYZER_FIXTURE_H

#include <otf2/otf2.h>
#include <stdint.h>

#define FIXTURE_TICKS 1000000 /* a second */

struct fixture;

/* A new archive in a new directory below /tmp. */
struct fixture *fixture_create(void);

/* Finishes the archive and returns its directory, valid until fixture_destroy(). */
const char *fixture_finish(struct fixture *fixture);

/* Removes the directory. */
void fixture_destroy(struct fixture *fixture);

/* Definitions; they return references. */
uint32_t fixture_region(struct fixture *fixture, const char *name, OTF2_RegionRole role, OTF2_Paradigm paradigm,
                        uint32_t line);
uint32_t fixture_openmp(struct fixture *fixture, const char *name, OTF2_RegionRole role);
void fixture_describe(struct fixture *fixture, uint32_t region, const char *description);
uint32_t fixture_location(struct fixture *fixture, const char *name);
void fixture_process(struct fixture *fixture, uint32_t location, uint32_t process); /* 0 where it is not called */
void fixture_location_kind(struct fixture *fixture, uint32_t location, OTF2_LocationType kind); /* else a thread */
void fixture_thread_type(struct fixture *fixture, uint32_t location, const char *type);
void fixture_thread_name(struct fixture *fixture, uint32_t location, const char *name);
void fixture_recording(struct fixture *fixture, uint32_t location,
                       uint64_t ticks); /* the cost of recording the thread */
uint32_t fixture_team(struct fixture *fixture, const uint32_t *locations, uint32_t count);
void fixture_property(struct fixture *fixture, const char *name, const char *value); /* of the process */
void fixture_archive_property(struct fixture *fixture, const char *name, const char *value);

/* The region references in a location's events are local: reference i means globals[i]. For all regions. */
void fixture_map_regions(struct fixture *fixture, uint32_t location, const uint32_t *globals, uint32_t count);

/* The clock of a location is behind by so many ticks. */
void fixture_clock_offset(struct fixture *fixture, uint32_t location, int64_t offset);

/* The writer of a location, for events that have no function here. */
OTF2_EvtWriter *fixture_writer(struct fixture *fixture, uint32_t location);

void fixture_enter(struct fixture *fixture, uint32_t location, uint64_t time, uint32_t region);
void fixture_leave(struct fixture *fixture, uint32_t location, uint64_t time, uint32_t region);
void fixture_fork(struct fixture *fixture, uint32_t location, uint64_t time);
void fixture_join(struct fixture *fixture, uint32_t location, uint64_t time);
void fixture_team_begin(struct fixture *fixture, uint32_t location, uint64_t time, uint32_t team);
void fixture_team_end(struct fixture *fixture, uint32_t location, uint64_t time, uint32_t team);
/* A location is the POSIX thread with its number. The initial thread is 0, which means none. */
void fixture_thread_create(struct fixture *fixture, uint32_t location, uint64_t time, uint32_t created);
void fixture_thread_begin(struct fixture *fixture, uint32_t location, uint64_t time);
void fixture_thread_wait(struct fixture *fixture, uint32_t location, uint64_t time, uint32_t joined);
void fixture_thread_end(struct fixture *fixture, uint32_t location, uint64_t time);
void fixture_acquire(struct fixture *fixture, uint32_t location, uint64_t time);
/* Threads have counters of these names; fixture_count() gives a reading of them. They stay the caller's. */
#define FIXTURE_COUNTERS_MOST 8
void fixture_counters(struct fixture *fixture, const char *const *names, uint32_t count);
/* The counts of a location are estimates of these counters, as the archive says it: names with commas between them. */
void fixture_scaled(struct fixture *fixture, uint32_t location, const char *names);
void fixture_count(struct fixture *fixture, uint32_t location, uint64_t time, const uint64_t *values);
void fixture_measurement(struct fixture *fixture, uint32_t location, uint64_t time, int on);
/* Acquires, or releases, a lock. */
void fixture_lock(struct fixture *fixture, uint32_t location, uint64_t time, uint32_t lock);
void fixture_unlock(struct fixture *fixture, uint32_t location, uint64_t time, uint32_t lock);
/* The Java object for which a thread waits, and its holder (0: unknown); class_name: from fixture_class(). */
struct fixture_object {
  uint32_t class_name;
  uint64_t identity, owner;
  uint32_t owner_place; /* region; UINT32_MAX: unknown */
};
uint32_t fixture_class(struct fixture *fixture, const char *name);
void fixture_java_id(struct fixture *fixture, uint32_t location, uint64_t id);
void fixture_enter_object(struct fixture *fixture, uint32_t location, uint64_t time, uint32_t region,
                          struct fixture_object object);
/* The object for which a POSIX thread waits and the kernel's id of its owner (0: unknown); or how many acquisitions had
 * no event. */
struct fixture_pthread {
  uint64_t object;
  uint64_t owner, uncontended;
};
void fixture_tid(struct fixture *fixture, uint32_t location, uint64_t tid); /* the kernel's id */
void fixture_enter_pthread(struct fixture *fixture, uint32_t location, uint64_t time, uint32_t region,
                           struct fixture_pthread pthread);
/* Lets another Java thread continue. */
void fixture_unpark(struct fixture *fixture, uint32_t location, uint64_t time, uint32_t region, uint64_t thread);
/* A virtual thread begins to run, or is started; leave `region` when its carrier lets go of it. */
void fixture_mount(struct fixture *fixture, uint32_t location, uint64_t time, uint32_t region, uint64_t thread);
/* ... or its carrier lets go of it because it has ended. */
void fixture_virtual_end(struct fixture *fixture, uint32_t location, uint64_t time, uint32_t region);
/* An attribute of the program's own events, and one of these with the values of a list, which it deletes. The region is
 * one of paradigm USER with the description "kind: event". */
uint32_t fixture_attribute(struct fixture *fixture, const char *name, OTF2_Type type);
void fixture_user_event(struct fixture *fixture, uint32_t location, uint64_t time, uint32_t region,
                        OTF2_AttributeList *list);
/* Stands for `weight` executions. */
void fixture_enter_weighted(struct fixture *fixture, uint32_t location, uint64_t time, uint32_t region,
                            uint64_t weight);
/* The instances of a place after its last recorded one; `skipped`: the region `skipped instances`. */
struct fixture_instances {
  uint32_t region;
  uint64_t count;
};
void fixture_omitted(struct fixture *fixture, uint32_t location, uint64_t time, uint32_t skipped,
                     struct fixture_instances instances);
/* A region whose end was not recorded; why: from fixture_class(), which makes any string. */
void fixture_leave_closed(struct fixture *fixture, uint32_t location, uint64_t time, uint32_t region, uint32_t why);
/* Likewise of a thread. */
void fixture_thread_end_closed(struct fixture *fixture, uint32_t location, uint64_t time, uint32_t why);
/* The same of a request, for a lock that the thread never got. */
void fixture_leave_waiting(struct fixture *fixture, uint32_t location, uint64_t time, uint32_t region, uint32_t why,
                           uint64_t lock);
/* A thread creates a task of a team, perhaps with a dependence, perhaps with a weight (0: none). */
struct fixture_task {
  uint32_t team, number;
  int depends;
  uint64_t weight;
};
void fixture_create_task(struct fixture *fixture, uint32_t location, uint64_t time, struct fixture_task task);
/* Enter of a chunk with its iterations; chunks > 1: that many derived ones in one event. */
void fixture_chunk(struct fixture *fixture, uint32_t location, uint64_t time, uint32_t region, uint64_t iterations,
                   uint64_t chunks);
/* The same, with the first of them, and whether it was observed or follows from the schedule. */
struct fixture_iterations {
  int64_t first;
  uint64_t count;
  int derived;
};
void fixture_chunk_of(struct fixture *fixture, uint32_t location, uint64_t time, uint32_t region,
                      struct fixture_iterations iterations);

#endif
