// What the hand does in the timeline: move, fold, pin, select, search, go back; with made-up reports whose contents are known exactly.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { close, go, open as openFile, setView, settled, start, stop, until, view } from './harness.mjs'
import { makeRun, report } from './make-bundle.mjs'

/** Findings for pages without anything, as a Java program can have. */
function withEmptyPages(bundle) {
  const { documents, findings } = bundle.runs[0]
  documents.imbalance.constructs = []
  bundle.runs[0].findings = ['imbalance', 'locks', 'overview', 'states'].map(page => ({ ...findings[0], link: { page } }))
  return bundle
}

/** Two threads count 1000 loads in each tenth of the run, one of them only in the first half; and memory is read at one place. */
function withReadings(bundle) {
  const run = bundle.runs[0]
  const tenth = run.timeline.duration / 10
  const later = [0, ...new Array(10).fill(tenth)]
  run.documents.readings = {
    metrics: [{ name: 'loads', unit: '#', exponent: 3, adds: true }, { name: 'memory', unit: 'B', exponent: 0, adds: false }],
    lists: [
      { location: 0, every: 1, later, metrics: [0], changes: [[5, ...new Array(10).fill(1)]] },
      { location: 1, every: 2, later, metrics: [0], changes: [[0, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0]] },
      { location: 1, every: 1, later: [tenth, tenth], metrics: [1], changes: [[4096, 4096]] },
    ],
  }
  return bundle
}

let directory
let plain
const files = {}
const open = (name, fragment, options) => openFile(files[name], fragment, options)
const rows = page => page.evaluate(() => window.heddle.rows())
const text = (page, selector) => page.locator(selector).innerText()
const unspaced = cell => cell.replace(/\u2009/g, '')

before(async () => {
  directory = mkdtempSync(join(tmpdir(), 'heddle-timeline-'))
  plain = makeRun({ threads: 8, segments: 4000 })
  for (const [name, runs] of [['plain', [plain]], ['processors', [makeRun({ threads: 4, segments: 800, processors: true })]], ['many', [makeRun({ threads: 60, segments: 6000 })]], ['compare', [makeRun({ threads: 4, segments: 800 }), makeRun({ threads: 2, segments: 400, title: 'other', seed: 5 })]]]) {
    files[name] = join(directory, `${name}.html`)
    writeFileSync(files[name], report(runs))
  }
  files.empty = join(directory, 'empty.html')
  writeFileSync(files.empty, report([makeRun({ threads: 2, segments: 100 })], { change: withEmptyPages }))
  files.counted = join(directory, 'counted.html')
  writeFileSync(files.counted, report([makeRun({ threads: 2, segments: 100 })], { change: withReadings }))
  await start()
})

after(async () => {
  await stop()
  rmSync(directory, { recursive: true, force: true })
})

/** Segments of a thread with their begins and ends. */
function segments(location) {
  const { durations, codes } = plain.exact[location]
  let at = 0
  return durations.map((length, i) => ({ location, begin: at, end: at += length, code: codes[i] }))
}

const focus = page => page.locator('.chart-scroller').first().focus()

test('rows fill the height; few threads have high lines, and constructs below them', async () => {
  const page = await open('plain', '#timeline', { viewport: { width: 1000, height: 900 } })
  const filled = () => page.evaluate(() => {
    const { clientHeight } = document.querySelector('.chart-scroller')
    const last = window.heddle.lineOf(window.heddle.rows().at(-1))
    const first = window.heddle.lineOf(window.heddle.rows()[0])
    return { height: first.height, row: window.heddle.lineOf(window.heddle.rows()[1]).y - first.y, below: clientHeight - last.y - (window.heddle.lineOf(window.heddle.rows()[1]).y - first.y) }
  })
  const { height, row, below } = await filled()
  assert.ok(row > height, 'there is a line of constructs')
  assert.ok(below >= 0 && below < row, `the rows leave ${below} pixels of a row's ${row}`)
  assert.deepEqual(await page.locator('.construct-legend button').allInnerTexts().then(list => [...list].sort()), ['!$omp critical @loop.c:20', '!$omp for @loop.c:12', '!$omp parallel @loop.c:10'].sort())
  // Lines keep their height when a pane opens.
  await page.locator('.name').nth(2).click()
  await page.waitForSelector('.list-row')
  await settled(page)
  assert.equal((await filled()).row, row)
  await focus(page)
  await page.keyboard.press('Escape')
  const many = await open('many', '#timeline')
  assert.equal((await many.evaluate(() => window.heddle.lineOf(0))).height, 18)
  await close(many)
  await close(page)
})

test('w a s d zoom at the pointer and move; f is the selection, then the whole run', async () => {
  const page = await open('plain', '#timeline')
  const { duration } = plain.run.timeline
  await setView(page, duration * 0.4, duration / 4000)
  await focus(page)
  const box = await page.locator('.chart-canvas').boundingBox()
  await page.mouse.move(box.x + 200, box.y + 20)
  const before = await view(page)
  const at = before.begin + 200 * before.ticksPerPixel
  await page.keyboard.press('w')
  const near = await view(page)
  assert.ok(near.ticksPerPixel < before.ticksPerPixel / 1.2)
  assert.ok(Math.abs(near.begin + 200 * near.ticksPerPixel - at) <= near.ticksPerPixel * 1.5, 'the time under the pointer stays')
  await page.keyboard.press('s')
  assert.ok(Math.abs((await view(page)).ticksPerPixel - before.ticksPerPixel) < 1e-9 * before.ticksPerPixel)
  const { begin } = await view(page)
  await page.keyboard.press('d')
  const { begin: right } = await view(page)
  assert.ok(right > begin)
  await page.keyboard.press('a')
  assert.equal((await view(page)).begin, begin)
  await page.keyboard.press('m')
  await page.keyboard.press('0')
  assert.equal((await view(page)).begin, 0)
  await page.keyboard.press('f')
  const selected = await view(page)
  assert.ok(selected.begin <= begin && selected.end >= begin + before.width * before.ticksPerPixel * 0.99 && selected.end - selected.begin < 1.5 * (before.end - before.begin))
  await page.keyboard.press('f')
  assert.ok(Math.abs((await view(page)).end - duration) < 1e-6 * duration, 'f again: the whole run')
  await page.keyboard.press('?')
  assert.ok(await page.locator('.help').isVisible())
  await page.keyboard.press('Escape')
  assert.equal(await page.locator('.help').isVisible(), false)
  await page.locator('.controls button', { hasText: 'Keys' }).click()
  assert.ok(await page.locator('.help').isVisible())
  await page.locator('.help').click()
  await close(page)
})

test('groups fold to a row that is the sum of their threads', async () => {
  const page = await open('plain', '#timeline?height=28&constructs=0')
  await page.selectOption('select[aria-label="group threads"]', 'process')
  assert.deepEqual(await rows(page), [-1, 0, 2, 4, 6, -2, 1, 3, 5, 7])
  await page.locator('.name.heading').first().click()
  assert.deepEqual(await rows(page), [-1, -2, 1, 3, 5, 7])
  await settled(page)
  // A column of the summary has each state's share of the members' time.
  const found = await page.evaluate(() => {
    const canvas = document.querySelector('.chart-canvas')
    const { state_keys } = window.heddle.bundle.runs[0].timeline
    const colors = new Map(state_keys.map((key, i) => [[1, 3, 5].map(at => parseInt(getComputedStyle(document.documentElement).getPropertyValue(`--state-${key}`).trim().slice(at, at + 2), 16)).join(), i]))
    const { height } = window.heddle.lineOf(1)
    const sums = state_keys.map(() => 0)
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, height)
    for (let i = 0; i < data.length; i += 4) {
      const state = colors.get(data.slice(i, i + 3).join())
      if (state !== undefined) sums[state]++
    }
    return { sums, pixels: data.length / 4 }
  })
  const own = plain.run.timeline.states.map((_, s) => [0, 2, 4, 6].reduce((sum, i) => sum + plain.sums[i][s], 0))
  const all = 4 * plain.run.timeline.duration
  own.forEach((ticks, s) => assert.ok(Math.abs(found.sums[s] / found.pixels - ticks / all) < 0.02, `${plain.run.timeline.states[s]}: ${found.sums[s] / found.pixels}, not ${ticks / all}`))
  await page.locator('.controls button', { hasText: 'unfold' }).click()
  assert.equal((await rows(page)).length, 10)
  // By key: the group of the chosen thread.
  await page.locator('.name', { hasText: 'OpenMP thread 3' }).click()
  await focus(page)
  await page.keyboard.press('g')
  assert.deepEqual(await rows(page), [-1, 0, 2, 4, 6, -2])
  await until(page, () => location.hash.includes('fold='))
  await page.selectOption('select[aria-label="group threads"]', 'kind')
  assert.deepEqual((await rows(page)).filter(row => row < 0).length, 2)
  await page.selectOption('select[aria-label="group threads"]', 'team')
  await until(page, () => document.querySelector('.name.heading')?.innerText.includes('team of'))
  await close(page)
})

test('pinned threads stay on top when others are scrolled; threads that are alike are neighbours', async () => {
  const page = await open('many', '#timeline')
  await page.locator('.name', { hasText: 'OpenMP thread 7' }).first().click()
  await focus(page)
  await page.keyboard.press('t')
  assert.equal((await rows(page))[0], 7)
  await page.keyboard.press('Control+End')
  await settled(page)
  assert.equal((await page.evaluate(() => window.heddle.lineOf(7))).y, 0)
  assert.ok(await page.locator('.name.fixed', { hasText: 'OpenMP thread 7' }).isVisible())
  const box = await page.locator('.chart-canvas').boundingBox()
  await page.mouse.click(box.x + 300, box.y + 5)
  assert.equal((await view(page)).selected.location, 7, 'a click on the pinned line is on its thread')
  await until(page, () => location.hash.includes('pin=0%2F7'))
  await page.keyboard.press('t')
  assert.equal((await rows(page))[0], 0)
  await page.keyboard.press('Escape')
  await page.selectOption('select[aria-label="sort threads"]', 'likeness')
  const order = await rows(page)
  assert.deepEqual([...order].sort((a, b) => a - b), Array.from({ length: 60 }, (_, i) => i))
  const { threads } = await page.evaluate(() => window.heddle.bundle.runs[0].documents.states)
  const keys = Object.keys(threads[0]).filter(key => threads[0][key]?.percent !== undefined && !['synch', 'blocked'].includes(key))
  const away = list => list.slice(1).reduce((sum, location, i) => sum + keys.reduce((all, key) => all + Math.abs(threads[location][key].percent - threads[list[i]][key].percent), 0), 0)
  assert.ok(away(order) < 0.7 * away(threads.map((_, i) => i)), 'neighbours are more alike than in the order of the trace')
  await close(page)
})

test('a selection by Shift and drag has exact statistics, in tables that sort', async () => {
  const page = await open('plain', '#timeline', {})
  const { duration, states, codes, regions } = plain.run.timeline
  await setView(page, duration * 0.2, duration / 3000)
  const box = await page.locator('.chart-canvas').boundingBox()
  const y = await page.evaluate(() => [2, 4].map(location => window.heddle.lineOf(location).y + 5))
  await page.keyboard.down('Shift')
  await page.mouse.move(box.x + 100, box.y + y[0])
  await page.mouse.down()
  await page.mouse.move(box.x + 500, box.y + y[1], { steps: 4 })
  await page.mouse.up()
  await page.keyboard.up('Shift')
  await page.waitForSelector('.area-pane tbody tr')
  const { area } = await view(page)
  assert.deepEqual(area.locations, [[2, 3, 4]])
  const [begin, end] = [Math.round(area.begin), Math.round(area.end)]
  const inside = [2, 3, 4].flatMap(segments).map(one => ({ ...one, ticks: Math.min(end, one.end) - Math.max(begin, one.begin) })).filter(({ ticks }) => ticks > 0)
  const table = async () => page.locator('.area-pane tbody tr').evaluateAll(list => list.map(row => [...row.cells].map(cell => ({ text: cell.innerText, ticks: Number(/^([\d\u2009]+) ticks/.exec(cell.title)?.[1].replace(/\u2009/g, '')) }))))
  const byState = new Map()
  for (const { code, ticks, begin: from, end: to } of inside) {
    const [state] = codes[code]
    const sum = byState.get(state) ?? { ticks: 0, count: 0, longest: 0 }
    byState.set(state, { ticks: sum.ticks + ticks, count: sum.count + 1, longest: Math.max(sum.longest, to - from) })
  }
  const expected = [...byState].sort((a, b) => b[1].ticks - a[1].ticks)
  const all = inside.reduce((sum, { ticks }) => sum + ticks, 0)
  const shown = await table()
  assert.deepEqual(shown.map(row => row[0].text), expected.map(([state]) => states[state]))
  expected.forEach(([, { ticks, count, longest }], i) => {
    assert.equal(shown[i][1].ticks, ticks)
    assert.equal(shown[i][2].text, `${(ticks / all * 100).toFixed(1)} %`)
    assert.equal(Number(unspaced(shown[i][3].text)), count)
    assert.equal(shown[i][5].ticks, longest)
  })
  // By keys: the next table.
  await page.locator('.tabs button[aria-selected="true"]').focus()
  await page.keyboard.press('ArrowRight')
  const constructs = await table()
  const own = new Map()
  for (const { code, ticks } of inside) if (codes[code][1] >= 0) own.set(codes[code][1], (own.get(codes[code][1]) ?? 0) + ticks)
  assert.deepEqual(constructs.map(row => [row[0].text, row[3].ticks]), [...own].sort((a, b) => b[1] - a[1]).map(([region, ticks]) => [regions[region].name, ticks]))
  await page.keyboard.press('ArrowRight')
  assert.deepEqual((await table()).map(row => Number(row[0].text)), [2, 3, 4])
  // The address has the selection and the table.
  await until(page, () => location.hash.includes('area=') && location.hash.includes('table=Threads'))
  await page.locator('.area-pane button', { hasText: 'Copy link' }).click()
  const address = await page.evaluate(() => window.copied)
  await page.locator('.area-pane button', { hasText: 'Export this part' }).click()
  assert.match(await page.evaluate(() => window.copied), /^heddle export --to perfetto --from \d+ns --to \d+ns --only-threads 2-4 /)
  await page.locator('.area-pane button', { hasText: 'Zoom to it' }).click()
  const zoomed = await view(page)
  assert.ok(zoomed.begin <= area.begin && zoomed.end >= area.end && zoomed.end - zoomed.begin < 1.4 * (area.end - area.begin))
  await page.goto('about:blank')
  await page.goto(address)
  await until(page, () => window.heddle !== undefined)
  await page.waitForSelector('.area-pane tbody tr')
  assert.deepEqual((await view(page)).area, area)
  assert.equal(await page.locator('.tabs button[aria-selected="true"]').innerText(), 'Threads')
  await focus(page)
  await page.keyboard.press('Escape')
  assert.equal(await page.locator('.area-pane').isVisible(), false)
  await close(page)
})

test('what is in sight is selected by a key; two runs have a table each', async () => {
  const page = await open('compare', '#timeline', { viewport: { width: 1000, height: 900 } })
  await focus(page)
  await page.keyboard.press('m')
  await page.waitForSelector('.area-pane tbody tr')
  assert.equal(await page.locator('.area-pane .table').count(), 2)
  assert.deepEqual((await view(page)).area.locations.map(list => list.length), [4, 2])
  await page.keyboard.press('m')
  assert.equal((await view(page)).area, null)
  await close(page)
})

test('search finds constructs; next and previous go in time; the strip marks all', async () => {
  const page = await open('plain', '#timeline', {})
  const { codes } = plain.run.timeline
  await focus(page)
  await page.keyboard.press('/')
  await page.keyboard.type('crit')
  assert.deepEqual(await page.locator('.find-list li').first().locator('span').allInnerTexts().then(list => list.slice(0, 2)), ['!$omp critical @loop.c:20', 'construct'])
  const mark = () => page.evaluate(() => {
    const canvas = document.querySelector('.strip-canvas')
    const color = getComputedStyle(document.documentElement).getPropertyValue('--path').trim()
    const wanted = [1, 3, 5].map(at => parseInt(color.slice(at, at + 2), 16))
    const { data } = canvas.getContext('2d').getImageData(0, 3, canvas.width, 1)
    return Array.from({ length: canvas.width }, (_, x) => x).filter(x => wanted.every((byte, k) => data[4 * x + k] === byte)).length
  })
  assert.equal(await mark(), 0)
  await page.keyboard.press('Enter')
  await until(page, () => window.heddle.view().matches !== null)
  await settled(page)
  // Constructs have the codes of three kinds, by the states' codes: each of the third kind is a critical section.
  const expected = plain.exact.flatMap((_, location) => segments(location)).filter(({ code }) => code % 3 === 2).sort((a, b) => a.begin - b.begin || a.location - b.location)
  const { matches } = await view(page)
  assert.ok(matches.exact)
  assert.deepEqual(matches.list.map(({ location, begin, end }) => [location, begin, end]), expected.map(({ location, begin, end }) => [location, begin, end]))
  assert.ok(expected.every(({ code }) => codes[code]))
  assert.ok(await mark() > 100, 'matches are marked')
  const at = async () => {
    const { selected } = await view(page)
    return [selected.location, selected.begin, selected.end]
  }
  const nth = i => [expected[i].location, expected[i].begin, expected[i].end]
  assert.deepEqual(await at(), nth(0))
  await page.keyboard.press('Enter')
  assert.deepEqual(await at(), nth(1))
  await page.keyboard.press('Shift+Enter')
  assert.deepEqual(await at(), nth(0))
  await focus(page)
  await page.keyboard.press('.')
  await page.keyboard.press('.')
  assert.deepEqual(await at(), nth(2))
  await page.keyboard.press(',')
  assert.deepEqual(await at(), nth(1))
  const shown = await view(page)
  assert.ok(shown.begin <= expected[1].begin && shown.end >= expected[1].end, 'the match is in sight')
  assert.equal(await text(page, '.find-bar [role="status"]'), `2 of ${String(expected.length).replace(/\B(?=(\d{3})+$)/g, '\u2009')}`)
  await until(page, () => location.hash.includes('find='))
  await page.reload()
  await until(page, () => window.heddle?.view().matches !== null && window.heddle !== undefined)
  assert.equal((await view(page)).matches.list.length, expected.length)
  await page.locator('input.find').focus()
  await page.keyboard.press('Escape')
  assert.equal((await view(page)).matches, null)
  assert.equal(await mark(), 0)
  await close(page)
})

test('search finds lines, threads, states and locks', async () => {
  const page = await open('plain', '#timeline')
  const find = async (what, kind) => {
    await page.locator('input.find').fill(what)
    const item = page.locator('.find-list li', { hasText: kind }).first()
    await item.click()
    await until(page, () => window.heddle.view().matches !== null)
    await settled(page)
    return (await view(page)).matches
  }
  assert.ok((await find('loop.c:12', 'line')).list.length > 100)
  assert.deepEqual((await find('thread 5', 'thread')).list.map(({ location }) => location), [5])
  assert.equal((await view(page)).selected.location, 5)
  const { codes } = plain.run.timeline
  assert.equal((await find('TRACEFLUSH', 'state')).list.length, plain.exact.flatMap(({ codes: own }) => own).filter(code => codes[code][0] === 6).length)
  const waits = plain.run.timeline.arrows.filter(([kind, , , , , region]) => kind === 'lock' && region === 2)
  assert.equal((await find('critical', 'lock')).list.length, waits.length)
  await page.locator('input.find').fill('nothing has this name')
  assert.match(await page.locator('.find-list').innerText(), /Nothing has this name/)
  await page.keyboard.press('Escape')
  await close(page)
})

test('Back goes back: pages, zooms to places, and matches; adjusting adds nothing', async () => {
  const page = await open('plain', '#overview', {})
  const length = () => page.evaluate(() => history.length)
  const first = await length()
  await go(page, 'states')
  await until(page, () => location.hash.startsWith('#states'))
  await go(page, 'timeline')
  await until(page, () => location.hash.startsWith('#timeline'))
  await setView(page, 1000, 25)
  await focus(page)
  await page.keyboard.press('d')
  await until(page, () => location.hash.includes('begin='))
  const adjusted = await view(page)
  assert.equal(await length(), first + 2, 'moving is no step')
  await page.keyboard.press('0')
  await until(page, () => !location.hash.includes('begin='))
  assert.equal(await length(), first + 3)
  await page.keyboard.press('Backspace')
  await until(page, begin => window.heddle.view().begin === begin, adjusted.begin)
  await page.goBack()
  await until(page, () => document.querySelector('main > .page-states')?.getClientRects().length > 0)
  await page.goBack()
  await until(page, () => document.querySelector('main > .page-overview')?.getClientRects().length > 0)
  await page.locator('.findings button', { hasText: 'show in the timeline' }).first().click()
  await until(page, () => location.hash.startsWith('#timeline') && location.hash.includes('begin='))
  await page.goBack()
  await until(page, () => document.querySelector('main > .page-overview')?.getClientRects().length > 0)
  await close(page)
})

test('the longest wait for a lock is shown whole, with the thread that held it', async () => {
  const page = await open('plain', '#locks', {})
  await page.locator('button', { hasText: 'Show the longest wait' }).click()
  await settled(page)
  const [, holder, , waiter, until_, , since] = plain.run.timeline.arrows.find(([kind]) => kind === 'lock')
  const shown = await view(page)
  assert.ok(shown.begin <= since && shown.end >= until_ && shown.end - shown.begin < 1.5 * (until_ - since))
  assert.deepEqual([shown.selected.location, shown.selected.begin, shown.selected.end], [waiter, since, until_])
  assert.deepEqual((await rows(page)).slice(0, 2), [waiter, holder])
  const { locations } = plain.run.timeline
  assert.match(await text(page, '.status'), new RegExp(`^${locations[waiter].name} waited .* for a lock that ${locations[holder].name} held`))
  assert.ok(await page.locator('input[data-arrow="lock"]').isChecked())
  await close(page)
})

test('notes are kept in the address, and as a file', async () => {
  const page = await open('plain', '#timeline', { acceptDownloads: true })
  await setView(page, 5000, 10)
  await focus(page)
  await page.keyboard.press('b')
  await page.keyboard.type('look <b>here</b>')
  await page.keyboard.press('Enter')
  await until(page, () => location.hash.includes('notes='))
  const [download] = await Promise.all([page.waitForEvent('download'), page.locator('.notes-bar button', { hasText: 'Save' }).click()])
  const file = join(directory, 'notes.json')
  await download.saveAs(file)
  await page.reload()
  await until(page, () => document.querySelector('.note input')?.value === 'look <b>here</b>')
  await focus(page)
  await page.keyboard.press('0')
  await page.locator('.note button').first().click()
  const shown = await view(page)
  assert.ok(shown.begin <= 5000 && shown.end > 5000 && shown.end < 100_000)
  await page.locator('.note button').last().click()
  assert.equal(await page.locator('.note').count(), 0)
  await focus(page)
  await page.keyboard.press('b')
  await page.locator('input[type="file"]').setInputFiles(file)
  await until(page, () => document.querySelector('.note input')?.value === 'look <b>here</b>')
  writeFileSync(file, '{"version": 1, "notes": [[1]]}')
  await page.locator('input[type="file"]').setInputFiles(file)
  await until(page, () => /not a file of notes/.test(document.querySelector('.notes-bar .problem').textContent))
  await close(page)
})

/** Colours of a column of a canvas, from its top, each once, as keys of states. */
const column = (page, selector, x, y0, y1) => page.evaluate(([of, at, top, bottom]) => {
  const canvas = document.querySelector(of)
  const own = getComputedStyle(document.documentElement)
  const colors = new Map(window.heddle.bundle.runs[0].timeline.state_keys.map(key => [[1, 3, 5].map(i => parseInt(own.getPropertyValue(`--state-${key}`).trim().slice(i, i + 2), 16)).join(), key]))
  const { data } = canvas.getContext('2d').getImageData(at, top, 1, (bottom ?? canvas.height) - top)
  return [...new Set(Array.from({ length: data.length / 4 }, (_, i) => colors.get(data.slice(4 * i, 4 * i + 3).join())).filter(Boolean))]
}, [selector, x, y0, y1])

test('lines show the model’s states or the threads’; a processor that runs others is “not this program”', async () => {
  const page = await open('processors', '#timeline')
  const { timeline } = await page.evaluate(() => window.heddle.bundle.runs[0])
  const barriers = () => page.evaluate(() => window.heddle.drawn(0).filter(({ x0, x1, code }) => x1 - x0 > 1 && window.heddle.bundle.runs[0].timeline.codes[code][0] === 3).length)
  await setView(page, 0, timeline.duration / 40_000)
  const before = await page.evaluate(() => window.heddle.drawn(0))
  assert.ok(await barriers() > 0)
  await page.selectOption('select[aria-label="what lines of states show"]', 'threads')
  await settled(page)
  assert.equal(await barriers(), 0)
  const blocked = await page.evaluate(() => window.heddle.drawn(0))
  assert.deepEqual(blocked.map(({ x0, x1 }) => [x0, x1]), before.map(({ x0, x1 }) => [x0, x1]))
  await until(page, () => location.hash.includes('level=threads'))
  await focus(page)
  await page.keyboard.press('0')
  await settled(page)
  const box = await page.locator('.chart-canvas').boundingBox()
  const line = await page.evaluate(() => window.heddle.lineOf(4))
  await page.mouse.move(box.x + 40, box.y + line.y + 4)
  assert.match(await text(page, '.status'), /^processor 0 · not this program/)
  const { width } = await view(page)
  await page.mouse.move(box.x + width - 40, box.y + line.y + 4)
  assert.match(await text(page, '.status'), /^processor 0 · OpenMP master/)
  // The strip counts threads: a column in which all four are in some state is full.
  assert.ok((await column(page, '.strip-canvas', 20, 2, 4)).length > 0, 'the strip’s top is a state')
  await page.selectOption('select[aria-label="what lines of states show"]', 'model')
  await close(page)
})

test('tracks below the threads have their axis; the address keeps them', async () => {
  const page = await open('processors', '#timeline')
  assert.equal(await page.locator('.track-canvas').count(), 0)
  await page.locator('input[data-track="threads"]').check()
  await page.locator('input[data-track="processors"]').check()
  await settled(page)
  assert.equal(await page.locator('.track-canvas').count(), 2)
  const { width } = await view(page)
  assert.equal((await page.evaluate(() => document.querySelector('.track-canvas').width)), width)
  assert.ok((await column(page, '.track-canvas', 40, 0)).length > 1, 'several states')
  const box = await page.locator('.track-canvas').nth(1).boundingBox()
  await page.mouse.move(box.x + 40, box.y + 10)
  assert.match(await text(page, '.status'), /^processors · not this program 1\.00 of 1/)
  await page.mouse.move(box.x + width - 40, box.y + 10)
  assert.match(await text(page, '.status'), /^processors · this program 1\.00 of 1/)
  await until(page, () => location.hash.includes('tracks=threads%2Cprocessors'))
  await close(page)
})

test('counters and metrics are tracks, and a selection has what its threads counted', async () => {
  const page = await open('counted', '#timeline?tracks=counter:loads,metric:memory')
  assert.equal(await page.locator('.track-canvas').count(), 2)
  const { width } = await view(page)
  const at = async (track, share) => {
    const box = await page.locator('.track-canvas').nth(track).boundingBox()
    await page.mouse.move(box.x + width * share, box.y + 20)
    return unspaced(await text(page, '.status'))
  }
  const rate = async share => Number(/, ([\d.]+) per second$/.exec(await at(0, share))[1])
  assert.ok(Math.abs(await rate(0.25) / await rate(0.75) - 2) < 0.01, 'both threads, then one')
  assert.equal(await at(1, 0.05), 'memory · no value yet')
  assert.match(await at(1, 0.15), /^memory · 4096 B \(from 4096 B to 8192 B\)$/)
  // Bars of the first half are twice as high as those of the second.
  const bars = await page.evaluate(() => {
    const canvas = document.querySelector('.track-canvas')
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
    return [0.25, 0.75].map(share => Array.from({ length: canvas.height }, (_, y) => Math.max(...[0, 1, 2, 3].map(x => data[4 * (y * canvas.width + Math.floor(canvas.width * share) + x) + 3]))).filter(alpha => alpha > 200).length)
  })
  assert.ok(Math.abs(bars[0] - 2 * bars[1]) <= 3, `${bars}`)
  const { begin, end } = await view(page)
  const half = (begin + end) / 2
  const select = await open('counted', `#timeline?area=${Math.round(half)}-${Math.round(end)};1&table=Counters`)
  await select.waitForSelector('.area-pane tbody tr')
  const cells = await select.locator('.area-pane tbody tr').evaluateAll(list => list.map(row => [...row.cells].map(cell => cell.innerText)))
  assert.deepEqual(cells.map(row => row.slice(0, 3).map(unspaced)), [['loads', '0', '0']])
  assert.equal(await text(select, '.area-pane p.soft'), 'This page has 1 of 2 readings.')
  const both = await open('counted', `#timeline?area=0-${Math.round(half)}&table=Counters`)
  await both.waitForSelector('.area-pane tbody tr')
  assert.deepEqual((await both.locator('.area-pane tbody tr').first().locator('td, th').allInnerTexts()).slice(0, 3).map(unspaced), ['loads', '10000', '66.7 %'])
  await close(page)
})

test('findings lead to pages that have something', async () => {
  const page = await open('empty', '#overview')
  const links = await page.locator('.findings li').evaluateAll(list => list.map(item => [...item.querySelectorAll('.where button')].map(button => button.innerText).filter(text => text.endsWith(' page'))))
  assert.deepEqual(links, [['waits page'], ['waits page'], [], ['states page']])
  await close(page)
})

test('on paper the timeline is as wide as the page, with all of its time', async () => {
  const page = await open('plain', '#timeline?tracks=threads', { viewport: { width: 1440, height: 900 } })
  const pdf = (await page.pdf({ preferCSSPageSize: true })).toString('latin1')
  assert.match(pdf, /\/MediaBox \[0 0 841\.\d+ 59\d\.\d+\]/)
  assert.match(pdf, /\/Count 1\b/, 'one page')
  await page.setViewportSize({ width: 1032, height: 700 })
  await page.emulateMedia({ media: 'print' })
  await settled(page)
  const outside = await page.evaluate(() => [...document.querySelectorAll('.page-timeline canvas')].map(canvas => canvas.getBoundingClientRect()).filter(({ width, right }) => width > 0 && right > window.innerWidth + 1).length)
  assert.equal(outside, 0)
  await close(page)
})

test('the address keeps what was chosen on every page', async () => {
  const page = await open('plain', '#curves', {})
  await page.getByLabel('curve A: thread').selectOption('4')
  await page.getByLabel('curves to show').fill('A * 2')
  await page.getByLabel('curves to show').press('Enter')
  await until(page, () => location.hash.includes('c=curve+A'))
  await go(page, 'imbalance')
  await page.locator('.page-imbalance .table').first().locator('tbody tr').nth(1).click()
  await page.locator('.page-imbalance .table').first().locator('th button').first().click()
  await until(page, () => location.hash.includes('order+1'))
  const chosen = () => page.locator('.page-imbalance .table').first().evaluate(table => [table.querySelector('tr.selected').cells[0].innerText, [...table.querySelectorAll('th')].map(head => head.getAttribute('aria-sort')).join()])
  const before = await chosen()
  await page.reload()
  await until(page, () => document.querySelector('.page-imbalance tr.selected') !== null)
  assert.deepEqual(await chosen(), before)
  await page.goBack()
  await until(page, () => document.querySelector('main > .page-curves')?.getClientRects().length > 0)
  assert.equal(await page.getByLabel('curve A: thread').inputValue(), '4')
  await until(page, () => document.querySelector('.page-curves .plot')?.getAttribute('aria-label').startsWith('Curves: A * 2'))
  await close(page)
})
