import { Button } from '@mantine/core'
import { IconPlugConnectedX } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { t, tNode } from '../../../lib/i18n.ts'
import { WhyDisabled } from '../../../shared/access/WhyDisabled.tsx'
import { Badge } from '../../../ui/display/Badge.tsx'
import { LinkButton } from '../../../ui/display/link/LinkButton.tsx'
import { Time } from '../../../ui/display/Time.tsx'
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx'
import { DetailDrawer, type RowNavigation } from '../../../ui/page/DetailDrawer.tsx'
import { Section } from '../../../ui/page/Section.tsx'
import { ClientEnvBadge } from '../ClientEnvBadge.tsx'
import { ClientIcon } from '../ClientIcon.tsx'
import { type ClientRow, isDisconnected } from '../clientRow.ts'
import { clientQuery } from '../clients.queries.ts'
import { useDisconnect } from '../useDisconnect.tsx'
import { ClientFacts } from './ClientFacts.tsx'
import { ClientVersions } from './ClientVersions.tsx'

type Props = {
  readonly id: string
  /** The row of the list; undefined if the list does not contain the client. */
  readonly listed: ClientRow | undefined
  readonly ownId: string | null
  readonly navigation: RowNavigation
  readonly onClose: () => void
}

export function ClientDrawer({ id, listed, ownId, navigation, onClose }: Props) {
  const isListed = listed !== undefined && listed.isRemoved !== true
  const query = useQuery({ ...clientQuery(id), enabled: !isListed })
  // The last known row is displayed while the client is fetched after it has left the list.
  const [lastListed, setLastListed] = useState<ClientRow | undefined>(listed)
  if (listed !== undefined && listed !== lastListed) setLastListed(listed)
  const last = lastListed?.id === id ? lastListed : undefined
  const client = isListed ? listed : (query.data ?? last)
  const isUnknown = !isListed && query.data === null
  return (
    <DetailDrawer
      title={client === undefined || isUnknown ? t('clients:one') : <bdi>{client.app}</bdi>}
      navigation={navigation}
      onClose={onClose}
      {...(client === undefined && { query })}
      summary={client !== undefined && !isUnknown && <Summary client={client} ownId={ownId} />}
      actions={client !== undefined && !isUnknown && <Actions client={client} ownId={ownId} />}
    >
      {isUnknown ? (
        <EmptyState
          icon={<IconPlugConnectedX size={28} stroke={1.5} />}
          title={t('clients:unknown.title')}
          text={t('clients:unknown.text')}
        />
      ) : (
        client !== undefined && (
          <>
            <Section title={t('clients:drawer.versions')}>
              <ClientVersions client={client} />
            </Section>
            <Section title={t('clients:drawer.facts')}>
              <ClientFacts client={client} />
            </Section>
          </>
        )
      )}
    </DetailDrawer>
  )
}

type PartProps = { readonly client: ClientRow; readonly ownId: string | null }

function Summary({ client, ownId }: PartProps) {
  return (
    <>
      <ClientIcon type={client.client_type} />
      {t(`clients:type.${client.client_type}`)}
      <ClientEnvBadge namespace={client.namespace} />
      {client.id === ownId && <Badge>{t('clients:this_console')}</Badge>}
      {isDisconnected(client) ? (
        <Badge tone="warn">
          {client.disconnected_at === undefined ? (
            t('clients:disconnected')
          ) : (
            <span>{tNode('clients:disconnected_at', { time: <Time at={client.disconnected_at} /> })}</span>
          )}
        </Badge>
      ) : (
        <Badge tone="ok">{t('clients:connected')}</Badge>
      )}
    </>
  )
}

function Actions({ client, ownId }: PartProps) {
  const { disconnect, disabledReasonOf } = useDisconnect(ownId)
  return (
    <>
      <WhyDisabled
        reason={disabledReasonOf(client) ?? (isDisconnected(client) ? t('clients:disconnect.already') : null)}
      >
        <Button variant="default" c="var(--pd-bad)" onClick={() => void disconnect(client)}>
          {t('clients:disconnect.action')}
        </Button>
      </WhyDisabled>
      <LinkButton
        variant="subtle"
        to="/clients/{-$id}"
        params={{ id: undefined }}
        search={{ app: [client.app] }}
      >
        {t('clients:drawer.same_app', { app: client.app })}
      </LinkButton>
      <LinkButton
        variant="subtle"
        to="/runs/{-$id}"
        params={{ id: undefined }}
        search={{ client: [client.id] }}
      >
        {t('clients:drawer.show_runs')}
      </LinkButton>
      <LinkButton
        variant="subtle"
        to="/audit/{-$id}"
        params={{ id: undefined }}
        search={{ resource_id: [client.id] }}
      >
        {t('clients:drawer.show_audit')}
      </LinkButton>
    </>
  )
}
