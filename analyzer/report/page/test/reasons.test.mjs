// The pages of reasons, constructs, tasks and words, and the comparison by cause, with made-up reports.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { close, go, open as openFile, settled, start, stop, until, view } from './harness.mjs'
import { makeRun, report, time } from './make-bundle.mjs'

const files = {}
let directory
let plain

const open = (name, fragment) => openFile(files[name], fragment)
const number = text => Number(text.replaceAll('\u2009', '').replace('\u2212', '-').replace('+', '').replace(/[^\d.-].*$/, ''))

/** 3 tasks of one place, one of which waited for another thread from 100 to 300 ticks, and a place with its lines of source. */
function withTasks(bundle) {
  const [run] = bundle.runs
  const at = ticks => time(ticks, 1e9, 1e6)
  run.documents.tasks = {
    made: 3, ended: 3, most_waiting: 2, work: at(3000), span: at(1000), parallelism: 3,
    sites: [{ site: 1, name: '!$omp task @loop.c:30', function: 'main', made: 3, at_once: 0, stolen: 1, run: at(3000), make: at(50), grain: 'fine' }],
    lengths: [{ site: 1, run_median: at(1000), run_90: at(1200), run_max: at(1500), queue_median: at(10), queue_90: at(20), queue_max: at(200) }],
    threads: [{ site: 1, thread_name: 'OpenMP master', thread: 0, made: 3, ran: 2, stolen: 0, run: at(2000) }, { site: 1, thread_name: 'OpenMP thread 1', thread: 1, made: 0, ran: 1, stolen: 1, run: at(1000) }],
  }
  // 20 s in all, 30 ms and 4 µs at a time: three units, if each column had its own.
  run.documents.locks = { locks: [{ lock: 1, kind: 'lock', name: 'lock @loop.c:40', acquired: 9, waited: 3, wait: at(2e10), wait_mean: at(3e7), wait_max: at(4e7), held: at(4000) }], threads: [], places: [] }
  // The sequence of states begins 100 ticks after the timeline, and the timeline 50 after the run.
  run.timeline.since_begin = 50
  run.documents.phases = {
    since_begin: at(150), verdict: 'The run has 2 phases.',
    phases: [0, 1].map(i => ({ phase: i + 1, first: 1 + 10 * i, records: 10, begin: at(100_000 * i), duration: at(100_000), period: null, period_time: null, difference: i ? 0.5 : null, p: i ? 0.001 : null })),
    states: [0, 1].map(i => ({ phase: i + 1, state: `R${i + 1}`, part: 80, before: i ? 10 : null, visits: 5, mean: at(100) })),
  }
  const construct = run.documents.imbalance.constructs[0].construct
  run.documents.imbalance.over_time = [{ construct, executions: 12, elapsed_median: at(10), elapsed_90: at(20), elapsed_max: at(900), imbalance_median: at(1), imbalance_90: at(2), imbalance_max: at(300), worst_begin: at(150_050), worst_elapsed: at(900) }]
  run.documents.imbalance.parts = [{ construct, ...Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`part_${i + 1}`, i === 3 ? null : 10 * i])) }]
  run.documents.source = [{ file: '/src/loop.c', first: 11, lines: ['  // before', '#pragma omp for <b>', '  for (;;)'] }]
  run.findings = Array.from({ length: 11 }, (_, i) => ({ ...run.findings[0], text: `finding ${i + 1}` })).concat({ kind: 'states', text: 'The time of all threads: 100.0 % the program’s own work.' })
  return bundle
}

/** Each run has two phases, of which the second one is longer. */
function withPhases(bundle) {
  bundle.runs.forEach((run, i) => {
    const at = ticks => time(ticks, 1e9)
    run.documents.phases = { verdict: '', phases: [1, 2].map(phase => ({ phase, begin: at(0), duration: at(1e6 * phase * (i + 1)) })), states: [] }
  })
  return bundle
}

before(async () => {
  directory = mkdtempSync(join(tmpdir(), 'heddle-reasons-'))
  plain = makeRun({ threads: 4, segments: 400 })
  for (const [name, text] of Object.entries({
    plain: report([plain], { change: withTasks }),
    two: report([makeRun({ threads: 4, segments: 400 }), makeRun({ threads: 4, segments: 400, tps: 2_000_000_000, slower: 4 })]),
    three: report([1, 2, 4].map(slower => makeRun({ threads: 4, segments: 400, title: `by ${slower}`, slower })), { change: withPhases }),
  })) {
    files[name] = join(directory, `${name}.html`)
    writeFileSync(files[name], text)
  }
  await start()
})

after(async () => {
  await stop()
  rmSync(directory, { recursive: true, force: true })
})

test('all findings are there, and the sentence on states stands above its bar', async () => {
  const page = await open('plain', '#overview')
  assert.deepEqual(await page.locator('.page-overview > div > section .findings li:visible').count(), 8)
  await page.click('.more-findings summary')
  assert.deepEqual(await page.locator('.findings .rank').allInnerTexts(), Array.from({ length: 11 }, (_, i) => String(i + 1)))
  assert.match(await page.locator('section', { hasText: 'Where all threads’ time went' }).last().innerText(), /100\.0 % the program’s own work/)
  await close(page)
})

test('a construct has its executions, of which a click leads to the timeline', async () => {
  const page = await open('plain', '#constructs')
  const name = '!$omp for @loop.c:12'
  await page.locator('.page-constructs tbody tr', { hasText: name }).first().click()
  await page.waitForSelector('.slowest tbody tr')
  // The lane of constructs has the codes of the states' segments, by number modulo 3.
  const region = 1
  const executions = plain.exact.flatMap(({ durations, codes }, location) => {
    let at = 0
    return durations.flatMap((duration, i) => {
      const begin = at
      at += duration
      return codes[i] % 3 === region ? [{ location, begin, duration }] : []
    })
  })
  assert.match(await page.locator('.in-order').innerText(), new RegExp(`^In order\\n+${executions.length} executions on all threads`))
  const slowest = [...executions].sort((a, b) => b.duration - a.duration || a.begin - b.begin)
  const shown = await page.locator('.slowest tbody tr td:last-child').evaluateAll(cells => cells.map(cell => Number(cell.title.replace(/\D/g, ''))))
  assert.deepEqual(shown, slowest.slice(0, 20).map(({ duration }) => duration))
  const bars = await page.locator('.construct .columns .part').first().locator('.number').allInnerTexts()
  assert.equal(bars.map(number).reduce((a, b) => a + b, 0), executions.length)
  const pre = page.locator('pre.source')
  assert.match(await pre.innerText(), /12 {2}#pragma omp for <b>/)
  assert.equal(await pre.locator('.here').count(), 1)
  assert.equal(await page.locator('.construct a[href^="vscode:"]').getAttribute('href'), 'vscode://file/src/loop.c:12')
  // By keyboard, too.
  await page.locator('.slowest tbody tr').first().focus()
  await page.keyboard.press('Enter')
  await until(page, () => document.querySelector('main > .page-timeline')?.getClientRects().length > 0)
  await settled(page)
  const { begin, end } = await view(page)
  assert.ok(begin <= slowest[0].begin && end >= slowest[0].begin + slowest[0].duration, 'the slowest execution is in sight')
  await close(page)
})

test('reasons are a tree whose lines lead somewhere; ruled out and unknown stand apart', async () => {
  const page = await open('plain', '#why')
  const lines = await page.locator('.page-why .reasons').first().locator('.reason').allInnerTexts()
  assert.deepEqual(lines.map(text => text.split('\n')[0]).slice(0, 3), ['50.0 %', '30.0 %', '30.0 %'])
  assert.equal(lines.length, 4)
  assert.match(await page.locator('section', { hasText: 'Ruled out' }).last().innerText(), /1\.0 %\s+threads wait for a processor/)
  assert.match(await page.locator('section', { hasText: 'Unknown: what to record' }).last().innerText(), /--counters/)
  await page.locator('.page-why .reason.where button').first().click()
  await page.waitForSelector('.slowest tbody tr')
  assert.equal(await page.locator('.construct h2').innerText(), '!$omp for @loop.c:12')
  await close(page)
})

test('a phase, and the worst execution of a construct, are shown in the timeline', async () => {
  const page = await open('plain', '#model')
  const shown = async () => {
    await until(page, () => document.querySelector('main > .page-timeline')?.getClientRects().length > 0)
    await settled(page)
    return view(page)
  }
  const phases = page.locator('.page-model section', { hasText: 'The run has 2 phases.' })
  await phases.locator('tbody tr', { hasText: '0.500' }).click()
  assert.match(await phases.innerText(), /Phase 2: states of most time[^]*R2\s+80\.0 %\s+10\.0 %/)
  await phases.locator('button', { hasText: 'show it in the timeline' }).click()
  const phase = await shown()
  assert.ok(phase.begin <= 100_100 && phase.end >= 200_100 && phase.end - phase.begin < 150_000, JSON.stringify(phase))
  await go(page, 'imbalance')
  assert.match(await page.locator('.over-time').innerText(), /Half of its 12 executions take 10 ns[^]*30 to 40 %\s+not executed\s+40 to 50 %\s+40\.0 %/)
  await page.locator('.over-time button').click()
  const worst = await shown()
  assert.ok(worst.begin <= 150_000 && worst.end >= 150_900 && worst.end - worst.begin < 3000, JSON.stringify(worst))
  await close(page)
})

test('tasks have their makers, and words their meaning', async () => {
  const page = await open('plain', '#tasks')
  assert.match(await page.locator('.page-tasks').innerText(), /made 3, executed 2, of others 0[^]*made 0, executed 1, of others 1/)
  await go(page, 'words')
  const text = await page.locator('.page-words').innerText()
  for (const word of ['OVERHEAD', 'READY', 'imbalance', 'critical path', 'ruled out']) assert.ok(text.includes(word), word)
  await go(page, 'states')
  assert.match(await page.locator('.page-states .table th', { hasText: 'OVERHEAD' }).first().getAttribute('title'), /Work of the OpenMP runtime/)
  await close(page)
})

test('two runs begin with their comparison: differences by cause add up, as shares of the first run', async () => {
  const page = await openFile(files.two, '')
  assert.ok(await page.locator('main > .page-compare').isVisible())
  const table = page.locator('.page-compare .table').first()
  const rows = await table.locator('tbody tr').evaluateAll(lines => lines.map(line => [...line.children].map(cell => cell.innerText)))
  const shares = rows.map(row => number(row[4].replace('<0.1', '0')))
  // The second run takes twice as long: four times the ticks, of half a nanosecond each.
  assert.ok(Math.abs(shares.reduce((a, b) => a + b, 0) - 100) < 1, `${shares} are the whole difference`)
  assert.deepEqual([...shares].sort((a, b) => Math.abs(b) - Math.abs(a)), shares)
  assert.match(await page.locator('.because').innerText(), /^(imbalance|processors|work): more by /)
  await close(page)
})

const rowsOf = table => table.locator('tbody tr').evaluateAll(lines => lines.map(line => [...line.children].map(cell => cell.innerText)))

test('three runs: a column a run, and any two of them in detail, also scaled and by phase; the address keeps the choice', async () => {
  const page = await openFile(files.three, '')
  const compare = page.locator('main > .page-compare')
  assert.equal(await page.locator('main > .page-timeline .chart').count(), 3)
  const tables = compare.locator('.all-runs .table')
  assert.match(await compare.locator('.all-runs .lead').innerText(), /^A is the fastest run .*, C the slowest .* it takes 4\.00 times as long\.$/)
  assert.deepEqual((await rowsOf(tables.nth(0))).map(row => row[2]), ['1.000', '2.000', '4.000'])
  const lengths = await page.evaluate(() => window.heddle.bundle.runs.map(run => run.timeline.duration / run.timeline.ticks_per_second * 2e3)) // ms of 2 processors
  const causes = await rowsOf(tables.nth(1))
  for (const i of [0, 1, 2]) assert.ok(Math.abs(causes.reduce((sum, row) => sum + number(row[i + 1]), 0) - lengths[i]) < 0.01 * lengths[i], `causes of run ${i}`)
  assert.deepEqual((await rowsOf(tables.nth(2))).map(row => row.slice(0, 5).join(' ')), ['phase 2 2.000 4.000 6.000 4.000', 'phase 1 1.000 2.000 3.000 2.000'])
  const lead = () => compare.locator('.choose-runs .lead').innerText()
  assert.match(await lead(), /^B is slower/)
  await compare.getByLabel('from run').selectOption('2')
  assert.match(await lead(), /^B is faster: .* against .*, 2\.00 times as fast/)
  const detail = title => compare.locator('section', { has: page.locator('h2', { hasText: title }) }).last().locator('.table').first()
  assert.deepEqual((await rowsOf(detail('By phase'))).map(row => row.slice(0, 4).map(text => text.replace('\u2212', '-'))), [['phase 1', '3.000', '2.000', '-1.000'], ['phase 2', '6.000', '4.000', '-2.000']])
  await compare.getByLabel('times').selectOption('scaled')
  assert.deepEqual((await rowsOf(detail('By phase'))).map(row => row.slice(0, 3)), [['phase 1', '3.000', '4.000'], ['phase 2', '6.000', '8.000']])
  const scaled = await rowsOf(detail('What became better and worse'))
  assert.ok(Math.abs(scaled.reduce((sum, row) => sum + number(row[3]), 0)) < 0.02 * lengths[2], 'scaled runs are equally long')
  await until(page, () => location.hash.includes('scaled'))
  const address = await page.evaluate(() => location.href)
  const again = await openFile(address.replace('file://', '').split('#')[0], `#${address.split('#')[1]}`, {})
  assert.match(await again.locator('.page-compare .choose-runs .lead').innerText(), /^B is faster/)
  assert.equal(await again.locator('.page-compare').getByLabel('times').inputValue(), 'scaled')
  await close(again)
  await close(page)
})

test('times of a row of locks have one unit', async () => {
  const page = await open('plain', '#locks')
  const units = await page.locator('.page-locks .table').evaluateAll(tables => tables.map(table => [...new Set([...table.querySelectorAll('th small')].map(unit => unit.innerText.trim()))]))
  assert.ok(units.length > 0)
  for (const list of units) assert.ok(list.length <= 1, `units of a table: ${list}`)
  await close(page)
})
