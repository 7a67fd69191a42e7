import type { PromptFacets } from '../../../../contract/prompts/prompt-list.ts'

/** The value in the URL and the API for prompts without a folder. */
export const noFolder = '/'

export type FolderNode = {
  readonly path: string
  /** The last part of the path. */
  readonly name: string
  /** Number of prompts in the folder and in its subfolders. */
  readonly count: number
  /** Depth, from 1. */
  readonly level: number
  readonly hasChildren: boolean
}

const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')))

/**
 * Returns the visible folders in display order: each after its parent, sorted by name, without those in
 * closed folders.
 */
export function visibleFolders(
  folders: PromptFacets['folders'],
  isOpen: (path: string) => boolean,
): FolderNode[] {
  const childrenOf = new Map<string, PromptFacets['folders']>()
  for (const folder of folders) {
    if (folder.path === '') continue
    const parent = parentOf(folder.path)
    childrenOf.set(parent, [...(childrenOf.get(parent) ?? []), folder])
  }
  const flatten = (parent: string, level: number): FolderNode[] =>
    (childrenOf.get(parent) ?? [])
      .toSorted((a, b) => a.path.localeCompare(b.path))
      .flatMap(({ path, total }) => {
        const hasChildren = childrenOf.has(path)
        const node = { path, name: path.slice(path.lastIndexOf('/') + 1), count: total, level, hasChildren }
        return [node, ...(hasChildren && isOpen(path) ? flatten(path, level + 1) : [])]
      })
  return flatten('', 1)
}

/** Returns all parent folders of a path, outermost first. */
export function ancestorsOf(path: string): string[] {
  const parts = path.split('/').slice(0, -1)
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'))
}
