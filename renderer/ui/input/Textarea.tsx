import { Textarea as Base, type TextareaProps } from '@mantine/core'
import './Textarea.css'

const isSizedByBrowser = CSS.supports('field-sizing', 'content')

/**
 * Text field that grows with its text from `minRows` to `maxRows`. Mantine's `autosize` lays out the whole text
 * at each rendering, so it is used only in browsers without `field-sizing`.
 */
export const Textarea = ({ minRows = 1, maxRows = 12, ...props }: Omit<TextareaProps, 'style'>) => (
  <Base
    {...props}
    {...(isSizedByBrowser ? { rows: minRows } : { autosize: true, minRows, maxRows })}
    style={{ '--min-rows': minRows, '--max-rows': maxRows }}
  />
)
