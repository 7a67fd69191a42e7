import type { PromptVersion } from '../../../contract/prompt-versions.ts'
import { t } from '../../lib/i18n.ts'
import type { Marker } from '../../ui/chart/chart.ts'

/** The versions that came into service, as the run chart marks them; to the apps all but a rollback are a publish. */
export const markersOf = (versions: readonly PromptVersion[]): readonly Marker[] =>
  versions.map((version) => ({
    id: version.version,
    at: Date.parse(version.created_at),
    kind: version.kind === 'rollback' ? 'rollback' : 'publish',
    label: saidOf(version),
  }))

/** "v2 published by edda: Shorter" */
export function saidOf({ version, kind, created_by: user, message }: PromptVersion): string {
  const key = kind === 'rollback' ? 'prompt:runs.mark_back' : 'prompt:runs.mark'
  return message === '' ? t(key, { version, user }) : t(`${key}_message`, { version, user, message })
}
