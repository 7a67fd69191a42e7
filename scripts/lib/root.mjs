import { dirname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

/** @param {string[]} parts */
export const at = (...parts) => join(root, ...parts)

/** @param {string} path */
export const fromRoot = (path) => relative(root, path).split(sep).join('/')

/** Prints a line to stderr: stdout belongs to the program that the script starts. @param {string} line */
export const say = (line) => void process.stderr.write(`${line}\n`)

/** A failure that is reported as one line without a stack. */
export class Plain extends Error {}

/**
 * Runs a script's body. A failure is printed, a `Plain` one without its stack, and ends the process with exit
 * code 1.
 * @param {() => Promise<void>} body
 */
export async function script(body) {
  try {
    await body()
  } catch (error) {
    say(error instanceof Plain ? error.message : error instanceof Error ? `${error.stack}` : String(error))
    process.exit(1)
  }
}
