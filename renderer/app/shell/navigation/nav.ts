import { navigationGroups } from '../../../lib/page/resource.ts'
import { type ConsoleResource, resources } from '../../resources.ts'

export type NavItem = ConsoleResource & Required<Pick<ConsoleResource, 'navigation'>>

export const isNavItem = (resource: ConsoleResource): resource is NavItem => resource.navigation !== undefined

/** The pages by group, in the order of use. A group without an allowed item is not shown. */
export const navigation = navigationGroups.map((name) => ({
  name,
  items: resources.filter(isNavItem).filter((item) => item.navigation.group === name),
}))

export const navItems: readonly NavItem[] = navigation.flatMap((group) => group.items)
