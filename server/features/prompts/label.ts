import { labelOf } from './prompts.wire.ts'

/** Returns true if a label in a request names this version. `3` and `v3` are the same. */
export const isLabelOf = (label: string, version: number): boolean =>
  label === labelOf(version) || label === String(version)

/**
 * Returns the message of a version. A label of the caller that is not the version's own precedes the message.
 */
export function messageWith(label: string | null, version: number, message = ''): string {
  const named = label === null || isLabelOf(label, version) ? '' : label
  return [named, message].filter((part) => part !== '').join(': ')
}
