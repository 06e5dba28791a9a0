// The tree of calling contexts, and what is selected of its samples: the same sums as those of `heddle calls`.

import type { CallsDocument } from '../bundle/types'

/** Any thread, construct or state. */
export const ANY = -2

/** Which samples: a trigger's, and of threads, regions and states those that are named. */
export interface Selection { trigger: number; location: number; region: number; state: number }

/** Samples by node, and by function. */
export interface Figures {
  all: number
  /** by node: its own code ran */
  own: Float64Array
  /** by node: its own code, or code below it */
  below: Float64Array
  /** by function */
  self: Float64Array
  inclusive: Float64Array
  /** by node: of `below`, those of which it is the nearest occurrence of its function */
  assigned: Float64Array
  /** by node: from the nearest occurrence of its parent's function to it */
  through: Float64Array
}

/** A caller of a function, or a function that it calls. */
export interface Relative { code: number; self: number; below: number }

export class CallTree {
  /** by node: its function; others have a number of their own */
  readonly code: Int32Array
  readonly parent: Int32Array
  readonly children: number[][]
  /** nodes that nothing called */
  readonly roots: number[] = []
  readonly codes: number
  /** by node: the occurrence of its function above it, or -1, and the node below that on the way here */
  private readonly outer: Int32Array
  private readonly via: Int32Array

  constructor(readonly document: CallsDocument) {
    const { nodes, functions } = document
    this.codes = functions.length + 1
    this.code = Int32Array.from(nodes, ([code]) => code < 0 ? functions.length : code)
    this.parent = Int32Array.from(nodes, ([, parent]) => parent)
    this.children = nodes.map(() => [])
    this.outer = new Int32Array(nodes.length).fill(-1)
    this.via = new Int32Array(nodes.length)
    for (let node = 0; node < nodes.length; node++) {
      const above = this.parent[node]
      if (above < 0) this.roots.push(node)
      else this.children[above].push(node)
      for (let inner = node, at = above; at >= 0; inner = at, at = this.parent[at]) {
        if (this.code[at] !== this.code[node]) continue
        this.outer[node] = at
        this.via[node] = inner
        break
      }
    }
  }

  get others(): number {
    return this.codes - 1
  }

  name(code: number): string {
    if (code < 0) return '(none)'
    return code === this.others ? '(others)' : this.document.functions[code][0]
  }

  /** "lu.c:42" */
  where(code: number): string {
    if (code < 0 || code === this.others) return ''
    const [, file, line] = this.document.functions[code]
    return file ? `${base(file)}${line > 0 ? `:${line}` : ''}` : ''
  }

  module(code: number): string {
    return code < 0 || code === this.others ? '' : this.document.functions[code][3]
  }

  /** A sample belongs to each function on its path once: to its occurrence nearest to the code that ran. */
  figures({ trigger, location, region, state }: Selection): Figures {
    const count = this.code.length
    const own = new Float64Array(count)
    let outside = 0
    for (const [node, l, r, s, t, samples] of this.document.cells) {
      if (t !== trigger || (location !== ANY && l !== location) || (region !== ANY && r !== region) || (state !== ANY && s !== state)) continue
      if (node < 0) outside += samples
      else own[node] += samples
    }
    const below = Float64Array.from(own)
    for (let node = count - 1; node >= 0; node--) if (this.parent[node] >= 0) below[this.parent[node]] += below[node]
    const assigned = Float64Array.from(below)
    const through = Float64Array.from(below)
    for (let node = 0; node < count; node++) {
      if (this.outer[node] < 0) continue
      assigned[this.outer[node]] -= below[node]
      through[this.via[node]] -= below[node]
    }
    const self = new Float64Array(this.codes)
    const inclusive = new Float64Array(this.codes)
    for (let node = 0; node < count; node++) {
      self[this.code[node]] += own[node]
      inclusive[this.code[node]] += assigned[node]
    }
    const all = this.roots.reduce((sum, node) => sum + below[node], outside)
    return { all, own, below, self, inclusive, assigned, through }
  }

  callers(figures: Figures, code: number): Relative[] {
    const sums = new Map<number, Relative>()
    for (let node = 0; node < this.code.length; node++) {
      if (this.code[node] !== code) continue
      const above = this.parent[node] < 0 ? -1 : this.code[this.parent[node]]
      add(sums, above, figures.own[node], figures.assigned[node] - figures.own[node])
    }
    return sorted(sums)
  }

  callees(figures: Figures, code: number): Relative[] {
    const sums = new Map<number, Relative>()
    for (let node = 0; node < this.code.length; node++) {
      const above = this.parent[node]
      if (above < 0 || this.code[above] !== code || this.code[node] === code) continue
      add(sums, this.code[node], figures.own[node], figures.through[node] - figures.own[node])
    }
    return sorted(sums)
  }

  /** From the top to a node. */
  path(node: number): number[] {
    const nodes: number[] = []
    for (let at = node; at >= 0; at = this.parent[at]) nodes.push(at)
    return nodes.reverse()
  }

  /** Samples with a wanted function on their path. */
  matched(figures: Figures, wanted: (code: number) => boolean): number {
    const inside = new Uint8Array(this.code.length)
    let sum = 0
    for (let node = 0; node < this.code.length; node++) {
      const above = this.parent[node]
      if (above >= 0 && inside[above]) inside[node] = 1
      else if (wanted(this.code[node])) {
        inside[node] = 1
        sum += figures.below[node]
      }
    }
    return sum
  }
}

export const base = (path: string): string => path.slice(path.lastIndexOf('/') + 1) || path

function add(sums: Map<number, Relative>, code: number, self: number, below: number): void {
  if (self + below === 0) return
  const sum = sums.get(code) ?? { code, self: 0, below: 0 }
  sums.set(code, { code, self: sum.self + self, below: sum.below + below })
}

const sorted = (sums: Map<number, Relative>): Relative[] => [...sums.values()].sort((a, b) => b.self + b.below - a.self - a.below || a.code - b.code)
