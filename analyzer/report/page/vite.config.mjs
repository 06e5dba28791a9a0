// One file without any reference to another: script and style stand in the page, and the page says by their hashes that nothing else may run.
import { createHash } from 'node:crypto'
import { defineConfig } from 'vite'
import { viteSingleFile } from 'vite-plugin-singlefile'

const hash = text => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

function contentSecurityPolicy() {
  return {
    name: 'content-security-policy',
    enforce: 'post',
    generateBundle: {
      order: 'post',
      handler(_, files) {
        for (const file of Object.values(files)) {
          if (!file.fileName.endsWith('.html')) continue
          const inside = element =>
            [...file.source.matchAll(new RegExp(`<${element}(?:\\s[^>]*)?>([^]*?)</${element}>`, 'g'))].map(found => hash(found[1])).join(' ')
          const policy = [
            "default-src 'none'",
            `script-src ${inside('script')}`,
            `style-src ${inside('style')}`,
            'img-src data:',
            "connect-src 'self'",
            "base-uri 'none'",
            "form-action 'none'",
          ].join('; ')
          file.source = file.source.replace('@CSP@', () => policy)
        }
      },
    },
  }
}

export default defineConfig({
  plugins: [viteSingleFile({ removeViteModuleLoader: true }), contentSecurityPolicy()],
  build: { target: 'es2022', license: false, reportCompressedSize: false, outDir: 'dist' },
})
