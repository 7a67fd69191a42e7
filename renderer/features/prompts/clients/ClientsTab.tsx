import { Button } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { Prompt } from '../../../../contract/prompts/prompt.ts'
import type { RolloutClient } from '../../../../contract/prompts/prompt-rollout.ts'
import { formatDuration, unknown } from '../../../lib/format/format.ts'
import { t, tNode } from '../../../lib/i18n.ts'
import { LazyConnectDialog } from '../../../shared/connect/LazyConnect.tsx'
import { EnvBadge } from '../../../shared/environments/EnvBadge.tsx'
import { Badge } from '../../../ui/display/Badge.tsx'
import { Time } from '../../../ui/display/Time.tsx'
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx'
import { SmallTable } from '../../../ui/list/SmallTable.tsx'
import { Section } from '../../../ui/page/Section.tsx'
import styles from '../page/prompt.module.css'
import { convergenceQuery } from '../prompts.queries.ts'
import { Convergence } from './Convergence.tsx'

/** The connected clients of a prompt, and the version that each runs. */
export function ClientsTab({ prompt }: { readonly prompt: Prompt }) {
  const { data } = useQuery(convergenceQuery(prompt.id, prompt.version))
  const [isConnecting, setConnecting] = useState(false)
  const connect = (
    <Button variant="default" leftSection={<IconPlus size={14} />} onClick={() => setConnecting(true)}>
      {t('prompt:clients_tab.connect')}
    </Button>
  )
  return (
    <div className={styles['stack']}>
      <Convergence id={prompt.id} version={prompt.version} />
      {data?.total === 0 && (
        <EmptyState
          title={t('prompt:clients_tab.none')}
          text={tNode('prompt:clients_tab.none_text', {
            env: <EnvBadge env={prompt.env} />,
            key: <span className="mono">{prompt.key}</span>,
          })}
          action={connect}
        />
      )}
      {data !== undefined && data.clients.length > 0 && (
        <Section title={t('prompt:clients_tab.live')} aside={connect}>
          <ClientTable clients={data.clients} label={t('prompt:clients_tab.live')} />
        </Section>
      )}
      {data !== undefined && data.gone.length > 0 && (
        <Section title={t('prompt:clients_tab.recent')}>
          <ClientTable clients={data.gone} label={t('prompt:clients_tab.recent')} />
        </Section>
      )}
      {isConnecting && (
        <LazyConnectDialog workspace={undefined} prompt={prompt} onClose={() => setConnecting(false)} />
      )}
    </div>
  )
}

type TableProps = { readonly clients: readonly RolloutClient[]; readonly label: string }

function ClientTable({ clients, label }: TableProps) {
  return (
    <SmallTable label={label}>
      <thead>
        <tr>
          {(['app', 'instance', 'version', 'state', 'acked'] as const).map((name) => (
            <th key={name} scope="col">
              {t(`prompt:clients_tab.${name}`)}
            </th>
          ))}
          <th scope="col" data-number>
            {t('prompt:clients_tab.took')}
          </th>
          <th scope="col">{t('prompt:clients_tab.user')}</th>
        </tr>
      </thead>
      <tbody>
        {clients.map((client) => (
          <tr key={client.id}>
            <td>
              <Link to="/clients/{-$id}" params={{ id: client.id }}>
                <bdi>{client.app}</bdi>
              </Link>
            </td>
            <td className="mono">{client.instance_id ?? client.remote_addr}</td>
            <td className="mono">{client.version ?? unknown}</td>
            <td>
              <State client={client} />
            </td>
            <td>
              <Time at={client.acked_at} />
            </td>
            <td data-number>{formatDuration(client.latency_ms)}</td>
            <td>
              <bdi>{client.username}</bdi>
            </td>
          </tr>
        ))}
      </tbody>
    </SmallTable>
  )
}

function State({ client }: { readonly client: RolloutClient }) {
  if (client.disconnected_at !== undefined) {
    return (
      <span>{tNode('prompt:clients_tab.disconnected', { time: <Time at={client.disconnected_at} /> })}</span>
    )
  }
  if (client.current) return <Badge tone="ok">{t('prompt:clients_tab.current')}</Badge>
  return (
    <Badge tone="warn">
      <span>
        {tNode('prompt:clients_tab.outdated', { span: <Time at={client.behind_since} as="span" /> })}
      </span>
    </Badge>
  )
}
