import * as fs from 'node:fs'
import { beginOperation, isHooked } from './hook.ts'

type Callback = (error: NodeJS.ErrnoException | null, result?: unknown) => void
type Call = (...args: never[]) => void

/** Returns a function of `fs` that also reports each call to the hook. Its last argument is a callback. */
function observed(call: string, run: Call) {
  return (...args: unknown[]): void => {
    const callback = args.at(-1) as Callback
    let done: (result: unknown) => void
    try {
      done = beginOperation(call, args.slice(0, -1))
    } catch (error) {
      process.nextTick(callback, error)
      return
    }
    const end: Callback = (error, ...results) => {
      if (!error) done(results[0])
      callback(error, ...results)
    }
    // The stream passes the arguments that `run` takes.
    run(...([...args.slice(0, -1), end] as never[]))
  }
}

const calls = {
  open: observed('open', fs.open),
  read: observed('read', fs.read),
  close: observed('close', fs.close),
}

/** Opens a file of the data folder as a stream, observed by the hook. */
export function createReadStream(path: string): fs.ReadStream {
  return isHooked() ? fs.createReadStream(path, { fs: calls }) : fs.createReadStream(path)
}
