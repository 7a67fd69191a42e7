import { createContext } from 'react'
import type { Permission } from '../../../contract/common/roles.ts'
import type { AuditResource } from '../../../contract/system/audit.ts'
import type { TextKey } from '../../lib/i18n.ts'
import type { PagePath } from '../../lib/page/search.ts'

/** The page that shows a resource of an audit entry. */
type ResourcePage = {
  readonly path: Exclude<PagePath, ''>
  readonly permission: Permission | undefined
  readonly openLabel?: TextKey
}
export type ResourcePages = { readonly [R in AuditResource]?: ResourcePage }

/** Pages by resource. The app provides them, because only it knows all pages. */
export const ResourcePagesContext = createContext<ResourcePages>({})
