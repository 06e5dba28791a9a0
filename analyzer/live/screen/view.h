/*
 * View of the screen: the figures, panels, pairs and reasons that it shows, and the changes that keys make. No terminal
 * is needed.
 */
#ifndef HEDDLE_ANALYZER_LIVE_SCREEN_VIEW_H
#define HEDDLE_ANALYZER_LIVE_SCREEN_VIEW_H

#include "analyzer/findings/why/sums.h"
#include "analyzer/findings/why/why.h"
#include "analyzer/live/readings/metric_focus.h"
#include "analyzer/live/readings/reading.h"
#include "analyzer/live/screen/figures.h"
#include "base/vector.h"

#define REASONS_PARTS (2 * WHY_PARTS_MOST)

/*
 * Search for the reasons of lost time (analyzer/findings/why) in the readings of the screen. It covers the time since
 * it was switched on. After REASONS_PARTS readings it begins again, because the program may do something else now.
 */
struct reasons {
  bool on;
  struct live_reading base; /* its first reading; without threads: it has not begun */
  struct why parts[REASONS_PARTS];
  struct findings part_findings[REASONS_PARTS];
  size_t part_count;
  struct findings findings;
  struct why why; /* without nodes: no result yet */
};

/* Adds a reading; between: its difference to the reading before. False: out of memory. */
bool reasons_add(struct reasons *reasons, const struct live_reading *now, const struct live_reading *between);
/* The search begins again, if it is on. */
void reasons_restart(struct reasons *reasons);
void reasons_free(struct reasons *reasons);

enum panel { PANEL_CONSTRUCTS, PANEL_LOCKS, PANEL_TIMES, PANEL_THREADS, PANEL_REASONS, PANELS };
enum prompt { PROMPT_NONE, PROMPT_SEARCH, PROMPT_ADD, PROMPT_METRIC, PROMPT_PLACE, PROMPT_FOCUS };

enum { SEARCH_SIZE = 64, TYPED_SIZE = 256, NOTE_SIZE = 256 };

struct view {
  /* Facts about the program. */
  const char *name;
  uint64_t pid, interval_ns;
  double processors; /* mean number that were busy for it; less than 0: unknown */
  bool over;
  uint32_t measured;      /* by the program: LIVE_NEED_... */
  struct figures figures; /* what is shown */
  VECTOR(struct live_pair) pairs;
  struct reasons reasons;
  struct live_history clock; /* without amounts: the bins that new pairs get */
  /* Choices of the user. */
  enum panel panel;
  struct list {
    size_t chosen, top; /* items */
    int height;         /* height of the list on the screen, when it was drawn last */
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
  char focus[TYPED_SIZE]; /* focus of all that is shown, in the form of --focus; "": none */
  char note[NOTE_SIZE];   /* for the last line, until the next key */
};

void view_begin(struct view *view, const char *name, uint64_t pid, uint64_t interval_ns);
void view_free(struct view *view);

/* Adds a pair. False: out of memory. */
bool view_add_pair(struct view *view, enum live_metric metric, struct live_focus focus);

/* Adds one as --pair has it. False: the view's note says why. */
bool view_ask_pair(struct view *view, const char *text);
/* The groups that the program must measure: LIVE_NEED_... */
uint32_t view_needs(const struct view *view);
/* True if a pair needs readings with sums by number in a team: live_keep_apart(). */
bool view_by_member(const struct view *view);

/* Replaces the figures, which the view then owns. Chosen items stay chosen. */
void view_show(struct view *view, struct figures *figures);

/* Adds the difference to the reading at `from` to all pairs. */
void view_record(struct view *view, const struct figures *figures, uint64_t from);

/* Request of a key beyond the view. */
enum wish {
  WISH_NONE,
  WISH_QUIT,
  WISH_RESET,   /* sums begin now */
  WISH_FRESH,   /* other figures are to be shown */
  WISH_MEASURE, /* view_needs() has changed */
  WISH_TRACE,   /* trace the chosen item, or stop the present trace */
  WISH_FOCUS    /* the typed text is the focus from now on */
};
/* Not at the last three prompts (asking.h). */
enum wish view_key(struct view *view, int key);

/* The list of the panel. */
size_t view_count(const struct view *view, enum panel panel);
/* The name of an item, as it is in the program; the caller frees it. NULL: out of memory. */
char *view_item_name(const struct view *view, enum panel panel, size_t item);

/* Says something in the last line. */
void view_say(struct view *view, const char *text);
/* The construct or thread of the chosen item. False: it has no metrics. */
bool view_focus_of(const struct view *view, struct live_focus *focus);
/* Applies a key to the text in a field of so many bytes. False: the key does not edit text. */
bool view_type(char *text, size_t size, int key);

#endif
