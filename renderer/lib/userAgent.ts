import { t } from './i18n.ts'

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

const match = (agent: string, table: typeof browsers): string | undefined =>
  table.find(([pattern]) => pattern.test(agent))?.[1]

/** "Chrome on macOS"; an unknown agent as it is, cut short. */
export function describeAgent(agent: string): string {
  const browser = match(agent, browsers)
  const system = match(agent, systems)
  if (browser === undefined) return agent === '' ? t('common:session.unknown_agent') : agent.slice(0, 60)
  return system === undefined ? browser : t('common:session.agent', { browser, system })
}
