// What the page of `heddle report --pes` carries. Times are ticks since the begin of the sequence.

import type { Document } from '../bundle/types'

export type Kind = 'basic' | 'filter' | 'pattern'

export interface StateData { number: number; name: string; kind: Kind; stands_for: string }

/** Which rows occur in each of equal parts of a sequence: `states` have the rows, those of most time first; the last row is all others. */
export interface PartsData { rows: number; time: number[][]; events: number[][] }

export interface SequenceData {
  file: string
  /** the file as a word of a shell */
  word: string
  title: string
  parameters: [string, string][]
  /** 0: unknown */
  ticks_per_second: number
  records: number
  /** the first entry, as a text: it may be above 2^53 */
  begin: string
  duration: number
  terminal: number | null
  /** the highest of the numbers in names as T12 and P3 */
  filters_named: number
  patterns_named: number
  /** states in the table: new ones are numbered from here on */
  table: number
  /** states that occur */
  distinct: number
  /** those of most time first, at most 5,000, then the terminal state if it is none of them */
  states: StateData[]
  /** [state, count, ticks] in the same order */
  totals: [number, number, number][]
  /** of each record: ticks since the one before, and its state; missing if there are too many */
  later?: number[]
  state?: number[]
  /** in their place */
  parts?: PartsData
  documents: {
    model?: Document | null
    model_missing?: string
    spectrum_time?: Document | null
    spectrum_time_missing?: string
    spectrum_event?: Document | null
    spectrum_event_missing?: string
  }
}

export interface SequencesBundle {
  version: number
  generator: string
  command: string
  records_most: number
  sequences: SequenceData[]
}
