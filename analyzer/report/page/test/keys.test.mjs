// Every key of the page, and nothing but keys: a made-up report whose contents are known.
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { close, open, setView, settled, start, stop, until, view } from './harness.mjs'
import { makeRun, report } from './make-bundle.mjs'

let directory
let file

before(async () => {
  directory = mkdtempSync(join(tmpdir(), 'heddle-keys-'))
  file = join(directory, 'keys.html')
  writeFileSync(file, report([makeRun({ threads: 60, segments: 6000 })]))
  await start()
})

after(async () => {
  await stop()
  rmSync(directory, { recursive: true, force: true })
})

const shown = id => document.querySelector(`main > .page-${id}`)?.getClientRects().length > 0
const focus = page => page.locator('.chart-scroller').first().focus()
const rows = page => page.evaluate(() => window.heddle.rows())
const top = page => page.locator('.chart-scroller').first().evaluate(element => element.scrollTop)
const status = page => page.locator('.status').innerText()

/** Presses a key in the chart, and gives the view before and after. */
async function pressed(page, key) {
  await focus(page)
  const before = { ...await view(page), top: await top(page) }
  await page.keyboard.press(key)
  await settled(page)
  return [before, { ...await view(page), top: await top(page) }]
}

/** In the order in which they are pressed; each says what must hold of the view before and after. */
const KEYS = [
  ['w', (a, b) => b.ticksPerPixel < a.ticksPerPixel], ['s', (a, b) => b.ticksPerPixel > a.ticksPerPixel], ['i', (a, b) => b.ticksPerPixel < a.ticksPerPixel],
  ['+', (a, b) => b.ticksPerPixel < a.ticksPerPixel], ['o', (a, b) => b.ticksPerPixel > a.ticksPerPixel], ['-', (a, b) => b.ticksPerPixel > a.ticksPerPixel],
  ['d', (a, b) => b.begin > a.begin], ['a', (a, b) => b.begin < a.begin], ['ArrowRight', (a, b) => b.begin > a.begin], ['ArrowLeft', (a, b) => b.begin < a.begin],
  ['Control+ArrowRight', (a, b) => b.begin >= a.end - 2 * b.ticksPerPixel], ['Control+ArrowLeft', (a, b) => b.end <= a.begin + 2 * b.ticksPerPixel],
  ['End', (a, b) => b.end > a.end], ['Home', (a, b) => b.begin === 0],
  ['ArrowDown', (a, b) => b.top > a.top], ['ArrowUp', (a, b) => b.top < a.top], ['PageDown', (a, b) => b.top > a.top], ['PageUp', (a, b) => b.top < a.top],
  ['Control+ArrowDown', (a, b) => b.top > a.top], ['Control+ArrowUp', (a, b) => b.top < a.top], ['Control+End', (a, b) => b.top > a.top], ['Control+Home', (a, b) => b.top === 0],
  ['0', (a, b, duration) => b.begin <= 0 && b.end >= duration],
]
/** Keys that other tests of this file press. */
const OTHERS = ['f', 'Backspace', 'n', 'p', 'm', 'h', 't', 'g', 'b', '/', '.', ',', '?', 'Escape']

test('keys move and zoom', async () => {
  const page = await open(file, '#timeline?height=18')
  const duration = await page.evaluate(() => window.heddle.bundle.runs[0].timeline.duration)
  await setView(page, duration * 0.4, duration / 4000)
  for (const [key, holds] of KEYS) {
    const [before, now] = await pressed(page, key)
    assert.ok(holds(before, now, duration), `${key}: from ${JSON.stringify([before.begin, before.end, before.top])} to ${JSON.stringify([now.begin, now.end, now.top])}`)
  }
  await close(page)
})

test('each key that the chart knows is pressed by a test', () => {
  const source = readFileSync(join(process.env.HEDDLE_SOURCE, 'analyzer/report/page/src/timeline/input.ts'), 'utf8')
  const table = /const keys: [^]*? = \{\n([^]*?)\n {2}\}/.exec(source)[1]
  const known = [...table.matchAll(/^ {4}(?:'(.)'|(\w+)): /gm)].map(([, quoted, plain]) => quoted ?? plain)
  assert.deepEqual([...known, '+', '-'].sort(), [...new Set([...KEYS.map(([key]) => key.replace('Control+', '')), ...OTHERS])].sort())
})

test('keys select, step, pin, hide, fold, note and search', async () => {
  const page = await open(file, '#timeline?height=18&group=kind')
  // Search: the first match is selected, the next one is another.
  await focus(page)
  await page.keyboard.press('/')
  await page.keyboard.type('loop.c:12')
  await page.waitForSelector('.find-list [role="option"]')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Enter')
  await until(page, () => window.heddle.view().selected !== null)
  const place = async () => (({ location, begin }) => `${location} ${begin}`)((await view(page)).selected)
  const first = await place()
  await pressed(page, '.')
  assert.notEqual(await place(), first)
  await pressed(page, ',')
  assert.equal(await place(), first)
  // n and p step through the states of the thread.
  await pressed(page, 'n')
  await until(page, () => document.querySelector('.status').innerText.includes('for'))
  const next = await place()
  assert.notEqual(next, first)
  await pressed(page, 'n')
  await until(page, old => (({ location, begin }) => `${location} ${begin}`)(window.heddle.view().selected) !== old, next)
  await pressed(page, 'p')
  await until(page, old => (({ location, begin }) => `${location} ${begin}`)(window.heddle.view().selected) === old, next)
  // m selects its time, f zooms to it and back, b writes a note, Escape forgets it.
  const [, marked] = await pressed(page, 'm')
  assert.ok(marked.area !== null)
  await pressed(page, '0')
  const [before, zoomed] = await pressed(page, 'f')
  assert.ok(zoomed.ticksPerPixel < before.ticksPerPixel && zoomed.begin <= marked.measured[0] && zoomed.end >= marked.measured[1])
  await pressed(page, 'b')
  await page.keyboard.type('why?')
  await page.keyboard.press('Enter')
  await until(page, () => location.hash.includes('why'))
  // The tabs of the selection.
  await page.waitForSelector('.area-pane [role="tab"][aria-selected="true"]')
  await page.locator('.area-pane [role="tab"][aria-selected="true"]').focus()
  await page.keyboard.press('ArrowRight')
  assert.equal(await page.locator('.area-pane [role="tab"][aria-selected="true"]').innerText(), 'Constructs')
  await page.keyboard.press('ArrowLeft')
  assert.equal(await page.evaluate(() => document.activeElement.innerText), 'States')
  // Back is the view before f.
  await focus(page)
  await page.keyboard.press('Backspace')
  await until(page, scale => Math.abs(window.heddle.view().ticksPerPixel / scale - 1) < 0.01, before.ticksPerPixel)
  // t pins the thread, h hides it, g folds its group.
  const chosen = (await view(page)).selected.location
  await pressed(page, 't')
  assert.equal((await rows(page)).filter(row => row >= 0)[0], chosen)
  await pressed(page, 't')
  const all = (await rows(page)).length
  await pressed(page, 'g')
  assert.ok((await rows(page)).length < all)
  await pressed(page, 'g')
  assert.equal((await rows(page)).length, all)
  await pressed(page, 'h')
  assert.ok(!(await rows(page)).includes(chosen))
  const [, free] = await pressed(page, 'Escape')
  assert.equal(free.area, null)
  assert.equal(free.selected, null)
  await pressed(page, '?')
  assert.ok(await page.locator('.help').isVisible())
  await pressed(page, '?')
  assert.ok(!await page.locator('.help').isVisible())
  await close(page)
})

test('keys go through the list of states, tables, and pictures', async () => {
  const page = await open(file, '#timeline?height=18')
  const first = (await rows(page))[0]
  await page.evaluate(location => { window.location.hash = `#timeline?height=18&at=0,${location},0` }, first)
  await page.waitForSelector('.list-body')
  await until(page, () => window.heddle.view().selected !== null)
  await page.locator('.list-body').focus()
  const texts = []
  for (const key of ['Home', 'ArrowDown', 'ArrowDown', 'ArrowUp', 'PageDown', 'PageUp', 'End']) {
    const old = await status(page)
    await page.keyboard.press(key)
    await until(page, ([text, same]) => same || document.querySelector('.status').innerText !== text, [old, key === 'Home' || key === 'PageUp'])
    await settled(page)
    texts.push(await status(page))
  }
  assert.equal(texts[3], texts[1], 'down and up')
  assert.notEqual(texts[4], texts[3])
  assert.notEqual(texts[6], texts[0])
  // A page by its link, a table's row, and its order.
  await page.locator('nav.pages a[href="#imbalance"]').focus()
  await page.keyboard.press('Enter')
  await until(page, shown, 'imbalance')
  const table = page.locator('.page-imbalance .table').first()
  await table.locator('tbody tr').nth(1).focus()
  await page.keyboard.press('Space')
  assert.ok(await table.locator('tbody tr').nth(1).evaluate(row => row.classList.contains('selected')))
  await table.locator('th button').nth(1).focus()
  await page.keyboard.press('Enter')
  assert.equal(await table.locator('th').nth(1).getAttribute('aria-sort'), 'descending')
  await page.keyboard.press('Enter')
  assert.equal(await table.locator('th').nth(1).getAttribute('aria-sort'), 'ascending')
  await close(page)
})
