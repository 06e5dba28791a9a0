#include "jvmti-agent/weaver/insertions.h"

#include <stdlib.h>

static void end_piece(struct insertions *insertions)
{
  if (insertions->count > 0) {
    struct insertion *last = &insertions->list[insertions->count - 1];
    last->size = insertions->code.size - last->at;
  }
}

struct buffer *insertions_begin(struct insertions *insertions, uint32_t pc, enum insertion_side side)
{
  end_piece(insertions);
  if (insertions->count == insertions->room) {
    size_t room = 2 * insertions->room + 16;
    struct insertion *larger = realloc(insertions->list, room * sizeof *larger);
    if (!larger) {
      insertions->code.failed = true;
      return &insertions->code;
    }
    insertions->list = larger;
    insertions->room = room;
  }
  insertions->list[insertions->count++] = (struct insertion){.pc = pc, .side = side, .at = insertions->code.size};
  return &insertions->code;
}

bool insertions_end(struct insertions *insertions)
{
  end_piece(insertions);
  return !insertions->code.failed;
}

void insertions_free(struct insertions *insertions)
{
  free(insertions->list);
  free(insertions->code.bytes);
}
