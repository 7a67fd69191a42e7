/** The calls of node:fs/promises on the data folder, each observed by the hook. */
import * as fs from 'node:fs/promises'
import { dirname } from 'node:path'
import { beginOperation, isHooked } from './hook.ts'

type Call = (...args: never[]) => Promise<unknown>

function observed<F extends Call>(call: string, run: F): F {
  const wrapped = async (...args: never[]): Promise<unknown> => {
    if (!isHooked()) return run(...args)
    const done = beginOperation(call, args)
    const result = await run(...args)
    done(result)
    return result
  }
  // `wrapped` has the parameters and result of `run`. TypeScript cannot express this for overloads.
  return wrapped as F
}

export type { FileHandle } from 'node:fs/promises'

/** Methods of a handle that have another name in node:fs. */
const handleCalls: Readonly<Record<string, string>> = {
  sync: 'fsync',
  datasync: 'fdatasync',
  truncate: 'ftruncate',
  stat: 'fstat',
  chmod: 'fchmod',
}

/** Returns a handle whose calls are observed too. */
function observedHandle(handle: fs.FileHandle): fs.FileHandle {
  const { fd } = handle
  return new Proxy(handle, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target)
      if (typeof value !== 'function' || typeof name === 'symbol') return value
      return async (...args: unknown[]): Promise<unknown> => {
        const done = beginOperation(handleCalls[name] ?? name, [fd, ...args])
        const result: unknown = await value.apply(target, args)
        done(result)
        return result
      }
    },
  })
}

type FolderOptions = { readonly recursive: true; readonly mode?: number }

/** Creates missing parents itself, like the one of fs.ts. Returns the first folder that it created. */
async function makeFolder(path: string, options: FolderOptions): Promise<string | undefined> {
  try {
    await fs.mkdir(path, options.mode)
    return path
  } catch (error) {
    if (await isFolder(path)) return undefined
    const above = dirname(path)
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || (await isFolder(above))) throw error
    const created = await makeFolder(above, options)
    const own = await makeFolder(path, options)
    return created ?? own
  }
}

const isFolder = (path: string): Promise<boolean> =>
  fs.stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )

export const chmod = observed('chmod', fs.chmod)
export const copyFile = observed('copyFile', (from: string, to: string, mode: number) =>
  fs.copyFile(from, to, mode),
)
export const link = observed('link', fs.link)
export const mkdir = observed('mkdir', makeFolder)
export const readdir = observed('readdir', fs.readdir)
export const readFile = observed('readFile', fs.readFile)
export const rename = observed('rename', fs.rename)
export const rm = observed('rm', fs.rm)
export const stat = observed('stat', fs.stat)
export const statfs = observed('statfs', (path: string) => fs.statfs(path))
export const unlink = observed('unlink', fs.unlink)

const openRaw = observed('open', fs.open)

export async function open(path: string, flags: string, mode?: number): Promise<fs.FileHandle> {
  const handle = await openRaw(path, flags, mode)
  return isHooked() ? observedHandle(handle) : handle
}
