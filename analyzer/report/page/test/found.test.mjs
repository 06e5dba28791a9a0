// What somebody finds who has the page and a question, and nothing else: six planted problems, the worst execution of a construct, who held
// the lock in the longest wait, what changed between two runs. Each test takes the steps as they were taken:
//   problem      Why -> the largest reason (where other programs had the processors, the next one) -> the line below it, "where"
//   worst        that line -> the construct's page -> the first row of "The slowest" -> the timeline shows it, and its thread
//   longest wait Locks -> "Show the longest wait in the timeline" -> the line of status says who held the lock
//   two runs     the page begins with Compare -> the first cause that is more, with its place
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { close, go, open, settled, start, stop, until, view } from './harness.mjs'

const { HEDDLE, PROGRAMS } = process.env
/** What is planted, and the word of the reason on the page. */
const PROBLEMS = { critical: /too much synchronization/, 'imbalance-work': /unevenly/, barrier: /unevenly/, 'small-tasks': /too small/, io: /blocked in the kernel/, serial: /works alone/ }
/** Other programs may take the processors while the test runs: that is no problem of this program. */
const OF_OTHERS = /wait for a processor/
const ATTEMPTS = 4
let directory
const environment = { ...process.env, OMP_NUM_THREADS: '2' }
const run = (...args) => execFileSync(HEDDLE, args, { env: environment, stdio: ['ignore', 'pipe', 'ignore'], encoding: 'utf8' })
const trace = (name, attempt = 0) => join(directory, `${name}-${attempt}.heddle`)
const html = name => join(directory, `${name}.html`)

/** Records a program with a planted reason, and makes its page; the line of the reason, 0: it has none. */
function plant(reason, attempt) {
  const said = run('record', '-o', trace(reason, attempt), '--', join(PROGRAMS, 'planted'), '1', reason)
  run('report', '-o', html(`${reason}-${attempt}`), trace(reason, attempt))
  return Number(/line=(\d+)/.exec(said)?.[1] ?? 0)
}

before(async () => {
  directory = mkdtempSync(join(tmpdir(), 'heddle-found-'))
  await start()
})

after(async () => {
  await stop()
  rmSync(directory, { recursive: true, force: true })
})

/** The largest reason that is this program's: its text, and the lines below it. */
async function reason(page) {
  await go(page, 'why')
  const lines = await page.locator('.page-why .reasons').first().locator('.reason').evaluateAll(list => list.map(line => ({ kind: line.classList.contains('kind'), text: line.innerText })))
  const first = lines.findIndex(({ kind, text }) => kind && !OF_OTHERS.test(text))
  const end = lines.findIndex(({ kind }, i) => i > first && kind)
  return { first, text: lines[first]?.text ?? '', below: lines.slice(first + 1, end < 0 ? undefined : end).map(({ text }) => text).join('\n') }
}

for (const [problem, words] of Object.entries(PROBLEMS)) {
  test(`the page says what is wrong: ${problem}`, async () => {
    const said = []
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const line = plant(problem, attempt)
      const page = await open(html(`${problem}-${attempt}`), '#overview', {})
      const { text, below } = await reason(page)
      const right = words.test(text) && (line === 0 || below.includes(`planted.c:${line}`))
      await close(page)
      if (right) return
      said.push(`line ${line}: ${text}\n${below}`)
    }
    assert.fail(`${problem} is not found: ${said.join('\n')}`)
  })
}

test('the worst execution of a construct is three clicks away, with its thread', async () => {
  const line = plant('imbalance-work', 'worst')
  const page = await open(html('imbalance-work-worst'), '#overview', {})
  await go(page, 'constructs')
  await page.locator('.page-constructs .table').first().locator('tbody tr', { hasText: `for @planted.c:${line}` }).first().click()
  await page.waitForSelector('.slowest tbody tr')
  const [, thread] = await page.locator('.slowest tbody tr').first().locator('td').allInnerTexts()
  const longest = await page.locator('.slowest tbody tr td:last-child').first().evaluate(cell => Number(cell.title.replace(/\D/g, '')))
  await page.locator('.slowest tbody tr').first().click()
  await until(page, () => document.querySelector('main > .page-timeline')?.getClientRects().length > 0)
  await settled(page)
  const { begin, end, selected } = await view(page)
  assert.ok(end - begin >= longest && end - begin < 3 * longest, `${longest} ticks from ${begin} to ${end}`)
  assert.equal(await page.evaluate(at => window.heddle.bundle.runs[0].timeline.locations[at].name, selected.location), thread)
  await close(page)
})

test('the longest wait for a lock names who held it', async () => {
  plant('critical', 'held')
  const page = await open(html('critical-held'), '#overview', {})
  await go(page, 'locks')
  await page.locator('.page-locks button.plain').first().click()
  await until(page, () => document.querySelector('main > .page-timeline')?.getClientRects().length > 0)
  await settled(page)
  const [waiter, holder] = await page.evaluate(() => {
    const { arrows, locations } = window.heddle.bundle.runs[0].timeline
    const [, from, , to] = arrows.filter(([kind]) => kind === 'lock').sort((a, b) => (b[4] - b[6]) - (a[4] - a[6]))[0]
    return [locations[to].name, locations[from].name]
  })
  const said = await page.locator('.status').innerText()
  assert.ok(said.includes(waiter) && new RegExp(`held by ${holder}|${holder} held`).test(said), said)
  await close(page)
})

test('two runs begin with what changed, and where', async () => {
  for (let attempt = 0, said = ''; ; attempt++) {
    plant('none', `old-${attempt}`)
    const line = plant('io', `new-${attempt}`)
    run('report', '-o', html('changed'), trace('none', `old-${attempt}`), trace('io', `new-${attempt}`))
    const page = await open(html('changed'), '', {})
    assert.ok(await page.locator('main > .page-compare').isVisible())
    said = await page.locator('.because').innerText()
    await close(page)
    if (new RegExp(`^blocked: more by .*planted\\.c:${line}\\b`, 'm').test(said)) return
    assert.ok(attempt < ATTEMPTS, said)
  }
})
