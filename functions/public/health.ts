import * as z from 'zod';
import manifest from '../../package.json' with { type: 'json' };
import { unavailable } from '../../shared/core/errors/errors.ts';
import { log } from '../../shared/core/log.ts';
import { groupDigits } from '../../shared/core/text.ts';
import { toNetwork } from '../../shared/platform/auth/addresses.ts';
import type { ScopeFrom } from '../../shared/platform/auth/public-scope.ts';
import { admitAnonymous } from '../../shared/platform/auth/request-limiter.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';

/** More than two requests per second of one address, for hours. */
const limits = { perHour: 10_000, perDay: 200_000 };
const patienceMs = 3_000;

/**
 * Counts the request, as for every public endpoint. That is one conditional write of the table, so the count is the
 * check: an extra read would prove less and cost more. A health check of every few seconds stays far below the limits (D18).
 */
const byCounting: ScopeFrom = {
  kind: 'from',
  uses: ['rate-limits'],
  async resolveCall({ requestContext }, runtime) {
    const scope = runtime.scopeOf('');
    const table = scope.table.until(AbortSignal.timeout(patienceMs));
    const address = toNetwork(requestContext.identity?.sourceIp ?? null);
    const admission = admitAnonymous({ ...scope, table }, `Health ${address}`, limits).catch((error) => {
      log.error('The table does not respond', { error });
      throw unavailable('The table does not respond. Try again later');
    });
    return { scope, admission };
  },
};

const Health = z
  .object({
    ready: z.literal(true),
    version: z.string().meta({ description: 'The version of the deployed code' }),
    engine: z
      .enum(['dynamodb', 'embedded'])
      .meta({ description: 'Amazon DynamoDB, or the engine of a service on one machine' }),
  })
  .meta({ id: 'Health', examples: [{ ready: true, version: manifest.version, engine: 'dynamodb' }] });

export const getHealth = defineEndpoint({
  id: 'public.health',
  method: 'GET',
  path: '/v1/public/health',
  permission: 'public',
  scope: byCounting,
  summary: 'Get whether the service is ready',
  description: `For load balancers and monitors. 200 if the table has accepted a write for this request, 503 if it does not within ${patienceMs / 1_000} seconds. A full disk of a service on one machine does not count, because reads go on. Queues, buckets and model providers are not checked. Each IP address has ${groupDigits(limits.perHour)} requests an hour.`,
  response: { kind: 'json', bodies: { 200: Health } },
  errors: [503],
  needs: {},

  handle: () => ({
    ready: true as const,
    version: manifest.version,
    engine: process.env.AWS_ENDPOINT_URL_DYNAMODB ? ('embedded' as const) : ('dynamodb' as const),
  }),
});

export const handler = toLambda(getHealth);
