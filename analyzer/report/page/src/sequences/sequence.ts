// A sequence of records in memory: what a file has, or what steps made of it. The end is when the last record's state was over.

import type { Kind, SequenceData } from './types'

export interface Named { name: string; kind: Kind; standsFor: string }

export interface Sequence {
  /** ticks since the begin of the file's sequence, and states by number */
  entry: Float64Array
  state: Uint32Array
  end: number
  /** the state that began at the end; null: unknown */
  terminal: number | null
  names: Map<number, Named>
  /** new states are numbered from here on */
  table: number
  /** the highest of the numbers in names as T12 and P3 */
  filtersNamed: number
  patternsNamed: number
}

/** By state: how often it occurs, and for how many ticks in all. The terminal state does not count. */
export interface Totals { count: Float64Array; time: Float64Array; records: number; duration: number; distinct: number }

export const namesOf = (data: SequenceData): Map<number, Named> => new Map(data.states.map(({ number, name, kind, stands_for }) => [number, { name, kind, standsFor: stands_for }]))

export function sequenceOf(data: SequenceData): Sequence | null {
  if (!data.later || !data.state) return null
  const entry = new Float64Array(data.later.length)
  let at = 0
  data.later.forEach((later, i) => {
    entry[i] = at += later
  })
  return { entry, state: Uint32Array.from(data.state), end: data.duration, terminal: data.terminal, names: namesOf(data), table: data.table, filtersNamed: data.filters_named, patternsNamed: data.patterns_named }
}

export const nameOf = (names: Map<number, Named>, state: number): string => names.get(state)?.name ?? `#${state}`
export const kindOf = (names: Map<number, Named>, state: number): Kind => names.get(state)?.kind ?? 'basic'
export const beginOf = (sequence: Sequence): number => sequence.entry.length > 0 ? sequence.entry[0] : sequence.end
/** When the i-th record's state was over. */
export const overAt = ({ entry, end }: Sequence, i: number): number => i + 1 < entry.length ? entry[i + 1] : end

export function totalsOf(sequence: Sequence): Totals {
  const count = new Float64Array(sequence.table)
  const time = new Float64Array(sequence.table)
  const { entry, state } = sequence
  for (let i = 0; i < entry.length; i++) {
    count[state[i]]++
    time[state[i]] += overAt(sequence, i) - entry[i]
  }
  return { count, time, records: entry.length, duration: sequence.end - beginOf(sequence), distinct: count.reduce((all, one) => all + (one > 0 ? 1 : 0), 0) }
}

/** Of a sequence whose records are not in the page. */
export function totalsOfData(data: SequenceData): Totals {
  const count = new Float64Array(data.table)
  const time = new Float64Array(data.table)
  for (const [state, often, ticks] of data.totals) {
    count[state] = often
    time[state] = ticks
  }
  return { count, time, records: data.records, duration: data.duration, distinct: data.distinct }
}

/** The states that occur, those of most time first. */
export function ranked({ count, time }: Totals): number[] {
  const states: number[] = []
  count.forEach((often, state) => {
    if (often > 0) states.push(state)
  })
  return states.sort((a, b) => time[b] - time[a] || a - b)
}
