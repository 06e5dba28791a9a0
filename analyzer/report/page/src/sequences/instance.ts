// An instance of a sequence: the file's records, a list of steps with undo and redo, and what they made.

import type { Document } from '../bundle/types'
import { modelOf } from './modelof'
import { periodsOf } from './periodsof'
import { namesOf, sequenceOf, totalsOf, totalsOfData, type Named, type Sequence, type Totals } from './sequence'
import { parseStep, type Step } from './steps'
import type { SequenceData } from './types'

/** What is saved of an instance. */
export interface SavedInstance { sequence: number; steps: string[]; at: number; time?: number; count?: number }

export class Instance {
  /** all steps, of which the first `at` are executed: the others were undone */
  private steps: Step[] = []
  at = 0
  /** thresholds of the histograms; null: none is chosen */
  thresholds: { time: number | null; count: number | null } = { time: null, count: null }
  private readonly dataNames: Map<number, Named>
  private made: { sequence: Sequence | null; totals: Totals }[]

  constructor(readonly data: SequenceData, readonly index: number, original?: Sequence | null) {
    const sequence = original === undefined ? sequenceOf(data) : original
    this.dataNames = sequence?.names ?? namesOf(data)
    this.made = [{ sequence, totals: sequence ? totalsOf(sequence) : totalsOfData(data) }]
  }

  /** Null: the page does not have the records. */
  get sequence(): Sequence | null { return this.made[this.at].sequence }
  get totals(): Totals { return this.made[this.at].totals }
  get whole(): boolean { return this.made[0].sequence !== null }
  get names(): Map<number, Named> { return this.sequence?.names ?? this.dataNames }
  get texts(): string[] { return this.steps.map(({ text }) => text) }
  get done(): string[] { return this.texts.slice(0, this.at) }
  get seconds(): number { return 1 / (this.data.ticks_per_second || 1) }

  /** Executes one more step; those that were undone are gone. A sentence if it is none. */
  add(text: string): string | null {
    const step = parseStep(text, this.data.ticks_per_second)
    if (typeof step === 'string') return step
    const { sequence } = this
    if (!sequence) return 'the page does not have the records of this sequence'
    const next = step.apply(sequence)
    if (typeof next === 'string') return next
    this.steps = [...this.steps.slice(0, this.at), step]
    this.made = [...this.made.slice(0, this.at + 1), { sequence: next, totals: totalsOf(next) }]
    this.at++
    this.thresholds = { time: null, count: null }
    return null
  }

  /** Executes the first `at` steps: undo and redo. */
  goTo(at: number): void {
    this.at = Math.max(0, Math.min(this.steps.length, at))
    this.thresholds = { time: null, count: null }
  }

  /** Another one with the same steps; records are shared, as no step changes them. */
  twin(): Instance {
    const twin = new Instance(this.data, this.index, this.made[0].sequence)
    twin.steps = this.steps
    twin.made = this.made
    twin.at = this.at
    return twin
  }

  saved(): SavedInstance {
    const { time, count } = this.thresholds
    return { sequence: this.index, steps: this.texts, at: this.at, ...(time === null ? {} : { time }), ...(count === null ? {} : { count }) }
  }

  /** The document of the file, or what the page computes after steps; a sentence if there is none. */
  model(): Document | string {
    const { model, model_missing: missing } = this.data.documents
    if (this.at === 0 && model) return model
    return this.sequence ? modelOf(this.sequence, this.totals, this.data.ticks_per_second) : missing ?? 'there is no model'
  }

  periods(domain: 'time' | 'event'): Document | string {
    const { documents } = this.data
    const [document, missing] = domain === 'time' ? [documents.spectrum_time, documents.spectrum_time_missing] : [documents.spectrum_event, documents.spectrum_event_missing]
    if (this.at === 0 || !this.sequence) return document ?? missing ?? 'there is no periodogram'
    return periodsOf(this.sequence, domain, this.data.ticks_per_second) ?? 'the sequence has less than 4 samples'
  }
}

/** A saved instance; a sentence if it is none. */
export function openInstance(sequences: SequenceData[], originals: Instance[], saved: SavedInstance): Instance | string {
  const original = originals[saved.sequence]
  if (!original || !sequences[saved.sequence]) return 'it has a sequence that this page has not'
  const instance = original.twin()
  instance.goTo(0)
  for (const text of Array.isArray(saved.steps) ? saved.steps.slice(0, 1000) : []) {
    const problem = instance.add(String(text))
    if (problem) return problem
  }
  instance.goTo(Number.isInteger(saved.at) ? saved.at : instance.texts.length)
  for (const by of ['time', 'count'] as const) {
    const least = Number(saved[by])
    if (saved[by] !== undefined && least >= 0 && Number.isFinite(least)) instance.thresholds[by] = Math.ceil(least)
  }
  return instance
}
