import './pair.texts.ts'
import { Button, Loader, Stack, Text } from '@mantine/core'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { t } from '../../lib/i18n.ts'
import { asApiError, client } from '../../lib/service/api.ts'
import { LinkButton } from '../../ui/display/link/LinkButton.tsx'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { Centred } from '../../ui/page/Centred.tsx'
import { takeFragment } from './fragment.ts'
import { PairForm } from './PairForm.tsx'
import { type Ending, type Pending, readPending, writePending } from './pendingRequest.ts'
import { Waiting } from './Waiting.tsx'
import { Words } from './Words.tsx'

const identityQuery = queryOptions({
  queryKey: ['pairing', 'identity'],
  queryFn: async ({ signal }) => (await client.pairing.identity({}, { signal })).data,
  staleTime: Number.POSITIVE_INFINITY,
})

type View =
  | { readonly kind: 'form'; readonly secret: string | null }
  | { readonly kind: 'waiting'; readonly pending: Pending }
  | { readonly kind: 'ended'; readonly ending: Ending }

function firstView(): View {
  const { secret } = takeFragment()
  const pending = readPending()
  return pending === null || secret !== null ? { kind: 'form', secret } : { kind: 'waiting', pending }
}

/** The page of a new device: requests access with a code or a QR code, and waits for an admin. */
export function PairPage() {
  const [view, setView] = useState(firstView)
  useEffect(() => {
    document.title = t('common:page_title', { page: t('pair:title') })
  }, [])
  const show = (next: View): void => {
    writePending(next.kind === 'waiting' ? next.pending : null)
    setView(next)
  }
  const enterCode = (): void => show({ kind: 'form', secret: null })
  return (
    <Centred title={t('common:product')}>
      {view.kind === 'form' && (
        <Introduction>
          <PairForm
            secret={view.secret}
            onSecretRefused={enterCode}
            onAsked={(pending) => show({ kind: 'waiting', pending })}
          />
        </Introduction>
      )}
      {view.kind === 'waiting' && (
        <Waiting
          pending={view.pending}
          onEnded={(ending) => show({ kind: 'ended', ending })}
          onCancel={enterCode}
        />
      )}
      {view.kind === 'ended' && <Ended ending={view.ending} onAgain={enterCode} />}
    </Centred>
  )
}

/** The name of the service and the words to compare, before anything is typed. */
function Introduction({ children }: { readonly children: React.ReactNode }) {
  const { data, error, refetch } = useQuery(identityQuery)
  if (data !== undefined) {
    return (
      <>
        <Text size="sm" ta="center">
          {t('pair:server', { name: data.name })} {t('pair:compare')}
        </Text>
        <Words words={data.words} />
        {children}
      </>
    )
  }
  if (error === null) return <Loader size="sm" mx="auto" role="status" aria-label={t('common:loading')} />
  if (asApiError(error)?.status === 404) {
    return (
      <Message title={t('pair:unavailable.title')} text={t('pair:unavailable.text')}>
        <LinkButton variant="default" to="/login">
          {t('pair:to_login')}
        </LinkButton>
      </Message>
    )
  }
  return <ErrorState error={error} onRetry={() => void refetch()} />
}

function Ended({ ending, onAgain }: { readonly ending: Ending; readonly onAgain: () => void }) {
  return (
    <Message title={t(`pair:${ending}.title`)} text={t(`pair:${ending}.text`)}>
      <Button onClick={onAgain}>{t('pair:again')}</Button>
    </Message>
  )
}

type MessageProps = { readonly title: string; readonly text: string; readonly children: React.ReactNode }

function Message({ title, text, children }: MessageProps) {
  return (
    <Stack gap="md" role="alert">
      <Text fw={600} ta="center">
        {title}
      </Text>
      <Text size="sm" ta="center">
        {text}
      </Text>
      {children}
    </Stack>
  )
}
