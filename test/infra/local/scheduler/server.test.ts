import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  CreateScheduleCommand,
  type CreateScheduleCommandInput,
  DeleteScheduleCommand,
  GetScheduleCommand,
  SchedulerClient,
  UpdateScheduleCommand,
} from '@aws-sdk/client-scheduler';
import { CreateQueueCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { expect, onTestFinished, test } from 'vitest';
import { localQueueUrl } from '../../../../infra/local/queues/queues.ts';
import { systemClocks } from '../../../../infra/local/runtime/clock-jumps.ts';
import { startScheduler } from '../../../../infra/local/scheduler/server.ts';
import '../../../support/stack/stack.ts';

const sqs = new SQSClient({});
let names = 0;

async function newQueue() {
  const name = `scheduler-test-${process.pid}-${names++}`;
  await sqs.send(new CreateQueueCommand({ QueueName: name }));
  return `arn:aws:sqs:us-east-1:000000000000:${name}`;
}

async function newScheduler(directory?: string, clocks = systemClocks) {
  const server = await startScheduler(directory, localQueueUrl, ['group'], clocks);
  onTestFinished(server.stop);
  return { ...server, client: new SchedulerClient({ endpoint: server.endpoint }) };
}

const at = (ms: number) => `at(${new Date(Date.now() + ms).toISOString().slice(0, 19)})`;
const schedule = (Arn: string, changes: Partial<CreateScheduleCommandInput> = {}) =>
  new CreateScheduleCommand({
    Name: 'one',
    GroupName: 'group',
    ScheduleExpression: at(3_600_000),
    FlexibleTimeWindow: { Mode: 'OFF' },
    ActionAfterCompletion: 'DELETE',
    Target: { Arn, RoleArn: 'arn:aws:iam::000000000000:role/x', Input: '{"n":1}' },
    ...changes,
  });

const nextMessage = async (arn: string) =>
  (await sqs.send(new ReceiveMessageCommand({ QueueUrl: localQueueUrl(arn), WaitTimeSeconds: 10 })))
    .Messages?.[0]?.Body;
const named = { Name: 'one', GroupName: 'group' };

test('a schedule sends its message to the queue at its time and is then deleted', async () => {
  const arn = await newQueue();
  const { client, begin } = await newScheduler();
  begin();
  await client.send(schedule(arn, { ScheduleExpression: at(1_000) }));
  expect(await nextMessage(arn)).toBe('{"n":1}');
  await expect(client.send(new GetScheduleCommand(named))).rejects.toMatchObject({
    name: 'ResourceNotFoundException',
  });
});

test('a duplicate schedule name is rejected; a deleted schedule does not fire', async () => {
  const arn = await newQueue();
  const { client } = await newScheduler();
  await client.send(schedule(arn));
  await expect(client.send(schedule(arn))).rejects.toMatchObject({ name: 'ConflictException' });
  const { Target } = await client.send(new GetScheduleCommand(named));
  expect(Target).toMatchObject({ Arn: arn, Input: '{"n":1}' });
  await client.send(new DeleteScheduleCommand(named));
  await expect(client.send(new DeleteScheduleCommand(named))).rejects.toMatchObject({
    name: 'ResourceNotFoundException',
  });
});

function newDirectory() {
  const directory = mkdtempSync(join(tmpdir(), 'schedules-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return directory;
}

test('schedules in the one file of an earlier release are taken over, once', async () => {
  const directory = newDirectory();
  const file = join(directory, 'schedules.json');
  const { input } = schedule(await newQueue());
  writeFileSync(file, JSON.stringify([['group/one', input]]));
  const { client, stop } = await newScheduler(directory);
  expect(await client.send(new GetScheduleCommand(named))).toMatchObject({ Target: input.Target });
  expect(readFileSync(file, 'utf8')).toBe('[]');
  await client.send(new DeleteScheduleCommand(named));
  await stop();
  const again = await newScheduler(directory);
  await expect(again.client.send(new GetScheduleCommand(named))).rejects.toThrow('no schedule');
});

test('a change is written alone, however many schedules there are', async () => {
  const directory = newDirectory();
  const arn = await newQueue();
  const { client } = await newScheduler(directory);
  const written = () => statSync(join(directory, 'schedules.db-wal')).size;
  const empty = written();
  await Promise.all(Array.from({ length: 500 }, (_, n) => client.send(schedule(arn, { Name: `many-${n}` }))));
  const many = written();
  await client.send(schedule(arn));
  expect(written() - many).toBeLessThan((many - empty) / 10);
});

test('a schedule that came due while the server was down fires at the next start', async () => {
  const directory = newDirectory();
  const arn = await newQueue();
  const first = await newScheduler(directory);
  await first.client.send(schedule(arn, { ScheduleExpression: at(1_000) }));
  await first.stop();
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  const second = await newScheduler(directory);
  second.begin();
  expect(await nextMessage(arn)).toBe('{"n":1}');
});

test.each([
  { ScheduleExpression: 'cron(0 0 * * * *)' },
  { ScheduleExpression: 'cron(0 0 L * ? *)' },
  { ScheduleExpression: 'rate(1 minute)' },
  { ScheduleExpressionTimezone: 'Mars/Olympus' },
  { GroupName: 'unknown' },
  { Name: 'no/slash' },
  { FlexibleTimeWindow: { Mode: 'FLEXIBLE' as const } },
])('unsupported input is rejected: %j', async (changes) => {
  const { client } = await newScheduler();
  await expect(client.send(schedule(await newQueue(), changes))).rejects.toThrow();
});

const minuteMs = 60_000;
const dayMs = 1_440 * minuteMs;
const everyMinute = { ScheduleExpression: 'cron(* * * * ? *)' };

/** A clock that is set to a second of its minute, some days away. */
function settableClock() {
  let shiftMs = 0;
  const wall = () => Date.now() + shiftMs;
  return {
    clocks: { ...systemClocks, wall },
    set(days: number, second: number) {
      shiftMs += days * dayMs + second * 1_000 - (wall() % minuteMs);
    },
  };
}

/** Longer than a minute, in case that the clock was noticed after the next one began. */
async function laterMessage(arn: string) {
  for (let waits = 0; waits < 7; waits++) {
    const message = await nextMessage(arn);
    if (message) return message;
  }
  return undefined;
}

test('a recurring schedule goes on after the clock was set back by a day', { timeout: 90_000 }, async () => {
  const arn = await newQueue();
  const { clocks, set } = settableClock();
  set(0, 5);
  const { client, begin } = await newScheduler(undefined, clocks);
  begin();
  await client.send(schedule(arn, everyMinute));
  set(-1, 57);
  expect(await laterMessage(arn)).toBe('{"n":1}');
});

test('what became due when the clock was set forward fires, a recurring schedule once', async () => {
  const [once, recurring] = [await newQueue(), await newQueue()];
  const { clocks, set } = settableClock();
  set(0, 5);
  const { client, begin } = await newScheduler(undefined, clocks);
  begin();
  await client.send(schedule(once));
  await client.send(schedule(recurring, { ...everyMinute, Name: 'two' }));
  set(1, 5);
  expect(await nextMessage(once)).toBe('{"n":1}');
  expect(await nextMessage(recurring)).toBe('{"n":1}');
  const { Messages } = await sqs.send(new ReceiveMessageCommand({ QueueUrl: localQueueUrl(recurring) }));
  expect(Messages ?? []).toEqual([]);
});

test('an update replaces a schedule; one that does not exist is rejected', async () => {
  const arn = await newQueue();
  const { client, begin } = await newScheduler();
  begin();
  await client.send(schedule(arn));
  const { input } = schedule(arn, { ScheduleExpression: at(1_000) });
  await client.send(
    new UpdateScheduleCommand({ ...input, Target: { ...input.Target, Input: '{"n":2}' } } as never),
  );
  expect(await nextMessage(arn)).toBe('{"n":2}');
  await expect(client.send(new UpdateScheduleCommand(input))).rejects.toMatchObject({
    name: 'ResourceNotFoundException',
  });
});

test('a message that cannot be sent goes to the dead-letter queue after the retries', async () => {
  const dead = await newQueue();
  const { client, begin } = await newScheduler();
  begin();
  const Target = {
    Arn: `${dead}-unknown`,
    RoleArn: 'arn:aws:iam::000000000000:role/x',
    Input: '{"n":3}',
    RetryPolicy: { MaximumRetryAttempts: 0 },
    DeadLetterConfig: { Arn: dead },
  };
  await client.send(schedule(dead, { ScheduleExpression: at(1_000), Target }));
  expect(await nextMessage(dead)).toBe('{"n":3}');
});
