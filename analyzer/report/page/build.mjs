// Makes ../page.html, ../live.html and ../sequences.html, or all in the directory that is named: files without any reference to another. Script and style stand
// in the page, and the page says by their hashes that nothing else may run.
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'

async function make(template, entry, to) {
  const made = await build({ entryPoints: [entry], bundle: true, minify: true, format: 'esm', target: 'es2022', charset: 'utf8', legalComments: 'none',
    outdir: 'out', write: false, logLevel: 'warning' })
  const text = kind => made.outputFiles.find(file => file.path.endsWith(kind)).text.trim()
  // Neither may end the element that it stands in.
  const script = text('.js').replaceAll('</script', '<\\/script')
  const style = text('.css').replaceAll('</style', '<\\/style')
  const hash = inside => `'sha256-${createHash('sha256').update(inside).digest('base64')}'`
  const policy = ["default-src 'none'", `script-src ${hash(script)}`, `style-src ${hash(style)}`, 'img-src data:', "connect-src 'self'", "base-uri 'none'", "form-action 'none'"]
  const page = readFileSync(template, 'utf8')
    .replace('@LICENCES@', () => readFileSync('licences.txt', 'utf8'))
    .replace('@CSP@', () => policy.join('; '))
    .replace(`<script type="module" src="/${entry}"></script>`, () => `<style>${style}</style>\n<script type="module">${script}</script>`)
  writeFileSync(to, page)
}

const directory = process.argv[2] ?? '..'
await make('index.html', 'src/main.ts', join(directory, 'page.html'))
await make('live.html', 'src/live/main.ts', join(directory, 'live.html'))
await make('sequences.html', 'src/sequences/main.ts', join(directory, 'sequences.html'))
