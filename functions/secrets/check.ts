import * as z from 'zod';
import { secretStore } from '../../shared/domain/secrets/secret-store.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';

const Keys = z.array(z.string());

export const checkSecrets = defineEndpoint({
  id: 'secrets.check',
  method: 'POST',
  path: '/v1/secrets/check',
  noIdempotencyKey: 'It changes nothing',
  permission: 'SECRETS:READ',
  summary: 'Check which secrets exist',
  description:
    'Reports each requested key once, in the order of the request. A key is missing if it is malformed, unknown or has no value yet.',
  body: z.strictObject({ keys: z.array(z.string().min(1).max(100)).min(1).max(50) }),
  response: { kind: 'json', bodies: { 200: z.object({ found: Keys, missing: Keys, revoked: Keys }) } },
  errors: [400],
  needs: { secrets: secretStore },

  async handle({ body }, { secrets }) {
    const keys = [...new Set(body.keys)];
    const foundSecrets = await secrets.byKeys(keys);
    const standing = (key: string) => {
      const status = foundSecrets.get(key)?.status ?? 'pending';
      return status === 'active' ? 'found' : status === 'pending' ? 'missing' : status;
    };
    const { found = [], missing = [], revoked = [] } = Object.groupBy(keys, standing);
    return { found, missing, revoked };
  },
});

export const handler = toLambda(checkSecrets);
