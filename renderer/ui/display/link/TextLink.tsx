import { Anchor } from '@mantine/core'
import { createLink } from '@tanstack/react-router'
import type { AnchorHTMLAttributes, Ref } from 'react'

const SmallAnchor = (props: AnchorHTMLAttributes<HTMLAnchorElement> & { ref?: Ref<HTMLAnchorElement> }) => (
  <Anchor size="sm" {...props} />
)

/** Link that opens a page. `to`, `params` and `search` are checked against the routes. */
export const TextLink = createLink(SmallAnchor)
