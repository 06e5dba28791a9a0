/*
 * The recording of this process: whether it records, the limits, and the losses. recorder.h has the recorder of one
 * thread. A process has one recording; a child of fork opens its own with its first record. Any thread may call
 * everything here at any time, unless said otherwise. No call allocates, none reports an error: a loss is counted, and
 * its reason is said once on stderr.
 */
#ifndef HEDDLE_COMMON_RECORDER_RECORDING_H
#define HEDDLE_COMMON_RECORDER_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct recorder;
struct construct_filter;

/* Filter of a window that keeps chosen constructs (construct_filter.h). */
struct filter_ops {
  /* The thread knows of no construct that it is in; what it did up to `since` (ticks) is written or reported. Makes
   * *chosen, if there is none; it stays with the slot. False: there is no memory. */
  bool (*begin)(struct construct_filter **chosen, uint32_t window_size, uint64_t since);
  /* A new chunk begins: no record of the one before can be meant. */
  void (*begin_chunk)(struct construct_filter *chosen);
  /* Puts what stays of the records `from` to `to` to `at`; `from` may be there, too. Their short records mean none
   * before `from`; records of the chunk may come before `at`. Returns how many words it has, at most `most`; what has
   * no room counts in *lost. */
  size_t (*keep)(struct construct_filter *chosen, const uint64_t *from, const uint64_t *to, uint64_t *at, size_t most,
                 uint64_t *lost);
  /* Up to which time (ticks) all is kept, or reported as not measured. */
  uint64_t (*until)(const struct construct_filter *chosen);
};

struct recording_config {
  uint32_t window_size;       /* bytes, a multiple of 4096 */
  uint32_t ring_slots;        /* 0: keep every chunk; else the newest so many of a thread */
  bool reads;                 /* threads read how long they had no processor (cpu_time_reading.h) */
  uint64_t max_size;          /* bytes of chunks of the process, then recording stops; 0: no limit */
  void (*before_chunk)(void); /* called on the thread that is about to write a chunk */
  /* NULL: none. Called before a window is written, and when recording stops; ends: the thread does. False: recording
   * has stopped meanwhile (live_profile.h). */
  bool (*fold)(struct recorder *recorder, bool ends);
  bool sums_only; /* what is folded is not written, but for a thread's first chunk and its last one */
  /* With fold, else NULL: what the window has so far is not to be folded. For recordings whose tracing is switched. */
  void (*skip)(struct recorder *recorder);
  const struct filter_ops *chosen; /* with skip */
  void (*forked)(void);            /* called for the first record in a child that no fork handler reported; calls
                                      recorder_abandon */
  bool (*reopen)(void);            /* called for the first record after a fork, in the child; false: record nothing */
};

struct recording_losses {
  uint64_t threads;        /* threads that got no window */
  uint64_t chunks;         /* chunks that could not be written */
  uint64_t events;         /* events of threads that had none any more, or got none ... */
  uint64_t events_in_file; /* ... and such that the head of chunks-0.log counts */
  int reason;              /* errno of the first failure */
  bool limit_reached;      /* max_size */
};

/* Begins recording into the process directory (process_dir.h). Not thread-safe: once a process, or in reopen. */
void recording_open(const struct recording_config *config, bool paused);
/* True if recording_open was called in this process, and not only in a parent of it, however the child was made. */
bool recording_is_ours(void);
/* Measurement off and on, for all threads: of what observers do not need. */
void recording_pause(void);
void recording_resume(void);
bool recording_measures(void);
/* What observers need (LIVE_NEED_...): measured also while measurement is off, unless a trace is written then. Only
 * recordings that fold and skip take it. */
void recording_observe(uint32_t needs);
/*
 * Switches the writing of windows, in recordings that fold and skip; these begin without. Others always write.
 * Off: what threads record counts in their profiles alone (RAW_UNTRACED); each thread changes with its next record.
 */
void recording_trace(bool on);
bool recording_traces(void);
/* The threads whose windows are written while tracing is on: a bit a number (LIVE_THREADS); NULL: all. */
void recording_choose_threads(const uint64_t *chosen);
/* The constructs that are traced while tracing is on, by code (construct_filter.h); NULL: all. */
void recording_choose_constructs(const uint64_t *codes, uint32_t count);
/* True if the window of the thread with this number is written, whole. */
bool recording_traces_thread(uint32_t thread);
/* True if the chosen constructs in it are written. */
bool recording_keeps_thread(uint32_t thread);
/* `changed` is called after each change between open and paused, by the thread that made it; also in signal
 * handlers. */
void recording_watch_pauses(void (*changed)(void));
/* Likewise after each change of what is measured (measured_groups.h); two at most. recording_report_needs: another
 * reason to look again. */
void recording_watch_needs(void (*changed)(void));
void recording_report_needs(void);
/* No record is taken any more. Windows in files stay as they are: a reader finds all of them. Others are written. */
void recording_stop(void);
/* Counts an event of the calling thread that could not be recorded. */
void recording_lose_event(void);
struct recording_losses recording_losses(void);

/* The rest is for recorder.c and window.c. */

enum recording_state {
  RECORDING_CLOSED,
  RECORDING_OPEN,
  RECORDING_PAUSED,
  RECORDING_STOPPED,
  RECORDING_FORKED, /* a child that has recorded nothing yet */
  RECORDING_OPENING /* a child whose recording one thread is opening, or is about to */
};
enum recording_state recording_state(void);
/* What recording_open was given; zero before. */
const struct recording_config *recording_config(void);
/* Open or paused. */
bool recording_goes_on(void);
/* Goes on, below its size limit. */
bool recording_takes_threads(void);

/*
 * Around what a thread does to the recording outside of an emit: nobody begins a recording anew meanwhile
 * (recording_restart.h). False: it has stopped, so nothing may be done, and there is nothing to leave.
 */
bool recording_enter(void);
void recording_leave(void);
/* True while a thread is between the two. */
bool recording_is_entered(void);

/*
 * True: this is a child that no fork handler reported, and the calling thread is the first one that records there. It
 * leaves the parent's recording, and then calls recording_reopen. Other threads get false.
 */
bool recording_start_leaving(void);
/* In a child, once its slots are wiped (recorder_slots_leave): nothing is counted or said yet; the next record calls
 * reopen. One that has stopped stays so: recording_open begins the next. */
void recording_forget_parent(void);
/*
 * The first record after a fork opens a recording of the child's own. Other threads wait for it, but not without end: a
 * handler may have jumped out of it.
 */
void recording_reopen(void);

/* Numbers that no other caller gets: one for a thread, from 0 on, and one for a block of ids, from 1 on. */
uint32_t recording_new_thread(void);
uint64_t recording_new_id_block(void);
/* The name of the thread that opened the recording: 16 bytes, filled up with zeros. */
const char *recording_process_name(void);

/* True if a chunk of so many bytes is within the size limit; then it is counted. */
bool recording_limit_allows(uint64_t bytes);
/* Each counts or says what is lost, for the reason `error`, an errno value. */
void recording_lose_chunk(int error);
void recording_lose_thread(int error);
void recording_lose_file(int error); /* the file of a window, which is in memory only */

/* Codes of the constructs that the filter keeps (construct_filter.h): as records have them, or RAW_CODE_USER | name; at
 * most LIVE_CODES. While they change, some of both lists count. */
void filter_codes_set(const uint64_t *codes, uint32_t count);
bool filter_codes_have(uint64_t code);

#endif
