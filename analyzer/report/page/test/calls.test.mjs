// The page of calls in Chromium: made-up samples whose sums are known, and those of a recorded run.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { close, go, open as openFile, settled, start, stop } from './harness.mjs'
import { makeRun, report } from './make-bundle.mjs'

const { HEDDLE, HEDDLE_SOURCE } = process.env
const SAMPLES = join(HEDDLE_SOURCE, 'tests/outputs/archives/samples.tar.xz')
const HOSTILE = ['<script>alert(3)</script>', 'a"b']
let directory
const files = {}
const open = (name, fragment) => openFile(files[name], fragment)

/**
 * main calls work, which calls itself and <script>; a"b is called by nothing. By processor time and by page faults,
 * on threads 0 and 1, in region 1 and outside, in RUN and SYNCH.
 */
function samples(factor = 1) {
  return {
    taken: 150 * factor, lost: 3, least: 0, by_thread: true,
    triggers: [{ name: 'page-faults', timed: false, period: 100, samples: 50 * factor }, { name: 'cpu', timed: true, period: 1_000_000, samples: 100 * factor }],
    states: [{ key: 'run', name: 'RUN' }, { key: 'synch', name: 'SYNCH' }],
    functions: [['main', '/src/main.c', 3, '/bin/program'], ['work', '/src/work.c', 9, '/bin/program'], [HOSTILE[0], '/src/<b>.c', 1, '/lib/<i>.so'], [HOSTILE[1], '', 0, '']],
    nodes: [[0, -1], [1, 0], [1, 1], [2, 2], [3, -1]],
    cells: [[0, 0, -1, 0, 1, 10], [1, 0, 1, 0, 1, 20 * factor], [2, 0, 1, 0, 1, 5], [3, 1, 1, 1, 1, 40], [4, 1, -1, 0, 1, 25], [1, 0, 1, 0, 0, 50]],
    kernel: { trigger: 1, cells: [[0, 1, 3_000_000, 100_000]] },
    times: [
      { location: 0, every: 1, later: [1000, 1000, 1000, 500], nodes: [1, 1, 0, 2], triggers: [1, 1, 1, 0] },
      { location: 1, every: 4, later: [100, 100], nodes: [3, -1], triggers: [1, 1] },
    ],
  }
}

/** main calls work, which waits for a part of its time, on two threads; values are ns, and calls. */
function exact() {
  return {
    exact: true, taken: 12, lost: 0, least: 0, by_thread: true,
    triggers: [{ name: 'time', timed: true, period: 1, samples: 5_000_000 }, { name: 'blocked', timed: true, period: 1, samples: 1_000_000 }, { name: 'calls', timed: false, period: 1, samples: 12 }],
    states: [{ key: 'outside', name: 'outside the recorded events' }],
    functions: [['main', '/src/main.c', 3, '/bin/program'], ['work', '/src/work.c', 9, '/bin/program']],
    nodes: [[0, -1], [1, 0]],
    cells: [[0, 0, -1, 0, 0, 2_000_000], [0, 0, -1, 0, 2, 2], [1, 0, -1, 0, 0, 1_500_000], [1, 1, -1, 0, 0, 1_500_000], [1, 1, -1, 0, 1, 1_000_000], [1, 0, -1, 0, 2, 4], [1, 1, -1, 0, 2, 6]],
    kernel: null, times: [],
  }
}

before(async () => {
  directory = mkdtempSync(join(tmpdir(), 'heddle-calls-'))
  const write = (name, count, change) => {
    files[name] = join(directory, `${name}.html`)
    const runs = Array.from({ length: count }, () => makeRun({ threads: 2, segments: 200 }))
    writeFileSync(files[name], report(runs, { change }))
  }
  const withSamples = factors => bundle => {
    factors.forEach((factor, i) => {
      if (factor > 0) bundle.runs[i].documents.calls = samples(factor)
    })
    return bundle
  }
  write('none', 1, bundle => bundle)
  write('made', 1, withSamples([1]))
  write('two', 2, withSamples([1, 4]))
  write('half', 2, withSamples([0, 1]))
  write('exact', 1, bundle => {
    bundle.runs[0].documents.calls = exact()
    return bundle
  })
  await start()
})

after(async () => {
  await stop()
  rmSync(directory, { recursive: true, force: true })
})

async function copied(page, table) {
  await table.locator('button', { hasText: 'Copy CSV' }).click()
  const fields = line => [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)].map(([, field]) => field.replace(/^"|"$/g, '').replaceAll('""', '"'))
  return (await page.evaluate(() => window.copied)).trim().split('\r\n').map(fields)
}

const functions = page => page.locator('.calls > section .table').first()
const choose = async (page, label, text) => {
  const select = page.locator('.calls').getByLabel(label, { exact: true })
  const value = await select.locator('option').evaluateAll((list, wanted) => list.find(option => option.textContent.startsWith(wanted)).value, text)
  await select.selectOption(value)
}

/** {function: [self, inclusive]} in samples, of what the table shows. */
async function table(page) {
  const [head, ...rows] = await copied(page, functions(page))
  const [self, inclusive] = [head.indexOf('self'), head.indexOf('inclusive')]
  return Object.fromEntries(rows.filter(([name]) => name !== '[kernel]').map(row => [row[0], [Number(row[self]), Number(row[inclusive])]]))
}

async function relatives(page, part) {
  const place = page.locator(`.relatives [data-part="${part}"]`)
  if (await place.locator('table').count() === 0) return {}
  const [, ...rows] = await copied(page, place)
  return Object.fromEntries(rows.map(row => [row[0], [Number(row[1]), Number(row[2])]]))
}

const pick = (page, name) => functions(page).locator('tbody tr').filter({ hasText: name }).first().click()
const fresh = async (name, unit = 'samples') => {
  const page = await open(name, '#calls')
  await page.evaluate(() => {
    document.querySelectorAll('.calls-filters select.choice').forEach(select => { select.value = '-2' })
    document.querySelectorAll('.calls-filters input').forEach(input => { input.value = '' })
  })
  if (unit) await choose(page, 'unit', unit)
  return page
}

test('a report without samples has no such page, and one run of two says that it has none', async () => {
  const without = await open('none')
  assert.equal(await without.locator('nav.pages a[href="#calls"]').count(), 0)
  assert.equal(await without.locator('.sampled').count(), 0)
  await close(without)
  const page = await open('half', '#calls')
  assert.match(await page.locator('.page-calls .sides > div').first().innerText(), /recorded without samples/)
  assert.equal(await page.locator('.page-calls .flame').count(), 1)
  await close(page)
})

test('functions have their samples, once a path: by trigger, unit, thread, construct and state', async () => {
  const page = await fresh('made')
  const [script, odd] = HOSTILE
  assert.deepEqual(await table(page), { [script]: [40, 40], [odd]: [25, 25], work: [25, 65], main: [10, 75] })
  await choose(page, 'thread', 'OpenMP thread 1')
  assert.deepEqual(await table(page), { [script]: [40, 40], [odd]: [25, 25], work: [0, 40], main: [0, 40] })
  await choose(page, 'state', 'SYNCH')
  assert.deepEqual(await table(page), { [script]: [40, 40], work: [0, 40], main: [0, 40] })
  await choose(page, 'thread', 'all')
  await choose(page, 'state', 'all')
  await choose(page, 'construct', 'outside')
  assert.deepEqual(await table(page), { [odd]: [25, 25], main: [10, 10] })
  await choose(page, 'construct', 'all')
  await choose(page, 'trigger', 'page-faults')
  await choose(page, 'unit', 'events')
  assert.deepEqual(await table(page), { work: [5000, 5000], main: [0, 5000] })
  await choose(page, 'trigger', 'cpu')
  await page.locator('.calls-filters input').fill('WOR')
  await choose(page, 'unit', 'samples')
  assert.deepEqual(await table(page), { work: [25, 65] })
  assert.match(await page.locator('.flame-matched').innerText(), /65\.0 %, 65 samples/)
  await page.locator('.calls-filters input').fill('')
  await close(page)
})

test('time is samples times the period, shares have Wilson’s interval, and the kernel is an estimate', async () => {
  const page = await fresh('made', 'time')
  const [head, ...rows] = await copied(page, functions(page))
  const work = rows.find(([name]) => name === 'work')
  const of = title => Number(work[head.indexOf(title)])
  const tps = await page.evaluate(() => window.heddle.bundle.runs[0].timeline.ticks_per_second)
  assert.equal(of('self (ticks)'), 25e-3 * tps)
  assert.equal(of('inclusive (s)'), 65e-3)
  assert.deepEqual([of('share'), of('from'), of('to')].map(value => Number(value.toFixed(2))), [25, 17.55, 34.3])
  assert.match(await functions(page).locator('tr', { hasText: '[kernel]' }).innerText(), /~.*±6\.5 %/)
  await choose(page, 'state', 'RUN')
  assert.equal(await functions(page).locator('tr', { hasText: '[kernel]' }).count(), 0)
  await choose(page, 'state', 'all')
  await close(page)
})

test('callers and callees add up, and the way leads back', async () => {
  const page = await fresh('made')
  const all = await table(page)
  for (const [name, [self, inclusive]] of Object.entries(all)) {
    await pick(page, name)
    const sums = Object.values(await relatives(page, 'callers')).reduce((sum, [a, b]) => [sum[0] + a, sum[1] + b], [0, 0])
    assert.deepEqual(sums, [self, inclusive - self], `callers of ${name}`)
    const below = Object.values(await relatives(page, 'callees')).reduce((sum, [a, b]) => sum + a + b, 0)
    assert.equal(below, inclusive - self, `callees of ${name}`)
  }
  await pick(page, 'main')
  assert.deepEqual(await relatives(page, 'callees'), { work: [20, 45] })
  await page.locator('[data-part="callees"] tbody tr').first().click()
  await page.locator('[data-part="callees"] tbody tr').first().click()
  assert.equal(await page.locator('.crumbs').innerText(), `way: main › work › ${HOSTILE[0]}`)
  await page.locator('[data-part="callers"] tbody tr').first().click()
  assert.equal(await page.locator('.crumbs').innerText(), 'way: main › work')
  await page.locator('.crumbs button').first().click()
  assert.equal(await page.locator('.relatives h2').innerText(), 'main')
  await close(page)
})

test('names are text wherever they are shown', async () => {
  const page = await fresh('made')
  for (const name of HOSTILE) {
    await pick(page, name)
    assert.equal(await page.locator('.relatives h2').innerText(), name)
    assert.equal(await page.locator('.page-calls script, .page-calls b b, .page-calls i i').count(), 0)
  }
  await close(page) // asserts that no dialog came and the console is silent
})

const frames = page => page.evaluate(() => window.heddle.flame().map(({ name, row, x0, x1, y }) => ({ name, row, width: x1 - x0, x: (x0 + x1) / 2, y })))

test('frames are as wide as their samples; a click zooms, Escape shows all, arrows go to callers and callees', async () => {
  const page = await fresh('made')
  const all = await frames(page)
  const width = all[0].width
  const shares = list => list.map(({ name, row, width: own }) => [name, row, Math.round(own / width * 1000)]).sort((a, b) => a[1] - b[1] || b[2] - a[2])
  assert.deepEqual(shares(all), [['all', 0, 1000], ['main', 1, 750], [HOSTILE[1], 1, 250], ['work', 2, 650], ['work', 3, 450], [HOSTILE[0], 4, 400]])
  const inner = all.find(({ row }) => row === 3)
  await page.locator('.flame-canvas').click({ position: { x: inner.x, y: inner.y } })
  assert.deepEqual(shares(await frames(page)), [['all', 0, 1000], ['main', 1, 1000], ['work', 2, 1000], ['work', 3, 1000], [HOSTILE[0], 4, 889]])
  assert.equal(await page.locator('.relatives h2').innerText(), 'work')
  await page.keyboard.press('ArrowDown')
  assert.match(await page.locator('.flame-tip').innerText(), /alert\(3\).*\n.*\ninclusive 40 samples, 40\.0 % \(30\.9 % to 49\.8 %\)\nself 40 samples, 40\.0 %/)
  await page.locator('.flame-place').focus()
  await page.keyboard.press('Escape')
  assert.deepEqual(shares(await frames(page)), shares(all))
  await choose(page, 'state', 'SYNCH')
  assert.deepEqual(shares(await frames(page)), [['all', 0, 1000], ['main', 1, 1000], ['work', 2, 1000], ['work', 3, 1000], [HOSTILE[0], 4, 1000]])
  await choose(page, 'state', 'all')
  await close(page)
})

test('the timeline has the functions that were sampled in the selected state and in the visible stretch', async () => {
  const page = await open('made', '#timeline')
  await page.evaluate(() => window.heddle.fit())
  await page.locator('.name:visible').first().click()
  await page.waitForSelector('.list-row')
  const rows = () => page.locator('.sampled-row').evaluateAll(list => list.map(row => [row.children[0].textContent, row.children[2].textContent]))
  await page.getByLabel('samples of').selectOption('window')
  assert.deepEqual(await rows(), [['work', '2'], ['main', '1']])
  await page.evaluate(() => window.heddle.setView(1500, 1))
  await settled(page)
  assert.deepEqual(await rows(), [['work', '1']])
  await page.evaluate(() => window.heddle.fit())
  await page.locator('.name:visible').nth(1).click()
  await settled(page)
  assert.match(await page.locator('.sampled').innerText(), /2 samples by cpu; this page has 1 of 4/)
  assert.deepEqual(await rows(), [[HOSTILE[0], '1'], ['(others)', '1']])
  await page.locator('.sampled-row').first().click()
  assert.equal(await page.locator('.relatives h2').innerText(), HOSTILE[0])
  await close(page)
})

test('callers stand below if asked for, and frames by name or by time', async () => {
  const page = await fresh('made')
  const frames = () => page.evaluate(() => window.heddle.flame())
  const before = await frames()
  const rows = Math.max(...before.map(({ row }) => row)) + 1
  await page.locator('[data-control="flip"]').check()
  const flipped = await frames()
  assert.deepEqual(flipped.map(({ name, y }) => [name, y]), before.map(({ name, row }) => [name, (rows - 1 - row + 0.5) * 19]))
  // A click finds the frame where it stands now.
  const { name, x0, x1, y } = flipped.find(({ row }) => row === rows - 1)
  await page.locator('.flame-canvas').click({ position: { x: (x0 + x1) / 2, y } })
  assert.equal((await frames()).filter(frame => frame.name === name).length > 0, true)
  await page.keyboard.press('Escape')
  await page.locator('[data-control="flip"]').uncheck()
  await page.getByLabel('order of frames').selectOption('name')
  const sorted = (await frames()).filter(({ row }) => row === 1)
  assert.deepEqual(sorted.map(frame => frame.name), sorted.map(frame => frame.name).sort())
  await page.getByLabel('order of frames').selectOption('weight')
  await close(page)
})

test('exact calls have no intervals, constructs, states and times', async () => {
  const page = await open('exact', '#calls')
  assert.match(await page.locator('.calls').innerText(), /12 calls were counted and timed: these figures are exact/)
  const [head, ...rows] = await copied(page, functions(page))
  assert.equal(head.includes('from'), false)
  const self = head.indexOf('self (s)') >= 0 ? head.indexOf('self (s)') : head.indexOf('self')
  assert.deepEqual(rows.map(([name]) => name), ['work', 'main'])
  assert.deepEqual(rows.map(row => Number(row[self])), [0.003, 0.002])
  for (const label of ['construct', 'state', 'unit']) assert.equal(await page.locator('.calls').getByLabel(label, { exact: true }).count(), 0)
  await choose(page, 'trigger', 'calls')
  assert.deepEqual((await copied(page, functions(page))).slice(1).map(row => [row[0], Number(row[1])]), [['work', 10], ['main', 2]])
  await choose(page, 'thread', await page.evaluate(() => [...document.querySelectorAll('.calls select.choice option')].find(({ value }) => value === '1').textContent))
  assert.deepEqual((await copied(page, functions(page))).slice(1).map(row => [row[0], Number(row[1])]), [['work', 6], ['main', 0]])
  assert.match(await page.locator('.calls').innerText(), /6 calls shown of 12 calls/)
  assert.equal(await page.locator('.sampled').count(), 0)
  await close(page)
})

test('of two runs, the second one’s frames say what changed beyond chance', async () => {
  const page = await open('two', '#calls')
  const canvas = page.locator('.flame-canvas').nth(1)
  const hover = async name => {
    const list = await page.evaluate(() => window.heddle.flame(1))
    const frame = list.find(({ name: own }) => own === name)
    await canvas.hover({ position: { x: (frame.x0 + frame.x1) / 2, y: frame.y } })
    return page.locator('.flame-tip').nth(1).innerText()
  }
  assert.match(await hover('work'), /\+60\.00 ms ±.* against A$/)
  assert.match(await hover(HOSTILE[1]), /\+0 s against A, which may be chance$/)
  await close(page)
})

test('the figures of a recorded run are those of heddle calls --json', { skip: HEDDLE && existsSync(HEDDLE) && existsSync(SAMPLES) ? false : 'there is no heddle, or no archive' }, async () => {
  execFileSync('tar', ['-xf', SAMPLES, '-C', directory])
  const archive = join(directory, 'samples')
  const ask = (...options) => JSON.parse(execFileSync(HEDDLE, ['calls', '--json', ...options, archive], { encoding: 'utf8', maxBuffer: 1 << 28 }))
  files.real = join(directory, 'real.html')
  execFileSync(HEDDLE, ['report', '-o', files.real, archive])
  const page = await fresh('real')
  const sums = rows => rows.reduce((all, row) => {
    if (row.self_samples === null || row.inclusive_samples === 0) return all // or it is there for its blame
    const [self, inclusive] = all[row.function] ?? [0, 0]
    return { ...all, [row.function]: [self + row.self_samples, inclusive + row.inclusive_samples] }
  }, {})
  const told = ask()
  assert.ok(told.functions.length > 4)
  assert.deepEqual(await table(page), sums(told.functions))
  for (const { thread_name: thread, thread: location } of ask('--by', 'thread').threads) {
    await page.locator('.calls').getByLabel('thread', { exact: true }).selectOption(String(location))
    assert.deepEqual(await table(page), sums(ask('--by', 'thread').functions.filter(row => row.thread === location)), thread)
  }
  await choose(page, 'thread', 'all')
  await choose(page, 'unit', 'time')
  const [head, ...rows] = await copied(page, functions(page))
  const ticks = new Map(told.functions.map(row => [row.function, row.self.ticks]))
  for (const row of rows) assert.equal(Number(row[head.indexOf('self (ticks)')]), ticks.get(row[0]), row[0])
  await go(page, 'timeline')
  await close(page)
})
