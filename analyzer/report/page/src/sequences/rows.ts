// The rows of plots: a state has the same row in all sequences, found by its name. Those of most time are above.

import type { Instance } from './instance'
import { kindOf, nameOf, ranked } from './sequence'
import type { Kind } from './types'

/** States with a row of their own; the others share the last one. */
const ROWS = 250

export interface Rows {
  /** names and kinds from the top on */
  list: { name: string; kind: Kind }[]
  /** a sequence's states -> rows */
  of: (instance: Instance) => Uint16Array
  /** how many states share the last row; 0: there is none */
  others: number
}

export function rowsOf(instances: Instance[]): Rows {
  const shares = new Map<string, { share: number; kind: Kind }>()
  for (const { totals, names } of instances) {
    for (const state of ranked(totals)) {
      const name = nameOf(names, state)
      const known = shares.get(name)
      const share = totals.duration > 0 ? totals.time[state] / totals.duration : 0
      if (known) known.share += share
      else shares.set(name, { share, kind: kindOf(names, state) })
    }
  }
  const sorted = [...shares].sort(([, a], [, b]) => b.share - a.share)
  const shown = sorted.length > ROWS ? sorted.slice(0, ROWS) : sorted
  const others = sorted.length - shown.length
  const list = shown.map(([name, { kind }]) => ({ name, kind }))
  if (others > 0) list.push({ name: `(${others} others)`, kind: 'basic' })
  const places = new Map(shown.map(([name], i) => [name, i]))
  return { list, others, of: ({ totals, names }) => Uint16Array.from({ length: totals.count.length }, (_, state) => places.get(nameOf(names, state)) ?? shown.length) }
}
