import { Menu, type MenuItemProps } from '@mantine/core'
import { createLink } from '@tanstack/react-router'
import type { AnchorHTMLAttributes, Ref } from 'react'

type Props = MenuItemProps &
  Omit<AnchorHTMLAttributes<HTMLAnchorElement>, keyof MenuItemProps> & { ref?: Ref<HTMLAnchorElement> }

const AnchorItem = (props: Props) => <Menu.Item component="a" {...props} />

/** Menu item that opens a page. */
export const MenuLink = createLink(AnchorItem)
