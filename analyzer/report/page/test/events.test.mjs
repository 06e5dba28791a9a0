// The program's events on the timeline and in curves, with made-up reports whose contents are known exactly.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { close, go, open as openFile, setView, settled, start, stop, until, view } from './harness.mjs'
import { makeRun, report } from './make-bundle.mjs'

const TICKS = 100
const STEP = 1000
const NAMES = { tick: 'tick', lone: '<img src=x onerror=alert(1)>' }
let directory
let file

/**
 * Thread 0: 100 events `tick`, `STEP` ticks apart, with i = 0 .. 99 and half = i / 2; one of another type, with an evil name, a quarter of
 * a step behind the third. Thread 1: 10 ticks at once, of which each stands for 5, and 3 that were not recorded.
 */
function withEvents(bundle) {
  const { documents, timeline } = bundle.runs[0]
  const [tick, lone] = Object.values(NAMES).map(name => timeline.regions.push({ name, role: 'CODE', longest: 0 }) - 1)
  const list = (location, region, later, attributes, values, more = {}) => ({ location, region, every: 1, missing: 0, later, attributes, values, ...more })
  documents.points = {
    attributes: [null, 'i', 'half'],
    lists: [
      list(0, tick, Array.from({ length: TICKS }, () => STEP), [1, 2], [Array.from({ length: TICKS }, (_, i) => i), Array.from({ length: TICKS }, (_, i) => i / 2)]),
      list(0, lone, [STEP * 3.25], [], []),
      list(1, tick, [5000, ...new Array(9).fill(0)], [1], [new Array(10).fill(null)], { every: 5, missing: 3, weights: new Array(10).fill(5) }),
    ],
  }
  return bundle
}

before(async () => {
  directory = mkdtempSync(join(tmpdir(), 'heddle-page-'))
  file = join(directory, 'events.html')
  writeFileSync(file, report([makeRun({ threads: 4, segments: 4000 })], { change: withEvents }))
  await start()
})

after(async () => {
  await stop()
  rmSync(directory, { recursive: true, force: true })
})

const open = fragment => openFile(file, fragment, {})
const marks = (page, location) => page.evaluate(at => window.heddle.marks(at), location)
const sum = list => list.reduce((all, { count }) => all + count, 0)
/** Symbols of thread 0 lie far apart: its third tick is at pixel 100. */
const SCALE = STEP / 80
const near = page => setView(page, 3 * STEP - 100 * SCALE, SCALE)

test('at every scale the marks add up to the events in sight', async () => {
  const page = await open('#timeline')
  await page.evaluate(() => window.heddle.fit())
  for (const ticksPerPixel of [null, 300, 60, 12, 3]) {
    if (ticksPerPixel) await setView(page, 0, ticksPerPixel)
    const { begin, end } = await view(page)
    const found = (await marks(page, 0)).filter(({ x1 }) => x1 >= 0)
    const inside = Array.from({ length: TICKS }, (_, i) => (i + 1) * STEP).filter(at => at >= begin && at <= end).length
    const least = inside + (begin <= 3.25 * STEP && end >= 3.25 * STEP ? 1 : 0)
    assert.ok(sum(found) >= least, `${sum(found)} of ${least} events at ${ticksPerPixel}`)
    for (let i = 1; i < found.length; i++) assert.ok(found[i].x0 > found[i - 1].x1 - 1, 'marks lie upon each other')
  }
  await page.evaluate(() => window.heddle.fit())
  assert.equal(sum(await marks(page, 0)), TICKS + 1)
  assert.equal(sum(await marks(page, 1)), 50)
  await close(page)
})

test('single events are symbols at their times, in the colour of the legend', async () => {
  const page = await open('#timeline')
  await near(page)
  const found = await marks(page, 0)
  const third = found.find(({ x }) => Math.abs(x - 100) < 1e-6)
  assert.deepEqual([third.count, third.mixed, third.style.symbol], [1, false, 'plus'])
  assert.ok(found.some(({ x, count }) => Math.abs(x - 120) < 1e-6 && count === 1))
  const pixels = await page.evaluate(() => {
    const { y, height } = window.heddle.lineOf(0)
    const at = x => [...document.querySelector('.chart-canvas').getContext('2d').getImageData(x, Math.floor(y + height / 2), 1, 1).data.slice(0, 3)]
    return [at(100), at(110)]
  })
  assert.deepEqual(pixels[0], [0x1a, 0x1d, 0x22])
  assert.notDeepEqual(pixels[1], pixels[0])
  await close(page)
})

test('events are chosen by type and attribute, and have an offset', async () => {
  const page = await open('#timeline')
  await page.evaluate(() => window.heddle.fit())
  await page.click(`.event-legend [data-event="${NAMES.tick}"]`)
  assert.equal(sum(await marks(page, 0)), 1)
  await page.click(`.event-legend [data-event="${NAMES.tick}"]`)
  await page.click('.event-legend button.plain')
  const where = page.getByLabel('which of tick')
  await where.fill('i < 10 && half != 2')
  await where.press('Enter')
  assert.equal(sum(await marks(page, 0)), 9 + 1)
  assert.equal(sum(await marks(page, 1)), 0) // they have no number there
  await page.getByLabel('which of tick').fill('')
  await page.getByLabel('which of tick').press('Enter')
  await page.getByLabel('symbol of tick').selectOption('diamond')
  await page.getByLabel('offset of tick').fill('-1')
  await page.getByLabel('offset of tick').press('Enter')
  await near(page)
  const third = (await marks(page, 0)).find(({ x }) => Math.abs(x - 100) < 1e-6)
  assert.deepEqual([third.offset, third.style.symbol], [-1, 'diamond'])
  await close(page)
})

test('a symbol tells of its event, a mark of its events', async () => {
  const page = await open('#timeline')
  await near(page)
  const box = await page.locator('.chart-canvas').boundingBox()
  const line = await page.evaluate(() => window.heddle.lineOf(0))
  await page.mouse.move(box.x + 100, box.y + line.y + line.height / 2)
  const status = page.locator('.status')
  assert.match(await status.innerText(), /OpenMP master · tick · i = 2, half = 1 · at /)
  await page.mouse.click(box.x + 100, box.y + line.y + line.height / 2)
  assert.match(await page.locator('.event-details').innerText(), /1 event on OpenMP master[^]*i = 2, half = 1/)
  await page.evaluate(() => window.heddle.fit())
  await settled(page)
  const mark = (await marks(page, 0)).find(({ count }) => count > 1)
  await page.mouse.click(box.x + (mark.x0 + mark.x1) / 2, box.y + line.y + line.height / 2)
  await until(page, count => document.querySelector('.event-details').innerText.includes(`${count} events on`), mark.count)
  await page.keyboard.press('Escape')
  await until(page, () => document.querySelector('.event-details').hidden)
  await close(page)
})

test('curves have their number, rate and values', async () => {
  const page = await open('#curves')
  await page.waitForSelector('.page-curves .plot')
  const what = page.getByLabel('curve A: what')
  const measure = page.getByLabel('curve A: measure')
  const ends = async (text, pattern) => {
    await until(page, ([source]) => new RegExp(source).test(document.querySelector('.page-curves .plot').getAttribute('aria-label')), [pattern.source])
    assert.match(await page.locator('.page-curves .plot').first().getAttribute('aria-label'), pattern, text)
  }
  await what.selectOption({ label: 'tick' })
  await ends('on thread 0', /A ends at 100;/)
  // Fields are not on paper: there a line says what the curves are.
  const said = page.locator('.page-curves .on-paper')
  assert.ok(await said.isHidden())
  await page.emulateMedia({ media: 'print' })
  assert.match(await said.innerText(), /^A: number of tick, OpenMP master;/)
  await page.emulateMedia({ media: 'screen' })
  await page.getByLabel('curve A: thread').selectOption('')
  await ends('on all threads', /A ends at 150;/)
  await page.getByLabel('curve A: thread').selectOption('0')
  await measure.selectOption('value')
  await page.getByLabel('curve A: attribute').selectOption('half')
  // A point is the mean of the events in a 512th of the run; the last ones share one.
  const duration = await page.evaluate(() => window.heddle.bundle.runs[0].timeline.duration)
  const bin = i => Math.floor((i + 1) * STEP / duration * 512)
  const last = Array.from({ length: TICKS }, (_, i) => i).filter(i => bin(i) === bin(TICKS - 1))
  await ends('the last value', new RegExp(`A ends at ${last.reduce((all, i) => all + i / 2, 0) / last.length};`))
  assert.match(await page.locator('.histograms .plot').getAttribute('aria-label'), /Bars: events ends at \d/)
  await measure.selectOption('rate')
  await page.getByLabel('curves to show').fill('A - A')
  await page.getByLabel('curves to show').press('Enter')
  await ends('arithmetic', /A - A ends at 0/)
  await go(page, 'timeline')
  await close(page)
})
