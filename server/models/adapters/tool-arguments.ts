import { pathBeyondDepth, tooDeepMessage } from '../../../contract/json.ts'

/** Arguments that came as JSON; a sentence in place of what is nested too deeply to be kept or sent on. */
export const boundedArguments = (value: unknown): unknown =>
  pathBeyondDepth(value) === null ? value : `[${tooDeepMessage}]`

/** A model writes them as JSON text, usually; what is none is shown as it is. */
export function parsedArguments(text: string): unknown {
  if (text.trim() === '') return {}
  try {
    return boundedArguments(JSON.parse(text))
  } catch {
    return text
  }
}
