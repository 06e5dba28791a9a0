// The intervals of a specification on the timeline and in curves, with a made-up report whose contents are known exactly.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { close, open as openFile, setView, start, stop, until, view } from './harness.mjs'
import { makeRun, report } from './make-bundle.mjs'

const HOPS = 100
const STEP = 1000
/** Hop i from thread 0 to thread 1 begins at (i + 1) STEP and takes 300 + i ticks. */
const hops = Array.from({ length: HOPS }, (_, i) => ({ begin: (i + 1) * STEP, length: 300 + i }))
const EVIL = '<img src=x onerror=alert(1)>'
let directory
let file

/** Also three rectangles of thread 2, of which two overlap and the last one is open to the end, and a kind with a lot of intervals that is not drawn, on thread 3. */
function withIntervals(bundle) {
  const { documents, timeline } = bundle.runs[0]
  const [send, lone] = ['send', 'lone'].map(name => timeline.regions.push({ name, role: 'CODE', longest: 0 }) - 1)
  const points = (location, region, later, attributes, values) => ({ location, region, every: 1, missing: 0, later, attributes, values })
  documents.points = { attributes: ['seq', 'peer'], lists: [points(0, send, hops.map(() => STEP), [0, 1], [hops.map((_, i) => i), hops.map(() => 'Ada')]), points(3, lone, [3 * STEP], [], [])] }
  const kind = (name, drawn, from, to, later, length, more = {}) => ({
    name, drawn, count: length.length, unmatched_starts: 3, unmatched_ends: 4, mean: 1, min: 1, median: 1, p99: 1, max: Math.max(...length), every: 1,
    from: length.map(() => from), to: length.map(() => to), later, length, ...more,
  })
  documents.intervals = {
    events: [{ name: 'send', symbol: 'box', offset: -2 }],
    kinds: [
      kind('Hop', 'line', 0, 1, hops.map(() => STEP), hops.map(({ length }) => length), {
        attributes: [{ name: 's.seq', values: hops.map((_, i) => i) }, { name: 'r.load', values: hops.map((_, i) => i === 2 ? null : 0.5) }, { name: 'r.peer', values: hops.map(() => EVIL) }],
      }),
      kind(EVIL, 'rectangle', 2, 2, [STEP, STEP, 4 * STEP], [4 * STEP, 2 * STEP, timeline.duration - 6 * STEP]),
      kind('Quiet', null, 3, 3, [STEP, STEP], [400, 700], { count: 10, every: 8, weights: [8, 2], totals: [1600, 900] }),
    ],
    assertions: [{ text: 'Hop.time < 350 ns', held: 50, violated: 50 }, { text: 'count(Hop) == 100', held: 1, violated: 0 }],
  }
  return bundle
}

before(async () => {
  directory = mkdtempSync(join(tmpdir(), 'heddle-page-'))
  file = join(directory, 'intervals.html')
  writeFileSync(file, report([makeRun({ threads: 4, segments: 4000 })], { change: withIntervals }))
  await start()
})

after(async () => {
  await stop()
  rmSync(directory, { recursive: true, force: true })
})

const open = fragment => openFile(file, fragment, {})
const spans = page => page.evaluate(() => window.heddle.spans())
const ofKind = ({ list }, kind) => list.filter(bundle => bundle.kind === kind)
const sum = list => list.reduce((all, { count }) => all + count, 0)
/** Hops lie far apart: the third begins at pixel 100. */
const SCALE = STEP / 200
const near = page => setView(page, 3 * STEP - 100 * SCALE, SCALE)
const middle = async (page, location) => {
  const { y, height } = await page.evaluate(at => window.heddle.lineOf(at), location)
  return y + height / 2
}

test('at every scale the lines add up to the intervals in sight', async () => {
  const page = await open('#timeline')
  for (const scale of [null, 300, 60, 12, 3]) {
    if (scale) await setView(page, 0, scale)
    else await page.evaluate(() => window.heddle.fit())
    const { begin, end } = await view(page)
    const inside = hops.filter(({ begin: at, length }) => at <= end && at + length >= begin).length
    const found = await spans(page)
    assert.deepEqual([sum(ofKind(found, 0)), found.left], [inside, 0], `at ${scale}`)
  }
  await near(page)
  const few = ofKind(await spans(page), 0)
  assert.ok(few.every(({ count }) => count === 1))
  const third = few.find(({ x0 }) => Math.abs(x0 - 100) < 1e-6)
  assert.ok(Math.abs(third.x1 - (100 + 302 / SCALE)) < 1e-6)
  await page.evaluate(() => window.heddle.fit())
  assert.ok(ofKind(await spans(page), 0).some(({ count }) => count > 1), 'many become one')
  await close(page)
})

test('a line goes from thread to thread, in the colour of the legend, and tells of its interval', async () => {
  const page = await open('#timeline')
  await near(page)
  const x = Math.round(100 + 302 / SCALE / 2)
  const y = Math.round((await middle(page, 0) + await middle(page, 1)) / 2)
  const color = await page.evaluate(([left, top]) => {
    const { data } = document.querySelector('.chart-canvas').getContext('2d').getImageData(left - 3, top, 7, 1)
    return Array.from({ length: 7 }, (_, i) => [...data.slice(4 * i, 4 * i + 3)].join())
  }, [x, y])
  assert.ok(color.includes('176,16,107'), `no pixel of the line among ${color.join(' ')}`)
  const box = await page.locator('.chart-canvas').boundingBox()
  await page.mouse.move(box.x + x, box.y + y)
  assert.match(await page.locator('.status').innerText(), /^Hop from OpenMP master to .+ · .+ · s\.seq = 2, r\.peer = "<img src=x onerror=alert\(1\)>" · at /)
  await close(page)
})

test('rectangles that overlap lie below each other', async () => {
  const page = await open('#timeline?height=40')
  await setView(page, 0, 8 * STEP / 600)
  const found = ofKind(await spans(page), 1)
  assert.deepEqual(found.map(({ lane, from, to, count }) => [lane, from, to, count]), [[0, 2, 2, 1], [1, 2, 2, 1], [0, 2, 2, 1]])
  const box = await page.locator('.chart-canvas').boundingBox()
  const { y, height } = await page.evaluate(() => window.heddle.lineOf(2))
  const told = async (time, part) => {
    await page.mouse.move(box.x + time * 600 / 8, box.y + y + height * part)
    return page.locator('.status').innerText()
  }
  assert.ok((await told(3, 0.62)).startsWith(EVIL))
  assert.notEqual(await told(3, 0.62), await told(3, 0.9))
  assert.ok(!(await told(3, 0.2)).startsWith(EVIL), 'states stay in sight above')
  await close(page)
})

test('kinds are chosen in the legend, and have figures', async () => {
  const page = await open('#timeline?height=6&constructs=0')
  await page.evaluate(() => window.heddle.fit())
  assert.equal(sum(ofKind(await spans(page), 2)), 0) // the specification says neither line nor rectangle
  await page.click('.interval-legend [data-interval="Quiet"]')
  assert.equal(sum(ofKind(await spans(page), 2)), 10)
  await page.click('.interval-legend [data-interval="Hop"]')
  assert.equal(sum(ofKind(await spans(page), 0)), 0)
  await page.click('.interval-legend button.plain')
  const figures = page.locator('.interval-legend .event-settings')
  assert.match(await figures.innerText(), /Hop[^]*100\s+3\s+4/)
  assert.match(await page.locator('.interval-legend').innerText(), /one of 8 intervals or more/)
  assert.match(await page.locator('.interval-legend .problem').innerText(), /^Does not hold for 50 of 100: Hop.time < 350 ns$/)
  await page.getByLabel('how Quiet is drawn').selectOption('rectangle')
  assert.deepEqual([...new Set(ofKind(await spans(page), 2).map(({ style }) => style.drawn))], ['rectangle'])
  await close(page)
})

test('the specification says which symbols events have', async () => {
  const page = await open('#timeline')
  await near(page)
  const found = await page.evaluate(() => [...window.heddle.marks(0), ...window.heddle.marks(3)].map(({ style }) => `${style.symbol} ${style.offset}`))
  assert.deepEqual([...new Set(found)], ['box -2', 'x 0'])
  await close(page)
})

test('curves have their number, rate, length, and how many are open', async () => {
  const page = await open('#curves')
  await page.waitForSelector('.page-curves .plot')
  const rate = await page.evaluate(() => window.heddle.bundle.runs[0].timeline.ticks_per_second)
  const label = () => page.locator('.page-curves .plot').first().getAttribute('aria-label')
  const ends = async what => {
    await until(page, text => document.querySelector('.page-curves .plot').getAttribute('aria-label').includes(text), what)
    return Number(/A ends at ([\d.e-]+|nothing)/.exec(await label())[1])
  }
  await page.getByLabel('curve A: what').selectOption({ label: 'interval Hop' })
  assert.equal(await ends('A ends at 100;'), 100)
  await page.getByLabel('curve A: thread').selectOption('1')
  assert.equal(await ends('A ends at 0;'), 0) // they begin on thread 0
  await page.getByLabel('curve A: thread').selectOption('')
  await page.getByLabel('curve A: measure').selectOption('time')
  const all = hops.reduce((total, { length }) => total + length, 0) / rate
  await until(page, wanted => Math.abs(Number(/A ends at ([\d.e-]+)/.exec(document.querySelector('.page-curves .plot').getAttribute('aria-label'))?.[1]) / wanted - 1) < 1e-9, all)
  await page.getByLabel('curve A: measure').selectOption('open')
  await page.getByLabel('curve A: what').selectOption({ label: `interval ${EVIL}` })
  await until(page, () => Math.abs(Number(/A ends at ([\d.e-]+)/.exec(document.querySelector('.page-curves .plot').getAttribute('aria-label'))?.[1]) - 1) < 1e-9) // one of them is open at the end
  assert.match(await page.locator('.histograms .plot').getAttribute('aria-label'), /Bars: intervals ends at 1$/)
  await close(page)
})
