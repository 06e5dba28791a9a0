// What can be searched for: constructs, lines of source, functions, locks, threads, states and the program's events.

import type { Row, Run } from '../bundle/types'
import { sampleTimesOf } from '../calls/times'
import { pointsOf } from '../events/points'
import { constructRanks } from '../look/constructs'
import { regionName } from '../timeline/names'
import { statesThatOccur } from '../timeline/legend'

export const KINDS = ['construct', 'line', 'lock', 'thread', 'state', 'event', 'function'] as const
export type Kind = typeof KINDS[number]

export interface Thing {
  kind: Kind
  name: string
  /** said behind the name */
  more: string
  /** by run, what it is called there: regions, locations, states, codes of functions */
  numbers: number[][]
}

/** Things that are listed at most. */
const MOST = 40

class Gathered {
  readonly things = new Map<string, Thing>()

  constructor(private readonly runs: number) {}

  add(kind: Kind, name: string, more: string, run: number, number: number): void {
    if (!name) return
    const key = `${kind} ${name}`
    let thing = this.things.get(key)
    if (!thing) this.things.set(key, thing = { kind, name, more, numbers: Array.from({ length: this.runs }, () => []) })
    if (!thing.numbers[run].includes(number)) thing.numbers[run].push(number)
  }
}

function addRegions(gathered: Gathered, run: Run, index: number): void {
  const ranks = constructRanks(run)
  const { regions } = run.timeline
  const points = new Set(pointsOf(run)?.types.map(({ region }) => region) ?? [])
  regions.map((_, region) => region).sort((a, b) => ranks[a] - ranks[b]).forEach(region => {
    const { file, line, longest, function: inside } = regions[region]
    if (points.has(region)) gathered.add('event', regions[region].name, '', index, region)
    else if (longest !== 0) gathered.add('construct', regionName(run, region), inside ? `in ${inside}` : '', index, region)
    if (file && line && longest !== 0) gathered.add('line', `${file.replace(/.*\//, '')}:${line}`, file, index, region)
  })
}

function addLocks(gathered: Gathered, run: Run, index: number): void {
  const { arrows, regions } = run.timeline
  const rows = run.documents.locks?.locks
  const places = run.documents.locks?.places
  for (const row of (Array.isArray(rows) ? rows : []) as Row[]) {
    const of = new Set(((Array.isArray(places) ? places : []) as Row[]).filter(place => place.lock === row.lock).map(place => String(place.place)))
    regions.forEach(({ name }, region) => {
      if (of.has(name)) gathered.add('lock', String(row.name), 'waits at its places', index, region)
    })
  }
  for (const [kind, , , , , region] of arrows) if (kind === 'lock' && typeof region === 'number' && region >= 0) gathered.add('lock', regions[region].name, 'waits', index, region)
}

export function thingsOf(runs: Run[]): Thing[] {
  const gathered = new Gathered(runs.length)
  runs.forEach((run, i) => {
    addRegions(gathered, run, i)
    addLocks(gathered, run, i)
    run.timeline.locations.forEach(({ name, process }, location) => gathered.add('thread', name || `thread ${location}`, process ?? '', i, location))
    for (const state of statesThatOccur(run)) gathered.add('state', run.timeline.states[state], '', i, state)
    const times = run.documents.calls && sampleTimesOf(run.documents.calls)
    if (times) for (const code of new Set(times.tree.code)) gathered.add('function', times.tree.name(code), times.tree.where(code), i, code)
  })
  return [...gathered.things.values()]
}

/** Those with the text, the best first: whole names, then beginnings of names or of their words, then any part. */
export function search(things: Thing[], text: string): Thing[] {
  const wanted = text.trim().toLowerCase()
  if (wanted === '') return []
  const quality = ({ name, more }: Thing): number => {
    const own = name.slice(0, 2000).toLowerCase()
    const at = own.indexOf(wanted)
    if (own === wanted) return 0
    if (at === 0) return 1
    if (at > 0) return /\w/.test(own[at - 1]) ? 3 : 2
    return more.slice(0, 2000).toLowerCase().includes(wanted) ? 4 : 5
  }
  return things.map((thing, i) => ({ thing, i, by: quality(thing) })).filter(({ by }) => by < 5)
    .sort((a, b) => a.by - b.by || KINDS.indexOf(a.thing.kind) - KINDS.indexOf(b.thing.kind) || a.i - b.i).slice(0, MOST).map(({ thing }) => thing)
}
