/** The synchronous calls of node:fs on the data folder, each observed by the hook. */
import * as fs from 'node:fs'
import { dirname } from 'node:path'
import { beginOperation, isHooked } from './hook.ts'

/** Any function. Its parameters are passed on unchecked. */
type Call = (...args: never[]) => unknown

function observed<F extends Call>(call: string, run: F): F {
  const wrapped = (...args: never[]): unknown => {
    if (!isHooked()) return run(...args)
    const done = beginOperation(call, args)
    const result = run(...args)
    done(result)
    return result
  }
  // `wrapped` has the parameters and result of `run`. TypeScript cannot express this for overloads.
  return wrapped as F
}

/**
 * Returns whether the path exists. Throws if that is unknown, for example after a read error: `fs.existsSync`
 * returns false then, and the service would continue without a file that exists.
 */
function exists(path: string): boolean {
  try {
    fs.accessSync(path)
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return false
    throw error
  }
}

/** Creates missing parents itself: Node repeats mkdir forever in /proc, which reports every new name as missing. */
function makeFolder(path: string, { recursive, mode }: { recursive?: boolean; mode?: number } = {}): void {
  if (recursive && !exists(dirname(path))) makeFolder(dirname(path), { recursive, ...(mode && { mode }) })
  try {
    fs.mkdirSync(path, mode)
  } catch (error) {
    if (!recursive || !fs.statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw error
  }
}

export const accessSync = observed('access', fs.accessSync)
export const chmodSync = observed('chmod', fs.chmodSync)
export const closeSync = observed('close', fs.closeSync)
export const existsSync = observed('exists', exists)
export const fdatasyncSync = observed('fdatasync', fs.fdatasyncSync)
export const fstatSync = observed('fstat', fs.fstatSync)
export const fsyncSync = observed('fsync', fs.fsyncSync)
export const ftruncateSync = observed('ftruncate', fs.ftruncateSync)
export const lstatSync = observed('lstat', fs.lstatSync)
export const mkdirSync = observed('mkdir', makeFolder)
export const mkdtempSync = observed('mkdtemp', (prefix: string): string => fs.mkdtempSync(prefix))
export const openSync = observed('open', fs.openSync)
export const readdirSync = observed('readdir', fs.readdirSync)
export const readFileSync = observed('readFile', fs.readFileSync)
export const readSync = observed('read', fs.readSync)
export const readlinkSync = observed('readlink', (path: string): string => fs.readlinkSync(path))
export const realpathSync = observed('realpath', (path: string): string => fs.realpathSync(path))
export const renameSync = observed('rename', fs.renameSync)
export const rmSync = observed('rm', fs.rmSync)
export const statSync = observed('stat', fs.statSync)
export const writeSync = observed('write', fs.writeSync)
export const { constants } = fs
