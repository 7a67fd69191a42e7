import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'
import { shippedLicences } from './scripts/lib/licences.mjs'

const service = process.env['PROMPTDECK_URL'] ?? 'http://127.0.0.1:4780'

const root = fileURLToPath(new URL('.', import.meta.url)).replace(/[\\/]$/, '')
const licencesFile = 'licences.json'

/** Puts the licences of all that ships beside the console; the settings page fetches them when asked. */
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

/** The console: built into dist/renderer and served by the service under a CSP without inline script. */
export default defineConfig({
  root: fileURLToPath(new URL('./renderer', import.meta.url)),
  base: '/',
  plugins: [react(), licences()],
  build: {
    outDir: fileURLToPath(new URL('./dist/renderer', import.meta.url)),
    emptyOutDir: true,
    target: 'es2023',
    // data: URIs are not in the CSP; every asset is a file of its own.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'react', test: /node_modules\/(react|react-dom|scheduler)\//, priority: 3 },
            { name: 'core', test: /node_modules\/(@tanstack|zod|i18next)\/|\/contract\//, priority: 2 },
            // What most pages share comes in one file instead of forty; the rest follows its page.
            { name: 'parts', minShareCount: 7, priority: 1 },
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
