// Filtering, by the rule of `heddle transform --filter-time` and --filter-count: each run of rare states becomes one record of an
// aggregate, named by the states before and after it.

import { nameOf, overAt, type Named, type Sequence, type Totals } from './sequence'
import { cutText, textOfRuns } from './texts'

/** Sequences that are kept of an aggregate, and states of one; others are only counted. */
const [RUNS_MOST, LENGTH_MOST] = [1000, 1000]

export interface Threshold { by: 'time' | 'count'; least: number }

/** By state: 1 if it is below the threshold. */
export function rareStates({ count, time }: Totals, { by, least }: Threshold): Uint8Array {
  return Uint8Array.from(by === 'time' ? time : count, value => value < least ? 1 : 0)
}

/** What a filter would make, for the sentence beside the threshold. */
export interface Outcome { records: number; states: number; aggregates: number | null; rareStates: number; rareRecords: number; rareTime: number }

function rareSums({ count, time }: Totals, rare: Uint8Array): Omit<Outcome, 'records' | 'aggregates' | 'states'> {
  let [rareStates, rareRecords, rareTime] = [0, 0, 0]
  count.forEach((often, state) => {
    if (often === 0 || !rare[state]) return
    rareStates++
    rareRecords += often
    rareTime += time[state]
  })
  return { rareStates, rareRecords, rareTime }
}

/** Calls `found` for each run of rare records: from the first to behind the last, and the states around, -1 for none. */
function eachRun({ state, terminal }: Sequence, rare: Uint8Array, found: (first: number, behind: number, before: number, after: number) => void): void {
  const count = state.length
  for (let i = 0; i < count; i++) {
    if (!rare[state[i]]) continue
    const first = i
    while (i < count && rare[state[i]]) i++
    // Behind a run that ends the sequence comes the terminal state, unless it is rare, too, or unknown.
    const after = i < count ? state[i] : terminal === null || rare[terminal] ? -1 : terminal
    found(first, i, first > 0 ? state[first - 1] : -1, after)
  }
}

export function outcome(sequence: Sequence, totals: Totals, rare: Uint8Array): Outcome {
  const sums = rareSums(totals, rare)
  const pairs = new Set<number>()
  let runs = 0
  eachRun(sequence, rare, (_, __, before, after) => {
    runs++
    pairs.add((before + 1) * (sequence.table + 1) + after + 1)
  })
  return { ...sums, records: totals.records - sums.rareRecords + runs, states: totals.distinct - sums.rareStates + pairs.size, aggregates: pairs.size }
}

/** The same from the totals and the transitions [from, to, how often] alone: the aggregates are unknown then. */
export function outcomeOfCounts(totals: Totals, edges: [number, number, number][], rare: Uint8Array): Outcome {
  const sums = rareSums(totals, rare)
  // Runs are as many as rare records that no rare one leads to.
  const inside = edges.reduce((all, [from, to, count]) => all + (rare[from] && rare[to] ? count : 0), 0)
  return { ...sums, records: totals.records - inside, states: totals.distinct - sums.rareStates, aggregates: null }
}

interface Aggregate { number: number; before: number; after: number; runs: Map<string, number>; first: string[]; others: number }

function standsFor(aggregate: Aggregate, names: Map<number, Named>): string {
  const around = [aggregate.before >= 0 ? `after ${nameOf(names, aggregate.before)}` : '', aggregate.after >= 0 ? `before ${nameOf(names, aggregate.after)}` : ''].filter(Boolean).join(', ')
  const runs = aggregate.first.map((key): [string[], number] => [key.split(',').map(state => nameOf(names, Number(state))), aggregate.runs.get(key) ?? 0])
  return cutText(`${around}${around ? ': ' : ''}${textOfRuns(runs, aggregate.others)}`)
}

function countRun(aggregate: Aggregate, run: Uint32Array): void {
  const key = run.length <= LENGTH_MOST ? run.join(',') : ''
  const known = aggregate.runs.get(key)
  if (key === '' || (known === undefined && aggregate.runs.size === RUNS_MOST)) {
    aggregate.others++
    return
  }
  if (known === undefined) aggregate.first.push(key)
  aggregate.runs.set(key, (known ?? 0) + 1)
}

export function filtered(sequence: Sequence, rare: Uint8Array): Sequence {
  const { state, entry } = sequence
  const aggregates = new Map<number, Aggregate>()
  const [toEntry, toState] = [new Float64Array(state.length), new Uint32Array(state.length)]
  let [from, made, table] = [0, 0, sequence.table]
  const copy = (until: number): void => {
    toEntry.set(entry.subarray(from, until), made)
    toState.set(state.subarray(from, until), made)
    made += until - from
  }
  eachRun(sequence, rare, (first, behind, before, after) => {
    const key = (before + 1) * (sequence.table + 1) + after + 1
    let aggregate = aggregates.get(key)
    if (!aggregate) {
      aggregate = { number: table++, before, after, runs: new Map(), first: [], others: 0 }
      aggregates.set(key, aggregate)
    }
    countRun(aggregate, state.subarray(first, behind))
    copy(first)
    toEntry[made] = entry[first]
    toState[made++] = aggregate.number
    from = behind
  })
  copy(state.length)
  const names = new Map(sequence.names)
  let { filtersNamed } = sequence
  for (const aggregate of aggregates.values()) names.set(aggregate.number, { name: `T${++filtersNamed}`, kind: 'filter', standsFor: standsFor(aggregate, sequence.names) })
  return { ...sequence, entry: toEntry.slice(0, made), state: toState.slice(0, made), names, table, filtersNamed }
}

/** Keeps the records of which `keeps` says so, which follow each other. The end is the entry of the first one dropped behind them. */
export function clipped(sequence: Sequence, first: number, behind: number, endsInside: boolean): Sequence {
  const cut = behind < sequence.entry.length
  return {
    ...sequence, entry: sequence.entry.slice(first, Math.max(first, behind)), state: sequence.state.slice(first, Math.max(first, behind)),
    end: cut ? overAt(sequence, behind - 1) : sequence.end, terminal: cut || !endsInside ? null : sequence.terminal,
  }
}
