import type { IncomingMessage } from 'node:http'
import { dirname } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { Argument, Command } from 'commander'
import { z } from 'zod'
import { exportFormats } from '../../../../contract/common/fields.ts'
import { transferFormats } from '../../../../contract/prompts/prompt-transfer.ts'
import { syncFolderAsync, temporaryOf } from '../../../disk/durable.ts'
import { existsSync, rmSync } from '../../../disk/fs.ts'
import { open as openFile, rename } from '../../../disk/promises.ts'
import { messageOf } from '../../../lib/text/message-of.ts'
import { isIdShaped } from '../../../lib/text/slugs.ts'
import { beforeSignals } from '../../lib/before-signals.ts'
import { findService, type ServiceOptions } from '../connection/find-service.ts'
import { call, open, takesLong } from '../connection/service.ts'
import type { CommandContext } from '../io/command-context.ts'
import { Failure } from '../io/failure.ts'
import { withExamples, withService } from './options.ts'

type Options = ServiceOptions & {
  readonly format?: string
  readonly from?: string
  readonly to?: string
  readonly workspace?: string
  readonly output?: string
}

/** `export`: runs, audit entries or prompts as a file. The service validates format and filters. */
export function exportCommand(context: CommandContext): Command {
  const command = new Command('export')
    .description(
      `Export runs or audit entries (${exportFormats.join(', ')}), or prompts (${transferFormats.join(', ')}).`,
    )
    .addArgument(new Argument('<what>', 'what to export').choices(['runs', 'audit', 'prompts']))
    .option('--format <format>', 'format of the file (default: csv, for prompts json)')
    .option('--from <time>', 'only from this time on (ISO 8601)')
    .option('--to <time>', 'only before this time (ISO 8601)')
    .option('--workspace <slug>', 'only this workspace')
    .option('--output <file>', 'write to this new file instead of stdout')
    .action(async (what: string, options: Options) => {
      const service = await findService(options, context)
      const { workspace } = options
      // An unknown workspace would be an empty export. An ID may be that of a deleted one.
      if (workspace !== undefined && !isIdShaped(workspace))
        await call(service, 'GET', `/api/workspaces/${encodeURIComponent(workspace)}`, z.unknown())
      const reply = await open(service, 'GET', `/api/${what}/export${queryOf(options)}`, takesLong)
      await write(reply, options.output, context)
    })
  return withExamples(
    withService(command),
    'promptdeck export runs --format jsonl --from 2026-11-01T00:00:00Z --output runs.jsonl',
    'promptdeck export prompts --workspace support > prompts.json',
  )
}

function queryOf({ format, from, to, workspace }: Options): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries({ format, from, to, workspace })) {
    if (value !== undefined) query.set(name, value)
  }
  return query.size === 0 ? '' : `?${query}`
}

async function write(
  reply: IncomingMessage,
  file: string | undefined,
  { out }: CommandContext,
): Promise<void> {
  try {
    await (file === undefined ? pipeline(reply, out, { end: false }) : writeFile(file, reply))
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    // A reader that needs no more, such as `head`, ends the export.
    if (file === undefined && code === 'EPIPE') return
    throw new Failure(
      `The export could not be written to ${file ?? 'stdout'}`,
      messageOf(error),
      code === 'ECONNRESET'
        ? 'Check that the service runs, and export again'
        : 'Choose a new file in a writable folder with free space',
      { cause: error },
    )
  }
}

/**
 * Writes a file that only this user can read. Does not replace one. The file gets its name when it is complete, so that
 * an interrupted export is not taken for a whole one.
 */
async function writeFile(file: string, content: AsyncIterable<unknown>): Promise<void> {
  const refuseExisting = (): void => {
    if (existsSync(file)) throw new Error(`${file} exists`)
  }
  refuseExisting()
  const temporary = temporaryOf(file)
  const remove = (): void => rmSync(temporary, { force: true })
  const stop = beforeSignals(remove)
  try {
    const handle = await openFile(temporary, 'wx', 0o600)
    try {
      for await (const chunk of content) await handle.appendFile(chunk as Buffer)
      await handle.sync()
    } finally {
      await handle.close()
    }
    refuseExisting()
    await rename(temporary, file)
    await syncFolderAsync(dirname(file))
  } finally {
    remove()
    stop()
  }
}
