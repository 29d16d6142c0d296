import { payloadBucket } from '../../infra/local/runtime/account.ts';
import type { ModelPort } from '../../shared/adapters/ports/model-port.ts';
import type { Ports } from '../../shared/adapters/ports/ports.ts';
import type { Scope } from '../../shared/platform/data/scope.ts';
import { runtimeOn, useTable } from '../http/warm-get.ts';
import { type Figure, median, printProgress, round } from '../measure/figure.ts';
import { type SentCommand, startRecording, stopRecording } from '../measure/recorder.ts';
import { startBenchStack, startModelServer } from '../measure/stack.ts';
import { httpModel, startedRun } from './agent-ways.ts';

const calls = 300;
const compared = 30;
const runs = 3;
const warmUpRuns = 2;

/** Of one turn. */
interface TurnUse {
  cpuMs: number;
  requests: number;
  bytes: number;
}

/** What a turn of a run with 300 tool calls and 200,000 tokens of context takes at its end, against its beginning. */
export async function measureLongRun(): Promise<Figure[]> {
  printProgress(`long-run: runs of ${calls} tool calls`);
  using models = await startModelServer(new URL('./long-run-models.ts', import.meta.url));
  await using stack = await startBenchStack();
  useTable(stack.facts.aws.dynamodb, stack.facts.table);
  // Longer outputs of a run go there.
  Object.assign(process.env, { AWS_ENDPOINT_URL_S3: stack.facts.aws.s3, PAYLOAD_BUCKET: payloadBucket });
  const scope = runtimeOn(stack.facts.table)().scopeOf('user:bench');
  const model: ModelPort = { ...httpModel(models.url), limits: async () => ({ contextTokens: 400_000 }) };
  const all: TurnUse[][] = [];
  for (let n = 0; n < warmUpRuns + runs; n++) {
    const turns = await turnsOfRun(scope, model);
    if (n >= warmUpRuns) all.push(turns);
  }
  return figuresOf(all);
}

/** Without the last turn, which ends the run. */
async function turnsOfRun(scope: Scope, model: ModelPort): Promise<TurnUse[]> {
  const run = await startedRun(scope, model, {
    toolIds: ['builtin:fetch-url'],
    streamed: false,
    calls,
    ports: { fetch: fetchPage },
  });
  const uses: TurnUse[] = [];
  let before = process.cpuUsage();
  startRecording({ capacity: false });
  for await (const { event } of run.events) {
    if (event.type === 'turn_start') {
      const { user, system } = process.cpuUsage(before);
      const sent = stopRecording();
      uses.push({ cpuMs: (user + system) / 1_000, requests: sent.length, bytes: bytesOf(sent) });
      startRecording({ capacity: false });
      before = process.cpuUsage();
    } else if (event.type === 'ended') {
      stopRecording();
      const { iterations } = event.summary;
      if (event.end.error !== null || iterations !== calls + 1)
        throw new Error(`The run ended after ${iterations} turns: ${event.end.error}`);
    }
  }
  // What came before the first turn is the start of the run.
  return uses.slice(1);
}

const text = Array.from({ length: 270 }, (_, n) => `reading${n % 10}`)
  .join(' ')
  .slice(0, 2_700);

const fetchPage: Ports['fetch'] = async ({ url }) => ({
  status: 200,
  headers: { 'content-type': 'text/plain' },
  url,
  bytes: Buffer.from(text),
  text,
});

const bytesOf = (sent: readonly SentCommand[]) =>
  sent.reduce((sum, { input }) => sum + JSON.stringify(input).length, 0);

function figuresOf(all: readonly TurnUse[][]): Figure[] {
  const meanOf = (turns: readonly TurnUse[], member: keyof TurnUse) =>
    turns.reduce((sum, turn) => sum + turn[member], 0) / turns.length;
  return (['cpuMs', 'requests', 'bytes'] as const).map((member): Figure => {
    const [first, last] = [0, -compared].map((from) =>
      median(all.map((turns) => meanOf(from === 0 ? turns.slice(0, compared) : turns.slice(from), member))),
    ) as [number, number];
    return {
      figure: 'long-run',
      what: `${names[member]} a turn in the last ${compared} of ${calls} turns with a tool call, as a multiple of the first ${compared}`,
      value: round(last / first, 2),
      unit: 'times',
      goal: { atMost: 1.3 },
      details: { first: round(first, 2), last: round(last, 2), runs },
    };
  });
}

const names = {
  cpuMs: 'CPU time',
  requests: 'requests to DynamoDB',
  bytes: 'bytes sent to DynamoDB',
} satisfies Record<keyof TurnUse, string>;
