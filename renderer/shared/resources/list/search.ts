import { resourceSorts } from '../../../../contract/resources/versioned.ts'
import { listSearch, oneOf, textListParam, textParam } from '../../../lib/page/search.ts'

/** Search parameters of the lists of prompts, agents and workflows. */
export const resourceSearch = {
  ...listSearch,
  sort: oneOf(resourceSorts),
  workspace: textParam(),
  /** Exact keys, for links from places that do not know the id. */
  key: textListParam(),
}

/** Order of a list that applies if the address names none. */
export const defaultSort = 'key'
