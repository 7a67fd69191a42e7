import { lazy, Suspense } from 'react'
import type { Asking } from '../usePromptActions.tsx'

const DuplicateForm = lazy(() =>
  import('./DuplicateForm.tsx').then((module) => ({ default: module.DuplicateForm })),
)
const MoveForm = lazy(() => import('./MoveForm.tsx').then((module) => ({ default: module.MoveForm })))

type Props = { readonly asking: Asking | null; readonly close: () => void }

/** The dialogs that `usePromptActions` opens. Render it once per page. */
export function PromptForms({ asking, close }: Props) {
  if (asking === null) return null
  return (
    <Suspense>
      {asking.kind === 'duplicate' ? (
        <DuplicateForm prompt={asking.prompt} onClose={close} />
      ) : (
        <MoveForm prompt={asking.prompt} onClose={close} />
      )}
    </Suspense>
  )
}
