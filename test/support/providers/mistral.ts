import { chatCompletions, completionUsage } from './chat-completions.ts';
import { pdf, png, type Reply, sseEvent, type Wire } from './wire.ts';

const base = chatCompletions(
  {
    title: 'Mistral',
    docs: 'https://docs.mistral.ai/api/#tag/chat',
    provider: 'mistral',
    modelId: 'mistral-large-latest',
    reasoningModelId: 'mistral-small-latest',
    lacks: {
      budget: 'the provider takes an effort only',
      returned: 'the SDK sends no reasoning back',
      cacheWrite: 'the provider does not report it',
      reasoningTokens: 'the provider does not report them',
      source: 'only of Mistral’s own search tools, which are not used',
      filter: 'the API has no such reason',
    },
  },
  { streamedUsage: (usage) => ({ usage }) },
);

/** Reasoning is a chunk of the content. */
const thinking = (text: string) => [{ type: 'thinking', thinking: [{ type: 'text', text }] }];

const dataUrl = (type: string, bytes: Buffer) => `data:${type};base64,${bytes.toString('base64')}`;
const withFile = (part: object) => ({
  body: { messages: [{ role: 'user', content: [{ type: 'text', text: 'What is this?' }, part] }] },
});

function whole(reply: Reply): object {
  const plain = base.whole(reply) as { choices: { message: object }[] };
  if (!reply.reasoning) return plain;
  const text = reply.text?.join('') ?? '';
  const content = [...thinking(reply.reasoning.join('')), { type: 'text', text }];
  return {
    ...plain,
    usage: completionUsage(reply),
    choices: [{ ...plain.choices[0], message: { role: 'assistant', content } }],
  };
}

const chunkOf = (content: object) =>
  sseEvent({
    id: 'cmpl-1',
    object: 'chat.completion.chunk',
    created: 1,
    model: base.modelId,
    choices: [{ index: 0, delta: { role: 'assistant', content }, finish_reason: null }],
  });

export const mistral: Wire = {
  ...base,
  requests: {
    ...base.requests,
    text: {
      body: {
        model: base.modelId,
        temperature: 0.5,
        max_tokens: 100,
        messages: [
          { role: 'system', content: 'Be brief' },
          { role: 'user', content: [{ type: 'text', text: 'Hello' }] },
        ],
      },
    },
    results: {
      body: {
        messages: [
          { role: 'user', content: [{ type: 'text', text: 'How is the weather?' }] },
          { role: 'assistant', tool_calls: [{ id: 'call12345', function: { name: 'weather' } }] },
          { role: 'tool', name: 'weather', tool_call_id: 'call12345', content: '{"degrees":3}' },
        ],
      },
    },
    tools: { body: { ...base.requests.tools?.body, tool_choice: 'any' } },
    seed: { body: { random_seed: 7 } },
    image: withFile({ type: 'image_url', image_url: dataUrl('image/png', png) }),
    pdf: withFile({ type: 'document_url', document_url: dataUrl('application/pdf', pdf) }),
  },
  whole,
  frames: ({ reasoning = [], ...reply }) => [
    ...reasoning.map((text) => chunkOf(thinking(text))),
    ...base.frames(reply),
  ],
  failure: (_status, message) => ({
    object: 'error',
    message,
    type: 'error_of_the_test',
    param: null,
    code: null,
  }),
};
