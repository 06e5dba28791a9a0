/*
 * Which iterations a schedule hands out together, as the runtimes do it. Iterations count from 0.
 *   static      one block a thread: libomp and libgomp give the first N mod P threads one iteration more, JOMP gives
 *               every thread ceil(N / P) as long as there are any
 *   static,c    chunks of c, in turn
 *   dynamic,c   chunks of c, to the thread that is free first
 *   guided,c    shrinking chunks, to whoever is free, of R left: libomp floor(R / 2P), and c from R < 2P (c + 1) on;
 *               libgomp max(c, ceil(R / P)); JOMP max(c, floor(R / 2P))
 */
#ifndef HEDDLE_ANALYZER_ANALYSES_LOOPS_PLAN_H
#define HEDDLE_ANALYZER_ANALYSES_LOOPS_PLAN_H

#include <stdbool.h>
#include <stdint.h>

enum plan_runtime { PLAN_LIBOMP, PLAN_LIBGOMP, PLAN_JOMP };
enum plan_kind { PLAN_UNKNOWN, PLAN_STATIC, PLAN_DYNAMIC, PLAN_GUIDED };

struct plan {
  enum plan_kind kind;
  uint64_t chunk; /* 0: of STATIC one block a thread; of others: not known */
};

/* What is handed out in one loop. */
struct plan_space {
  enum plan_runtime runtime;
  uint32_t threads;    /* at least 1 */
  uint64_t iterations; /* at least 1 */
};

/* The block of a thread under static without a chunk size: iterations *begin to *end - 1. */
void plan_block(const struct plan_space *space, uint32_t thread, uint64_t *begin, uint64_t *end);

/* DYNAMIC and GUIDED (chunk > 0): the size of the chunk that comes after `done` iterations; 0: none is left. */
uint64_t plan_next(const struct plan *plan, const struct plan_space *space, uint64_t done);

#define PLAN_TEXT 48
/* "schedule(dynamic,8)"; the chunk is left out where it is 0. */
const char *plan_text(const struct plan *plan, char text[PLAN_TEXT]);
/* "static", "dynamic", "guided", "unknown". */
const char *plan_kind_name(enum plan_kind kind);

static inline bool plan_same(const struct plan *a, const struct plan *b)
{
  return a->kind == b->kind && a->chunk == b->chunk;
}

#endif
