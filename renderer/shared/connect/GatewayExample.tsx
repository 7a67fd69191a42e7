import { Button, Select } from '@mantine/core'
import { IconKey } from '@tabler/icons-react'
import { useState } from 'react'
import type { Environment } from '../../../contract/common/environments.ts'
import { t } from '../../lib/i18n.ts'
import { useMe } from '../../lib/session/me.ts'
import { FormFailure } from '../../ui/dialog/FormFailure.tsx'
import { CodeBlock } from '../../ui/display/CodeBlock.tsx'
import { CopyButton } from '../../ui/display/link/CopyButton.tsx'
import styles from './ConnectExamples.module.css'
import { builtInToken } from './ConnectSnippet.tsx'
import { type GatewayClient, gatewayClients, gatewaySnippets } from './snippets/gatewaySnippets.ts'
import type { SnippetFor } from './snippets/promptLines.ts'
import { useFreshToken } from './token/useFreshToken.ts'

type Props = {
  /** Its token is not used: it may not be allowed to use the gateway. */
  readonly target: SnippetFor & { readonly env: Environment }
}

/** A program of one client that calls models through the gateway, with instructions. */
export function GatewayExample({ target }: Props) {
  const me = useMe()
  const [client, setClient] = useState<GatewayClient>('curl')
  const { env, workspace } = target
  const fresh = useFreshToken({ env, workspace, isForGateway: true })
  const token = fresh.token ?? (me.defaults.token ? builtInToken : null)
  const code = gatewaySnippets[client]({ ...target, token })
  const label = t(`connect:gateway.client.${client}`)
  return (
    <div className={styles['examples']}>
      <p className={styles['note']}>{t('connect:gateway.text')}</p>
      <div className={styles['choices']}>
        <Select
          size="xs"
          label={t('connect:gateway.choose')}
          className={styles['select'] ?? ''}
          data={gatewayClients.map((value) => ({ value, label: t(`connect:gateway.client.${value}`) }))}
          value={client}
          onChange={(value) => setClient(gatewayClients.find((known) => known === value) ?? 'curl')}
        />
        {me.permissions.includes('tokens.manage') && (
          <Button
            variant="default"
            size="xs"
            leftSection={<IconKey size={14} />}
            loading={fresh.isPending}
            disabled={fresh.token !== null}
            onClick={fresh.create}
          >
            {t('connect:gateway.token_create')}
          </Button>
        )}
      </div>
      {fresh.error !== null && <FormFailure error={fresh.error} />}
      <div className={styles['head']}>
        <span className={styles['note']} role="status">
          {t(
            `connect:gateway.token_${fresh.token !== null ? 'created' : token === null ? 'needed' : 'built_in'}`,
          )}
        </span>
        <CopyButton value={code} label={t('connect:copy', { language: label })} />
      </div>
      <CodeBlock text={code.trimEnd()} label={label} />
    </div>
  )
}
