const maxSlug = 64

/** Letters that NFKD leaves whole. */
const spelled: Readonly<Record<string, string>> = {
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

/** `Équipe Blåbær №1` → `equipe-blabaer-no1`; a name without a Latin letter or digit becomes `workspace`. */
export function slugOf(name: string): string {
  const ascii = name
    .toLowerCase()
    .replace(/[ßæœøđðþłıħŋ]/g, (char) => spelled[char] ?? char)
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/['’]/g, '')
    .replace(/[^a-z0-9]+/g, '-')
  const slug = trimmed(ascii, maxSlug)
  if (slug === '') return 'workspace'
  return isIdShaped(slug) ? `workspace-${slug}` : slug
}

const trimmed = (text: string, max: number) => text.replace(/^-+/, '').slice(0, max).replace(/-+$/, '')

/** Routes take an id or a slug, so no slug may look like somebody's id. */
export function isIdShaped(slug: string): boolean {
  return /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/.test(slug)
}

/** `blue`, `blue-2`, `blue-3`, …: the first that is free, never longer than a slug may be. */
export async function freeSlug(base: string, isTaken: (slug: string) => Promise<boolean>): Promise<string> {
  for (let number = 1; ; number += 1) {
    const suffix = number === 1 ? '' : `-${number}`
    const slug = `${trimmed(base, maxSlug - suffix.length)}${suffix}`
    if (!(await isTaken(slug))) return slug
  }
}
