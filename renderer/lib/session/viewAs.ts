import { z } from 'zod'
import type { Endpoint } from '../../../contract/common/endpoint.ts'
import { type Permission, permissionRoles, Role } from '../../../contract/common/roles.ts'
import { tabValues } from '../state/storage.ts'
import { createStore } from '../state/store.ts'

/**
 * Key in sessionStorage of the role that an admin views the console as. Only this tab is affected: requests
 * carry the admin's token, so calls that the role may not make are rejected here before they are sent.
 */
const storageKey = 'promptdeck.view-as'

const permissions = Object.keys(permissionRoles) as [Permission, ...Permission[]]
const View = z.object({ role: Role.exclude(['admin']), permissions: z.array(z.enum(permissions)) })
export type View = z.infer<typeof View>

function storedView(): View | null {
  try {
    return View.safeParse(JSON.parse(tabValues.getItem(storageKey) ?? 'null')).data ?? null
  } catch {
    return null
  }
}

const store = createStore<View | null>(storedView())

export const viewAs = {
  ...store,
  set: (next: View | null): void => {
    if (next === null) tabValues.removeItem(storageKey)
    else tabValues.setItem(storageKey, JSON.stringify(next))
    store.set(next)
  },
}

/** True if the viewed role may call the endpoint. */
export function isWithinView({ permission }: Pick<Endpoint, 'permission'>): boolean {
  const view = viewAs.get()
  if (view === null || permission === 'public' || permission === 'signed_in') return true
  return view.permissions.includes(permission)
}
