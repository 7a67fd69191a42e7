import '@mantine/spotlight/styles.css'
import { createSpotlight, Spotlight, type SpotlightActionData } from '@mantine/spotlight'
import { IconSearch } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { t } from '../lib/i18n.ts'
import { useMe } from '../lib/me.ts'
import { navItems } from './nav.ts'

const [store, spotlight] = createSpotlight()

/** Finds pages by name; loaded the first time it is asked for. */
export function Palette({ onClose }: { readonly onClose: () => void }) {
  const me = useMe()
  const navigate = useNavigate()
  useEffect(() => {
    spotlight.open()
    return () => spotlight.close()
  }, [])
  const actions = navItems
    .filter((item) => item.permission === undefined || me.permissions.includes(item.permission))
    .map(
      (item): SpotlightActionData => ({
        id: item.to,
        label: t(item.label),
        leftSection: <item.icon size={16} stroke={1.75} />,
        onClick: () => void navigate({ to: item.to, params: { id: undefined } }),
      }),
    )
  return (
    <Spotlight
      store={store}
      actions={actions}
      shortcut={null}
      onSpotlightClose={onClose}
      nothingFound={t('shell:palette.nothing')}
      searchProps={{
        leftSection: <IconSearch size={16} />,
        placeholder: t('shell:palette.open'),
        'aria-label': t('shell:palette.open'),
      }}
      size={520}
      overlayProps={{ backgroundOpacity: 0.45, blur: 0 }}
      transitionProps={{ duration: 100 }}
    />
  )
}
