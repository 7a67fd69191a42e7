import type { Import } from './imports.ts'

/** Sub-folders of a feature, each with the other sub-folders that it may import. */
const subFolders: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  'server/features/prompts': {
    state: [],
    formats: [],
    list: ['state'],
    drafts: ['state'],
    trash: ['state'],
    served: ['state'],
    versions: ['state'],
    rollout: ['state', 'versions'],
    transfer: ['state', 'formats', 'list'],
  },
  'server/features/runs': {
    store: [],
    payloads: ['store'],
    statistics: ['store'],
    ingest: ['payloads', 'statistics', 'store'],
    query: ['payloads', 'statistics', 'store'],
    retention: ['payloads', 'statistics', 'store'],
  },
}

/** Returns the reason why a sub-folder may not import a file of its feature; null if it may. */
export function refuseSubFolder({ from, to }: Pick<Import, 'from' | 'to'>): string | null {
  const feature = Object.keys(subFolders).find((folder) => [from, to].every((path) => isIn(path, folder)))
  if (feature === undefined) return null
  const [mine, theirs] = [subFolderOf(from, feature), subFolderOf(to, feature)]
  if (mine === null || mine === theirs) return null
  const allowed = subFolders[feature]?.[mine]
  if (allowed === undefined) return `add ${feature}/${mine} to the rule`
  if (theirs !== null && allowed.includes(theirs)) return null
  return `${mine} may import ${allowed.join(', ') || 'no other folder'} of its feature`
}

const isIn = (path: string, folder: string): boolean => path.startsWith(`${folder}/`)

/** Returns `versions` for a file in that sub-folder; null for a file of the feature itself. */
function subFolderOf(path: string, feature: string): string | null {
  const [folder, ...rest] = path.slice(feature.length + 1).split('/')
  return rest.length > 0 && folder !== undefined ? folder : null
}
