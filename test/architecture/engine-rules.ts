import { isIn, type Rule } from './rule.ts'

const engines = 'server/db/engines'
/** Server files that may open a store. */
const opensStore = /^server\/(?:compose\/|tools\/|index\.ts$)/
export const oneEngine: Rule = {
  name: 'features import the Db interface, not its engine; an engine imports only what all engines share',
  refuse: ({ from, to }) => {
    if (!isIn(from, 'server') || isIn(from, engines) || !isIn(to, engines)) return null
    return opensStore.test(from) ? null : 'only compose, tools and index.ts open an engine'
  },
}

/** Folders of the engine. Each imports only those before it. */
const engineFolders = [
  'format',
  'sqlite',
  'lock',
  'record',
  'space',
  'journal',
  'transactions',
  'snapshot',
  'recovery',
]
const engineFolderOf = (path: string): string | undefined =>
  /^server\/db\/engines\/sqljs\/(?:([^/]+)\/)?[^/]+$/.exec(path)?.slice(1)[0]
export const engineLayers: Rule = {
  name: 'engines/sqljs: format → sqlite, lock, record, space → journal → transactions → snapshot → recovery',
  refuse: ({ from, to }) => {
    const [user, used] = [engineFolderOf(from), engineFolderOf(to)]
    if (user === undefined || user === used || !isIn(to, 'server/db/engines/sqljs')) return null
    if (used === undefined) return 'the files beside the folders open the store'
    if (!engineFolders.includes(user)) return `the list of folders does not contain ${user}`
    const isBefore = engineFolders.indexOf(used) < engineFolders.indexOf(user)
    return isBefore ? null : `${user} comes before ${used}`
  },
}
