// What the threads of a part of the timeline did there, from the segments themselves.

import { ELIDED, type Block, type Run } from '../bundle/types'
import { indexAt, eachPart } from '../lanes/segments'
import { blockAt } from '../lanes/line'
import type { LaneStore } from '../lanes/store'

/** Segments that are looked at: beyond, sums come from a coarser level. */
const MOST = 1_500_000
/** After so many milliseconds others have their turn. */
const TURN_MS = 12

export interface Sum {
  ticks: number
  /** segments; of summed ones none */
  count: number
  longest: number
  /** where the longest one is */
  at: { location: number; begin: number; end: number } | null
}

export interface Statistics {
  /** time of the threads in the stretch */
  time: number
  /** segments shorter than so many ticks are rounded sums; 0: everything is exact */
  rounded: number
  states: Map<number, Sum>
  /** own time of constructs: of the state's line */
  own: Map<number, Sum>
  /** time in constructs, with what is nested in them */
  inside: Map<number, Sum>
  /** by thread and state */
  threads: Map<number, Map<number, number>>
}

interface LaneOfArea { location: number; lane: number; kind: 'states' | 'constructs' }

const turn = (): Promise<void> => new Promise(resolve => setTimeout(resolve, 0))

function add(sums: Map<number, Sum>, key: number, ticks: number, segment: { location: number; begin: number; end: number } | null): void {
  let sum = sums.get(key)
  if (!sum) sums.set(key, sum = { ticks: 0, count: 0, longest: 0, at: null })
  sum.ticks += ticks
  if (!segment) return
  sum.count++
  if (segment.end - segment.begin <= sum.longest) return
  sum.longest = segment.end - segment.begin
  sum.at = segment
}

function lanesOf(run: Run, locations: number[], level: 'model' | 'threads'): LaneOfArea[] {
  return locations.flatMap(location => {
    const { lanes } = run.timeline.locations[location]
    const threads = level === 'threads' ? lanes.findIndex(({ kind }) => kind === 'threads') : -1
    return lanes.flatMap(({ kind }, lane): LaneOfArea[] => kind === 'constructs' ? [{ location, lane, kind }] : lane === Math.max(0, threads) ? [{ location, lane, kind: 'states' }] : [])
  })
}

const overlapping = function* (blocks: Block[], begin: number, end: number): Generator<Block> {
  for (let b = blocks.length > 0 ? blockAt(blocks, begin) : 0; b < blocks.length && blocks[b][0] < end; b++) if (blocks[b][1] > begin) yield blocks[b]
}

/** The finest level that is not too much to look at. */
async function levelFor(store: LaneStore, lanes: LaneOfArea[], begin: number, end: number): Promise<number> {
  const { level_thresholds: thresholds } = store.run.timeline
  for (let level = store.finest; ; level++) {
    let sum = 0
    for (const { location, lane } of lanes) {
      for (const [first, last, count] of overlapping(await store.blocksLoaded(location, lane, level), begin, end))
        sum += count * (Math.min(end, last) - Math.max(begin, first)) / Math.max(1, last - first)
      if (sum > MOST) break
    }
    if (sum <= MOST || level + 1 >= thresholds.length) return level
  }
}

/** @param begin @param end ticks of the run @param wanted whether the answer is still asked for @returns null: it is not */
export async function statisticsOf(store: LaneStore, locations: number[], begin: number, end: number, which: 'model' | 'threads', wanted: () => boolean): Promise<Statistics | null> {
  const { run } = store
  const { codes } = run.timeline
  const lanes = lanesOf(run, locations, which)
  const level = await levelFor(store, lanes, begin, end)
  const found: Statistics = { time: 0, rounded: run.timeline.level_thresholds[level] ?? 0, states: new Map(), own: new Map(), inside: new Map(), threads: new Map() }
  let before = performance.now()
  for (const { location, lane, kind } of lanes) {
    const thread = new Map<number, number>()
    if (kind === 'states') found.threads.set(location, thread)
    for (const block of overlapping(await store.blocksLoaded(location, lane, level), begin, end)) {
      const segments = await store.load(block)
      for (let i = indexAt(segments.at, segments.count, begin); i < segments.count && segments.at[i] < end; i++) {
        const [from, to] = [segments.at[i], segments.at[i + 1]]
        const inside = Math.min(end, to) - Math.max(begin, from)
        if (inside <= 0) continue
        const segment = segments.code[i] === ELIDED ? null : { location, begin: from, end: to }
        eachPart(segments, i, (code, ticks) => {
          const [state, region] = codes[code]
          const part = segment ? inside : ticks * inside / (to - from)
          if (kind === 'constructs' && region >= 0) add(found.inside, region, part, segment)
          if (kind === 'constructs' || state < 0) return
          found.time += part
          thread.set(state, (thread.get(state) ?? 0) + part)
          add(found.states, state, part, segment)
          if (region >= 0) add(found.own, region, part, segment)
        })
      }
      if (performance.now() - before < TURN_MS) continue
      await turn()
      before = performance.now()
      if (!wanted()) return null
    }
  }
  return wanted() ? found : null
}
