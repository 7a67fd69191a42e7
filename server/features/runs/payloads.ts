import { dirname, join } from 'node:path'
import { syncFolderSoon } from '../../disk/durable.ts'
import { type FileHandle, mkdir, open, readdir, stat, unlink } from '../../disk/promises.ts'
import { dayMs } from './calendar.ts'
import type { RunSettings } from './intake.ts'

export type Payload = { readonly input: unknown; readonly output: string | null }
/**
 * A payload with its owner: the run, execution or step. The owner is stored in the line and compared when it
 * is read.
 */
export type OwnedPayload = Payload & { readonly owner: string }
export type PayloadPlace = { readonly day: number; readonly offset: number; readonly length: number }

/**
 * Captured input and output: one append-only file per day outside the database. A run's row contains the
 * location of its line. Kept outside because payloads would fill the in-memory database.
 */
export type Payloads = {
  /**
   * Appends and syncs. Returns null for a payload that was not stored because it or the folder is too large.
   */
  append(at: Date, payloads: readonly OwnedPayload[]): Promise<(PayloadPlace | null)[]>
  /** Returns null if the day was removed, or if the line belongs to none of `owners`. */
  read(place: PayloadPlace, owners: readonly string[]): Promise<Payload | null>
  /** Removes days past retention, and the oldest days while the folder is too large. */
  prune(now: Date): Promise<void>
  close(): Promise<void>
}

export type PayloadLimits = {
  readonly days: number
  readonly totalBytes: number
  readonly payloadBytes: number
}
const mib = 1024 * 1024

/** Returns the limits of the payload folder. No payload outlives its run. */
export const payloadLimitsOf = (settings: RunSettings): PayloadLimits => ({
  days: Math.min(settings.payloadRetentionDays, settings.runRetentionDays),
  totalBytes: settings.payloadMaxMb * mib,
  payloadBytes: mib,
})

const dayOf = (at: Date): number => Math.floor(at.getTime() / dayMs)
const fileOf = (day: number): string => `${new Date(day * dayMs).toISOString().slice(0, 10)}.log`
const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT'

export function createPayloads(folder: string, limitsNow: () => PayloadLimits): Payloads {
  let current: { day: number; file: FileHandle; size: number } | null = null
  let turn: Promise<unknown> = Promise.resolve()
  let totalBytes: number | null = null

  /** Runs one operation at a time, because offsets depend on the order. */
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const result = turn.then(work, work)
    turn = result.catch(() => undefined)
    return result
  }

  async function listed(): Promise<{ day: number; path: string; size: number }[]> {
    const names = await readdir(folder).catch((error: unknown) => {
      if (isMissing(error)) return []
      throw error
    })
    const files = []
    for (const name of names) {
      if (!/^\d{4}-\d{2}-\d{2}\.log$/.test(name)) continue
      const path = join(folder, name)
      files.push({ day: Date.parse(name.slice(0, 10)) / dayMs, path, size: (await stat(path)).size })
    }
    return files.sort((a, b) => a.day - b.day)
  }

  async function fileFor(day: number) {
    if (current?.day === day) return current
    await current?.file.close()
    current = null
    const made = await mkdir(folder, { recursive: true, mode: 0o700 })
    if (made !== undefined) await syncFolderSoon(dirname(made))
    const file = await open(join(folder, fileOf(day)), 'a', 0o600)
    try {
      const { size } = await file.stat()
      // Before a row refers to the file: syncing the file alone does not make its name durable.
      if (size === 0) await syncFolderSoon(folder)
      current = { day, file, size }
    } catch (error) {
      await file.close()
      throw error
    }
    return current
  }

  return {
    append: (at, payloads) =>
      inTurn(async () => {
        const day = dayOf(at)
        const limits = limitsNow()
        const into = await fileFor(day)
        totalBytes ??= (await listed()).reduce((sum, { size }) => sum + size, 0)
        const lines: Buffer[] = []
        let offset = into.size
        const places = payloads.map((payload): PayloadPlace | null => {
          const line = Buffer.from(`${JSON.stringify(payload)}\n`)
          const added = offset - into.size
          if (
            line.length > limits.payloadBytes ||
            (totalBytes ?? 0) + added + line.length > limits.totalBytes
          ) {
            return null
          }
          const place = { day, offset, length: line.length }
          lines.push(line)
          offset += line.length
          return place
        })
        if (lines.length > 0) {
          try {
            const { bytesWritten } = await into.file.writev(lines)
            if (bytesWritten !== offset - into.size) throw new Error('The payload file took only a part')
            await into.file.datasync()
            if ((await into.file.stat()).size !== offset)
              throw new Error('Another process wrote to the payload file')
          } catch (error) {
            // The position of the next line is unknown, so the file must be opened again.
            await into.file.close()
            current = null
            throw error
          }
          totalBytes += offset - into.size
          into.size = offset
        }
        return places
      }),

    async read({ day, offset, length }, owners) {
      let file: FileHandle
      try {
        file = await open(join(folder, fileOf(day)), 'r')
      } catch (error) {
        if (isMissing(error)) return null
        throw error
      }
      try {
        const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, offset)
        if (bytesRead !== length) return null
        return parsed(buffer.toString('utf8'), owners)
      } finally {
        await file.close()
      }
    },

    prune: (now) =>
      inTurn(async () => {
        const today = dayOf(now)
        const limits = limitsNow()
        const files = await listed()
        let rest = files.reduce((sum, { size }) => sum + size, 0)
        for (const { day, path, size } of files) {
          const isOld = day <= today - limits.days
          // Frees a tenth, so that capture does not alternate between on and off with every line.
          if (!isOld && !(rest > limits.totalBytes * 0.9 && day < today)) continue
          if (current?.day === day) {
            await current.file.close()
            current = null
          }
          await unlink(path)
          rest -= size
        }
        totalBytes = rest
      }),

    close: () =>
      inTurn(async () => {
        await current?.file.close()
        current = null
      }),
  }
}

/**
 * Parses a line. Returns null for the line of another owner or an incomplete line. Lines of version 0.1 have
 * no owner.
 */
function parsed(line: string, owners: readonly string[]): Payload | null {
  try {
    const value: unknown = JSON.parse(line)
    if (typeof value !== 'object' || value === null || !('input' in value) || !('output' in value))
      return null
    if ('owner' in value && !owners.some((owner) => owner === value.owner)) return null
    return { input: value.input, output: typeof value.output === 'string' ? value.output : null }
  } catch {
    return null
  }
}
