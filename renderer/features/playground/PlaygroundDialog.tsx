import { type ComponentProps, lazy, Suspense } from 'react'
import type { OpenDialog, PlaygroundSession } from './session.ts'

const HistoryDrawer = lazy(() =>
  import('./history/HistoryDrawer.tsx').then((m) => ({ default: m.HistoryDrawer })),
)
const CompareDialog = lazy(() =>
  import('./history/CompareDialog.tsx').then((m) => ({ default: m.CompareDialog })),
)
const SaveDialogs = lazy(() => import('./save/SaveDialogs.tsx').then((m) => ({ default: m.SaveDialogs })))
const CasesDialog = lazy(() => import('./history/CasesDialog.tsx').then((m) => ({ default: m.CasesDialog })))

type Props = {
  /** Null: none is open. */
  readonly name: OpenDialog | null
  readonly session: PlaygroundSession
  readonly opened: ComponentProps<typeof SaveDialogs>['opened']
  readonly onClose: () => void
}

/** The open dialog of the Playground, loaded when it is opened first. */
export function PlaygroundDialog({ name, session, opened, onClose }: Props) {
  return (
    <Suspense>
      {name === 'history' && <HistoryDrawer session={session} onClose={onClose} />}
      {name === 'compare' && <CompareDialog session={session} onClose={onClose} />}
      {(name === 'draft' || name === 'prompt' || name === 'agent') && (
        <SaveDialogs session={session} as={name} opened={opened} onClose={onClose} />
      )}
      {(name === 'case' || name === 'cases') && (
        <CasesDialog session={session} isSaving={name === 'case'} onClose={onClose} />
      )}
    </Suspense>
  )
}
