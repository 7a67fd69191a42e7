/** Models with their typical latency in milliseconds and number of output tokens. */
export const sampleModels = [
  { provider: 'openai', name: 'gpt-4o-mini', latencyMs: 640, outputTokens: 120 },
  { provider: 'openai', name: 'gpt-4o', latencyMs: 1400, outputTokens: 180 },
  { provider: 'claude', name: 'claude-sonnet-4-5', latencyMs: 1900, outputTokens: 260 },
  { provider: 'gemini', name: 'gemini-2.5-flash', latencyMs: 520, outputTokens: 140 },
  { provider: 'ollama', name: 'llama3.1:8b', latencyMs: 3100, outputTokens: 160 },
] as const

export const sampleApps = ['helpdesk', 'helpdesk', 'storefront', 'back-office'] as const
export const sampleTagSets = [['beta'], ['eu'], ['beta', 'eu']] as const

export const failureTexts = [
  { type: 'rate_limited', text: 'Rate limit reached: try again in a few seconds' },
  { type: 'timeout', text: 'The model did not respond within 30 s' },
  { type: 'overloaded', text: 'The service is overloaded' },
] as const

/** Failures of one model within an hour. */
export const incident = {
  count: 24,
  run: {
    provider: 'openai',
    model: 'gpt-4o',
    status: 'error',
    error: 'Rate limit reached: 30,000 tokens per minute',
    error_type: 'rate_limited',
    latency_ms: 180,
    ttft_ms: null,
    output_tokens: null,
    finish_reason: null,
    ref_key: 'sample/summary',
    version: 'v1',
    env: 'prod',
    app: 'helpdesk',
  },
} as const

export const sampleTasks = [
  {
    key: 'sample/greeting',
    version: 'v2',
    input: 'Write a short, friendly greeting for Ada, who visits the bookshop.\nUse at most two sentences.',
    output: 'Hello Ada, lovely to see you in the bookshop. Enjoy looking around!',
  },
  {
    key: 'sample/greeting',
    version: 'v1',
    input: 'Write a short, friendly greeting for Grace, who visits our shop.',
    output: 'Welcome back, Grace! Tell us if we can help you find something.',
  },
  {
    key: 'sample/summary',
    version: 'v1',
    input:
      'Summarize the text in 2 sentences. Name the next step.\n\nThe parcel arrived with a broken lid. The customer wants a replacement before Friday.',
    output:
      'The parcel arrived damaged and the customer needs a replacement before Friday. Next step: send a new lid by express.',
  },
  {
    key: 'sample/tone',
    version: 'v1',
    input: 'In one word, what is the tone of this message?\n\nThis is the third time that I write to you!',
    output: 'Annoyed',
  },
  {
    key: 'sample/tone',
    version: 'v1',
    input: 'In one word, what is the tone of this message?\n\nThanks, that solved it.',
    output: 'Grateful',
  },
] as const

export const conversations = [
  {
    key: 'sample/summary',
    version: 'v1',
    turns: [
      { question: 'Where is my parcel?', answer: 'It left the warehouse this morning and arrives tomorrow.' },
      {
        question: 'Can it be delivered to my neighbour?',
        answer: 'Yes. I have noted your neighbour as the recipient.',
      },
      { question: 'Thank you!', answer: 'You are welcome.' },
    ],
  },
  {
    key: 'sample/summary',
    version: 'v1',
    turns: [
      {
        question: 'The invoice shows the wrong address.',
        answer: 'I am sorry. Which address should be on the invoice?',
      },
      { question: '12 Mill Lane, please.', answer: 'The corrected invoice is on its way to your inbox.' },
    ],
  },
  {
    key: 'sample/tone',
    version: 'v1',
    turns: [
      {
        question: 'Your app logs me out every hour, and I lose what I typed.',
        answer: 'That should not happen. Which device do you use?',
      },
      {
        question: 'A tablet, with the latest version.',
        answer: 'Please turn off battery saving for the app. A fix follows this week.',
      },
      {
        question: 'That works, but hurry up.',
        answer: 'I will write to you as soon as the fix is available.',
      },
    ],
  },
] as const
