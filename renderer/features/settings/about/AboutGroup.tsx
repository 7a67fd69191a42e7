import { Anchor, Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { t } from '../../../lib/i18n.ts'
import { basePath, serviceUrl } from '../../../lib/service/base-path.ts'
import { healthQuery } from '../../../lib/service/health.ts'
import { Facts } from '../../../ui/page/Facts.tsx'
import { SettingsGroup } from '../SettingsGroup.tsx'

const Licences = lazy(() => import('./Licences.tsx').then((module) => ({ default: module.Licences })))

/** The version of the service and the licences of its packages. */
export function AboutGroup() {
  const health = useQuery(healthQuery)
  const [isOpen, setOpen] = useState(false)
  return (
    <SettingsGroup id="about" title={t('settings:about.title')} purpose={t('settings:about.purpose')}>
      <Facts
        facts={[
          {
            label: t('settings:about.version'),
            value: <span className="mono">{health.data?.version}</span>,
            copy: health.data?.version,
          },
          {
            label: t('settings:about.address'),
            value: <span className="mono">{serviceUrl}</span>,
            copy: serviceUrl,
          },
          {
            label: t('settings:about.docs'),
            value: (
              <Anchor href={`${basePath}/docs`} target="_blank" size="sm">
                /docs
              </Anchor>
            ),
          },
          {
            label: t('settings:about.openapi'),
            value: (
              <Anchor href={`${basePath}/openapi.json`} target="_blank" size="sm">
                /openapi.json
              </Anchor>
            ),
          },
          { label: t('settings:about.licence'), value: t('settings:about.licence_own') },
        ]}
      />
      {isOpen ? (
        <Suspense>
          <Licences />
        </Suspense>
      ) : (
        <div>
          <Button variant="default" onClick={() => setOpen(true)}>
            {t('settings:about.licences_show')}
          </Button>
        </div>
      )}
    </SettingsGroup>
  )
}
