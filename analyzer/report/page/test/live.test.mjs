// The page of heddle live --web in Chromium, with made-up readings.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { until } from './harness.mjs'
import { closePage, openLive, rows, start, status, stop } from './live-harness.mjs'
import { document, serve } from './live-server.mjs'

const LIVE = process.env.HEDDLE_LIVE_PAGE

before(start)
after(stop)

async function close(page, server) {
  await closePage(page)
  await server.stop()
}

const plain = text => text.replaceAll('\u2009', '')

const four = () => document({
  threads: [
    { name: 'OpenMP master', inside: '!$omp for @a.c:10', shares: { run: 0.75, synch: 0.25, synch_barrier: 0.25 } },
    ...[1, 2, 3].map(i => ({ name: `OpenMP thread ${i}`, inside: '!$omp barrier @a.c:12', shares: { run: 0.25, synch: 0.5, synch_barrier: 0.5, idle: 0.25 } })),
  ],
  constructs: [
    { name: '!$omp for @a.c:10', executions: 1234567, self: 1.5 }, { name: '!$omp barrier @a.c:12', executions: 40, self: 1.75, won: 0.4375 },
    { name: '!$omp critical @a.c:20', part: 'acquire', executions: 10, self: 0.125 }, { name: '!$omp critical @a.c:20', part: 'hold', executions: 10, self: 0 },
  ],
  locks: [{ place: '!$omp critical @a.c:20', acquired: 10, contended: 4, wait: 0.125 }, { place: 'omp_set_lock @a.c:30', acquired: 99, wait: 0.25 }],
})

test('the lists are the reading’s tables', async () => {
  const server = await serve(LIVE, { number: 1, last: four() })
  const page = await openLive(server.address)
  assert.equal(await page.locator('h1').innerText(), 'made-up [4711]')
  assert.match(await page.locator('.live-facts').innerText(), /^runs for 13 s · figures of 1\.00 s · read at \d\d:\d\d:\d\d$/)
  assert.deepEqual(await rows(page, 'live-threads'), [
    ['0', 'OpenMP master', '', '75.0 %', '!$omp for @a.c:10', 'R'],
    ...[1, 2, 3].map(i => [String(i), `OpenMP thread ${i}`, '', '25.0 %', '!$omp barrier @a.c:12', 'R']),
  ])
  // What could be won is first, then self time; holds are with the locks.
  const constructs = (await rows(page, 'live-constructs')).map(row => row.map(plain))
  assert.deepEqual(constructs.map(([name, executed, won, , , share]) => [name, executed, won, share]), [
    ['!$omp barrier @a.c:12', '40', '≤ 43.8 %', '43.8 %'], ['!$omp for @a.c:10', '1234567', '', '37.5 %'], ['waits: !$omp critical @a.c:20', '10', '', '3.1 %'],
  ])
  assert.deepEqual((await rows(page, 'live-locks')).map(row => row.slice(0, 4)), [['omp_set_lock @a.c:30', '99', '0', '250.0 ms'], ['!$omp critical @a.c:20', '10', '4', '125.0 ms']])
  await close(page, server)
})

test('metrics of all tables are one list', async () => {
  const time = seconds => ({ ticks: seconds * 1e9, seconds })
  const last = { ...four(),
    tasks_made: [{ construct: '!$omp task @a.c:40', thread_name: null, thread: null, made: 12 }],
    chunks: [{ construct: '!$omp for @a.c:10', chunks: 8, iterations: 80000, unknown: 0 }],
    objects: [{ name: 'forks', construct: 'omp_set_lock @a.c:30', acquired: 99, contended: 3, wait: time(0.25), waiting: time(0.125) }],
    events: [{ name: 'queue <b>', attribute: 'length', count: 5, sum: 7.5, last: 1 }],
    gc: [{ pauses: 2, time: time(0.01) }], measuring: [{ updates: 1000, time: time(0.5), events_lost: 0 }] }
  const server = await serve(LIVE, { number: 1, last: { ...last, stretch: time(2) } })
  const page = await openLive(server.address, { viewport: { width: 1440, height: 1200 } }) // all rows are in sight
  assert.deepEqual((await rows(page, 'live-metrics')).map(row => row.map(plain)), [
    ['acquired, by name', 'forks', '99', '50', '250.0 ms'], ['chunks', '!$omp for @a.c:10', '8', '4', ''], ['contended, by name', 'forks', '3', '2', '125.0 ms'],
    ['events, length', 'queue <b>', '5', '3', ''], ['garbage collections', 'the program', '2', '1', '10.00 ms'], ['iterations', '!$omp for @a.c:10', '80000', '40000', ''],
    ['tasks made', '!$omp task @a.c:40', '12', '6', ''], ['updates of sums', 'the program', '1000', '500', '500.0 ms'],
  ])
  await close(page, server)
})

test('pairs are added and removed, and what is against one is said', async () => {
  const changes = []
  const time = seconds => ({ ticks: seconds * 1e9, seconds })
  const row = (pair, rest) => ({ pair, count: null, duration: null, value: null, sum_count: null, sum_duration: null, sum_value: null, ...rest })
  const state = { number: 1, last: four(), pairs: { pairs: [] } }
  state.change = parameters => {
    changes.push(String(parameters))
    if (parameters.get('add') === 'nonsense') return 'there is no <such> metric'
    if (parameters.has('add')) state.pairs.pairs.push(row(parameters.get('add'), { count: 3, sum_count: 12 }))
    if (parameters.has('remove')) state.pairs.pairs = state.pairs.pairs.filter(({ pair }) => pair !== parameters.get('remove'))
    if (parameters.has('alone')) state.alone = parameters.get('alone') === '1'
    return null
  }
  const server = await serve(LIVE, state)
  const page = await openLive(server.address)
  const shown = () => page.locator('.live-pair').evaluateAll(list => list.map(one => [...one.children].slice(0, 3).map(cell => cell.textContent)))
  const add = async text => {
    await page.locator('[data-control="pair"]').fill(text)
    await page.locator('[data-control="pair"]').press('Enter')
  }
  await add('nonsense')
  await until(page, () => document.querySelector('.live-said').textContent === 'there is no <such> metric')
  assert.equal(await page.locator('[data-control="pair"]').inputValue(), 'nonsense')
  await add('locks@lock=a&b <i>,thread=w*')
  await until(page, () => document.querySelectorAll('.live-pair').length === 1)
  assert.deepEqual(await shown(), [['locks@lock=a&b <i>,thread=w*', '3', '12']])
  assert.equal(await page.locator('.live-said').innerText(), '')
  state.number = 2
  state.pairs.pairs = [row('event-sum', { value: '-5', sum_value: '-30' }), row('lock-waiting', { duration: time(0.25), sum_duration: time(1.5) })]
  await until(page, () => document.querySelectorAll('.live-pair').length === 2)
  assert.deepEqual(await shown(), [['event-sum', '-5', '-30'], ['lock-waiting', '250.0 ms', '1.500 s']])
  await page.locator('[data-control="alone"]').check()
  await page.locator('[data-pair="event-sum"] button').click()
  await until(page, () => document.querySelectorAll('.live-pair').length === 1)
  assert.deepEqual(changes, ['add=nonsense', 'add=locks%40lock%3Da%26b+%3Ci%3E%2Cthread%3Dw*', 'alone=1', 'remove=event-sum'])
  await close(page, server)
})

test('a bar’s pieces are the thread’s states, and fill it', async () => {
  const server = await serve(LIVE, { number: 1, last: four() })
  const page = await openLive(server.address)
  const pieces = await page.locator('.live-threads .grid-row').nth(1).locator('.track i:not([hidden])').evaluateAll(list => list.map(piece => [piece.dataset.state, piece.getBoundingClientRect().width]))
  const width = pieces.reduce((sum, [, one]) => sum + one, 0)
  assert.deepEqual(pieces.map(([state, one]) => [state, Math.round(one / width * 100)]), [['run', 25], ['synch_barrier', 50], ['idle', 25]])
  const track = await page.locator('.live-threads .track').nth(1).evaluate(element => element.getBoundingClientRect().width)
  assert.ok(Math.abs(track - width) < 1)
  await close(page, server)
})

test('a heading sorts, and sorts back', async () => {
  const server = await serve(LIVE, { number: 1, last: four() })
  const page = await openLive(server.address)
  const names = async () => (await rows(page, 'live-constructs')).map(([name]) => name.split('@')[1])
  await page.locator('.live-constructs .grid-head button', { hasText: 'executed' }).click()
  assert.deepEqual(await names(), ['a.c:10', 'a.c:12', 'a.c:20'])
  await page.locator('.live-constructs .grid-head button', { hasText: 'executed' }).click()
  assert.deepEqual(await names(), ['a.c:20', 'a.c:12', 'a.c:10'])
  await close(page, server)
})

/** Bounds of the step areas of a chart, as percents of its height, the newest reading last: [by series][step]. */
const steps = (page, chart) => page.locator(`[data-chart="${chart}"] path`).evaluateAll(list => list.map(path =>
  [...path.getAttribute('d').matchAll(/M(\d+) ([\d.]+)V([\d.]+)H/g)].map(([, x, low, high]) => [Number(x), 100 - Number(low), 100 - Number(high)])))

test('the history has a step a reading, a gap where the page missed one, and the picked thread’s own', async () => {
  const state = { number: 1, last: four() }
  const server = await serve(LIVE, state)
  const page = await openLive(server.address)
  for (const number of [2, 4]) {
    state.last = document({ threads: four().now.map(({ thread_name: name }) => ({ name, shares: { run: number / 10, idle: 1 - number / 10 } })) })
    state.number = number
    await until(page, wanted => document.querySelector('.live-facts').title.endsWith(`number ${wanted}`), number)
  }
  const [run, synch, idle] = await steps(page, 'all')
  assert.deepEqual(run, [[116, 0, 37.5], [117, 0, 20], [119, 0, 40]])
  assert.deepEqual(synch, [[116, 37.5, 81.25]])
  assert.deepEqual(idle, [[116, 81.25, 100], [117, 20, 100], [119, 40, 100]])
  await page.locator('.live-threads .grid-row').first().click()
  assert.equal(await page.locator('[data-chart="picked"] h2').innerText(), 'OpenMP master')
  assert.deepEqual((await steps(page, 'picked'))[0], [[116, 0, 75], [117, 0, 20], [119, 0, 40]])
  // The pointer on a step says its figures.
  const box = await page.locator('[data-chart="all"] .live-picture').boundingBox()
  await page.mouse.move(box.x + box.width * 117.5 / 120, box.y + 20)
  assert.equal(await page.locator('[data-chart="all"] .live-legend span').first().innerText(), 'RUN 20.0 %')
  assert.equal(await page.locator('[data-chart="all"] .live-times .pointed').innerText(), '2 s ago')
  await page.mouse.move(5, 5)
  assert.equal(await page.locator('[data-chart="all"] .live-legend span').first().innerText(), 'RUN 40.0 %')
  await close(page, server)
})

test('since the begin: the server’s other document, on the same connection; the history goes on', async () => {
  const state = { number: 1, last: four(), whole: document({ stretch: 50, threads: four().now.map(({ thread_name: name }) => ({ name, shares: { run: 1 } })) }) }
  const server = await serve(LIVE, state)
  const page = await openLive(server.address)
  await page.locator('[data-control="stretch"]').selectOption('1')
  await until(page, () => /figures of 50 s/.test(document.querySelector('.live-facts').textContent))
  assert.deepEqual((await rows(page, 'live-threads')).map(row => row[3]), ['100.0 %', '100.0 %', '100.0 %', '100.0 %'])
  state.number = 2
  await until(page, () => document.querySelector('.live-facts').title.endsWith('number 2'))
  assert.deepEqual((await steps(page, 'all'))[0], [[118, 0, 37.5], [119, 0, 37.5]])
  // The browser may open one more connection for the page itself.
  assert.ok(server.sockets.size <= 2, `${server.sockets.size} connections`)
  assert.deepEqual([...new Set(server.asked.map(path => path.split('?')[0]))], ['/token/', '/token/reading'])
  await close(page, server)
})

test('frozen figures stay; the page asks for nothing until it goes on', async () => {
  const state = { number: 1, last: four() }
  const server = await serve(LIVE, state)
  const page = await openLive(server.address)
  await page.getByRole('button', { name: 'Freeze' }).click()
  assert.equal(await status(page), 'frozen')
  await page.waitForTimeout(200) // what was under way
  const before = [await rows(page, 'live-threads'), server.asked.length]
  state.last = document({ threads: [{ name: 'other', shares: { run: 1 } }] })
  state.number = 2
  await page.waitForTimeout(500)
  assert.deepEqual([await rows(page, 'live-threads'), server.asked.length], before)
  await page.getByRole('button', { name: 'Go on' }).click()
  await until(page, () => document.querySelectorAll('.live-threads .grid-row').length === 1)
  assert.equal(await status(page), 'live')
  await close(page, server)
})

test('the program’s end is shown, and its last reading stays', async () => {
  const state = { number: 1, last: four() }
  const server = await serve(LIVE, state)
  const page = await openLive(server.address)
  Object.assign(state, { number: 2, over: true })
  await until(page, () => document.querySelector('.live-status').textContent === 'ended')
  assert.match(await page.locator('.live-facts').innerText(), /^ran for 13 s/)
  const asked = server.asked.length
  await page.waitForTimeout(500)
  assert.equal(server.asked.length, asked)
  assert.equal((await rows(page, 'live-threads')).length, 4)
  await close(page, server)
})

test('a server that is gone: the page says so, keeps the figures, and asks again when it is told to', async () => {
  const state = { number: 1, last: four() }
  const server = await serve(LIVE, state)
  const page = await openLive(server.address, {}, /404/)
  state.fail = true
  await until(page, () => document.querySelector('.live-status').textContent === 'no answer')
  await until(page, () => document.querySelector('.live-status').textContent === 'gone')
  const asked = server.asked.length
  await page.waitForTimeout(500)
  assert.equal(server.asked.length, asked)
  assert.equal((await rows(page, 'live-threads')).length, 4)
  state.fail = false
  await page.getByRole('button', { name: 'Ask again' }).click()
  await until(page, () => document.querySelector('.live-status').textContent === 'live')
  await close(page, server)
})

test('10,000 threads: only rows in sight are in the document, and each can be reached', async () => {
  const threads = Array.from({ length: 10_000 }, (_, i) => ({ name: `thread ${i}`, shares: { run: i / 10_000, idle: 1 - i / 10_000 } }))
  const constructs = Array.from({ length: 3000 }, (_, i) => ({ name: `!$omp for @a.c:${i}`, self: i }))
  const state = { number: 1, next: 0.2, last: document({ threads, constructs }) }
  const server = await serve(LIVE, state)
  const page = await openLive(server.address)
  assert.ok(await page.evaluate(() => document.querySelectorAll('*').length) < 1500)
  assert.equal(await page.locator('.live-threads h2').innerText(), 'Threads 10\u2009000')
  await page.locator('.live-threads .grid-body').evaluate(body => { body.scrollTop = body.scrollHeight })
  await until(page, () => [...document.querySelectorAll('.live-threads .grid-row')].some(row => row.children[0].textContent === '9999'))
  await page.locator('.live-threads .grid-head button', { hasText: 'RUN' }).click()
  await page.locator('.live-threads .grid-body').evaluate(body => { body.scrollTop = 0 })
  await until(page, () => [...document.querySelectorAll('.live-threads .grid-row')].some(row => row.children[0].textContent === '9999'))
  for (const number of [2, 3]) {
    state.number = number
    await until(page, wanted => document.querySelector('.live-facts').title.endsWith(`number ${wanted}`), number)
  }
  assert.ok(await page.evaluate(() => document.querySelectorAll('*').length) < 1500)
  await close(page, server)
})

test('no reading moves what is on the page; rows keep their order under the pointer', async () => {
  const state = { number: 1, last: four() }
  const server = await serve(LIVE, state)
  const page = await openLive(server.address)
  const places = () => page.evaluate(() => [...document.querySelectorAll('header *, h2, .grid-head button, .grid, .live-picture, .live-constructs .grid-row > *')].map(element => {
    const { x, y, width, height } = element.getBoundingClientRect()
    return [element.classList[0], x, y, width, height].join(' ')
  }))
  const before = await places()
  await page.locator('.live-constructs .grid-row').first().hover()
  const names = (await rows(page, 'live-constructs')).map(([name]) => name)
  const next = four()
  next.rows.reverse()
  next.rows.forEach((row, i) => { row.self = { ticks: i, seconds: 10 ** i, percent: i } })
  next.waits = []
  Object.assign(state, { number: 2, last: next })
  await until(page, () => document.querySelector('.live-facts').title.endsWith('number 2'))
  assert.deepEqual((await rows(page, 'live-constructs')).map(([name]) => name), names)
  assert.deepEqual(await places(), before)
  await page.mouse.move(5, 5)
  state.number = 3
  await until(page, () => document.querySelector('.live-facts').title.endsWith('number 3'))
  assert.notDeepEqual((await rows(page, 'live-constructs')).map(([name]) => name), names)
  await close(page, server)
})

test('hostile names are text', async () => {
  const evil = '<script>alert(1)</script><img src=x onerror=alert(2)>"\'&\u202e\u0000' + 'x'.repeat(5000)
  const server = await serve(LIVE, { number: 1, last: document({
    program: evil, threads: [{ name: evil, inside: evil, part: evil, shares: { run: 1 } }], constructs: [{ name: evil, self: 1, won: 0.5 }], locks: [{ place: evil, acquired: 1, wait: 1 }] }) })
  const page = await openLive(server.address)
  await page.locator('.live-threads .grid-row').click()
  await page.locator('.live-constructs .grid-row').click()
  assert.equal(await page.locator('img, #app script').count(), 0)
  for (const list of ['live-threads', 'live-constructs', 'live-locks']) {
    assert.ok((await rows(page, list))[0].some(text => text.startsWith('<script>alert(1)')), list)
  }
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth))
  await close(page, server)
})

test('light, dark, wide, narrow: nothing has to be scrolled sideways', async () => {
  for (const [width, colorScheme] of [[1280, 'dark'], [1920, 'light'], [700, 'light']]) {
    const server = await serve(LIVE, { number: 1, last: four() })
    const page = await openLive(server.address, { viewport: { width, height: 800 }, colorScheme })
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), colorScheme)
    // In a narrow window a list has to be, but not the page.
    for (const part of width > 1100 ? ['main', '.grid-body'] : ['main']) {
      assert.ok(await page.locator(part).evaluateAll(list => list.every(element => element.scrollWidth <= element.clientWidth)), `${part} at ${width}`)
    }
    await close(page, server)
  }
})

test('long names of threads are not cut to the same text', async () => {
  const threads = Array.from({ length: 12 }, (_, i) => ({ name: `ForkJoinPool-1-of-a-service-with-a-long-name-worker-${i + 1}`, shares: { run: 1 } }))
  const server = await serve(LIVE, { number: 1, last: document({ threads }) })
  const page = await openLive(server.address)
  const ends = await page.locator('.live-threads .grid-row .place .where').evaluateAll(cells => cells.filter(cell => cell.textContent.startsWith('-')).map(cell => [cell.textContent, cell.scrollWidth <= cell.clientWidth]))
  assert.deepEqual(ends.map(([text]) => text).sort(), threads.map((_, i) => `-${i + 1}`).sort())
  assert.ok(ends.every(([, whole]) => whole), 'a number is cut')
  await close(page, server)
})
