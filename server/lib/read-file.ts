import { Composer, type CST, Lexer, Parser } from 'yaml'
import { maxJsonDepth, pathBeyondDepth, tooDeepMessage } from '../../contract/json.ts'

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
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new UnreadableFile(`Not JSON: ${reasonOf(error)}`)
  }
  return shallow(value)
}

function shallow(value: unknown): unknown {
  const path = pathBeyondDepth(value)
  if (path !== null) throw new UnreadableFile(`${tooDeepMessage}, at ${path.slice(0, 100)}`)
  return value
}

/** A level of YAML is one entry of the parser's stack, a key or a value on it at most two more. */
const mostOpen = 3 * maxJsonDepth

/**
 * The tokens of a YAML file, which is refused while it is read when it is too deep: composing descends with the
 * document, and a stack that overflows inside a regular expression ends the whole process.
 */
function* tokensOf(text: string): Generator<CST.Token> {
  const parser = new Parser()
  for (const lexeme of new Lexer().lex(text)) {
    yield* parser.next(lexeme)
    if (parser.stack.length > mostOpen) throw new UnreadableFile(tooDeepMessage)
  }
  yield* parser.end()
}

/** Every document of a YAML file. Nothing of it runs, and what refers to itself is refused. */
export function parseYaml(text: string): unknown[] {
  try {
    const documents = new Composer({ logLevel: 'silent', uniqueKeys: true }).compose(tokensOf(text))
    return [...documents].map((document) => {
      const [error] = document.errors
      if (error !== undefined) throw error
      const value: unknown = document.toJS({ maxAliasCount: mostAliases })
      return plain(value)
    })
  } catch (error) {
    if (error instanceof UnreadableFile) throw error
    throw new UnreadableFile(`Not YAML that can be read: ${reasonOf(error)}`)
  }
}

/** Characters of JSON a document may stand for once its aliases are resolved. */
const mostResolved = 8 * 1024 * 1024

/** The value as JSON would hold it: a date becomes text, and a circle throws. */
function plain(value: unknown): unknown {
  if (value === undefined) return null
  const json = JSON.stringify(value)
  if (json.length > mostResolved)
    throw new UnreadableFile('It holds more than 8 MiB once its aliases are resolved')
  return shallow(JSON.parse(json))
}

function reasonOf(error: unknown): string {
  const [line = 'it is damaged'] = (error instanceof Error ? error.message : String(error)).split('\n')
  return line.slice(0, 200)
}
