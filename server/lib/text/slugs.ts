const maxSlugLength = 64

/** Latin spellings of letters that NFKD does not decompose. */
const transliterated: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ł: 'l',
  ı: 'i',
  ħ: 'h',
  ŋ: 'n',
}

/**
 * Returns a slug: `Équipe Blåbær №1` → `equipe-blabaer-no1`. A name without Latin letters or digits becomes
 * `noun`.
 */
export function slugOf(name: string, noun = 'workspace'): string {
  const ascii = name
    .toLowerCase()
    .replace(/[ßæœøđðþłıħŋ]/g, (char) => transliterated[char] ?? char)
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/['’]/g, '')
    .replace(/[^a-z0-9]+/g, '-')
  const slug = trimmed(ascii, maxSlugLength)
  if (slug === '') return noun
  return isIdShaped(slug) ? `${noun}-${slug}` : slug
}

const trimmed = (text: string, max: number) => text.replace(/^-+/, '').slice(0, max).replace(/-+$/, '')

/** Returns true if a slug looks like an id, which no slug may, because routes accept both. */
export function isIdShaped(slug: string): boolean {
  return /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/.test(slug)
}

/**
 * Returns the first free slug of `blue`, `blue-2`, `blue-3` and so on, within the maximum length of a slug.
 */
export async function freeSlug(base: string, isTaken: (slug: string) => Promise<boolean>): Promise<string> {
  for (let number = 1; ; number += 1) {
    const suffix = number === 1 ? '' : `-${number}`
    const slug = `${trimmed(base, maxSlugLength - suffix.length)}${suffix}`
    if (!(await isTaken(slug))) return slug
  }
}
