/*
 * Limits the number of streams with an open reader. A reader has an open file and at least 256 KiB of memory, so ten
 * thousand threads cannot all have one. A stream over the limit is closed, and later continues where it was. Any thread
 * may call all functions.
 */
#ifndef HEDDLE_ANALYZER_TRACE_OPEN_STREAMS_H
#define HEDDLE_ANALYZER_TRACE_OPEN_STREAMS_H

#include <otf2/otf2.h>
#include <stdbool.h>

/* A part of each stream. All zero: closed. */
struct open_stream {
  void (*close)(struct open_stream *stream); /* called by any thread; never while the stream is in use */
  struct open_stream *below;                 /* in the stack of those that are open and not in use */
  struct open_stream *above;
  bool open;
};

/* The stream is in use from now on. False: it is closed, and the caller opens it now; it counts as open already. */
bool open_streams_use(struct open_stream *stream);

/* The stream is no longer in use, and may be closed until it is used again. */
void open_streams_rest(struct open_stream *stream);

/* The stream ends, in use or not: calls its `close` if it is open. */
void open_streams_drop(struct open_stream *stream);

/* For a `close`: closes a stream's reader and that of its events; either may be NULL, and both are then. */
void open_streams_close(OTF2_Reader **reader, OTF2_EvtReader **events);

/* How many may be open from now on; 0: as many as the process's limit of open files allows, at most 250. For tests. */
void open_streams_limit(unsigned limit);

#endif
