// Curves and histograms of the program's events.

import type { Curve } from '../pages/expression'
import type { Points } from './points'

/** Which events: of a type on a thread, or (null) on all. */
export interface Events { region: number; location: number | null }

const binOf = (time: number, duration: number, bins: number): number => Math.min(bins - 1, Math.max(0, Math.floor(time / Math.max(1, duration) * bins)))

/** How many there were in each of equal parts of the run. */
export function counts(points: Points, { region, location }: Events, duration: number, bins: number): Float64Array {
  const sums = new Float64Array(bins)
  for (const list of points.listsFor(region, location))
    points.times[list].forEach((time, i) => sums[binOf(time, duration, bins)] += points.weightAt(list, i))
  return sums
}

/** The mean of an attribute in each part; in parts without events that of the part before. */
export function valueCurve(points: Points, { region, location }: Events, attribute: string, duration: number, bins: number): Curve {
  const sums = new Float64Array(bins)
  const weights = new Float64Array(bins)
  for (const list of points.listsFor(region, location))
    points.times[list].forEach((time, i) => {
      const value = points.value(list, i, attribute)
      if (value === null) return
      const bin = binOf(time, duration, bins)
      const weight = points.weightAt(list, i)
      sums[bin] += value * weight
      weights[bin] += weight
    })
  let last: number | null = null
  return Array.from(sums, (sum, bin) => weights[bin] > 0 ? last = sum / weights[bin] : last)
}

export interface Histogram {
  /** the middle of each bar, and how many events are in it */
  x: number[]
  count: number[]
  /** a bar's width; 0: all values are equal */
  width: number
}

const BARS = 40

/** null: no event has a number there. Whole numbers that are few have a bar each. */
export function histogram(points: Points, { region, location }: Events, attribute: string): Histogram | null {
  const values: [value: number, weight: number][] = []
  let least = Infinity
  let most = -Infinity
  let whole = true
  for (const list of points.listsFor(region, location))
    for (let i = 0; i < points.times[list].length; i++) {
      const value = points.value(list, i, attribute)
      if (value === null) continue
      values.push([value, points.weightAt(list, i)])
      least = Math.min(least, value)
      most = Math.max(most, value)
      whole &&= Number.isInteger(value)
    }
  if (values.length === 0) return null
  const span = most - least
  const step = whole ? Math.max(1, Math.ceil((span + 1) / BARS)) : span / BARS
  const bars = step > 0 ? whole ? Math.floor(span / step) + 1 : BARS : 1
  const count = new Array<number>(bars).fill(0)
  for (const [value, weight] of values) count[step > 0 ? Math.min(bars - 1, Math.floor((value - least) / step)) : 0] += weight
  // A bar of whole numbers from 3 to 5 has its middle at 4.
  return { x: count.map((_, i) => least + i * step + (whole ? (step - 1) / 2 : step / 2)), count, width: step }
}
