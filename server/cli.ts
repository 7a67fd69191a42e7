import { openFilesProblem, reasonOf } from './open-files.ts'

/** Runs the service without a window (`npm run serve`). */
async function main(): Promise<void> {
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
