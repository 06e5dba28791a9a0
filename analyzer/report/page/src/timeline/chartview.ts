// What the parts of a chart (names, overlay) and its input know of it.

import type { Run } from '../bundle/types'
import type { Window } from '../lanes/line'
import type { Viewport } from '../time/viewport'
import type { Options } from './options'
import type { Rows } from './rows'

export interface Selected { run: number; location: number; lane: number; begin: number; end: number; code: number }

export interface Mark {
  selected: Selected | null
  /** two times, in ticks */
  measure: [number, number] | null
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
}
