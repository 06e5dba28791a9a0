// The shares of the last readings: of all threads, of each thread, of each construct.

import { groups, percentOf, secondsOf, type Reading } from './reading'
import type { Row } from '../bundle/types'

/** Readings that are kept. */
export const KEPT = 120

interface Entry {
  number: number
  all: number[]
  /** by location and group, in 200ths: exact enough for a picture */
  threads: Uint8Array
  constructs: Map<string, number>
}

/** Percent of the row's time in each group of states. */
function shares(row: Row | undefined): number[] {
  const lifetime = secondsOf(row?.lifetime)
  return groups.map(([key]) => lifetime > 0 ? secondsOf(row?.[key]) / lifetime * 100 : 0)
}

export class History {
  private entries: Entry[] = []

  add(number: number, reading: Reading): void {
    const locations = reading.threads.reduce((most, { location }) => Math.max(most, location + 1), 0)
    const threads = new Uint8Array(locations * groups.length)
    for (const { location, states } of reading.threads) shares(states).forEach((share, i) => { threads[location * groups.length + i] = Math.round(share * 2) })
    this.entries.push({ number, all: shares(reading.all), threads, constructs: new Map(reading.constructs.map(({ key, row }) => [key, percentOf(row.self)])) })
    while (this.entries.length > 0 && this.entries[0].number <= number - KEPT) this.entries.shift()
  }

  /** What `value` says of each of the last readings, the newest one last; null where there was none. */
  private last(value: (entry: Entry) => number[] | null): (number[] | null)[] {
    const newest = this.entries[this.entries.length - 1]?.number ?? 0
    const list = new Array<number[] | null>(KEPT).fill(null)
    for (const entry of this.entries) list[KEPT - 1 - (newest - entry.number)] = value(entry)
    return list
  }

  all(): (number[] | null)[] {
    return this.last(({ all }) => all)
  }

  thread(location: number): (number[] | null)[] {
    return this.last(({ threads }) => (location + 1) * groups.length > threads.length ? null
      : Array.from(threads.subarray(location * groups.length, (location + 1) * groups.length), value => value / 2))
  }

  construct(key: string): (number[] | null)[] {
    return this.last(({ constructs }) => [constructs.get(key) ?? 0])
  }
}
