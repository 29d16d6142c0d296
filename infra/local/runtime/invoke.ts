import { randomUUID } from 'node:crypto';
import type { Writable } from 'node:stream';
import type { Context, SQSEvent } from 'aws-lambda';
import { entries, type LambdaEntry } from '../../aws/conventions/entries.ts';
import { accountId, region } from './account.ts';
import { lambdaRights, withGrants } from './lambda-grants.ts';
import { traceHeader } from './trace.ts';

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
