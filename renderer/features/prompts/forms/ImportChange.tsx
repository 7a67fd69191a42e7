import { useQuery } from '@tanstack/react-query'
import type { ImportedItem } from '../../../../contract/prompts/prompt-transfer.ts'
import { changedFields } from '../../../shared/editing/drafts.ts'
import { promptQuery } from '../../../shared/prompts/prompt.queries.ts'
import { Diff } from '../../../ui/diff/Diff.tsx'
import { QueryPending } from '../../../ui/feedback/QueryPending.tsx'
import { draftOf, fieldsExceptContent } from '../editor/editing.ts'
import styles from '../list/prompts.module.css'

type Props = { readonly id: string; readonly after: NonNullable<ImportedItem['after']> }

/** A diff of an existing prompt's draft before and after an import. */
export function ImportChange({ id, after: fields }: Props) {
  const query = useQuery(promptQuery(id))
  const prompt = query.data
  if (prompt === undefined) {
    return <QueryPending query={query} height={60} />
  }
  const [before, after] = [draftOf(prompt), draftOf(Object.assign({}, prompt, fields))]
  const differing = changedFields(before, after)
  const otherFields = differing.filter((field) => field !== 'content')
  return (
    <div className={styles['change']}>
      {otherFields.length > 0 && (
        <Diff
          before={fieldsExceptContent(before, otherFields)}
          after={fieldsExceptContent(after, otherFields)}
        />
      )}
      {differing.includes('content') && <Diff before={before.content} after={after.content} />}
    </div>
  )
}
