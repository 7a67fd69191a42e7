import { Button, Loader, Stack, Text } from '@mantine/core'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { maxWaitSeconds, pairingHeader } from '../../../contract/accounts/pairing.ts'
import { t } from '../../lib/i18n.ts'
import { asApiError, client } from '../../lib/service/api.ts'
import { storeDeviceToken } from '../../lib/session/device.ts'
import { session } from '../../lib/session/session.ts'
import { Countdown } from '../../ui/display/Countdown.tsx'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { type Ending, type Pending, writePending } from './pendingRequest.ts'
import { Words } from './Words.tsx'

type Props = {
  readonly pending: Pending
  readonly onEnded: (ending: Ending) => void
  readonly onCancel: () => void
}

/** Asks for the state of the request; each reply comes when it changes, or after 25 s. */
const stateQuery = ({ request_id: id, request_secret: secret }: Pending) =>
  queryOptions({
    queryKey: ['pairing', 'own', id],
    queryFn: ({ signal }) =>
      client.pairing.state(
        { params: { id }, query: { wait: maxWaitSeconds } },
        { signal, headers: { [pairingHeader]: secret } },
      ),
    gcTime: 0,
    staleTime: 0,
    refetchInterval: ({ state }) => (state.data?.status === 'pending' ? 100 : false),
    refetchIntervalInBackground: true,
  })

/** Waits for the answer of an admin, and signs in when the request is approved. */
export function Waiting({ pending, onEnded, onCancel }: Props) {
  const navigate = useNavigate()
  const { data, error, refetch } = useQuery(stateQuery(pending))
  const hasEnded = asApiError(error)?.status === 404
  // biome-ignore lint/correctness/useExhaustiveDependencies: the callbacks change with each rendering of the page
  useEffect(() => {
    if (hasEnded) onEnded('closed')
    if (data?.status === 'refused' || data?.status === 'expired') onEnded(data.status)
    if (data?.status !== 'approved' || data.token === undefined) return
    if (data.device_token !== undefined) storeDeviceToken(data.device_token)
    writePending(null)
    session.signIn(data.token)
    void navigate({ href: '/', replace: true })
  }, [data, hasEnded, navigate])
  if (error !== null && !hasEnded) return <ErrorState error={error} onRetry={() => void refetch()} />
  return (
    <Stack gap="md">
      <Text fw={600} ta="center" role="status">
        {data?.status === 'approved' ? t('pair:approved') : t('pair:waiting.title')}
      </Text>
      <Loader size="sm" mx="auto" aria-hidden />
      <Text size="sm" ta="center">
        {t('pair:waiting.text')}
      </Text>
      <Words words={pending.words} />
      <Text size="sm" c="dimmed" ta="center">
        <Countdown until={pending.expires_at} text={(time) => t('pair:waiting.left', { time })} />
      </Text>
      <Button variant="default" onClick={onCancel}>
        {t('pair:waiting.cancel')}
      </Button>
    </Stack>
  )
}
