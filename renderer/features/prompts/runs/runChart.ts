import type { PromptVersion } from '../../../../contract/prompts/prompt-versions.ts'
import { t } from '../../../lib/i18n.ts'
import type { Marker } from '../../../ui/chart/chart.ts'

/** Returns versions as markers of the run chart. For clients, every kind except a rollback is a publish. */
export const markersOf = (versions: readonly PromptVersion[]): readonly Marker[] =>
  versions.map((version) => ({
    id: version.version,
    at: Date.parse(version.created_at),
    kind: version.kind === 'rollback' ? 'rollback' : 'publish',
    label: versionSummary(version),
  }))

/** Returns the label of a version, such as "v2 published by edda: Shorter". */
export function versionSummary({ version, kind, created_by: user, message }: PromptVersion): string {
  const key = kind === 'rollback' ? 'prompt:runs.mark_rollback' : 'prompt:runs.mark'
  return message === '' ? t(key, { version, user }) : t(`${key}_message`, { version, user, message })
}
