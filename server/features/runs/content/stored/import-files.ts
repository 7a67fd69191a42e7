import { join } from 'node:path'
import type { Db } from '../../../../db/types.ts'
import { createDayFiles, dayFileName } from '../../payloads/day-files.ts'
import type { Payload } from '../../payloads/payload-line.ts'
import { type NewPayload, payloadStore } from '../../payloads/stored/payloads.store.ts'
import { refOf } from '../day/day-index.ts'
import { type PayloadLine, readLines } from '../day/payload-lines.ts'
import { createRowsOf } from '../rows-of-lines.ts'
import type { Key, Range } from '../segment/format.ts'

type Deps = {
  readonly db: Db
  readonly folder: string
  readonly termsOf: (payload: Payload) => readonly string[]
  readonly onError: (error: unknown) => void
}

/**
 * Copies payload files into the database, at their offsets: those of a data folder whose store was copied, and those of
 * a version that stored them beside the database. An interrupted import continues. The files remain.
 */
export async function importPayloadFiles({ db, folder, termsOf, onError }: Deps): Promise<void> {
  const known = new Map((await payloadStore.days(db.read)).map((each) => [each.day, each.imported]))
  for (const { day, size } of await createDayFiles(folder).list()) {
    // An instance created this day without an import, so the offsets in the file are in use.
    if (known.get(day) === 0) {
      onError(new Error(`${dayFileName(day)} was not imported: the database has other payloads of this day`))
      continue
    }
    const range = { from: known.get(day) ?? 0, to: size }
    await importDay({ db, file: join(folder, dayFileName(day)), day, range, termsOf })
  }
}

type Day = Pick<Deps, 'db' | 'termsOf'> & {
  readonly file: string
  readonly day: number
  readonly range: Range
}

async function importDay({ db, termsOf, file, day, range }: Day): Promise<void> {
  const rowsOf = createRowsOf(db.read)
  for (let from = range.from; from < range.to; ) {
    const { lines, to } = readLines(file, { from, to: range.to })
    const runs = await rowsOf(day, lines.flatMap(refOf))
    const rows = lines.map((line) => rowOf(day, line, runs.get(line.offset), termsOf))
    await db.write(
      async ({ q }) => {
        await payloadStore.addDay(q, day, range.to)
        await payloadStore.insert(q, rows)
        await payloadStore.setImported(q, day, to)
      },
      { evenWhenFull: true, isLong: true },
    )
    from = to
  }
}

const rowOf = (
  day: number,
  line: PayloadLine,
  run: Key | undefined,
  termsOf: Deps['termsOf'],
): NewPayload => ({
  day,
  start: line.offset,
  length: line.length,
  line: line.text,
  object: null,
  object_start: null,
  run_id: run?.id ?? null,
  run_at: run?.created_at ?? null,
  terms: run === undefined ? null : termsOf(line),
})
