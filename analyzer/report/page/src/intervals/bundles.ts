// What is drawn of intervals in a window of time. Those that would lie upon each other become one, with their number.

import type { Window } from '../lanes/line'
import type { Intervals } from './intervals'
import type { IntervalStyle } from './style'

/** One interval, or several of a kind with the same threads and about the same ends in pixels. */
export interface IntervalBundle {
  kind: number
  style: IntervalStyle
  from: number
  to: number
  lane: number
  x0: number
  x1: number
  /** intervals, by weight; and how many entries of the page */
  count: number
  entries: number
  /** the longest one */
  index: number
}

export interface Bundled {
  list: IntervalBundle[]
  /** intervals in the window that are not in the list */
  left: number
}

/** In a frame, at most: beyond that nothing could be told apart. */
export const MOST_BUNDLES = 3000

/**
 * With coarser cells where there are too many.
 * @param cell pixels in which ends count as the same
 * @param visible whether a thread is among those in sight
 */
export function bundles(intervals: Intervals, styles: ReadonlyMap<string, IntervalStyle>, window: Window, cell: number, visible: (from: number, to: number) => boolean): Bundled {
  let found = bundled(intervals, styles, window, cell, visible)
  for (let coarser = 4; found.left > 0 && coarser <= 16; coarser *= 4) found = bundled(intervals, styles, window, cell * coarser, visible)
  return found
}

function bundled(intervals: Intervals, styles: ReadonlyMap<string, IntervalStyle>, { begin, scale, width }: Window, cell: number, visible: (from: number, to: number) => boolean): Bundled {
  const end = begin + width * scale
  const found = new Map<string, IntervalBundle>()
  let left = 0
  intervals.kinds.forEach(({ name, from, to, length }, kind) => {
    const style = styles.get(name)
    if (!style?.shown) return
    const begins = intervals.begins[kind]
    const lanes = style.drawn === 'rectangle' ? intervals.lanes(kind) : null
    for (let i = 0; i < begins.length && begins[i] <= end; i++) {
      if (begins[i] + length[i] < begin || !visible(from[i], to[i])) continue
      const x0 = (begins[i] - begin) / scale
      const x1 = x0 + length[i] / scale
      const lane = lanes?.[i] ?? 0
      // What is cut off at the window's edge is not told apart there.
      const key = `${kind} ${from[i]} ${to[i]} ${lane} ${Math.floor(Math.max(x0, -2 * cell) / cell)} ${Math.floor(Math.min(x1, width + 2 * cell) / cell)}`
      const weight = intervals.weight(kind, i)
      const known = found.get(key)
      if (known) {
        known.count += weight
        known.entries++
        if (length[i] > length[known.index]) Object.assign(known, { index: i, x0, x1 })
      } else if (found.size < MOST_BUNDLES) {
        found.set(key, { kind, style, from: from[i], to: to[i], lane, x0, x1, count: weight, entries: 1, index: i })
      } else {
        left += weight
      }
    }
  })
  return { list: [...found.values()], left }
}
