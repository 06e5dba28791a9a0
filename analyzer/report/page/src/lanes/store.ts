// The lanes of a run: which blocks a level has, and the segments of those that were looked at lately.

import type { Block, Run } from '../bundle/types'
import type { BlobSource } from '../bundle/blob'
import { inflate } from '../bundle/inflate'
import { decodeSegments, type Segments } from './segments'

/** Segments that are kept decoded: 16 bytes each, and about as much again for what an elided one holds. */
const KEPT_SEGMENTS = 6_000_000

interface Entry { segments: Segments; used: number }

export class LaneStore {
  private readonly decoded = new Map<Block, Entry>()
  private readonly fetched = new Map<string, Block[] | null>()
  private readonly loading = new Map<Block, Promise<Segments>>()
  private wanted: Block[] = []
  private kept = 0
  private turn = 0
  private running = 0
  /** Why the last thing could not be loaded, or null. */
  failure: string | null = null
  /** Called when something that a frame lacked has come. */
  onload: () => void = () => undefined

  constructor(readonly run: Run, private readonly source: BlobSource) {}

  /** The level to draw at `scale` ticks a pixel, and whether it holds all that can be seen. */
  levelFor(scale: number): { level: number; exact: boolean } {
    const thresholds = this.run.timeline.level_thresholds
    const first = this.run.timeline.levels_kept_from
    let level = 0
    while (level + 1 < thresholds.length && thresholds[level + 1] <= scale) level++
    return { level: Math.max(level, first), exact: level >= first || thresholds[first] <= 0 }
  }

  get finest(): number {
    return this.run.timeline.levels_kept_from
  }

  /** The blocks of a level; null while they are on their way. */
  blocks(location: number, lane: number, level: number): Block[] | null {
    const levels = this.run.timeline.locations[location].lanes[lane]?.levels
    if (levels) {
      let entry = levels[level - this.finest]
      while (typeof entry === 'number') entry = levels[entry]
      return entry ?? []
    }
    const key = `${location}/${lane}/${level}`
    const known = this.fetched.get(key)
    if (known !== undefined) return known
    this.fetched.set(key, null)
    this.source.blocks(location, lane, level).then(list => {
      this.fetched.set(key, list)
      this.onload()
    }, (error: unknown) => {
      this.failure = String(error instanceof Error ? error.message : error)
      this.onload()
    })
    return null
  }

  async blocksLoaded(location: number, lane: number, level: number): Promise<Block[]> {
    const known = this.blocks(location, lane, level)
    if (known) return known
    const list = await this.source.blocks(location, lane, level)
    this.fetched.set(`${location}/${lane}/${level}`, list)
    return list
  }

  /** What an earlier frame wanted and did not get is forgotten: this one asks again for what it needs. */
  beginFrame(): void {
    this.turn++
    this.wanted = []
  }

  /** The segments of a block, or undefined: then they are loaded, and onload follows. */
  segments(block: Block): Segments | undefined {
    const entry = this.decoded.get(block)
    if (entry) {
      entry.used = this.turn
      return entry.segments
    }
    if (!this.loading.has(block)) this.wanted.push(block)
    return undefined
  }

  endFrame(): void {
    while (this.running < this.source.parallel && this.wanted.length > 0) this.next()
  }

  private next(): void {
    const block = this.wanted.shift()
    if (!block || this.decoded.has(block) || this.loading.has(block)) return
    this.running++
    this.load(block).then(() => this.onload(), (error: unknown) => {
      this.failure = String(error instanceof Error ? error.message : error)
    }).finally(() => {
      this.running--
      if (this.wanted.length > 0) this.next()
    })
  }

  /** The segments of a block, when they have come. */
  load(block: Block): Promise<Segments> {
    const entry = this.decoded.get(block)
    if (entry) return Promise.resolve(entry.segments)
    const under_way = this.loading.get(block)
    if (under_way) return under_way
    const promise = this.source.bytes(block[4], block[5]).then(inflate).then(bytes => {
      const segments = decodeSegments(bytes, block[0], block[2])
      this.keep(block, segments)
      return segments
    }).finally(() => this.loading.delete(block))
    this.loading.set(block, promise)
    return promise
  }

  private keep(block: Block, segments: Segments): void {
    this.decoded.set(block, { segments, used: this.turn })
    this.kept += segments.count
    if (this.kept <= KEPT_SEGMENTS) return
    for (const [old, entry] of this.decoded) {
      if (entry.used >= this.turn) continue
      this.decoded.delete(old)
      this.kept -= entry.segments.count
      if (this.kept <= KEPT_SEGMENTS * 0.75) break
    }
  }
}
