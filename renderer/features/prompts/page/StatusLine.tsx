import { Link } from '@tanstack/react-router'
import type { Prompt } from '../../../../contract/prompts/prompt.ts'
import type { Convergence } from '../../../../contract/prompts/prompt-rollout.ts'
import { t, tNode } from '../../../lib/i18n.ts'
import { EnvBadge } from '../../../shared/environments/EnvBadge.tsx'
import { EditingState } from '../../../shared/resources/page/EditingState.tsx'
import head from '../../../shared/resources/page/head.module.css'
import type { PromptEditing } from '../editor/usePromptEditing.ts'
import styles from './prompt.module.css'

type Props = {
  readonly prompt: Prompt
  readonly rollout: Convergence | undefined
  readonly editing: PromptEditing
}

/** The status of a prompt, such as "Draft differs from v7 (served) · 14 clients on v7". */
export function StatusLine({ prompt, rollout, editing }: Props) {
  const { served, has_draft: hasDraft } = prompt
  return (
    <span className={head['status']} data-testid="status">
      <EnvBadge env={prompt.env} />
      {prompt.name !== prompt.key && <bdi className={head['name']}>{prompt.name}</bdi>}
      <span>
        {served === null
          ? t('prompt:status.never')
          : tNode(hasDraft ? 'prompt:status.differs' : 'prompt:status.same', {
              version: <b className="mono">{served.version}</b>,
            })}
      </span>
      {rollout !== undefined && served !== null && <ClientCounts id={prompt.id} rollout={rollout} />}
      <EditingState
        editing={editing}
        unsaved={t('prompt:status.unsaved')}
        theirsText={({ updated_by: user }) => t('prompt:status.theirs', { user })}
      />
    </span>
  )
}

/** The number of connected clients per version, with a link to the clients. */
function ClientCounts({ id, rollout }: { readonly id: string; readonly rollout: Convergence }) {
  const text =
    rollout.total === 0
      ? t('prompt:status.nobody')
      : rollout.versions
          .map(({ version, count }) =>
            version === null
              ? t('prompt:status.on_none', { count })
              : t('prompt:status.on', { count, version }),
          )
          .join(', ')
  return (
    <>
      <span aria-hidden="true">·</span>
      <Link to="/prompts/$id" params={{ id }} search={{ tab: 'clients' }} className={styles['running'] ?? ''}>
        {text}
      </Link>
    </>
  )
}
