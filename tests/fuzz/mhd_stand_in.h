/*
 * Replaces libmicrohttpd: a started server does not listen; requests are handed to it, one at a time, as the library
 * would have parsed them.
 */
#ifndef HEDDLE_TESTS_FUZZ_MHD_STAND_IN_H
#define HEDDLE_TESTS_FUZZ_MHD_STAND_IN_H

#include <stdbool.h>
#include <stddef.h>

enum { ASKED_ARGUMENTS = 16, ASKED_PORT = 4242 };

struct asked {
  const char *method, *path, *host; /* host NULL: none was given */
  struct {
    const char *name, *value; /* value NULL: there is no `=` */
  } arguments[ASKED_ARGUMENTS];
  size_t argument_count;
};

struct answered {
  unsigned status; /* 0: none was queued */
  bool guarded;    /* the headers that keep other pages out are there */
  char *body;      /* the caller frees it */
  size_t size;
};

/* Asks the server that was started last. */
struct answered mhd_ask(const struct asked *asked);

#endif
