import type { z } from 'zod'
import { ChatMessages } from '../../../../contract/models/models.ts'
import { Content, MessagesInput } from '../../../../contract/prompts/prompt.ts'
import { isEmptyPrompt } from '../../../../contract/prompts/prompt-chat.ts'
import { ParamsInput } from '../../../../contract/prompts/prompt-params.ts'
import { t } from '../../../lib/i18n.ts'
import { parseSchema, parseTools } from '../input/json.ts'
import { type Setup, sentMessage } from '../playground.state.ts'
import type { FieldErrors } from './parameters.ts'
import { type RunText, valuesFor } from './request.ts'

/** Errors of the prompt panel by part; null or empty if there are none. */
export type SetupErrors = {
  readonly content: string | null
  /** By path, such as `messages.0.content`. */
  readonly chat: FieldErrors
  /** By path, such as `params.temperature`. */
  readonly params: FieldErrors
  readonly values: FieldErrors
  readonly messages: string | null
  readonly tools: string | null
  readonly schema: string | null
}

const noTextErrors: Pick<SetupErrors, 'content' | 'chat' | 'params'> = { content: null, chat: {}, params: {} }

/** Returns the issues by path, below `name`. */
const errorsByPath = (name: string, error: z.ZodError | undefined): FieldErrors =>
  Object.fromEntries(
    (error?.issues ?? []).map(({ path, message }) => [[name, ...path.map(String)].join('.'), message]),
  )

/** Returns the errors in a text or chat that runs without a prompt. */
function textErrors({ content, messages, params }: RunText): typeof noTextErrors {
  const empty = isEmptyPrompt(content, messages) ? t('playground:source.empty') : null
  const chat = errorsByPath(
    'messages',
    messages === null ? undefined : MessagesInput.safeParse(messages).error,
  )
  const tooLong = messages === null ? Content.safeParse(content).error?.issues[0]?.message : chat['messages']
  return {
    content: empty ?? tooLong ?? null,
    chat,
    params: errorsByPath('params', ParamsInput.safeParse(params).error),
  }
}

/** Returns the errors of the prompt panel for the texts to run. */
export function checkSetup(setup: Setup, texts: readonly RunText[]): SetupErrors {
  const customText = texts.find(({ base }) => base === null)
  const messages = ChatMessages.safeParse(setup.messages.map(sentMessage))
  return {
    ...(customText === undefined ? noTextErrors : textErrors(customText)),
    values: Object.assign({}, ...texts.map((text) => valuesFor(text, setup.values).errors)) as FieldErrors,
    messages: messages.error?.issues[0]?.message ?? null,
    tools: parseTools(setup.tools).error,
    schema: parseSchema(setup.schema).error,
  }
}

/** Returns true if there are no errors. */
export const isValid = ({ values, chat, params, ...others }: SetupErrors): boolean =>
  [values, chat, params].every((errors) => Object.keys(errors).length === 0) &&
  Object.values(others).every((error) => error === null)
