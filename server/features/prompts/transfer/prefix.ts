import { includeText, replaceIncludes } from '../../../../contract/formats/includes.ts'
import { isRecord } from '../../../lib/values/is-record.ts'
import type { PlacedItem } from '../../../resources/transfer/files.ts'
import type { ImportBody } from '../formats/raw.ts'

/**
 * Adds the prefix of an import to includes of prompts that it imports too: without it, they would contain other prompts
 * of the workspace. A pinned include is unchanged, because imported prompts have versions of their own.
 */
export function withPrefixedIncludes(
  { prefix, env: defaultEnv = 'dev' }: Pick<ImportBody, 'prefix' | 'env'>,
  placed: readonly PlacedItem[],
): readonly PlacedItem[] {
  if (prefix === undefined) return placed
  const placeOf = (env: unknown, key: string) => JSON.stringify([env || defaultEnv, key.normalize('NFC')])
  const imported = new Set(placed.map(({ fields: { env, key } }) => placeOf(env, String(key))))
  return placed.map(({ fields, ...item }) => {
    /** Changes all texts in a value. Its nesting depth was checked when the file was parsed. */
    const prefixed = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(prefixed)
      if (isRecord(value))
        return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, prefixed(each)]))
      if (typeof value !== 'string') return value
      return replaceIncludes(value, ({ key, version }) => {
        const isImported = version === null && imported.has(placeOf(fields['env'], key))
        return isImported ? includeText({ key: `${prefix}/${key}`, version }) : null
      })
    }
    const { content, messages } = fields
    return { ...item, fields: { ...fields, content: prefixed(content), messages: prefixed(messages) } }
  })
}
