import { useSearch } from '@tanstack/react-router'
import { PasswordForm } from './PasswordForm.tsx'
import { RequiredStep } from './RequiredStep.tsx'

/** The page for users who must change their password before they can use the console. */
export function MustChangePage() {
  const search = useSearch({ from: '/signed-in/password' })
  return (
    <RequiredStep texts="must" returnPath={search.return}>
      {(onDone) => <PasswordForm onDone={onDone} />}
    </RequiredStep>
  )
}
