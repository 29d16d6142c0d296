import { pdf, png, type Reply, schema, sseEvent, usualUsage, type Wire, weather } from './wire.ts';

type Own = Omit<Partial<Wire>, 'requests'> & Pick<Wire, 'title' | 'docs' | 'provider' | 'modelId' | 'lacks'>;

/** How providers differ that implement OpenAI's chat completions. */
interface Dialect {
  /** The member of a message with the reasoning. */
  reasoning?: string;
  maxTokens?: string;
  systemRole?: string;
  /** Where a stream reports the usage, if not in a chunk of its own. */
  streamedUsage?: (usage: object) => object;
  strict?: boolean;
  takesFiles?: boolean;
  takesReasoning?: boolean;
}

const finishReasons = {
  stop: 'stop',
  length: 'length',
  'tool-calls': 'tool_calls',
  'content-filter': 'content_filter',
};

export const completionUsage = ({ usage = usualUsage }: Reply) => ({
  prompt_tokens: usage.inputTokens,
  completion_tokens: usage.outputTokens,
  total_tokens: usage.inputTokens + usage.outputTokens,
  ...(usage.cacheReadTokens && { prompt_tokens_details: { cached_tokens: usage.cacheReadTokens } }),
  ...(usage.reasoningTokens && { completion_tokens_details: { reasoning_tokens: usage.reasoningTokens } }),
});

const annotations = ({ source }: Reply) =>
  source && {
    annotations: [{ type: 'url_citation', url_citation: { ...source, start_index: 0, end_index: 1 } }],
  };

const withPdf = {
  body: {
    messages: [
      {
        content: [
          { type: 'text' },
          {
            type: 'file',
            file: { filename: 'a.pdf', file_data: `data:application/pdf;base64,${pdf.toString('base64')}` },
          },
        ],
      },
    ],
  },
};

const returned = {
  body: {
    messages: [
      { role: 'user' },
      { role: 'assistant', reasoning_content: 'Thinking', tool_calls: [{ id: 'call12345' }] },
      { role: 'tool' },
    ],
  },
};

/** A wire format with the path `/chat/completions`. */
export function chatCompletions(own: Own, dialect: Dialect = {}): Wire {
  const { reasoning = 'reasoning_content', maxTokens = 'max_tokens', systemRole = 'system' } = dialect;
  const base = { id: 'chatcmpl-1', created: 1, model: own.modelId };
  const chunk = (delta: object, finish_reason: string | null = null, more: object = {}) =>
    sseEvent({
      ...base,
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta, finish_reason }],
      ...more,
    });
  const finishOf = ({ stop = 'stop' }: Reply) => finishReasons[stop];
  const call = (text: string) => ({ type: 'function', function: { name: weather.name, arguments: text } });
  return {
    path: () => '/chat/completions',
    headers: { authorization: 'Bearer key-of-the-test' },
    streamedBody: { stream: true },
    contentType: 'text/event-stream',
    requests: {
      text: {
        body: {
          model: own.modelId,
          messages: [
            { role: systemRole, content: 'Be brief' },
            { role: 'user', content: 'Hello' },
          ],
          temperature: 0.5,
          [maxTokens]: 100,
        },
      },
      tools: { body: { tools: [{ type: 'function', function: weather }], tool_choice: 'required' } },
      results: {
        body: {
          messages: [
            { role: 'user', content: 'How is the weather?' },
            { role: 'assistant', tool_calls: [{ id: 'call12345', ...call('{"city":"Oslo"}') }] },
            { role: 'tool', tool_call_id: 'call12345', content: '{"degrees":3}' },
          ],
        },
      },
      schema: {
        body: {
          response_format: { type: 'json_schema', json_schema: { schema, strict: dialect.strict ?? true } },
        },
      },
      image: {
        body: {
          messages: [
            {
              content: [
                { type: 'text', text: 'What is this?' },
                {
                  type: 'image_url',
                  image_url: { url: `data:image/png;base64,${png.toString('base64')}` },
                },
              ],
            },
          ],
        },
      },
      ...(dialect.takesReasoning && { returned }),
      ...(dialect.takesFiles !== false && { pdf: withPdf }),
      effort: { body: { reasoning_effort: 'high' } },
      seed: { body: { seed: 7 } },
    },
    whole: (reply) => ({
      ...base,
      object: 'chat.completion',
      usage: completionUsage(reply),
      choices: [
        {
          index: 0,
          finish_reason: finishOf(reply),
          message: {
            role: 'assistant',
            content: reply.text?.join('') ?? null,
            ...(reply.reasoning && { [reasoning]: reply.reasoning.join('') }),
            ...(reply.call && {
              tool_calls: [{ id: reply.call.id, ...call(reply.call.pieces.join('')) }],
            }),
            ...annotations(reply),
          },
        },
      ],
    }),
    frames: (reply) => [
      chunk({ role: 'assistant', content: '' }),
      ...(reply.reasoning ?? []).map((text) => chunk({ [reasoning]: text })),
      ...(reply.text ?? []).map((content) => chunk({ content })),
      ...(reply.source ? [chunk(annotations(reply) as object)] : []),
      ...(reply.call?.pieces ?? []).map((text, n) =>
        chunk({
          tool_calls: [
            {
              index: 0,
              ...(n === 0 ? { id: reply.call?.id, ...call(text) } : { function: { arguments: text } }),
            },
          ],
        }),
      ),
      ...(dialect.streamedUsage
        ? [chunk({}, finishOf(reply), dialect.streamedUsage(completionUsage(reply)))]
        : [chunk({}, finishOf(reply)), sseEvent({ ...base, choices: [], usage: completionUsage(reply) })]),
      'data: [DONE]\n\n',
    ],
    errorFrame: sseEvent({
      error: { message: 'The server is overloaded', type: 'server_error', param: null, code: null },
    }),
    malformedFrame: 'data: {"id":"chatcmpl-1","choices":[{"ind\n\n',
    failure: (_status, message) => ({
      error: { message, type: 'error_of_the_test', param: null, code: null },
    }),
    ...own,
  };
}

const noBudget = 'the provider takes an effort only';
const notReported = 'the provider does not report it';
const noState = 'the API takes no reasoning back';

export const openaiChat = chatCompletions(
  {
    title: 'OpenAI chat completions',
    docs: 'https://platform.openai.com/docs/api-reference/chat',
    provider: 'openai',
    modelId: 'gpt-4o',
    reasoningModelId: 'gpt-5-mini',
    streamedBody: { stream: true, stream_options: { include_usage: true } },
    lacks: {
      budget: noBudget,
      reasoning: 'the API does not show it; a request with `summary` uses the responses API',
      returned: noState,
      cacheWrite: notReported,
    },
  },
  {},
);

export const genericChat = chatCompletions(
  {
    title: 'OpenAI-compatible server',
    docs: 'https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html',
    provider: 'generic-openai',
    modelId: 'llama3.2',
    streamedBody: { stream: true, stream_options: { include_usage: true } },
    lacks: {
      budget: noBudget,
      cacheWrite: notReported,
      source: 'the format has none',
    },
  },
  { takesReasoning: true },
);

export const together = chatCompletions(
  {
    title: 'Together AI',
    docs: 'https://docs.together.ai/reference/chat-completions-1',
    provider: 'togetherai',
    modelId: 'meta-llama/Llama-3.3-70B-Instruct-Turbo',
    reasoningModelId: 'openai/gpt-oss-120b',
    streamedBody: { stream: true, stream_options: { include_usage: true } },
    lacks: {
      pdf: 'the API’s documentation names no PDF files',
      budget: noBudget,
      returned: 'sent as `reasoning_content`, which the API’s documentation does not name',
      cacheWrite: notReported,
      source: 'the API has none',
    },
  },
  { reasoning: 'reasoning', takesFiles: false },
);

export const groq = chatCompletions(
  {
    title: 'Groq',
    docs: 'https://console.groq.com/docs/api-reference#chat',
    provider: 'groq',
    modelId: 'llama-3.3-70b-versatile',
    reasoningModelId: 'qwen/qwen3-32b',
    lacks: {
      pdf: 'the API takes images only',
      budget: noBudget,
      returned: noState,
      cacheWrite: notReported,
      source: 'only of Groq’s own search tools, which are not used',
    },
  },
  {
    reasoning: 'reasoning',
    takesFiles: false,
    streamedUsage: (usage) => ({ x_groq: { id: 'req_1', usage } }),
  },
);
