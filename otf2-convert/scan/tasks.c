#include "otf2-convert/scan/tasks.h"

#include "base/count_of.h"

#include <stdlib.h>

#define BLOCKS_A_GROUP 4096u

struct task_blocks {
  _Atomic(struct task_block *) blocks[BLOCKS_A_GROUP];
};

static struct task_block *find_block(const struct task_table *table, uint64_t id)
{
  uint64_t block = (id & RAW_VALUE_MASK) >> RAW_ID_BLOCK_SHIFT;
  struct task_blocks *group = atomic_load(&table->groups[block / BLOCKS_A_GROUP]);
  return group == NULL ? NULL : atomic_load(&group->blocks[block % BLOCKS_A_GROUP]);
}

static uint32_t page_number(uint64_t id)
{
  return (uint32_t)(id & ((1u << RAW_ID_BLOCK_SHIFT) - 1)) / TASKS_A_PAGE;
}

static struct task_page *find_page(const struct task_table *table, uint64_t id)
{
  struct task_block *block = find_block(table, id);
  const uint64_t *page = block == NULL ? NULL : hash_find(&block->pages, page_number(id));
  return page == NULL ? NULL : (struct task_page *)(uintptr_t)*page;
}

bool task_table_open_block(struct task_table *table, uint64_t number, uint32_t owner)
{
  if (number >= 1u << (RAW_VALUE_BITS - RAW_ID_BLOCK_SHIFT))
    return true;
  _Atomic(struct task_blocks *) *group_at = &table->groups[number / BLOCKS_A_GROUP];
  struct task_blocks *group = atomic_load(group_at);
  if (group == NULL) {
    struct task_blocks *made = calloc(1, sizeof *made);
    if (made == NULL)
      return false;
    if (atomic_compare_exchange_strong(group_at, &group, made))
      group = made;
    else
      free(made);
  }
  struct task_block *block = NULL, *made = calloc(1, sizeof *made);
  if (made == NULL)
    return false;
  made->owner = owner;
  if (!atomic_compare_exchange_strong(&group->blocks[number % BLOCKS_A_GROUP], &block, made))
    free(made);
  return true;
}

/* Makes a page that the block does not have yet. *full: there is no room, which is no error. */
static struct task_page *add_page(struct task_table *table, struct task_block *block, uint32_t number, bool *full)
{
  *full = atomic_fetch_add(table->page_count, 1) >= TASK_PAGES_MAX;
  struct task_page *page = *full ? NULL : calloc(1, sizeof *page);
  if (page != NULL && hash_add(&block->pages, number, (uint64_t)(uintptr_t)page) != NULL)
    return page;
  free(page);
  atomic_fetch_sub(table->page_count, 1);
  return NULL;
}

static void close_page(struct task_table *table, uint64_t id)
{
  struct task_page *page = find_page(table, id);
  if (page == NULL)
    return;
  page->closed = true;
  if (atomic_load(&page->live) == 0)
    task_table_free_page(table, id);
}

bool task_table_add(struct task_table *table, uint64_t id, uint32_t owner, struct task task, uint64_t *last_id)
{
  struct task_block *block = find_block(table, id);
  if (block == NULL || block->owner != owner)
    return true;
  if (*last_id != 0 && *last_id / TASKS_A_PAGE != id / TASKS_A_PAGE)
    close_page(table, *last_id);
  bool full = false;
  struct task_page *page = find_page(table, id);
  if (page == NULL && (page = add_page(table, block, page_number(id), &full)) == NULL)
    return full;
  struct task *place = &page->tasks[id % TASKS_A_PAGE];
  if (!place->known)
    atomic_fetch_add_explicit(&page->live, 1, memory_order_relaxed);
  *place = task;
  place->known = 1;
  *last_id = id;
  return true;
}

const struct task *task_table_find(const struct task_table *table, uint64_t id)
{
  struct task_page *page = find_page(table, id);
  return page == NULL || !page->tasks[id % TASKS_A_PAGE].known ? NULL : &page->tasks[id % TASKS_A_PAGE];
}

bool task_table_end(struct task_table *table, uint64_t id)
{
  struct task_page *page = find_page(table, id);
  if (page == NULL || !page->tasks[id % TASKS_A_PAGE].known)
    return false;
  return atomic_fetch_sub_explicit(&page->live, 1, memory_order_relaxed) == 1 && page->closed;
}

void task_table_free_page(struct task_table *table, uint64_t id)
{
  struct task_page *page = find_page(table, id);
  if (page == NULL)
    return;
  hash_remove(&find_block(table, id)->pages, page_number(id));
  free(page);
  atomic_fetch_sub(table->page_count, 1);
}

static void free_block(struct task_block *block)
{
  for (size_t i = 0; block != NULL && i < block->pages.room; i++)
    if (block->pages.entries[i].used)
      free((struct task_page *)(uintptr_t)block->pages.entries[i].value);
  if (block != NULL)
    hash_free(&block->pages);
  free(block);
}

void task_table_free(struct task_table *table)
{
  for (uint32_t g = 0; g < COUNT_OF(table->groups); g++) {
    struct task_blocks *group = atomic_load(&table->groups[g]);
    for (uint32_t b = 0; group != NULL && b < BLOCKS_A_GROUP; b++)
      free_block(atomic_load(&group->blocks[b]));
    free(group);
  }
}
