import { setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { messageOf } from '../../lib/text/message-of.ts'

export type CountJob = { readonly id: number; readonly texts: readonly string[] }
export type CountResult =
  | { readonly id: number; readonly counts: readonly number[] }
  | { readonly id: number; readonly error: string }

/** Characters. Counting takes quadratic time in the length of a word, so longer text is counted in pieces. */
const maxPiece = 1024
/** Milliseconds after which the rest of a text is estimated from the ratio in the part that was counted. */
const maxMs = 1000
/** Splits before white space where possible, because a token begins with it. */
const pieces = new RegExp(`[\\s\\S]{1,${maxPiece}}(?=\\s|$)|[\\s\\S]{1,${maxPiece}}`, 'g')
/** Characters that are always counted before the rest may be estimated. */
const alwaysCounted = 2048

function count(text: string): number {
  // Text that looks like a control token is counted as ordinary text.
  const options = { disallowedSpecial: new Set<string>() }
  if (text.length <= maxPiece) return countTokens(text, options)
  const begun = performance.now()
  let [tokens, characters] = [0, 0]
  for (const [piece] of text.matchAll(pieces)) {
    tokens += countTokens(piece, options)
    characters += piece.length
    if (characters > alwaysCounted && performance.now() - begun > maxMs)
      return Math.round((tokens * text.length) / characters)
  }
  return tokens
}

// On Linux this lowers the priority of the calling thread only, as in the password worker.
if (process.platform === 'linux') setPriority(0, 5)

parentPort?.on('message', ({ id, texts }: CountJob) => {
  let result: CountResult
  try {
    result = { id, counts: texts.map(count) }
  } catch (error) {
    result = { id, error: messageOf(error) }
  }
  parentPort?.postMessage(result)
})
