// What the reader set for the timeline. Both charts of a comparison go by the same.

import type { EventStyle } from '../events/style'
import type { IntervalStyle } from '../intervals/style'

export type Sorting = 'trace' | 'name' | 'begin' | 'lifetime' | `time:${string}`
export type Grouping = 'none' | 'process' | 'group'

export class Options {
  filter = ''
  sort: Sorting = 'trace'
  descending = false
  group: Grouping = 'none'
  /** keys of the states that are not drawn */
  hidden = new Set<string>()
  /** threads that are not drawn, by run and location */
  hiddenThreads = new Set<string>()
  /** how many levels of constructs are drawn below a thread's states */
  depth = 0
  /** what is elided is drawn black, in place of the mixture of what it holds */
  black = false
  /** CSS pixels of a thread's line of states */
  rowHeight = 18
  arrows = new Set<string>()
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
}
