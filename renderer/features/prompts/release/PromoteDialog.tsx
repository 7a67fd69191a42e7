import { Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Environment } from '../../../../contract/common/environments.ts'
import type { PromptRow } from '../../../../contract/prompts/prompt-list.ts'
import { t, tNode } from '../../../lib/i18n.ts'
import { client } from '../../../lib/service/api.ts'
import type { DisabledReason } from '../../../lib/session/me.ts'
import { EnvBadge } from '../../../shared/environments/EnvBadge.tsx'
import { ServerDiff } from '../editor/diff/ServerDiff.tsx'
import { refreshPrompts, siblingsQuery } from '../prompts.queries.ts'
import { ReleaseDialog } from './ReleaseDialog.tsx'

type Props = {
  readonly from: PromptRow
  readonly env: Environment
  /** The prompt in the target environment; undefined if there is none yet. */
  readonly to: PromptRow | undefined
  readonly disabledReason: DisabledReason
  readonly onClose: () => void
}

/** A dialog that copies the version served by one environment into another, as its next version. */
export function PromoteDialog({ from: opened, env, to, disabledReason, onClose }: Props) {
  const queries = useQueryClient()
  const [from, setFrom] = useState(opened)
  const reload = async (): Promise<void> => {
    const rows = await queries.fetchQuery({ ...siblingsQuery(opened), staleTime: 0 })
    setFrom(rows.find(({ id }) => id === opened.id) ?? opened)
    await refreshPrompts(queries)
  }
  const version = from.served?.version ?? ''
  return (
    <ReleaseDialog
      title={t('prompt:promote.title', { key: from.key, version, env })}
      action={t('prompt:promote.action', { version, env })}
      done={(released) =>
        t('prompt:promote.done', { key: released.key, env, version: released.version ?? '' })
      }
      run={(body, options) =>
        client.promptVersions.promote({ params: { id: from.id }, body: { env, ...body } }, options)
      }
      subject={from}
      onStale={reload}
      disabledReason={disabledReason}
      onClose={onClose}
    >
      <Text size="sm" component="div">
        {tNode(to === undefined ? 'prompt:promote.creates' : 'prompt:promote.text', {
          version: <b className="mono">{version}</b>,
          from: <EnvBadge env={from.env} />,
          env: <EnvBadge env={env} />,
          clients: <b>{t('prompts:clients', { count: to?.client_count ?? 0 })}</b>,
        })}
        {to?.has_draft === true && <p>{t('prompt:promote.draft', { env })}</p>}
      </Text>
      {to === undefined ? (
        <ServerDiff id={from.id} from="none" to="served" />
      ) : (
        <ServerDiff
          id={to.id}
          from={to.served === null ? 'none' : 'served'}
          to="served"
          toId={from.id}
          fromEnv={env}
        />
      )}
    </ReleaseDialog>
  )
}
