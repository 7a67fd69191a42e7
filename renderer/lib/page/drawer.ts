import { useNavigate, useParams } from '@tanstack/react-router'

/**
 * Returns the id of the row whose drawer is open, from the address (`/users/<id>`), and functions to open and
 * close it. Opening the first row adds a history entry; moving to another row replaces it, so that Back
 * closes the drawer. Filters, page and workspace are kept.
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
