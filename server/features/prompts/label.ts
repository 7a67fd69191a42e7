import { labelOf } from './prompts.wire.ts'

/** Whether a label given by a caller names this version. `3` and `v3` are the same. */
export const isLabelOf = (label: string, version: number): boolean =>
  label === labelOf(version) || label === String(version)

/** The message of a version: the caller's own label for it, unless that is the one it has, before what was said of it. */
export function messageWith(label: string | null, version: number, message = ''): string {
  const named = label === null || isLabelOf(label, version) ? '' : label
  return [named, message].filter((part) => part !== '').join(': ')
}
