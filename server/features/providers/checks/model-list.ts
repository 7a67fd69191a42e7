import { maxModels } from '../../../../contract/models/providers.ts'

/**
 * Returns names that can be shown and called: not empty, not too long, and without the key of the request.
 */
export function usableNames(names: readonly string[], key: string | null): string[] {
  const usable = names.filter(
    (name) => /^[\x21-\x7e]{1,128}$/.test(name) && (key === null || !name.includes(key)),
  )
  return [...new Set(usable)].slice(0, maxModels)
}
