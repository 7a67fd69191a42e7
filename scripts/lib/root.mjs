import { dirname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

/** @param {string[]} parts */
export const at = (...parts) => join(root, ...parts)

/** @param {string} path */
export const fromRoot = (path) => relative(root, path).split(sep).join('/')

/** What the scripts say goes to stderr: stdout belongs to the program they start. @param {string} line */
export const say = (line) => void process.stderr.write(`${line}\n`)

/** A failure that needs one line and no stack. */
export class Plain extends Error {}

/** Runs a script's body; a `Plain` failure ends it with its line and exit code 1. @param {() => Promise<void>} body */
export async function script(body) {
  try {
    await body()
  } catch (error) {
    say(error instanceof Plain ? error.message : error instanceof Error ? `${error.stack}` : String(error))
    process.exit(1)
  }
}
