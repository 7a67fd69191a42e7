import { dirname, join } from 'node:path'
import { syncFolderAsync } from '../../../disk/durable.ts'
import { type FileHandle, mkdir, open, readdir, stat, unlink } from '../../../disk/promises.ts'
import { isMissing } from '../../../lib/files/is-missing.ts'
import { dayName, dayOfName } from './objects/day-name.ts'

export type DayFile = { readonly day: number; readonly size: number }

/** The files of a folder, one per day. Days are counted since 1970. Calls that change files must not overlap. */
export type DayFiles = {
  /** Opens the file of a day for `append`. Returns its size. */
  open(day: number): Promise<number>
  /** Appends to the open file and syncs it. After an error the file must be opened again. */
  append(lines: readonly Buffer[]): Promise<void>
  /** Returns a part of a file; null if the file or the part does not exist. */
  read(day: number, offset: number, length: number): Promise<string | null>
  /** Returns the files, the oldest first. */
  list(): Promise<DayFile[]>
  /**
   * Returns the size of each file by day: at the last `list`, plus what was appended. Null before the first
   * `list`.
   */
  knownSizes(): ReadonlyMap<number, number> | null
  /** Returns the known sizes; lists the files the first time. */
  loadSizes(): Promise<ReadonlyMap<number, number>>
  remove(file: DayFile): Promise<void>
  close(): Promise<void>
}

export const dayFileName = (day: number): string => `${dayName(day)}.log`

type OpenFile = { readonly day: number; readonly file: FileHandle; readonly inode: number; size: number }

/** `onLost` receives the day of an open file that something else removed or replaced. */
export function createDayFiles(
  folder: string,
  onLost: (day: number) => Promise<void> = async () => {},
): DayFiles {
  let current: OpenFile | null = null
  let sizes: Map<number, number> | null = null

  async function close(): Promise<void> {
    await current?.file.close()
    current = null
  }

  async function list(): Promise<DayFile[]> {
    const files = await listFiles(folder)
    sizes = new Map(files.map(({ day, size }) => [day, size]))
    return files
  }

  return {
    async open(day) {
      const isOpen = current?.day === day
      // What is appended to a removed file is lost.
      if (isOpen && (await inodeAt(folder, day)) === current?.inode) return current.size
      await close()
      current = await openFile(folder, day)
      sizes?.set(day, current.size)
      if (isOpen) await onLost(day)
      return current.size
    },
    async append(lines) {
      if (current === null) throw new Error('No payload file is open')
      try {
        const end = await appendTo(current, lines)
        current.size = end
        sizes?.set(current.day, end)
      } catch (error) {
        // The position of the next line is unknown, so the file must be opened again.
        await close()
        throw error
      }
    },
    read: (day, offset, length) => readPart(join(folder, dayFileName(day)), offset, length),
    list,
    knownSizes: () => sizes,
    async loadSizes() {
      if (sizes === null) await list()
      return sizes ?? new Map()
    },
    async remove({ day }) {
      if (current?.day === day) await close()
      await unlink(join(folder, dayFileName(day)))
      sizes?.delete(day)
    },
    close,
  }
}

/** Returns the inode of the file of a day; null if it does not exist. */
const inodeAt = (folder: string, day: number): Promise<number | null> =>
  stat(join(folder, dayFileName(day))).then(
    ({ ino }) => ino,
    (error: unknown) => {
      if (isMissing(error)) return null
      throw error
    },
  )

async function openFile(folder: string, day: number): Promise<OpenFile> {
  const created = await mkdir(folder, { recursive: true, mode: 0o700 })
  if (created !== undefined) await syncFolderAsync(dirname(created))
  const file = await open(join(folder, dayFileName(day)), 'a', 0o600)
  try {
    const { size, ino: inode } = await file.stat()
    // Sync the folder before a row refers to the file: syncing the file alone does not make its name durable.
    if (size === 0) await syncFolderAsync(folder)
    return { day, file, inode, size }
  } catch (error) {
    await file.close()
    throw error
  }
}

/** Returns the size of the file after the lines. */
async function appendTo({ file, size }: OpenFile, lines: readonly Buffer[]): Promise<number> {
  const added = lines.reduce((sum, { length }) => sum + length, 0)
  const { bytesWritten } = await file.writev([...lines])
  // A disk that becomes full writes a part. Writing the rest throws its error.
  if (bytesWritten < added) await file.appendFile(Buffer.concat(lines).subarray(bytesWritten))
  await file.datasync()
  if ((await file.stat()).size !== size + added) throw new Error('Another process wrote to the payload file')
  return size + added
}

async function readPart(path: string, offset: number, length: number): Promise<string | null> {
  let file: FileHandle
  try {
    file = await open(path, 'r')
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, offset)
    return bytesRead === length ? buffer.toString('utf8') : null
  } finally {
    await file.close()
  }
}

async function listFiles(folder: string): Promise<DayFile[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (isMissing(error)) return []
    throw error
  })
  const files = []
  for (const name of names) {
    const day = name.endsWith('.log') ? dayOfName(name.slice(0, -4)) : null
    if (day !== null) files.push({ day, size: (await stat(join(folder, name))).size })
  }
  return files.sort((a, b) => a.day - b.day)
}
