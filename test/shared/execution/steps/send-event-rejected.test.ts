import { expect, test, vi } from 'vitest';
import { loopback } from '../../../support/servers/loopback.ts';
import '../../../support/suite/fresh-modules.ts';

test.each([
  ['MalformedDetail', 'Detail is malformed.', false],
  ['ThrottlingException', 'Slow down.', true],
  ['InternalFailure', '', true],
])(
  'an entry rejected in a successful response fails the step: %s',
  async (ErrorCode, ErrorMessage, retryable) => {
    const { url } = await loopback((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/x-amz-json-1.1' });
      response.end(JSON.stringify({ FailedEntryCount: 1, Entries: [{ ErrorCode, ErrorMessage }] }));
    });
    vi.stubEnv('AWS_ENDPOINT_URL_EVENTBRIDGE', url);
    vi.resetModules();
    const { putEvent } = await import('../../../../shared/adapters/messages/event.ts');
    await expect(putEvent('user:ada')({ type: 't', payload: {} })).rejects.toMatchObject({
      message: `The event was rejected: ${ErrorMessage || ErrorCode}`,
      retryable,
    });
    vi.unstubAllEnvs();
  },
);
