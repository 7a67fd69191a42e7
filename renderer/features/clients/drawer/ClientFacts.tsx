import { sdkVersions } from '../../../../contract/prompts/sdk.ts'
import { unknown } from '../../../lib/format/format.ts'
import { t } from '../../../lib/i18n.ts'
import { describeAgent } from '../../../lib/session/userAgent.ts'
import { WorkspaceName } from '../../../shared/workspaces/WorkspaceName.tsx'
import { Badge } from '../../../ui/display/Badge.tsx'
import { Time } from '../../../ui/display/Time.tsx'
import { Facts } from '../../../ui/page/Facts.tsx'
import { type ClientRow, isDisconnected } from '../clientRow.ts'

const mono = (value: string) => <span className="mono">{value}</span>

function Sdk({ client }: { readonly client: ClientRow }) {
  const { sdk_version: version, sdk_outdated: isOutdated, client_type: type } = client
  if (version === null) return unknown
  return (
    <>
      {mono(version)}
      {isOutdated === true && (
        <>
          {' '}
          <Badge tone="warn">{t('clients:sdk.old')}</Badge>{' '}
          <span className="dimmed">{t('clients:sdk.outdated', { version: sdkVersions[type] })}</span>
        </>
      )}
    </>
  )
}

export function ClientFacts({ client }: { readonly client: ClientRow }) {
  const { instance_id: instance, sdk_version: sdk, disconnected_at: disconnectedAt } = client
  return (
    <Facts
      facts={[
        { label: t('clients:column.user'), value: <bdi>{client.username}</bdi>, copy: client.username },
        { label: t('clients:column.address'), value: mono(client.remote_addr), copy: client.remote_addr },
        {
          label: t('clients:column.workspace'),
          value: <WorkspaceName workspace={client.workspace} />,
          copy: client.workspace,
        },
        { label: t('clients:drawer.connected_at'), value: <Time at={client.connected_at} /> },
        isDisconnected(client)
          ? { label: t('clients:drawer.disconnected_at'), value: <Time at={disconnectedAt ?? null} /> }
          : { label: t('clients:column.seen'), value: <Time at={client.last_seen_at} /> },
        { label: t('clients:column.sdk'), value: <Sdk client={client} />, copy: sdk },
        {
          label: t('clients:drawer.instance'),
          value: instance === null ? unknown : mono(instance),
          copy: instance,
        },
        {
          label: t('clients:drawer.platform'),
          value: client.user_agent === '' ? unknown : describeAgent(client.user_agent),
          copy: client.user_agent === '' ? null : client.user_agent,
        },
        { label: t('common:id'), value: mono(client.id), copy: client.id },
      ]}
    />
  )
}
