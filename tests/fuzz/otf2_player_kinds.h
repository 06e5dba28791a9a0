/*
 * Format of an input of otf2_player.
 *
 * An input is records: a byte for the kind (modulo PLAYED_KINDS), a byte for the length of what follows, then the
 * fields. A field is a byte where nothing else is said; missing fields at the end are 0. A ref is a byte; 255 is
 * undefined. Strings from PLAYED_NAMES on are names that mean something to the analyses; others are defined by the
 * input. A value is a byte for its type (modulo 16), then a byte, or 8 bytes if the type was 128 or more.
 */
#ifndef HEDDLE_TESTS_FUZZ_OTF2_PLAYER_KINDS_H
#define HEDDLE_TESTS_FUZZ_OTF2_PLAYER_KINDS_H

enum played_kind {
  /* Definitions, delivered in the order of the input. */
  PLAYED_STRING,          /* ref, the text; a record of 255 bytes has it a hundred times over */
  PLAYED_REGION,          /* ref, name, function, description, role, paradigm, file, line */
  PLAYED_LOCATION,        /* ref, name, group, events, type */
  PLAYED_LOCATION_GROUP,  /* ref, name */
  PLAYED_GROUP,           /* ref, type, paradigm, flags, the members */
  PLAYED_COMM,            /* ref, group */
  PLAYED_ATTRIBUTE,       /* ref, name */
  PLAYED_NODE,            /* ref, name, parent */
  PLAYED_PROPERTY,        /* whose (0: the archive's, 1: a location group's, 2: a location's), its ref, name, value */
  PLAYED_METRIC,          /* ref, name */
  PLAYED_METRIC_CLASS,    /* ref, the members */
  PLAYED_METRIC_INSTANCE, /* ref, class */
  PLAYED_CLOCK,           /* ticks a second, first tick, length, wall clock: 8 bytes each */
  /*
   * Events: location, time (see advance()), what is said here, then attributes (a ref and a value each). Each
   * location's are delivered in the order of the input.
   */
  PLAYED_ENTER,         /* region */
  PLAYED_LEAVE,         /* region */
  PLAYED_TEAM_BEGIN,    /* comm */
  PLAYED_TEAM_END,      /* comm */
  PLAYED_FORK,          /* number of threads */
  PLAYED_JOIN,          /* a byte for nothing */
  PLAYED_ACQUIRE,       /* lock, order */
  PLAYED_RELEASE,       /* lock, order */
  PLAYED_TASK_CREATE,   /* comm, creator, generation */
  PLAYED_TASK_SWITCH,   /* comm, creator, generation */
  PLAYED_TASK_COMPLETE, /* comm, creator, generation */
  PLAYED_BUFFER_FLUSH,  /* until when: a time, as above */
  PLAYED_MEASUREMENT,   /* on */
  PLAYED_METRIC_EVENT,  /* class, then values and no attributes */
  PLAYED_OTHER,         /* one of a kind that no analysis knows; a byte for nothing */
  PLAYED_KINDS
};

enum { PLAYED_NAMES = 160 };

#endif
