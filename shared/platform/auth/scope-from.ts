import type { APIGatewayProxyEvent } from 'aws-lambda';
import { notFound } from '../../core/errors/errors.ts';
import { tryParseJson } from '../../core/json/json.ts';
import { assertValueCount } from '../../core/json/value-count.ts';
import type { Use } from '../aws/uses.ts';
import type { Scope } from '../data/scope.ts';
import type { Runtime } from '../runtime.ts';
import { toNetwork } from './addresses.ts';
import type { ScopeFrom } from './public-scope.ts';
import type { RequestLimits } from './rate-limit-windows.ts';
import { admitAnonymous } from './request-gate.ts';

interface PublicTenant {
  /** The noun for a 404, such as `Chat`. Each noun has its own counters. */
  what: string;
  uses: readonly Use[];
  /** The tenant's scope, or `undefined` for an unknown name, which returns 404. */
  from: (event: APIGatewayProxyEvent, runtime: Runtime) => Promise<Scope | undefined>;
  /** Counts per network, or for all callers of the tenant together. */
  limit: RequestLimits & { per: 'address' | 'tenant' };
}

/** The scope of a public endpoint that serves one tenant. Its handler gets `needs` and no principal. */
export const defineScope = ({ what, uses, from, limit }: PublicTenant): ScopeFrom => ({
  kind: 'from',
  uses: ['rate-limits', ...uses],
  async resolveCall(event, runtime) {
    const scope = await from(event, runtime);
    const address = toNetwork(event.requestContext.identity?.sourceIp ?? null);
    const counted = scope && limit.per === 'tenant' ? scope.table.tenant : address;
    const admission = admitAnonymous(runtime.scopeOf(''), `${what} ${counted}`, limit);
    if (scope) return { scope, admission };
    // Count unknown names too, to limit guessing.
    return {
      admission: admission.then(({ refusal, ...rest }) => ({ ...rest, refusal: refusal ?? notFound(what) })),
    };
  },
});

/** A member of a JSON body, before the body is validated. @throws ServiceError 400 for a body of too many values. */
export function readBodyMember({ body, isBase64Encoded }: APIGatewayProxyEvent, name: string): unknown {
  const text = isBase64Encoded ? Buffer.from(body ?? '', 'base64').toString() : (body ?? '');
  assertValueCount(text);
  return (tryParseJson(text) as Record<string, unknown> | null | undefined)?.[name];
}
