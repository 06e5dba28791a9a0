// Where a thing is in time: each of its executions, samples or events, in order.

import { ELIDED, type Run } from '../bundle/types'
import { sampleTimesOf } from '../calls/times'
import { pointsOf } from '../events/points'
import type { LaneStore } from '../lanes/store'
import type { Thing } from './things'

/** Matches that are kept, and segments that are looked at: beyond, a coarser level is. */
const MOST = 300_000
const MOST_SEGMENTS = 3_000_000
const TURN_MS = 12

/** Ticks of the run. */
export interface Match {
  run: number
  location: number
  begin: number
  end: number
  /** the line that has it: 0 is the states */
  line: number
  /** its code, or ELIDED */
  code: number
}

export interface Matches {
  /** in order of their begins, in seconds */
  list: Match[]
  /** whether each match is one execution; else some stand for several that are too short for this page, or for those beyond a limit */
  exact: boolean
}

const turn = (): Promise<void> => new Promise(resolve => setTimeout(resolve, 0))

async function levelFor(store: LaneStore, lanes: [location: number, lane: number][]): Promise<number> {
  const { level_thresholds: thresholds } = store.run.timeline
  for (let level = store.finest; ; level++) {
    let sum = 0
    for (const [location, lane] of lanes) for (const block of await store.blocksLoaded(location, lane, level)) sum += block[2]
    if (sum <= MOST_SEGMENTS || level + 1 >= thresholds.length) return level
  }
}

/** Lanes that have what is searched for: constructs, unless this page has none; the states for states. */
function lanesFor(run: Run, states: boolean): [number, number][] {
  const of = (kind: string): [number, number][] => run.timeline.locations.flatMap(({ lanes }, location) => lanes.flatMap((lane, i): [number, number][] => lane.kind === kind ? [[location, i]] : []))
  const constructs = of('constructs')
  // A processor's states are the threads that it ran.
  return states || constructs.length === 0 ? of('states') : constructs.concat(of('states').filter(([location]) => run.timeline.locations[location].kind !== undefined))
}

async function inLanes(store: LaneStore, run: number, lanes: [number, number][], has: (code: number) => boolean, found: Matches, wanted: () => boolean): Promise<void> {
  const level = await levelFor(store, lanes)
  const codes = Uint8Array.from(store.run.timeline.codes, (_, code) => Number(has(code)))
  let before = performance.now()
  for (const [location, lane] of lanes) {
    const line = store.run.timeline.locations[location].lanes[lane].kind === 'constructs' ? lane : 0
    for (const block of await store.blocksLoaded(location, lane, level)) {
      const segments = await store.load(block)
      for (let i = 0; i < segments.count; i++) {
        let here = codes[segments.code[i]] === 1
        if (segments.code[i] === ELIDED) {
          for (let k = segments.parts_at[i]; k < segments.parts_at[i + 1]; k++) here ||= codes[segments.parts[k]] === 1
          if (here) found.exact = false
        }
        if (here && found.list.length < MOST) found.list.push({ run, location, begin: segments.at[i], end: segments.at[i + 1], line, code: segments.code[i] })
        else if (here) found.exact = false
      }
      if (performance.now() - before < TURN_MS) continue
      await turn()
      before = performance.now()
      if (!wanted()) return
    }
  }
}

function waits(run: Run, index: number, regions: Set<number>): Match[] {
  return run.timeline.arrows.filter(([kind, , , , , region]) => kind === 'lock' && regions.has(Number(region)))
    .map(([, , , location, until, , since]) => ({ run: index, location, begin: since ?? until, end: until, line: 0, code: ELIDED }))
}

function samples(run: Run, index: number, codes: Set<number>): Match[] {
  const times = run.documents.calls && sampleTimesOf(run.documents.calls)
  const list: Match[] = []
  if (times) run.timeline.locations.forEach((_, location) => times.each(location, (at, code) => {
    if (codes.has(code) && list.length < MOST) list.push({ run: index, location, begin: at, end: at, line: 0, code: ELIDED })
  }))
  return list
}

function events(run: Run, index: number, regions: Set<number>): Match[] {
  const points = pointsOf(run)
  const list: Match[] = []
  points?.lists.forEach(({ region, location }, i) => {
    if (regions.has(region)) points.times[i].forEach(at => list.push({ run: index, location, begin: at, end: at, line: 0, code: ELIDED }))
  })
  return list
}

/** null: nobody wants to know any more. */
export async function matchesOf(stores: LaneStore[], thing: Thing, wanted: () => boolean): Promise<Matches | null> {
  const found: Matches = { list: [], exact: true }
  for (let i = 0; i < stores.length; i++) {
    const { run } = stores[i]
    const numbers = new Set(thing.numbers[i])
    const { codes, locations } = run.timeline
    if (numbers.size === 0) continue
    switch (thing.kind) {
      case 'thread':
        for (const location of numbers) found.list.push({ run: i, location, begin: locations[location].begin, end: locations[location].end, line: 0, code: ELIDED })
        break
      case 'lock': found.list.push(...waits(run, i, numbers)); break
      case 'function': found.list.push(...samples(run, i, numbers)); break
      case 'event': found.list.push(...events(run, i, numbers)); break
      case 'state': await inLanes(stores[i], i, lanesFor(run, true), code => codes[code][0] >= 0 && numbers.has(codes[code][0]), found, wanted); break
      default: {
        const lanes = lanesFor(run, false)
        const own = lanes.every(([, lane]) => lane === 0)
        await inLanes(stores[i], i, lanes, code => (own || codes[code][0] < 0) && numbers.has(codes[code][1]), found, wanted)
      }
    }
    if (!wanted()) return null
  }
  const rates = stores.map(({ run }) => run.timeline.ticks_per_second)
  found.list.sort((a, b) => a.begin / rates[a.run] - b.begin / rates[b.run] || a.run - b.run || a.location - b.location)
  return found
}
