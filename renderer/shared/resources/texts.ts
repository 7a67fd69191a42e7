/** Catalogue with the texts of dialogs and menus: of prompts, or of agents and workflows. */
export type ResourceTexts = 'prompts' | 'definition'
/** Catalogue with the texts of a page: of a prompt, or of an agent or workflow. */
export type PageTexts = 'prompt' | 'definition'
/** Catalogue with the texts of a list. Also the name of its table. */
export type ListTexts = 'prompts' | 'agents' | 'workflows'
