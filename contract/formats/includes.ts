/**
 * Matches `{{> other/key}}` and `{{> other/key@v3}}`. A key may contain anything but braces, so the last `@v…`
 * is the version.
 */
export const includePattern = /\{\{>\s*([^{}\s](?:[^{}]*?[^{}\s])?)(?:@v([1-9]\d{0,8}))?\s*\}\}/g

/** One prompt that another includes. `version` null: the served one. */
export type Include = { readonly key: string; readonly version: number | null }

const includeOf = (key: string, version: string | undefined): Include => ({
  key: key.normalize('NFC'),
  version: version === undefined ? null : Number(version),
})

/** Returns the text of an include, such as `{{> footer@v3}}`. */
export const includeText = ({ key, version }: Include): string =>
  `{{> ${key}${version === null ? '' : `@v${version}`}}}`

/** Returns the distinct includes of the texts, in order of appearance. */
export function includesIn(texts: readonly string[]): Include[] {
  const found = new Map<string, Include>()
  for (const text of texts) {
    for (const [, key = '', version] of text.matchAll(includePattern)) {
      const include = includeOf(key, version)
      found.set(includeText(include), include)
    }
  }
  return [...found.values()]
}

/** Replaces each include by its text; null leaves it as it is. */
export const replaceIncludes = (text: string, textOf: (include: Include) => string | null): string =>
  text.replace(
    includePattern,
    (whole: string, key: string, version: string | undefined) => textOf(includeOf(key, version)) ?? whole,
  )
