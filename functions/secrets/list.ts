import * as z from 'zod';
import { secretStore } from '../../shared/domain/secrets/secret-store.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { responseBytesMax, takeWithinBytes } from '../../shared/platform/http/envelope.ts';
import { toLambda } from '../../shared/platform/http/lambda.ts';
import { SecretResponse, toSecretResponse } from './schemas.ts';

export const listSecrets = defineEndpoint({
  id: 'secrets.list',
  method: 'GET',
  path: '/v1/secrets',
  permission: 'SECRETS:READ',
  summary: 'List secrets',
  description:
    'Returns the secrets without their values, ordered by key. A response holds up to 5 MB of them, `total` counts all. If there are more, continue with `after`, the key of the last secret.',
  query: z.object({ after: z.string().min(1).max(100).optional() }),
  response: { kind: 'json', bodies: { 200: z.object({ data: z.array(SecretResponse), total: z.int() }) } },
  errors: [400],
  needs: { secrets: secretStore },

  async handle({ query: { after } }, { secrets }) {
    const all = await secrets.list();
    const later = all.filter(({ key }) => !after || key > after).map(toSecretResponse);
    return { data: takeWithinBytes(later, responseBytesMax), total: all.length };
  },
});

export const handler = toLambda(listSecrets);
