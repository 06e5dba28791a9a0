/* What the screen shows of the figures, and what keys change of it. No terminal is needed. */
#ifndef HEDDLE_ANALYZER_LIVE_SCREEN_VIEW_H
#define HEDDLE_ANALYZER_LIVE_SCREEN_VIEW_H

#include "analyzer/live/readings/pair.h"
#include "analyzer/live/screen/figures.h"
#include "analyzer/live/screen/reasons.h"
#include "base/vector.h"

enum panel { PANEL_CONSTRUCTS, PANEL_LOCKS, PANEL_TIMES, PANEL_THREADS, PANEL_REASONS, PANELS };
enum prompt { PROMPT_NONE, PROMPT_SEARCH, PROMPT_ADD, PROMPT_METRIC, PROMPT_PLACE, PROMPT_FOCUS };

enum { SEARCH_SIZE = 64, TYPED_SIZE = 256, NOTE_SIZE = 256 };

struct view {
  /* Of the program. */
  const char *name;
  uint64_t pid, interval_ns;
  double processors; /* mean number that were busy for it; less than 0: unknown */
  bool over;
  uint32_t measured;      /* by the program: LIVE_NEED_... */
  struct figures figures; /* what is shown */
  VECTOR(struct live_pair) pairs;
  struct reasons reasons;
  struct live_history clock; /* without amounts: the bins that new pairs get */
  /* Of the user. */
  enum panel panel;
  struct list {
    size_t chosen, top; /* items */
    int height;         /* of the list on the screen, when it was drawn last */
    unsigned column;    /* that sorts */
  } lists[PANELS];
  bool frozen, since, help;
  char traced[NOTE_SIZE]; /* what it traces, as the user chose it here; "": nothing */
  bool traced_by_others;
  bool sparse; /* the program measures what the pairs need, and nothing else */
  enum prompt prompt;
  char search[SEARCH_SIZE];
  char typed[TYPED_SIZE]; /* at the last three prompts */
  size_t metric;          /* that is chosen: in live_asked_metrics[] */
  char focus[TYPED_SIZE]; /* of all that is shown, as --focus has it; "": none */
  char note[NOTE_SIZE];   /* for the last line, until the next key */
};

void view_begin(struct view *view, const char *name, uint64_t pid, uint64_t interval_ns);
void view_free(struct view *view);

/* Adds a pair. False: no memory. */
bool view_add_pair(struct view *view, enum live_metric metric, struct live_focus focus);

/* Adds one as --pair has it. False: the view's note says why. */
bool view_ask_pair(struct view *view, const char *text);
/* What the program has to measure: LIVE_NEED_... */
uint32_t view_needs(const struct view *view);
/* Whether a pair is of readings that live_keep_apart() has kept apart. */
bool view_by_member(const struct view *view);

/* Replaces what is shown; takes the figures. The items that were chosen stay so. */
void view_show(struct view *view, struct figures *figures);

/* Adds what came between the reading before, at `from`, and this one, to all pairs. */
void view_record(struct view *view, const struct figures *figures, uint64_t from);

/* What a key asks for beyond the view. */
enum wish {
  WISH_NONE,
  WISH_QUIT,
  WISH_RESET,   /* sums begin now */
  WISH_FRESH,   /* other figures are to be shown */
  WISH_MEASURE, /* view_needs() is another */
  WISH_TRACE,   /* the chosen item is to be traced, or no longer what is */
  WISH_FOCUS    /* what was typed is the focus from now on */
};
/* Not at the last three prompts (asking.h). */
enum wish view_key(struct view *view, int key);

/* The list of the panel. */
size_t view_count(const struct view *view, enum panel panel);
/* The name of an item, as it is in the program; the caller frees it. NULL: no memory. */
char *view_item_name(const struct view *view, enum panel panel, size_t item);

/* Says something in the last line. */
void view_say(struct view *view, const char *text);
/* What the chosen item is about. False: nothing that has metrics. */
bool view_focus_of(const struct view *view, struct live_focus *focus);
/* Has a key change a text in a field of so many bytes. False: the key is none of a text. */
bool view_type(char *text, size_t size, int key);

#endif
