// Readings of a run's metrics: counters, which add up, and values that other tools measured.

import type { ReadingsDocument, Run } from '../bundle/types'
import { count, duration } from '../time/format'

/** Where a time would be inserted. */
export function place(times: Float64Array, time: number): number {
  let [low, high] = [0, times.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (times[middle] < time) low = middle + 1
    else high = middle
  }
  return low
}

/** What one thread read. */
interface Series { location: number; every: number; times: Float64Array; values: Float64Array }

/** Up to a time since the first reading; evenly between two. */
function reached({ times, values }: Series, time: number): number {
  const i = place(times, time)
  if (i === 0) return values[0]
  if (i === times.length) return values[i - 1]
  return values[i - 1] + (values[i] - values[i - 1]) * (time - times[i - 1]) / (times[i] - times[i - 1])
}

export class Metric {
  readonly every: number

  constructor(readonly name: string, private readonly unit: string, readonly adds: boolean, readonly series: Series[]) {
    this.every = Math.max(1, ...series.map(({ every }) => every))
  }

  /** What was counted between two times, on some threads (null: on all). */
  between(begin: number, end: number, locations: Set<number> | null = null): number {
    return this.series.reduce((sum, one) => locations === null || locations.has(one.location) ? sum + reached(one, end) - reached(one, begin) : sum, 0)
  }

  /** What was counted in each of `number` parts from `begin` on, each `step` long. */
  parts(begin: number, step: number, number: number): number[] {
    const sums = new Array<number>(number).fill(0)
    for (const one of this.series) {
      const { times } = one
      // A thread that has no reading here costs nothing.
      const first = Math.max(0, Math.floor((times[0] - begin) / step))
      const last = Math.min(number, Math.ceil((times[times.length - 1] - begin) / step))
      let before = first < last ? reached(one, begin + first * step) : 0
      for (let i = first; i < last; i++) {
        const after = reached(one, begin + (i + 1) * step)
        sums[i] += after - before
        before = after
      }
    }
    return sums
  }

  text(value: number): string {
    return this.unit === 's' ? duration(value) : `${count(Math.abs(value) < 10 ? Number(value.toPrecision(4)) : Math.round(value))}${['', '#'].includes(this.unit) ? '' : ` ${this.unit}`}`
  }
}

function made({ metrics, lists }: ReadingsDocument): Metric[] {
  const series: Series[][] = metrics.map(() => [])
  for (const { location, every, later, metrics: columns, changes } of lists) {
    let now = 0
    const times = Float64Array.from(later, ticks => now += ticks)
    columns.forEach((metric, column) => {
      if (metric < 0 || times.length === 0) return
      let value = 0
      const factor = 10 ** metrics[metric].exponent
      series[metric].push({ location, every, times, values: Float64Array.from(changes[column], change => value += (change ?? 0) * factor) })
    })
  }
  // Processes have metrics of their own, which mean the same.
  const byName = new Map<string, Metric>()
  metrics.forEach(({ name, unit, adds }, i) => {
    const key = `${name}\n${unit}\n${adds}`
    const known = byName.get(key)
    if (series[i].length > 0) byName.set(key, new Metric(name, unit, adds, [...known?.series ?? [], ...series[i]]))
  })
  return [...byName.values()]
}

const known = new WeakMap<Run, Metric[]>()

export function metricsOf(run: Run): Metric[] {
  const list = known.get(run) ?? (run.documents.readings ? made(run.documents.readings) : [])
  known.set(run, list)
  return list
}
