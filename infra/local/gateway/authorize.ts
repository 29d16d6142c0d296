import type {
  APIGatewayAuthorizerResult,
  APIGatewayProxyEvent,
  APIGatewayRequestAuthorizerEvent,
} from 'aws-lambda';
import { log } from '../../../shared/core/log.ts';
import type { GatewayResponseType } from '../../gateway-responses.ts';
import { invoke } from '../runtime/invoke.ts';
import { toAuthorizerEvent } from './proxy-event.ts';

type Context = NonNullable<APIGatewayAuthorizerResult['context']>;
type Ask = (event: APIGatewayRequestAuthorizerEvent) => Promise<APIGatewayAuthorizerResult>;
type Decision = { context: Context } | { refusal: GatewayResponseType };

const cachedMs = 60_000;
const cachedMax = 10_000;
const headerBytesMax = 8_192;
const timeoutSeconds = 29;

/** Runs the authorizer like API Gateway, and caches each result by the Authorization header for a minute. */
export function makeAuthorizer(ask: Ask = askLambda) {
  const cache = new Map<string, { decision: Promise<Decision>; expiresAt: number }>();

  return async function authorize(event: APIGatewayProxyEvent): Promise<Decision> {
    const sent = Object.entries(event.multiValueHeaders).flatMap(([name, values]) =>
      name.toLowerCase() === 'authorization' ? (values ?? []) : [],
    );
    const [header = ''] = sent;
    if (header === '' || sent.length > 1 || Buffer.byteLength(header) > headerBytesMax) {
      return { refusal: 'UNAUTHORIZED' };
    }
    const cached = cache.get(header);
    if (cached && cached.expiresAt > performance.now()) return cached.decision;
    const decision = decide(event, ask);
    cache.delete(header);
    cache.set(header, { decision, expiresAt: performance.now() + cachedMs });
    const [oldest] = cache.keys();
    if (cache.size > cachedMax && oldest !== undefined) cache.delete(oldest);
    // Caches policies only, not failures.
    const answer = await decision;
    if ('refusal' in answer && answer.refusal !== 'ACCESS_DENIED') cache.delete(header);
    return answer;
  };
}

const askLambda: Ask = (event) => invoke('authorizer', event, timeoutSeconds);

async function decide(event: APIGatewayProxyEvent, ask: Ask): Promise<Decision> {
  try {
    const result = await ask(toAuthorizerEvent(event));
    const allowed = result.policyDocument.Statement.every(({ Effect }) => Effect === 'Allow');
    if (!allowed) return { refusal: 'ACCESS_DENIED' };
    return { context: { ...result.context, principalId: result.principalId } };
  } catch (error) {
    if (error instanceof Error && error.message === 'Unauthorized') return { refusal: 'UNAUTHORIZED' };
    log.error('The authorizer failed', { error });
    return { refusal: 'AUTHORIZER_FAILURE' };
  }
}
