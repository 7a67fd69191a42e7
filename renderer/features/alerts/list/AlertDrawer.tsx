import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense } from 'react'
import type { Alert } from '../../../../contract/alerts/alert.ts'
import { t } from '../../../lib/i18n.ts'
import { useDisabledReason } from '../../../lib/session/me.ts'
import { useDialogState } from '../../../lib/state/useDraft.ts'
import { WhyDisabled } from '../../../shared/access/WhyDisabled.tsx'
import { AlertStatusBadge } from '../../../shared/alerts/StatusBadges.tsx'
import { LinkButton } from '../../../ui/display/link/LinkButton.tsx'
import { Time } from '../../../ui/display/Time.tsx'
import { DetailDrawer, type RowNavigation } from '../../../ui/page/DetailDrawer.tsx'
import { alertQuery } from '../alerts.queries.ts'
import { AlertFacts } from './AlertFacts.tsx'
import { useAlertActions } from './useAlertActions.tsx'

const AlertForm = lazy(() =>
  import('../../../shared/alerts/form/AlertForm.tsx').then((module) => ({ default: module.AlertForm })),
)

type Props = {
  readonly id: string
  readonly navigation: RowNavigation
  readonly onClose: () => void
}

export function AlertDrawer({ id, navigation, onClose }: Props) {
  const query = useQuery(alertQuery(id))
  const [isEditing, setEditing] = useDialogState<true>(`alert.${id}`)
  const alert = query.data
  return (
    <DetailDrawer
      title={alert?.name ?? t('alerts:one')}
      navigation={navigation}
      onClose={onClose}
      query={query}
      summary={
        alert !== undefined && (
          <>
            <AlertStatusBadge status={alert.state.status} />
            {alert.state.since !== null && (
              <span className="dimmed">
                <Time at={alert.state.since} />
              </span>
            )}
          </>
        )
      }
      actions={
        alert !== undefined && <Actions alert={alert} onEdit={() => setEditing(true)} onDeleted={onClose} />
      }
    >
      {alert !== undefined && <AlertFacts alert={alert} />}
      {isEditing && alert !== undefined && (
        <Suspense>
          <AlertForm alert={alert} onClose={() => setEditing(null)} />
        </Suspense>
      )}
    </DetailDrawer>
  )
}

type ActionsProps = {
  readonly alert: Alert
  readonly onEdit: () => void
  readonly onDeleted: () => void
}

function Actions({ alert, onEdit, onDeleted }: ActionsProps) {
  const reason = useDisabledReason()('alerts.write', alert.workspace_id)
  const { setEnabled, test, remove, isBusy } = useAlertActions(alert)
  return (
    <>
      <WhyDisabled reason={reason}>
        <Button variant="default" onClick={onEdit}>
          {t('common:edit')}
        </Button>
      </WhyDisabled>
      <WhyDisabled reason={reason}>
        <Button variant="default" onClick={() => void setEnabled(!alert.enabled)}>
          {t(alert.enabled ? 'alerts:drawer.disable' : 'alerts:drawer.enable')}
        </Button>
      </WhyDisabled>
      {alert.webhook !== null && (
        <WhyDisabled reason={reason}>
          <Button variant="default" loading={isBusy} onClick={() => void test()}>
            {t('alerts:drawer.test')}
          </Button>
        </WhyDisabled>
      )}
      <WhyDisabled reason={reason}>
        <Button
          variant="default"
          c="var(--pd-bad)"
          onClick={() => void remove().then((isRemoved) => isRemoved && onDeleted())}
        >
          {t('alerts:drawer.delete')}
        </Button>
      </WhyDisabled>
      <LinkButton
        variant="subtle"
        to="/audit/{-$id}"
        params={{ id: undefined }}
        search={{ resource_id: [alert.id] }}
      >
        {t('alerts:show_audit')}
      </LinkButton>
    </>
  )
}
