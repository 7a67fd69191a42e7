import type { Icon } from '@tabler/icons-react'
import type { RouteComponent } from '@tanstack/react-router'
import type { z } from 'zod'
import type { Permission } from '../../../contract/common/roles.ts'
import type { AuditResource } from '../../../contract/system/audit.ts'
import type { SearchResult as FoundByName } from '../../../contract/system/search.ts'
import type { TextKey } from '../i18n.ts'

/**
 * A page: its path, the schema of its search parameters, and its component, whose code loads on first use.
 */
export type Page<Path extends string = string, Search extends z.ZodObject = z.ZodObject> = {
  /** `{-$id}` is the row whose drawer is open; `$id` is the item that the page shows. */
  readonly path: Path
  /** `shellSearch` if the page has no parameters of its own. */
  readonly search: Search
  readonly component: RouteComponent
}

/** A result of a search in the palette. */
export type SearchResult = { readonly id: string; readonly label: string; readonly description?: string }

/**
 * A search with which the palette finds items. `search`: the service's search by name finds this kind with all others in one
 * request. `number`: by an exact number. `text`: by a request of its own, whose results come last.
 */
export type Find =
  | { readonly by: 'search' }
  | {
      readonly by: 'text' | 'number'
      readonly run: (typed: string, signal: AbortSignal) => Promise<readonly SearchResult[]>
    }

/** An action on a found item, such as "Publish billing/greet". The palette offers it after its verb. */
export type ItemAction = {
  readonly name: string
  /** The typed verb that asks for this action: "publish". */
  readonly verb: TextKey
  /** Text with `{{label}}`, and `{{env}}` for an action on one environment. */
  readonly label: TextKey
  readonly icon: Icon
  readonly permission?: Permission
  /** Returns the places that run the action on a result; none if it does not apply. */
  readonly targets: (result: FoundByName) => readonly ActionTarget[]
}
export type ActionTarget = {
  readonly env?: string
  readonly to: string
  readonly params?: Readonly<Record<string, string>>
  readonly search?: Readonly<Record<string, string>>
}

export const navigationGroups = ['observe', 'build', 'admin'] as const

/** The items of a resource: how the palette finds and creates them, and which page shows one. */
type Items<Path extends string> = {
  /** Name of an item in the audit log and in palette ids (`user:<id>`). */
  readonly kind: AuditResource
  /** The page that shows an item, for audit entries and for results in the palette. */
  readonly path: Path
  /** Text of the link in an audit entry; by default "Open" and the kind. */
  readonly openLabel?: TextKey
  /** Searches with which the palette finds items. */
  readonly find?: Find | readonly Find[]
  readonly actions?: readonly ItemAction[]
  /** Opens the form for a new item. The page reads the request with `useCreateForm`. */
  readonly create?: { readonly label: TextKey; readonly icon: Icon; readonly permission: Permission }
}

/**
 * Manifest of a resource: everything that the console uses outside the folder of the resource. The paths are
 * checked where they are used, because the types of the router derive from the resources.
 */
export type Resource<Path extends string = string, ItemPath extends string = string> = {
  readonly title: TextKey
  readonly icon: Icon
  /** Permission that the pages require. Without it every user may open them. */
  readonly permission?: Permission
  /** Navigation and palette open the first page. */
  readonly pages: readonly [Page<Path>, ...Page[]]
  readonly navigation?: {
    readonly group: (typeof navigationGroups)[number]
    /** `g` and then this letter open the page. */
    readonly jump: string
    /** Paths of pages of other resources for which the entry is marked as the current one too. */
    readonly includes?: readonly string[]
    /** Fetches the number shown beside the label. */
    readonly count?: (signal: AbortSignal) => Promise<number>
    /** Permission that the entry requires, if the page itself requires none. */
    readonly permission?: Permission
  }
  /** Further words that find the page in the palette. */
  readonly keywords?: TextKey
  readonly items?: Items<ItemPath>
}

/** Number of results that a search in the palette requests. */
export const searchResultLimit = 5

/** Checks a manifest and keeps its exact type, from which the router derives paths and search parameters. */
export const defineResource = <const R extends Resource>(resource: R): R => resource
