import { lazy, Suspense } from 'react'
import type { OpenDialog } from '../usePromptActions.tsx'

const DuplicateForm = lazy(() =>
  import('./DuplicateForm.tsx').then((module) => ({ default: module.DuplicateForm })),
)
const MoveForm = lazy(() => import('./MoveForm.tsx').then((module) => ({ default: module.MoveForm })))

type Props = { readonly openDialog: OpenDialog | null; readonly close: () => void }

/** The dialogs that `usePromptActions` opens. Render it once per page. */
export function PromptForms({ openDialog, close }: Props) {
  if (openDialog === null) return null
  return (
    <Suspense>
      {openDialog.kind === 'duplicate' ? (
        <DuplicateForm prompt={openDialog.prompt} onClose={close} />
      ) : (
        <MoveForm prompt={openDialog.prompt} onClose={close} />
      )}
    </Suspense>
  )
}
