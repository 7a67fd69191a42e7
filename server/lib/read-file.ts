import { parseAllDocuments } from 'yaml'

/** A file that cannot be read as a whole; the message says why. */
export class UnreadableFile extends Error {}

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** An own member; nothing inherited is ever read from a file. */
export const member = (value: Readonly<Record<string, unknown>>, name: string): unknown =>
  Object.hasOwn(value, name) ? value[name] : undefined

/** Aliases a file may resolve to; a few lines of them can otherwise stand for gigabytes. */
const mostAliases = 100

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new UnreadableFile(`Not JSON: ${reasonOf(error)}`)
  }
}

/** Every document of a YAML file. Nothing of it runs, and what refers to itself is refused. */
export function parseYaml(text: string): unknown[] {
  try {
    const documents = parseAllDocuments(text, { logLevel: 'silent', uniqueKeys: true })
    return [...documents].map((document) => {
      const [error] = document.errors
      if (error !== undefined) throw error
      const value: unknown = document.toJS({ maxAliasCount: mostAliases })
      return plain(value)
    })
  } catch (error) {
    throw new UnreadableFile(`Not YAML that can be read: ${reasonOf(error)}`)
  }
}

/** The value as JSON would hold it: a date becomes text, and a circle throws. */
const plain = (value: unknown): unknown => (value === undefined ? null : JSON.parse(JSON.stringify(value)))

function reasonOf(error: unknown): string {
  const [line = 'it is damaged'] = (error instanceof Error ? error.message : String(error)).split('\n')
  return line.slice(0, 200)
}
