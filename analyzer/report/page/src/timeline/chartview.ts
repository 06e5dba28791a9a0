// What the parts of a chart (names, overlay) and its input know of it.

import type { Run } from '../bundle/types'
import type { Window } from '../lanes/line'
import type { Viewport } from '../time/viewport'
import type { Options } from './options'
import type { Heading, Rows } from './rows'

export interface Selected { run: number; location: number; lane: number; begin: number; end: number; code: number }

export interface Mark {
  selected: Selected | null
  /** what is measured, or selected: two times in ticks of the viewport, and the threads of this run; null: all */
  area: { begin: number; end: number; locations: Set<number> | null } | null
  /** the reader's own marks: times in ticks of the viewport */
  notes: { begin: number; end: number }[]
  /** pixel of the axis's middle tick, or -1 */
  gridline: number
}

/** Heights in device pixels: of a row, of its line of states, of a line of constructs; and how many of these there are. */
export interface Geometry { row: number; state: number; construct: number; depth: number; dpr: number }

export interface ChartView {
  readonly index: number
  readonly run: Run
  readonly element: HTMLElement
  readonly scroller: HTMLElement
  readonly canvas: HTMLCanvasElement
  readonly viewport: Viewport
  readonly options: Options
  readonly rows: Rows
  readonly mark: Mark
  readonly geometry: Geometry
  /** what is shown, in ticks of this run */
  readonly window: Window
  /** Where a location's line of states is, in device pixels from the canvas's top; null if it is not shown. */
  lineOf(location: number): { y: number; height: number } | null
  hideThread(location: number): void
  pin(location: number): void
  fold(heading: Heading): void
}
