// The page in Chromium, with made-up reports whose contents are known exactly.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { close, drawn, go, open as openFile, setView, settled, start, stop, until, view } from './harness.mjs'
import { ELIDED, makeRun, report, STATE_KEYS, time, WHOLE } from './make-bundle.mjs'

const PAGES = ['overview', 'timeline', 'why', 'states', 'constructs', 'curves', 'imbalance', 'locks', 'waits', 'model', 'words', 'log']
const milliseconds = number => time(number * 1e6, 1e9)
let directory
let plain
const files = {}

before(async () => {
  directory = mkdtempSync(join(tmpdir(), 'heddle-page-'))
  const write = (name, text) => {
    files[name] = join(directory, `${name}.html`)
    writeFileSync(files[name], text)
  }
  plain = makeRun({ threads: 8, segments: 4000 })
  write('plain', report([plain]))
  write('hostile', report([makeRun({ threads: 4, segments: 800, hostile: true })]))
  write('compare', report([makeRun({ threads: 4, segments: 800 }), makeRun({ threads: 4, segments: 800, title: 'slower', seed: 7, tps: 2_600_000_000, slower: 5.2 })]))
  write('alike', report([makeRun({ threads: 4, segments: 800 }), makeRun({ threads: 4, segments: 800, slower: 1.03 })]))
  write('fewer', report([makeRun({ threads: 4, segments: 800 }), makeRun({ threads: 2, segments: 400, slower: 0.5 })]))
  write('long', report([makeRun({ threads: 2, segments: 40_000, seed: 3 })]))
  write('predicted', report([makeRun({ threads: 2, segments: 100 })], { change: withPrediction }))
  write('processors', report([makeRun({ threads: 4, segments: 800 })], { change: withProcessors }))
  for (const [name, part, visits] of [['cycle', 0.97, 300], ['no-cycle', 0.03, 300], ['one-cycle', 0.97, 2]]) {
    write(name, report([makeRun({ threads: 2, segments: 100 })], { change: bundle => withCycle(bundle, part, visits) }))
  }
  write('idle', report([makeRun({ threads: 4, segments: 400 })], { change: withIdleThreads }))
  write('wide', report([makeRun({ threads: 12, segments: 12_000, slower: 1000 })], { change: withMuchToShow }))
  await start()
})

after(async () => {
  await stop()
  rmSync(directory, { recursive: true, force: true })
})

/** Threads 0 and 2 hardly run, as those of a JVM that wait for work. */
function withIdleThreads(bundle) {
  const { threads } = bundle.runs[0].documents.states
  threads[0].run = threads[2].run = milliseconds(0)
  return bundle
}

/** Run A takes a tenth more than predicted, B four times as long, C was predicted to be there, D not. */
function withPrediction(bundle) {
  const { documents } = bundle.runs[0]
  documents.model = { basic_states: 3, transitions: 0, edges: [], states: [['A', 110], ['B', 40], ['D', 5]].map(([state, total]) => ({ state, total: milliseconds(total) })) }
  documents.prediction = {
    parameter: 'size', value: '36', parameter2: 'threads', value2: '4', total: milliseconds(120), total_low: milliseconds(100), total_high: milliseconds(150),
    states: [['A', 100, 90, 120], ['B', 10, 5, 20], ['C', 10, 0, 20]].map(([state, time, low, high]) => ({ state, time: milliseconds(time), time_low: milliseconds(low), time_high: milliseconds(high) })),
  }
  return bundle
}

/** Two of the states are READY and OFF, and the model has the key of its letters. */
function withProcessors(bundle) {
  const { documents, timeline } = bundle.runs[0]
  for (const [from, key, name] of [['overhead', 'ready', 'READY'], ['idle', 'off', 'OFF']]) {
    const at = timeline.state_keys.indexOf(from)
    timeline.state_keys = timeline.state_keys.map((old, i) => i === at ? key : old)
    timeline.states = timeline.states.map((old, i) => i === at ? name : old)
    for (const row of documents.states.threads) {
      row[key] = row[from]
      delete row[from]
    }
  }
  documents.model = { basic_states: 1, transitions: 0, edges: [], states: [{ state: 'QP', total: milliseconds(1) }], letters: 'Letters of states: Q READY, P OFF.' }
  return bundle
}

/** Of ten states, all in turn, two come again and again at the end, with a part of the time. */
function withCycle(bundle, part, visits) {
  const states = Array.from({ length: 10 }, (_, i) => {
    const recurs = i >= 8
    return { number: i, state: `S${i}`, kind: 'basic', visits: recurs ? visits : 1, total: milliseconds(recurs ? 500 * part : 125 * (1 - part)), stationary: recurs ? 0.5 : 0, longrun: recurs ? 0.5 : 0 }
  })
  bundle.runs[0].documents.model = { basic_states: 10, transitions: 0, edges: [], states, cycle: milliseconds(1.477), cycle_state: 'S9' }
  return bundle
}

/** A model of 36 states in a ring, long names in tables, and every state in the table of threads. */
function withMuchToShow(bundle) {
  const { documents } = bundle.runs[0]
  const names = Array.from({ length: 36 }, (_, i) => `R(IO${'BMF'[i % 3]})${i}`)
  const at = seconds => time(Math.round(seconds * 1e9), 1e9, 36e9)
  documents.model = {
    basic_states: 36, transitions: 108,
    states: names.map((state, i) => ({ number: i, state, visits: 1000 * (i + 1), total: at(1 + i / 36), mean: at(1e-3), min: at(1e-6), max: at(1), deviation: at(0.1), stationary: 0.0278, longrun: 0.0278, recurrence: at(0.36) })),
    edges: names.flatMap((from, i) => [1, 5, 11].map(step => ({ from, to: names[(i + step) % 36], count: 300, probability: 1 / 3 }))),
  }
  for (const rows of [documents.imbalance.constructs, documents.imbalance.threads, documents.imbalance.waits]) {
    for (const row of rows) row.construct = `${row.construct} in a_function_with_quite_a_long_name_that_some_compiler_made`
  }
  for (const row of documents.states.threads) {
    for (const key of ['spin', 'gc', 'unmeasured', 'init', 'synch_barrier', 'synch_ordered', 'synch_taskwait', 'synch_reduction', 'blocked_mutex']) row[key] = time(1_234_567_890, 1e9, 36e9)
  }
  return bundle
}

const open = (name, fragment, options) => openFile(files[name], fragment, options)

/** The rule of elision, written down again: segments from a thread's begin on -> pieces in ticks. */
function pieces({ durations, codes }, scale) {
  const out = []
  let now = 0
  let run = -1
  durations.forEach((duration, i) => {
    const end = now + duration
    let from = now
    now = end
    if (duration < scale) {
      if (run < 0) run = from
      return
    }
    if (run >= 0) {
      from = Math.max(from, run + scale)
      if (end - from < scale) return
      out.push({ from: run, to: from, code: ELIDED })
      run = -1
    }
    out.push({ from, to: end, code: codes[i] })
  })
  if (run >= 0) out.push({ from: run, to: now, code: ELIDED })
  return out
}

function inPixels(list, { begin, ticksPerPixel, width }) {
  return list.map(({ from, to, code }) => ({
    x0: Math.max(0, Math.floor((from - begin) / ticksPerPixel)), x1: Math.min(width, Math.floor((to - begin) / ticksPerPixel)), code,
  })).filter(({ x0, x1 }) => x1 > x0)
}

test('each page is drawn, without a word on the console and without the network', async () => {
  for (const name of ['plain', 'hostile', 'compare']) {
    const page = await open(name)
    for (const id of name === 'compare' ? [...PAGES, 'compare'] : PAGES) {
      await go(page, id)
      await settled(page)
      const text = await page.locator(`main > .page-${id}`).innerText()
      assert.ok(text.length > 20, `${name}: ${id} says nothing`)
      assert.equal(await page.locator('main > .page:visible').count(), 1)
      assert.ok(!/undefined|NaN|\[object/.test(text), `${name}: ${id} says ${/.{0,40}(undefined|NaN|\[object).{0,40}/.exec(text)?.[0]}`)
    }
    await close(page)
  }
})

test('elision: pieces are those of the rule, join without gaps, and end where the time ends', async () => {
  const page = await open('plain', '#timeline')
  const { duration } = plain.run.timeline
  const { width } = await view(page)
  for (const [part, scale] of [[0, duration / width], [0, duration / width / 3.7], [0.4, 200], [0.37, 40], [0, 7.3], [0.999, 1], [0.5, 0.1]]) {
    await setView(page, part * duration, scale)
    const shown = await view(page)
    for (const location of [0, 3, 7]) {
      const is = await drawn(page, location)
      assert.deepEqual(is, inPixels(pieces(plain.exact[location], shown.ticksPerPixel), shown), `scale ${scale} at ${part}, thread ${location}`)
      is.forEach((piece, i) => {
        if (i > 0) assert.equal(piece.x0, is[i - 1].x1, 'a gap, or an overlap')
      })
      const end = Math.min(shown.width, Math.floor((plain.run.timeline.locations[location].end - shown.begin) / shown.ticksPerPixel))
      assert.equal(is.reduce((sum, { x0, x1 }) => sum + x1 - x0, 0), end, 'the line is as long as its time')
    }
  }
  await close(page)
})

test('elision over many blocks and levels: nothing shifts', async () => {
  const page = await open('long', '#timeline')
  const { run, exact } = makeRun({ threads: 2, segments: 40_000, seed: 3 })
  const { duration } = run.timeline
  for (const [part, scale] of [[0, duration / 900], [0.4, duration / 9000], [0.71, duration / 1e5], [0.5, 3]]) {
    await setView(page, part * duration, scale)
    const shown = await view(page)
    const is = await drawn(page, 1)
    // Where a segment that is drawn ends is its true end; where it begins can be later by less than a pixel.
    const ends = new Set()
    let now = 0
    exact[1].durations.forEach((length, i) => {
      now += length
      ends.add(`${Math.min(shown.width, Math.floor((now - shown.begin) / shown.ticksPerPixel))} ${exact[1].codes[i]}`)
    })
    for (const { x1, code } of is) if (code !== ELIDED) assert.ok(ends.has(`${x1} ${code}`), `a piece ends at ${x1}, but no segment does`)
    assert.equal(is.reduce((sum, { x0, x1 }) => sum + x1 - x0, 0), Math.min(shown.width, Math.floor((duration - shown.begin) / shown.ticksPerPixel)))
  }
  await close(page)
})

test('the canvas, read back, is what the pieces say; what is elided is black if that is wanted', async () => {
  const page = await open('plain', '#timeline?elided=black')
  const result = await page.evaluate(() => {
    const canvas = document.querySelector('.chart-canvas')
    const { width } = canvas
    const colors = new Map()
    let wrong = 0
    let pixels = 0
    for (const location of [0, 2, 5]) {
      const { y, height } = window.heddle.lineOf(location)
      const { data } = canvas.getContext('2d').getImageData(0, y + Math.floor(height / 2), width, 1)
      for (const { x0, x1, code } of window.heddle.drawn(location)) {
        for (let x = x0; x < x1; x++) {
          const color = data.slice(x * 4, x * 4 + 3).join()
          if (x > x0 || x1 - x0 < 5) { // the first pixel of a wide piece can be an edge
            const known = colors.get(code) ?? color
            colors.set(code, known)
            if (known !== color) wrong++
          }
          pixels++
        }
      }
    }
    return { wrong, pixels, width, colors: colors.size }
  })
  assert.equal(result.wrong, 0)
  assert.equal(result.pixels, result.width * 3)
  assert.ok(result.colors >= 6)
  await close(page)
})

/** How long each state was shown in each pixel: from the segments themselves. */
function heldIn({ durations, codes }, { codes: meanings, states }, { begin, ticksPerPixel, width }) {
  const pixels = Array.from({ length: width }, () => new Map())
  let now = 0
  durations.forEach((duration, i) => {
    const [from, to] = [(now - begin) / ticksPerPixel, (now + duration - begin) / ticksPerPixel]
    now += duration
    const state = states[meanings[codes[i]][0]]
    for (let x = Math.max(0, Math.floor(from)); x < Math.min(width, to); x++) {
      const part = (Math.min(x + 1, to) - Math.max(x, from)) * ticksPerPixel
      if (part > 0) pixels[x].set(state, (pixels[x].get(state) ?? 0) + part)
    }
  })
  return pixels
}

const sumOf = parts => [...parts].reduce((sum, [, ticks]) => sum + ticks, 0)

test('mixtures: what a pixel holds adds up to its time, and each state has its share', async () => {
  const page = await open('long', '#timeline?height=28')
  const { run, exact } = makeRun({ threads: 2, segments: 40_000, seed: 3 })
  const { duration, states, level_thresholds } = run.timeline
  let mixed = 0
  for (const [part, scale] of [[0, duration / 110], [0, duration / 900], [0.2, duration / 4000], [0.4, duration / 9000], [0.71, duration / 1e5], [0.5, 60], [0.3, 7]]) {
    await setView(page, part * duration, scale)
    const shown = await view(page)
    const expected = heldIn(exact[1], run.timeline, shown)
    const is = await page.evaluate(() => window.heddle.held(1))
    mixed += expected.filter(pixel => pixel.size > 1).length
    const near = (a, b, by, what) => assert.ok(Math.abs(a - b) <= by + 1e-6 * ticksOf, `${what} at scale ${scale}: ${a}, not ${b}`)
    const ticksOf = shown.ticksPerPixel
    expected.forEach((pixel, x) => near(sumOf(is[x]), sumOf(pixel), 0, `ticks in pixel ${x}`))
    const exactLevel = ticksOf < level_thresholds[1]
    for (const state of states) {
      const told = is.map(pixel => sumOf(pixel.filter(([name]) => name === state)))
      const wanted = expected.map(pixel => pixel.get(state) ?? 0)
      if (exactLevel) told.forEach((ticks, x) => near(ticks, wanted[x], 0, `${state} in pixel ${x}`))
      // Coarser levels round to shares, and tell them of a few pixels together; those at the edges have a part outside.
      const all = list => list.reduce((a, b) => a + b, 0)
      near(all(told), all(wanted), exactLevel ? 0 : (all(expected.map(sumOf)) / WHOLE) * 0.1 + 8 * ticksOf, `${state} in all pixels`)
    }
  }
  assert.ok(mixed > 300, `only ${mixed} pixels have a mixture`)
  await close(page)
})

test('mixtures are painted as shares of a line’s height, upon one another', async () => {
  const page = await open('long', '#timeline?height=28')
  const { duration } = makeRun({ threads: 2, segments: 40_000, seed: 3 }).run.timeline
  for (const [scale, least] of [[duration / 110, 100], [60, 4]]) {
    await setView(page, 0, scale)
    const result = await page.evaluate(() => {
      const canvas = document.querySelector('.chart-canvas')
      const { states, state_keys } = window.heddle.bundle.runs[0].timeline
      const hex = key => getComputedStyle(document.documentElement).getPropertyValue(`--state-${key}`).trim()
      const rgb = color => [1, 3, 5].map(i => parseInt(color.slice(i, i + 2), 16)).join()
      const stateOf = new Map(state_keys.map((key, i) => [rgb(hex(key)), states[i]]))
      const { y, height } = window.heddle.lineOf(1)
      const { data, width } = canvas.getContext('2d').getImageData(0, y, canvas.width, height)
      const held = window.heddle.held(1)
      const wrong = []
      let pixels = 0
      for (const { x0, x1, code } of window.heddle.drawn(1)) {
        for (let x = x0; code === 1 && x < x1; x++) {
          const rows = new Map()
          const order = []
          for (let row = height - 1; row >= 0; row--) {
            const at = (row * width + x) * 4
            const name = stateOf.get(data.slice(at, at + 3).join()) ?? 'a colour that no state has'
            rows.set(name, (rows.get(name) ?? 0) + 1)
            if (order[order.length - 1] !== name) order.push(name)
          }
          const all = held[x].reduce((sum, [, ticks]) => sum + ticks, 0)
          const shares = new Map(held[x].map(([name, ticks]) => [name, ticks / all * height]))
          for (const name of new Set([...rows.keys(), ...shares.keys()])) {
            if (Math.abs((rows.get(name) ?? 0) - (shares.get(name) ?? 0)) > 1) wrong.push([x, name, rows.get(name), shares.get(name)])
          }
          if (order.some((name, i) => i > 0 && states.indexOf(order[i - 1]) >= states.indexOf(name))) wrong.push([x, order])
          pixels++
        }
      }
      return { wrong: wrong.slice(0, 5), pixels }
    })
    assert.deepEqual(result.wrong, [])
    assert.ok(result.pixels >= least, `${result.pixels} pixels were compared`)
  }
  // Black as an option, which the address keeps.
  await setView(page, 0, duration / 110)
  await page.click('.legend button[data-control="elided"]')
  await settled(page)
  const black = await page.evaluate(() => {
    const canvas = document.querySelector('.chart-canvas')
    const { y, height } = window.heddle.lineOf(1)
    const { x0, x1 } = window.heddle.drawn(1).find(({ x0: a, x1: b, code }) => code === 1 && b - a > 6)
    return [...canvas.getContext('2d').getImageData(x0 + 3, y, 1, height).data].filter((_, i) => i % 4 < 3).filter(value => value > 0x23).length + (x1 < x0 ? 1 : 0)
  })
  assert.equal(black, 0)
  await until(page, () => location.hash.includes('elided=black'))
  await page.click('.legend button[data-control="elided"]')
  await close(page)
})

test('the pixel under the pointer says what it holds', async () => {
  const page = await open('long', '#timeline?height=28')
  await setView(page, 0, makeRun({ threads: 2, segments: 40_000, seed: 3 }).run.timeline.duration / 900)
  const { x, y } = await page.evaluate(() => {
    const { x0 } = window.heddle.drawn(0).find(({ x0: a, x1: b, code }) => code === 1 && b - a > 4)
    return { x: x0 + 2, y: window.heddle.lineOf(0).y + 5 }
  })
  const box = await page.locator('.chart-canvas').boundingBox()
  await page.mouse.move(box.x + x + 0.5, box.y + y)
  const text = await page.locator('.status').innerText()
  const percents = [...text.matchAll(/ (\d+) %/g)].map(([, number]) => Number(number))
  assert.match(text, /in this pixel/)
  assert.ok(percents.length > 1 && Math.abs(percents.reduce((a, b) => a + b, 0) - 100) <= percents.length, text)
  await close(page)
})

test('zoom from the whole run to a tenth of a nanosecond a pixel, by keys and by number', async () => {
  const page = await open('plain', '#timeline')
  const { duration } = plain.run.timeline
  const whole = await view(page)
  assert.equal(whole.begin, 0)
  assert.ok(Math.abs(whole.end - duration) < 1e-6 * duration)
  await page.locator('.chart-scroller').first().focus()
  await page.keyboard.press('i')
  const first = await view(page)
  // Scale factors magnify by a half each, from 100 pixels for the whole run.
  const factor = Math.log(duration / first.ticksPerPixel / 100) / Math.log(1.5)
  assert.ok(Math.abs(factor - Math.round(factor)) < 1e-6, `not a scale factor: ${factor}`)
  assert.ok(first.ticksPerPixel < whole.ticksPerPixel && first.ticksPerPixel > whole.ticksPerPixel / 1.5 - 1e-9)
  for (let k = 0; k < 60; k++) await page.keyboard.press('i')
  await settled(page)
  const last = await view(page)
  assert.equal(last.ticksPerPixel, 0.1)
  assert.match(await page.locator('.controls').innerText(), /\(max\+\)/)
  assert.match(await page.locator('.controls').innerText(), /0\.1 ns\/px/)
  assert.match(await page.locator('.axis-corner').innerText(), /^ns/)
  await page.keyboard.press('o')
  const out = await view(page)
  assert.ok(out.ticksPerPixel > 0.1 && out.ticksPerPixel <= 0.15 + 1e-9)
  const input = page.getByLabel('scale factor')
  await input.fill('1')
  await input.press('Enter')
  assert.ok(Math.abs((await view(page)).ticksPerPixel - duration / 100) < 1e-6 * duration)
  await close(page)
})

test('keys move: arrows, Ctrl, page keys, Home and End', async () => {
  const page = await open('long', '#timeline?height=60&constructs=1')
  await setView(page, 100_000, 50)
  await page.locator('.chart-scroller').first().focus()
  const { width } = await view(page)
  const moved = async key => {
    const { begin } = await view(page)
    await page.keyboard.press(key)
    return Math.round(((await view(page)).begin - begin) / 50)
  }
  assert.equal(await moved('ArrowRight'), Math.round(width / 10))
  assert.equal(await moved('ArrowLeft'), -Math.round(width / 10))
  assert.equal(await moved('Control+ArrowRight'), width)
  await page.keyboard.press('Home')
  assert.equal((await view(page)).begin, 0)
  await page.keyboard.press('End')
  const end = await view(page)
  assert.ok(Math.abs(end.end - makeRun({ threads: 2, segments: 40_000, seed: 3 }).run.timeline.duration) <= 50)
  await close(page)
})

test('page keys and arrows move over threads', async () => {
  files.many = join(directory, 'many.html')
  writeFileSync(files.many, report([makeRun({ threads: 300, segments: 3000 })]))
  const page = await open('many', '#timeline')
  const top = () => page.evaluate(() => document.querySelector('.chart-scroller').scrollTop)
  await page.locator('.chart-scroller').first().focus()
  await page.keyboard.press('ArrowDown')
  const one = await top()
  assert.ok(one > 10 && one < 40)
  await page.keyboard.press('PageDown')
  assert.ok(await top() > 4 * one)
  await page.keyboard.press('PageUp')
  assert.equal(await top(), one)
  await page.keyboard.press('Control+End')
  await settled(page)
  assert.match(await page.locator('.name:visible').last().innerText(), /OpenMP thread 299/)
  await close(page)
})

test('a click on a state finds its row; a click on a row finds the state', async () => {
  const page = await open('plain', '#timeline')
  const { durations, codes } = plain.exact[2]
  const longest = durations.indexOf(Math.max(...durations))
  const begin = durations.slice(0, longest).reduce((a, b) => a + b, 0)
  await setView(page, begin - durations[longest], durations[longest] / 100)
  const { begin: left, ticksPerPixel } = await view(page)
  const line = await page.evaluate(() => window.heddle.lineOf(2))
  const box = await page.locator('.chart-canvas').boundingBox()
  await page.mouse.click(box.x + (begin + durations[longest] / 2 - left) / ticksPerPixel, box.y + line.y + line.height / 2)
  await page.waitForSelector('.list-row.selected')
  assert.equal(await page.locator('.list-row.selected').getAttribute('data-number'), String(longest))
  const cells = await page.locator('.list-row.selected span').allInnerTexts()
  const microseconds = ticks => (ticks / 1000).toFixed(3)
  const plainText = text => text.replace(/\u2009/g, '')
  assert.equal(plainText(cells[2]), `${microseconds(begin)} µs`)
  assert.equal(plainText(cells[3]), `${microseconds(durations[longest])} µs`)
  assert.equal(plainText(cells[4]), `${microseconds(begin + durations[longest])} µs`)
  assert.equal(cells[1], plain.run.timeline.states[plain.run.timeline.codes[codes[longest]][0]])
  // And back: far away, the first state of the thread.
  await page.locator('.list-body').focus()
  await page.keyboard.press('Home')
  await until(page, () => window.heddle.view().selected.begin === 0)
  const back = await view(page)
  assert.equal(back.selected.location, 2)
  assert.ok(back.begin <= 0 && back.end > 0)
  await page.locator('.chart-scroller').first().focus()
  await page.keyboard.press('n')
  await until(page, first => window.heddle.view().selected.begin === first, durations[0])
  await close(page)
})

test('threads are filtered, sorted, grouped and hidden; states, too; a reload shows the same', async () => {
  const page = await open('plain', '#timeline', {})
  const rows = () => page.evaluate(() => window.heddle.rows())
  await page.fill('input.filter', 'thread 3')
  assert.deepEqual(await rows(), [3])
  await page.fill('input.filter', '/thread [12]$/')
  assert.deepEqual(await rows(), [1, 2])
  await page.fill('input.filter', '/[/')
  assert.match(await page.locator('.status').innerText(), /no regular expression/)
  await page.fill('input.filter', 'nobody')
  assert.match(await page.locator('.status').innerText(), /No thread/)
  await page.fill('input.filter', '')
  await page.selectOption('select[aria-label="sort threads"]', 'time:run')
  const byRun = plain.sums.map((sum, i) => [sum[0], i]).sort((a, b) => a[0] - b[0] || a[1] - b[1]).map(([, i]) => i)
  assert.deepEqual(await rows(), byRun)
  await page.selectOption('select[aria-label="group threads"]', 'process')
  assert.deepEqual((await rows()).filter(row => row < 0).length, 2)
  await page.selectOption('select[aria-label="group threads"]', 'none')
  await settled(page)
  await page.locator('.name', { hasText: 'OpenMP thread 5' }).hover()
  await page.locator('.name', { hasText: 'OpenMP thread 5' }).locator('.hide').click()
  assert.deepEqual(await rows(), byRun.filter(i => i !== 5))
  await page.click('.legend button[data-state="idle"]')
  await setView(page, 1000, 25)
  await until(page, () => location.hash.includes('hide=idle') && location.hash.includes('scale=25'))
  const before = { rows: await rows(), view: await view(page) }
  await page.reload()
  await until(page, () => window.heddle !== undefined)
  await settled(page)
  const now = await view(page)
  assert.deepEqual(await rows(), before.rows)
  assert.equal(now.begin, before.view.begin)
  assert.equal(now.ticksPerPixel, before.view.ticksPerPixel)
  assert.equal(await page.locator('.legend button[data-state="idle"]').getAttribute('aria-pressed'), 'false')
  const hidden = await page.evaluate(() => {
    const canvas = document.querySelector('.chart-canvas')
    const { codes } = window.heddle.bundle.runs[0].timeline
    const location = window.heddle.rows()[0]
    const piece = window.heddle.drawn(location).find(({ x0, x1, code }) => codes[code][0] === 1 && x1 - x0 > 4)
    const { y, height } = window.heddle.lineOf(location)
    return piece ? [...canvas.getContext('2d').getImageData(piece.x0 + 2, y + height / 2, 1, 1).data] : 'no such piece'
  })
  if (Array.isArray(hidden)) assert.deepEqual(hidden, [255, 255, 255, 255])
  await close(page)
})

test('an address that is asked for is not overwritten by the one before', async () => {
  const page = await open('plain', '#states')
  await page.evaluate(() => {
    // Both timers are over when there is time for them: the address is asked for, then the page would write its own.
    setTimeout(() => { location.hash = '#locks' }, 0)
    document.querySelector('nav.pages a[href="#overview"]').click()
    for (const end = performance.now() + 400; performance.now() < end;);
  })
  await until(page, () => document.querySelector('main > .page-locks')?.getClientRects().length > 0)
  await new Promise(resolve => setTimeout(resolve, 300))
  assert.match(await page.evaluate(() => location.hash), /^#locks/)
  await close(page)
})

test('a stretch is measured between two points', async () => {
  const page = await open('plain', '#timeline')
  await setView(page, 0, 100)
  const box = await page.locator('.chart-canvas').boundingBox()
  await page.keyboard.down('Shift')
  await page.mouse.move(box.x + 100, box.y + 20)
  await page.mouse.down()
  await page.mouse.move(box.x + 350, box.y + 60, { steps: 4 })
  await page.mouse.up()
  await page.keyboard.up('Shift')
  const { measured } = await view(page)
  assert.deepEqual(measured.map(Math.round), [10_000, 35_000])
  assert.match(await page.locator('.measure').innerText(), /25\.00 µs/)
  await close(page)
})

test('tables are the documents: figures, order, and exact ticks as CSV', async () => {
  const page = await open('plain', '#states')
  const table = page.locator('.page-states .table').first()
  await table.locator('th button', { hasText: 'RUN' }).first().click()
  const sorted = [...plain.run.documents.states.threads].sort((a, b) => b.run.ticks - a.run.ticks)
  const shown = await table.locator('tbody tr').evaluateAll(list => list.map(row => [...row.cells].map(cell => cell.innerText)))
  assert.deepEqual(shown.map(row => Number(row[0])), sorted.map(({ thread }) => thread))
  sorted.forEach((row, i) => assert.equal(shown[i][5].replace(/\u2009/g, ''), `${(row.run.seconds * 1e6).toFixed(3)}\n${row.run.percent.toFixed(1)} %`))
  await table.locator('button', { hasText: 'Copy CSV' }).click()
  const csv = (await page.evaluate(() => window.copied)).trim().split('\r\n').map(line => line.split(','))
  const column = csv[0].indexOf('RUN (ticks)')
  assert.deepEqual(csv.slice(1).map(line => Number(line[column])), sorted.map(({ run }) => run.ticks))
  await go(page, 'imbalance')
  const first = plain.run.documents.imbalance.constructs[0]
  const cells = await page.locator('.page-imbalance table').first().locator('tbody tr').first().locator('td').allInnerTexts()
  assert.equal(cells[0], first.construct)
  assert.equal(Number(cells[3].replace(/\u2009/g, '')), Number((first.time.seconds * 1e6).toFixed(3)))
  await go(page, 'locks')
  assert.match(await page.locator('.page-locks').innerText(), /No locks were waited for/)
  await go(page, 'waits')
  const { waits, path } = plain.run.documents
  const tables = page.locator('.page-waits .table')
  const names = async (nth, column) => (await tables.nth(nth).locator('tbody tr').evaluateAll((list, at) => list.map(row => row.cells[at].innerText), column))
  assert.deepEqual(await names(0, 1), path.parts.map(part => part.thread_name))
  assert.deepEqual(await names(1, 0), waits.waits.map(wait => wait.place))
  for (const wait of [1, 2]) {
    await tables.nth(1).locator('tbody tr').nth(wait - 1).click()
    assert.deepEqual(await names(2, 1), waits.wakers.filter(row => row.wait === wait).map(row => row.thread_name), `who ended the waits of ${wait}`)
  }
  await close(page)
})

test('the strip and the shares are the sums of the states document', async () => {
  const page = await open('plain')
  const text = await page.locator('.shares:not(.account) .share-legend').innerText()
  const totals = STATE_KEYS.map((_, s) => plain.sums.reduce((sum, own) => sum + own[s], 0))
  const all = totals.reduce((a, b) => a + b, 0)
  plain.run.timeline.states.forEach((name, s) => assert.ok(text.includes(`${name} ${(totals[s] / all * 100).toFixed(1)} %`), `${name} in: ${text}`))
  await close(page)
})

test('what was predicted stands beside what was measured', async () => {
  const page = await open('predicted', '#model')
  const section = page.locator('.page-model section', { hasText: 'Predicted against measured' })
  assert.match(await section.innerText(), /Predicted for size = 36 and threads = 4: 120\.0 ms, from 100\.0 ms to 150\.0 ms with 95 %\. Measured: 155\.0 ms, 29\.2 % more than predicted, outside the interval\./)
  const rows = await section.locator('tbody tr').evaluateAll(list => list.map(row => [row.cells[0].innerText, row.cells[5].innerText]))
  assert.deepEqual(Object.fromEntries(rows), {
    A: '10.0 % more than predicted, inside the interval', B: '4.0 times the prediction, outside the interval', C: 'not there', D: 'not predicted',
  })
  await close(page)
})

test('a run comes back only if it does', async () => {
  for (const [name, sentence] of [
    ['cycle', /The run comes back to S9 every 1\.477 ms in the long run\./], ['no-cycle', /The run has no cycle: 2 of 10 states recur, with 3\.0 % of the time\./],
    ['one-cycle', /The run has no cycle: it was in S9, its longest state, 2 times\./],
  ]) {
    const page = await open(name, '#model')
    assert.match(await page.locator('.page-model .lead').innerText(), sentence)
    await close(page)
  }
})

test('curves begin with threads that work', async () => {
  const page = await open('idle', '#curves')
  await page.waitForSelector('.page-curves .plot')
  assert.deepEqual(await Promise.all(['A', 'B'].map(letter => page.getByLabel(`curve ${letter}: thread`).inputValue())), ['1', '3'])
  await close(page)
})

test('curves count what happened, and can be computed with', async () => {
  const page = await open('plain', '#curves')
  const { codes } = plain.run.timeline
  const runs = thread => plain.exact[thread].codes.filter(code => codes[code][0] === 0).length
  const label = () => page.locator('.page-curves .plot').getAttribute('aria-label')
  await page.waitForSelector('.page-curves .plot')
  assert.equal(await label(), `Curves: A ends at ${runs(0)}; B ends at ${runs(1)}`)
  const input = page.getByLabel('curves to show')
  await input.fill('A - B; (A + B) / 2; smooth(A, 1) * 2')
  await input.press('Enter')
  await until(page, () => document.querySelector('.page-curves .plot').getAttribute('aria-label').includes('A - B'))
  assert.equal(await label(), `Curves: A - B ends at ${runs(0) - runs(1)}; (A + B) / 2 ends at ${(runs(0) + runs(1)) / 2}; smooth(A, 1) * 2 ends at ${2 * runs(0)}`)
  await input.fill('A +')
  await input.press('Enter')
  await page.waitForSelector('.page-curves .problem')
  assert.match(await page.locator('.page-curves .problem').innerText(), /something is missing/)
  await close(page)
})

/** Wraps what writes into canvases: window.written has each text with its box, in pixels of the canvas. */
function writeDown() {
  window.written = new Map()
  const { fillText } = CanvasRenderingContext2D.prototype
  CanvasRenderingContext2D.prototype.clearRect = (clear => function (...box) {
    window.written.set(this.canvas, [])
    clear.apply(this, box)
  })(CanvasRenderingContext2D.prototype.clearRect)
  CanvasRenderingContext2D.prototype.fillText = function (text, x, y, ...rest) {
    const { width } = this.measureText(text)
    const from = { left: 0, start: 0, center: width / 2, right: width, end: width }[this.textAlign]
    const corners = [[x - from, y], [x - from + width, y]].map(([a, b]) => this.getTransform().transformPoint({ x: a, y: b }))
    const list = window.written.get(this.canvas) ?? []
    list.push({ text, left: Math.min(...corners.map(({ x: a }) => a)), right: Math.max(...corners.map(({ x: a }) => a)), top: Math.min(...corners.map(({ y: a }) => a)), bottom: Math.max(...corners.map(({ y: a }) => a)) })
    window.written.set(this.canvas, list)
    fillText.call(this, text, x, y, ...rest)
  }
}

test('labels of axes lie inside the chart, and tell numbers as people do', async () => {
  const page = await open('wide', '#log', { viewport: { width: 1300, height: 800 } })
  await page.evaluate(writeDown)
  const labels = id => page.evaluate(name => [...document.querySelectorAll(`.page-${name} .plot canvas`)].flatMap(canvas =>
    (window.written.get(canvas) ?? []).map(label => ({ ...label, inside: label.left >= 0 && label.right <= canvas.width && label.top >= 0 && label.bottom <= canvas.height }))), id)
  const see = async id => {
    await settled(page)
    const found = await labels(id)
    assert.ok(found.length > 8, `${id} has ${found.length} labels`)
    assert.deepEqual(found.filter(({ inside }) => !inside), [], id)
    assert.deepEqual(found.filter(({ text }) => /e[+-]/.test(text)), [], id)
    return found.map(({ text }) => text)
  }
  await go(page, 'states')
  await see('states')
  await go(page, 'curves')
  await page.waitForSelector('.page-curves .plot')
  const input = page.getByLabel('curves to show')
  for (const [factor, label] of [[1, /^\d+$/], [3e3, /^\d\u2009000\u2009000$|^\d{3}\u2009000$/], [1e6, /\u00a0M$/], [1e9, /\u00a0G$/]]) {
    await input.fill(`A * ${factor}`)
    await input.press('Enter')
    await until(page, text => document.querySelector('.page-curves .plot')?.getAttribute('aria-label').includes(text), `A * ${factor} `)
    const texts = await see('curves')
    assert.ok(texts.some(text => label.test(text)), `${factor}: ${texts}`)
    // A unit for all of an axis.
    assert.equal(new Set(texts.filter(text => /s$/.test(text)).map(text => text.split('\u00a0')[1])).size, 1, `${texts}`)
  }
  await page.getByLabel('curve A: measure').selectOption('time')
  await page.getByLabel('curve B: measure').selectOption('time')
  await input.fill('A')
  await input.press('Enter')
  await see('curves')
  await close(page)
})

test('no table and no page has to be scrolled sideways, at 1,300 pixels and at 1,920', async () => {
  for (const [name, width] of [['wide', 1300], ['wide', 1920], ['compare', 1300], ['compare', 1920]]) {
    const page = await open(name, '#overview', { viewport: { width, height: 900 } })
    for (const id of name === 'compare' ? [...PAGES, 'compare'] : PAGES) {
      await go(page, id)
      for (const summary of await page.locator(`.page-${id} summary`).all()) await summary.click()
      await settled(page)
      const found = await page.evaluate(shown => [...document.querySelectorAll(`.page-${shown} .table-scroll, main, .page-${shown}`)]
        .map(element => [element.querySelector('th')?.innerText ?? element.className, element.scrollWidth - element.clientWidth]).filter(([, over]) => over > 0), id)
      assert.deepEqual(found, [], `${name}: ${id} at ${width} pixels`)
      // The name of a row keeps room to be read.
      const names = await page.evaluate(shown => [...document.querySelectorAll(`.page-${shown} td.first`)].filter(cell => cell.getClientRects().length > 0 && cell.clientWidth < 60 && cell.innerText.length > 12).length, id)
      assert.equal(names, 0, `${id} at ${width} pixels`)
    }
    await close(page)
  }
})

test('in a narrow window each page can be reached', async () => {
  const page = await open('wide', '#overview', { viewport: { width: 620, height: 800 } })
  const outside = await page.evaluate(() => [...document.querySelectorAll('nav.pages a')].map(link => [link.textContent, link.getBoundingClientRect()])
    .filter(([, { left, right }]) => left < 0 || right > window.innerWidth || right > document.querySelector('nav.pages').getBoundingClientRect().right).map(([name]) => name))
  assert.deepEqual(outside, [])
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth))
  await close(page)
})

test('matrix and graph of a model with 36 states fit, and can be zoomed and moved', async () => {
  for (const width of [700, 1300]) {
    const page = await open('wide', '#model', { viewport: { width, height: 800 } })
    assert.equal(await page.locator('.graph .node').count(), 36)
    for (const name of ['matrix', 'graph']) {
      const place = page.locator('.zoom-place', { has: page.locator(`.${name}`) })
      const look = () => place.evaluate(element => {
        const box = element.getBoundingClientRect()
        const texts = [...element.querySelectorAll('text')].map(text => text.getBoundingClientRect())
        return {
          outside: texts.filter(text => text.left < box.left || text.right > box.right || text.top < box.top || text.bottom > box.bottom).length,
          over: [element.scrollWidth - element.clientWidth, element.scrollHeight - element.clientHeight], left: element.scrollLeft, wide: element.firstElementChild.clientWidth,
        }
      })
      const fitting = await look()
      assert.deepEqual([fitting.outside, fitting.over], [0, [0, 0]], `${name} at ${width}`)
      const tools = page.locator('.zoomable', { has: page.locator(`.${name}`) })
      for (let i = 0; i < 9; i++) await tools.getByRole('button', { name: '+' }).click()
      const large = await look()
      assert.ok(large.wide > fitting.wide * 3 && large.over[0] > 100, `${name} at ${width}: ${JSON.stringify(large)}`)
      await place.scrollIntoViewIfNeeded()
      const box = await place.boundingBox()
      await page.mouse.move(box.x + 200, box.y + 60)
      await page.mouse.down()
      await page.mouse.move(box.x + 120, box.y + 60, { steps: 3 })
      await page.mouse.up()
      assert.equal((await look()).left, Math.min(large.left + 80, large.over[0]))
      await tools.getByRole('button', { name: 'Fit' }).click()
      assert.deepEqual((await look()).over, [0, 0])
    }
    await close(page)
  }
})

test('two runs: one time axis in spite of two clocks, and differences', async () => {
  const page = await open('compare', '#timeline')
  assert.equal(await page.locator('.chart').count(), 2)
  const [a, b] = await page.evaluate(() => window.heddle.bundle.runs.map(({ timeline }) => [timeline.duration, timeline.ticks_per_second]))
  const seconds = Math.max(a[0] / a[1], b[0] / b[1])
  const shown = await view(page)
  assert.ok(Math.abs(shown.end / a[1] - seconds) < 1e-9 * seconds)
  const lengths = await page.evaluate(() => [0, 1].map(run => window.heddle.drawn(0, 0, run).reduce((sum, { x0, x1 }) => sum + x1 - x0, 0)))
  ;[a, b].forEach(([ticks, tps], i) => assert.ok(Math.abs(lengths[i] - shown.width * ticks / tps / seconds) <= 1, `run ${i} is ${lengths[i]} pixels long`))
  await go(page, 'compare')
  const rows = await page.locator('.page-compare table').nth(1).locator('tbody tr').evaluateAll(list => list.map(row => [...row.cells].map(cell => cell.innerText)))
  const totals = await page.evaluate(() => window.heddle.bundle.runs.map(run => run.documents.states.threads.reduce((sum, { run: own }) => sum + own.seconds, 0)))
  const row = rows.find(([name]) => name === 'RUN')
  const number = text => Number(text.replace(/\u2009/g, '').replace('−', '-'))
  assert.ok(Math.abs(number(row[1]) - totals[0] * 1e3) < 6e-4)
  assert.ok(Math.abs(number(row[3]) - (totals[1] - totals[0]) * 1e3) < 6e-4)
  await close(page)
})

test('two runs: 3 % are no difference, and other numbers of threads are named', async () => {
  for (const [name, said] of [['alike', /^Both take about the same time: .* less than 5(\.0+)?\s*%\.$/], ['fewer', /^B is faster: .*, 2\.00 times as fast\. A has 4 threads, B 2\.$/]]) {
    const page = await open(name, '#compare')
    await page.waitForSelector('.page-compare .lead')
    assert.match(await page.locator('.page-compare .lead').innerText(), said)
    await close(page)
  }
})

test('dark by the system or by choice; paper is light', async () => {
  const page = await open('plain', '#timeline?filter=thread+3', { colorScheme: 'dark' })
  const theme = () => page.evaluate(() => [document.documentElement.dataset.theme, getComputedStyle(document.body).backgroundColor])
  assert.deepEqual(await theme(), ['dark', 'rgb(20, 23, 27)'])
  const corner = () => page.evaluate(() => {
    const canvas = document.querySelector('.chart-canvas')
    return [...canvas.getContext('2d').getImageData(3, canvas.height - 2, 1, 1).data]
  })
  assert.deepEqual(await corner(), [20, 23, 27, 255])
  await page.selectOption('select[data-control="theme"]', 'light')
  await settled(page)
  assert.deepEqual(await corner(), [255, 255, 255, 255])
  await page.selectOption('select[data-control="theme"]', 'dark')
  await go(page, 'imbalance')
  await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')))
  await page.emulateMedia({ media: 'print' })
  assert.equal((await theme())[0], 'light')
  assert.equal(await page.locator('.table-tools').first().isVisible(), false)
  assert.ok((await page.pdf()).length > 10_000)
  await page.evaluate(() => window.dispatchEvent(new Event('afterprint')))
  assert.equal((await theme())[0], 'dark')
  await close(page)
})

test('hostile names are text, and short where there is little room', async () => {
  const page = await open('hostile', '#timeline?constructs=1')
  for (const id of PAGES) {
    await go(page, id)
    await settled(page)
  }
  await go(page, 'timeline')
  await page.locator('.name').first().click()
  await page.waitForSelector('.list-row')
  const found = await page.evaluate(() => ({
    scripts: document.querySelectorAll('script:not([type="module"])').length, images: document.querySelectorAll('img').length,
    name: document.querySelector('.name').innerText, titles: Math.max(...[...document.querySelectorAll('[title]')].map(element => element.title.length)),
    texts: Math.max(...[...document.querySelectorAll('*')].map(element => [...element.childNodes].filter(node => node.nodeType === 3).reduce((most, node) => Math.max(most, node.length), 0))),
    wide: document.documentElement.scrollWidth <= window.innerWidth,
  }))
  assert.equal(found.scripts, 0)
  assert.equal(found.images, 0)
  assert.ok(found.name.includes('<script>alert(1)</script>'))
  assert.ok(found.titles <= 400)
  assert.ok(found.wide, 'the page is wider than the window')
  await close(page)
})

test('findings and locks lead to their place in the timeline', async () => {
  const page = await open('plain')
  await page.locator('.findings button', { hasText: 'show in the timeline' }).first().click()
  await settled(page)
  const shown = await view(page)
  const { begin, end } = plain.run.findings[0]
  assert.ok(shown.begin <= begin && shown.end >= end)
  assert.ok(shown.end - shown.begin < 2 * (end - begin))
  await close(page)
})

test('the critical path is a line over the threads that it is on', async () => {
  const page = await open('plain', '#waits')
  await page.locator('button', { hasText: 'Show the path in the timeline' }).click()
  await settled(page)
  assert.ok(await page.locator('input[data-arrow="path"]').isChecked())
  /** Rows of pixels that have the line's colour at an eighth of the run, in the middle of it. */
  const rows = () => page.evaluate(() => {
    const color = getComputedStyle(document.documentElement).getPropertyValue('--path').trim()
    const wanted = [1, 3, 5].map(at => parseInt(color.slice(at, at + 2), 16))
    return [...document.querySelectorAll('canvas')].map(canvas => Array.from({ length: 8 }, (_, i) => {
      const { data } = canvas.getContext('2d').getImageData(Math.floor(canvas.width * (i + 0.5) / 8), 0, 1, canvas.height)
      return Array.from({ length: canvas.height }, (_, y) => y).filter(y => wanted.every((byte, k) => data[4 * y + k] === byte))
    })).find(columns => columns.some(column => column.length > 0))
  })
  const columns = await rows()
  assert.ok(columns?.every(column => column.length > 0), `no line: ${JSON.stringify(columns)}`)
  assert.deepEqual(columns.slice(4), columns.slice(0, 4), 'the path comes back to the same threads')
  assert.equal(new Set(columns.slice(0, 4).map(String)).size, 4, `threads: ${JSON.stringify(columns)}`)
  await page.locator('input[data-arrow="path"]').uncheck()
  await settled(page)
  assert.equal(await rows(), undefined)
  await close(page)
})

test('READY and OFF have colours, light and dark; the model has the key of its letters', async () => {
  for (const colorScheme of ['light', 'dark']) {
    const page = await open('processors', '#timeline', { colorScheme })
    const colors = await page.locator('.legend button[data-state] .chip').evaluateAll(chips => chips.map(chip => [chip.parentElement.dataset.state, getComputedStyle(chip).backgroundColor]))
    assert.ok(colors.some(([key]) => key === 'ready') && colors.some(([key]) => key === 'off'))
    assert.equal(new Set(colors.map(([, color]) => color)).size, colors.length, `two states look alike: ${colors}`)
    const own = await page.evaluate(() => ['ready', 'off', 'other-0'].map((name, i) => getComputedStyle(document.documentElement).getPropertyValue(i < 2 ? `--state-${name}` : `--${name}`)))
    assert.ok(own[0] && own[1] && own[2], 'a colour of a state is not there')
    await go(page, 'states')
    const heads = await page.locator('main > .page-states th:visible').allInnerTexts()
    assert.ok(heads.some(text => text.startsWith('READY')) && heads.some(text => text.startsWith('OFF')), String(heads))
    await go(page, 'model')
    assert.equal(await page.locator('[data-part="letters"]').innerText(), 'Letters of states: Q READY, P OFF.')
    await close(page)
  }
})
