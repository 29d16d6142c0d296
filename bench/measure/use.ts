import { round } from './figure.ts';
import type { ResourceUse } from './prices.ts';
import type { SentCommand } from './recorder.ts';
import type { BenchStack } from './stack.ts';

const writeCommands = ['Put', 'Update', 'Delete', 'BatchWrite', 'TransactWrite'];
const readCommands = ['Get', 'BatchGet', 'Query'];
const deletion = ['DeleteMessageBatch'];
const otherSqsCommands = ['SendMessage', 'SendMessageBatch', 'ChangeMessageVisibilityBatch'];

/** What `work` uses of AWS on the stack, divided by `count`. */
export async function measureUse(
  stack: BenchStack,
  count: number,
  work: () => Promise<unknown>,
): Promise<ResourceUse> {
  const before = await stack.ask('traffic');
  const cpuBefore = await stack.ask('cpuMs');
  await stack.ask('startRecording', { capacity: true });
  await work();
  const sent = await stack.ask('stopRecording');
  const cpuMs = (await stack.ask('cpuMs')) - cpuBefore;
  const after = await stack.ask('traffic');
  const deletions = countOf(sent, deletion);
  const total: ResourceUse = {
    writeUnits: unitsOf(sent, writeCommands),
    readUnits: unitsOf(sent, readCommands),
    writeRequests: countOf(sent, writeCommands),
    // What was deleted together was received together.
    sqsRequests: countOf(sent, otherSqsCommands) + 2 * deletions,
    s3Puts: after.s3Puts - before.s3Puts,
    s3Gets: after.s3Gets - before.s3Gets,
    invocations: deletions,
    cpuMs,
    logBytes: after.logBytes - before.logBytes,
  };
  return Object.fromEntries(
    Object.entries(total).map(([name, value]) => [name, round(value / count)]),
  ) as unknown as ResourceUse;
}

const of = (sent: readonly SentCommand[], names: readonly string[]) =>
  sent.filter(({ name }) => names.includes(name));
const countOf = (sent: readonly SentCommand[], names: readonly string[]) => of(sent, names).length;
const unitsOf = (sent: readonly SentCommand[], names: readonly string[]) =>
  of(sent, names).reduce((sum, { capacityUnits }) => sum + capacityUnits, 0);
