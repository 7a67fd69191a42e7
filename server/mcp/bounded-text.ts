import { fail } from '../lib/fail.ts'

/** Maximum length of a text within a result, in UTF-16 code units. Longer ones are cut. */
const maxStringLength = 64 * 1024
/** Maximum length of a result, in UTF-16 code units. */
const maxResultLength = 512 * 1024

const cut = (_name: string, value: unknown): unknown =>
  typeof value === 'string' && value.length > maxStringLength
    ? `${value.slice(0, maxStringLength)}… [${value.length - maxStringLength} more characters]`
    : value

/** Returns a value as JSON of bounded size. Throws if it is too large even with shortened texts. */
export function boundedText(value: unknown): string {
  const text = JSON.stringify(value, cut, 1)
  if (text.length > maxResultLength)
    throw fail('request.invalid', {
      detail: 'The result is too large. Use filters or a lower limit to get less.',
    })
  return text
}
