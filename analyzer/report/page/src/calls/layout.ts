// Where the frames of a flame graph are: who called above, whom it called below, as wide as the samples.

import type { CallTree, Figures } from './tree'

/** Rows below the one that is zoomed to, and of those above it; deeper ones are seen by zooming. */
const DEEPEST = 150
const ABOVE = 12
/** Narrower frames are not drawn. */
const NARROWEST = 0.4

export interface Frame { node: number; row: number; x0: number; x1: number }

export interface Layout {
  frames: Frame[]
  rows: number
  /** whether a frame has rows that are not drawn */
  deeper: boolean
}

/** The order of frames with one caller; 0: the one with more samples is first. */
export type Order = (a: number, b: number) => number

/** All code is row 0 (node -1); then the last frames above the zoomed one, and what is below it. Of `width` pixels. */
export function layout(tree: CallTree, figures: Figures, zoomed: number, width: number, order: Order = () => 0): Layout {
  const path = zoomed < 0 ? [] : tree.path(zoomed)
  const shown = path.slice(-ABOVE)
  const frames: Frame[] = [{ node: -1, row: 0, x0: 0, x1: width }, ...shown.map((node, i) => ({ node, row: i + 1, x0: 0, x1: width }))]
  const all = zoomed < 0 ? figures.all : figures.below[zoomed]
  let rows = frames.length
  let deeper = false
  if (all === 0) return { frames, rows, deeper }
  const pending: Frame[] = [frames[frames.length - 1]]
  const last = rows - 1 + DEEPEST
  for (let frame = pending.pop(); frame; frame = pending.pop()) {
    const children = (frame.node < 0 ? tree.roots : tree.children[frame.node]).filter(node => figures.below[node] > 0)
    if (children.length > 0 && frame.row === last) {
      deeper = true
      continue
    }
    children.sort((a, b) => order(a, b) || figures.below[b] - figures.below[a] || a - b)
    let x = frame.x0
    for (const node of children) {
      const next = { node, row: frame.row + 1, x0: x, x1: x + figures.below[node] / all * width }
      x = next.x1
      if (next.x1 - next.x0 < NARROWEST) continue
      frames.push(next)
      pending.push(next)
      rows = Math.max(rows, next.row + 1)
    }
  }
  return { frames, rows, deeper }
}
