import { Button, Group } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import type { OpenedPairing, PairingWindow } from '../../../contract/accounts/pairing.ts'
import { t } from '../../lib/i18n.ts'
import { FormFailure } from '../../ui/dialog/FormFailure.tsx'
import { Countdown } from '../../ui/display/Countdown.tsx'
import { CopyButton } from '../../ui/display/link/CopyButton.tsx'
import styles from './pairing.module.css'
import { requestsQuery, windowQuery } from './pairing.queries.ts'
import { RequestCard } from './RequestCard.tsx'

const QrCode = lazy(() => import('./QrCode.tsx').then((module) => ({ default: module.QrCode })))

type Props = {
  readonly opened: OpenedPairing
  /** Opens a new window with the same rights. */
  readonly onAgain: () => Promise<void>
  readonly onClose: () => void
}

/** An open window: QR code, address, code and words; and the request that came with it. */
export function PairingCode({ opened, onAgain, onClose }: Props) {
  const queries = useQueryClient()
  const [openedAt] = useState(() => Date.now())
  const [failure, setFailure] = useState<unknown>(null)
  const window = useQuery(windowQuery).data ?? null
  const requests = useQuery(requestsQuery).data ?? []
  const isThis = window?.id === opened.id
  // Until the state is loaded, the window is what the reply to its opening said.
  const state: PairingWindow['state'] = isThis ? window.state : window === null ? 'open' : 'closed'
  const own = requests.filter(({ created_at: at }) => state === 'used' && Date.parse(at) >= openedAt - 60_000)
  const again = (): void => {
    setFailure(null)
    onAgain().catch(setFailure)
  }
  return (
    <div className={styles['code']}>
      {state === 'open' ? (
        <OpenCode
          opened={opened}
          wrongCodes={isThis ? window.wrong_codes : 0}
          onOver={() => void queries.invalidateQueries({ queryKey: ['pairing'] })}
        />
      ) : (
        <p role="status">{t(`pairing:state.${state}`)}</p>
      )}
      {own.slice(0, 1).map((request) => (
        <RequestCard key={request.id} request={request} />
      ))}
      {failure !== null && <FormFailure error={failure} />}
      <Group justify="flex-end" gap="sm">
        {state !== 'open' && (
          <Button variant="default" onClick={again}>
            {t('pairing:again')}
          </Button>
        )}
        <Button variant={state === 'open' ? 'default' : 'filled'} onClick={onClose}>
          {t(state === 'open' ? 'common:cancel' : 'pairing:done')}
        </Button>
      </Group>
    </div>
  )
}

type OpenProps = {
  readonly opened: OpenedPairing
  readonly wrongCodes: number
  readonly onOver: () => void
}

function OpenCode({ opened, wrongCodes, onOver }: OpenProps) {
  const { code, qr, address, words, expires_at: until } = opened
  return (
    <>
      <p>{t('pairing:scan')}</p>
      <div className={styles['columns']}>
        <div className={styles['qr']}>
          <Suspense>
            <QrCode text={qr} label={t('pairing:qr')} />
          </Suspense>
        </div>
        <dl className={styles['facts']}>
          <dt>{t('pairing:address')}</dt>
          <dd className="mono">
            https://{address}/pair <CopyButton value={`https://${address}/pair`} />
          </dd>
          <dt>{t('pairing:code')}</dt>
          <dd className={styles['digits']} data-testid="code">
            {code.slice(0, 4)} {code.slice(4)}
          </dd>
          <dt>{t('pairing:words')}</dt>
          <dd>
            <b className="mono" data-testid="words">
              {words.join(' ')}
            </b>
            <div className="dimmed">{t('pairing:words_help')}</div>
          </dd>
        </dl>
      </div>
      <p className="dimmed" role="status">
        {t('pairing:waiting')}{' '}
        <Countdown until={until} text={(time) => t('pairing:left', { time })} onOver={onOver} />
        {wrongCodes > 0 && ` · ${t('pairing:wrong_codes', { count: wrongCodes })}`}
      </p>
    </>
  )
}
