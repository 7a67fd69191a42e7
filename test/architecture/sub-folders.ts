import type { Import } from './imports.ts'
import { isIn } from './rule.ts'

/** The files of a folder that are in none of its sub-folders. */
const root = '.'

/** Sub-folders of a folder, each with the other sub-folders that it may import. */
const subFolders: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  contract: {
    common: [],
    formats: [],
    resources: ['common'],
    live: ['common'],
    models: ['common', 'formats'],
    runs: ['common', 'formats', 'live'],
    alerts: ['common', 'runs'],
    gateway: ['common'],
    accounts: ['common', 'live', 'gateway'],
    prompts: ['common', 'formats', 'live', 'resources', 'models'],
    definitions: ['common', 'resources', 'prompts'],
    playground: ['common', 'formats', 'models', 'prompts', 'runs'],
    system: ['common', 'live', 'models', 'gateway'],
    telemetry: ['common'],
    agents: ['common', 'resources', 'prompts', 'definitions', 'models', 'playground'],
    workflows: ['common', 'formats', 'resources', 'prompts', 'definitions', 'models', 'playground', 'runs'],
  },
  main: {
    lib: [],
    page: [],
    service: ['lib'],
    settings: ['lib'],
    servers: ['lib', 'page'],
    windows: ['lib', 'page', 'service', 'settings', 'servers'],
  },
  'server/telemetry': {
    protocol: [],
    convert: ['protocol'],
    receive: ['protocol', 'convert'],
    export: ['protocol', 'convert'],
  },
  'sdk/js/src': {
    lib: [],
    core: ['lib'],
    http: ['lib', 'core'],
    live: ['lib', 'core'],
    runs: ['lib', 'core', 'http'],
    prompts: ['lib', 'core', 'http', 'live'],
    browser: [root, 'core'],
    node: [root, 'core', 'http'],
  },
  'server/auth': {
    passwords: [],
    identity: [],
    sessions: ['identity'],
    tokens: ['identity'],
    devices: ['identity', 'sessions'],
  },
  'server/calls': { request: [], intents: ['request'], result: ['request', 'intents'] },
  'server/gateway': {
    protocols: [],
    reply: ['protocols'],
    request: ['protocols'],
    served: ['protocols'],
    budgets: [],
    cache: ['protocols', 'reply'],
    offline: ['protocols', 'reply', 'request'],
    call: ['protocols', 'reply', 'request', 'served', 'budgets', 'cache', 'offline'],
  },
  'server/history': { chain: [], events: [], verify: ['chain'] },
  'server/live': {
    frames: [],
    connections: ['frames'],
    broadcast: ['frames', 'connections'],
    handshake: ['frames', 'connections', 'broadcast'],
  },
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
    content: ['payloads', 'store'],
    query: ['content', 'payloads', 'statistics', 'store'],
    retention: ['payloads', 'statistics', 'store'],
  },
  'server/features/alerts': {
    rules: [],
    delivery: ['rules'],
    events: ['rules', 'delivery'],
    evaluation: ['rules', 'events'],
  },
  'server/features/auth': {
    'sign-ins': [root],
    'password-links': [root],
    passkeys: [root],
    'second-factor': [root, 'passkeys'],
  },
  'server/features/workflows': { engine: [], definition: ['engine'], executions: ['definition', 'engine'] },
}

/** Returns the reason why a sub-folder may not import a file of its folder; null if it may. */
export function refuseSubFolder({ from, to }: Pick<Import, 'from' | 'to'>): string | null {
  const folder = Object.keys(subFolders).find((parent) => [from, to].every((path) => isIn(path, parent)))
  if (folder === undefined) return null
  const [source, target] = [subFolderOf(from, folder), subFolderOf(to, folder)]
  if (source === root || source === target) return null
  const allowed = subFolders[folder]?.[source]
  if (allowed === undefined) return `add ${folder}/${source} to the rule`
  if (allowed.includes(target)) return null
  return `${source} may import ${allowed.join(', ') || 'no other sub-folder'} of ${folder}`
}

/** Returns `versions` for a file in that sub-folder, and `.` for a file of the folder itself. */
function subFolderOf(path: string, folder: string): string {
  const [first = '', ...rest] = path.slice(folder.length + 1).split('/')
  return rest.length > 0 ? first : root
}
