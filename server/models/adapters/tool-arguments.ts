/** A model writes them as JSON text, usually; what is none is shown as it is. */
export function parsedArguments(text: string): unknown {
  if (text.trim() === '') return {}
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
