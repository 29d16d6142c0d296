import type { APIGatewayProxyEvent } from 'aws-lambda';
import { jsonIn } from '../../shared/core/json/json.ts';
import { scopeOfToken } from '../../shared/domain/run-waits/wait-link.ts';
import { scopeFrom } from '../../shared/platform/auth/scope-from.ts';

/** The tenant whose run waits for the holder of the link. Unknown and used tokens are a 404. */
export const scopeOfLink = scopeFrom({
  what: 'Link',
  uses: ['credentials'],
  from: (event, runtime) => scopeOfToken(tokenIn(event), runtime),
  limit: { per: 'address', perHour: 600, perDay: 5_000 },
});

function tokenIn({ body, isBase64Encoded }: APIGatewayProxyEvent): unknown {
  const text = isBase64Encoded ? Buffer.from(body ?? '', 'base64').toString() : (body ?? '');
  return (jsonIn(text) as { token?: unknown } | null | undefined)?.token;
}
