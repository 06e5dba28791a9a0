/*
 * Which tasks of one parent come after which others, by the data that they depend on. Tasks that do the same with a
 * datum, one after the other, are a group: its members need not wait for each other, but for the group before. (A task
 * that writes is a group of its own.)
 */
#ifndef HEDDLE_ANALYZER_ANALYSES_TASKS_DEPEND_H
#define HEDDLE_ANALYZER_ANALYSES_TASKS_DEPEND_H

#include "analyzer/analyses/tasks/lane.h"
#include "base/hash.h"
#include "base/vector.h"

struct depend_group {
  uint64_t path;                    /* the longest chain of work up to the end of a member */
  uint64_t ended;                   /* when the last member ended, ticks */
  uint64_t after_path, after_ended; /* those of the group before, once all of its members have ended */
  uint32_t before;                  /* the group that its members come after; 0: none */
  uint32_t users;                   /* who still asks for it: members, groups behind, and the datum; 0: free */
  uint32_t next;                    /* the next free one */
  uint8_t kind;
};

struct depend_datum {
  uint64_t parent, data;
  uint32_t group; /* the last one */
  uint32_t next;  /* of the same parent, or the next free one; 0: none */
};

/* {0} is empty. Places count from 1. */
struct depends {
  VECTOR(struct depend_group) groups;
  VECTOR(struct depend_datum) data;
  struct hash by_key; /* of parent and address -> place in `data` */
  uint32_t free_group, free_datum;
};

/* A task with a parent does this with a datum. Returns its group, of which it is a member until depends_leave(); 0: no
 * memory. *first: the parent's data, which depends_forget() frees. */
uint32_t depends_join(struct depends *depends, uint64_t parent, uint32_t *first, uint64_t data, enum depend_kind kind);
/* A member can run: it comes after *path and *ended, which grow. */
void depends_after(const struct depends *depends, uint32_t group, uint64_t *path, uint64_t *ended);
/* A member has ended, or is not followed further. */
void depends_leave(struct depends *depends, uint32_t group, uint64_t path, uint64_t ended);
/* The parent makes no further tasks. */
void depends_forget(struct depends *depends, uint32_t *first);
void depends_free(struct depends *depends);

#endif
