// Single executions of a construct on each thread, from the lanes of the timeline.

import type { Run } from '../bundle/types'
import type { LaneStore } from '../lanes/store'

export interface Execution { number: number; location: number; begin: number; end: number }

export interface Executions {
  /** in order of their begins: all of them, or the first of each `every` */
  list: Execution[]
  every: number
  slowest: Execution[]
  count: number
  /** by thread */
  threads: Map<number, { count: number; ticks: number; longest: number }>
  /** ticks -> executions that last at least so long, but not STEP times as long */
  histogram: Map<number, number>
}

/** Executions in a list, and of the slowest ones. */
const MOST = 5000
const SLOWEST = 20
/** Steps of the histogram in a power of ten. */
const STEPS = 4

/** The step of the histogram that a duration is in, in ticks of its begin. */
export const stepOf = (ticks: number): number => ticks < 1 ? 0 : Math.pow(10, Math.floor(Math.log10(ticks) * STEPS + 1e-9) / STEPS)

function add(into: Executions, location: number, begin: number, end: number): void {
  const ticks = end - begin
  const step = stepOf(ticks)
  into.histogram.set(step, (into.histogram.get(step) ?? 0) + 1)
  const thread = into.threads.get(location) ?? { count: 0, ticks: 0, longest: 0 }
  into.threads.set(location, { count: thread.count + 1, ticks: thread.ticks + ticks, longest: Math.max(thread.longest, ticks) })
  const execution = { number: ++into.count, location, begin, end }
  into.list.push(execution)
  const { slowest } = into
  if (slowest.length === SLOWEST && ticks <= slowest[SLOWEST - 1].end - slowest[SLOWEST - 1].begin) return
  slowest.push(execution)
  slowest.sort((a, b) => (b.end - b.begin) - (a.end - a.begin) || a.begin - b.begin)
  slowest.length = Math.min(slowest.length, SLOWEST)
}

/** @param progress is told the part that is done; true ends the work */
export async function executionsOf(run: Run, store: LaneStore, region: number, progress: (part: number) => boolean): Promise<Executions | null> {
  const { timeline } = run
  const codes = new Set(timeline.codes.flatMap(([state, of], code) => code > 1 && state < 0 && of === region ? [code] : []))
  const found: Executions = { list: [], every: 1, slowest: [], count: 0, threads: new Map(), histogram: new Map() }
  for (const [location, { lanes }] of timeline.locations.entries()) {
    if (progress(location / timeline.locations.length)) return null
    for (let lane = 1; lane < lanes.length; lane++) {
      for (const block of await store.blocksLoaded(location, lane, store.finest)) {
        const segments = await store.load(block)
        for (let i = 0; i < segments.count; i++) if (codes.has(segments.code[i])) add(found, location, segments.at[i], segments.at[i + 1])
      }
    }
  }
  found.list.sort((a, b) => a.begin - b.begin)
  found.list.forEach((execution, i) => { execution.number = i + 1 })
  found.every = Math.max(1, Math.ceil(found.list.length / MOST))
  if (found.every > 1) found.list = found.list.filter((_, i) => i % found.every === 0)
  return found
}
