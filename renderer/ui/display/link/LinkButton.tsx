import { Button, type ButtonProps } from '@mantine/core'
import { createLink } from '@tanstack/react-router'
import type { AnchorHTMLAttributes, Ref } from 'react'

type Props = ButtonProps &
  Omit<AnchorHTMLAttributes<HTMLAnchorElement>, keyof ButtonProps> & { ref?: Ref<HTMLAnchorElement> }

const AnchorButton = (props: Props) => <Button component="a" {...props} />

/** Button that opens a page. `to`, `params` and `search` are checked against the routes. */
export const LinkButton = createLink(AnchorButton)
