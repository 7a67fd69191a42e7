import MarkdownToJsx from 'markdown-to-jsx/react'
import type { ReactNode } from 'react'
import styles from './content.module.css'

type LinkProps = { readonly href?: string; readonly children?: ReactNode }

/** A link in a model's response. It opens in a new tab, which has no access to the console. */
const SafeLink = ({ href, children }: LinkProps) =>
  href !== undefined && /^(https?:|mailto:)/i.test(href) ? (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow" title={href}>
      {children}
    </a>
  ) : (
    <span>{children}</span>
  )

type ImageProps = { readonly src?: string; readonly alt?: string }

/** An image as a link: loading it would reveal to its server who reads the run. */
const ImageLink = ({ src, alt }: ImageProps) => (
  <SafeLink {...(src !== undefined && { href: src })}>{alt || src}</SafeLink>
)

const options = {
  // Markup in a text is shown as text.
  disableParsingRawHTML: true,
  forceBlock: true,
  overrides: { a: SafeLink, img: ImageLink, input: () => null },
} as const

/** A text of a model, rendered as Markdown without HTML, images or scripts. */
export const Markdown = ({ text }: { readonly text: string }) => (
  <div className={styles['markdown']}>
    <MarkdownToJsx options={options}>{text}</MarkdownToJsx>
  </div>
)
