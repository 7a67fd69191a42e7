import { createHash, randomUUID } from 'node:crypto'
import { chmod, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { messageOf } from '../core/errors.ts'
import type { Settings } from '../core/options.ts'
import type { Disk } from '../core/platform.ts'
import type { Env } from '../core/target.ts'
import type { ServedPrompt } from '../core/types.ts'
import { addedMembers, isServedPrompt } from '../http/served.ts'

const hash = (text: string): string => createHash('sha256').update(text).digest('hex')

/** Returns the user's cache folder on the given system. */
function defaultCacheDir(env: Env, system: NodeJS.Platform = process.platform): string {
  if (system === 'win32')
    return join(env['LOCALAPPDATA'] ?? join(homedir(), 'AppData', 'Local'), 'promptdeck')
  const home = env['HOME'] || homedir()
  if (system === 'darwin') return join(home, 'Library', 'Caches', 'promptdeck')
  return join(env['XDG_CACHE_HOME'] || join(home, '.cache'), 'promptdeck')
}

/** A prompt with its checksum, so that a damaged copy is not served. */
type Copy = { readonly sha256: string; readonly prompt: ServedPrompt }

function readCopy(text: string, key: string): ServedPrompt | null {
  const copy = JSON.parse(text) as Copy | null
  const prompt: unknown = copy?.prompt
  if (!isServedPrompt(prompt) || prompt.key !== key) return null
  return hash(JSON.stringify(prompt)) === copy?.sha256 ? { ...prompt, ...addedMembers(prompt) } : null
}

/**
 * A cache with one file per key, in a folder per service, workspace and namespace. Operations run in order.
 */
export function openDisk(settings: Settings, onUnwritable: (reason: string) => void): Disk {
  const { server, workspace, namespace, cacheDir, env } = settings
  const folder = join(
    cacheDir ?? defaultCacheDir(env),
    hash(JSON.stringify([server, workspace, namespace])).slice(0, 32),
  )
  // Keys may be long, differ only in case, or contain characters that are special to a file system.
  const fileOf = (key: string): string => join(folder, `${hash(key).slice(0, 32)}.json`)
  let isReported = false
  let last: Promise<unknown> = Promise.resolve()

  const enqueue = <Result>(work: () => Promise<Result>, otherwise: Result): Promise<Result> => {
    const result = last.then(work).catch((error: NodeJS.ErrnoException) => {
      // A missing copy is normal; one that is no valid JSON counts as missing.
      if (error.code !== 'ENOENT' && !(error instanceof SyntaxError)) reportOnce(error)
      return otherwise
    })
    last = result
    return result
  }
  const reportOnce = (error: unknown): void => {
    if (isReported) return
    isReported = true
    onUnwritable(messageOf(error))
  }

  return {
    read: (key) => enqueue(async () => readCopy(await readFile(fileOf(key), 'utf8'), key), null),
    write: (prompt) =>
      enqueue(async () => {
        const file = fileOf(prompt.key)
        const temporary = `${file}.${randomUUID()}.tmp`
        const copy: Copy = { sha256: hash(JSON.stringify(prompt)), prompt }
        try {
          if ((await mkdir(folder, { recursive: true, mode: 0o700 })) !== undefined)
            await chmod(folder, 0o700)
          await writeFile(temporary, JSON.stringify(copy), { mode: 0o600, flag: 'wx' })
          await rename(temporary, file)
        } catch (error) {
          await rm(temporary, { force: true }).catch(reportOnce)
          reportOnce(error)
        }
      }, undefined),
    remove: (key) => enqueue(() => rm(fileOf(key), { force: true }), undefined),
    settled: () => enqueue(() => Promise.resolve(), undefined),
    hasAny: () => enqueue(async () => (await readdir(folder)).some((name) => name.endsWith('.json')), false),
  }
}
