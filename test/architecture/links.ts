import { posix } from 'node:path'
import type { SourceFile } from '../support/source-tree.ts'

/** Removes code from the text of a document, so that examples are not treated as links. */
const withoutCode = (text: string): string =>
  text
    .replace(/^(`{3,}|~{3,})[\s\S]*?^\1/gm, '')
    .replace(/(?<!`)(`+)(?!`)[^\n]*?[^`\n]\1(?!`)/g, (code) => ' '.repeat(code.length))

/**
 * Patterns for the targets of `[text](target)`, `![text](target)`, `[label]: target`, `<a href="target">` and
 * `<img src="target">`.
 */
const links = [
  /\]\(\s*<?([^()\s>]+)>?(?:\s+"[^"]*")?\s*\)/g,
  /^\[[^\]]+\]:\s*<?([^\s>]+)>?/gm,
  /<(?:a|img)\b[^>]*\s(?:href|src)="([^"]+)"/g,
]
const external = /^[a-z][a-z0-9+.-]*:/i

/** Returns the anchor of a heading on GitHub. */
export const anchorOf = (heading: string): string =>
  heading
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, '')
    .replaceAll(' ', '-')

/** Returns all anchors of a document; a repeated heading gets `-1`, `-2`, …. */
function anchorsOf(text: string): ReadonlySet<string> {
  const counts = new Map<string, number>()
  const anchors = new Set<string>()
  const prose = text.replace(/^(`{3,}|~{3,})[\s\S]*?^\1/gm, '')
  for (const [, heading = ''] of prose.matchAll(/^#{1,6} +(.+?)(?: +#+)?$/gm)) {
    const anchor = anchorOf(heading)
    const count = counts.get(anchor) ?? 0
    counts.set(anchor, count + 1)
    anchors.add(count === 0 ? anchor : `${anchor}-${count}`)
  }
  return anchors
}

const targetsOf = (text: string): readonly string[] => {
  const prose = withoutCode(text)
  return links.flatMap((form) => [...prose.matchAll(form)].map(([, target = '']) => target))
}

/** Returns the files of `paths` that no document links to. */
export function unusedFiles(documents: readonly SourceFile[], paths: readonly string[]): readonly string[] {
  const used = new Set(
    documents.flatMap(({ path, text }) =>
      targetsOf(text).map((target) => posix.join(posix.dirname(path), target)),
    ),
  )
  return paths.filter((path) => !used.has(path))
}

/**
 * Returns broken links of documents. `exists` takes a path from the repository root; external links are not
 * fetched.
 */
export function brokenLinks(
  documents: readonly SourceFile[],
  exists: (path: string) => boolean,
): readonly string[] {
  const anchors = new Map(documents.map(({ path, text }) => [path, anchorsOf(text)]))
  return documents.flatMap(({ path, text }) =>
    targetsOf(text).flatMap((target) => {
      if (external.test(target)) return []
      const [file = '', anchor] = target.split('#', 2)
      const to = file === '' ? path : posix.join(posix.dirname(path), decodeURIComponent(file))
      if (!exists(to)) return [`${path}: ${target} does not exist`]
      if (anchor === undefined || anchors.get(to)?.has(anchor) === true) return []
      return [`${path}: ${target} has no such heading`]
    }),
  )
}

const sourcePath = /`((?:bench|contract|docs|main|renderer|scripts|sdk|server|test)\/[\w./@-]+\.\w+)`/g

/** Returns paths of source files that documents name as code and that do not exist. */
export const missingSources = (
  documents: readonly SourceFile[],
  exists: (path: string) => boolean,
): readonly string[] =>
  documents.flatMap(({ path, text }) =>
    [...text.matchAll(sourcePath)].flatMap(([, source = '']) =>
      exists(source) ? [] : [`${path}: ${source} does not exist`],
    ),
  )
