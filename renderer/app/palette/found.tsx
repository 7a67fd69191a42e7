import type { SearchResult } from '../../../contract/system/search.ts'
import { t } from '../../lib/i18n.ts'
import type { ActionTarget, ItemAction } from '../../lib/page/resource.ts'
import type { DisabledReason } from '../../lib/session/me.ts'
import { type Item, type SearchedResource, searchedResources } from './items.ts'

/** Score factor of actions whose verb was not typed, so that they are listed after the item itself. */
const withoutVerbFactor = 0.5
/** Minimum number of letters of a verb that requests an action. */
const minVerbLength = 2
const maxVerbWords = 2

export const resourceOf = (kind: string): SearchedResource | undefined =>
  searchedResources.find(({ items }) => items.kind === kind)

const actionsOf = ({ items }: SearchedResource): readonly ItemAction[] => items.actions ?? []

/** The typed text without the verb of an action: `pub greet` requests to publish the results for `greet`. */
export type Request = { readonly actions: readonly ItemAction[]; readonly rest: string }

/** Verbs are compared without spaces, so that `roll back` and `rollback` are the same. */
const withoutSpaces = (text: string): string => text.toLowerCase().replaceAll(' ', '')

/** Returns the requested actions; null if the text is not a verb followed by other words. */
export function requestedActions(text: string): Request | null {
  const words = text.toLowerCase().split(/\s+/)
  // The longest verb first: the rest of `roll back greet` is `greet`.
  for (let count = Math.min(maxVerbWords, words.length - 1); count > 0; count -= 1) {
    const verb = words.slice(0, count).join('')
    if (verb.length < minVerbLength) continue
    const actions = searchedResources
      .flatMap(actionsOf)
      .filter((action) => withoutSpaces(t(action.verb)).startsWith(verb))
    if (actions.length > 0) return { actions, rest: words.slice(count).join(' ') }
  }
  return null
}

type Open = (target: ActionTarget) => void

export function actionItems(
  result: SearchResult,
  request: Request | null,
  {
    open,
    workspace,
    disabledReasonOf,
  }: {
    readonly open: Open
    /** Name of the workspace of the result; null if it is not to be displayed. */
    readonly workspace: string | null
    readonly disabledReasonOf: (
      permission: NonNullable<ItemAction['permission']>,
      workspaceId: string | null,
    ) => DisabledReason
  },
): readonly Item[] {
  const resource = resourceOf(result.kind)
  const actions = request?.actions ?? (resource === undefined ? [] : actionsOf(resource))
  return actions.flatMap(({ name, label, icon: Icon, permission, targets }) =>
    targets(result).map((target): Item => {
      const { env = '' } = target
      return {
        id: `action:${name}:${result.id}:${env}`,
        group: 'action',
        label: t(label, { label: result.label, env }),
        icon: <Icon size={16} stroke={1.75} />,
        ...(workspace !== null && { description: workspace }),
        score: request === null ? withoutVerbFactor * result.score : result.score,
        disabledReason: permission === undefined ? null : disabledReasonOf(permission, result.workspace_id),
        run: () => open(target),
      }
    }),
  )
}
