import { z } from 'zod'
import type { Endpoint } from '../../contract/endpoint.ts'
import { type Permission, permissionRoles, Role } from '../../contract/roles.ts'
import { createStore } from './store.ts'

/**
 * An admin may look at the console as a lesser role. Only this tab pretends: requests carry the admin's token, so what
 * the role may not do is refused here, before it is sent.
 */
const storageKey = 'promptdeck.view-as'

const names = Object.keys(permissionRoles) as [Permission, ...Permission[]]
const View = z.object({ role: Role.exclude(['admin']), permissions: z.array(z.enum(names)) })
export type View = z.infer<typeof View>

function remembered(): View | null {
  try {
    return View.safeParse(JSON.parse(sessionStorage.getItem(storageKey) ?? 'null')).data ?? null
  } catch {
    return null
  }
}

const store = createStore<View | null>(remembered())

export const viewAs = {
  ...store,
  set: (next: View | null): void => {
    if (next === null) sessionStorage.removeItem(storageKey)
    else sessionStorage.setItem(storageKey, JSON.stringify(next))
    store.set(next)
  },
}

/** Whether the role that is pretended may call this. */
export function isWithinView({ permission }: Pick<Endpoint, 'permission'>): boolean {
  const view = viewAs.get()
  if (view === null || permission === 'public' || permission === 'signed_in') return true
  return view.permissions.includes(permission)
}
