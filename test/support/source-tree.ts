import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export const top = fileURLToPath(new URL('../../', import.meta.url))

/** A file with its path from the repository root, with forward slashes. */
export type SourceFile = { readonly path: string; readonly text: string }

const generated = new Set(['node_modules', 'dist', 'coverage', '.cache', '.git', 'test-results', 'target'])
/** Folders of built packages at the root; a folder deeper down may have such a name. */
const packed = new Set(['release'])
const binary = /\.(png|jpe?g|webp|ico|icns|woff2?|wasm|gz|zip|db)$/

/** Returns every hand-written text file below `folder` (relative to the root; '' is all). */
export function readTree(folder: string): readonly SourceFile[] {
  return readdirSync(`${top}${folder}`, { withFileTypes: true }).flatMap((entry) => {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`
    // In a linked worktree .git is a file.
    if (generated.has(entry.name) || packed.has(path)) return []
    if (entry.isDirectory()) return readTree(path)
    if (!entry.isFile() || binary.test(entry.name) || entry.name.endsWith('.tsbuildinfo')) return []
    return [{ path, text: readFileSync(`${top}${path}`, 'utf8') }]
  })
}
