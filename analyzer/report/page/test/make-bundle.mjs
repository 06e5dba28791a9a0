// Made-up reports for tests: the same format as `heddle report` writes, with contents that are known exactly.
//   node test/make-bundle.mjs OUT.html [--threads N] [--segments N] [--seed N] [--hostile] [--compare]
import { readFileSync, writeFileSync } from 'node:fs'
import { deflateRawSync } from 'node:zlib'
import { fileURLToPath } from 'node:url'

const PAGE = process.env.HEDDLE_PAGE // build/analyzer/report/page.html
const SEGMENTS_A_BLOCK = 2046
export const ELIDED = 1
/** Thresholds that a cell is long: no elided segment goes beyond the end of its cell. */
const CELL = 4
/** What the shares of an elided segment add up to. */
export const WHOLE = 32

export const STATES = ['RUN', 'IDLE', 'OVERHEAD', 'SYNCH: implicit barrier', 'SYNCH: critical/lock', 'BLOCKED in condvar', 'TRACEFLUSH']
export const STATE_KEYS = ['run', 'idle', 'overhead', 'synch_implicit_barrier', 'synch_mutex', 'blocked_condvar', 'traceflush']

/** Numbers that look random and are the same every time. */
export function random(seed) {
  let state = seed >>> 0 || 1
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 4294967296
  }
}

function varint(out, at, value) {
  while (value >= 128) {
    out[at++] = value % 128 + 128
    value = Math.floor(value / 128)
  }
  out[at++] = value
  return at
}

/** Lane blobs are written one behind the other. */
export class Blob {
  parts = []
  length = 0
  buffer = Buffer.alloc(SEGMENTS_A_BLOCK * 40)

  /** Shares end where the parts end, rounded; the last one is not written. */
  mixture(at, mixture) {
    const parts = [...mixture].sort(([a], [b]) => a - b)
    const total = parts.reduce((sum, [, ticks]) => sum + ticks, 0)
    const shares = []
    let end = 0
    let before = 0
    for (const [code, ticks] of parts) {
      end += ticks
      const now = Math.floor(end / total * WHOLE + 0.5)
      if (now > before) shares.push([code, now - before])
      before = now
    }
    at = varint(this.buffer, at, shares.length)
    shares.forEach(([code, share], i) => {
      at = varint(this.buffer, at, code)
      if (i + 1 < shares.length) at = varint(this.buffer, at, share)
    })
    return at
  }

  block(first, durations, codes, mixtures) {
    let at = 0
    let time = first
    let longest = 0
    for (let i = 0; i < durations.length; i++) {
      at = varint(this.buffer, at, durations[i])
      at = varint(this.buffer, at, codes[i])
      if (codes[i] === ELIDED) at = this.mixture(at, mixtures[i])
      time += durations[i]
      if (codes[i] !== ELIDED) longest = Math.max(longest, durations[i])
    }
    const bytes = deflateRawSync(this.buffer.subarray(0, at), { level: 1 })
    const block = [first, time, durations.length, longest, this.length, bytes.length]
    this.parts.push(bytes)
    this.length += bytes.length
    return block
  }

  level(first, durations, codes, mixtures = []) {
    const blocks = []
    let time = first
    for (let i = 0; i < durations.length; i += SEGMENTS_A_BLOCK) {
      const block = this.block(time, durations.slice(i, i + SEGMENTS_A_BLOCK), codes.slice(i, i + SEGMENTS_A_BLOCK), mixtures.slice(i, i + SEGMENTS_A_BLOCK))
      blocks.push(block)
      time = block[1]
    }
    return blocks
  }

  base64() {
    return Buffer.concat(this.parts).toString('base64')
  }
}

/**
 * Segments shorter than `threshold`, in a row, become one in each cell.
 * @param mixed the code that a code's time counts as
 * @returns durations, codes, and of elided ones the ticks by code
 */
export function elided(first, durations, codes, threshold, mixed) {
  const d = []
  const c = []
  const m = []
  let now = first
  for (let i = 0; i < durations.length; i++) {
    if (durations[i] >= threshold) {
      d.push(durations[i])
      c.push(codes[i])
      m.push(null)
      now += durations[i]
      continue
    }
    const cell = CELL * threshold
    const code = mixed(codes[i])
    for (let left = durations[i]; left > 0;) {
      const part = Math.min(left, cell - now % cell)
      if (c[c.length - 1] !== ELIDED || now % cell === 0) {
        d.push(0)
        c.push(ELIDED)
        m.push(new Map())
      }
      const mixture = m[m.length - 1]
      d[d.length - 1] += part
      mixture.set(code, (mixture.get(code) ?? 0) + part)
      now += part
      left -= part
    }
  }
  return [d, c, m]
}

function levels(blob, first, durations, codes, thresholds, mixed) {
  return thresholds.map((threshold, k) => {
    const [d, c, m] = k === 0 ? [durations, codes] : elided(first, durations, codes, threshold, mixed)
    if (k > 0 && !c.includes(ELIDED)) return 0
    return blob.level(first, d, c, m)
  })
}

export const time = (ticks, tps, lifetime) => ({ ticks, seconds: ticks / tps, ...(lifetime === undefined ? {} : { percent: lifetime ? ticks / lifetime * 100 : 0 }) })

/** The states document from exact sums by location and state. */
function statesDocument(locations, sums, tps) {
  return {
    threads: locations.map((location, i) => {
      const lifetime = location.end - location.begin
      const row = { thread: i, thread_name: location.name, process: location.process, lifetime: time(lifetime, tps) }
      STATE_KEYS.forEach((key, s) => {
        row[key] = time(sums[i][s], tps, lifetime)
      })
      row.synch = time(sums[i][3] + sums[i][4], tps, lifetime)
      row.blocked = time(sums[i][5], tps, lifetime)
      return row
    }),
  }
}

/**
 * A run of `threads` threads with about `segments` segments together.
 * With `processors`, thread 0 is blocked at the level of threads where it is in a barrier, and a processor runs it in the second half.
 * @returns {run, lanes} as they stand in a report; and exact: the segments of each thread, where there are few
 */
export function makeRun({ title = 'made-up', threads = 8, segments = 4000, seed = 1, hostile = false, tps = 1_000_000_000, slower = 1, processors = false } = {}) {
  const next = random(seed)
  const perThread = Math.max(2, Math.round(segments / threads))
  const regions = [
    { name: '!$omp parallel @loop.c:10', file: '/src/loop.c', line: 10, role: 'PARALLEL' },
    { name: '!$omp for @loop.c:12', file: '/src/loop.c', line: 12, role: 'LOOP' },
    { name: hostile ? '<script>alert(1)</script>' : '!$omp critical @loop.c:20', file: '/src/loop.c', line: 20, role: 'CRITICAL' },
  ]
  const codes = [[-1, -1], [-1, -1]]
  const codeOf = new Map()
  const code = (state, region) => {
    const key = `${state},${region}`
    if (!codeOf.has(key)) codeOf.set(key, codes.push([state, region]) - 1)
    return codeOf.get(key)
  }
  const kinds = [code(0, 0), code(0, 1), code(1, -1), code(2, 0), code(3, 1), code(4, 2), code(5, -1), code(6, -1)]
  const states = new Map(kinds.map(kind => [kind, code(codes[kind][0], -1)]))
  const stateOf = kind => states.get(kind)
  const loops = [code(-1, 0), code(-1, 1), code(-1, 2)]
  const thresholds = [0]
  const duration = Math.round(perThread * 2400 * slower)
  for (let t = 64; t < duration / 64; t *= 4) thresholds.push(t)
  const binCount = 2048
  const bins = STATES.map(() => new Array(binCount).fill(0))
  const blob = new Blob()
  const locations = []
  const sums = []
  const exact = []
  const addToBins = (state, from, to) => {
    let bin = Math.floor(from / duration * binCount)
    let at = from
    while (at < to) {
      const edge = Math.min(to, Math.floor((bin + 1) * duration / binCount))
      if (edge > at) {
        bins[state][Math.min(bin, binCount - 1)] += edge - at
        at = edge
      }
      bin++
      if (bin >= binCount && at < to) {
        bins[state][binCount - 1] += to - at
        break
      }
    }
  }
  for (let i = 0; i < threads; i++) {
    const d = []
    const c = []
    const sum = STATES.map(() => 0)
    let at = 0
    let last = -1
    for (let k = 0; at < duration && k < perThread * 4; k++) {
      let kind = Math.floor(next() * 8)
      if (kind === last) kind = (kind + 1) % 8
      last = kind
      // From nanoseconds to a thousandth of the run: something for every scale.
      const length = k >= perThread * 4 - 1 ? duration - at : Math.min(duration - at, Math.max(1, Math.round(Math.exp(next() * next() * 12 + 1) * slower)))
      d.push(length)
      c.push(kinds[kind])
      sum[codes[kinds[kind]][0]] += length
      addToBins(codes[kinds[kind]][0], at, at + length)
      at += length
    }
    const constructs = c.map(x => loops[x % 3])
    locations.push({
      name: hostile && i === 0 ? '<script>alert(1)</script>' : hostile && i === 1 ? 'x'.repeat(10_000) : hostile && i === 2 ? '"><img src=x onerror=alert(2)>&amp;\u202e\u0000\u001b[31m'
        : i === 0 ? 'OpenMP master' : `OpenMP thread ${i}`,
      process: `${title}.${i % 2}`, group: `rank ${i % 4}`, begin: 0, end: at,
      lanes: [{ kind: 'states', levels: levels(blob, 0, d, c, thresholds, stateOf) },
        ...(segments <= 100_000 ? [{ kind: 'constructs', depth: 0, levels: levels(blob, 0, d, constructs, thresholds, x => x) }] : [])],
    })
    sums.push(sum)
    if (segments <= 100_000) exact.push({ durations: d, codes: c })
  }
  if (processors) {
    locations[0].lanes.push({ kind: 'threads', levels: levels(blob, 0, exact[0].durations, exact[0].codes.map(own => codes[own][0] === 3 ? kinds[6] : own), thresholds, stateOf) })
    regions.push({ name: 'no recorded thread', role: 'ARTIFICIAL', state: 'idle' }, { name: 'OpenMP master', role: 'ARTIFICIAL' })
    const half = Math.floor(duration / 2)
    locations.push({ name: 'processor 0', process: 'machine', group: '', kind: 'processor', begin: 0, end: duration, lanes: [{ kind: 'states', levels: levels(blob, 0, [half, duration - half], [code(-1, 3), code(-1, 4)], thresholds, x => x) }] })
  }
  const arrows = Array.from({ length: Math.min(400, segments) }, (_, i) => {
    const from = Math.floor(next() * threads)
    const at = Math.floor(next() * duration * 0.98)
    const arrow = [['lock', 'fork', 'join', 'task'][i % 4], from, at, (from + 1) % threads, at + Math.floor(next() * duration * 0.01), i % 3 === 0 ? -1 : 2]
    // Since when a lock was waited for.
    return i % 4 === 0 ? [...arrow, Math.max(0, arrow[4] - Math.floor(duration * 0.02))] : arrow
  })
  const run = {
    title: hostile ? '<script>alert(0)</script>' : title,
    documents: documents({ title, threads, duration, tps, locations: locations.slice(0, threads), sums, regions }),
    findings: [{
      kind: 'imbalance', text: 'Look first at !$omp for @loop.c:12: three of four threads wait for OpenMP thread 1 most of its time.', seconds: duration / tps / 3,
      link: { page: 'imbalance', row: regions[1].name }, lane: 0, begin: Math.round(duration * 0.25), end: Math.round(duration * 0.3), source: 'loop.c:12',
    }],
    notes: ['Made up, for tests.'],
    log: [{ what: 'command', text: 'make-bundle.mjs' }],
    timeline: {
      ticks_per_second: tps, start: '123456789012345678', duration, states: STATES, state_keys: STATE_KEYS, regions, codes, locations,
      level_thresholds: thresholds, levels_kept_from: 0, bins: { count: binCount, ticks: bins }, arrows,
      paths: [Array.from({ length: 8 }, (_, i) => [i % Math.min(4, threads), Math.round(duration * i / 8), Math.round(duration * (i + 1) / 8)])],
      chunks: [{
        region: 1, instance_begin: Math.round(duration * 0.2), instance_end: Math.round(duration * 0.4), first: 0, iterations: 64,
        list: Array.from({ length: 16 }, (_, i) => [i % threads, Math.round(duration * (0.2 + 0.04 * Math.floor(i / 4))), Math.round(duration * (0.232 + 0.04 * Math.floor(i / 4))), i * 4, 4]),
      }],
    },
  }
  return { run, lanes: blob.base64(), exact, sums }
}

function documents({ title, threads, duration, tps, locations, sums, regions }) {
  const few = locations.slice(0, 64)
  const construct = (i, share) => ({
    construct: regions[i].name, executions: 10 * (i + 1), time: time(Math.round(duration * share), tps), threads, busy_min: time(Math.round(duration * share * 0.2), tps),
    busy_mean: time(Math.round(duration * share * 0.5), tps), busy_max: time(Math.round(duration * share * 0.9), tps), imbalance: time(Math.round(duration * share * 0.4), tps),
    imbalance_percent: 44.4, load_balance: 0.555, efficiency: 0.5, overhead: time(120, tps), late: time(0, tps), lost: time(Math.round(duration * share * 0.4), tps),
    lost_percent: share * 40, barrier_wait: time(Math.round(duration * share * 0.4 * 3), tps), waited_for: locations[1 % threads].name,
    waited_for_time: time(Math.round(duration * share * 0.3), tps, duration), schedule: i === 1 ? 'static' : null, chunks: i === 1 ? 16 : null, iterations: i === 1 ? 64 : null,
    function: 'main', file: '/src/loop.c', line: regions[i].line, parallel: i === 1 ? regions[0].name : null, incomplete: 0,
  })
  return {
    info: { program: title, command: `./${title} --size 512`, host: 'host', threads, processes: 2, start: '2026-01-01 00:00:00 +0000', duration: time(duration, tps), creator: 'made up', environment: [] },
    states: statesDocument(locations, sums, tps),
    constructs: {
      constructs: regions.map((region, i) => ({ construct: region.name, function: 'main', file: region.file, line: region.line, executions: 10 * (i + 1), time: time(Math.round(duration / (4 + i)), tps, 4 * duration), run: time(Math.round(duration / (8 + i)), tps, duration) })),
    },
    why: {
      verdict: 'Look first at !$omp for @loop.c:12.', threshold: 3, efficiency: { parallel: 50, load_balance: 80, serialization: 90, transfer: 69.4 }, account: account(duration, tps),
      hypotheses: [
        hypothesis(0, 'root', 'threads', 'true', 50, 'the threads could do more of the program’s work'),
        hypothesis(1, 'kind', 'imbalance', 'true', 30, 'work is spread unevenly over the threads'), hypothesis(2, 'where', 'imbalance', 'true', 30, regions[1].name, { place: regions[1].name, advice: 'Hand out smaller chunks.' }),
        hypothesis(3, 'who', 'thread', null, null, `most of it: ${locations[1 % threads].name}`, { place: regions[1].name, thread_name: locations[1 % threads].name }),
        hypothesis(1, 'kind', 'processors', 'ruled out', 1, 'threads wait for a processor'), hypothesis(1, 'kind', 'memory', 'unknown', null, 'the same work takes longer on some threads: record with --counters'),
      ],
    },
    imbalance: {
      account: account(duration, tps),
      constructs: [construct(1, 0.5), construct(0, 0.3)],
      threads: [1, 0].flatMap(c => few.map((location, i) => ({
        construct: regions[c].name, thread: i, thread_name: location.name, executions: 10, busy: time(Math.round(duration * 0.1 * (1 + i % 4)), tps), wait: time(Math.round(duration * 0.1 * (3 - i % 4)), tps),
        last: i % 4 === 3 ? 10 : 0, waited_for: time(i % 4 === 3 ? 1000 : 0, tps), chunks: c === 1 ? 2 : null, iterations: c === 1 ? 8 : null,
      }))),
      waits: few.slice(0, 3).map((location, i) => ({
        waiter: location.name, waiter_location: i, last: few[3 % few.length].name, last_location: 3 % few.length, time: time(5000 * (i + 1), tps), count: 3, construct: regions[1].name,
      })),
      verdict: 'Look first at !$omp for @loop.c:12.',
    },
    locks: { wait: time(0, tps, 1), locks: [], threads: [], places: [], verdict: 'No thread waited for a lock.' },
    waits: {
      waits: regions.slice(0, 2).map((region, i) => ({
        wait: i + 1, place: region.name, object: null, function: null, times: 10 - i, time: time(Math.round(duration / (10 + i)), tps, 1), time_mean: time(100, tps), time_max: time(200, tps), beyond_limit: 0,
      })),
      wakers: few.map((location, i) => ({
        wait: i % 2 + 1, ended_by: 'thread', thread_name: location.name, at: regions[0].name, or_thread_name: null, or_at: null, times: 1 + i, time: time(100 * (i + 1), tps, 1), meanwhile: null, meanwhile_for: null,
      })),
    },
    path: {
      paths: [], at_most: 'The run is shorter by at most that.',
      parts: few.map((location, i) => ({ process: null, construct: regions[i % 2].name, function: null, thread_name: location.name, thread: i, state: 'RUN', time: time(1000 * (9 - i), tps, 1) })),
    },
    schedule: null, model: null, spectrum: null,
  }
}

const hypothesis = (depth, aspect, key, verdict, percent, text, more = {}) => ({ depth, aspect, key, verdict, could_win_percent: percent, low: percent, high: percent, confidence: percent === null ? null : 'exact', place: null, file: null, line: null, thread: null, text, advice: null, ...more })

/** Two processors; what is lost to imbalance and processors is all that a longer run has more. */
function account(duration, tps) {
  const second = tps / 1e9
  const work = Math.round(200_000 * second)
  const rest = Math.max(0, 2 * duration - work)
  return [['work', Math.min(work, 2 * duration), ''], ['imbalance', Math.round(rest * 0.75), '!$omp for @loop.c:12 (30.0 %)'], ['processors', rest - Math.round(rest * 0.75), '']]
    .map(([kind, ticks, place]) => ({ kind, ticks, percent: ticks / (2 * duration) * 100, place }))
}

const packed = object => deflateRawSync(Buffer.from(JSON.stringify(object))).toString('base64')

/** The page with runs in it. */
export function report(runs, { page = PAGE, mode = 'file', change = bundle => bundle } = {}) {
  const bundle = change({ version: 2, generator: 'heddle test', mode, runs: runs.map(({ run }) => run) })
  const lanes = mode === 'file' ? runs.map(({ lanes: text }, i) => `<script type="application/octet-stream;base64" id="heddle-lanes-${i}">${text}</script>`).join('\n') : ''
  const inserted = `<script type="application/octet-stream;base64" id="heddle-bundle">${packed(bundle)}</script>\n${lanes}`
  return readFileSync(page, 'utf8').replace('<!--HEDDLE-BUNDLE-->', () => inserted)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [out, ...rest] = process.argv.slice(2)
  const value = (name, otherwise) => rest.includes(name) ? Number(rest[rest.indexOf(name) + 1]) : otherwise
  const options = { threads: value('--threads', 8), segments: value('--segments', 4000), seed: value('--seed', 1), hostile: rest.includes('--hostile') }
  const runs = [makeRun(options)]
  if (rest.includes('--compare')) runs.push(makeRun({ ...options, title: 'slower', seed: 7, tps: 2_600_000_000, slower: 3 }))
  writeFileSync(out, report(runs))
}
