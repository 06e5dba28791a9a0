// An order in which threads that spent their time alike are neighbours.

import type { Run, Time } from '../bundle/types'
import { stateKeys } from './paint'

/** Threads up to which each is compared with each other; more are ordered by their largest shares. */
const COMPARED = 2500
/** Of all kinds of time, how many are compared. */
const KINDS = 24

/** By location: the shares of its time, the kinds that most time is of first. */
function sharesOf(run: Run, locations: number[]): Map<number, Float64Array> {
  const all = new Map<string, number>()
  const own = new Map<number, Map<string, number>>(locations.map(location => [location, new Map()]))
  const add = (location: number, kind: string, ticks: number): void => {
    const of = own.get(location)
    if (!of) return
    of.set(kind, (of.get(kind) ?? 0) + ticks)
    all.set(kind, (all.get(kind) ?? 0) + ticks)
  }
  // States in constructs say more than states.
  if (run.timeline.sums) for (const [location, code, ticks] of run.timeline.sums) add(location, String(code), ticks)
  else if (Array.isArray(run.documents.states?.threads))
    for (const row of run.documents.states.threads) for (const key of stateKeys(run)) add(row.thread as number, key, (row[key] as Time | undefined)?.ticks ?? 0)
  const kinds = [...all].sort((a, b) => b[1] - a[1]).slice(0, KINDS).map(([kind]) => kind)
  return new Map([...own].map(([location, of]) => {
    const sum = [...of.values()].reduce((a, b) => a + b, 0) || 1
    return [location, Float64Array.from(kinds, kind => (of.get(kind) ?? 0) / sum)]
  }))
}

function distance(a: Float64Array, b: Float64Array): number {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += Math.abs(a[i] - b[i])
  return sum
}

/** From the first thread on, always the one that is most like the last one. */
export function byLikeness(run: Run, locations: number[]): number[] {
  const shares = sharesOf(run, locations)
  const of = (location: number): Float64Array => shares.get(location) as Float64Array
  if (locations.length > COMPARED) {
    return [...locations].sort((a, b) => {
      const i = of(a).findIndex((share, k) => Math.abs(share - of(b)[k]) > 0.02)
      return i < 0 ? a - b : of(b)[i] - of(a)[i]
    })
  }
  const left = [...locations]
  const order = left.splice(0, 1)
  while (left.length > 0) {
    const last = of(order[order.length - 1])
    let best = 0
    let least = Infinity
    for (let i = 0; i < left.length && least > 0; i++) {
      const away = distance(last, of(left[i]))
      if (away >= least) continue
      least = away
      best = i
    }
    order.push(...left.splice(best, 1))
  }
  return order
}
