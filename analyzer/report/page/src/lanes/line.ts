// One line of the timeline: the pieces of a lane that can be seen in a window of time.

import type { Block } from '../bundle/types'
import { Elider, type Pieces } from './elide'
import type { Mixture } from './mixture'
import { eachPart, indexAt } from './segments'
import type { LaneStore } from './store'

export interface Window { begin: number; scale: number; width: number }

/** The last block that begins at or before `time`. */
export function blockAt(blocks: Block[], time: number): number {
  let low = 0
  let high = blocks.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (blocks[middle][0] <= time) low = middle
    else high = middle - 1
  }
  return low
}

/** Where to gather what each pixel holds, and the slot of each code in it. */
export interface Held { mixture: Mixture; slotOf: Uint8Array; slots: number }

/** Fills `out`, and adds to `held` if it is wanted; false if something is still to be loaded, which the line then lacks. */
export function drawLine(store: LaneStore, location: number, lane: number, level: number, window: Window, out: Pieces, held: Held | null): boolean {
  out.clear()
  const blocks = store.blocks(location, lane, level)
  if (!blocks) return false
  if (blocks.length === 0) return true
  const { begin, scale, width } = window
  const end = begin + width * scale
  const elider = new Elider(begin, scale, width, out)
  let complete = true
  // From the block before the visible ones: what it elides can reach into the window by a pixel.
  let i = Math.max(0, blockAt(blocks, begin) - 1)
  elider.start(blocks[i][0])
  for (; i < blocks.length && blocks[i][0] < end; i++) {
    const block = blocks[i]
    // Nothing in it can be seen, but it says what elided pixels hold.
    const hidden = block[3] < scale
    const segments = hidden && !held ? undefined : store.segments(block)
    if (!segments && hidden) {
      complete &&= held === null
      elider.elided(block[1])
      continue
    }
    if (!segments) {
      complete = false
      elider.finish()
      elider.start(block[1])
      continue
    }
    for (let k = 0; k < segments.count && segments.at[k] < end; k++) {
      elider.segment(segments.at[k + 1], segments.code[k])
      held?.mixture.add(segments, k, held.slotOf)
    }
  }
  elider.finish()
  return complete
}

/** Whether all that drawLine() reads is there; what is not, is loaded. */
export function isLoaded(store: LaneStore, location: number, lane: number, level: number, { begin, scale, width }: Window): boolean {
  const blocks = store.blocks(location, lane, level)
  if (!blocks) return false
  let all = true
  for (let i = Math.max(0, blockAt(blocks, begin) - 1); i < blocks.length && blocks[i][0] < begin + width * scale; i++) all = store.segments(blocks[i]) !== undefined && all
  return all
}

export interface Segment { begin: number; end: number; code: number; block: number; index: number }

/** The segment at a time, in blocks that are loaded. */
export function segmentAt(store: LaneStore, blocks: Block[], time: number): Segment | null {
  if (blocks.length === 0) return null
  const block = blockAt(blocks, time)
  const [first, end] = blocks[block]
  if (time < first || time >= end) return null
  const segments = store.segments(blocks[block])
  if (!segments) return null
  const index = indexAt(segments.at, segments.count, time)
  return { begin: segments.at[index], end: segments.at[index + 1], code: segments.code[index], block, index }
}

/** Tells how long each code was shown from `begin` to `end`; of blocks that are loaded. */
export function eachHeld(store: LaneStore, blocks: Block[], begin: number, end: number, take: (code: number, ticks: number) => void): void {
  for (let b = blockAt(blocks, begin); b < blocks.length && blocks[b][0] < end; b++) {
    const segments = store.segments(blocks[b])
    if (!segments) continue
    for (let i = indexAt(segments.at, segments.count, begin); i < segments.count && segments.at[i] < end; i++) {
      const length = segments.at[i + 1] - segments.at[i]
      const inside = Math.min(end, segments.at[i + 1]) - Math.max(begin, segments.at[i])
      if (inside > 0) eachPart(segments, i, (code, ticks) => take(code, ticks * inside / length))
    }
  }
}
