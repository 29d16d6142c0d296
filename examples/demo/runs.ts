import type { Client, OperationResponse } from '../../packages/client/src/client.ts';
import { DemoError } from './demo-error.ts';
import { count, type DemoColumn, heading, printLabelled, shortDuration, table } from './output.ts';

type Run = OperationResponse<'runs.list'>['data'][number];
type Span = OperationResponse<'runs.trace'>['spans'][number];

const columns: DemoColumn<Run>[] = [
  { title: 'Kind', value: ({ kind }) => kind },
  { title: 'Name', value: ({ name }) => name },
  { title: 'Status', value: ({ status }) => status },
  { title: 'Duration', right: true, value: ({ durationMs }) => shortDuration(durationMs) },
  {
    title: 'Tokens',
    right: true,
    value: ({ tokens }) => (tokens ? count(tokens.input + tokens.output) : '–'),
  },
  { title: 'Cost in USD', right: true, value: ({ totalCost }) => totalCost ?? '–' },
];

/** Lists what the demo ran, and shows where the time of the agent’s run went. */
export async function showRuns(client: Client): Promise<void> {
  heading('What ran: GET /v1/runs');
  const { data: runs } = await client.runs.list();
  table(columns, runs);
  const agent = runs.find(({ kind }) => kind === 'agent');
  if (!agent) throw new DemoError('The run of the agent is not in the list');
  heading('Where the time of the agent went: GET /v1/runs/{id}/trace');
  const { spans } = await client.runs.trace({ params: { id: agent.id } });
  for (const line of waterfall(spans)) process.stdout.write(`  ${line}\n`);
  const { groups } = await client.runMetrics.get({ query: { groupBy: 'kind' } });
  heading('Metrics: GET /v1/run-metrics?groupBy=kind');
  for (const { key, total } of groups) {
    const { p50, p95 } = total.durationMs;
    const times =
      p50 === null || p95 === null ? '' : `, p50 ${shortDuration(p50)}, p95 ${shortDuration(p95)}`;
    printLabelled(key ?? '', `${count(total.runs)} ended, ${count(total.failed)} failed${times}`);
  }
}

const barWidth = 30;

/** A line for each span, with a bar where it lies in the whole. */
function waterfall(spans: readonly Span[]): string[] {
  const [root] = spans;
  if (!root) return [];
  const depths = new Map<string, number>();
  const began = Date.parse(root.startedAt);
  const whole = Math.max(1, root.durationMs ?? 1);
  return spans.map(({ spanId, parentSpanId, name, startedAt, durationMs }) => {
    const depth = (depths.get(parentSpanId ?? '') ?? -1) + 1;
    depths.set(spanId, depth);
    const at = Math.min(barWidth - 1, Math.floor(((Date.parse(startedAt) - began) / whole) * barWidth));
    const length = Math.max(1, Math.min(barWidth - at, Math.round(((durationMs ?? 0) / whole) * barWidth)));
    const bar = `${' '.repeat(at)}${'█'.repeat(length)}`.padEnd(barWidth);
    return `${`${'  '.repeat(depth)}${name}`.padEnd(36)} ${bar} ${shortDuration(durationMs ?? 0)}`;
  });
}
