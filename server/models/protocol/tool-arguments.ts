import { pathBeyondDepth, tooDeepMessage } from '../../../contract/formats/json.ts'

/** Returns JSON arguments, or a message in place of arguments that are nested too deeply. */
export const boundedArguments = (value: unknown): unknown =>
  pathBeyondDepth(value) === null ? value : `[${tooDeepMessage}]`

/** Parses the arguments that a model wrote. Text that is not JSON is returned unchanged. */
export function parsedArguments(text: string): unknown {
  if (text.trim() === '') return {}
  try {
    return boundedArguments(JSON.parse(text))
  } catch {
    return text
  }
}
