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
    const [importer, target] = [engineFolderOf(from), engineFolderOf(to)]
    if (importer === undefined || importer === target || !isIn(to, 'server/db/engines/sqljs')) return null
    if (target === undefined) return 'the files beside the folders open the store'
    if (!engineFolders.includes(importer)) return `the list of folders does not contain ${importer}`
    const isBefore = engineFolders.indexOf(target) < engineFolders.indexOf(importer)
    return isBefore ? null : `${importer} comes before ${target}`
  },
}
