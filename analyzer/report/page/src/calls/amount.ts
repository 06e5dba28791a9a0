// Samples in units: numbers of samples, time, or events; and the shares that they stand for.

import type { CallsDocument, Cell } from '../bundle/types'
import type { Kind } from '../parts/table'
import { count, duration } from '../time/format'

export type Unit = 'time' | 'events' | 'samples' | 'calls'

type Trigger = CallsDocument['triggers'][number]

/** What a trigger's samples can be told in, the first one unless the reader chooses. */
export function unitsOf(trigger: Trigger | undefined, exact = false): Unit[] {
  if (exact) return [trigger?.timed ? 'time' : 'calls']
  if (!trigger || trigger.period === 0) return ['samples']
  return trigger.timed ? ['time', 'samples'] : ['events', 'samples']
}

export class Amount {
  constructor(readonly trigger: Trigger, readonly unit: Unit, private readonly ticksPerSecond: number) {}

  get kind(): Kind {
    return this.unit === 'time' ? 'time' : 'count'
  }

  /** As `heddle calls` rounds it. */
  cell(samples: number): Cell {
    if (this.unit === 'samples' || this.unit === 'calls') return samples
    if (this.unit === 'events') return samples * this.trigger.period
    const ns = BigInt(Math.round(samples)) * BigInt(this.trigger.period)
    const ticks = Number((ns * BigInt(this.ticksPerSecond) + 500_000_000n) / 1_000_000_000n)
    return { ticks, seconds: ticks / this.ticksPerSecond }
  }

  /** Ticks of an estimate, in this unit. */
  ofTicks(ticks: number): Cell {
    if (this.unit === 'time') return { ticks, seconds: ticks / this.ticksPerSecond }
    return ticks / this.ticksPerSecond * 1e9 / this.trigger.period
  }

  text(samples: number): string {
    if (this.unit === 'time') return duration(samples * this.trigger.period * 1e-9)
    const number = this.unit === 'events' ? samples * this.trigger.period : samples
    return `${count(number)} ${this.unit}`
  }
}

const QUANTILE = 1.959963984540054

/** Wilson's score interval of 95 % for a part of samples, in percent: the same as analyzer/calls/share.h. */
export function shareOf(part: number, all: number): { share: number; low: number; high: number } {
  if (!(all > 0)) return { share: 0, low: 0, high: 100 }
  const z = QUANTILE
  const share = part / all
  const shrink = 1 + z * z / all
  const middle = (share + z * z / (2 * all)) / shrink
  const half = z * Math.sqrt(share * (1 - share) / all + z * z / (4 * all * all)) / shrink
  return { share: 100 * share, low: part > 0 ? 100 * Math.max(0, middle - half) : 0, high: part < all ? 100 * Math.min(1, middle + half) : 100 }
}
