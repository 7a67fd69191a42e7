import { useNavigate } from '@tanstack/react-router'
import { t } from '../../../lib/i18n.ts'
import { type KeyBinding, useKeys } from '../../../lib/page/keys.ts'
import { useMe } from '../../../lib/session/me.ts'
import { isInNavigation } from '../../resources.ts'
import { navItems } from '../navigation/nav.ts'

type Options = { readonly onKeys: () => void; readonly onPalette: () => void }

/**
 * Binds the keys of every page: `g` and a letter open a page, `mod+k` opens the palette, `?` lists the keys.
 */
export function useShellKeys({ onKeys, onPalette }: Options): void {
  const me = useMe()
  const navigate = useNavigate()
  const jumps = navItems
    .filter((item) => isInNavigation(me, item))
    .map(
      ({ title, navigation, pages: [{ path }] }): KeyBinding => ({
        keys: `g ${navigation.jump}`,
        label: t('shell:keys.go', { page: t(title) }),
        run: () =>
          void navigate({
            to: path,
            params: { id: undefined },
            search: ({ workspace }: { workspace?: string | undefined }) => ({ workspace }),
          }),
      }),
    )
  useKeys([
    ...jumps,
    { keys: 'mod+k', label: t('shell:keys.palette'), run: onPalette },
    { keys: '?', label: t('shell:keys.list'), run: onKeys },
  ])
}
