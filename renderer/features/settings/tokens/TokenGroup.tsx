import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Settings } from '../../../../contract/system/settings.ts'
import { t, tNode } from '../../../lib/i18n.ts'
import { client, invalidateEntities } from '../../../lib/service/api.ts'
import { NewSecret } from '../../../shared/access/NewSecret.tsx'
import { WhyDisabled } from '../../../shared/access/WhyDisabled.tsx'
import { confirm } from '../../../ui/dialog/confirm.tsx'
import { Facts } from '../../../ui/page/Facts.tsx'
import { Fixed, fixedText } from '../Fixed.tsx'
import { SettingsGroup } from '../SettingsGroup.tsx'

const variable = 'SERVICE_TOKEN'

/** The service token with which apps authenticate: its source, and a button to create a new one. */
export function TokenGroup({ settings }: { readonly settings: Settings }) {
  const queries = useQueryClient()
  const [created, setCreated] = useState<string | null>(null)
  const { source, hint } = settings.service_token
  const isFixed = settings.fixed.includes('service_token')

  const create = (): Promise<boolean> =>
    confirm({
      title: t('settings:token.create_title'),
      body: t(source === 'default' ? 'settings:token.create_default' : 'settings:token.create_body'),
      action: t('settings:token.create'),
      isDangerous: source !== 'default',
      run: async () => {
        const { data } = await client.settings.setServiceToken({})
        setCreated(data.token)
        await invalidateEntities(queries, 'setting', 'me', 'audit', 'health')
      },
    })

  return (
    <SettingsGroup
      id="token"
      title={t('settings:token.title')}
      purpose={t('settings:token.purpose')}
      updated={source === 'stored' ? [settings.updated['service_token']] : []}
    >
      <Facts
        facts={[
          {
            label: t('settings:token.source'),
            value: tNode(`settings:token.source_${source}`, {
              hint: <span className="mono">{hint}</span>,
            }),
          },
        ]}
      />
      {isFixed && <Fixed variable={variable} />}
      <div>
        <WhyDisabled reason={isFixed ? fixedText(variable) : null}>
          <Button variant={source === 'default' ? 'filled' : 'default'} onClick={() => void create()}>
            {t('settings:token.create')}
          </Button>
        </WhyDisabled>
      </div>
      {created !== null && (
        <NewSecret
          title={t('settings:token.created_title')}
          label={t('settings:token.created_label')}
          secret={created}
          onClose={() => setCreated(null)}
        />
      )}
    </SettingsGroup>
  )
}
