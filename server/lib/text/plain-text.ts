/** Control characters, line and paragraph separators, and format characters (bidi overrides, zero-width, tags). */
const unprintable = /[\p{Cc}\p{Zl}\p{Zp}\p{Cf}]/gu
const namedEscapes: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }
/** Joins emoji. It is harmless and frequent in names. */
const zeroWidthJoiner = '\u200d'
const loneSurrogate = /\p{Cs}/gu

const escapeChar = (char: string): string =>
  char === zeroWidthJoiner
    ? char
    : (namedEscapes[char] ?? `\\u{${(char.codePointAt(0) ?? 0).toString(16).toUpperCase()}}`)

/**
 * Returns untrusted text as one line in which every control or format character is visible as an escape. The
 * text cannot start a new line, hide, or change the direction of text around it. Longer text ends in an
 * ellipsis. `max` counts UTF-16 code units of the result.
 */
export function plainText(text: string, max: number): string {
  const line = text
    .slice(0, max + 1)
    .replace(loneSurrogate, '\ufffd')
    .replace(unprintable, escapeChar)
  if (line.length <= max) return line
  return `${line.slice(0, max - 1).replace(loneSurrogate, '')}…`
}

/**
 * Returns the JSON of a value with control and format characters as `\uXXXX`. It parses back to the same
 * value.
 */
export function plainJson(value: unknown): string {
  return JSON.stringify(value).replace(unprintable, (char) =>
    [...Array(char.length).keys()]
      .map((index) => `\\u${char.charCodeAt(index).toString(16).padStart(4, '0')}`)
      .join(''),
  )
}
