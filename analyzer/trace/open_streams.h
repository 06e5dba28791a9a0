/*
 * How many streams hold an open reader: each holds an open file and a chunk of a quarter of a megabyte or more, so that
 * ten thousand threads cannot all be open at once. A stream that is over the limit is closed and goes on later where it
 * was. All functions may be called by any thread.
 */
#ifndef HEDDLE_ANALYZER_TRACE_OPEN_STREAMS_H
#define HEDDLE_ANALYZER_TRACE_OPEN_STREAMS_H

#include <stdbool.h>

/* What is held open, part of the stream that it belongs to. All zero: closed. */
struct open_stream {
  void (*close)(struct open_stream *stream); /* called by whichever thread needs the place; never while it is in use */
  struct open_stream *below;                 /* of those that are open and not in use */
  struct open_stream *above;
  bool open;
};

/* The stream is in use from now on. False: it is closed, and its owner opens it now; its place is taken already. */
bool open_streams_use(struct open_stream *stream);

/* The stream is not in use any more and may be closed until it is used again. */
void open_streams_rest(struct open_stream *stream);

/* The stream is closed for good, in use or not: calls its `close` if it is open. */
void open_streams_drop(struct open_stream *stream);

/* How many may be open from now on; 0: as many as this process's limit of open files bears, 250 at most. For tests. */
void open_streams_limit(unsigned limit);

#endif
