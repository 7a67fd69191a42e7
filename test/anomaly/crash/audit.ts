import type { ApiClient } from '../../../contract/client.ts'
import type { Ledger } from './ledger.ts'

/** Kinds whose id in the ledger is the `resource_id` of their audit entries. */
const kinds = /^(?:workspace|user|prompt|agent|workflow):/
/** Only the newest resources are checked, because each takes a request. */
const maxResources = 300

/**
 * Checks the newest resources of the ledger: every acknowledged mutation must have an audit entry, and there
 * must be no more entries than attempted mutations. Returns the violations.
 */
export async function checkAudit(api: ApiClient, ledger: Ledger): Promise<string[]> {
  const violations: string[] = []
  const newest = [...ledger.entries].filter(([key]) => kinds.test(key)).slice(-maxResources)
  for (const [key, { acknowledged, attempted }] of newest) {
    const resource_id = key.slice(key.indexOf(':') + 1)
    const { total } = await api.audit.list({ query: { resource_id, limit: 1 } })
    if (total < acknowledged || total > attempted)
      violations.push(`${key}: ${total} audit entries for ${acknowledged} to ${attempted} mutations`)
  }
  return violations
}
