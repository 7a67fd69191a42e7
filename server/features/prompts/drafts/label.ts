import { isLabelOf } from '../../../resources/versions.ts'

/**
 * Returns the message of a version. A label of the caller that is not the version's own precedes the message.
 */
export function messageWith(label: string | null, version: number, message = ''): string {
  const named = label === null || isLabelOf(label, version) ? '' : label
  return [named, message].filter((part) => part !== '').join(': ')
}
