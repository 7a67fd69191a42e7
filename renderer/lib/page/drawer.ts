import { useParams } from '@tanstack/react-router'
import { useOpenPage } from './openPage.ts'
import type { PagePath } from './search.ts'

/** Paths of the lists whose rows open in a drawer. */
type ListPath = PagePath extends infer Path ? (Path extends `${infer List}/{-$id}` ? List : never) : never

/**
 * Returns the id of the row whose drawer is open, from the address (`/users/<id>`), and functions to open and
 * close it. Opening the first row adds a history entry; moving to another row replaces it, so that Back
 * closes the drawer. Filters, page and workspace are kept.
 */
export function useOpenRow(path: ListPath) {
  const openPage = useOpenPage()
  const { id: openId } = useParams({ from: `/signed-in/shell${path}/{-$id}` })
  const go = (id: string | undefined, replace: boolean, isNewTab = false): void => {
    const options = { search: true, state: true, replace, resetScroll: false } as const
    openPage({ to: `${path}/{-$id}`, params: { id }, ...options }, isNewTab)
  }
  return {
    openId,
    open: (id: string, isNewTab = false): void => go(id, openId !== undefined, isNewTab),
    close: (): void => go(undefined, false),
  }
}
