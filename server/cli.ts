import { openFilesProblem, reasonOf } from './open-files.ts'

/**
 * Runs the service without a window (`npm run serve`).
 * @throws Error with the reason why it does not start
 */
async function main(): Promise<void> {
  const [argument] = process.argv.slice(2)
  if (argument !== undefined) {
    throw new Error(
      `Unknown argument "${argument}". Environment variables set up the service (docs/configuration.md), for example PORT=9000.`,
    )
  }
  const reason = openFilesProblem()
  if (reason !== null) throw new Error(reason)
  // Import after the check, because loading the modules already needs more open files than a low limit
  // allows.
  const { serve } = await import('./serve.ts')
  await serve()
}

main().catch((error: unknown) => {
  process.stderr.write(`${reasonOf(error)}\n`)
  process.exit(1)
})
