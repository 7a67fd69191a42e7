import { rmSync } from 'node:fs'
import { at } from '../root.mjs'

/**
 * Folder of the bundled programs of the service. Modules find the console and package.json relative to their
 * own file, so it must be as deep in dist/ as the folders of those modules are.
 */
export const bundleFolder = 'dist/bundle/service'

/** Command-line tools (`server/tools/<name>.ts`). */
export const tools = ['admin-recover', 'audit-verify', 'db-copy', 'promptdeck', 'recover', 'restore', 'seed']

/** Worker threads, as compiled files without their extension. */
export const workers = [
  'server/auth/passwords/passwords.worker',
  'server/calls/result/tokens.worker',
  'server/compose/jobs/jobs.worker',
  'server/db/engines/sqljs/journal/journal.worker',
  'server/db/engines/sqljs/snapshot/snapshot.worker',
  'server/features/runs/content/thread/content.worker',
]

/** All programs, as compiled files without their extension. */
const programs = [
  'server/cli',
  'main/service-host',
  ...tools.map((name) => `server/tools/${name}`),
  // The desktop app loads it into its main process.
  'server/tools/desktop/server-client',
  ...workers,
]

/**
 * Joins the modules of each program into few files, because loading 1,200 small files takes most of the start
 * time. Dynamically imported modules stay in files of their own. sql.js is not included,
 * because it finds its WASM file relative to its own.
 */
export async function bundlePrograms() {
  // Not at the top: scripts/ensure.mjs imports this file before packages are installed.
  const { build } = await import('rolldown')
  rmSync(at(bundleFolder), { recursive: true, force: true })
  await build({
    input: Object.fromEntries(
      programs.map((path) => [path.split('/').at(-1) ?? path, at(`dist/${path}.js`)]),
    ),
    platform: 'node',
    external: ['sql.js'],
    output: {
      dir: at(bundleFolder),
      format: 'esm',
      entryFileNames: '[name].js',
      chunkFileNames: '[name].js',
    },
    logLevel: 'warn',
  })
}
