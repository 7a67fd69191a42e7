import { LinkButton } from '../../../ui/display/link/LinkButton.tsx'

type Props = {
  readonly resource: 'prompt' | 'agent' | 'workflow'
  readonly id: string
  readonly label: string
}

/** Link to the entries of one prompt, agent or workflow in the audit log. */
export const AuditLogLink = ({ resource, id, label }: Props) => (
  <LinkButton
    variant="subtle"
    size="compact-xs"
    to="/audit/{-$id}"
    params={{ id: undefined }}
    search={{ resource: [resource], resource_id: [id] }}
  >
    {label}
  </LinkButton>
)
