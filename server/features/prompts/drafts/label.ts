import { isLabelOf } from '../../../resources/versions.ts'

/**
 * Returns the message of a version. A label in the request that differs from the label of the version is
 * prepended.
 */
export function versionMessage(label: string | null, version: number, message = ''): string {
  const prefix = label === null || isLabelOf(label, version) ? '' : label
  return [prefix, message].filter((part) => part !== '').join(': ')
}
