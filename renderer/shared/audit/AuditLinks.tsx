import type { AuditEntry } from '../../../contract/audit.ts'
import { t } from '../../lib/i18n.ts'
import { useIsAllowed } from '../../lib/session/me.ts'
import { LinkButton } from '../../ui/display/LinkButton.tsx'
import { diffOf, releaseOf } from '../releases/releases.ts'

/** Links of an entry: all entries of its actor, all about its resource, and the resource itself. */
export function AuditLinks({ entry }: { readonly entry: AuditEntry }) {
  const { actor, resource, resource_id: resourceId, key } = entry
  const resourceName = t(`audit:resource.${resource}`)
  const about =
    resourceId !== null
      ? { resource: [resource], resource_id: [resourceId] }
      : key !== null
        ? { resource: [resource], key: [key] }
        : { resource: [resource] }
  return (
    <>
      <LinkButton variant="default" to="/audit/{-$id}" params={{ id: undefined }} search={{ actor: [actor] }}>
        {t('audit:drawer.this_actor', { actor })}
      </LinkButton>
      <LinkButton variant="default" to="/audit/{-$id}" params={{ id: undefined }} search={about}>
        {t('audit:drawer.this_resource', { resource: resourceName })}
      </LinkButton>
      <OpenResource entry={entry} />
    </>
  )
}

/** Link to the resource, if it has a page and still exists. */
function OpenResource({ entry }: { readonly entry: AuditEntry }) {
  const mayOpenUsers = useIsAllowed('users.manage')
  const mayOpenProviders = useIsAllowed('providers.manage')
  const { resource, resource_id: id, action } = entry
  if (id === null) return null
  if (resource === 'prompt') return <OpenPrompt id={id} entry={entry} />
  if (action === 'delete') return null
  if (resource === 'user' && mayOpenUsers) {
    return (
      <LinkButton variant="subtle" to="/users/{-$id}" params={{ id }}>
        {t('audit:drawer.open_user')}
      </LinkButton>
    )
  }
  if (resource === 'workspace') {
    return (
      <LinkButton variant="subtle" to="/workspaces/{-$id}" params={{ id }}>
        {t('audit:drawer.open_workspace')}
      </LinkButton>
    )
  }
  if (resource === 'provider' && mayOpenProviders) {
    return (
      <LinkButton variant="subtle" to="/providers">
        {t('audit:drawer.open_providers')}
      </LinkButton>
    )
  }
  if (resource === 'agent') {
    return (
      <LinkButton variant="subtle" to="/agents/$id" params={{ id }}>
        {t('audit:drawer.open_agent')}
      </LinkButton>
    )
  }
  if (resource === 'workflow') {
    return (
      <LinkButton variant="subtle" to="/workflows/$id" params={{ id }}>
        {t('audit:drawer.open_workflow')}
      </LinkButton>
    )
  }
  if (resource === 'client') {
    return (
      <LinkButton variant="subtle" to="/clients/{-$id}" params={{ id }}>
        {t('audit:drawer.open_client')}
      </LinkButton>
    )
  }
  return null
}

/** Links to a prompt and to what its version changed. A deleted prompt is in the trash. */
function OpenPrompt({ id, entry }: { readonly id: string; readonly entry: AuditEntry }) {
  const release = releaseOf(entry)
  if (entry.action === 'delete') {
    return (
      <LinkButton variant="subtle" to="/prompts" search={{ view: 'trash' }}>
        {t('audit:drawer.open_trash')}
      </LinkButton>
    )
  }
  return (
    <>
      <LinkButton variant="subtle" to="/prompts/$id" params={{ id }}>
        {t('audit:drawer.open_prompt')}
      </LinkButton>
      {release !== null && (
        <LinkButton variant="subtle" to="/prompts/$id" params={{ id }} search={diffOf(release.version)}>
          {t('audit:drawer.open_diff')}
        </LinkButton>
      )}
    </>
  )
}
