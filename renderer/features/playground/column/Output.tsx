import { SegmentedControl } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { memo, useMemo, useState } from 'react'
import { t } from '../../../lib/i18n.ts'
import { Badge } from '../../../ui/display/Badge.tsx'
import { blocksOf } from '../input/blocks.ts'
import { jsonIn, parseSchema } from '../input/json.ts'
import type { Result } from '../playground.state.ts'
import styles from './outcome.module.css'

/** Longer responses, in characters, are not formatted or checked as JSON. */
const maxJsonLength = 400_000

/**
 * The response: text while it streams, formatted JSON afterwards if it is JSON, with the result of the schema
 * check.
 */
export function Output({ result }: { readonly result: Result }) {
  const { text, schema, status } = result
  const [isRaw, setRaw] = useState(false)
  const isEnded = status !== 'running'
  const json = useMemo(
    () => (isEnded && text.length <= maxJsonLength ? jsonIn(text) : undefined),
    [isEnded, text],
  )
  const isJson = json !== undefined
  const shown = useMemo(
    () => (isJson && !isRaw ? JSON.stringify(json, null, 2) : text),
    [isJson, isRaw, json, text],
  )
  return (
    <>
      {(isJson || (schema.trim() !== '' && status === 'done')) && (
        <div className={styles['jsonBar']}>
          {isJson && (
            <SegmentedControl
              size="xs"
              value={isRaw ? 'raw' : 'json'}
              onChange={(next) => setRaw(next === 'raw')}
              data={[
                { value: 'json', label: 'JSON' },
                { value: 'raw', label: t('playground:output.raw') },
              ]}
            />
          )}
          {schema.trim() !== '' && status === 'done' && <SchemaCheck schema={schema} json={json} />}
        </div>
      )}
      <div className={styles['text']} data-json={(isJson && !isRaw) || undefined}>
        {blocksOf(shown).map((block, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: blocks are only appended
          <Block key={index} text={block} />
        ))}
      </div>
    </>
  )
}

/** A part of the text. Complete parts are not rendered again while the text grows. */
const Block = memo(function Block({ text }: { readonly text: string }) {
  return <div className={styles['block']}>{text}</div>
})

/** A badge with the result of the schema check. The validator is loaded on first use. */
function SchemaCheck({ schema, json }: { readonly schema: string; readonly json: unknown }) {
  const { data } = useQuery({
    queryKey: ['schema_check', schema, json],
    queryFn: async ({ signal }) => {
      const parsedSchema = parseSchema(schema).value
      if (parsedSchema === null || json === undefined) return [t('playground:validation.no_json')]
      const { schemaErrorsOf } = await import('../input/schemaCheck.ts')
      return schemaErrorsOf(parsedSchema, json, signal)
    },
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (data === undefined) return null
  if (data.length === 0) return <Badge tone="ok">{t('playground:validation.yes')}</Badge>
  return (
    <div className={styles['schemaCheck']}>
      <Badge tone="bad">{t('playground:validation.no')}</Badge>
      <ul>
        {data.map((error) => (
          <li key={error}>{error}</li>
        ))}
      </ul>
    </div>
  )
}
