import { Composer, type CST, Lexer, Parser } from 'yaml'
import { maxJsonDepth, pathBeyondDepth, tooDeepMessage } from '../../contract/formats/json.ts'
import { messageOf } from '../lib/text/message-of.ts'

/** A file that cannot be read. The message contains the reason. */
export class UnreadableFile extends Error {}

/** Returns an own property. Inherited properties are never read from a file. */
export const member = (value: Readonly<Record<string, unknown>>, name: string): unknown =>
  Object.hasOwn(value, name) ? value[name] : undefined

/** Maximum number of aliases in a YAML file. A few lines of aliases can otherwise expand to gigabytes. */
const maxAliases = 100

/** Parses JSON of limited depth. Throws `UnreadableFile`. */
export function parseJson(text: string): unknown {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new UnreadableFile(`Not JSON: ${reasonOf(error)}`)
  }
  return withLimitedDepth(value)
}

/** Returns the value. Throws if it is nested too deeply. */
function withLimitedDepth(value: unknown): unknown {
  const path = pathBeyondDepth(value)
  if (path !== null) throw new UnreadableFile(`${tooDeepMessage}, at ${path.slice(0, 100)}`)
  return value
}

/** Maximum size of the parser's stack: a level of YAML is one entry, with a key or value at most two more. */
const maxParserStack = 3 * maxJsonDepth

/**
 * Returns the tokens of a YAML file and refuses a file that is too deep while reading it. The composer
 * recurses, and a stack overflow inside a regular expression ends the whole process.
 */
function* tokensOf(text: string): Generator<CST.Token> {
  const parser = new Parser()
  for (const lexeme of new Lexer().lex(text)) {
    yield* parser.next(lexeme)
    if (parser.stack.length > maxParserStack) throw new UnreadableFile(tooDeepMessage)
  }
  yield* parser.end()
}

/**
 * Parses every document of a YAML file. Never executes anything; a document that refers to itself is refused.
 */
export function parseYaml(text: string): unknown[] {
  try {
    const documents = new Composer({ logLevel: 'silent', uniqueKeys: true }).compose(tokensOf(text))
    return [...documents].map((document) => {
      const [error] = document.errors
      if (error !== undefined) throw error
      const value: unknown = document.toJS({ maxAliasCount: maxAliases })
      return asJson(value)
    })
  } catch (error) {
    if (error instanceof UnreadableFile) throw error
    throw new UnreadableFile(`Not valid YAML: ${reasonOf(error)}`)
  }
}

/** Maximum characters of JSON of a document after its aliases are resolved. */
const maxResolved = 8 * 1024 * 1024

/** Returns the value as JSON represents it: a date becomes text. Throws for a cycle. */
function asJson(value: unknown): unknown {
  if (value === undefined) return null
  const json = JSON.stringify(value)
  if (json.length > maxResolved) throw new UnreadableFile('Larger than 8 MiB after its aliases are resolved')
  return withLimitedDepth(JSON.parse(json))
}

function reasonOf(error: unknown): string {
  const [line = 'it is damaged'] = messageOf(error).split('\n')
  return line.slice(0, 200)
}
