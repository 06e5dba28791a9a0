// Reports of real runs: HEDDLE is the program, PROGRAMS the directory of the programs to trace.
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { close, go, open, settled, start, stop, until, view } from './harness.mjs'

const { HEDDLE, PROGRAMS } = process.env
const PAGES = ['overview', 'timeline', 'why', 'states', 'constructs', 'curves', 'imbalance', 'locks', 'waits', 'model', 'words', 'log']
const environment = { ...process.env, OMP_NUM_THREADS: '4' }
let directory
const trace = name => join(directory, `${name}.heddle`)
const heddle = (...args) => execFileSync(HEDDLE, args, { env: environment, stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 1 << 28, encoding: 'utf8' })
const plain = text => text.replace(/\u2009/g, '')

before(async () => {
  directory = mkdtempSync(join(tmpdir(), 'heddle-page-'))
  heddle('record', '-o', trace('lu'), '--', join(PROGRAMS, 'lu'), '64')
  heddle('record', '-o', trace('mploop'), '--', join(PROGRAMS, 'mploop'))
  heddle('report', '-o', join(directory, 'lu.html'), trace('lu'))
  heddle('report', '-o', join(directory, 'both.html'), trace('lu'), trace('mploop'))
  await start()
})

after(async () => {
  await stop()
  rmSync(directory, { recursive: true, force: true })
})

const JNI = join(PROGRAMS, 'jni')
const JAVA = {
  jomp: ['-Djomp.threads=3', '-cp', join(PROGRAMS, 'jomp'), 'LU', '40', '3'],
  mixed: [`-Djava.library.path=${JNI}`, '-cp', JNI, 'Mixed', '5'],
  philosophers: ['-cp', join(PROGRAMS, 'java'), 'Philosophers', '5', '20'],
}
const hasJava = ['jomp/LU.class', 'jni/Mixed.class', 'java/Philosophers.class'].every(file => existsSync(join(PROGRAMS, file)))

/** Every page says something, and nothing that only a program would say. */
async function allPages(page, name, pages) {
  for (const id of pages) {
    await go(page, id)
    await settled(page)
    const text = await page.locator(`main > .page-${id}`).innerText()
    assert.ok(text.length > 20, `${name}: ${id} says nothing`)
    assert.ok(!/undefined|NaN|\[object/.test(text), `${name}: ${id} says ${/.{0,40}(undefined|NaN|\[object).{0,40}/.exec(text)?.[0]}`)
  }
}

async function copied(page, table) {
  await table.locator('button', { hasText: 'Copy CSV' }).click()
  return (await page.evaluate(() => window.copied)).trim().split('\r\n').map(line => line.split(','))
}

test('every page of a Java program’s report is drawn, with the figures of heddle locks --json', { skip: hasJava ? false : 'the Java programs were not built' }, async () => {
  for (const [name, program] of Object.entries(JAVA)) {
    heddle('record', '-o', trace(name), '--', 'java', ...program)
    heddle('report', '-o', join(directory, `${name}.html`), trace(name))
    const page = await open(join(directory, `${name}.html`))
    await allPages(page, name, PAGES)
    // Low lines: all threads are in sight, and so are loaded.
    await page.evaluate(() => { location.hash = '#timeline?height=6&constructs=0' })
    await until(page, () => document.querySelector('main > .page-timeline')?.getClientRects().length > 0)
    await settled(page)
    // Who lives shorter than a pixel has no line.
    const { ticksPerPixel } = await view(page)
    const lives = await page.evaluate(least => window.heddle.bundle.runs[0].timeline.locations.map(({ begin, end }) => end - begin > least), ticksPerPixel)
    assert.ok(lives.filter(Boolean).length > 2, `${name} has threads`)
    for (const row of (await page.evaluate(() => window.heddle.rows())).filter(location => location >= 0 && lives[location])) {
      await until(page, location => window.heddle.drawn(location).length > 0, row)
    }
    const { locks } = JSON.parse(heddle('locks', '--json', trace(name)))
    assert.ok(name !== 'philosophers' || locks.length > 0, `${name} has locks`)
    if (locks.length > 0) {
      await go(page, 'locks')
      const [head, ...rows] = await copied(page, page.locator('.page-locks .table').first())
      const wait = head.indexOf('wait (all threads) (ticks)')
      assert.deepEqual(rows.map(row => Number(row[wait])).sort((a, b) => a - b), locks.map(lock => lock.wait.ticks).sort((a, b) => a - b), name)
    }
    await go(page, 'waits')
    for (const [nth, command, key, title] of [[0, 'critical-path', 'parts', 'on the path (ticks)'], [1, 'waits', 'waits', 'time (all threads) (ticks)']]) {
      const told = JSON.parse(heddle(command, '--json', trace(name)))[key]
      const [head, ...rows] = await copied(page, page.locator('.page-waits .table').nth(nth))
      assert.deepEqual(rows.map(row => Number(row[head.indexOf(title)])), told.slice(0, rows.length).map(({ time }) => time.ticks), `${name}: ${title}`)
      assert.equal(rows.length, Math.min(told.length, nth === 0 ? 200 : 100), `${name}: rows of ${command}`)
    }
    await close(page)
  }
})

/** Archives that have hardly anything, or names that would do something if they were no text. */
function oddArchives() {
  const archives = join(process.env.HEDDLE_SOURCE, 'tests/outputs/archives')
  const extracted = name => {
    execFileSync('tar', ['xf', join(archives, `${name}.tar.xz`), '-C', directory])
    return join(directory, name)
  }
  const imported = (name, lines) => {
    const csv = join(directory, `${name}.csv`)
    writeFileSync(csv, `thread,time,event,note\n${lines.join('\n')}\n`)
    heddle('import', '--from', 'csv', '-o', trace(name), csv)
    return trace(name)
  }
  const harmful = '"<img src=x onerror=""window.harmed=1""><script>window.harmed=2</script>"'
  return {
    'without threads': extracted('empty'),
    'one event': imported('one', ['main,100,begin,']),
    'long names': imported('long', ['thread', 'another'].map((word, i) => `${word.repeat(400)},${100 + i},${'event '.repeat(600)},${'note '.repeat(800)}`)),
    'names of HTML': imported('html', [1, 2, 3].map(i => `${harmful},${i * 100},${harmful},${harmful}`)),
  }
}

test('archives without threads, with one event, with long names and names of HTML: each page works, and no name runs', async () => {
  for (const [name, archive] of Object.entries(oddArchives())) {
    const file = join(directory, 'odd.html')
    heddle('report', '-o', file, archive)
    const page = await open(file, '#overview', {})
    const offered = await page.locator('nav.pages a').evaluateAll(links => links.map(link => link.hash.slice(1)))
    assert.ok(offered.includes('timeline') && offered.includes('words'), `${name}: ${offered}`)
    for (const id of offered) {
      await go(page, id)
      await settled(page)
      const text = await page.locator(`main > .page-${id}`).innerText()
      assert.ok(text.length > 10 && !/undefined|NaN|\[object/.test(text), `${name}: ${id} says ${text.slice(0, 200)}`)
    }
    assert.equal(await page.evaluate(() => window.harmed), undefined, name)
    assert.equal(await page.locator('main img, main script').count(), 0, name)
    await close(page)
  }
})

test('every page of a real report is drawn', async () => {
  for (const name of ['lu', 'both']) {
    const page = await open(join(directory, `${name}.html`))
    await allPages(page, name, name === 'both' ? ['compare', 'timeline', 'imbalance'] : PAGES)
    await close(page)
  }
})

test('figures on the page are those of heddle states --json and heddle imbalance --json', async () => {
  const states = JSON.parse(heddle('states', '--json', trace('lu')))
  const imbalance = JSON.parse(heddle('imbalance', '--json', trace('lu')))
  const page = await open(join(directory, 'lu.html'), '#states')
  const csv = await copied(page, page.locator('.page-states .table').first())
  const threads = states.threads.filter(({ thread }) => typeof thread === 'number')
  for (const [title, key] of [['lifetime', 'lifetime'], ['RUN', 'run'], ['SYNCH', 'synch']]) {
    const column = csv[0].indexOf(`${title} (ticks)`)
    const is = new Map(csv.slice(1).map(line => [line[0], Number(line[column])]))
    for (const thread of threads) assert.equal(is.get(String(thread.thread)), thread[key].ticks, `${title} of thread ${thread.thread}`)
  }
  await go(page, 'imbalance')
  const constructs = await copied(page, page.locator('.page-imbalance .table').first())
  const time = constructs[0].indexOf('elapsed (ticks)')
  imbalance.constructs.forEach(({ construct, time: { ticks } }, i) => {
    assert.equal(constructs[i + 1][0], construct)
    assert.equal(Number(constructs[i + 1][time]), ticks)
  })
  await close(page)
})

test('curves offer what can be counted, and count the program’s events', { skip: existsSync(join(PROGRAMS, 'user', 'events')) ? false : 'the program was not built' }, async () => {
  heddle('record', '-o', trace('user'), '--', join(PROGRAMS, 'user', 'events'), 'sequence')
  heddle('report', '-o', join(directory, 'user.html'), trace('user'))
  const page = await open(join(directory, 'user.html'), '#curves')
  await page.waitForSelector('.page-curves .plot')
  const info = JSON.parse(heddle('states', '--by', 'region', '--json', trace('user')))
  const what = page.getByLabel('curve A: what')
  await page.getByLabel('curve A: thread').selectOption('')
  const label = () => page.locator('.page-curves .plot').getAttribute('aria-label')
  const offered = await what.locator('option').evaluateAll(list => list.map(({ value, textContent }) => [value, textContent]))
  const regions = offered.filter(([value]) => /^r\d/.test(value))
  assert.ok(regions.length > 2)
  for (const [value, name] of regions) {
    await what.selectOption(value)
    await settled(page)
    const counted = Number(/A ends at ([\d.]+)/.exec(await label())[1])
    assert.ok(counted > 0, `${name} is offered and counted 0 times`)
    const row = info.constructs.find(({ construct }) => construct === name)
    if (row && regions.filter(([, other]) => other === name).length === 1) assert.equal(counted, row.executions, name)
  }
  await close(page)
})

test('each thread’s line is as long as its lifetime, and its list adds up to it', async () => {
  const page = await open(join(directory, 'lu.html'), '#timeline')
  const { ticksPerPixel, width } = await view(page)
  const locations = await page.evaluate(() => window.heddle.bundle.runs[0].timeline.locations.map(({ begin, end }) => ({ begin, end })))
  for (const [i, { begin, end }] of locations.entries()) {
    const pieces = await page.evaluate(location => window.heddle.drawn(location), i)
    assert.equal(pieces.reduce((sum, { x0, x1 }) => sum + x1 - x0, 0), Math.min(width, Math.floor(end / ticksPerPixel)) - Math.floor(begin / ticksPerPixel))
  }
  await page.locator('.name:visible').first().click()
  await page.waitForSelector('.list-row')
  await page.locator('.list-body').focus()
  const states = JSON.parse(heddle('states', '--json', trace('lu')))
  const lifetime = `${(states.threads[0].lifetime.seconds * 1e6).toFixed(3)} µs`
  // The click selects a row, too, when its block has come.
  let sum
  for (let i = 0; i < 50 && sum !== lifetime; i++) {
    await page.locator('.list-body').focus()
    await page.keyboard.press('End')
    await page.waitForTimeout(50)
    sum = plain(await page.locator('.list-row.selected span').nth(4).innerText().catch(() => ''))
  }
  assert.equal(sum, lifetime)
  await close(page)
})

/** Starts `heddle view` and gives the address that it prints. */
function serve() {
  const server = spawn(HEDDLE, ['view', trace('lu')], { env: environment, stdio: ['ignore', 'pipe', 'pipe'] })
  return new Promise((resolve, reject) => {
    let text = ''
    const read = data => {
      text += data
      const address = /http:\/\/\S+/.exec(text)?.[0]
      if (address) resolve({ server, address })
    }
    server.stdout.on('data', read)
    server.stderr.on('data', read)
    server.on('exit', status => reject(new Error(`heddle view ended with ${status}: ${text}`)))
  })
}

const hasView = HEDDLE !== undefined && (() => {
  try {
    heddle('view', '--help')
    return true
  } catch {
    return false
  }
})()

test('heddle view serves the same page', { skip: hasView ? false : 'this heddle has no view' }, async () => {
  const { server, address } = await serve()
  try {
    const file = await open(join(directory, 'lu.html'), '#timeline')
    const page = await open(address, '#timeline')
    for (const location of [0, 1]) {
      const [a, b] = await Promise.all([file, page].map(async one => {
        await until(one, l => window.heddle.drawn(l).length > 0, location)
        await settled(one)
        // Codes are numbered as threads first need them: what they mean is the same.
        const codes = await one.evaluate(() => window.heddle.bundle.runs[0].timeline.codes)
        return (await one.evaluate(l => window.heddle.drawn(l), location)).map(piece => ({ ...piece, code: codes[piece.code] }))
      }))
      assert.deepEqual(b, a)
    }
    await close(page)
    await close(file)
  } finally {
    server.removeAllListeners('exit')
    server.kill()
  }
})

test('a profile is shown without pages that need events, with the figures of heddle profile --json', async () => {
  heddle('record', '--profile', '-o', trace('sums'), '--', join(PROGRAMS, 'waits'))
  heddle('report', '-o', join(directory, 'sums.html'), trace('sums'))
  const page = await open(join(directory, 'sums.html'))
  assert.deepEqual(await page.locator('nav.pages a').allInnerTexts(), ['Overview', 'Why', 'States', 'Constructs', 'Imbalance', 'Locks', 'Words', 'Log'])
  await allPages(page, 'sums', ['overview', 'why', 'states', 'profile', 'imbalance', 'locks', 'log'])
  await go(page, 'overview')
  assert.match(await page.locator('.page-overview .notes').innerText(), /record without --profile/)
  const { rows } = JSON.parse(heddle('profile', '--json', trace('sums')))
  await go(page, 'profile')
  const [head, ...cells] = await copied(page, page.locator('.page-profile .table').first())
  const self = head.indexOf('self (all threads) (ticks)')
  assert.deepEqual(cells.map(row => [row[0], Number(row[self])]), rows.map(row => [row.construct, row.self.ticks]))
  // Its durations add up to the executions of the row that is picked.
  const shown = (await page.locator('.page-profile .bars .number').allInnerTexts()).map(text => Number(plain(text)))
  assert.equal(shown.reduce((a, b) => a + b, 0), rows[0].executions)
  await close(page)
})
