// Which threads are shown, in which order, under which headings.

import type { Location, Run, Time } from '../bundle/types'
import type { Options } from './options'

export interface Rows {
  /** a location, or -1 - i for heading i */
  order: Int32Array
  headings: string[]
  /** row of a location, or -1 */
  rowOf: Int32Array
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

function keyFor(run: Run, options: Options): (location: number) => number | string {
  const { locations } = run.timeline
  switch (options.sort) {
    case 'trace': return location => location
    case 'name': return location => locations[location].name
    case 'begin': return location => locations[location].begin
    case 'lifetime': return location => locations[location].end - locations[location].begin
    default: {
      const key = options.sort.slice('time:'.length)
      const threads = run.documents.states?.threads
      const ticks = new Map<number, number>()
      if (Array.isArray(threads))
        for (const row of threads) ticks.set(row.location as number, (row[key] as Time | undefined)?.ticks ?? 0)
      return location => ticks.get(location) ?? 0
    }
  }
}

const collator = new Intl.Collator('en', { numeric: true })

function groupName(location: Location, options: Options): string {
  return (options.group === 'process' ? location.process : location.group) || 'no name'
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
  const shown: number[] = []
  locations.forEach((location, i) => {
    if (options.hiddenThreads.has(`${index}/${i}`)) return
    if (matches(location.name) || (location.process && matches(location.process))) shown.push(i)
  })
  const key = keyFor(run, options)
  const keys = new Map(shown.map(location => [location, key(location)]))
  const sign = options.descending ? -1 : 1
  shown.sort((a, b) => {
    const x = keys.get(a) as number | string
    const y = keys.get(b) as number | string
    const order = typeof x === 'string' ? collator.compare(x.slice(0, 500), String(y).slice(0, 500)) : x - (y as number)
    return sign * order || a - b
  })
  const headings: string[] = []
  const order: number[] = []
  if (options.group === 'none') {
    for (const location of shown) order.push(location)
  } else {
    const groups = grouped(shown, i => groupName(locations[i], options))
    for (const [name, members] of groups) {
      headings.push(`${name} · ${members.length} thread${members.length === 1 ? '' : 's'}`)
      order.push(-headings.length)
      for (const member of members) order.push(member)
    }
  }
  const rowOf = new Int32Array(locations.length).fill(-1)
  order.forEach((location, row) => {
    if (location >= 0) rowOf[location] = row
  })
  return { order: Int32Array.from(order), headings, rowOf, problem }
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
