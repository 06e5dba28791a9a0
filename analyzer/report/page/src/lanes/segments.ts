// A block's segments: varint pairs (duration, code), as arrays of times and codes.

export interface Segments {
  count: number
  /** count + 1 times: where each segment begins, and where the last one ends */
  at: Float64Array
  code: Int32Array
}

export function decodeSegments(bytes: Uint8Array, begin: number, count: number): Segments {
  const at = new Float64Array(count + 1)
  const code = new Int32Array(count)
  let position = 0
  // Durations can exceed 32 bits, so no shifts.
  const varint = (): number => {
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
  at[0] = begin
  for (let i = 0; i < count; i++) {
    at[i + 1] = at[i] + varint()
    code[i] = varint()
  }
  return { count, at, code }
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
