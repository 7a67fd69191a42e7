import { Drawer } from '@mantine/core'
import { Navigation } from './Navigation.tsx'

type Props = { readonly opened: boolean; readonly onClose: () => void }

/** The navigation in a narrow window. */
export const NavigationDrawer = ({ opened, onClose }: Props) => (
  <Drawer
    opened={opened}
    onClose={onClose}
    size={240}
    padding={0}
    withCloseButton={false}
    transitionProps={{ duration: 120 }}
  >
    <Navigation isDrawer onNavigate={onClose} />
  </Drawer>
)
