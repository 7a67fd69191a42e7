import { closeSync, fstatSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'

export type LogFile = {
  readonly path: string
  /** A line of the shell's own, with the time before it. */
  say(line: string): void
  /** Keeps what a stream says, as it says it. */
  follow(stream: LogSource | null | undefined): void
}

type LogSource = { on(event: 'data', listener: (chunk: Uint8Array | string) => void): unknown }

export type LogOptions = {
  readonly folder: string
  readonly now: () => number
  readonly maxBytes?: number
  /** Older files that are kept beside the one being written. */
  readonly kept?: number
}

/**
 * A log of bounded size: when the file is full it becomes `.1`, that one `.2`, and the oldest goes. Written at once, so
 * that the last words before a crash are there. A log that cannot be written must not stop the app: then it is silent.
 */
export function createLogFile({ folder, now, maxBytes = 2_000_000, kept = 3 }: LogOptions): LogFile {
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
    rmSync(`${path}.${kept}`, { force: true })
    for (let age = kept - 1; age >= 1; age--) moveIfThere(`${path}.${age}`, `${path}.${age + 1}`)
    moveIfThere(path, `${path}.1`)
  }
  const write = (chunk: Uint8Array) => {
    try {
      const current = file ?? open()
      if (size > 0 && size + chunk.length > maxBytes) {
        rotate()
        write(chunk)
        return
      }
      // One piece larger than a whole file is cut: its end says more than its beginning.
      size += writeSync(current, chunk.length > maxBytes ? chunk.subarray(-maxBytes) : chunk)
    } catch {
      // A full disk, a folder without permission: see above.
    }
  }
  const bytes = (text: Uint8Array | string) => (typeof text === 'string' ? Buffer.from(text) : text)

  return {
    path,
    say: (line) => write(bytes(`${new Date(now()).toISOString()} ${line}\n`)),
    follow: (stream) => void stream?.on('data', (chunk) => write(bytes(chunk))),
  }
}

function moveIfThere(from: string, to: string): void {
  try {
    renameSync(from, to)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
  }
}
