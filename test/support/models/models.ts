import { fittingValue, schemaAskedFor } from '../../../examples/json-of-schema.ts';
import {
  type ChatRequest,
  type FailedAnswer,
  lastText,
  requestMessageText,
  type StandInOptions,
  startModelStandIn,
  type ToolCallAnswer,
} from '../../../examples/model-stand-in.ts';
import { scriptedAnswer } from './scripted-model.ts';

/** How a model of the run's model server behaves, by its name; every other one answers at once. */
const behaviours: Record<string, StandInOptions> = {
  broken: { failurePercent: 100, failureStatus: 500, failureMessage: 'The model broke down' },
  refusing: { failurePercent: 100, failureStatus: 400, failureMessage: 'The prompt was refused' },
  hanging: { misbehave: 'hang' },
  nonsense: { misbehave: 'nonsense' },
  silent: { misbehave: 'no-usage' },
  miscounting: { usage: { prompt_tokens: 1.5, completion_tokens: 2 ** 60, total_tokens: -1 } },
  'gpt-4.1': {
    usage: {
      prompt_tokens: 1_000,
      completion_tokens: 10,
      total_tokens: 1_010,
      prompt_tokens_details: { cached_tokens: 800 },
    },
  },
  busy: { failurePercent: 100, failureStatus: 429, retryAfterMs: 30_000 },
  slow: { delayMs: 500 },
  'scripted-slow': { delayMs: 3_000 },
  trickling: { pieceDelayMs: 100, stamped: true },
};

const optionNames = [
  'misbehave',
  'failurePercent',
  'failureStatus',
  'failureMessage',
  'delayMs',
  'pieceDelayMs',
  'stamped',
  'usage',
  'retryAfterMs',
] as const;

const repeated = (request: ChatRequest) => `You said: ${lastText(request)}`;
const hasBeenCorrected = ({ messages }: ChatRequest) => messages.some(({ role }) => role === 'assistant');

/** What some models answer. */
const answers: Record<string, (request: ChatRequest) => string | ToolCallAnswer | FailedAnswer> = {
  scripted: (request) => scriptedAnswer(request),
  'scripted-slow': (request) => scriptedAnswer(request),
  /** The same, without the failures. */
  'scripted-spare': (request) => scriptedAnswer(request, false),
  /** Calls the tools that the prompt lists as JSON, `[{name, arguments}]`; then repeats their results. */
  'tool-caller': (request) => {
    const results = request.messages.filter(({ role }) => role === 'tool').map(requestMessageText);
    if (results.length > 0) return `The tools returned ${results.join(' and ')}`;
    return { toolCalls: JSON.parse(lastText(request)) };
  },
  /** Calls the first tool without end, while it may. */
  'tool-lover': ({ tools = [], tool_choice: choice }) =>
    choice === 'none' || tools.length === 0
      ? 'That is enough.'
      : { toolCalls: [{ name: tools[0]?.function.name ?? '', arguments: {} }] },
  /** Calls a tool that nobody has without end, while it may. */
  'tool-inventor': ({ tool_choice: choice }) =>
    choice === 'none' ? 'That is enough.' : { toolCalls: [{ name: 'no_such_tool', arguments: {} }] },
  /** Returns JSON that a schema rejects, and {"n":1} after a correction. */
  'json-corrector': (request) => (hasBeenCorrected(request) ? '{"n":1}' : '{"n":"one"}'),
  /** Returns JSON that fits the schema that it is asked for; without one, repeats the last message. */
  fitting: (request) => {
    const schema = schemaAskedFor(request);
    return schema ? JSON.stringify(fittingValue(schema, lastText(request).slice(0, 100))) : repeated(request);
  },
  /** Refuses what says [refuse]. */
  'refusing-some': (request) =>
    lastText(request).includes('[refuse]') ? { status: 400, message: 'Refused' } : repeated(request),
  /** Says when it was asked, in Unix ms. */
  clock: () => String(Date.now()),
  /** Repeats what it received, as JSON. */
  mirror: (request) => JSON.stringify(request),
};

/** The model server of the whole run, which says prompts back. Steps name its models as `generic-openai/<name>`. */
export async function startModels() {
  const server = await startModelStandIn({
    answer: (request) => (answers[request.model] ?? repeated)(request),
  });
  let model = '';
  for (const list of [server.requests, server.embeddings] as { model: string }[][]) {
    list.push = (...requests) => {
      model = requests.at(-1)?.model ?? '';
      return Array.prototype.push.apply(list, requests);
    };
  }
  const asked = () => behaviours[model] ?? {};
  // The server reads its options anew for each request, right after it has noted that.
  for (const name of optionNames) {
    Object.defineProperty(server.options, name, { get: () => asked()[name] });
  }
  return server;
}
