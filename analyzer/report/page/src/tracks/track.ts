// Tracks: figures over time below the threads, on their axis.

import type { Window } from '../lanes/line'
import type { Palette } from '../timeline/paint'
import type { Level } from '../timeline/options'

export interface Track {
  /** in the address */
  key: string
  label: string
  hint: string
  /** Goes on until `until` (performance.now()); whether it is finished. */
  work?(window: Window, palette: Palette, level: Level, until: number): boolean
  draw(context: CanvasRenderingContext2D, width: number, height: number, window: Window, palette: Palette): void
  /** What is at a pixel. */
  text(x: number, window: Window): string
}
