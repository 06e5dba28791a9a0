// A block's segments: varint pairs (duration, code), as arrays of times and codes; after an elided one stands what it holds.

import { ELIDED } from '../bundle/types'

/** Shares that an elided segment's parts add up to. */
export const WHOLE = 32

export interface Segments {
  count: number
  /** count + 1 times: where each segment begins, and where the last one ends */
  at: Float64Array
  code: Int32Array
  /** count + 1 places in parts and shares: what segment i holds is from parts_at[i] on; nothing, unless it is elided */
  parts_at: Int32Array
  parts: number[]
  shares: number[]
}

/** Reads numbers of 7 bits a byte. */
function reader(bytes: Uint8Array): () => number {
  let position = 0
  // Durations can exceed 32 bits, so no shifts.
  return () => {
    let value = 0
    let factor = 1
    for (;;) {
      if (position >= bytes.length) throw new Error('a block of the timeline is damaged')
      const byte = bytes[position++]
      value += (byte & 127) * factor
      if (byte < 128) return value
      factor *= 128
    }
  }
}

export function decodeSegments(bytes: Uint8Array, begin: number, count: number): Segments {
  const at = new Float64Array(count + 1)
  const code = new Int32Array(count)
  const parts_at = new Int32Array(count + 1)
  const parts: number[] = []
  const shares: number[] = []
  const varint = reader(bytes)
  at[0] = begin
  for (let i = 0; i < count; i++) {
    at[i + 1] = at[i] + varint()
    code[i] = varint()
    if (code[i] === ELIDED) {
      let left = WHOLE
      for (let more = varint(); more > 0; more--) {
        parts.push(varint())
        // The last part has what is left.
        const share = more > 1 ? varint() : left
        shares.push(share)
        left -= share
      }
    }
    parts_at[i + 1] = parts.length
  }
  return { count, at, code, parts_at, parts, shares }
}

/** Tells how long each code was shown in segment i: one code, but for elided ones. */
export function eachPart(segments: Segments, i: number, take: (code: number, ticks: number) => void): void {
  const { at, code, parts_at, parts, shares } = segments
  const length = at[i + 1] - at[i]
  if (code[i] !== ELIDED) take(code[i], length)
  else for (let k = parts_at[i]; k < parts_at[i + 1]; k++) take(parts[k], length * shares[k] / WHOLE)
}

/** The last i with at[i] <= time, within [0, count). */
export function indexAt(at: Float64Array, count: number, time: number): number {
  let low = 0
  let high = count - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (at[middle] <= time) low = middle
    else high = middle - 1
  }
  return low
}
