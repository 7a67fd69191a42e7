import { pathBeyondDepth } from '../../../contract/formats/json.ts'

/** Parses the text of a reply into JSON values, as they become complete. */
export type ValueParser = {
  /** Throws `Unparsable`. */
  write(text: string): void
  /** Call it at the end of the reply. Throws `Unparsable`. */
  end(): void
}

/** A reply that is not of its format, or has a part that is too large to parse. */
class Unparsable extends Error {
  override readonly name = 'Unparsable'
}

/** Maximum number of characters of a JSON document, line or event. Parsing takes up to about 40 ms. */
const maxPart = 4 * 1024 * 1024

/**
 * The depth is checked only in texts with more characters and more opening brackets than this. This
 * many levels do not overflow the stack of the functions that read and write the value.
 */
const maxShallow = 1024

type OnValue = (value: unknown) => void

function parse(text: string, onValue: OnValue): void {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new Unparsable('not JSON')
  }
  if (text.length > maxShallow && hasManyLevels(text) && pathBeyondDepth(value) !== null)
    throw new Unparsable('nested too deeply')
  onValue(value)
}

/** Returns false if a text has too few brackets for many levels, such as a long list of numbers. */
function hasManyLevels(text: string): boolean {
  let levels = 0
  for (const open of ['[', '{']) {
    for (let at = text.indexOf(open); at !== -1 && levels <= maxShallow; at = text.indexOf(open, at + 1))
      levels += 1
  }
  return levels > maxShallow
}

function requireFits(length: number): void {
  if (length > maxPart) throw new Unparsable('too large')
}

/** Parses a document: one value, or a list of the values of a stream. */
function documentParser(onValue: OnValue): ValueParser {
  const parts: string[] = []
  let length = 0
  return {
    write(text) {
      length += text.length
      requireFits(length)
      parts.push(text)
    },
    end() {
      if (length === 0) return
      parse(parts.join(''), (value) => (Array.isArray(value) ? value : [value]).forEach(onValue))
    },
  }
}

/**
 * Splits text into lines, which end with CR, LF or both. The last one may be incomplete. Each character is
 * read once, however small the parts are in which a long line arrives.
 */
function lineSplitter(onLine: (line: string) => void): ValueParser {
  let rest = ''
  /** A CR at the end of the text, after which LF may follow. */
  let held = ''
  return {
    write(text) {
      const all = held + text
      held = all.endsWith('\r') ? '\r' : ''
      const lines = all.slice(0, all.length - held.length).split(/\r\n|[\r\n]/)
      const last = lines.pop() ?? ''
      for (const line of lines) {
        const whole = rest + line
        rest = ''
        requireFits(whole.length)
        onLine(whole)
      }
      rest += last
      requireFits(rest.length)
    },
    end() {
      if (rest !== '') onLine(rest)
    },
  }
}

const linesParser = (onValue: OnValue): ValueParser =>
  lineSplitter((line) => {
    if (line.trim() !== '') parse(line, onValue)
  })

/** Parses server-sent events (WHATWG HTML, 9.2), also a last one without a blank line. Ignores one that is cut off. */
function eventParser(onValue: OnValue): ValueParser {
  let data: string[] = []
  let length = 0
  const finish = () => {
    const text = data.join('\n')
    data = []
    length = 0
    // OpenAI ends a stream with a text that is not JSON.
    if (text !== '' && text.trim() !== '[DONE]') parse(text, onValue)
  }
  const splitter = lineSplitter((line) => {
    if (line === '') finish()
    else if (line.startsWith('data:')) {
      length += line.length
      requireFits(length)
      data.push(line.slice(line.startsWith('data: ') ? 6 : 5))
    }
  })
  return {
    write: splitter.write,
    end() {
      splitter.end()
      try {
        finish()
      } catch (error) {
        if (!(error instanceof Unparsable)) throw error
      }
    },
  }
}

/** Returns the parser for a content type; null if its replies are not parsed. */
export function parserFor(contentType: string, onValue: OnValue): ValueParser | null {
  const type = contentType.split(';', 1)[0]?.trim().toLowerCase()
  if (type === 'text/event-stream') return eventParser(onValue)
  if (type === 'application/x-ndjson' || type === 'application/jsonl') return linesParser(onValue)
  const isJson = type === '' || type === 'application/json' || type?.endsWith('+json') === true
  return isJson ? documentParser(onValue) : null
}
