import { invalid } from '../../../lib/fail.ts'
import type { Body, BodyFields } from '../state/body.ts'
import { type ContentChange, changedContent } from '../state/content.ts'

/** Returns the text or the messages after a change. Throws 422 that names the invalid field. */
export function requiredContent(
  change: ContentChange,
  before: Body | null,
): Pick<BodyFields, 'content' | 'messages'> {
  const result = changedContent(change, before)
  if ('error' in result) throw invalid(result.error.path, result.error.message)
  return result
}
