// Two runs: where the second one's calls have more or less than the first one's, beyond chance.

import type { CallsDocument, Run } from '../bundle/types'
import { mixed, themeColor } from '../look/colors'
import { count, duration, percent } from '../time/format'
import { treeOf } from './times'
import { ANY, base, type CallTree, type Figures, type Selection } from './tree'

const QUANTILE = 1.959963984540054
/** A change of this part of all samples has the strongest colour, MOST of what the style sheet says; the smallest one LEAST. */
const FULL = 0.15
const LEAST = 0.2
const MOST = 0.8

interface Change { more: number; half: number }

/** What one sample stands for: seconds, events, or itself. */
const unitOf = ({ timed, period }: CallsDocument['triggers'][number]): number => period === 0 ? 1 : timed ? period * 1e-9 : period

/** The nodes below a node by name and module; where these are not enough, also by source file. */
class Places {
  private readonly exact = new Map<string, number>()
  private readonly names = new Map<string, { node: number; count: number }>()

  constructor(of: CallTree) {
    for (let node = 0; node < of.code.length; node++) {
      const above = of.parent[node]
      const name = Places.name(of, node, above)
      const exact = Places.exactly(of, node, above)
      if (!this.exact.has(exact)) this.exact.set(exact, node)
      this.names.set(name, { node, count: (this.names.get(name)?.count ?? 0) + 1 })
    }
  }

  private static name(of: CallTree, node: number, above: number): string {
    return `${above}\n${of.name(of.code[node])}\n${base(of.module(of.code[node]))}`
  }

  private static exactly(of: CallTree, node: number, above: number): string {
    return `${Places.name(of, node, above)}\n${of.where(of.code[node]).replace(/:\d+$/, '')}`
  }

  /** Whether no other node below the same one has its name. */
  alone(of: CallTree, node: number, above: number): boolean {
    return this.names.get(Places.name(of, node, above))?.count === 1
  }

  /** A file can have another name in the other run, if no other function has this name. */
  find(of: CallTree, node: number, above: number, alone: boolean): number {
    const named = this.names.get(Places.name(of, node, above))
    return this.exact.get(Places.exactly(of, node, above)) ?? (alone && named?.count === 1 ? named.node : -1)
  }
}

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
    const places = new Places(this.before)
    const own = new Places(tree)
    for (let node = 0; node < tree.code.length; node++) {
      const above = tree.parent[node]
      const sameAbove = above < 0 ? -1 : this.same[above]
      if (above < 0 || sameAbove >= 0) this.same[node] = places.find(tree, node, sameAbove, own.alone(tree, node, above))
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
    return mixed(neutral, themeColor(more > 0 ? 'bad' : 'good'), Math.min(MOST, LEAST + Math.abs(more) / all / FULL))
  }

  text(node: number): string {
    const { more, half } = this.change(node)
    const amount = (value: number): string => this.timed ? duration(value) : count(value)
    const margin = more === 0 ? '' : ` ±${percent(100 * half / Math.abs(more))}`
    return `${more < 0 ? '−' : '+'}${amount(Math.abs(more))}${margin} against A${Math.abs(more) > half ? '' : ', which may be chance'}`
  }
}
