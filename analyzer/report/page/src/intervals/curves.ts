// Curves and histograms of the intervals of a specification.

import type { Histogram } from '../events/curves'
import type { Intervals } from './intervals'

/** Which intervals: of a kind that begin on a thread, or (null) on any. */
export interface Which { kind: number; location: number | null }

/** Calls `take` with the begin, the end, how many intervals it stands for, and their time. */
function each(intervals: Intervals, { kind, location }: Which, take: (begin: number, end: number, weight: number, total: number) => void): void {
  const { from } = intervals.kinds[kind]
  intervals.begins[kind].forEach((begin, i) => {
    if (location === null || from[i] === location) take(begin, intervals.end(kind, i), intervals.weight(kind, i), intervals.total(kind, i))
  })
}

/** How many began in each of equal parts of the run, the ticks that those had, and how many were open on average. */
export function intervalSums(intervals: Intervals, which: Which, duration: number, bins: number): { count: Float64Array; ticks: Float64Array; open: Float64Array } {
  const sums = { count: new Float64Array(bins), ticks: new Float64Array(bins), open: new Float64Array(bins) }
  const width = Math.max(1, duration) / bins
  const binOf = (time: number): number => Math.min(bins - 1, Math.max(0, Math.floor(time / width)))
  each(intervals, which, (begin, end, weight, total) => {
    const first = binOf(begin)
    sums.count[first] += weight
    sums.ticks[first] += total
    if (end <= begin) return
    // The others that it stands for are taken to be where it is.
    const share = total / (end - begin)
    for (let bin = first, at = begin; at < end && bin < bins; bin++) {
      const edge = bin === bins - 1 ? end : Math.min(end, (bin + 1) * width)
      sums.open[bin] += Math.max(0, edge - at) * share / width
      at = edge
    }
  })
  return sums
}

/** Bars by powers of two of ticks: bar x has the lengths from 2^(x - 1) to below 2^x. null: there are no intervals. */
export function lengthHistogram(intervals: Intervals, which: Which): Histogram | null {
  const counts = new Map<number, number>()
  each(intervals, which, (_begin, _end, weight, total) => {
    const mean = total / weight
    const bar = mean < 1 ? 0 : Math.floor(Math.log2(mean)) + 1
    counts.set(bar, (counts.get(bar) ?? 0) + weight)
  })
  if (counts.size === 0) return null
  const least = Math.min(...counts.keys())
  const most = Math.max(...counts.keys())
  const x = Array.from({ length: most - least + 1 }, (_, i) => least + i)
  return { x, count: x.map(bar => counts.get(bar) ?? 0), width: 1 }
}
