// The page of heddle report --pes: what it shows and computes is what the commands print. HEDDLE is the program.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { close, go, open as openFile, settled, start, stop, until } from './harness.mjs'

const { HEDDLE, HEDDLE_SOURCE } = process.env
const DINING = join(HEDDLE_SOURCE, 'tests/data/pes/philosophers.csl')
const EVIL = '<img src=x onerror=alert(1)>'
let directory
const path = name => join(directory, name)
const heddle = (...args) => execFileSync(HEDDLE, args, { cwd: directory, stdio: ['ignore', 'pipe', 'inherit'], maxBuffer: 1 << 28, encoding: 'utf8' })
const plain = text => text.replace(/\u2009/g, '')
const open = (name, fragment = '#plots', options = { viewport: { width: 1300, height: 900 } }) => openFile(path(name), fragment, options)
const records = (page, instance = 0) => page.evaluate(i => window.heddle.records(i), instance)
const saved = page => page.evaluate(() => window.heddle.saved())

/** A generator of numbers below `limit`, the same each time. */
function generator(seed) {
  let state = seed
  return limit => {
    state = (state * 1103515245 + 12345) % 2147483648
    return Math.floor(state / 65536) % limit
  }
}

/** Letters, of which A is frequent and L is rare; some take no time. */
function writeLetters(file, count, random) {
  const letters = [...'ABCDEFGHIJKL']
  const lines = []
  for (let i = 0, time = 1000; i < count; i++, time += [0, 1, 2, 5, 10, 50][random(6)]) lines.push(`${time} <${Math.min(random(12), random(12))}>`)
  writeFileSync(file, `Program Letters;\nbegin\nSetup:\n  maxcomps = 1\n  Component 0 = 'Letter', 12, char;\n    ${letters.map((letter, i) => `${i}=${letter},${letter}`).join('; ')}\nTrace:\n${lines.join('\n')}\nend.\n`)
}

before(async () => {
  directory = mkdtempSync(join(tmpdir(), 'heddle-sequences-'))
  heddle('transform', DINING, '--filter-time', '31ticks', '-o', 'short.pes')
  heddle('report', '--pes', DINING, '--pes', 'short.pes', '-o', 'two.html')
  await start()
})

after(async () => {
  await stop()
  rmSync(directory, { recursive: true, force: true })
})

async function addStep(page, text, instance = 0) {
  await page.locator('[data-control="step"]').nth(instance).fill(text)
  await page.locator('[data-control="step"]').nth(instance).press('Enter')
}

test('plots have the states by name, and move together', async () => {
  const page = await open('two.html')
  const rowsAt = (plot, part) => page.evaluate(([i, at]) => window.heddle.rowsAt(i, at), [plot, part])
  // Of 210 ticks: A1E from 83 to 101, EA1 from 20 to 35 in both; the aggregate T2 from 35 to 83.
  assert.deepEqual([await rowsAt(0, 90 / 210), await rowsAt(2, 90 / 210), await rowsAt(0, 40 / 210), await rowsAt(2, 40 / 210)], [['A1E'], ['A1E'], ['R1A1'], ['T2']])
  // By record, of 20 and 8.
  assert.deepEqual([await rowsAt(1, 0.01), await rowsAt(1, 0.99), await rowsAt(3, 0.01), await rowsAt(3, 0.39), await rowsAt(3, 0.5)], [['A2T'], ['A1E'], ['T1'], ['A1E'], []])
  const box = await page.locator('[data-plot="time"] canvas').nth(1).boundingBox()
  await page.mouse.move(box.x + box.width / 2, box.y + 40)
  await page.mouse.down()
  await page.mouse.move(box.x + box.width - 20, box.y + 60, { steps: 3 })
  await page.mouse.up()
  await until(page, () => window.heddle.ranges().time[0] > 0)
  const { time, events } = await page.evaluate(() => window.heddle.ranges())
  assert.ok(time[0] > 80 && time[0] < 110 && time[1] > 190 && time[1] < 210, `zoomed to ${time}`)
  assert.deepEqual(events, [0, 20])
  // Close up both plots show the same part.
  await page.evaluate(() => window.heddle.setRange('time', 85, 100))
  assert.deepEqual([await rowsAt(0, 0.5), await rowsAt(2, 0.5)], [['A1E'], ['A1E']])
  await page.mouse.move(box.x + box.width / 2, box.y + 40)
  await until(page, () => document.querySelectorAll('[data-plot="time"] .said')[1].innerText.startsWith('#')) // with the next frame
  assert.match(await page.locator('[data-plot="time"] .said').nth(1).innerText(), /^#4 A1E · at 83 ticks for 18 ticks · Philosopher=Acq1, Philosopher=Eat$/)
  await page.locator('[data-plot="time"] canvas').first().dblclick()
  assert.deepEqual((await page.evaluate(() => window.heddle.ranges())).time, [0, 210])
  await close(page)
})

test('a threshold shows the step, and at once what the step makes', async () => {
  const page = await open('two.html', '#histograms')
  const first = page.locator('[data-histogram="time"]').first()
  const result = first.locator('.result')
  await page.locator('[data-control="threshold-time"]').first().fill('31')
  await until(page, () => document.querySelector('.result').textContent.includes('→'))
  assert.equal(await first.locator('code').innerText(), '--filter-time 31ticks')
  // The worked example of the thesis: only A1E (33 ticks) and EA1 (31) stay, and three aggregates come.
  assert.match(plain(await result.innerText()), /10 of 12 states are rare, with 80.0 % of the records and 69.5 % of the time. Records: 20 → 8. States: 12 → 5, 3 of them aggregates.$/)
  await first.getByText('Copy').click()
  assert.equal(await page.evaluate(() => window.copied), '--filter-time 31ticks')
  // Dragging moves it, too.
  const box = await first.locator('canvas').boundingBox()
  await page.mouse.move(box.x + 200, box.y + 200)
  await page.mouse.down()
  await page.mouse.move(box.x + 200, box.y + 120, { steps: 4 })
  await page.mouse.up()
  const dragged = (await saved(page)).instances[0].time
  assert.ok(dragged > 2 && dragged < 20, `dragged to ${dragged}`)
  await page.locator('[data-control="threshold-count"]').first().fill('2')
  await page.locator('[data-histogram="count"]').first().getByText('Add step').click()
  assert.deepEqual((await saved(page)).instances[0].steps, ['filter-count 2'])
  assert.match(plain(await page.locator('.facts-line').first().innerText()), /^18 records, 10 states, 210 ticks, 18.1 % of it in aggregates$/)
  await close(page)
})

/** What `heddle transform --records` prints, in the page's words. */
function transformed(file, steps) {
  const rows = JSON.parse(heddle('transform', file, ...steps.flatMap(step => [`--${step.split(' ')[0]}`, step.split(' ')[1]]), '--records', '--json')).records
  return rows.map(({ entry, duration, name, stands_for: text }) => [entry, duration?.ticks ?? duration, name, text.length > 200 ? `${text.slice(0, 197)}...` : text])
}

async function shown(page, begin, instance = 0) {
  const { list, end } = await records(page, instance)
  return list.map(([entry, name, text], i) => [begin + entry, (i + 1 < list.length ? list[i + 1][0] : end) - entry, name, text])
}

test('steps make what heddle transform makes', async () => {
  const random = generator(7)
  const step = () => [
    () => `filter-time ${random(4000)}ticks`, () => `filter-time ${random(12)}%`, () => `filter-time 0.0${random(9)}${random(9)}`, () => `filter-count ${random(60)}`,
    () => `clip-time ${random(40)}%,${60 + random(41)}%`, () => `clip-time ${random(2000)}ticks,`, () => `clip-range ${1 + random(40)},${60 + random(200)}`, () => `clip-range ,${100 + random(200)}`,
    () => `aggregate ${'ABCD'[random(4)]},${'ABCD'[random(4)]}`, () => `aggregate A,${'AB'[random(2)]},A="T${5 + random(90000)}"`,
  ][random(10)]()
  writeLetters(path('letters.csl'), 300, random)
  heddle('report', '--pes', 'letters.csl', '-o', 'letters.html')
  const page = await open('letters.html', '#records')
  const kinds = new Set()
  for (let i = 0; i < 16; i++) {
    const steps = Array.from({ length: 1 + random(3) }, step)
    const state = { ...await saved(page), instances: [{ sequence: 0, steps, at: steps.length }] }
    assert.equal(await page.evaluate(text => window.heddle.open(text), JSON.stringify(state)), null, steps.join('; '))
    const wanted = transformed('letters.csl', steps)
    assert.deepEqual(await shown(page, 1000), wanted, steps.join('; '))
    if (wanted.length > 5) steps.forEach(text => kinds.add(text.split(' ')[0]))
  }
  assert.deepEqual([...kinds].sort(), ['aggregate', 'clip-range', 'clip-time', 'filter-count', 'filter-time'])
  await close(page)
})

test('after a step the model and the periods are those of the commands', async () => {
  heddle('transform', DINING, '--filter-count', '2', '-o', 'step.pes')
  const page = await open('two.html', '#model')
  await addStep(page, '--filter-count 2')
  const [model, time, event] = await Promise.all(['model', 'time', 'event'].map(what => page.evaluate(name => window.heddle.document(0, name), what)))
  const printed = JSON.parse(heddle('model', '--json', 'step.pes'))
  const of = ({ states }) => states.map(({ state, visits, total, mean, min, max, deviation }) =>
    [state, visits, total.ticks, total.percent.toFixed(6), mean.ticks, min.ticks, max.ticks, deviation === null ? null : deviation.ticks.toFixed(6)]).sort()
  const edges = document => document.edges.map(({ from, to, count, probability }) => [from, to, count, probability]).sort()
  assert.deepEqual(of(model), of(printed))
  assert.deepEqual(edges(model), edges(printed))
  for (const [domain, document] of [['time', time], ['event', event]]) {
    const lines = JSON.parse(heddle('spectrum', '--json', '--bins', '200', '--domain', domain, 'step.pes'))
    const tell = list => list.map(({ line, frequency, power, part }) => [line, ...[frequency, power, part].map(value => value.toPrecision(9))])
    assert.deepEqual(tell(document.strongest.slice(0, 5)), tell(lines.strongest.slice(0, 5)), domain)
    assert.deepEqual(document.bins.map(({ power }) => power.toFixed(6)), lines.bins.map(({ power }) => power.toFixed(6)), `bins by ${domain}`)
  }
  // Each view says something of both sequences, and nothing that only a program would say.
  for (const view of ['plots', 'histograms', 'model', 'periods', 'records']) {
    await go(page, view)
    await settled(page)
    const text = await page.locator(`main > .page-${view}`).innerText()
    assert.ok(text.length > 200 && !/undefined|NaN|\[object/.test(text), `${view}: ${text}`)
    assert.equal(await page.locator('section.instance').count(), 2)
  }
  await close(page)
})

test('steps are undone and executed again; what is saved opens again', async () => {
  const page = await open('two.html', '#records')
  const names = async () => (await records(page)).list.map(([, name]) => name)
  const original = await names()
  await addStep(page, 'filter-time 31ticks')
  const once = await names()
  await addStep(page, 'clip-range 2,5')
  assert.deepEqual(await names(), once.slice(1, 5))
  const button = text => page.locator('section.instance').first().getByText(text, { exact: true })
  await button('Undo').click()
  assert.deepEqual(await names(), once)
  await button('Undo').click()
  assert.deepEqual(await names(), original)
  await button('Redo').click()
  await button('Redo').click()
  assert.deepEqual(await names(), once.slice(1, 5))
  await button('Copy command').click()
  const command = await page.evaluate(() => window.copied)
  assert.equal(command, `heddle transform ${DINING} --filter-time 31ticks --clip-range 2,5 -o shorter.pes`)
  await button('Copy list').click()
  writeFileSync(path('list.txt'), await page.evaluate(() => window.copied))
  assert.equal(JSON.parse(heddle('transform', DINING, '--list', 'list.txt', '--records', '--json')).records.length, 4)
  await button('filter-time 31ticks').click() // back to this step; the other one stays in the list, undone
  await button('Double').click()
  assert.equal(await page.locator('section.instance').count(), 3)
  await addStep(page, 'filter-count 1', 1)
  await addStep(page, 'no such step', 1)
  assert.match(await page.getByRole('alert').nth(1).innerText(), /^the page executes filter-time/)
  await page.evaluate(() => window.heddle.setRange('time', 20, 120))
  await settled(page)
  const state = await saved(page)
  assert.deepEqual(state.instances.map(({ sequence, steps, at }) => [sequence, steps, at]),
    [[0, ['filter-time 31ticks', 'clip-range 2,5'], 1], [0, ['filter-time 31ticks', 'filter-count 1'], 2], [1, [], 0]])
  assert.deepEqual(state.time, [20, 120])
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByText('Save', { exact: true }).click()])
  const file = await download.path()
  assert.deepEqual(JSON.parse(readFileSync(file, 'utf8')), JSON.parse(JSON.stringify(state)))
  // The address follows a moment later.
  await until(page, () => new URLSearchParams(location.hash.split('?')[1]).get('saved') === JSON.stringify(window.heddle.saved()))
  const fragment = await page.evaluate(() => location.hash)
  const [again, opened] = [await open('two.html', fragment), await open('two.html')]
  assert.deepEqual(await saved(again), state)
  await opened.setInputFiles('[data-control="open"]', file)
  await until(opened, () => document.querySelectorAll('section.instance').length === 3)
  assert.deepEqual(await saved(opened), state)
  for (const text of ['{', '{"version":1,"instances":[{}]}', JSON.stringify({ ...state, instances: [{ sequence: 9, steps: [] }] }), JSON.stringify({ ...state, instances: [{ sequence: 0, steps: ['rm -rf /'] }] })]) {
    assert.equal(typeof await opened.evaluate(content => window.heddle.open(content), text), 'string')
    assert.deepEqual(await saved(opened), state)
  }
  for (const one of [page, again, opened]) await close(one)
})

test('the plots’ part becomes a step', async () => {
  const page = await open('two.html', '#plots')
  await page.evaluate(() => window.heddle.setRange('time', 19.6, 90.3))
  await page.locator('section.instance').first().getByText('Clip to what is in sight').click()
  const { steps } = (await saved(page)).instances[0]
  assert.deepEqual(steps, ['clip-time 20ticks,90ticks'])
  assert.deepEqual(await shown(page, 1550), transformed(DINING, steps))
  await addStep(page, 'aggregate TE, EA1 ="it\'s $(one) \\"state\\""')
  await page.locator('section.instance').first().getByText('Copy command').click()
  execFileSync('/bin/sh', ['-c', (await page.evaluate(() => window.copied)).replace('heddle', `'${HEDDLE}'`)], { cwd: directory })
  assert.deepEqual(await shown(page, 1550), transformed('shorter.pes', []))
  await addStep(page, 'aggregate no,such')
  assert.equal(await page.getByRole('alert').first().innerText(), 'the sequence has no state no')
  await close(page)
})

test('names from outside are text', async () => {
  heddle('transform', DINING, '--aggregate', `R2A2,TA2,TE="${EVIL}"`, '-o', 'evil.pes')
  writeFileSync(path('$(evil) \'<b>.pes'), readFileSync(path('evil.pes')))
  heddle('report', '--pes', '$(evil) \'<b>.pes', '-o', 'evil.html')
  assert.ok(!readFileSync(path('evil.html'), 'utf8').includes('onerror=alert'))
  const page = await open('evil.html')
  assert.ok((await records(page)).list.some(([, name]) => name.includes('onerror')))
  for (const view of ['plots', 'histograms', 'model', 'periods', 'records']) {
    await go(page, view)
    await settled(page)
  }
  assert.ok((await page.locator('.page-records').innerText()).includes('<img src=x'))
  assert.equal(await page.locator('main img').count(), 0)
  await page.getByText('Copy command').click()
  const command = await page.evaluate(() => window.copied)
  execFileSync('/bin/sh', ['-c', command.replace('heddle', `'${HEDDLE}'`)], { cwd: directory })
  assert.deepEqual(readFileSync(path('copy.pes')), readFileSync(path('evil.pes')))
  await close(page)
})

test('of a long sequence the page has every state of each part, and the result of a threshold', async () => {
  heddle('model', DINING, '-o', 'dining.model')
  heddle('simulate', 'dining.model', '--records', '1000100', '-o', 'long.pes')
  heddle('report', '--pes', 'long.pes', '-o', 'long.html')
  const page = await open('long.html')
  assert.match(plain(await page.locator('[data-plot="time"] .said').innerText()), /^1000100 records, too many for the page: each 2048th part shows its states\.$/)
  const states = JSON.parse(heddle('model', '--json', 'long.pes')).states.map(({ state }) => state)
  for (const part of [0.1, 0.5, 0.9]) assert.deepEqual((await page.evaluate(at => window.heddle.rowsAt(0, at), part)).sort(), [...states].sort())
  await go(page, 'histograms')
  await page.locator('[data-control="threshold-count"]').fill('70000')
  await until(page, () => /→/.test(document.querySelectorAll('.result')[1].textContent))
  const made = JSON.parse(heddle('transform', 'long.pes', '--filter-count', '70000', '--compare', '/dev/null', '--json'))
  const { records: left } = made.lists?.[1] ?? made.sequences?.[1] ?? Object.values(made).find(Array.isArray)[1]
  assert.match(plain(await page.locator('.result').nth(1).innerText()), new RegExp(`Records: 1000100 → ${left}\\.`))
  await close(page)
})
