// Count-versus-time curves: how often, how long, or for how long on average a thread did something, in equal bins of the run.

import type { Run, Timeline } from '../bundle/types'
import type { LaneStore } from '../lanes/store'
import { counts, valueCurve } from '../events/curves'
import { pointsOf } from '../events/points'
import { intervalSums } from '../intervals/curves'
import { intervalsOf } from '../intervals/intervals'
import type { Curve } from './expression'

export const POINTS = 512

export type Measure = 'count' | 'rate' | 'open' | 'time' | 'mean' | 'value'

export interface Wanted {
  measure: Measure
  /** a state, or a region; -1 is any */
  state: number
  region: number
  /** a kind of a specification's intervals; missing: none */
  interval?: number
  /** null: all threads */
  location: number | null
  /** how much until then, in place of how much in each bin; of counts and times */
  cumulative: boolean
  /** of the program's events, whose value is the curve */
  attribute?: string
}

interface Sums { count: Float64Array; ticks: Float64Array }

/** Adds the ticks of [begin, end) to the bins it covers. */
function spread(ticks: Float64Array, begin: number, end: number, width: number): void {
  for (let bin = Math.min(POINTS - 1, Math.floor(begin / width)); bin < POINTS && begin < end; bin++) {
    const edge = bin === POINTS - 1 ? end : Math.min(end, (bin + 1) * width)
    ticks[bin] += Math.max(0, edge - begin)
    begin = edge
  }
}

async function addLane(store: LaneStore, location: number, lane: number, wanted: Set<number>, width: number, sums: Sums): Promise<void> {
  for (const block of await store.blocksLoaded(location, lane, store.finest)) {
    const segments = await store.load(block)
    for (let i = 0; i < segments.count; i++) {
      if (!wanted.has(segments.code[i])) continue
      sums.count[Math.min(POINTS - 1, Math.floor(segments.at[i] / width))]++
      spread(sums.ticks, segments.at[i], segments.at[i + 1], width)
    }
  }
}

/** Visits that took no time, such as a program's events, are in no lane. */
function addInstants(run: Run, wanted: Wanted, sums: Sums): void {
  const { instants } = run.timeline
  if (!instants || wanted.region < 0) return
  for (const [location, region, bin, count] of instants.list) {
    if (region === wanted.region && (wanted.location === null || location === wanted.location)) sums.count[Math.floor(bin * POINTS / instants.bins)] += count
  }
}

/** The regions of which there is something to count: those that lasted, and those whose visits took no time. */
export function countableRegions(run: Run): number[] {
  const instants = new Set([...run.timeline.instants?.list.map(([, region]) => region) ?? [], ...pointsOf(run)?.types.map(({ region }) => region) ?? []])
  return run.timeline.regions.flatMap(({ longest }, i) => longest === undefined || longest > 0 || instants.has(i) ? [i] : [])
}

/** @param progress is told the part that is done; true ends the work */
export async function curve(run: Run, store: LaneStore, wanted: Wanted, progress: (part: number) => boolean): Promise<Curve | null> {
  const { timeline } = run
  const width = Math.max(1, timeline.duration) / POINTS
  const intervals = intervalsOf(run)
  if (intervals && wanted.interval !== undefined) {
    const sums = intervalSums(intervals, { kind: wanted.interval, location: wanted.location }, timeline.duration, POINTS)
    return wanted.measure === 'open' ? Array.from(sums.open) : values(sums, wanted, timeline)
  }
  const points = pointsOf(run)
  if (points && points.types.some(({ region }) => region === wanted.region)) {
    if (wanted.measure === 'value') return valueCurve(points, wanted, wanted.attribute ?? '', timeline.duration, POINTS)
    const sums = { count: counts(points, wanted, timeline.duration, POINTS), ticks: new Float64Array(POINTS) }
    return values(sums, wanted, timeline)
  }
  if (wanted.measure === 'value') return new Array<null>(POINTS).fill(null)
  const codes = new Set<number>()
  timeline.codes.forEach(([state, region], code) => {
    if (code < 2) return
    if (wanted.region >= 0 ? state < 0 && region === wanted.region : state >= 0 && (wanted.state < 0 || state === wanted.state)) codes.add(code)
  })
  const sums: Sums = { count: new Float64Array(POINTS), ticks: new Float64Array(POINTS) }
  const locations = wanted.location === null ? timeline.locations.map((_, i) => i) : [wanted.location]
  for (const [done, location] of locations.entries()) {
    const { lanes } = timeline.locations[location]
    // Constructs are in lanes of their own, one for each depth of nesting.
    for (let lane = 0; lane < lanes.length; lane++) if ((lane === 0) === (wanted.region < 0)) await addLane(store, location, lane, codes, width, sums)
    if (done % 20 === 0 && progress(done / locations.length)) return null
  }
  addInstants(run, wanted, sums)
  return values(sums, wanted, timeline)
}

function values(sums: Sums, wanted: Wanted, { ticks_per_second: ticksPerSecond, duration }: Timeline): Curve {
  const seconds = Math.max(1, duration) / POINTS / ticksPerSecond
  let count = 0
  let ticks = 0
  return Array.from({ length: POINTS }, (_, i) => {
    if (!wanted.cumulative || wanted.measure === 'rate' || wanted.measure === 'open') count = ticks = 0
    count += sums.count[i]
    ticks += sums.ticks[i]
    if (wanted.measure === 'count') return count
    if (wanted.measure === 'rate') return count / seconds
    if (wanted.measure === 'open') return ticks / ticksPerSecond / seconds
    if (wanted.measure === 'time') return ticks / ticksPerSecond
    return count > 0 ? ticks / ticksPerSecond / count : null
  })
}
