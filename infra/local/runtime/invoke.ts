import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { Writable } from 'node:stream';
import type { Context, SQSEvent } from 'aws-lambda';
import { entries, type LambdaEntry } from '../../aws/conventions/entries.ts';
import { accountId, region } from './account.ts';
import { lambdaRights, withGrants } from './lambda-grants.ts';

type Handler = (event: unknown, ...rest: [Context] | [Writable, Context]) => Promise<unknown>;

const functions = new URL('../../../functions/', import.meta.url);
const loaded = new Map<string, Promise<Handler>>();
const nameOf = ({ file }: LambdaEntry) => file.slice('functions/'.length, -'.ts'.length);
const rights = new Map(entries.map((entry) => [nameOf(entry), lambdaRights(nameOf(entry), entry.uses)]));
const recursive = new Set(entries.filter(({ recursiveLoop }) => recursiveLoop === 'Allow').map(nameOf));

/** The Lambda in `functions/<name>.ts`, imported on its first call. */
function load(name: string): Promise<Handler> {
  let handler = loaded.get(name);
  if (!handler) {
    handler = import(new URL(`${name}.ts`, functions).href).then((module) => module.handler as Handler);
    handler.catch(() => loaded.delete(name));
    loaded.set(name, handler);
  }
  return handler;
}

export class LambdaTimeout extends Error {}

/**
 * Invokes a Lambda like AWS, except that a Lambda that times out is abandoned, not terminated.
 * @param stream Receives the response of a streaming Lambda.
 * @throws RecursiveInvocation, LambdaTimeout
 */
export async function invoke<Event, Result>(
  name: string,
  event: Event,
  timeoutSeconds: number,
  awsRequestId: string = randomUUID(),
  stream?: Writable,
): Promise<Result> {
  const causes = (event as Partial<SQSEvent>).Records ?? [];
  const trace = traceHeader(
    name,
    causes.map(({ attributes }) => attributes.AWSTraceHeader),
    recursive.has(name) ? 'Allow' : 'Terminate',
  );
  const handler = await load(name);
  const deadline = performance.now() + timeoutSeconds * 1000;
  const outOfTime = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => outOfTime.reject(new LambdaTimeout(`${name} ran for more than ${timeoutSeconds} s`)),
    timeoutSeconds * 1000,
  );
  // A process that ends waits for nobody.
  timer.unref();
  try {
    const context = contextOf(name, awsRequestId, deadline);
    const answer = withGrants(
      rights.get(name) ?? lambdaRights(name, []),
      () => (stream ? handler(event, stream, context) : handler(event, context)),
      { AWS_LAMBDA_FUNCTION_NAME: context.functionName, _X_AMZN_TRACE_ID: trace },
    );
    return (await Promise.race([answer, outOfTime.promise])) as Result;
  } finally {
    clearTimeout(timer);
  }
}

function contextOf(name: string, awsRequestId: string, deadline: number): Context {
  const functionName = name.replaceAll('/', '-');
  return {
    awsRequestId,
    functionName,
    functionVersion: '$LATEST',
    invokedFunctionArn: `arn:aws:lambda:${region}:${accountId}:function:${functionName}`,
    memoryLimitInMB: '1024',
    logGroupName: `/aws/lambda/${functionName}`,
    logStreamName: 'local',
    callbackWaitsForEmptyEventLoop: false,
    getRemainingTimeInMillis: () => Math.max(0, Math.floor(deadline - performance.now())),
    done: () => {},
    fail: () => {},
    succeed: () => {},
  };
}

/** Lambda stops the next invocation of a function that a chain of messages has invoked so often. */
const invocationsMax = 16;

/** Lambda did not run a function, because a chain of messages has invoked it too often. */
export class RecursiveInvocation extends Error {}

/**
 * The X-Ray trace header of an invocation: that of the messages that caused it, with their count of its function's
 * invocations (`Lineage`) one higher. The SDK sends it with what the function sends.
 * @param causes The headers of the messages; of their counts, the highest applies.
 * @throws RecursiveInvocation
 */
export function traceHeader(
  name: string,
  causes: readonly (string | undefined)[],
  recursiveLoop: 'Allow' | 'Terminate',
): string {
  const lineage = new Map<string, number>();
  for (const [hash, count] of causes.flatMap(lineageIn)) {
    lineage.set(hash, Math.max(count, lineage.get(hash) ?? 0));
  }
  const nameHash = hashOf(name);
  const invocations = (lineage.get(nameHash) ?? 0) + 1;
  if (invocations > invocationsMax && recursiveLoop === 'Terminate')
    throw new RecursiveInvocation(`A chain of messages has invoked ${name} ${invocationsMax} times`);
  lineage.set(nameHash, invocations);
  const root = causes.map((cause) => partOf(cause, 'Root')).find(Boolean) ?? newRoot();
  return `Root=${root};Sampled=0;Lineage=${[...lineage].map((entry) => entry.join(':')).join('|')}`;
}

const hashOf = (name: string) => createHash('sha256').update(name).digest('hex').slice(0, 8);
const newRoot = () => `1-${Math.floor(Date.now() / 1_000).toString(16)}-${randomBytes(12).toString('hex')}`;

const partOf = (header: string | undefined, name: string) =>
  header
    ?.split(';')
    .find((part) => part.startsWith(`${name}=`))
    ?.slice(name.length + 1);

const lineageIn = (header: string | undefined) =>
  (partOf(header, 'Lineage') ?? '').split('|').flatMap((entry): [string, number][] => {
    const [hash, count] = entry.split(':');
    return hash && count ? [[hash, Number(count)]] : [];
  });
