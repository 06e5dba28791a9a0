// The symbols of one thread's events in a window of time. Events that would lie upon each other become one mark with their number.

import type { Window } from '../lanes/line'
import type { Points } from './points'
import type { Chosen, EventStyle } from './style'

/** Marks do not get wider than that, in symbols. */
const WIDEST = 9

export interface Cluster {
  /** pixels that the mark covers */
  x0: number
  x1: number
  /** of the only event, or of the first one */
  x: number
  offset: number
  /** events, by weight; and how many entries of the thread's events */
  count: number
  entries: number
  /** places among the thread's events */
  first: number
  last: number
  /** of the first event; mixed: others have other types */
  style: EventStyle
  mixed: boolean
}

/** First place whose time is not before `time`. */
function firstFrom(times: Float64Array, time: number): number {
  let low = 0
  let high = times.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (times[middle] < time) low = middle + 1
    else high = middle
  }
  return low
}

/**
 * @param radius of a symbol, in pixels
 * @param wide the width that a number needs
 */
export function clusters(points: Points, chosen: Chosen, styles: ReadonlyMap<string, EventStyle>, location: number, { begin, scale, width }: Window, radius: number, wide: (count: number) => number): Cluster[] {
  const { time, list, index } = points.of(location)
  const found: Cluster[] = []
  const open = new Map<number, Cluster>()
  const margin = WIDEST * 4 * radius * scale
  const end = begin + width * scale + margin
  for (let i = firstFrom(time, begin - margin); i < time.length && time[i] <= end; i++) {
    const style = chosen.style(styles, list[i])
    if (!style) continue
    const mask = chosen.mask(style, list[i])
    if (mask && !mask[index[i]]) continue
    const x = (time[i] - begin) / scale
    const weight = points.weightAt(list[i], index[i])
    const last = open.get(style.offset)
    if (last && x - radius <= last.x1 && x - last.x0 <= 2 * radius * WIDEST) {
      last.count += weight
      last.entries++
      last.last = i
      last.mixed ||= last.style !== style
      // Room for the number, around the events.
      last.x1 = Math.max(last.x1, x + radius, last.x0 + wide(last.count))
      continue
    }
    const x0 = Math.max(x - radius, last ? last.x1 + 1 : -Infinity)
    const cluster: Cluster = { x0, x1: x + radius, x, offset: style.offset, count: weight, entries: 1, first: i, last: i, style, mixed: false }
    if (weight > 1) cluster.x1 = Math.max(cluster.x1, x0 + wide(weight))
    open.set(style.offset, cluster)
    found.push(cluster)
  }
  return found
}
