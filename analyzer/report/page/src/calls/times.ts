// When samples were taken: which functions ran on a thread in a stretch of time.

import type { CallsDocument } from '../bundle/types'
import { CallTree } from './tree'

interface Lane { every: number; at: Float64Array; nodes: number[]; triggers: number[] }

/** The samples of a stretch of time, by function whose own code ran, those with the most first. */
export interface Stretch {
  /** of samples in the file; each stands for so many */
  all: number
  every: number
  functions: { code: number; samples: number }[]
}

export class SampleTimes {
  readonly tree: CallTree
  private readonly lanes = new Map<number, Lane>()

  constructor(document: CallsDocument) {
    this.tree = treeOf(document)
    for (const { location, every, later, nodes, triggers } of document.times) {
      const at = new Float64Array(later.length)
      let now = 0
      later.forEach((step, i) => {
        now += step
        at[i] = now
      })
      this.lanes.set(location, { every, at, nodes, triggers })
    }
  }

  /** Each sample of a thread: when, and whose code ran. */
  each(location: number, take: (at: number, code: number) => void): void {
    const lane = this.lanes.get(location)
    lane?.at.forEach((at, i) => take(at, lane.nodes[i] < 0 ? this.tree.others : this.tree.code[lane.nodes[i]]))
  }

  /** Of a trigger, from `begin` to before `end`, in ticks since the start of the timeline. */
  between(location: number, begin: number, end: number, trigger: number): Stretch {
    const lane = this.lanes.get(location)
    const sums = new Map<number, number>()
    let all = 0
    for (let i = lane ? first(lane.at, begin) : 0; lane && i < lane.at.length && lane.at[i] < end; i++) {
      if (lane.triggers.length > 0 && lane.triggers[i] !== trigger) continue
      const code = lane.nodes[i] < 0 ? this.tree.others : this.tree.code[lane.nodes[i]]
      sums.set(code, (sums.get(code) ?? 0) + 1)
      all++
    }
    const functions = [...sums].map(([code, samples]) => ({ code, samples })).sort((a, b) => b.samples - a.samples || a.code - b.code)
    return { all, every: lane?.every ?? 1, functions }
  }
}

/** The first place with a time that is not before `time`. */
function first(at: Float64Array, time: number): number {
  let [low, high] = [0, at.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (at[middle] < time) low = middle + 1
    else high = middle
  }
  return low
}

const trees = new WeakMap<CallsDocument, CallTree>()

/** The tree of a document, made once. */
export function treeOf(document: CallsDocument): CallTree {
  const tree = trees.get(document) ?? new CallTree(document)
  trees.set(document, tree)
  return tree
}

const lists = new WeakMap<CallsDocument, SampleTimes>()

/** When the samples of a document were taken, made once; null: exact calls have no times. */
export function sampleTimesOf(document: CallsDocument): SampleTimes | null {
  if (document.exact) return null
  const times = lists.get(document) ?? new SampleTimes(document)
  lists.set(document, times)
  return times
}
