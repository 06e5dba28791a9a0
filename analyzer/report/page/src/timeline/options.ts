// What the reader set for the timeline. Both charts of a comparison go by the same.

import type { EventStyle } from '../events/style'
import type { IntervalStyle } from '../intervals/style'

export const SORTINGS = ['trace', 'name', 'begin', 'lifetime', 'likeness'] as const
export type Sorting = typeof SORTINGS[number] | `time:${string}`
export const GROUPINGS = ['none', 'process', 'group', 'kind', 'team'] as const
export type Grouping = typeof GROUPINGS[number]
/** What the lines of states show: what the programming model knows, or what the threads did on processors. */
export type Level = 'model' | 'threads'

export class Options {
  filter = ''
  sort: Sorting = 'trace'
  descending = false
  group: Grouping = 'none'
  level: Level = 'model'
  /** keys of the states that are not drawn */
  hidden = new Set<string>()
  /** threads that are not drawn, by run and location */
  hiddenThreads = new Set<string>()
  /** threads that stay above the others, by run and location, the first one on top */
  pinned = new Set<string>()
  /** groups of which only the sum is drawn, by run and name */
  folded = new Set<string>()
  /** how many levels of constructs are drawn below a thread's states; -1: as many as there is room for */
  depth = -1
  /** what is elided is drawn black, in place of the mixture of what it holds */
  black = false
  /** CSS pixels of a thread's line of states; 0: as high as there is room for */
  rowHeight = 0
  arrows = new Set<string>()
  /** tracks that are drawn above the threads */
  tracks = new Set<string>()
  /** how the program's events are drawn, by type */
  events = new Map<string, EventStyle>()
  /** how the intervals of a specification are drawn, by kind */
  intervals = new Map<string, IntervalStyle>()
  /** by how much the arrow keys move, in percent of the chart's width */
  incrementPercent = 10

  private readonly listeners: ((rows: boolean) => void)[] = []

  onchange(listener: (rows: boolean) => void): void {
    this.listeners.push(listener)
  }

  /** @param rows whether threads came, went or moved */
  changed(rows: boolean): void {
    for (const listener of this.listeners) listener(rows)
  }

  /** Puts `what` into a set, or takes it out. */
  toggle(set: Set<string>, what: string, rows: boolean): void {
    if (!set.delete(what)) set.add(what)
    this.changed(rows)
  }
}
