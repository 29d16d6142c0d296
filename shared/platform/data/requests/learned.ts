import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { HttpRequest } from '@smithy/core/protocols';
import type { FinalizeRequestMiddleware } from '@smithy/types';
import type { SigningScope } from './signing.ts';

/** What all requests of an operation have in common, as the SDK has sent one. */
export interface Learned {
  /** Such as `https://dynamodb.eu-central-1.amazonaws.com`. */
  origin: string;
  scope: SigningScope;
  /** Without those that differ between requests. */
  headers: Readonly<Record<string, string>>;
  /** Of the credentials: the endpoint may depend on it. */
  accountId: string | undefined;
}

/** Set anew for each request. */
const varying: ReadonlySet<string> = new Set([
  'amz-sdk-invocation-id',
  'amz-sdk-request',
  'authorization',
  'content-length',
  'x-amz-content-sha256',
  'x-amz-date',
  'x-amz-security-token',
  // Of the invocation. DynamoDB has no use for it.
  'x-amzn-trace-id',
]);

/**
 * Learns from each request that the SDK sends: its endpoint and headers, by the name of the operation.
 * @returns also the middleware, which is for the SDK's requests only.
 */
export function learnFrom(client: DynamoDBClient) {
  const learned = new Map<string, Learned>();
  const middleware: FinalizeRequestMiddleware<object, object> = (next) => async (sent) => {
    if (HttpRequest.isInstance(sent.request)) {
      const { accountId } = await client.config.credentials();
      const facts = readRequest(sent.request, accountId);
      if (facts) learned.set(facts.operation, facts.learned);
    }
    return next(sent);
  };
  client.middlewareStack.add(middleware as never, { step: 'finalizeRequest', priority: 'low' });
  return { learned: learned as ReadonlyMap<string, Learned>, middleware };
}

function readRequest({ protocol, hostname, port, path, query, headers }: HttpRequest, accountId?: string) {
  const operation = headers['x-amz-target']?.split('.')[1];
  const [, region, service] = headers.authorization?.match(/Credential=[^/]+\/\d+\/([^/]+)\/([^/]+)\//) ?? [];
  if (!operation || !region || !service || path !== '/' || Object.keys(query ?? {}).length > 0)
    return undefined;
  const constant = Object.entries(headers).filter(([name]) => !varying.has(name.toLowerCase()));
  return {
    operation,
    learned: {
      origin: `${protocol}//${hostname}${port ? `:${port}` : ''}`,
      scope: { region, service },
      headers: Object.fromEntries(constant.map(([name, value]) => [name.toLowerCase(), value])),
      accountId,
    },
  };
}
