import {
  pdf,
  png,
  type Reply,
  schema,
  sseEvent,
  thinkingSignature,
  usualUsage,
  type Wire,
  weather,
} from './wire.ts';

type Own = Partial<Wire> & Pick<Wire, 'title' | 'docs' | 'provider' | 'modelId' | 'lacks'>;

const usageOf = ({ usage = usualUsage }: Reply) => ({
  input_tokens: usage.inputTokens,
  output_tokens: usage.outputTokens,
  total_tokens: usage.inputTokens + usage.outputTokens,
  input_tokens_details: { cached_tokens: usage.cacheReadTokens ?? 0 },
  output_tokens_details: { reasoning_tokens: usage.reasoningTokens ?? 0 },
});

const incompleteReasons: Partial<Record<string, string>> = {
  length: 'max_output_tokens',
  'content-filter': 'content_filter',
};

/** The finished items of a response. */
function itemsOf({ text, reasoning, call, source }: Reply) {
  const annotations = source ? [{ type: 'url_citation', ...source, start_index: 0, end_index: 1 }] : [];
  const summary = [{ type: 'summary_text', text: reasoning?.join('') ?? '' }];
  return [
    ...(reasoning
      ? [
          {
            type: 'reasoning',
            id: 'rs_1',
            status: 'completed',
            encrypted_content: thinkingSignature,
            summary,
          },
        ]
      : []),
    ...(text
      ? [
          {
            type: 'message',
            id: 'msg_1',
            role: 'assistant',
            status: 'completed',
            content: [{ type: 'output_text', text: text.join(''), annotations, logprobs: [] }],
          },
        ]
      : []),
    ...(call
      ? [
          {
            type: 'function_call',
            id: 'fc_1',
            call_id: call.id,
            name: call.name,
            arguments: call.pieces.join(''),
            status: 'completed',
          },
        ]
      : []),
  ];
}

/** A wire format with the path `/responses`. */
function responsesApi(own: Own): Wire {
  function whole(reply: Reply, output = itemsOf(reply)) {
    const reason = incompleteReasons[reply.stop ?? 'stop'];
    return {
      id: 'resp_1',
      object: 'response',
      created_at: 1,
      model: own.modelId,
      output,
      status: reason ? 'incomplete' : 'completed',
      usage: usageOf(reply),
      error: null,
      incomplete_details: reason ? { reason } : null,
      parallel_tool_calls: true,
    };
  }
  const opening = { ...whole({}, []), status: 'in_progress', usage: null };
  return {
    path: () => '/responses',
    headers: { authorization: 'Bearer key-of-the-test' },
    streamedBody: { stream: true },
    contentType: 'text/event-stream',
    requests: {
      text: {
        body: {
          model: own.modelId,
          store: false,
          max_output_tokens: 100,
          input: [
            { content: 'Be brief' },
            { role: 'user', content: [{ type: 'input_text', text: 'Hello' }] },
          ],
        },
      },
      tools: { body: { tools: [{ type: 'function', ...weather }], tool_choice: 'required' } },
      results: {
        body: {
          input: [
            { role: 'user' },
            { type: 'function_call', call_id: 'call12345', name: 'weather', arguments: '{"city":"Oslo"}' },
            { type: 'function_call_output', call_id: 'call12345', output: '{"degrees":3}' },
          ],
        },
      },
      schema: { body: { text: { format: { type: 'json_schema', strict: true, schema } } } },
      image: {
        body: {
          input: [
            {
              content: [
                { type: 'input_text' },
                { type: 'input_image', image_url: `data:image/png;base64,${png.toString('base64')}` },
              ],
            },
          ],
        },
      },
      pdf: {
        body: {
          input: [
            {
              content: [
                { type: 'input_text' },
                { type: 'input_file', file_data: `data:application/pdf;base64,${pdf.toString('base64')}` },
              ],
            },
          ],
        },
      },
      effort: { body: { reasoning: { effort: 'high' } } },
      returned: {
        body: {
          input: [
            { role: 'user' },
            { type: 'reasoning', encrypted_content: thinkingSignature },
            { type: 'function_call' },
            { type: 'function_call_output' },
          ],
        },
      },
    },
    whole,
    frames: (reply) => framesOf(reply, opening, whole(reply)),
    errorFrame: sseEvent(
      {
        type: 'error',
        sequence_number: 3,
        code: 'server_error',
        message: 'The server is overloaded',
        param: null,
      },
      'error',
    ),
    malformedFrame: 'event: response.output_text.delta\ndata: {"type":"response.output_te\n\n',
    failure: (_status, message) => ({
      error: { message, type: 'error_of_the_test', param: null, code: null },
    }),
    ...own,
  };
}

function framesOf(reply: Reply, opening: object, closing: { output: object[]; status: string }): string[] {
  let sequence_number = 0;
  const named = (type: string, data: object) =>
    sseEvent({ type, sequence_number: sequence_number++, ...data }, type);
  const pieces = {
    message: reply.text ?? [],
    function_call: reply.call?.pieces ?? [],
    reasoning: reply.reasoning ?? [],
  };
  return [
    named('response.created', { response: opening }),
    ...closing.output.flatMap((finished, output_index) => {
      const item = finished as { id: string; type: keyof typeof pieces };
      const at = { item_id: item.id, output_index };
      const empty = {
        message: { content: [] },
        function_call: { arguments: '' },
        reasoning: { summary: [] },
      };
      return [
        named('response.output_item.added', { output_index, item: { ...item, ...empty[item.type] } }),
        ...pieces[item.type].flatMap((delta, n) => deltaOf(item.type, delta, n, at, named)),
        ...(item.type === 'message' && reply.source
          ? [
              named('response.output_text.annotation.added', {
                ...at,
                content_index: 0,
                annotation_index: 0,
                annotation: { type: 'url_citation', ...reply.source, start_index: 0, end_index: 1 },
              }),
            ]
          : []),
        named('response.output_item.done', { output_index, item }),
      ];
    }),
    named(`response.${closing.status}`, { response: closing }),
  ];
}

function deltaOf(
  type: 'message' | 'function_call' | 'reasoning',
  delta: string,
  n: number,
  at: object,
  named: (type: string, data: object) => string,
): string[] {
  if (type === 'message')
    return [named('response.output_text.delta', { ...at, content_index: 0, delta, logprobs: [] })];
  if (type === 'function_call') return [named('response.function_call_arguments.delta', { ...at, delta })];
  const part = { type: 'summary_text', text: '' };
  return [
    ...(n === 0 ? [named('response.reasoning_summary_part.added', { ...at, summary_index: 0, part })] : []),
    named('response.reasoning_summary_text.delta', { ...at, summary_index: 0, delta }),
  ];
}

const noBudget = 'the provider takes an effort only';
const notReported = 'the provider does not report it';

export const openaiResponses = responsesApi({
  title: 'OpenAI responses',
  docs: 'https://platform.openai.com/docs/api-reference/responses',
  provider: 'openai',
  modelId: 'gpt-5-pro',
  lacks: {
    budget: noBudget,
    seed: 'the API takes none',
    cacheWrite: notReported,
  },
});

export const xai = responsesApi({
  title: 'xAI',
  docs: 'https://docs.x.ai/docs/api-reference#create-new-response',
  provider: 'xai',
  modelId: 'grok-4.6',
  lacks: {
    pdf: 'the API takes files only by their URL or id',
    budget: noBudget,
    cacheWrite: notReported,
  },
  failure: (_status, message) => ({ code: 'error of the test', error: message }),
});
