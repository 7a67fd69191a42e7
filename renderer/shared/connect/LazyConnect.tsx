import { Skeleton } from '@mantine/core'
import { lazy, Suspense } from 'react'
import { lazyDialog } from '../../lib/page/lazyPart.tsx'
import type { ConnectedPrompt } from './ConnectExamples.tsx'

const Examples = lazy(() =>
  import('./ConnectExamples.tsx').then((module) => ({ default: module.ConnectExamples })),
)

type Props = { readonly workspace: string | undefined }
type DialogProps = Props & { readonly prompt?: ConnectedPrompt; readonly onClose: () => void }

/** Height of the snippets in pixels, reserved so that the content below does not move. */
const compactHeight = 330

/** The snippets within a page, in compact form. Their code loads when they are shown. */
export const LazyConnectExamples = ({ workspace }: Props) => (
  <Suspense fallback={<Skeleton height={compactHeight} />}>
    <Examples workspace={workspace} isCompact />
  </Suspense>
)

/** The snippets in a dialog. Mount it to open, unmount it to close. */
export const LazyConnectDialog = lazyDialog<DialogProps>(
  async () => (await import('./ConnectDialog.tsx')).ConnectDialog,
)
