// The intervals of a run that a specification defines, by kind.

import type { IntervalKind, Run } from '../bundle/types'

/** Lanes of a thread's rectangles that overlap; what needs more lies upon others. */
const LANES = 4

export class Intervals {
  readonly kinds: IntervalKind[]
  /** by kind: begins, in ticks since the start of the timeline */
  readonly begins: Float64Array[]
  private readonly lanesOf = new Map<number, Uint8Array>()
  /** by thread, how many lanes its rectangles have */
  private readonly laneCounts = new Map<string, number>()

  constructor(run: Run) {
    this.kinds = run.documents.intervals?.kinds ?? []
    this.begins = this.kinds.map(({ later }) => {
      let now = 0
      return Float64Array.from(later, ticks => now += ticks)
    })
  }

  weight(kind: number, index: number): number {
    return this.kinds[kind].weights?.[index] ?? 1
  }

  /** The time of all that an interval stands for. */
  total(kind: number, index: number): number {
    return this.kinds[kind].totals?.[index] ?? this.kinds[kind].length[index]
  }

  end(kind: number, index: number): number {
    return this.begins[kind][index] + this.kinds[kind].length[index]
  }

  /** By interval: in which lane of its thread it lies, so that those that overlap do not cover each other. */
  lanes(kind: number): Uint8Array {
    const known = this.lanesOf.get(kind)
    if (known) return known
    const { from, length } = this.kinds[kind]
    const lanes = new Uint8Array(from.length)
    const busy = new Map<number, number[]>()
    from.forEach((location, i) => {
      const ends = busy.get(location) ?? []
      busy.set(location, ends)
      const begin = this.begins[kind][i]
      let lane = ends.findIndex(end => end <= begin)
      if (lane < 0) lane = ends.length < LANES ? ends.length : LANES - 1
      ends[lane] = begin + length[i]
      lanes[i] = lane
    })
    for (const [location, ends] of busy) this.laneCounts.set(`${kind} ${location}`, ends.length)
    this.lanesOf.set(kind, lanes)
    return lanes
  }

  laneCount(kind: number, location: number): number {
    this.lanes(kind)
    return this.laneCounts.get(`${kind} ${location}`) ?? 1
  }

  /** Attributes of the events at both ends. */
  values(kind: number, index: number): [name: string, value: number | string][] {
    return (this.kinds[kind].attributes ?? []).flatMap(({ name, values }) => {
      const value = values[index]
      return value === null ? [] : [[name, value] as [string, number | string]]
    })
  }
}

const known = new WeakMap<Run, Intervals | null>()

/** null: the report was made without a specification, or that has no intervals. */
export function intervalsOf(run: Run): Intervals | null {
  let intervals = known.get(run)
  if (intervals === undefined) {
    intervals = run.documents.intervals && run.documents.intervals.kinds.length > 0 ? new Intervals(run) : null
    known.set(run, intervals)
  }
  return intervals
}
