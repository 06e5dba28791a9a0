// What the parts of the page share: the runs, the timeline, where to go.

import type { Bundle, Run } from './bundle/types'
import type { LaneStore } from './lanes/store'
import type { Timeline } from './timeline/timeline'

export interface App {
  bundle: Bundle
  stores: LaneStore[]
  timeline: Timeline
  /** Show a page. */
  go(page: string): void
  /** By run: its part of the page of calls, once that is built. */
  calls: { open(code: number): void; frames(): unknown }[]
  /** Whether there is such a page. */
  has(page: string): boolean
  /** By run: its page of constructs, once that is built. */
  constructs: { open(name: string): void }[]
  /** Show a construct and its executions. */
  showConstruct(run: number, name: string): void
  /** Show a place in the timeline. */
  showPlace(run: number, location: number | null, begin: number, end: number): void
}

export interface Page {
  id: string
  title: string
  /** one run's part of the page; pages of the whole bundle have `whole` */
  build?: (app: App, run: Run, index: number) => HTMLElement
  whole?: (app: App) => HTMLElement
}
