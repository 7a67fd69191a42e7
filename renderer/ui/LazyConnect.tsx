import { Skeleton } from '@mantine/core'
import { lazy, Suspense } from 'react'

const Ways = lazy(() => import('./ConnectWays.tsx').then((module) => ({ default: module.ConnectWays })))
const Dialog = lazy(() => import('./ConnectDialog.tsx').then((module) => ({ default: module.ConnectDialog })))

type Props = { readonly workspace: string | undefined }

/** As high as the snippets are, in pixels: what is below stays where it is. */
const compactHeight = 330

/** The snippets in place, in a few lines; they are fetched when they are shown. */
export const LazyConnectWays = ({ workspace }: Props) => (
  <Suspense fallback={<Skeleton height={compactHeight} />}>
    <Ways workspace={workspace} isCompact />
  </Suspense>
)

/** The same as a dialog. Mount it to open, unmount it to close. */
export const LazyConnectDialog = ({ workspace, onClose }: Props & { readonly onClose: () => void }) => (
  <Suspense>
    <Dialog workspace={workspace} onClose={onClose} />
  </Suspense>
)
