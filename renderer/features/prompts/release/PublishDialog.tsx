import { useQuery } from '@tanstack/react-query'
import type { Prompt } from '../../../../contract/prompts/prompt.ts'
import { t } from '../../../lib/i18n.ts'
import { client } from '../../../lib/service/api.ts'
import { QueryPending } from '../../../ui/feedback/QueryPending.tsx'
import { ServerDiff } from '../editor/diff/ServerDiff.tsx'
import { useSubject } from '../page/useSubject.ts'
import { impactQuery } from '../prompts.queries.ts'
import { ImpactFacts } from './ImpactFacts.tsx'
import { IncludedBy } from './IncludedBy.tsx'
import { ReleaseDialog } from './ReleaseDialog.tsx'
import { useServeDisabledReason } from './useServeDisabledReason.ts'
import { VariableImpact } from './VariableImpact.tsx'

type Props = { readonly prompt: Prompt; readonly onClose: () => void }

/** A dialog that publishes the draft, with its changes and its impact on clients and runs. */
export function PublishDialog({ prompt, onClose }: Props) {
  const { subject, reload } = useSubject(prompt)
  const impact = useQuery(impactQuery(subject.id))
  const serveDisabledReason = useServeDisabledReason()
  const data = impact.data
  return (
    <ReleaseDialog
      title={t('prompt:publish.title', { key: subject.key, env: subject.env })}
      action={
        data === undefined
          ? t('prompt:publish.button')
          : t('prompt:publish.action', { version: data.next_version, env: subject.env })
      }
      done={(released) =>
        t('prompt:publish.done', {
          key: released.key,
          version: released.version ?? '',
          env: released.env,
        })
      }
      run={(body, options) => client.promptVersions.publish({ params: { id: subject.id }, body }, options)}
      subject={subject}
      onStale={reload}
      disabledReason={serveDisabledReason(subject)}
      onClose={onClose}
    >
      {data === undefined ? (
        <QueryPending query={impact} height={72} />
      ) : (
        <>
          <ImpactFacts impact={data} env={subject.env} />
          <VariableImpact impact={data} />
          <IncludedBy impact={data} />
        </>
      )}
      <ServerDiff id={subject.id} from="served" to="draft" isPlain={data !== undefined} />
    </ReleaseDialog>
  )
}
