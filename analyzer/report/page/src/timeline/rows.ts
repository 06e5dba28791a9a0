// Which threads are shown, in which order, under which headings.

import type { Location, Run, Time } from '../bundle/types'
import { byLikeness } from './likeness'
import type { Options } from './options'

export interface Heading {
  text: string
  /** in Options.folded */
  key: string
  members: number[]
  folded: boolean
}

export interface Rows {
  /** a location, or -1 - i for heading i */
  order: Int32Array
  headings: Heading[]
  /** row of a location, or -1 */
  rowOf: Int32Array
  /** the first rows, which stay above the others */
  pinned: number
  /** why the filter could not be used, or null */
  problem: string | null
}

function matcher(filter: string): (text: string) => boolean {
  if (filter === '') return () => true
  if (filter.startsWith('/') && filter.length > 1) {
    const expression = new RegExp(filter.endsWith('/') && filter.length > 2 ? filter.slice(1, -1) : filter.slice(1), 'i')
    return text => expression.test(text.slice(0, 2000))
  }
  const wanted = filter.toLowerCase()
  return text => text.toLowerCase().includes(wanted)
}

function keyFor(run: Run, options: Options, shown: number[]): (location: number) => number | string {
  const { locations } = run.timeline
  switch (options.sort) {
    case 'trace': return location => location
    case 'name': return location => locations[location].name
    case 'begin': return location => locations[location].begin
    case 'lifetime': return location => locations[location].end - locations[location].begin
    case 'likeness': {
      const places = new Map(byLikeness(run, shown).map((location, place) => [location, place]))
      return location => places.get(location) ?? 0
    }
    default: {
      const key = options.sort.slice('time:'.length)
      const threads = run.documents.states?.threads
      const ticks = new Map<number, number>()
      if (Array.isArray(threads))
        for (const row of threads) ticks.set(row.thread as number, (row[key] as Time | undefined)?.ticks ?? 0)
      return location => ticks.get(location) ?? 0
    }
  }
}

const collator = new Intl.Collator('en', { numeric: true })

/** The name without its numbers: threads of one kind differ in these alone. */
const kindOf = ({ name }: Location): string => name.slice(0, 500).replace(/\d+/g, '#')

/** By location: the thread that forked most of its teams. */
function forkersOf(run: Run): Map<number, number> {
  const counts = new Map<number, Map<number, number>>()
  for (const [kind, from, , to] of run.timeline.arrows) {
    if (kind !== 'fork') continue
    for (const member of [to, from]) {
      const of = counts.get(member) ?? new Map<number, number>()
      of.set(from, (of.get(from) ?? 0) + (member === to ? 1 : 0.5))
      counts.set(member, of)
    }
  }
  return new Map([...counts].map(([member, of]) => [member, [...of].sort((a, b) => b[1] - a[1] || a[0] - b[0])[0][0]]))
}

function groupNames(run: Run, options: Options): (location: number) => string {
  const { locations } = run.timeline
  switch (options.group) {
    case 'process': return i => locations[i].process || 'no process'
    case 'kind': return i => locations[i].kind === 'processor' ? 'processors' : kindOf(locations[i]) || 'no name'
    case 'team': {
      const forkers = forkersOf(run)
      return i => forkers.has(i) ? `team of ${locations[forkers.get(i) as number].name}` : 'no team'
    }
    default: return i => locations[i].group || 'no name'
  }
}

export function arrange(run: Run, index: number, options: Options): Rows {
  const { locations } = run.timeline
  let problem: string | null = null
  let matches: (text: string) => boolean
  try {
    matches = matcher(options.filter)
  } catch {
    matches = () => true
    problem = 'This is no regular expression; all threads are shown.'
  }
  const pinned = [...options.pinned].map(key => key.split('/').map(Number)).filter(([of, i]) => of === index && locations[i]).map(([, i]) => i)
  const above = new Set(pinned)
  const shown: number[] = []
  locations.forEach((location, i) => {
    if (options.hiddenThreads.has(`${index}/${i}`) || above.has(i)) return
    if (matches(location.name) || (location.process && matches(location.process))) shown.push(i)
  })
  const key = keyFor(run, options, shown)
  const keys = new Map(shown.map(location => [location, key(location)]))
  const sign = options.descending ? -1 : 1
  shown.sort((a, b) => {
    const x = keys.get(a) as number | string
    const y = keys.get(b) as number | string
    const order = typeof x === 'string' ? collator.compare(x.slice(0, 500), String(y).slice(0, 500)) : x - (y as number)
    return sign * order || a - b
  })
  const headings: Heading[] = []
  const order: number[] = [...pinned]
  if (options.group === 'none') {
    for (const location of shown) order.push(location)
  } else {
    for (const [name, members] of grouped(shown, groupNames(run, options))) {
      const heading = { text: `${name} · ${members.length} thread${members.length === 1 ? '' : 's'}`, key: `${index}/${name.slice(0, 200)}`, members, folded: false }
      heading.folded = options.folded.has(heading.key)
      headings.push(heading)
      order.push(-headings.length)
      if (!heading.folded) for (const member of members) order.push(member)
    }
  }
  const rowOf = new Int32Array(locations.length).fill(-1)
  order.forEach((location, row) => {
    if (location >= 0) rowOf[location] = row
  })
  return { order: Int32Array.from(order), headings, rowOf, pinned: pinned.length, problem }
}

function grouped(list: number[], name: (i: number) => string): Map<string, number[]> {
  const groups = new Map<string, number[]>()
  for (const i of list) {
    const members = groups.get(name(i))
    if (members) members.push(i)
    else groups.set(name(i), [i])
  }
  return groups
}
