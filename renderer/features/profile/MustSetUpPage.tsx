import { useSearch } from '@tanstack/react-router'
import { RequiredStep } from './RequiredStep.tsx'
import { SetUpTwoFactor } from './SetUpTwoFactor.tsx'

/** The page for users who must set up two-factor authentication before they can use the console. */
export function MustSetUpPage() {
  const search = useSearch({ from: '/signed-in/second-factor' })
  return (
    <RequiredStep texts="must_set_up" returnPath={search.return}>
      {(onDone) => <SetUpTwoFactor onDone={onDone} />}
    </RequiredStep>
  )
}
