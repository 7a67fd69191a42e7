import './settings.texts.ts'
import { Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Navigate, useLocation } from '@tanstack/react-router'
import type { ComponentType } from 'react'
import type { Settings } from '../../../contract/system/settings.ts'
import { t } from '../../lib/i18n.ts'
import { useIsAllowed } from '../../lib/session/me.ts'
import { settingsQuery } from '../../shared/settings/settings.ts'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { ForbiddenState } from '../../ui/feedback/ForbiddenState.tsx'
import { ProgressiveMount } from '../../ui/feedback/ProgressiveMount.tsx'
import { Page } from '../../ui/page/Page.tsx'
import { PageHeader } from '../../ui/page/PageHeader.tsx'
import { AboutGroup } from './about/AboutGroup.tsx'
import { DesktopSettings } from './about/DesktopSettings.tsx'
import { BudgetGroup } from './BudgetGroup.tsx'
import { BackupsGroup } from './backups/BackupsGroup.tsx'
import { NetworkGroup } from './network/NetworkGroup.tsx'
import { PricesGroup } from './prices/PricesGroup.tsx'
import { PayloadsGroup } from './runs/PayloadsGroup.tsx'
import { RunsGroup } from './runs/RunsGroup.tsx'
import { SampleDataGroup } from './SampleDataGroup.tsx'
import { goToGroup } from './SettingsGroup.tsx'
import { SignInGroup } from './SignInGroup.tsx'
import styles from './settings.module.css'
import { DevicesGroup } from './tokens/DevicesGroup.tsx'
import { TokenGroup } from './tokens/TokenGroup.tsx'
import { TokenRules } from './tokens/TokenRules.tsx'
import { VirtualModelsGroup } from './VirtualModelsGroup.tsx'
import { WorkspacesGroup } from './WorkspacesGroup.tsx'

/** The groups of the page, in their order. The settings of the desktop app, if any, precede the last. */
const groups = [
  { name: 'runs', Group: RunsGroup },
  { name: 'payloads', Group: PayloadsGroup },
  { name: 'workspaces', Group: WorkspacesGroup },
  { name: 'prices', Group: PricesGroup },
  { name: 'network', Group: NetworkGroup },
  { name: 'sign_in', Group: SignInGroup },
  { name: 'budget', Group: BudgetGroup },
  { name: 'virtual_models', Group: VirtualModelsGroup },
  { name: 'token', Group: TokenGroup },
  { name: 'token_rules', Group: TokenRules },
  { name: 'devices', Group: DevicesGroup },
  { name: 'backups', Group: BackupsGroup },
  { name: 'sample', Group: SampleDataGroup },
  { name: 'about', Group: AboutGroup },
] as const satisfies readonly { name: string; Group: ComponentType<{ readonly settings: Settings }> }[]

/** The settings of the service, which apply to all users. */
export function SettingsPage() {
  const isAllowed = useIsAllowed('settings.manage')
  return (
    <Page>
      <PageHeader title={t('settings:title')} purpose={t('settings:purpose')} />
      {isAllowed ? (
        <AllSettings />
      ) : (
        <>
          <ForbiddenState requiredRole="admin">{t('settings:forbidden')}</ForbiddenState>
          <DesktopSettings />
        </>
      )}
    </Page>
  )
}

function AllSettings() {
  const query = useQuery(settingsQuery)
  if (query.data === undefined) {
    return query.error === null ? (
      <div className={styles['column']}>
        {groups.slice(0, 4).map(({ name }) => (
          <Skeleton key={name} height={160} />
        ))}
      </div>
    ) : (
      <ErrorState error={query.error} onRetry={() => void query.refetch()} />
    )
  }
  return <Groups settings={query.data} />
}

function Groups({ settings }: { readonly settings: Settings }) {
  // The target can be scrolled to the top only if the groups below it are rendered.
  const hash = useLocation({ select: (location) => location.hash })
  // The tokens were a group of this page.
  if (hash === 'tokens') return <Navigate to="/tokens" replace />
  return (
    <div className={styles['body']}>
      <nav className={styles['nav']} aria-label={t('settings:nav')}>
        {groups.map(({ name }) => (
          <a
            key={name}
            href={`#${name}`}
            onClick={(event) => {
              event.preventDefault()
              goToGroup(name)
            }}
          >
            {t(`settings:${name}.title`)}
          </a>
        ))}
      </nav>
      <div className={styles['column']}>
        <ProgressiveMount onComplete={() => goToGroup(hash)}>
          {groups.flatMap(({ name, Group }) => [
            name === 'about' && <DesktopSettings key="desktop" />,
            <Group key={name} settings={settings} />,
          ])}
        </ProgressiveMount>
      </div>
    </div>
  )
}
