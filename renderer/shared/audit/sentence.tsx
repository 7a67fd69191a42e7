import type { ReactNode } from 'react'
import { roles } from '../../../contract/common/roles.ts'
import type { AuditAction, AuditEntry, AuditResource } from '../../../contract/system/audit.ts'
import { type TextKey, t, tMaybe, tNode } from '../../lib/i18n.ts'
import { EnvBadge } from '../environments/EnvBadge.tsx'

type Values = Readonly<Record<string, ReactNode>>
type Kind = `${AuditResource}.${AuditAction}`

const role = `(?:${roles.join('|')})`
/** Matches the rest of a summary after a colon, such as a message. */
const ending = '(?:: (?<rest>[^]+))?$'
const promptPattern = (pattern: string): RegExp => new RegExp(`^${pattern}`)

/**
 * Patterns of the further details in the service's summary, besides action, resource and key. `rest` is any
 * further text. If none matches, a plain sentence is used and the summary is shown beside it, so that nothing
 * is lost.
 */
const detailPatterns: Partial<Record<Kind, RegExp>> = {
  'user.create': new RegExp(` as (?<role>${role})$`),
  'user.role_change': new RegExp(` from (?<from>${role}) to (?<to>${role})(?:, (?<rest>.+))?$`),
  'session.login_failed': / \((?<count>\d+) times\)$/,
  'setting.setting_change': /^Changed \S+ from (?<from>\S+) to (?<to>\S+)$/,
  'prompt.create': promptPattern('Created the prompt \\S+ in (?<env>\\w+) (?<rest>.+)$'),
  'prompt.update': promptPattern('Changed (?<what>the prompt|the draft of) \\S+ in (?<env>\\w+)$'),
  'prompt.publish': promptPattern(`Published \\S+ (?<version>v\\d+) in (?<env>\\w+)${ending}`),
  'prompt.rollback': promptPattern(
    `Rolled back \\S+ in (?<env>\\w+) to (?<version>v\\d+), as (?<as>v\\d+)${ending}`,
  ),
  'prompt.promote': promptPattern(
    `Promoted \\S+ (?<version>v\\d+) from (?<source>\\w+) to (?<env>\\w+), as (?<as>v\\d+)${ending}`,
  ),
  'prompt.delete': promptPattern('Deleted the prompt \\S+ in (?<env>\\w+)(?:, (?<rest>.+))?$'),
  'prompt.restore': promptPattern('Restored the prompt \\S+ in (?<env>\\w+)(?:, (?<rest>.+))?$'),
}

/** An import is shown by its effect on each prompt: created, draft changed or published. */
const importPattern = promptPattern('Imported \\S+ in (?<env>\\w+) (?<rest>.+)$')

/** Actions whose plain sentence does not state exactly what changed. */
const vagueActions: ReadonlySet<AuditAction> = new Set([
  'update',
  'role_change',
  'setting_change',
  'restore',
  'promote',
])

/** Resources whose key is a username. */
const usernameKeys: ReadonlySet<AuditResource> = new Set<AuditResource>([
  'user',
  'session',
  'second_factor',
  'passkey',
  'password_link',
])

const hasText = (key: string): boolean => tMaybe(key, '') !== ''

/** Returns the key of the sentence's text, and its values besides actor and key. */
function chooseSentence(entry: AuditEntry): {
  readonly key: TextKey
  readonly details: Record<string, string | undefined> | null
} {
  const { action, resource } = entry
  // Its actions have meanings of their own, such as a request by somebody who is not signed in yet.
  if (resource === 'pairing') return { key: 'audit:sentence.other', details: null }
  const kind: Kind = `${resource}.${action}`
  const details = detailPatterns[kind]?.exec(entry.summary)?.groups
  if (details !== undefined && entry.key !== null)
    return { key: `audit:detailed_sentence.${kind}` as TextKey, details }
  const importedPrompt = resource === 'prompt' ? importPattern.exec(entry.summary)?.groups : undefined
  if (importedPrompt !== undefined && entry.key !== null)
    return { key: 'audit:detailed_sentence.prompt.import', details: importedPrompt }
  const selfKey = `audit:sentence.${kind}_own`
  if (entry.key === entry.actor && hasText(selfKey)) return { key: selfKey as TextKey, details: null }
  // The name of a private view is not in the log.
  const privateKey = `audit:sentence.${kind}_private`
  if (entry.key === null && hasText(privateKey)) return { key: privateKey as TextKey, details: {} }
  if (hasText(`audit:sentence.${kind}`)) return { key: `audit:sentence.${kind}` as TextKey, details: null }
  const needsKey = t(`audit:sentence.any.${action}`).includes('{{key}}')
  return {
    key: entry.key === null && needsKey ? 'audit:sentence.other' : `audit:sentence.any.${action}`,
    details: null,
  }
}

function renderValue(name: string, value = ''): ReactNode {
  if (name === 'env' || name === 'source') return <EnvBadge env={value} />
  if (name === 'what') return t(value === 'the prompt' ? 'audit:target.prompt' : 'audit:target.draft')
  if (name === 'version' || name === 'as') return <span className="mono">{value}</span>
  if (name === 'role' || name === 'from' || name === 'to') return <b>{value}</b>
  return value
}

/** Returns an entry as a sentence: "edda published **greet** v7 in prod". */
export function sentenceOf(entry: AuditEntry): ReactNode {
  const { key, details } = chooseSentence(entry)
  const values: Values = {
    actor: (
      <b>
        <bdi>{entry.actor}</bdi>
      </b>
    ),
    key: (
      <b className={usernameKeys.has(entry.resource) ? '' : 'mono'}>
        <bdi>{entry.key}</bdi>
      </b>
    ),
    resource: t(`audit:resource.${entry.resource}`),
    summary: entry.summary,
    ...Object.fromEntries(
      Object.entries(details ?? {}).map(([name, value]) => [name, renderValue(name, value)]),
    ),
  }
  return tNode(key, values)
}

/** Returns how a user signed in, or which credential was refused; null if it was the password alone. */
function signInDetail({ action, actor, key, summary }: AuditEntry): string | null {
  const start =
    action === 'login'
      ? `${actor} signed in `
      : action === 'login_failed'
        ? `Failed sign-in as ${key ?? 'an unknown name'}: `
        : null
  if (start === null || !summary.startsWith(start)) return null
  return summary.slice(start.length).replace(/ \(\d+ times\)$/, '')
}

/**
 * Returns what the sentence omits: the rest of the summary, or all of it for a plain sentence; null if
 * nothing.
 */
export function omittedTextOf(entry: AuditEntry): string | null {
  if (entry.resource === 'session') return signInDetail(entry)
  const { key, details } = chooseSentence(entry)
  if (details !== null) return details['rest'] ?? null
  return key !== 'audit:sentence.other' && vagueActions.has(entry.action) ? entry.summary : null
}
