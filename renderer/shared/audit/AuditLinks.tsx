import { use } from 'react'
import type { AuditEntry } from '../../../contract/system/audit.ts'
import { t } from '../../lib/i18n.ts'
import { useMe } from '../../lib/session/me.ts'
import { LinkButton } from '../../ui/display/link/LinkButton.tsx'
import { diffOf, releaseOf } from '../releases/releases.ts'
import { ResourcePagesContext } from './resourcePages.ts'

/** Links of an entry: all entries of its actor, all about its resource, and the resource itself. */
export function AuditLinks({ entry }: { readonly entry: AuditEntry }) {
  const { actor, resource, resource_id: resourceId, key } = entry
  const resourceName = t(`audit:resource.${resource}`)
  const resourceSearch =
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
      <LinkButton variant="default" to="/audit/{-$id}" params={{ id: undefined }} search={resourceSearch}>
        {t('audit:drawer.this_resource', { resource: resourceName })}
      </LinkButton>
      <OpenResource entry={entry} />
      <OpenRelease entry={entry} />
    </>
  )
}

/** Link to the resource, if it has a page that the user may open, and still exists. */
function OpenResource({ entry }: { readonly entry: AuditEntry }) {
  const { resource, resource_id: id, action } = entry
  const page = use(ResourcePagesContext)[resource]
  const { permissions } = useMe()
  if (id === null || action === 'delete' || page === undefined) return null
  if (page.permission !== undefined && !permissions.includes(page.permission)) return null
  return (
    <LinkButton variant="subtle" to={page.path} params={{ id }}>
      {page.openLabel === undefined
        ? t('audit:drawer.open', { resource: t(`audit:resource.${resource}`) })
        : t(page.openLabel)}
    </LinkButton>
  )
}

/** For prompts, link to the changes of the version, or to the trash, where a deleted prompt is. */
function OpenRelease({ entry }: { readonly entry: AuditEntry }) {
  const release = releaseOf(entry)
  if (entry.resource === 'prompt' && entry.resource_id !== null && entry.action === 'delete') {
    return (
      <LinkButton variant="subtle" to="/prompts" search={{ view: 'trash' }}>
        {t('audit:drawer.open_trash')}
      </LinkButton>
    )
  }
  if (release === null) return null
  return (
    <LinkButton
      variant="subtle"
      to="/prompts/$id"
      params={{ id: release.id }}
      search={diffOf(release.version)}
    >
      {t('audit:drawer.open_diff')}
    </LinkButton>
  )
}
