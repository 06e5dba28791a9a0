// No two files of the page's sources need each other, directly or through others: types count, too.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const SOURCES = fileURLToPath(new URL('../src', import.meta.url))

function filesBelow(directory) {
  return readdirSync(directory).flatMap(name => {
    const path = join(directory, name)
    return statSync(path).isDirectory() ? filesBelow(path) : path.endsWith('.ts') ? [path] : []
  })
}

const imports = path => [...readFileSync(path, 'utf8').matchAll(/from '(\.[^']+)'/g)].map(([, name]) => `${join(dirname(path), name)}.ts`)

/** The first circle that is found, as a list of files; or null. */
function circle(needs) {
  const done = new Set()
  const visit = (file, way) => {
    if (way.includes(file)) return [...way.slice(way.indexOf(file)), file]
    if (done.has(file)) return null
    done.add(file)
    for (const next of needs.get(file) ?? []) {
      const found = visit(next, [...way, file])
      if (found) return found
    }
    return null
  }
  for (const file of needs.keys()) {
    const found = visit(file, [])
    if (found) return found
  }
  return null
}

test('a circle is found', () => {
  assert.deepEqual(circle(new Map([['a', ['b']], ['b', ['c', 'd']], ['c', []], ['d', ['b']]])), ['b', 'd', 'b'])
  assert.equal(circle(new Map([['a', ['b', 'c']], ['b', ['c']], ['c', []]])), null)
})

test('the page\u2019s files make no circle', () => {
  const files = filesBelow(SOURCES)
  assert.ok(files.length > 30)
  const found = circle(new Map(files.map(path => [path, imports(path)])))
  assert.equal(found, null, found?.map(path => relative(SOURCES, path)).join(' -> '))
})
