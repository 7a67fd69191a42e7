import {
  closeSync,
  fstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  truncateSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'

export type LogFile = {
  readonly path: string
  /** Writes a line of the shell, preceded by the time. */
  write(line: string): void
  /** Writes the output of a stream, unchanged. */
  follow(stream: LogSource | null | undefined): void
}

type LogSource = { on(event: 'data', listener: (chunk: Uint8Array | string) => void): unknown }

export type LogOptions = {
  readonly folder: string
  readonly now: () => number
  readonly maxBytes?: number
  /** Maximum number of older files. */
  readonly maxOldFiles?: number
}

/**
 * A log of bounded size: a full file is renamed to `.1`, that one to `.2`, and the oldest is deleted. Writes
 * are synchronous, so that the last lines before a crash are present. Write errors are ignored: they must not
 * stop the app.
 */
export function createLogFile({ folder, now, maxBytes = 2_000_000, maxOldFiles = 3 }: LogOptions): LogFile {
  const path = join(folder, 'desktop.log')
  let file: number | null = null
  let size = 0

  const open = () => {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    file = openSync(path, 'a', 0o600)
    size = fstatSync(file).size
    return file
  }
  const rotate = () => {
    if (file !== null) closeSync(file)
    file = null
    try {
      rmSync(`${path}.${maxOldFiles}`, { force: true })
      for (let age = maxOldFiles - 1; age >= 1; age--) moveIfExists(`${path}.${age}`, `${path}.${age + 1}`)
      moveIfExists(path, `${path}.1`)
    } catch {
      // Another program may prevent the rename. The newest lines are more useful than those of this file.
      truncateSync(path)
    }
  }
  const append = (chunk: Uint8Array) => {
    try {
      const current = file ?? open()
      if (size > 0 && size + chunk.length > maxBytes) {
        rotate()
        append(chunk)
        return
      }
      // A chunk larger than a whole file is cut; its end is more useful than its beginning.
      size += writeSync(current, chunk.length > maxBytes ? chunk.subarray(-maxBytes) : chunk)
    } catch {
      // Ignored: a full disk or missing permission must not stop the app.
    }
  }
  const bytes = (text: Uint8Array | string) => (typeof text === 'string' ? Buffer.from(text) : text)

  return {
    path,
    write: (line) => append(bytes(`${new Date(now()).toISOString()} ${line}\n`)),
    follow: (stream) => void stream?.on('data', (chunk) => append(bytes(chunk))),
  }
}

function moveIfExists(from: string, to: string): void {
  try {
    renameSync(from, to)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
  }
}
