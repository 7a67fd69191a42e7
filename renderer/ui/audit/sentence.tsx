import type { ReactNode } from 'react'
import type { AuditAction, AuditEntry, AuditResource } from '../../../contract/audit.ts'
import { roles } from '../../../contract/roles.ts'
import { type TextKey, t, tMaybe, tNode } from '../../lib/i18n.ts'
import { EnvBadge } from '../EnvBadge.tsx'

type Values = Readonly<Record<string, ReactNode>>
type Kind = `${AuditResource}.${AuditAction}`

const role = `(?:${roles.join('|')})`
/** A message, or whatever else the service says behind a colon or a comma. */
const rest = '(?:: (?<rest>[^]+))?$'
const prompt = (says: string): RegExp => new RegExp(`^${says}`)

/**
 * What the service's summary says beyond action, resource and key; `rest` is what it says besides. Where nothing is
 * found, the plainer sentence counts and the summary stands beside it, so nothing is ever lost.
 */
const details: Partial<Record<Kind, RegExp>> = {
  'user.create': new RegExp(` as (?<role>${role})$`),
  'user.role_change': new RegExp(` from (?<from>${role}) to (?<to>${role})(?:, (?<rest>.+))?$`),
  'session.login_failed': / \((?<count>\d+) times\)$/,
  'setting.setting_change': /^Changed \S+ from (?<from>\S+) to (?<to>\S+)$/,
  'prompt.create': prompt('Created the prompt \\S+ in (?<env>\\w+) (?<rest>.+)$'),
  'prompt.update': prompt('Changed (?<what>the prompt|the draft of) \\S+ in (?<env>\\w+)$'),
  'prompt.publish': prompt(`Published \\S+ (?<version>v\\d+) in (?<env>\\w+)${rest}`),
  'prompt.rollback': prompt(`Rolled back \\S+ in (?<env>\\w+) to (?<version>v\\d+), as (?<as>v\\d+)${rest}`),
  'prompt.promote': prompt(
    `Promoted \\S+ (?<version>v\\d+) from (?<source>\\w+) to (?<env>\\w+), as (?<as>v\\d+)${rest}`,
  ),
  'prompt.delete': prompt('Deleted the prompt \\S+ in (?<env>\\w+)(?:, (?<rest>.+))?$'),
  'prompt.restore': prompt('Restored the prompt \\S+ in (?<env>\\w+)(?:, (?<rest>.+))?$'),
}

/** An import is told as what it did to each prompt: it made it, changed its draft or published it. */
const imported = prompt('Imported \\S+ in (?<env>\\w+) (?<rest>.+)$')

/** Actions whose sentence does not say what exactly was changed. */
const vague: ReadonlySet<AuditAction> = new Set([
  'update',
  'role_change',
  'setting_change',
  'restore',
  'promote',
])

const isThere = (key: string): boolean => tMaybe(key, '') !== ''

/** The sentence's text, and what goes into it beside the actor and the key. */
function choose(entry: AuditEntry): {
  readonly key: TextKey
  readonly more: Record<string, string | undefined> | null
} {
  const { action, resource } = entry
  const kind: Kind = `${resource}.${action}`
  const more = details[kind]?.exec(entry.summary)?.groups
  if (more !== undefined && entry.key !== null) return { key: `audit:says_more.${kind}` as TextKey, more }
  const came = resource === 'prompt' ? imported.exec(entry.summary)?.groups : undefined
  if (came !== undefined && entry.key !== null) return { key: 'audit:says_more.prompt.import', more: came }
  const own = `audit:says.${kind}_own`
  if (entry.key === entry.actor && isThere(own)) return { key: own as TextKey, more: null }
  if (isThere(`audit:says.${kind}`)) return { key: `audit:says.${kind}` as TextKey, more: null }
  const needsKey = t(`audit:says.any.${action}`).includes('{{key}}')
  return { key: entry.key === null && needsKey ? 'audit:says.other' : `audit:says.any.${action}`, more: null }
}

function shown(name: string, value = ''): ReactNode {
  if (name === 'env' || name === 'source') return <EnvBadge env={value} />
  if (name === 'what') return t(value === 'the prompt' ? 'audit:what.prompt' : 'audit:what.draft')
  if (name === 'version' || name === 'as') return <span className="mono">{value}</span>
  if (name === 'role' || name === 'from' || name === 'to') return <b>{value}</b>
  return value
}

/** "edda published **greet** v7 in prod": one entry as people say it. */
export function sentenceOf(entry: AuditEntry): ReactNode {
  const { key, more } = choose(entry)
  const values: Values = {
    actor: (
      <b>
        <bdi>{entry.actor}</bdi>
      </b>
    ),
    key: (
      <b className={entry.resource === 'user' || entry.resource === 'session' ? '' : 'mono'}>
        <bdi>{entry.key}</bdi>
      </b>
    ),
    resource: t(`audit:resource.${entry.resource}`),
    summary: entry.summary,
    ...Object.fromEntries(Object.entries(more ?? {}).map(([name, value]) => [name, shown(name, value)])),
  }
  return tNode(key, values)
}

/** What the sentence leaves out: the rest of the summary, or all of it where the sentence is a plain one. */
export function remarkOf(entry: AuditEntry): string | null {
  const { key, more } = choose(entry)
  if (more !== null) return more['rest'] ?? null
  return key !== 'audit:says.other' && vague.has(entry.action) ? entry.summary : null
}
