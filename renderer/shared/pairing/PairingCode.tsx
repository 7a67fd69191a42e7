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

/** Returns the state of an opened window. `latest`: the admin's latest window, or null before it is loaded. */
function currentOf(
  { id }: OpenedPairing,
  latest: PairingWindow | null,
): Pick<PairingWindow, 'state' | 'wrong_codes'> {
  if (latest?.id === id) return latest
  return { state: latest === null ? 'open' : 'closed', wrong_codes: 0 }
}

/** An open window: QR code, address, code and words; and the request that came with it. */
export function PairingCode({ opened, onAgain, onClose }: Props) {
  const queries = useQueryClient()
  const [failure, setFailure] = useState<unknown>(null)
  const window = useQuery(windowQuery).data ?? null
  const requests = useQuery(requestsQuery).data ?? []
  const { state, wrong_codes: wrongCodes } = currentOf(opened, window)
  // A window admits one request.
  const request = requests.find(({ window_id: id }) => id === opened.id)
  const isPending = request?.status === 'pending'
  const again = (): void => {
    setFailure(null)
    onAgain().catch(setFailure)
  }
  return (
    <div className={styles['code']}>
      {state === 'open' ? (
        <OpenCode
          opened={opened}
          wrongCodes={wrongCodes}
          onOver={() => void queries.invalidateQueries({ queryKey: ['pairing'] })}
        />
      ) : (
        (state !== 'used' || isPending) && <p role="status">{t(`pairing:state.${state}`)}</p>
      )}
      {request !== undefined && <RequestCard request={request} />}
      {failure !== null && <FormFailure error={failure} />}
      {isPending || state === 'open' ? (
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t(isPending ? 'pairing:later' : 'common:cancel')}
          </Button>
        </Group>
      ) : (
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={again}>
            {t('pairing:again')}
          </Button>
          <Button onClick={onClose}>{t('pairing:done')}</Button>
        </Group>
      )}
    </div>
  )
}

type OpenProps = {
  readonly opened: OpenedPairing
  readonly wrongCodes: number
  readonly onOver: () => void
}

function OpenCode({ opened, wrongCodes, onOver }: OpenProps) {
  const { code, qr, link, address, words, expires_at: until } = opened
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
          <dt>{t('pairing:link')}</dt>
          <dd>
            <span className="mono">promptdeck://pair?…</span>{' '}
            <CopyButton value={link} label={t('pairing:copy_link')} />
            <div className="dimmed">{t('pairing:link_help')}</div>
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
