import { randomUUID } from 'node:crypto';
import type { Writable } from 'node:stream';
import type { Context } from 'aws-lambda';
import { entries } from '../aws/entries.ts';
import { rightsOf, withGrants } from './lambda-grants.ts';
import { accountId, region } from './queues/queues.ts';

type Handler = (event: unknown, ...rest: [Context] | [Writable, Context]) => Promise<unknown>;

const functions = new URL('../../functions/', import.meta.url);
const loaded = new Map<string, Promise<Handler>>();
const rights = new Map(
  entries.map(({ file, uses }) => {
    const name = file.slice('functions/'.length, -'.ts'.length);
    return [name, rightsOf(name, uses)];
  }),
);

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
 */
export async function invoke<Event, Result>(
  name: string,
  event: Event,
  timeoutSeconds: number,
  awsRequestId: string = randomUUID(),
  stream?: Writable,
): Promise<Result> {
  const handler = await load(name);
  const deadline = Date.now() + timeoutSeconds * 1000;
  const outOfTime = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => outOfTime.reject(new LambdaTimeout(`${name} ran for more than ${timeoutSeconds} s`)),
    timeoutSeconds * 1000,
  );
  try {
    const context = contextOf(name, awsRequestId, deadline);
    const answer = withGrants(rights.get(name) ?? rightsOf(name, []), () =>
      stream ? handler(event, stream, context) : handler(event, context),
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
    getRemainingTimeInMillis: () => Math.max(0, deadline - Date.now()),
    done: () => {},
    fail: () => {},
    succeed: () => {},
  };
}
