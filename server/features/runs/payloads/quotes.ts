const removed = '[text]'

/** Characters. A shorter text also occurs in messages by chance. */
const minText = 8
/** Characters that are compared at once. */
const width = 12
/** Distance between the compared parts of a text: each quote of `width + step - 1` characters has one. */
const step = 6
/**
 * Characters that are compared for one message. Only texts of repeated characters and thousands of short texts need more: then
 * the whole message counts as a quote.
 */
const maxCompared = 2_000_000

/** Fields whose values are names of the protocol, of a model or of a tool. Messages need them. */
const names: ReadonlySet<string> = new Set(['role', 'type', 'id', 'name', 'model', 'tool_call_id', 'title'])

/** Yields every text in a JSON value, except names. */
function* textsIn(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value
  if (typeof value !== 'object' || value === null) return
  for (const [name, item] of Object.entries(value)) if (!names.has(name)) yield* textsIn(item)
}

/** Returns a text as messages quote it: on one line, and also escaped as in JSON. */
function spellingsOf(text: string): string[] {
  const escaped = JSON.stringify(text).slice(1, -1)
  return [...new Set([text, escaped].map((spelling) => spelling.trim().replace(/\s+/g, ' ')))]
}

type Message = {
  readonly text: string
  /** Positions of each part of `width` characters. */
  readonly parts: ReadonlyMap<string, readonly number[]>
  /** 1 for each character that belongs to a quote. */
  readonly quoted: Uint8Array
  /** Number of characters compared until now. */
  compared: number
}

function messageOf(text: string): Message {
  const parts = new Map<string, number[]>()
  for (let at = 0; at + width <= text.length; at += 1) {
    const part = text.slice(at, at + width)
    const positions = parts.get(part)
    if (positions === undefined) parts.set(part, [at])
    else positions.push(at)
  }
  return { text, parts, quoted: new Uint8Array(text.length), compared: 0 }
}

/** Marks the longest quote of `text` around two equal positions. */
function markAround(state: Message, at: number, text: string, textAt: number): void {
  const { text: message, quoted } = state
  let before = 0
  while (at - before > 0 && textAt - before > 0 && message[at - before - 1] === text[textAt - before - 1])
    before += 1
  let length = width
  while (at + length < message.length && message[at + length] === text[textAt + length]) length += 1
  quoted.fill(1, at - before, at + length)
  state.compared += before + length
}

/** Marks the quotes of a whole text that is shorter than a part. */
function markWhole(state: Message, text: string): void {
  const { text: message, quoted } = state
  for (let at = message.indexOf(text); at !== -1; at = message.indexOf(text, at + text.length))
    quoted.fill(1, at, at + text.length)
  // A search compares many characters at once.
  state.compared += message.length / 32
  if (state.compared > maxCompared) quoted.fill(1)
}

function markQuotes(message: Message, text: string): void {
  if (text.length < minText) return
  if (message.compared > maxCompared) return
  if (text.length < width) markWhole(message, text)
  for (let textAt = 0; textAt + width <= text.length; textAt += step)
    for (const at of message.parts.get(text.slice(textAt, textAt + width)) ?? []) {
      markAround(message, at, text, textAt)
      if (message.compared > maxCompared) return void message.quoted.fill(1)
    }
}

/**
 * Returns an error message without what it quotes of the texts in `content`, such as the input of the call: quotes of
 * a whole text of 8 or more characters, and of 17 or more characters of a longer one.
 */
export function withoutQuotes(text: string, content: unknown): string {
  const message = messageOf(text)
  for (const each of textsIn(content)) for (const spelling of spellingsOf(each)) markQuotes(message, spelling)
  let result = ''
  for (let at = 0; at < text.length; at += 1) {
    if (message.quoted[at] !== 1) result += text[at]
    else if (message.quoted[at - 1] !== 1) result += removed
  }
  return result
}
