import { LinkButton } from '../../ui/display/link/LinkButton.tsx'

type Props = {
  /** Filters of the run log. */
  readonly search: object
  readonly label: string
}

export const RunLogLink = ({ search, label }: Props) => (
  <LinkButton variant="subtle" size="compact-xs" to="/runs/{-$id}" params={{ id: undefined }} search={search}>
    {label}
  </LinkButton>
)
