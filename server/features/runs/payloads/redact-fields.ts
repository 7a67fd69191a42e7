/** The part of a string that is read. */
export type Readable = Pick<string, 'length' | 'charCodeAt' | 'slice'>

/** A range of a text: `from` is its first character, `to` the first one after it. */
export type Range = { readonly from: number; readonly to: number }

/** A name in front of `:` or `=`, and the quote that ends it; without a quote, `quote` is null. */
type Name = { readonly quote: Quote | null }

/** A quote of a text that may be JSON within strings of JSON, such as `\\\"`. */
type Quote = {
  readonly code: number
  /** Number of backslashes in front of it. */
  readonly escapes: number
  /** The first character after it. */
  readonly end: number
}

const codeOf = (char: string): number => char.charCodeAt(0)
const colon = codeOf(':')
const equals = codeOf('=')
const backslash = codeOf('\\')
const doubleQuote = codeOf('"')
const singleQuote = codeOf("'")
const openBracket = codeOf('[')
const closeBracket = codeOf(']')
const openBrace = codeOf('{')
const lineEnds: ReadonlySet<number> = new Set([...'\n\r'].map(codeOf))
const spaces: ReadonlySet<number> = new Set([...' \t\n\r'].map(codeOf))
/** Letters after a backslash that stand for white space. */
const escapedSpaces: ReadonlySet<number> = new Set([...'nrt'].map(codeOf))
/** Characters that end a value without quotes. */
const wordEnds: ReadonlySet<number> = new Set([...' \t\n\r,;&"\''].map(codeOf))
/** Characters after a quote that ends a text and does not begin a value, as in `"label":"Password:","id":1`. */
const afterText: ReadonlySet<number> = new Set([...',;:}])'].map(codeOf))

const plainNames = 'password|passwd|pwd|secret|client[_-]?secret|api[_-]?key|access[_-]?key|auth[_-]?token'
/** Names of fields that contain secrets, as part of a regular expression. */
export const secretNames = `${plainNames}|authorization|private[_-]?key`
/** Without quotes, the other names also occur in prose and in headers, where the scheme comes first. */
const plainName = new RegExp(`(?:${plainNames})$`, 'i')
const quotedName = new RegExp(`(?:${secretNames})$`, 'i')
const maxName = 'authorization'.length
const lastLetters: ReadonlySet<number> = new Set([...'dntyDNTY'].map(codeOf))

const isQuote = (code: number): boolean => code === doubleQuote || code === singleQuote

/** Maximum white space around an operator. */
const maxSpace = 4
/** Minimum length of a value without quotes: shorter ones are words of prose. */
const minWord = 4
/** Maximum length of the further lines of a string in characters. JSON has none, but not all texts are valid. */
const maxLines = 16_384
/** Maximum length of a list in characters. */
const maxList = 65_536

/**
 * Returns the ranges of values whose names indicate secrets, in order: of `name = value` and `"name": value`, also
 * within strings of JSON at any depth, where quotes are escaped. The quotes around a value are not part of
 * its range. Objects are no values, but fields in them are. Each character is read a limited number of times.
 */
export function secretFields(text: Readable): Range[] {
  const found: Range[] = []
  let at = 0
  while (at < text.length) {
    const code = text.charCodeAt(at)
    at += 1
    if (code !== colon && code !== equals) continue
    const name = nameBefore(text, at - 1, found.at(-1)?.to ?? 0)
    const value = name === null ? null : valueAt(text, skipSpace(text, at), name)
    if (value === null || value.from === value.to) continue
    found.push(value)
    at = value.to
  }
  return found
}

/** Returns the name of a secret in front of an operator, or null. Does not read in front of `start`. */
function nameBefore(text: Readable, operator: number, start: number): Name | null {
  let at = operator
  while (at > start && operator - at < maxSpace && spaces.has(text.charCodeAt(at - 1))) at -= 1
  const code = text.charCodeAt(at - 1)
  let quote: Quote | null = null
  if (isQuote(code)) {
    const escapes = escapesBefore(text, at - 1, start)
    quote = { code, escapes, end: at }
    at -= 1 + escapes
  }
  if (at <= start || !lastLetters.has(text.charCodeAt(at - 1))) return null
  const pattern = quote === null ? plainName : quotedName
  return pattern.test(text.slice(Math.max(start, at - maxName), at)) ? { quote } : null
}

/** Returns the number of backslashes directly in front of a character, from `start` on. */
function escapesBefore(text: Readable, index: number, start: number): number {
  let at = index
  while (at > start && text.charCodeAt(at - 1) === backslash) at -= 1
  return index - at
}

/** Returns the number of backslashes from a character on. */
function escapesAt(text: Readable, index: number): number {
  let at = index
  while (text.charCodeAt(at) === backslash) at += 1
  return at - index
}

/** Skips a limited amount of white space, also escaped. */
function skipSpace(text: Readable, index: number): number {
  let at = index
  for (let skipped = 0; skipped < maxSpace; skipped += 1) {
    const escapes = escapesAt(text, at)
    const code = text.charCodeAt(at + escapes)
    if (!(escapes === 0 ? spaces : escapedSpaces).has(code)) return at
    at += escapes + 1
  }
  return at
}

/**
 * Returns the number of strings of JSON around a quote. Each string doubles the backslashes and adds one, so
 * the quotes of depth 0, 1, 2 have 0, 1, 3 backslashes. Others belong to the text in front of the quote.
 */
function depthOf(escapes: number): number {
  let depth = 0
  for (let rest = escapes; rest % 2 === 1; rest = (rest - 1) / 2) depth += 1
  return depth
}

/** Returns the quote at a position, or null. */
function quoteAt(text: Readable, at: number): Quote | null {
  const escapes = escapesAt(text, at)
  const code = text.charCodeAt(at + escapes)
  return isQuote(code) ? { code, escapes, end: at + escapes + 1 } : null
}

function valueAt(text: Readable, at: number, { quote }: Name): Range | null {
  const open = quoteAt(text, at)
  if (open !== null) {
    const isOfName = quote !== null && open.code === quote.code && open.escapes === quote.escapes
    return isOfName || !isEndOfText(text, open.end) ? { from: open.end, to: endOfString(text, open) } : null
  }
  const code = text.charCodeAt(at)
  if (code === openBracket) return { from: at, to: endOfList(text, at + 1, quote) }
  if (code === openBrace && quote !== null) return null
  return wordAt(text, at, quote !== null)
}

/** Returns true if a quote in front of `at` ends a text, and does not begin a value. */
const isEndOfText = (text: Readable, at: number): boolean =>
  at === text.length ||
  afterText.has(text.charCodeAt(at)) ||
  skipSpace(text, at) !== at ||
  quoteAt(text, at) !== null

/**
 * Returns the position of the quote that ends a string, with its backslashes; or the end of the line, if the next quote
 * begins another text.
 */
function endOfString(text: Readable, { code: quote, escapes: expected, end }: Quote): number {
  const depth = depthOf(expected)
  let escapes = 0
  let lineEnd = text.length
  for (let at = end; at < text.length && at - lineEnd <= maxLines; at += 1) {
    const code = text.charCodeAt(at)
    if (lineEnds.has(code)) lineEnd = Math.min(lineEnd, at)
    // A quote of less depth ends a string around this one.
    if (code === quote && depthOf(escapes) <= depth) {
      const isEnd = at < lineEnd || isEndOfText(text, at + 1)
      return isEnd ? at - Math.min(escapes, expected) : lineEnd
    }
    escapes = code === backslash ? escapes + 1 : 0
  }
  return lineEnd
}

/** Returns the end of a list: after its bracket, or where a string around it ends. `from`: after its first bracket. */
function endOfList(text: Readable, from: number, name: Quote | null): number {
  const end = Math.min(text.length, from + maxList)
  const quote = name?.code ?? doubleQuote
  let depth = name === null ? null : depthOf(name.escapes)
  let brackets = 1
  let at = from
  while (at < end && brackets > 0) {
    const found = quoteAt(text, at)
    if (found?.code !== quote) {
      brackets += bracketsOf(text.charCodeAt(at))
      at += Math.max(1, escapesAt(text, at))
    } else {
      const foundDepth = depthOf(found.escapes)
      depth ??= foundDepth
      if (foundDepth < depth) return at
      at = foundDepth === depth ? afterString(text, found) : found.end
    }
  }
  return at
}

/** Returns by how much a character changes the number of open brackets. */
const bracketsOf = (code: number): number => (code === openBracket ? 1 : code === closeBracket ? -1 : 0)

/** Returns the first position after a string and its last quote. A quote of a string around it is not skipped. */
function afterString(text: Readable, open: Quote): number {
  const end = endOfString(text, open)
  const last = quoteAt(text, end)
  return last !== null && depthOf(last.escapes) === depthOf(open.escapes) ? last.end : end
}

/** Returns the range of a number or a word without quotes. null, true and false are no secrets. */
function wordAt(text: Readable, from: number, isQuotedName: boolean): Range | null {
  if (/^(?:true|false|null)(?![\w-])/.test(text.slice(from, from + 6))) return null
  let end = from
  while (end < text.length && !wordEnds.has(text.charCodeAt(end))) end += 1
  // Backslashes in front of a quote belong to the quote.
  if (quoteAt(text, end) !== null) end -= escapesBefore(text, end, from)
  const word = text.slice(from, end)
  const number = /^-?\d[\d.eE+-]*(?=[\\}\]]|$)/.exec(word)?.[0]
  if (isQuotedName && number !== undefined) return { from, to: from + number.length }
  const to = isQuotedName ? from + lengthWithoutBrackets(word) : end
  return to - from < minWord ? null : { from, to }
}

/** Returns the length of a word without the brackets that end lists and objects around it. */
function lengthWithoutBrackets(word: string): number {
  let length = word.length
  while (length > 0 && '}])'.includes(word.charAt(length - 1))) length -= 1
  return length
}
