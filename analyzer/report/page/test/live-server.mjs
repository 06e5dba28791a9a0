// A server in place of `heddle live --web`: the page, and made-up readings whose figures are known exactly.
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'

const TICKS = 1e9
const time = (seconds, whole) => ({ ticks: Math.round(seconds * TICKS), seconds, ...(whole ? { percent: seconds / whole * 100 } : {}) })
const STATES = ['run', 'idle', 'overhead', 'synch', 'blocked', 'spin', 'gc', 'traceflush', 'unmeasured']
const CAUSES = ['synch_implicit_barrier', 'synch_barrier', 'synch_mutex', 'blocked_mutex']

/** A row of states: shares of `lifetime` seconds by key; SYNCH is the sum of its causes. */
function states(location, thread, lifetime, shares) {
  const row = { thread: location, thread_name: thread, process: null, lifetime: time(lifetime) }
  for (const key of [...STATES, ...CAUSES]) row[key] = time((shares[key] ?? 0) * lifetime, lifetime)
  return row
}

/**
 * What `heddle live --json` would print of `stretch` seconds.
 * threads: {name, inside, part, shares}; constructs: {name, part, executions, self, won}; locks: {place, acquired, wait}; times in seconds.
 */
export function document({ program = 'made-up', pid = 4711, stretch = 1, threads = [], constructs = [], locks = [] }) {
  const whole = stretch * threads.length
  const sum = {}
  for (const { shares } of threads) for (const key in shares) sum[key] = (sum[key] ?? 0) + shares[key] / threads.length
  return {
    program, pid, time: time(100), stretch: time(stretch), over: 'no',
    now: threads.map(({ name, inside = '(outside any construct)', part = null }, location) => ({
      thread_name: name, thread: location, tid: 5000 + location, kernel_state: 'R', inside, part, on_processor: time(0.5), ready: time(0.1) })),
    threads: [...threads.map(({ name, shares }, location) => states(location, name, stretch, shares)), states(null, 'all threads', whole, sum)],
    rows: constructs.map(({ name, part = 'construct', executions = 1, self }, i) => ({
      row: i + 1, construct: name, part, thread_name: null, thread: null, file: null, line: null, executions, self: time(self, whole), inclusive: time(self),
      half_at_most: time(self / executions), most_at_most: time(self), longest: time(self), contended: 0, waiting: time(0) })),
    durations: [],
    waits: constructs.filter(({ won }) => won !== undefined).map(({ name, executions = 1, won }) => ({
      construct: name, executions, threads: threads.length, waiting: time(won, whole), waiting_least: time(0), waiting_most: time(won), win_at_least: time(0), win_at_most: time(won) })),
    places: locks.map(({ place, acquired, contended = 0, wait }) => ({ place, acquired, contended, wait: time(wait, whole), wait_max: time(wait), held: time(0.001), held_max: time(0.001) })),
  }
}

/** Serves `state`, which the test changes: {number, interval, next, over, interval's document, whole's document}. */
export async function serve(page, state) {
  const asked = []
  const sockets = new Set()
  const server = createServer((request, response) => {
    const url = new URL(request.url, 'http://127.0.0.1')
    sockets.add(request.socket)
    if (url.pathname === '/token/pairs') { // changes of pairs are the test's: state.change(search) gives what is against one
      response.setHeader('Content-Type', 'application/json')
      response.end(JSON.stringify({ error: url.search === '?metrics=1' ? null : state.change(url.searchParams), metrics: [{ metric: 'locks', meaning: 'locks acquired' }] }))
      return
    }
    asked.push(url.pathname + url.search)
    if (url.pathname === '/token/') {
      response.setHeader('Content-Type', 'text/html; charset=utf-8')
      response.end(readFileSync(page))
      return
    }
    const { number, interval = 1, next = 0.05, over = false, fail = false, pairs = { pairs: [] }, alone = false, last, whole = last } = state
    if (url.pathname !== '/token/reading' || fail) {
      response.statusCode = 404
      response.end()
      return
    }
    response.setHeader('Content-Type', 'application/json')
    const known = Number(url.searchParams.get('after')) === number
    response.end(JSON.stringify({ number, interval, age: 12.5, next: over ? null : next, over, reading: known ? null : url.searchParams.get('whole') === '1' ? whole : last, pairs, alone }))
  })
  await new Promise(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    address: `http://127.0.0.1:${server.address().port}/token/`, asked, sockets,
    stop: () => new Promise(resolve => {
      server.close(resolve)
      server.closeAllConnections()
    }),
  }
}
