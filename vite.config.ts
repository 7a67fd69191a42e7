import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig, type HtmlTagDescriptor, type Plugin } from 'vite'
import { contractForConsole } from './scripts/lib/build/contract-for-console.mjs'
import { zodWithoutJsonSchema } from './scripts/lib/build/zod-without-json-schema.mjs'
import { shippedLicences } from './scripts/lib/licences.mjs'

const service = process.env['PROMPTDECK_URL'] ?? 'http://127.0.0.1:4780'

const root = fileURLToPath(new URL('.', import.meta.url)).replace(/[\\/]$/, '')
const licencesFile = 'licences.json'

/** Adds a file with the licences of everything that ships. The settings page fetches it on demand. */
const licences = (): Plugin => ({
  name: 'licences',
  generateBundle() {
    const source = JSON.stringify({ data: shippedLicences(root) })
    this.emitFile({ type: 'asset', fileName: licencesFile, source })
  },
  configureServer(server) {
    server.middlewares.use(`/${licencesFile}`, (_req, res) => {
      res.setHeader('content-type', 'application/json')
      res.end(JSON.stringify({ data: shippedLicences(root) }))
    })
  },
})

/** Modules that are imported dynamically but needed on every page, so index.html preloads them. */
const early = ['/app/console.tsx', '/app/shell/Shell.tsx']

/** Adds preload links for the `early` modules and their imports to index.html. */
const preloads = (): Plugin => ({
  name: 'preloads',
  transformIndexHtml: {
    order: 'post',
    handler(html, { bundle = {} }) {
      const chunks = Object.values(bundle).filter((file) => file.type === 'chunk')
      const named = new Set<string>()
      const styles = new Set<string>()
      const name = (fileName: string): void => {
        const chunk = chunks.find((one) => one.fileName === fileName)
        if (chunk === undefined || named.has(fileName)) return
        named.add(fileName)
        for (const style of chunk.viteMetadata?.importedCss ?? []) styles.add(style)
        for (const imported of chunk.imports) name(imported)
      }
      for (const module of early) {
        const chunk = chunks.find(({ moduleIds }) => moduleIds.some((id) => id.endsWith(module)))
        if (chunk === undefined && chunks.length > 0)
          throw new Error(`vite.config.ts names ${module}: no such file`)
        if (chunk !== undefined) name(chunk.fileName)
      }
      const isNew = (fileName: string): boolean => !html.includes(`/${fileName}"`)
      const link = (rel: string, fileName: string): HtmlTagDescriptor => ({
        tag: 'link',
        attrs: { rel, crossorigin: true, href: `./${fileName}` },
        injectTo: 'head',
      })
      return [
        ...[...named].filter(isNew).map((fileName) => link('modulepreload', fileName)),
        ...[...styles].filter(isNew).map((fileName) => link('stylesheet', fileName)),
      ]
    },
  },
})

/** Builds the console into dist/renderer. The service serves it with a CSP that forbids inline scripts. */
export default defineConfig({
  root: fileURLToPath(new URL('./renderer', import.meta.url)),
  // The service puts its base path in front of the addresses of the page.
  base: './',
  plugins: [react(), contractForConsole(root), zodWithoutJsonSchema(), licences(), preloads()],
  worker: { format: 'es' },
  build: {
    outDir: fileURLToPath(new URL('./dist/renderer', import.meta.url)),
    emptyOutDir: true,
    target: 'es2023',
    // The CSP forbids data: URIs, so each asset is a file.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'react', test: /node_modules\/(react|react-dom|scheduler)\//, priority: 5 },
            // The steps that main.tsx evaluates one after the other.
            { name: 'contract', test: /node_modules\/zod\/|\/contract\/|vite\/preload-helper/, priority: 5 },
            {
              name: 'core',
              test: /node_modules\/@tanstack\/|\/renderer\/lib\/service\/api\.ts/,
              priority: 4,
            },
            { name: 'theme', test: /\/renderer\/app\/theme\.ts/, priority: 3 },
            { name: 'console', test: /\/renderer\/app\/console\.tsx/, priority: 2.5 },
            // The frame of all pages: one file instead of thirty.
            { name: 'frame', test: /\/renderer\/app\/shell\/Shell\.tsx/, priority: 2 },
            // Modules that several pages share: one file instead of forty. Other modules load with their page.
            { name: 'parts', minShareCount: 4, priority: 1 },
            // Modules that two or three pages share, by the pages that load them, not in files of a few bytes.
            {
              name: 'shared',
              minShareCount: 2,
              entriesAware: true,
              entriesAwareMergeThreshold: 20_000,
            },
          ],
        },
      },
    },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 900,
  },
  server: {
    port: 4781,
    strictPort: false,
    proxy: {
      '/api': service,
      '/health': service,
      '/ws': { target: service, ws: true },
    },
  },
})
