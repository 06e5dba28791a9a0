// The program's own events of a run: which types there are, and each thread's events in order of time.

import type { PointList, PointsDocument, Run } from '../bundle/types'

export interface PointType {
  /** what a type is known by in both runs */
  name: string
  region: number
  /** events, with those that were not recorded */
  count: number
  attributes: string[]
  /** the most events that one symbol stands for */
  every: number
}

/** One event, with the number of events that it stands for. */
export interface Point { list: number; index: number; time: number; weight: number }

/** Events of one thread: place i is event index[i] of list list[i]. */
interface Merged { time: Float64Array; list: Uint32Array; index: Uint32Array }

export class Points {
  readonly types: PointType[]
  readonly lists: PointList[]
  readonly times: Float64Array[]
  private readonly typeOf: number[]
  private readonly merged = new Map<number, Merged>()
  private readonly listsOf = new Map<number, number[]>()
  private readonly attributes: (string | null)[]

  constructor(run: Run, { attributes, lists }: PointsDocument) {
    this.lists = lists
    this.attributes = attributes
    this.times = lists.map(({ later }) => {
      let now = 0
      return Float64Array.from(later, ticks => now += ticks)
    })
    const types = new Map<number, PointType>()
    lists.forEach((list, i) => {
      // curves need numbers
      const names = list.attributes.filter((_, column) => list.values[column].some(value => typeof value === 'number')).map(attribute => attributes[attribute] ?? '')
      const type = types.get(list.region) ?? { name: run.timeline.regions[list.region].name, region: list.region, count: 0, attributes: [], every: 1 }
      type.count += this.weight(i) + list.missing
      type.every = Math.max(type.every, list.every)
      type.attributes.push(...names.filter(name => !type.attributes.includes(name)))
      types.set(list.region, type)
      const known = this.listsOf.get(list.location)
      if (known) known.push(i)
      else this.listsOf.set(list.location, [i])
    })
    this.types = [...types.values()].sort((a, b) => b.count - a.count || a.region - b.region)
    const place = new Map(this.types.map(({ region }, i) => [region, i]))
    this.typeOf = lists.map(({ region }) => place.get(region) as number)
  }

  type(list: number): PointType {
    return this.types[this.typeOf[list]]
  }

  /** the place of a list's type among the types */
  typeIndex(list: number): number {
    return this.typeOf[list]
  }

  weightAt(list: number, index: number): number {
    return this.lists[list].weights?.[index] ?? 1
  }

  private weight(list: number): number {
    const { weights, later } = this.lists[list]
    return weights ? weights.reduce((sum, weight) => sum + weight, 0) : later.length
  }

  /** By name; null: the event has no such number. */
  value(list: number, index: number, name: string): number | null {
    const { attributes, values } = this.lists[list]
    const column = attributes.findIndex(attribute => this.attributes[attribute] === name)
    const value = column < 0 ? null : values[column][index]
    return typeof value === 'number' ? value : null
  }

  values(list: number, index: number): [name: string, value: number | string][] {
    const { attributes, values } = this.lists[list]
    return attributes.flatMap((attribute, column) => {
      const value = values[column][index]
      return value === null ? [] : [[this.attributes[attribute] ?? '', value] as [string, number | string]]
    })
  }

  /** All events of a thread. */
  of(location: number): Merged {
    const known = this.merged.get(location)
    if (known) return known
    const lists = this.listsOf.get(location) ?? []
    const entries: [time: number, list: number, index: number][] = []
    for (const list of lists) this.times[list].forEach((time, index) => entries.push([time, list, index]))
    entries.sort((a, b) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2])
    const made = { time: Float64Array.from(entries, ([time]) => time), list: Uint32Array.from(entries, ([, list]) => list), index: Uint32Array.from(entries, ([, , index]) => index) }
    this.merged.set(location, made)
    return made
  }

  /** Lists of a type on a thread, or (null) on all. */
  listsFor(region: number, location: number | null): number[] {
    return this.lists.flatMap((list, i) => list.region === region && (location === null || list.location === location) ? [i] : [])
  }
}

const known = new WeakMap<Run, Points | null>()

/** null: the program has no events of its own. */
export function pointsOf(run: Run): Points | null {
  let points = known.get(run)
  if (points === undefined) {
    points = run.documents.points && run.documents.points.lists.length > 0 ? new Points(run, run.documents.points) : null
    known.set(run, points)
  }
  return points
}
