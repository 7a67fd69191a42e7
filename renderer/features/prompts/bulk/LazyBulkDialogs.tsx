import { lazy, Suspense } from 'react'
import type { PromptFacets } from '../../../../contract/prompts/prompt-list.ts'
import type { PromptActions } from '../usePromptActions.tsx'
import type { BulkRequest } from './BulkDialogs.tsx'

const Dialogs = lazy(() => import('./BulkDialogs.tsx').then((module) => ({ default: module.BulkDialogs })))

type Props = {
  readonly request: BulkRequest | null
  readonly actions: PromptActions
  readonly tags: PromptFacets['tags'] | undefined
  readonly onClose: (left: ReadonlySet<string> | null) => void
}

/** The dialog of the requested bulk action. Its code loads on first use. */
export const BulkDialogs = ({ request, tags = [], ...props }: Props) =>
  request === null ? null : (
    <Suspense>
      <Dialogs request={request} tags={tags.map(({ name }) => name)} {...props} />
    </Suspense>
  )
