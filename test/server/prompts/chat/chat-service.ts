import { content, messages, params } from '../chat-support.ts'

export { server, setUpWatched as setUpService, watcher } from '../../file-service.ts'

export const body = { type: 'chat', content, messages, params, model: 'gpt-4o' }

export const user = (text: string) => ({ role: 'user', content: text })
