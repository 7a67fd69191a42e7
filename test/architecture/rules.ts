import { engineLayers, oneEngine } from './engine-rules.ts'
import { type Import, packageOf } from './imports.ts'
import { isIn, type Rule } from './rule.ts'
import { refuseSubFolder } from './sub-folders.ts'

const topFolder = (path: string): string => path.split('/')[0] ?? ''
/** Returns `users` for `server/features/users/users.store.ts`. */
const featureOf = (path: string, features: string): string | undefined =>
  isIn(path, features) ? path.slice(features.length + 1).split('/')[0] : undefined

const mayLoad: Readonly<Record<string, readonly string[]>> = {
  contract: ['contract'],
  server: ['server', 'contract'],
  renderer: ['renderer', 'contract'],
  main: ['main', 'contract', 'server'],
  bench: ['bench', 'server', 'contract', 'scripts'],
  scripts: ['scripts'],
  sdk: ['sdk'],
}

const folders: Rule = {
  name: 'a top folder imports only the folders it may',
  refuse: ({ from, to, isOurs }) => {
    const allowed = mayLoad[topFolder(from)]
    if (!isOurs || allowed === undefined) return null
    // The clients import nothing of the project. Their conformance tests find Chromium with `scripts`.
    if (isIn(from, 'sdk/conformance') && isIn(to, 'scripts')) return null
    return allowed.includes(topFolder(to)) ? null : `${topFolder(from)} may import ${allowed.join(', ')} only`
  },
}

const contractPackages: Rule = {
  name: 'contract imports zod only',
  refuse: ({ from, to, isOurs }) =>
    isIn(from, 'contract') && !isOurs && packageOf(to) !== 'zod' ? 'contract may import zod only' : null,
}

const noNodeInPages: Rule = {
  name: 'renderer imports no module of Node',
  refuse: ({ from, to }) =>
    isIn(from, 'renderer') && to.startsWith('node:') ? 'there is no Node in a page' : null,
}

/** Scripts that are loaded after the packages are installed. */
const lateScripts = new Set(['scripts/lib/fuses.mjs', 'scripts/lib/build/bundle.mjs'])
const bareScripts: Rule = {
  name: 'scripts import only Node, because they run before packages are installed',
  refuse: ({ from, to, isOurs }) =>
    isIn(from, 'scripts') && !isOurs && !to.startsWith('node:') && !lateScripts.has(from)
      ? 'not installed yet'
      : null,
}

const loadedByHost = new Set(['server/index.ts', 'server/config.ts'])
const shell: Rule = {
  name: 'main imports only types of contract and server/index; only its service host loads the service',
  refuse: ({ from, to, isOurs, isTypeOnly }) => {
    if (!isIn(from, 'main') || !isOurs || isIn(to, 'main')) return null
    if (from === 'main/service-host.ts' && loadedByHost.has(to)) return null
    if (isIn(to, 'server') && to !== 'server/index.ts') return 'server/index.ts is the only public interface'
    return isTypeOnly ? null : 'types only: the service runs in a process of its own'
  },
}

const electron: Rule = {
  name: 'only main/index.ts and the preloads load electron: importing it from plain Node downloads it',
  refuse: ({ from, to, isOurs, isTypeOnly }) => {
    if (isOurs || packageOf(to) !== 'electron') return null
    if (from === 'main/index.ts' || /^main\/[a-z-]*preload\.cts$/.test(from)) return null
    return isTypeOnly && isIn(from, 'main') ? null : 'electron belongs to main/index.ts'
  },
}

const noShellFromNode: Rule = {
  name: 'no file that runs in plain Node imports main/index.ts',
  refuse: ({ to }) => (to === 'main/index.ts' ? 'it loads electron' : null),
}

/** Libraries that only one folder may import. */
const owners: readonly (readonly [folder: string, packages: readonly string[]])[] = [
  ['server/http', ['express', 'helmet', 'compression', 'raw-body']],
  ['server/live', ['ws']],
  ['server/db/engines/sqljs/sqlite', ['sql.js']],
]
const owned: Rule = {
  name: 'only server/http imports the HTTP libraries, only server/live ws, only the engine sql.js',
  refuse: ({ from, to, isOurs }) => {
    if (!isIn(from, 'server') || isOurs) return null
    const owner = owners.find(([, packages]) => packages.includes(packageOf(to)))
    return owner === undefined || isIn(from, owner[0]) ? null : `only ${owner[0]} may import ${packageOf(to)}`
  },
}

/** Server files outside the data folder: the installed version and the built console. */
const otherFiles = new Set(['server/lib/version.ts', 'server/http/routing/console.router.ts'])
const dataFolder: Rule = {
  name: 'only server/disk makes file calls, so that tests can inject faults and record every call',
  refuse: ({ from, to, isOurs }) => {
    if (!isIn(from, 'server') || isOurs || isIn(from, 'server/disk') || otherFiles.has(from)) return null
    return /^(?:node:)?fs(?:\/promises)?$/.test(to) ? 'import it from server/disk' : null
  },
}

const serverFeatures: Rule = {
  name: 'server features never import each other',
  refuse: ({ from, to }) => crossing(from, to, 'server/features'),
}

const rendererFeatures: Rule = {
  name: 'renderer features never import each other',
  refuse: ({ from, to }) => crossing(from, to, 'renderer/features'),
}

const oneWay: Rule = {
  name: 'sub-folders import each other in one direction only',
  refuse: refuseSubFolder,
}

function crossing(from: string, to: string, features: string): string | null {
  const [importer, target] = [featureOf(from, features), featureOf(to, features)]
  return importer === undefined || target === undefined || importer === target
    ? null
    : `the feature ${importer} imports ${target}`
}

const consoleLayers = 'app → features → shared → ui → lib'

/** Imports that are forbidden for files of a kind or folder. Every other import is allowed by this rule. */
const layers: readonly {
  readonly from: RegExp
  readonly never: RegExp
  /** Exceptions from `never` for type imports. */
  readonly typesOf?: RegExp
  readonly reason: string
}[] = [
  {
    from: /^server\/features\/.*\.routes\.ts$/,
    never: /^server\/(db|history|live)\/|\.store\.ts$/,
    reason: 'routes call their service or read model',
  },
  {
    from: /^server\/features\/.*\.service\.ts$/,
    never: /^server\/(http|live)\/|^server\/db\/|\.routes\.ts$/,
    typesOf: /^server\/db\/(types|schema\/\w+)\.ts$/,
    reason: 'a service calls its store, history and policy; it gets no request and no engine',
  },
  {
    from: /^server\/.*\.(store|read)\.ts$/,
    never: /^server\/(http|live|history|auth)\/(?!.*\.(store|read)\.ts$)|\.(routes|service)\.ts$/,
    reason: 'a store calls only db',
  },
  {
    from: /^server\/lib\//,
    never: /^server\/(?!lib\/|disk\/)/,
    typesOf: /^server\/db\/types\.ts$/,
    reason: 'lib imports no layer above it',
  },
  { from: /^server\/disk\//, never: /^server\/(?!disk\/)/, reason: 'disk imports no layer above it' },
  { from: /^server\/db\//, never: /^server\/(?!db\/|lib\/|disk\/)/, reason: 'db imports no layer above it' },
  {
    from: /^server\/(http|live|history|auth)\//,
    never: /^server\/(features\/|compose\/|(index|cli)\.ts$)/,
    reason: 'server/compose passes features as arguments',
  },
  {
    from: /^server\/resources\//,
    never: /^server\/(features|definitions|http|live|compose|auth)\//,
    reason: 'resources is the core that features supply with their content, rules and storage',
  },
  {
    from: /^server\/definitions\//,
    never: /^server\/(features|http|live|compose|auth)\//,
    reason: 'definitions is the shared part of agents and workflows; it imports neither',
  },
  {
    from: /^server\/features\//,
    never: /^server\/(compose\/|(index|cli)\.ts$)/,
    reason: 'server/compose passes dependencies as arguments',
  },
  { from: /^renderer\/features\//, never: /^renderer\/app\//, reason: consoleLayers },
  { from: /^renderer\/shared\//, never: /^renderer\/(app|features)\//, reason: consoleLayers },
  { from: /^renderer\/ui\//, never: /^renderer\/(app|features|shared)\//, reason: consoleLayers },
  { from: /^renderer\/lib\//, never: /^renderer\/(app|features|shared|ui)\//, reason: consoleLayers },
]

/** Contract files that are independent of any one resource. */
const commonContract = /^contract\/(?:client\.ts$|common\/)/
const plainParts: Rule = {
  name: 'renderer/ui is independent of the domain; parts about a noun are in renderer/shared/<noun>',
  refuse: ({ from, to }) => {
    if (!isIn(from, 'renderer/ui') || !isIn(to, 'contract')) return null
    return commonContract.test(to) ? null : 'move it to renderer/shared'
  },
}

/** Contract files that the helpers of server/lib may use: ids and pages, problem codes, role names. */
const helperContract = /^contract\/common\/(?:fields|problem|roles)\.ts$/
const plainHelpers: Rule = {
  name: 'server/lib is independent of the domain; helpers about a noun are in server/resources, auth or their feature',
  refuse: ({ from, to }) => {
    if (!isIn(from, 'server/lib') || !isIn(to, 'contract')) return null
    return helperContract.test(to) ? null : 'move it out of server/lib'
  },
}

const layered: Rule = {
  name: 'calls go down: routes → service → store → db; app → features → shared → ui → lib',
  refuse: ({ from, to, isTypeOnly }) => {
    const broken = layers.find(
      (layer) =>
        layer.from.test(from) && layer.never.test(to) && !(isTypeOnly && layer.typesOf?.test(to) === true),
    )
    return broken?.reason ?? null
  },
}

export const rules: readonly Rule[] = [
  folders,
  contractPackages,
  noNodeInPages,
  bareScripts,
  shell,
  electron,
  noShellFromNode,
  owned,
  dataFolder,
  serverFeatures,
  rendererFeatures,
  oneWay,
  plainParts,
  oneEngine,
  engineLayers,
  plainHelpers,
  layered,
]

/** Returns `from → to: reason` for each import that a rule refuses. */
export const violations = (rule: Rule, imports: readonly Import[]): readonly string[] =>
  imports.flatMap((imported) => {
    const reason = rule.refuse(imported)
    return reason === null ? [] : [`${imported.from} → ${imported.to}: ${reason}`]
  })
