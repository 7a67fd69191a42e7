import type { Environment } from '../../../../contract/common/environments.ts'
import { withoutInvisible } from '../../../../contract/common/fields.ts'
import { PromptKey } from '../../../../contract/resources/key.ts'
import { isRecord } from '../../../lib/values/is-record.ts'
import { member } from '../../../resources/import-file.ts'
import type { RawItem } from '../../../resources/transfer/files.ts'
import type { ExportedPrompt } from './exported.ts'
import { fromOpenAiMessage, fromOpenAiParams, toOpenAiMessage, toOpenAiParams } from './openai-messages.ts'

type Fields = Readonly<Record<string, unknown>>

/** Returns a prompt in the form that the PromptOps API accepts: a chat as text, without parameters. */
export const toPromptOps = ({
  draft: _draft,
  type: _type,
  messages: _messages,
  params: _params,
  variables,
  ...prompt
}: ExportedPrompt) => ({
  ...prompt,
  variables: variables.map(({ name }) => name),
})

/**
 * Reads a prompt of PromptOps or of Promptdeck. Old PromptOps files contain the text only in their versions.
 */
export function fromPromptOps(item: Fields): RawItem {
  const { versions, ...fields } = item
  if (member(item, 'content') !== undefined || !Array.isArray(versions)) return { fields, notes: [] }
  const newest: unknown = versions
    .filter(isRecord)
    .toSorted((a, b) => numberOf(a) - numberOf(b))
    .at(-1)
  const notes = versions.length > 1 ? [`Only the newest of its ${versions.length} versions is imported`] : []
  return isRecord(newest)
    ? {
        fields: {
          ...fields,
          content: member(newest, 'content'),
          model: member(newest, 'model') ?? fields['model'],
        },
        notes,
      }
    : { fields, notes: [] }
}

const numberOf = (version: Fields): number =>
  Number(String(member(version, 'version') ?? '').replace(/^v/, '')) || 0

const labelByEnv: Readonly<Record<Environment, string>> = {
  dev: 'development',
  test: 'staging',
  prod: 'production',
}
const envByLabel: Readonly<Record<string, Environment>> = {
  production: 'prod',
  prod: 'prod',
  staging: 'test',
  test: 'test',
  development: 'dev',
  dev: 'dev',
}

const envOfLabel = (label: unknown): Environment | undefined =>
  typeof label === 'string' && Object.hasOwn(envByLabel, label) ? envByLabel[label] : undefined

export const toLangfuse = ({
  key,
  env,
  content,
  messages,
  model,
  params,
  tags,
  version,
}: ExportedPrompt) => ({
  name: key,
  version: version === null ? 1 : Number(version.slice(1)),
  type: messages === undefined ? 'text' : 'chat',
  prompt: messages === undefined ? content : messages.map(toOpenAiMessage),
  config: { ...(model !== null && { model }), ...toOpenAiParams(params) },
  labels: [labelByEnv[env]],
  tags,
})

export const isLangfuse = (item: Fields): boolean => {
  const prompt = member(item, 'prompt')
  return member(item, 'content') === undefined && (typeof prompt === 'string' || Array.isArray(prompt))
}

/**
 * Returns one prompt per label that names an environment. If versions have the same label, the newest is
 * used.
 */
export function fromLangfuse(versions: readonly Fields[]): RawItem[] {
  const newestFirst = versions.toSorted((a, b) => numberOf(b) - numberOf(a))
  const items = new Map<string, RawItem>()
  for (const version of newestFirst) {
    const { key, ...item } = langfuseItem(version)
    for (const env of envsOf(version)) {
      const id = JSON.stringify([key, env])
      if (items.has(id)) continue
      items.set(id, { fields: { key, ...item.fields, env }, notes: item.notes })
    }
  }
  return [...items.values()].reverse()
}

/** Returns the fields of a version, without its environment. */
function langfuseItem(version: Fields): RawItem & { readonly key: string } {
  const name = String(member(version, 'name') ?? '')
  const key = PromptKey.safeParse(name).data ?? name.trim().replace(/[^A-Za-z0-9._/-]+/g, '-')
  const notes = new Set(key === name ? [] : [`The name ${JSON.stringify(name)} became the key ${key}`])
  const prompt = member(version, 'prompt')
  const config = member(version, 'config')
  const labels = member(version, 'labels')
  for (const label of Array.isArray(labels) ? labels : []) {
    if (label !== 'latest' && envOfLabel(label) === undefined)
      notes.add(`labels: ${String(label).slice(0, 60)} is not an environment, and is left out`)
  }
  if (member(version, 'commitMessage') != null) notes.add('commitMessage: left out')
  const { model, ...params } = isRecord(config) ? config : {}
  const fields = {
    name: withoutInvisible(name).trim() || key,
    ...(Array.isArray(prompt)
      ? { type: 'chat', messages: prompt.map((message) => fromOpenAiMessage(message, notes)) }
      : { type: 'text', content: prompt }),
    model,
    params: fromOpenAiParams(params, notes),
    tags: member(version, 'tags') ?? [],
  }
  return { key, fields, notes: [...notes] }
}

/** Returns the environments that a version's labels name; `[undefined]` if there are none. */
function envsOf(version: Fields): readonly (Environment | undefined)[] {
  const labels = member(version, 'labels')
  const envs = (Array.isArray(labels) ? labels : []).flatMap((label) => envOfLabel(label) ?? [])
  return envs.length > 0 ? [...new Set(envs)] : [undefined]
}
