import { expect, test } from 'vitest';
import { gatewayResponses } from '../../infra/gateway-responses.ts';

test.each(Object.entries(gatewayResponses(1_000)))(
  '%s: details are a string only for 401, 403 and 429',
  (_type, { statusCode, body }) => {
    const text = expect.any(String);
    const list = [{ code: text, message: text }];
    expect(body).toEqual({ error: text, details: [401, 403, 429].includes(statusCode) ? text : list });
  },
);
