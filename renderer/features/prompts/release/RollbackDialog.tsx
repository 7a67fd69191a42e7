import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { Prompt } from '../../../../contract/prompts/prompt.ts'
import { t, tNode } from '../../../lib/i18n.ts'
import { client } from '../../../lib/service/api.ts'
import { ServerDiff } from '../editor/diff/ServerDiff.tsx'
import { useSubject } from '../page/useSubject.ts'
import { convergenceQuery } from '../prompts.queries.ts'
import { ReleaseDialog } from './ReleaseDialog.tsx'
import { useServeDisabledReason } from './useServeDisabledReason.ts'

type Props = { readonly prompt: Prompt; readonly version: string; readonly onClose: () => void }

/** A dialog that publishes the text of an older version as a new version. */
export function RollbackDialog({ prompt, version, onClose }: Props) {
  const { subject, reload } = useSubject(prompt)
  const rollout = useQuery(convergenceQuery(subject.id, prompt.version)).data
  const serveDisabledReason = useServeDisabledReason()
  return (
    <ReleaseDialog
      title={t('prompt:rollback.title', { key: subject.key, version, env: subject.env })}
      action={t('prompt:rollback.action', { version })}
      done={(released) =>
        t('prompt:rollback.done', { key: released.key, version, as: released.version ?? '' })
      }
      run={(body, options) =>
        client.promptVersions.rollback({ params: { id: subject.id }, body: { version, ...body } }, options)
      }
      subject={subject}
      onStale={reload}
      disabledReason={serveDisabledReason(subject)}
      onClose={onClose}
    >
      <Text size="sm">
        {tNode(subject.has_draft ? 'prompt:rollback.loses_draft' : 'prompt:rollback.text', {
          version: <b className="mono">{version}</b>,
          clients: <b>{t('prompts:clients', { count: rollout?.total ?? 0 })}</b>,
        })}
      </Text>
      <ServerDiff id={subject.id} from="served" to={version} />
    </ReleaseDialog>
  )
}
