import './content.texts.ts'
import MarkdownToJsx from 'markdown-to-jsx/react'
import type { ReactNode } from 'react'
import { t } from '../../../lib/i18n.ts'
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

/** The box of a task in a list. It cannot be changed. */
const TaskBox = ({ checked }: { readonly checked?: boolean }) => (
  <input
    type="checkbox"
    checked={checked === true}
    disabled
    aria-label={t(checked === true ? 'run_content:task.done' : 'run_content:task.open')}
  />
)

const options = {
  // Markup in a text is shown as text.
  disableParsingRawHTML: true,
  forceBlock: true,
  overrides: { a: SafeLink, img: ImageLink, input: TaskBox },
} as const

/** A text of a model, rendered as Markdown without HTML, images or scripts. */
export const Markdown = ({ text }: { readonly text: string }) => (
  <div className={styles['markdown']}>
    <MarkdownToJsx options={options}>{text}</MarkdownToJsx>
  </div>
)
