import { t } from '../../../lib/i18n.ts'
import { LinkButton } from '../../../ui/display/link/LinkButton.tsx'
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx'
import { type Kind, listOf } from '../definition.ts'

/** Message that an agent or workflow does not exist or was deleted, with a link to the others. */
export const DefinitionNotFound = ({ kind }: { readonly kind: Kind }) => (
  <EmptyState
    title={t(`definition:${kind}.gone`)}
    text={t(`definition:${kind}.gone_text`)}
    action={
      <LinkButton variant="default" to={listOf[kind]}>
        {t(`definition:${kind}.many`)}
      </LinkButton>
    }
  />
)
