import { useRestoredFocus } from '../../lib/page/focus.ts'
import { CloseDialog, lazyPart } from '../../lib/page/lazyPart.tsx'
import { useStore } from '../../lib/state/store.ts'
import { type OpenRequest, openRequest } from './confirm.tsx'

/** The dialog of a confirmation. If it cannot be loaded, the confirmation is refused. */
export const LazyConfirm = lazyPart(
  async () => (await import('./ConfirmDialog.tsx')).ConfirmDialog,
  ({ request }) => <CloseDialog onClose={() => request.answer(false)} />,
)

/** Shows the dialog that `confirm` requests. Rendered once, in the providers. */
export function ConfirmHost() {
  const request = useStore(openRequest)
  return request === null ? null : <Confirm key={request.id} request={request} />
}

function Confirm({ request }: { readonly request: OpenRequest }) {
  // Its dialog does so too, but may be mounted late.
  useRestoredFocus()
  return <LazyConfirm request={request} />
}
