import { Skeleton } from '@mantine/core'
import { lazy, Suspense } from 'react'
import type { TemplateEditorProps } from './TemplateCode.tsx'

const TemplateCode = lazy(() =>
  import('./TemplateCode.tsx').then((module) => ({ default: module.TemplateCode })),
)

/** Editor of a template with `{{variables}}`. The code of the editor loads on first use. */
export function TemplateEditor(props: TemplateEditorProps) {
  return (
    <Suspense
      fallback={
        <Skeleton height="100%" mih={props.isCompact === true ? 32 : props.language === 'json' ? 80 : 200} />
      }
    >
      <TemplateCode {...props} />
    </Suspense>
  )
}
