// The model of a sequence as it is after steps: the tables that `heddle model --json` has, without those of the long run.

import type { Document, Row, Time } from '../bundle/types'
import { kindOf, nameOf, overAt, ranked, type Sequence, type Totals } from './sequence'

interface Sums { min: number; max: number; squares: number }

const time = (ticks: number, ticksPerSecond: number, whole?: number): Time => ({ ticks, seconds: ticks / (ticksPerSecond || 1), ...(whole === undefined ? {} : { percent: whole > 0 ? ticks / whole * 100 : 0 }) })

function sumsOf(sequence: Sequence, { count, time: total }: Totals): Map<number, Sums> {
  const sums = new Map<number, Sums>()
  sequence.entry.forEach((entry, i) => {
    const state = sequence.state[i]
    const ticks = overAt(sequence, i) - entry
    const away = ticks - total[state] / count[state]
    const known = sums.get(state)
    if (!known) sums.set(state, { min: ticks, max: ticks, squares: away * away })
    else {
      known.min = Math.min(known.min, ticks)
      known.max = Math.max(known.max, ticks)
      known.squares += away * away
    }
  })
  return sums
}

function edgesOf({ state, names, table }: Sequence): Row[] {
  const counts = new Map<number, number>()
  const left = new Map<number, number>()
  for (let i = 0; i + 1 < state.length; i++) {
    const key = state[i] * table + state[i + 1]
    counts.set(key, (counts.get(key) ?? 0) + 1)
    left.set(state[i], (left.get(state[i]) ?? 0) + 1)
  }
  return [...counts].sort(([a], [b]) => a - b).map(([key, count]) => {
    const from = Math.floor(key / table)
    return { from: nameOf(names, from), to: nameOf(names, key % table), count, probability: count / (left.get(from) as number) }
  })
}

export function modelOf(sequence: Sequence, totals: Totals, ticksPerSecond: number): Document {
  const sums = sumsOf(sequence, totals)
  const states = ranked(totals).map((state): Row => {
    const { min, max, squares } = sums.get(state) as Sums
    const visits = totals.count[state]
    return {
      number: state, state: nameOf(sequence.names, state), kind: kindOf(sequence.names, state), visits, total: time(totals.time[state], ticksPerSecond, totals.duration),
      mean: time(totals.time[state] / visits, ticksPerSecond), min: time(min, ticksPerSecond), max: time(max, ticksPerSecond),
      deviation: visits > 1 ? time(Math.sqrt(squares / (visits - 1)), ticksPerSecond) : null,
    }
  })
  const edges = edgesOf(sequence)
  return { records: totals.records, transitions: edges.length, states, edges }
}
