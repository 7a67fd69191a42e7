import type { PromptsService } from '../features/prompts/prompts.service.ts'
import type { VersionsService } from '../features/prompts/versions/versions.service.ts'
import type { Actor, Context } from '../lib/context.ts'
import { seedKeys } from './seed-data.ts'

type Services = { readonly prompts: PromptsService; readonly versions: VersionsService }

const introductions = [
  'You read what a customer wrote.',
  'You help a colleague.',
  'You answer in two sentences.',
]
const instructions = [
  'Be brief.',
  'Name the next step.',
  'Say so when you do not know.',
  'Keep the tone friendly.',
]

/** Returns the text of a version. Each of the first four versions has one more line, so that a comparison differs. */
const contentOf = (key: string, version: number): string =>
  [
    introductions[key.length % introductions.length],
    `Task: ${key.split('/').at(-1)?.replaceAll('-', ' ')} for {{customer.name}}.`,
    '{{input}}',
    ...instructions.slice(0, version),
  ].join('\n')

/**
 * Creates the prompts that the runs refer to in dev and prod, half of them also in test, with a few versions
 * each and some drafts. Existing prompts are not changed.
 */
export async function seedPrompts(
  { prompts, versions }: Services,
  contextOf: (actor: Actor | undefined) => Context,
  actors: readonly Actor[],
): Promise<void> {
  for (const [index, { key, workspace }] of seedKeys.entries()) {
    const ctx = contextOf(actors[index % 4])
    const { data } = await prompts.list(ctx, { limit: 1, workspace: [workspace], q: key })
    if (data.some((row) => row.key === key)) continue
    const [category = 'general'] = key.split('/')
    const { id } = await prompts.create(ctx, {
      key,
      env: 'dev',
      name: key.split('/').at(-1) ?? key,
      content: contentOf(key, 1),
      model: 'gpt-4o',
      category,
      tags: index % 3 === 0 ? ['customer', category] : [category],
      variables: [
        { name: 'customer.name', required: true, description: 'Text written by the customer' },
        { name: 'input', required: true },
      ],
      workspace_id: workspace,
      draft: false,
    })
    for (let version = 2; version <= 2 + (index % 3); version += 1) {
      await prompts.update(ctx, id, { content: contentOf(key, version) }, null)
      await versions.publish(ctx, id, { message: instructions[version - 1] }, null)
    }
    if (index % 2 === 0) await versions.promote(ctx, id, { env: 'test' }, null)
    await versions.promote(ctx, id, { env: 'prod', message: 'Tried for a week' }, null)
    if (index % 4 === 1) await prompts.update(ctx, id, { content: contentOf(key, 5) }, null)
  }
}
