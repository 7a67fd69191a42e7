import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type { AiSdkProvider } from '../../protocol/ai-sdk-source.ts'

/** LM Studio, vLLM, llama.cpp and others: OpenAI's Chat Completions with `top_k`, which all of them take. */
export const openaiCompatible: AiSdkProvider = {
  ownParams: ['top_k'],
  open: ({ baseUrl, key, fetch }, { model, params }) =>
    createOpenAICompatible({
      name: 'compatible',
      baseURL: baseUrl,
      fetch,
      includeUsage: true,
      supportsStructuredOutputs: true,
      ...(key !== null && { apiKey: key }),
      transformRequestBody: (body) => ({ ...body, top_k: params.top_k }),
    }).chatModel(model),
}
