import { posix } from 'node:path'
import type { SourceFile } from '../support/source-tree.ts'

/**
 * An import: `to` is a path from the repository root for our files, else the specifier as written (`zod`,
 * `node:fs`).
 */
export type Import = {
  readonly from: string
  readonly to: string
  readonly isOurs: boolean
  readonly isTypeOnly: boolean
}

const forms: readonly { readonly pattern: RegExp; readonly isType: (match: RegExpMatchArray) => boolean }[] =
  [
    {
      // import a, { b } from 'x'   import type { B } from 'x'
      pattern: /^[ \t]*import\s+(?<type>type\s+)?(?<names>[\w\s*{},$]+?)\s*from\s*['"](?<to>[^'"]+)['"]/gm,
      isType: ({ groups }) => groups?.['type'] !== undefined || hasOnlyTypes(groups?.['names'] ?? ''),
    },
    {
      // export { a } from 'x'   export * from 'x'
      pattern:
        /^[ \t]*export\s+(?<type>type\s+)?(?<names>\*(?:\s+as\s+\w+)?|\{[^}]*\})\s*from\s*['"](?<to>[^'"]+)['"]/gm,
      isType: ({ groups }) => groups?.['type'] !== undefined || hasOnlyTypes(groups?.['names'] ?? ''),
    },
    // import 'x'
    { pattern: /^[ \t]*import\s*['"](?<to>[^'"]+)['"]/gm, isType: () => false },
    {
      // await import('x')   require('x')   typeof import('x')
      pattern: /(?<type>typeof\s+)?\b(?:import|require)\(\s*['"](?<to>[^'"]+)['"]\s*\)/g,
      isType: ({ groups }) => groups?.['type'] !== undefined,
    },
    // new Worker(new URL('./x.worker.js', import.meta.url))
    {
      pattern: /new URL\(\s*['"](?<to>\.[^'"]+\.c?js)['"]\s*,\s*import\.meta\.url\s*\)/g,
      isType: () => false,
    },
  ]

/** Returns true if `{ type A, type B }` contains only types. */
function hasOnlyTypes(names: string): boolean {
  const inner = /^\{([^}]*)\}$/.exec(names.trim())?.[1]
  if (inner === undefined) return false
  const parts = inner.split(',').filter((part) => part.trim() !== '')
  return parts.every((part) => part.trim().startsWith('type '))
}

const withoutComments = (text: string): string => text.replace(/^[ \t]*(\/\/|\/?\*).*$/gm, '')

/** Returns the imports of a file, in all syntactic forms. */
export function importsOf({ path, text }: SourceFile): readonly Import[] {
  const code = withoutComments(text)
  return forms.flatMap(({ pattern, isType }) =>
    [...code.matchAll(pattern)].map((match) => {
      const written = match.groups?.['to'] ?? ''
      const isOurs = written.startsWith('.')
      const to = isOurs ? posix.join(posix.dirname(path), written.replace(/\?.*$/, '')) : written
      return { from: path, to, isOurs, isTypeOnly: isType(match) }
    }),
  )
}

/** Returns the package `@scope/name` or `name` of a specifier; `node:fs` is unchanged. */
export function packageOf(specifier: string): string {
  if (specifier.startsWith('node:')) return specifier
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
}
