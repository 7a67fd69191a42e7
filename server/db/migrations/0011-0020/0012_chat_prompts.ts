import type { Migration } from '../migration.ts'

/** Chat prompts and model parameters. Prompts from before this version are texts without parameters. */
export const chatPrompts: Migration = {
  version: 12,
  name: 'chat_prompts',
  statements: [
    // JSON; null for a text.
    `ALTER TABLE prompt_drafts ADD COLUMN messages TEXT`,
    `ALTER TABLE prompt_versions ADD COLUMN messages TEXT`,
    // JSON; null for none.
    `ALTER TABLE prompt_drafts ADD COLUMN params TEXT`,
    `ALTER TABLE prompt_versions ADD COLUMN params TEXT`,
  ],
}
