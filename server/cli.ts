import { fewFilesReason, reasonOf } from './open-files.ts'

/** `npm run serve`: the service without a window. */
async function main(): Promise<void> {
  const reason = fewFilesReason()
  if (reason !== null) throw new Error(reason)
  // Not before: loading the modules is what fails first.
  const { serve } = await import('./serve.ts')
  await serve()
}

main().catch((error: unknown) => {
  process.stderr.write(`${reasonOf(error)}\n`)
  process.exit(1)
})
