import { z } from 'zod'
import { environments } from '../common/environments.ts'
import { clearable, Id, invisible, Timestamp } from '../common/fields.ts'
import { unsafeNames, variablesIn } from '../formats/template.ts'
import { chatText } from '../models/chat.ts'
import {
  maxMessages,
  maxMessagesLength,
  PromptMessages,
  PromptType,
  toolCallFindings,
  VariableName,
} from './prompt-chat.ts'
import { PromptParams } from './prompt-params.ts'

export const Environment = z.enum(environments)
/** The environment that an app requests. It may not exist; then nothing is served. */
export const EnvironmentName = z
  .string()
  .min(1)
  .max(64)
  .meta({ description: '`dev`, `test` or `prod`; other names have no prompts' })

/** Maximum size of the content, in bytes of UTF-8. */
export const maxContentBytes = 256 * 1024
const maxVariables = 500
/** Days for which a deleted prompt can be restored. */
export const trashDays = 30

const encoder = new TextEncoder()
export const isText = (text: string) => !text.includes('\u0000') && !/\p{Cs}/u.test(text)
const text = (max: number) => z.string().max(max).refine(isText, 'Not valid Unicode text')
/** One line that is not empty. */
const line = (max: number) =>
  text(max)
    .trim()
    .min(1)
    .refine((value) => !invisible.test(value), 'No control or invisible characters')

export const folderOf = (key: string): string => key.slice(0, Math.max(0, key.lastIndexOf('/')))

export const Content = z
  .string()
  .refine(isText, 'Not valid Unicode text')
  .refine((content) => encoder.encode(content).length <= maxContentBytes, 'Larger than 256 KiB')
  .superRefine((content, issues) => {
    const names = variablesIn(content)
    for (const name of unsafeNames(names)) {
      issues.addIssue({ code: 'custom', message: `{{${name}}} is not a valid variable name` })
    }
    if (names.length > maxVariables)
      issues.addIssue({ code: 'custom', message: `More than ${maxVariables} variables` })
  })

/** The messages of a chat prompt, as they are accepted. Their text has the limits of `Content`. */
export const MessagesInput = PromptMessages.max(maxMessages).superRefine((messages, issues) => {
  if (JSON.stringify(messages).length > maxMessagesLength)
    issues.addIssue({ code: 'custom', message: 'Larger than 512 Ki characters as JSON' })
  for (const { message } of Content.safeParse(chatText(messages)).error?.issues ?? [])
    issues.addIssue({ code: 'custom', message })
  for (const { path, message } of toolCallFindings(messages))
    issues.addIssue({ code: 'custom', path: path.split('.'), message })
})

export const variableTypes = ['string', 'number', 'boolean', 'json'] as const
const VariableType = z.enum(variableTypes)

const VariableValue = z.union([text(8192), z.number(), z.boolean()])

/**
 * A variable as declared by a user. Replies add `declared` and `used`; a client may send them back unchanged.
 * A variable with `declared: false` stays undeclared.
 */
const DeclaredVariable = z.strictObject({
  name: VariableName,
  required: z.boolean().optional(),
  default: clearable(VariableValue),
  description: clearable(text(1000)),
  type: VariableType.optional(),
  example: clearable(VariableValue),
  declared: z.boolean().optional(),
  used: z.boolean().optional(),
})
export const VariablesInput = z
  .array(z.union([VariableName.transform((name) => ({ name })), DeclaredVariable]))
  .max(200)
  .superRefine((variables, issues) => {
    const seen = new Set<string>()
    variables.forEach(({ name }, index) => {
      if (seen.has(name))
        issues.addIssue({ code: 'custom', path: [index, 'name'], message: 'Declared twice' })
      seen.add(name)
    })
  })

/** A variable that is declared, found in the template, or both. */
export const Variable = z.object({
  name: z.string(),
  required: z.boolean(),
  default: z.union([z.string(), z.number(), z.boolean()]).nullable(),
  description: z.string(),
  type: VariableType,
  example: z
    .union([z.string(), z.number(), z.boolean()])
    .optional()
    .meta({ description: 'Sample value for people and tests; absent if none is declared' }),
  declared: z.boolean(),
  used: z.boolean().meta({ description: 'Whether the template uses it' }),
})
export type Variable = z.infer<typeof Variable>

/** `v3` on the wire; `3` is accepted in input. */
export const VersionLabel = z.string().meta({ examples: ['v3'] })
export const VersionInput = z
  .union([z.int().min(1), z.string().regex(/^v?[1-9]\d{0,8}$/, 'A version such as v3')])
  .transform((version) => Number(String(version).replace(/^v/, '')))

/** A version label in a request, which may not exist. */
export const AnyVersion = z.union([z.int().min(1), z.string().trim().min(1).max(200)]).transform(String)
/**
 * Returns the number of a label: `v3` and `3` are 3. Returns null for any other text, which no version has.
 */
export function versionNumber(label: string): number | null {
  return /^v?[1-9]\d{0,8}$/.test(label) ? Number(label.replace(/^v/, '')) : null
}

const Tag = line(64).regex(/^[^,]*$/, 'No comma')
const maxTags = 50
/** Tags as a list or as a comma-separated string. */
export const TagsInput = z
  .union([
    z
      .string()
      .min(1)
      .transform((list) =>
        list
          .split(',')
          .map((tag) => tag.trim())
          .filter(Boolean),
      ),
    z.array(z.string()).max(maxTags),
  ])
  .pipe(z.array(Tag).max(maxTags))
  .transform((tags) => [...new Set(tags)])

/** The versioned part of a prompt. */
export const promptBody = {
  type: PromptType,
  content: z.string().meta({
    description: 'The text; of a chat prompt its messages as text: `role: content`, a blank line between',
  }),
  messages: PromptMessages.nullable().meta({ description: 'The messages of a chat prompt; null for a text' }),
  model: z.string().nullable(),
  params: PromptParams,
  variables: z.array(Variable),
}

export const Prompt = z.object({
  id: Id,
  workspace_id: Id,
  key: z.string(),
  folder: z.string().meta({ description: 'Part of the key before the last `/`; empty for none' }),
  name: z.string(),
  description: z.string(),
  ...promptBody,
  env: Environment,
  category: z.string().nullable(),
  tags: z.array(z.string()),
  version: VersionLabel.nullable().meta({ description: 'Null if never published' }),
  has_draft: z.boolean().meta({ description: 'Whether the draft differs from the served version' }),
  served: z.object({ version: VersionLabel, ...promptBody }).nullable(),
  protected: z.boolean().meta({
    description:
      'Whether the workspace protects this environment, so that only admins can change the served version',
  }),
  published_at: Timestamp.nullable(),
  created_by: z.string(),
  updated_by: z.string(),
  created_at: Timestamp,
  updated_at: Timestamp,
  deleted_at: Timestamp.nullable(),
  restorable_until: Timestamp.nullable(),
  etag: z.string().meta({ description: '`ETag` of this state, for `If-Match`' }),
})
export type Prompt = z.infer<typeof Prompt>

export const PromptName = line(200)
export const PromptDescription = text(4000)
export const Model = text(128).trim().min(1)
export const Category = line(64)
export const Message = text(1000).trim()

export const promptExample: z.input<typeof Prompt> = {
  id: '019aa5b2-7c10-7d5e-9a51-0c5a8a1f3b20',
  workspace_id: 'default',
  key: 'billing/refund',
  folder: 'billing',
  name: 'Refund, first reply',
  description: 'Replies to the first mail about a refund',
  type: 'text',
  content: 'Write to {{customer.name}} about the refund of {{amount}}.',
  messages: null,
  model: 'gpt-4o',
  params: { temperature: 0.2 },
  variables: [
    {
      name: 'customer.name',
      required: true,
      default: null,
      description: 'Text written by the customer',
      type: 'string',
      declared: true,
      used: true,
    },
    {
      name: 'amount',
      required: false,
      default: null,
      description: '',
      type: 'string',
      declared: false,
      used: true,
    },
  ],
  env: 'prod',
  category: 'support',
  tags: ['mail', 'refunds'],
  version: 'v3',
  has_draft: false,
  served: {
    version: 'v3',
    type: 'text',
    content: 'Write to {{customer.name}} about the refund of {{amount}}.',
    messages: null,
    model: 'gpt-4o',
    params: { temperature: 0.2 },
    variables: [],
  },
  protected: false,
  published_at: '2026-11-21T09:30:00.000Z',
  created_by: 'edda',
  updated_by: 'edda',
  created_at: '2026-11-21T09:30:00.000Z',
  updated_at: '2026-11-21T09:41:12.400Z',
  deleted_at: null,
  restorable_until: null,
  etag: '"7"',
}
