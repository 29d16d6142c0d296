import fc from 'fast-check';
import type { FlowStepInput } from '../../../../shared/domain/flows/checking/flow-step.ts';
import type { stepTypes } from '../../../../shared/domain/flows/step-types/index.ts';
import { linkedFlow, linkedSteps } from '../../../../shared/domain/flows/steps/held-lists.ts';

type Config = Record<string, unknown>;
type StepTypeName = keyof typeof stepTypes;

const variable = fc.constantFrom('a', 'b', 'c');
const words = ['say {{ a }}', 'plain', '{{ b }} and {{ c }}', 'fail', 'fail for good'];
const text = fc.constantFrom(...words);
const textWithSecret = fc.constantFrom(...words, 'whisper {{secret:HUSH}} to {{ a }}');
const url = fc.constantFrom(
  'https://example.com/page',
  'https://example.com/{{ a }}',
  'https://example.com/fail',
);
const condition = fc.constantFrom('true', 'false', 'a', 'b === "x"', 'String(c).length > 3', 'missing.name');
const config = <Members extends Record<string, fc.Arbitrary<unknown>>>(members: Members) =>
  fc.record(members) as fc.Arbitrary<Config>;
const secretUrl = fc.constant('https://example.com/page?key={{ secret:HUSH | url_encode }}');
const http = fc.oneof(url, secretUrl).map((address) => ({ url: address }));
const record = fc.oneof(
  fc.constantFrom<Config>(
    { recordType: 'thing', recordName: 'one' },
    { recordType: 'thing', recordName: 'none' },
  ),
  fc.constant<Config>({
    recordFilter: { type: 'thing', where: { field: 'size', op: 'gt', value: 3 } },
  }),
);

/** The types of steps that hold steps. */
export const holders = ['conditional', 'parallel', 'map', 'loop', 'reduce', 'flow'] as const;

/** Configs of every other type of step, so that a new type without any does not compile. */
export const stepConfigs: {
  [Type in Exclude<StepTypeName, (typeof holders)[number]>]: fc.Arbitrary<Config>;
} = {
  prompt: config({ model: fc.constant('fake'), userPrompt: textWithSecret }),
  template: config({ template: fc.constantFrom('a={{ a }} b={{ b }} c={{ c | size }}', 'plain') }),
  'transform-data': config({
    script: fc.constantFrom(
      '[a, b]',
      'return { c }',
      'throw new Error("no")',
      'throw secrets.HUSH',
      'a + `{{secret:HUSH}}`',
    ),
  }),
  'set-variable': config({
    variableName: variable,
    value: fc.constantFrom('x', 7, ['{{ b }}'], '{{ a }}', { of: '{{ c }}' }),
  }),
  'api-call': config({ http }),
  'fetch-url': config({ http }),
  crawl: config({ url, limit: fc.constantFrom(1, 3) }),
  search: config({ provider: fc.constantFrom('exa', 'tavily', 'brave'), query: text }),
  'fetch-github': config({ repo: fc.constant('owner/name'), path: fc.constantFrom('README.md', 'fail') }),
  'paginate-api': config({
    url,
    paginationType: fc.constantFrom('page', 'offset'),
    maxPages: fc.constant(2),
  }),
  'upsert-record': config({
    recordType: fc.constant('thing'),
    recordName: fc.constantFrom('one', '{{ nobody }}'),
    sourceVariable: fc.constantFrom('o', 'a'),
  }),
  'retrieve-record': record,
  'update-record': record.map((selector) => ({ ...selector, updates: { seen: '{{ a }}' } })),
  'wait-until': fc.constantFrom<Config>(
    { delayMs: 0 },
    { delayMs: 3_600_000 },
    // Suspended, not polled in place: the clock of these worlds stands still meanwhile.
    { condition: 'a', timeoutMs: 60_000, pollIntervalMs: 30_000 },
    { condition: 'false', timeoutMs: 60_000, pollIntervalMs: 30_000 },
  ),
  approval: config({ question: text, timeoutMinutes: fc.constant(5) }),
  'wait-for-callback': fc.constantFrom<Config>(
    { timeoutMinutes: 5 },
    { timeoutMinutes: 5, announce: { http: { url: 'https://example.com/{{ a }}?to={{ callbackUrl }}' } } },
  ),
  'send-stream': config({ sourceVariable: fc.constantFrom('a', 'o.list', 'nobody') }),
  'send-email': config({
    from: fc.constant('us@example.com'),
    to: fc.constant('them@example.com'),
    subject: fc.constant('Hello'),
    text,
  }),
  'send-text': config({ to: fc.constant('+4712345678'), message: text }),
  'send-event': config({
    eventType: fc.constant('made'),
    payload: fc.constantFrom('{{ a }}', { c: '{{ c }}' }),
  }),
  'generate-embedding': config({ text, embeddingModel: fc.constant('fake') }),
  'store-vector': config({
    vectorsSource: fc.constantFrom('vector', 'a'),
    destination: fc.constant('things'),
  }),
  'vector-search': config({ collection: fc.constant('things'), vectorVariable: fc.constant('vector') }),
  'save-memory': config({ contentVariable: fc.constantFrom('a', 'nobody'), profileTemplate: text }),
  'recall-memory': config({ queryTemplate: text, profileTemplate: fc.constant('someone') }),
  'memory-summary': config({ profileTemplate: fc.constantFrom('someone', '{{ a }}') }),
  'store-asset': config({
    content: fc.constantFrom('aGVsbG8=', 'not base 64'),
    filename: fc.constant('a.txt'),
  }),
  'execute-agent': config({
    agentId: fc.constant('agent_01k9m4v7d3x8qz5w2r6t0y1hbn'),
    message: fc.constantFrom('do {{ a }}', '{{ nobody }}'),
  }),
  'tool-call': fc.constantFrom<Config>(
    { toolId: 'tool_01k9m4v7d3x8qz5w2r6t0y1hbn', parameters: { n: 4 } },
    { toolId: 'tool_01k9m4v7d3x8qz5w2r6t0y1hbn', parameters: { n: '{{ a }}' } },
    { toolId: 'builtin:date-time', parameters: { operation: 'now', timezone: '{{ b }}' } },
  ),
  'generate-pdf': config({ markdown: fc.constantFrom('# Hello', '{{ a }}') }),
};

const errorHandling = fc.constantFrom(
  undefined,
  { onError: 'fail' },
  { onError: 'continue' },
  { onError: 'fallback', fallbacks: [{ type: 'message', message: 'instead' }] },
);

const plain = fc.constantFrom(...(Object.keys(stepConfigs) as (keyof typeof stepConfigs)[])).chain((type) =>
  fc.tuple(stepConfigs[type], variable).map(
    ([own, outputVariable]): FlowStepInput => ({
      type,
      name: type,
      config: type === 'set-variable' ? own : { ...own, outputVariable },
    }),
  ),
);

const onError = fc.constantFrom(undefined, 'fail', 'continue');

/** A step that holds steps, and runs them one after another, so that what happens has an order. */
const holderOf = (list: fc.Arbitrary<FlowStepInput[]>): fc.Arbitrary<FlowStepInput> =>
  fc.oneof(
    fc
      .record({ condition, trueSteps: list, falseSteps: list })
      .map((config) => ({ type: 'conditional', name: 'if', config })),
    fc.tuple(list, list, onError, variable).map(([left, right, handling, outputVariable]) => {
      const branches = [
        { name: 'left', steps: left },
        { name: 'right', steps: right },
      ];
      const config = { branches, concurrency: 1, onError: handling, outputVariable };
      return { type: 'parallel', name: 'both', config };
    }),
    fc
      .record({
        items: fc.constantFrom('[1, 2, 3]', 'o.list', '[]', 'b'),
        as: fc.constantFrom('item', 'a'),
        steps: list,
        onError,
        output: fc.constantFrom(undefined, '[a, b]', 'missing.name'),
        outputVariable: variable,
      })
      .map((config) => ({ type: 'map', name: 'each', config: { ...config, concurrency: 1 } })),
    fc
      .record({
        while: fc.constantFrom('_loop.index < 2', 'false', 'true', 'a !== b'),
        maxIterations: fc.constantFrom(1, 3),
        onLimit: fc.constantFrom('fail', 'stop'),
        steps: list,
        outputVariable: variable,
      })
      .map((config) => ({ type: 'loop', name: 'again', config })),
    fc
      .record({
        // One chunk at a time, as in maps: of several that fail at once, chance decides which stops the others.
        way: fc.constantFrom([3, 'tree'] as const, [2, 'sequence'] as const, [3, 'sequence'] as const),
        steps: list,
      })
      .map(({ way: [maxItems, combine], steps }) => {
        const from = { recordType: 'thing' };
        const config = {
          from,
          fields: ['name', 'size'],
          chunk: { maxItems },
          combine,
          steps,
          outputVariable: 'a',
        };
        return { type: 'reduce', name: 'all', config };
      }),
    // Linked, as a run has it.
    fc
      .record({ inputs: fc.constantFrom({}, { a: '{{ b }}' }, { a: 'x', b: ['{{ c }}'] }), steps: list })
      .map(({ inputs, steps }) => {
        const linked = { [linkedFlow]: { id: flowId, name: 'inner' }, [linkedSteps]: steps };
        return { type: 'flow', name: 'inner', config: { flowId, inputs, outputVariable: 'a', ...linked } };
      }),
  );

const flowId = 'flow_01k9m4v7d3x8qz5w2r6t0y1hbn';

const takesHandling = ({ type }: FlowStepInput) =>
  !['parallel', 'map', 'loop', 'reduce', 'flow', 'approval', 'wait-for-callback'].includes(type);

/** Any step that may be saved: of every type, nested, skipped, switched off, with any handling of errors. */
export const { step: anyStep } = fc.letrec<{ step: FlowStepInput; list: FlowStepInput[] }>((tie) => ({
  list: fc.array(tie('step'), { maxLength: 3 }),
  step: fc
    .record({
      step: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        { weight: 5, arbitrary: plain },
        { weight: 2, arbitrary: holderOf(tie('list')) },
      ),
      handling: errorHandling,
      when: fc.option(condition, { nil: undefined, freq: 4 }),
      enabled: fc.integer({ min: 0, max: 9 }).map((n) => n > 0),
    })
    .map(({ step, handling, when, enabled }) => ({
      ...step,
      enabled,
      ...(when !== undefined && { when }),
      config: { ...step.config, ...(handling && takesHandling(step) && { errorHandling: handling }) },
    })),
}));
