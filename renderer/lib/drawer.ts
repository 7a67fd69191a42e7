import { useNavigate, useParams } from '@tanstack/react-router'

/**
 * The row whose drawer is open, from the address: `/users/<id>`. Opening adds to the history, walking on replaces, so
 * that Back closes. Filters, page and workspace stay as they are.
 */
export function useOpenRow(path: `/${string}`) {
  const navigate = useNavigate()
  const params: { readonly id?: string } = useParams({ strict: false })
  const openId = params.id
  const go = (id: string | undefined, replace: boolean): void => {
    void navigate({
      to: `${path}/{-$id}` as never,
      params: { id } as never,
      search: true as never,
      state: true,
      replace,
      resetScroll: false,
    })
  }
  return {
    openId,
    open: (id: string): void => go(id, openId !== undefined),
    close: (): void => go(undefined, false),
  }
}
