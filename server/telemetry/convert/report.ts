import { maxTokens, RunReport } from '../../../contract/runs/run.ts'
import { maxOutputLength } from '../../../contract/runs/run-content.ts'
import type { Attributes } from '../protocol/values.ts'
import { numberOf } from '../protocol/values.ts'
import { environmentOf } from './names.ts'

/** A record that is a model call, as a report of a run, or the reason for which it is rejected. */
export type Conversion =
  | { readonly kind: 'run'; readonly report: RunReport; readonly warning: string | null }
  | { readonly kind: 'rejected'; readonly reason: string }

export const source = 'otel'

const maxErrorLength = 2048

/** Returns a text of limited length without surrounding space; null if there is none. Numbers become text. */
export function shortText(value: unknown, maxLength: number): string | null {
  const text = typeof value === 'number' ? String(value) : typeof value === 'string' ? value.trim() : ''
  return text === '' ? null : text.slice(0, maxLength)
}

/** Returns a count of tokens; null for anything else. */
export function countOf(value: unknown): number | null {
  const number = numberOf(value)
  return number === null || number < 0 || number > maxTokens ? null : Math.round(number)
}

/** Returns tags from a list or a comma-separated text, as the contract accepts them; null without any. */
export function tagsOf(value: unknown): string[] | null {
  const list: unknown[] = Array.isArray(value) ? value : typeof value === 'string' ? value.split(',') : []
  const tags = list.flatMap((each) => {
    const text = shortText(typeof each === 'string' ? each.replaceAll(/[,\p{Cc}]/gu, ' ') : each, 64)
    return text === null ? [] : [text]
  })
  return tags.length === 0 ? null : [...new Set(tags)].slice(0, 20)
}

/** Returns the names of tools as the contract accepts them; null without any. */
export function toolNames(names: readonly string[]): string[] | null {
  const valid = names.filter((name) => /^[^,\p{Cc}]{1,128}$/u.test(name))
  return valid.length === 0 ? null : [...new Set(valid)].slice(0, 128)
}

export const outputText = (text: string | null): string | null => text?.slice(0, maxOutputLength) ?? null
export const errorText = (value: unknown): string | null => shortText(value, maxErrorLength)

/** Returns the fields that a program states about itself. */
export function resourceFields(
  resource: Attributes,
  attributes: Attributes,
): Partial<Record<keyof RunReport, unknown>> {
  const env = shortText(
    resource.get('deployment.environment.name') ?? resource.get('deployment.environment'),
    64,
  )
  const workspace = attributes.get('promptdeck.workspace') ?? resource.get('promptdeck.workspace')
  const app = shortText(resource.get('service.name'), 128)
  return {
    // The SDKs of OpenTelemetry send this without a name.
    app: app?.startsWith('unknown_service') === true ? null : app,
    env: env === null ? null : environmentOf(env),
    ...(shortText(workspace, 64) !== null && { workspace_id: shortText(workspace, 64) }),
  }
}

/** Validates a draft by the contract of reports. */
export function convert(
  draft: Partial<Record<keyof RunReport, unknown>>,
  warning: string | null,
): Conversion {
  const parsed = RunReport.safeParse(draft)
  if (parsed.success) return { kind: 'run', report: parsed.data, warning }
  const [issue] = parsed.error.issues
  return { kind: 'rejected', reason: `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'not valid'}` }
}
