// How high lines are: as the reader chose, or so that all threads fill the height of the chart.

import type { Geometry } from './chartview'
import type { Options } from './options'

/** CSS pixels of a line of constructs, and between two threads. */
const CONSTRUCT_HEIGHT = 13
const GAP = 2
const SMALL_GAP_BELOW = 6
/** CSS pixels of a line of states that fits itself, and how many levels of constructs it shows at most. */
const LEAST = 18
const MOST = 120
const MOST_DEPTH = 3

/** What `room` CSS pixels have for each of so many rows: levels of constructs, and pixels of the states. */
function fitted(room: number, rows: number, maxDepth: number): { depth: number; height: number } {
  const each = room / Math.max(1, rows)
  // One level of constructs is always shown; more of them where states keep a readable line.
  let depth = Math.min(maxDepth, MOST_DEPTH)
  while (depth > 1 && each < LEAST + depth * CONSTRUCT_HEIGHT + 2 * GAP) depth--
  return { depth, height: Math.max(LEAST, Math.min(MOST, Math.floor(each - depth * CONSTRUCT_HEIGHT - 2 * GAP))) }
}

/** @param room CSS pixels for all rows @param maxDepth levels of constructs that the run has */
export function geometryOf(options: Options, room: number, rows: number, maxDepth: number, dpr: number): Geometry {
  const own = fitted(room, rows, maxDepth)
  const depth = options.depth < 0 ? own.depth : Math.min(options.depth, maxDepth)
  const height = options.rowHeight > 0 ? options.rowHeight : options.depth < 0 ? own.height : Math.max(LEAST, Math.min(MOST, Math.floor(room / Math.max(1, rows) - depth * CONSTRUCT_HEIGHT - 2 * GAP)))
  const gap = height >= SMALL_GAP_BELOW ? GAP : height > 2 ? 1 : 0
  const state = Math.max(1, Math.round((height - (depth > 0 ? 0 : gap)) * dpr))
  const construct = Math.round(CONSTRUCT_HEIGHT * dpr)
  return { row: state + depth * construct + Math.round((depth > 0 ? gap * 2 : gap) * dpr), state, construct, depth, dpr }
}
