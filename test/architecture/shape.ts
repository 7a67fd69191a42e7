import { posix } from 'node:path'
import type { SourceFile } from '../support/source-tree.ts'

/** Limit of lines per file, tests included; longer files are split. */
const capLines = 250
const readmeLines = 20
const isCode = /\.(c?ts|tsx|mjs|js|css|py)$/
const isMigration = /^server\/db\/migrations\//

const lines = (text: string): number => text.replace(/\n$/, '').split('\n').length

/** Returns code files over the limit, except migrations, which are never changed. */
export const tooLong = (files: readonly SourceFile[]): readonly string[] =>
  files
    .filter(({ path, text }) => isCode.test(path) && !isMigration.test(path) && lines(text) > capLines)
    .map(({ path, text }) => `${path}: ${lines(text)} lines, at most ${capLines}`)

/** Limit of code files in one folder; fuller folders are grouped by sub-topic. */
const capFiles = 15

/** Returns folders with too many code files. Java is exempt: its packages are the unit of encapsulation. */
export function tooFull(files: readonly SourceFile[]): readonly string[] {
  const counts = new Map<string, number>()
  for (const { path } of files) {
    if (!isCode.test(path)) continue
    const folder = posix.dirname(path)
    counts.set(folder, (counts.get(folder) ?? 0) + 1)
  }
  return [...counts]
    .filter(([, count]) => count > capFiles)
    .map(([folder, count]) => `${folder}: ${count} files, at most ${capFiles}`)
}

/** Returns top folders whose README is missing or too long. */
export const badReadmes = (files: readonly SourceFile[], folders: readonly string[]): readonly string[] =>
  folders.flatMap((folder) => {
    const readme = files.find(({ path }) => path === `${folder}/README.md`)
    if (readme === undefined) return [`${folder}: no README.md`]
    const count = lines(readme.text)
    return count > readmeLines ? [`${folder}/README.md: ${count} lines, at most ${readmeLines}`] : []
  })

/** Limit of the repository's README, whose details are in docs/. */
const firstPageBytes = 6000

/** Returns true if the README of the repository is too long for a first page. */
export const isLongFirstPage = (text: string): boolean => Buffer.byteLength(text) > firstPageBytes

/** Patterns that are only valid on one machine. */
const machinePatterns: readonly (readonly [description: string, pattern: RegExp])[] = [
  ['a home folder', /(?<![\w.:/-])\/(?:home|Users)\/\w+|[A-Z]:\\Users\\\w/],
  ['a path of one machine', /(?<![\w./-])\/(?:root|work|mnt)\/[\w.]/],
  ['a registry address', /https?:\/\/[\w.-]*(?:registry\.|npm\.pkg|artifactory|nexus)[\w.-]*/i],
  ['an address in a private network', /https?:\/\/(?:10|172\.(?:1[6-9]|2\d|3[01])|192\.168)\.\d/],
]

/** Returns the texts in `files` that are valid only on one machine or network. */
export const machineSpecific = (files: readonly SourceFile[]): readonly string[] =>
  files.flatMap(({ path, text }) =>
    machinePatterns.flatMap(([description, pattern]) => {
      const found = pattern.exec(text)?.[0]
      return found === undefined ? [] : [`${path}: ${description} (${found})`]
    }),
  )

/**
 * Returns skipped tests: they must be repaired or removed. `skipIf` is allowed, because it states its
 * condition.
 */
export const skippedTests = (files: readonly SourceFile[]): readonly string[] =>
  files
    .filter(({ path }) => path.endsWith('.test.ts'))
    .flatMap(({ path, text }) => {
      const found = /\b(?:it|test|describe)\.(?:skip|only|todo|fails)\b/.exec(text)?.[0]
      return found === undefined ? [] : [`${path}: ${found}`]
    })

/** Returns the classes that a component takes from a CSS module that does not define them: `styles['x']` is undefined. */
export function undefinedClasses(files: readonly SourceFile[]): readonly string[] {
  const textOf = new Map(files.map(({ path, text }) => [path, text]))
  return files
    .filter(({ path }) => /^renderer\/.*\.tsx?$/.test(path))
    .flatMap(({ path, text }) =>
      [...text.matchAll(/import (\w+) from '([^']+\.module\.css)'/g)].flatMap(([, name = '', from = '']) => {
        const sheet = textOf.get(posix.join(posix.dirname(path), from)) ?? ''
        const used = [...text.matchAll(new RegExp(`\\b${name}\\['([\\w-]+)'\\]`, 'g'))].map(([, one]) => one)
        return [...new Set(used)]
          .filter((one) => !new RegExp(`\\.${one}(?![\\w-])`).test(sheet))
          .map((one) => `${path}: ${from} has no class ${one}`)
      }),
    )
}
