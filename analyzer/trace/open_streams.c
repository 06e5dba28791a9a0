#include "analyzer/trace/open_streams.h"

#include <pthread.h>
#include <stddef.h>
#include <sys/resource.h>

enum {
  MOST = 250,
  SPARE_FILES = 24, /* for other files of this process */
  FEWEST = 4
};

static struct {
  pthread_mutex_t mutex;
  struct open_stream *resting; /* a stack of open streams that are not in use */
  unsigned open;               /* all */
  unsigned limit;              /* 0: unknown so far */
} streams = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static unsigned limit_of_process(void)
{
  struct rlimit files;
  if (getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur >= MOST + SPARE_FILES)
    return MOST;
  return files.rlim_cur > SPARE_FILES + FEWEST ? (unsigned)files.rlim_cur - SPARE_FILES : FEWEST;
}

static void push(struct open_stream *stream)
{
  stream->below = streams.resting;
  stream->above = NULL;
  if (streams.resting)
    streams.resting->above = stream;
  streams.resting = stream;
}

static void take_out(struct open_stream *stream)
{
  if (stream->above)
    stream->above->below = stream->below;
  else
    streams.resting = stream->below;
  if (stream->below)
    stream->below->above = stream->above;
  stream->above = stream->below = NULL;
}

static void close_one(struct open_stream *stream)
{
  stream->close(stream);
  stream->open = false;
  streams.open--;
}

bool open_streams_use(struct open_stream *stream)
{
  pthread_mutex_lock(&streams.mutex);
  bool open = stream->open;
  if (open) {
    take_out(stream);
  } else {
    if (streams.limit == 0)
      streams.limit = limit_of_process();
    /* The stream that was read last has the most decoded events, so its reader is needed last. */
    while (streams.open >= streams.limit && streams.resting) {
      struct open_stream *last = streams.resting;
      take_out(last);
      close_one(last);
    }
    stream->open = true;
    streams.open++;
  }
  pthread_mutex_unlock(&streams.mutex);
  return open;
}

void open_streams_rest(struct open_stream *stream)
{
  pthread_mutex_lock(&streams.mutex);
  push(stream);
  pthread_mutex_unlock(&streams.mutex);
}

void open_streams_drop(struct open_stream *stream)
{
  pthread_mutex_lock(&streams.mutex);
  if (stream->open) {
    if (stream->above || stream->below || streams.resting == stream)
      take_out(stream);
    close_one(stream);
  }
  pthread_mutex_unlock(&streams.mutex);
}

void open_streams_limit(unsigned limit)
{
  pthread_mutex_lock(&streams.mutex);
  streams.limit = limit;
  pthread_mutex_unlock(&streams.mutex);
}

void open_streams_close(OTF2_Reader **reader, OTF2_EvtReader **events)
{
  if (*events)
    OTF2_Reader_CloseEvtReader(*reader, *events);
  if (*reader) {
    OTF2_Reader_CloseEvtFiles(*reader);
    OTF2_Reader_Close(*reader);
  }
  *events = NULL;
  *reader = NULL;
}
