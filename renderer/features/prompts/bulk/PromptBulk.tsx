import { Button, NativeSelect } from '@mantine/core'
import { useState } from 'react'
import type { Endpoint } from '../../../../contract/common/endpoint.ts'
import { type Environment, environments } from '../../../../contract/common/environments.ts'
import { promptTransfer, transferFormats } from '../../../../contract/prompts/prompt-transfer.ts'
import { t } from '../../../lib/i18n.ts'
import { WhyDisabled } from '../../../shared/access/WhyDisabled.tsx'
import { ExportButton } from '../../../shared/transfer/ExportButton.tsx'
import { reasonForAll } from '../../../ui/bulk/useBulk.ts'
import { previewExport } from '../forms/previewExport.ts'
import type { KeyRow } from '../keys/keyRow.ts'
import type { PromptActions } from '../usePromptActions.tsx'
import type { BulkRequest } from './BulkDialogs.tsx'
import { type BulkKind, bulkReasons, promptsIn } from './bulk.ts'

type Props = {
  readonly rows: readonly KeyRow[]
  readonly actions: PromptActions
  readonly onOpen: (request: BulkRequest) => void
}

const kinds: readonly BulkKind[] = ['move', 'tag', 'delete']
const isEnvironment = (value: string): value is Environment => environments.some((env) => env === value)

/** Actions for the selected keys: for all their environments, or for one. */
export function PromptBulk({ rows, actions, onOpen }: Props) {
  const [chosen, setChosen] = useState<Environment | null>(null)
  const present = environments.filter((env) => rows.some((row) => row.envs.some((cell) => cell.env === env)))
  const env = chosen !== null && present.includes(chosen) ? chosen : null
  const prompts = promptsIn(rows, env)
  return (
    <>
      <NativeSelect
        size="xs"
        aria-label={t('prompts:bulk.envs')}
        value={env ?? ''}
        data={[
          { value: '', label: t('prompts:bulk.all_envs') },
          ...present.map((name) => ({ value: name, label: t('prompts:bulk.only', { env: name }) })),
        ]}
        onChange={({ currentTarget: { value } }) => setChosen(isEnvironment(value) ? value : null)}
      />
      {kinds.map((kind) => (
        <WhyDisabled key={kind} reason={reasonForAll(prompts.map(bulkReasons(actions)[kind]))}>
          <Button
            variant="default"
            size="compact-sm"
            {...(kind === 'delete' && { c: 'var(--pd-bad)' })}
            onClick={() => onOpen({ kind, prompts })}
          >
            {t(`prompts:${kind}.menu`)}
          </Button>
        </WhyDisabled>
      ))}
      <ExportButton
        endpoint={promptTransfer.export as unknown as Endpoint}
        formats={transferFormats}
        queryOf={() => ({ id: prompts.map(({ id }) => id) })}
        previewOf={previewExport}
        fallbackName="prompts"
        heading={t('prompts:bulk.export', { count: prompts.length })}
        size="compact-sm"
        width={240}
      />
    </>
  )
}
