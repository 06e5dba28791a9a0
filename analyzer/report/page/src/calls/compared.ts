// Two runs: where the second one's calls have more or less than the first one's, beyond chance.

import type { CallsDocument, Run } from '../bundle/types'
import { mixed, themeColor } from '../look/colors'
import { count, duration, percent } from '../time/format'
import { treeOf } from './times'
import { ANY, base, type CallTree, type Figures, type Selection } from './tree'

const QUANTILE = 1.959963984540054
/** A change of this part of all samples has the full colour. */
const FULL = 0.1
const LEAST = 0.25

interface Change { more: number; half: number }

/** What one sample stands for: seconds, events, or itself. */
const unitOf = ({ timed, period }: CallsDocument['triggers'][number]): number => period === 0 ? 1 : timed ? period * 1e-9 : period

export class Compared {
  /** by node: the node of the first run with the same functions above it; -1: there is none */
  private readonly same: Int32Array
  private readonly before: CallTree
  private figures: Figures | null = null
  private units: [number, number] = [1, 1]
  private timed = false
  private of: Figures | null = null

  constructor(private readonly tree: CallTree, private readonly run: Run, private readonly first: Run, document: CallsDocument) {
    this.before = treeOf(document)
    this.same = new Int32Array(tree.code.length).fill(-1)
    const places = new Map<string, number>()
    const place = (of: CallTree, node: number, above: number): string => `${above}\n${of.name(of.code[node])}\n${base(of.module(of.code[node]))}`
    for (let node = this.before.code.length - 1; node >= 0; node--) places.set(place(this.before, node, this.before.parent[node]), node)
    for (let node = 0; node < tree.code.length; node++) {
      const above = tree.parent[node]
      const sameAbove = above < 0 ? -1 : this.same[above]
      if (above < 0 || sameAbove >= 0) this.same[node] = places.get(place(tree, node, sameAbove)) ?? -1
    }
  }

  /** Takes what is shown of the second run. False: the first one has no such trigger. */
  show(selection: Selection, figures: Figures): boolean {
    const translated = this.translate(selection)
    this.figures = translated && this.before.figures(translated)
    this.of = figures
    if (!translated) return false
    const [a, b] = [this.before.document.triggers[translated.trigger], this.tree.document.triggers[selection.trigger]]
    this.units = [unitOf(a), unitOf(b)]
    this.timed = b.timed && b.period > 0
    return true
  }

  /** The same trigger, thread, construct and state in the first run, by name; what is not there has no samples. */
  private translate({ trigger, location, region, state }: Selection): Selection | null {
    const [a, b] = [this.before.document, this.tree.document]
    const wanted = b.triggers[trigger]
    const at = a.triggers.findIndex(({ name, timed, period }) => name === wanted.name && timed === wanted.timed && (period === 0) === (wanted.period === 0))
    if (at < 0) return null
    const nowhere = -4
    const found = (index: number): number => index < 0 ? nowhere : index
    return {
      trigger: at,
      location: location < 0 ? location : found(this.first.timeline.locations.findIndex(({ name }) => name === this.run.timeline.locations[location].name)),
      region: region < 0 ? region : found(this.first.timeline.regions.findIndex(({ name }) => name === this.run.timeline.regions[region].name)),
      state: state === ANY ? ANY : found(a.states.findIndex(({ key }) => key === b.states[state].key)),
    }
  }

  /** Numbers of samples are taken as Poisson's, as in analyzer/calls/compare.h. */
  private change(node: number): Change {
    const { figures, of, units: [unitA, unitB] } = this
    if (!figures || !of) return { more: 0, half: 0 }
    const a = this.same[node] < 0 ? 0 : figures.below[this.same[node]]
    const b = of.below[node]
    return { more: b * unitB - a * unitA, half: QUANTILE * Math.sqrt(a * unitA ** 2 + b * unitB ** 2) }
  }

  color(node: number): string {
    const { more, half } = this.change(node)
    const neutral = themeColor('rule')
    if (Math.abs(more) <= half || !this.figures || !this.of) return neutral
    const all = Math.max(this.figures.all * this.units[0], this.of.all * this.units[1])
    return mixed(neutral, themeColor(more > 0 ? 'bad' : 'good'), Math.min(1, LEAST + Math.abs(more) / all / FULL))
  }

  text(node: number): string {
    const { more, half } = this.change(node)
    const amount = (value: number): string => this.timed ? duration(value) : count(value)
    const margin = more === 0 ? '' : ` ±${percent(100 * half / Math.abs(more))}`
    return `${more < 0 ? '−' : '+'}${amount(Math.abs(more))}${margin} against A${Math.abs(more) > half ? '' : ', which may be chance'}`
  }
}
