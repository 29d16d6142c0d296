import type { Command } from 'commander';
import type { OperationResponse } from '../../../client/src/client.ts';
import { commandSession } from '../session/session.ts';
import {
  formatDuration,
  type OutputColumn,
  print,
  printJson,
  printTable,
  styled,
  styledStatus,
} from '../terminal/output.ts';

type Span = OperationResponse<'runs.trace'>['spans'][number];
interface Row {
  span: Span;
  depth: number;
}

const columns: OutputColumn<Row>[] = [
  { title: 'SPAN', text: ({ span, depth }) => `${'  '.repeat(depth)}${span.name}` },
  {
    title: 'STATUS',
    text: ({ span }) => span.status,
    style: ({ span }, text) => styledStatus(span.status, text),
  },
  { title: 'DURATION', text: ({ span }) => formatDuration(span.durationMs) },
  { title: 'ERROR', text: ({ span: { attributes } }) => String(attributes['error.message'] ?? '') },
];

export const addTrace = (program: Command) =>
  program
    .command('trace')
    .description('Show what happened in a run, and how long each part took')
    .argument('<run>', 'its id')
    .action(async (id: string, _, command: Command) => {
      const { client, isJson } = commandSession(command);
      const trace = await client.runs.trace({ params: { id } });
      if (isJson) return printJson(trace);
      printTable(columns, rowsOf(trace.spans));
      if (trace.truncated) print(styled('dim', 'Not all records of the batch are shown.'));
    });

/** Parents come before their children. */
function rowsOf(spans: readonly Span[]): Row[] {
  const depths = new Map<string, number>();
  return spans.map((span) => {
    const depth = (depths.get(span.parentSpanId ?? '') ?? -1) + 1;
    depths.set(span.spanId, depth);
    return { span, depth };
  });
}
