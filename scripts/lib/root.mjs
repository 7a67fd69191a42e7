import { dirname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

/** @param {string[]} parts */
export const at = (...parts) => join(root, ...parts)

/** @param {string} path */
export const fromRoot = (path) => relative(root, path).split(sep).join('/')

/** Prints a line to stderr: stdout belongs to the program that the script starts. @param {string} line */
export const log = (line) => void process.stderr.write(`${line}\n`)

/** An error that is printed as its message, without a stack. */
export class PlainError extends Error {}

/**
 * Runs a script's body. An error is printed, a `PlainError` without its stack, and ends the process with exit
 * code 1.
 * @param {() => Promise<void>} body
 */
export async function script(body) {
  try {
    await body()
  } catch (error) {
    const stack = error instanceof Error ? `${error.stack}` : String(error)
    log(error instanceof PlainError ? error.message : stack)
    process.exit(1)
  }
}
