import type { AuditResource } from '../../../contract/system/audit.ts'
import type { Db } from '../../db/types.ts'
import type { History } from '../../history/history.ts'
import type { Context } from '../../lib/context.ts'
import type { Download } from '../../lib/download.ts'

type Item = Readonly<Record<string, unknown>>

/** Maximum number of items in memory at a time. */
const itemsPerChunk = 100

/** Reads resources in chunks, so that an export is never in memory as a whole. */
export async function* readInChunks<Row>(
  ids: readonly string[],
  read: (ids: readonly string[]) => Promise<readonly Row[]>,
): AsyncGenerator<Row> {
  for (let from = 0; from < ids.length; from += itemsPerChunk)
    yield* await read(ids.slice(from, from + itemsPerChunk))
}

/** Returns the file of an export, which is recorded in the audit log when it is opened. */
export function exportFile(
  { db, history }: { readonly db: Db; readonly history: Pick<History, 'record'> },
  ctx: Context,
  { noun, count, format }: { readonly noun: AuditResource; readonly count: number; readonly format: string },
  file: {
    readonly ending: string
    readonly contentType: string
    readonly chunks: AsyncIterable<string | Uint8Array>
  },
): Download {
  const { ending, contentType, chunks } = file
  return {
    filename: `${noun}s-${ctx.now.toISOString().slice(0, 10)}.${ending}`,
    contentType,
    async open() {
      // Record the export before the first byte, so that it is in the audit log even if it does not finish.
      await db.write(
        (tx) =>
          history.record(tx, ctx, {
            action: 'export',
            resource: noun,
            resourceId: null,
            key: null,
            summary: `Exported ${count} ${noun}s as ${format}`,
          }),
        { evenWhenFull: true },
      )
      return chunks
    },
  }
}

/** Writes an export as JSON, an item at a time. `opening` is the text before the list. */
export async function* writeJsonList(opening: string, items: AsyncIterable<Item>): AsyncGenerator<string> {
  yield `${opening}[`
  let separator = '\n'
  for await (const item of items) {
    yield separator + JSON.stringify(item, null, 2)
    separator = ',\n'
  }
  yield '\n]}\n'
}
