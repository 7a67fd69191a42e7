import { t } from '../i18n.ts'

const browsers: readonly (readonly [RegExp, string])[] = [
  [/Electron\//, 'Promptdeck desktop'],
  [/Edg\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Firefox\//, 'Firefox'],
  [/Chrome\//, 'Chrome'],
  [/Safari\//, 'Safari'],
  [/^curl\//, 'curl'],
  [/^node/i, 'Node.js'],
  [/^python/i, 'Python'],
]
const systems: readonly (readonly [RegExp, string])[] = [
  [/iPhone|iPad/, 'iOS'],
  [/Android/, 'Android'],
  [/Mac OS X/, 'macOS'],
  [/Windows/, 'Windows'],
  [/Linux/, 'Linux'],
]

/** User agent of this project's SDKs: `promptdeck-python/0.1.0 (CPython 3.11.7; Linux)`. */
const sdkAgent = /^promptdeck-[a-z]+\/[^ ]+ \(([^;()]+); ([^()]+)\)$/

const match = (agent: string, table: typeof browsers): string | undefined =>
  table.find(([pattern]) => pattern.test(agent))?.[1]

/** Returns a name such as "Chrome on macOS". An unknown agent is returned unchanged, up to 60 characters. */
export function describeAgent(agent: string): string {
  const [, runtime, os] = sdkAgent.exec(agent) ?? []
  if (runtime !== undefined && os !== undefined)
    return t('common:session.agent', { browser: runtime, system: os })
  const browser = match(agent, browsers)
  const system = match(agent, systems)
  if (browser === undefined) return agent === '' ? t('common:session.unknown_agent') : agent.slice(0, 60)
  return system === undefined ? browser : t('common:session.agent', { browser, system })
}
